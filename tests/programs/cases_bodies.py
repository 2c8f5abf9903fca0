"""Dataclasses in lists that hold arrays, which are updated in place, beside numbers."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from program import program

from s2sad import grad

rng = np.random.default_rng(41)


@dataclass
class Body:
    position: np.ndarray
    velocity: np.ndarray
    mass: float

    def kinetic(self):
        return 0.5 * self.mass * np.dot(self.velocity, self.velocity)

    def kick(self, force, dt):
        self.velocity += force * dt / self.mass


def energy_of_bodies(places, masses, steps, dt):
    bodies = [Body(places[i].copy(), np.zeros(2), m) for i, m in enumerate(masses)]
    for _ in range(steps):
        for a, b in itertools.combinations(bodies, 2):
            d = b.position - a.position
            pull = d * a.mass * b.mass / (d @ d + 0.1) ** 1.5
            a.kick(pull, dt)
            b.kick(-pull, dt)
        for body in bodies:
            body.position += dt * body.velocity
    return sum(b.kinetic() for b in bodies) + max(b.position[0] for b in bodies)


def bodies_by_their_places(places, masses):
    bodies = []
    for i in range(len(masses)):
        bodies.append(Body(places[i], masses[i] * places[i], masses[i]))
    for i in range(1, len(bodies)):
        bodies[i].velocity[0] += bodies[i - 1].velocity[1] * bodies[i].mass
        bodies[i].position[:] = bodies[i].position * bodies[i - 1].mass
    return sum(np.sum(b.position * b.velocity) for b in bodies)


def slope_of_the_energy(places, masses):
    return np.sum(grad(energy_of_bodies)(places, masses, 2, 0.1) ** 2)


@dataclass
class Unit:
    weights: np.ndarray
    bias: float
    state: list


def units_that_remember(x, n):
    units = [Unit(x * k, x[0] * k, [x[1]]) for k in range(n)]
    for round_ in range(3):
        for unit in units:
            unit.weights *= 0.5
            unit.bias += unit.state[-1]
            unit.state.append(np.sum(unit.weights) * unit.bias)
    return sum(unit.state[1] * unit.state[-1] for unit in units)


PLACES = rng.normal(size=(3, 2))

PROGRAMS = [
    program(energy_of_bodies, PLACES, [1.0, 2.0, 0.5], 3, 0.1),
    program(bodies_by_their_places, PLACES, [1.0, 2.0, 0.5]),
    program(slope_of_the_energy, PLACES, [1.0, 2.0, 0.5]),
    program(units_that_remember, np.array([0.3, 0.7]), 3),
]
