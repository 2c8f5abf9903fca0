"""Dataclasses in lists, with arrays beside numbers: updated in place, and picked or not."""

from __future__ import annotations

import itertools
import math
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


@dataclass
class Sphere:
    centre: np.ndarray
    radius: float
    tint: float


@dataclass
class Ray:
    origin: np.ndarray
    direction: np.ndarray

    def meets(self, sphere):
        d = self.origin - sphere.centre
        b = d @ self.direction
        inside = b * b - d @ d + sphere.radius**2
        if inside < 0:
            return None
        t = -b - math.sqrt(inside)
        return t if t > 1e-6 else None


def light_along(ray, spheres, depth):
    nearest, struck = None, None
    for sphere in spheres:
        t = ray.meets(sphere)
        if t is not None and (nearest is None or t < nearest):
            nearest, struck = t, sphere
    if struck is None:
        return 0.2 + 0.1 * ray.direction[2]
    point = ray.origin + nearest * ray.direction
    normal = (point - struck.centre) / struck.radius
    light = struck.tint * max(0.0, normal @ np.array([0.5, 0.5, 0.7]))
    if depth == 0:
        return light
    onward = Ray(point, ray.direction - 2 * (ray.direction @ normal) * normal)
    return light + 0.3 * light_along(onward, spheres, depth - 1)


def rays_traced(centres, tints):
    spheres = [Sphere(c, 0.9, k) for c, k in zip(centres, tints)]
    total = 0.0
    for i, j in itertools.product(range(-1, 2), repeat=2):
        d = np.array([0.2 * i, 0.2 * j, 1.0])
        total += light_along(Ray(np.zeros(3), d / np.linalg.norm(d)), spheres, 2)
    return total


def heaviest_of_some(places, masses):
    bodies = [Body(p, 2 * p, m) for p, m in zip(places, masses)]
    heaviest = None
    for body in bodies:
        if body.position[0] > -5.0 and (heaviest is None or body.mass > heaviest.mass):
            heaviest = body
    return 0.0 if heaviest is None else heaviest.kinetic() * heaviest.mass


CENTRES = np.array([[0.0, 0.0, 3.0], [1.0, 0.2, 3.5], [-0.7, 0.6, 2.5]])
PLACES = rng.normal(size=(3, 2))

PROGRAMS = [
    program(energy_of_bodies, PLACES, [1.0, 2.0, 0.5], 3, 0.1),
    program(bodies_by_their_places, PLACES, [1.0, 2.0, 0.5]),
    program(slope_of_the_energy, PLACES, [1.0, 2.0, 0.5]),
    program(rays_traced, CENTRES, np.array([0.5, 0.7, 0.9])),
    program(heaviest_of_some, PLACES, [1.0, 2.0, 0.5]),
    program(units_that_remember, np.array([0.3, 0.7]), 3),
]
