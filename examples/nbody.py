"""Gravitating bodies advanced by leapfrog, positions and velocities updated in place.

Run ``python -m examples.nbody``.
"""

import numpy as np


def accelerations(mass, pos, G, softening, acc):
    """Fill acc with the pull of every body on every other."""
    n = pos.shape[0]
    acc[:] = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            separation = pos[j] - pos[i]
            inverse_cube = (np.sum(separation**2) + softening**2) ** (-1.5)
            acc[i] += G * mass[j] * inverse_cube * separation
            acc[j] -= G * mass[i] * inverse_cube * separation


def leapfrog(mass, pos, vel, steps, dt, G, softening):
    """Kick, drift, kick: advance pos and vel in place."""
    acc = np.zeros_like(pos)
    accelerations(mass, pos, G, softening, acc)
    for _ in range(steps):
        vel += acc * dt / 2.0
        pos += vel * dt
        accelerations(mass, pos, G, softening, acc)
        vel += acc * dt / 2.0


def energy(mass, pos, vel, G, softening):
    """Kinetic plus potential energy."""
    total = 0.5 * np.sum(mass[:, np.newaxis] * vel**2)
    for i in range(len(mass)):
        for j in range(i):
            distance = np.sqrt(np.sum((pos[i] - pos[j]) ** 2) + softening**2)
            total -= G * mass[i] * mass[j] / distance
    return total


def miss_distance(mass, pos, vel, target, steps=10, dt=0.05, G=1.0, softening=0.1):
    """Squared distance of the last body from a target after the flight."""
    leapfrog(mass, pos, vel, steps, dt, G, softening)
    return np.sum((pos[-1] - target) ** 2)


def final_energy(mass, pos, vel, steps=10, dt=0.05, G=1.0, softening=0.1):
    """The energy after the flight; leapfrog nearly keeps it."""
    leapfrog(mass, pos, vel, steps, dt, G, softening)
    return energy(mass, pos, vel, G, softening)


def make_problem(n=4, seed=0):
    """Return masses, positions and velocities of ``n`` bodies, the total momentum zero."""
    rng = np.random.default_rng(seed)
    mass = rng.uniform(0.5, 1.5, size=n)
    pos = rng.normal(size=(n, 3))
    vel = 0.3 * rng.normal(size=(n, 3))
    vel -= np.sum(mass[:, np.newaxis] * vel, axis=0) / np.sum(mass)
    return mass, pos, vel


def main():
    """Aim the last body at a target by gradient descent on its start velocity."""
    from s2sad import value_and_grad

    mass, pos, vel = make_problem()
    target = pos[-1] + np.array([0.2, 0.0, 0.1])
    aim = value_and_grad(miss_distance, wrt="vel")
    for step in range(11):
        miss, gradient = aim(mass, pos, vel, target)
        if step % 5 == 0:
            print(f"step {step:2d}  squared miss distance {miss:.8f}")
        vel[-1] -= 1.5 * gradient[-1]


if __name__ == "__main__":
    main()
