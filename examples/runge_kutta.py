"""A classical Runge-Kutta integrator that takes the right-hand side as an argument.

Run ``python -m examples.runge_kutta``.
"""

import numpy as np


def rk4_step(f, y, t, h, *params):
    """One step of the classical fourth-order method for ``y' = f(y, t, *params)``."""
    k1 = f(y, t, *params)
    k2 = f(y + 0.5 * h * k1, t + 0.5 * h, *params)
    k3 = f(y + 0.5 * h * k2, t + 0.5 * h, *params)
    k4 = f(y + h * k3, t + h, *params)
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def integrate(f, y, t0, t1, steps, *params):
    """Integrate from ``t0`` to ``t1`` in equal steps; return every state, the first included."""
    h = (t1 - t0) / steps
    states = [y]
    t = t0
    for _ in range(steps):
        y = rk4_step(f, y, t, h, *params)
        t += h
        states.append(y)
    return np.array(states)


def linear(y, t, A):
    """A linear system."""
    return A @ y


def lorenz(y, t, sigma, rho, beta):
    """The Lorenz system."""
    return np.array([sigma * (y[1] - y[0]), y[0] * (rho - y[2]) - y[1], y[0] * y[1] - beta * y[2]])


def linear_endpoint(y0, A, w, steps=8):
    """The end of a linear trajectory, weighted by w."""
    return w @ integrate(linear, y0, 0.0, 1.0, steps, A)[-1]


def lorenz_mismatch(y0, sigma, rho, beta, observed):
    """Squared distance of a Lorenz trajectory from an observed one."""
    states = integrate(lorenz, y0, 0.0, 0.4, len(observed) - 1, sigma, rho, beta)
    return np.sum((states - observed) ** 2)


def forced_oscillator(y0, omega, damping, drive):
    """Final position of a driven oscillator, its right-hand side a closure over the parameters."""

    def rhs(y, t):
        return np.array([y[1], -(omega**2) * y[0] - damping * y[1] + drive * np.cos(t)])

    return integrate(rhs, y0, 0.0, 2.0, 20)[-1, 0]


def main():
    """Recover the parameters of the Lorenz system from a trajectory."""
    from s2sad import value_and_grad

    start = np.array([1.0, 1.0, 20.0])
    observed = integrate(lorenz, start, 0.0, 0.4, 20, 10.0, 28.0, 8.0 / 3.0)
    mismatch = value_and_grad(lorenz_mismatch, wrt=("sigma", "rho", "beta"))
    params = [9.0, 27.0, 2.0]
    for step in range(201):
        value, gradient = mismatch(start, *params, observed)
        if step % 50 == 0:
            sigma, rho, beta = params
            print(f"step {step:3d}  mismatch {value:10.6f}  sigma {sigma:.4f}  rho {rho:.4f}  beta {beta:.4f}")
        params = [p - 1e-3 * d for p, d in zip(params, gradient)]


if __name__ == "__main__":
    main()
