"""Programs whose objects are in lists of any length, or are None at times: they are rows of lists."""

from __future__ import annotations

import copy
import functools
import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from program import program


class Particle:
    def __init__(self, x, v=0.0):
        self.x, self.v = x, v

    def step(self, dt):
        self.v = self.v - dt * self.x
        self.x = self.x + dt * self.v

    @property
    def energy(self):
        return 0.5 * (self.x**2 + self.v**2)


def particles_that_move(xs, n):
    particles = [Particle(x) for x in xs]
    for _ in range(n):
        for p in particles:
            p.step(0.1)
    return sum(p.x * p.v for p in particles) + particles[-1].energy


def particles_that_multiply(xs, n):
    particles = [Particle(xs[0])]
    for k in range(n):
        for p in particles:
            p.step(0.1)
        if k % 2 == 0:
            particles.append(Particle(particles[-1].x * xs[1], xs[2]))
    return sum(p.x for p in particles)


@dataclass
class Body:
    place: np.ndarray
    speed: np.ndarray
    mass: float


def bodies_that_attract(P, V, M):
    bodies = [Body(p, v, m) for p, v, m in zip(P, V, M)]
    for _ in range(2):
        for a in bodies:
            pull = np.zeros(2)
            for b in bodies:
                if a is not b:
                    d = b.place - a.place
                    pull = pull + b.mass * d / (0.1 + d @ d) ** 1.5
            a.speed = a.speed + 0.1 * pull
        for a in bodies:
            a.place = a.place + 0.1 * a.speed
    return sum(np.sum(b.place**2) for b in bodies)


class Spring:
    def __init__(self, a, b, k):
        self.a, self.b, self.k = a, b, k

    def pull(self):
        f = self.k * (self.b.x - self.a.x)
        self.a.v += 0.1 * f
        self.b.v -= 0.1 * f


def springs_between_particles(xs, k):
    particles = [Particle(x) for x in xs]
    springs = [Spring(particles[i], particles[i + 1], k) for i in range(len(particles) - 1)]
    for _ in range(3):
        for s in springs:
            s.pull()
        for p in particles:
            p.step(0.1)
    return sum(p.x**3 for p in particles)


class Held:
    def __init__(self, a):
        self.a = a

    def add(self, k):
        self.a += k


def one_array_in_all(x, n):
    base = x * 1.0
    held = [Held(base) for _ in range(n)]
    for k, h in enumerate(held):
        h.add(k * x[0])
    held[0].a = held[1].a * 2.0
    held[0].add(x)
    return np.sum(base * held[0].a)


def an_array_in_each(X):
    held = [Held(row.copy()) for row in X]
    for _ in range(2):
        for h in held:
            h.a *= 1.1
            h.a[0] += h.a[1] ** 2
    return sum(np.sum(h.a) for h in held)


def relu(x):
    return np.maximum(x, 0.0)


SHAPES = {"tanh": np.tanh, "relu": relu, "none": lambda x: x}


class Dense:
    def __init__(self, W, shape):
        self.W, self.shape = W, shape

    def __call__(self, x):
        return self.shape(self.W @ x)


def layers_of_several_shapes(Ws, shapes, x):
    layers = [Dense(W, SHAPES[s]) for W, s in zip(Ws, shapes)]
    for layer in layers:
        x = layer(x)
    return np.sum(x)


def layers_of_two_shapes(Ws, x):
    layers = []
    for k, W in enumerate(Ws):
        layers.append(Dense(W, np.tanh if k < len(Ws) - 1 else np.sin))
    for layer in layers:
        x = layer(x)
    return np.sum(x)


class Item:
    scale = 2.0

    def __init__(self, x, tags=None):
        self.x = x
        self.tags = [] if tags is None else tags

    def value(self):
        return self.scale * self.x


class Scaled(Item):
    def __init__(self, x):
        super().__init__(x)
        if x > 0.5:
            self.scale = 3.0 * x

    def value(self):
        return super().value() + 1.0


def of_a_subclass(xs):
    items = [Scaled(x) for x in xs]
    return sum(item.value() for item in items)


def scaled_one_by_one(xs):
    total = 0.0
    for x in xs:
        item = Scaled(x)
        total += item.value()
    return total


def scaled_later(xs):
    items = [Item(x) for x in xs]
    for item in items:
        if item.x > 0.5:
            item.scale = item.x
        item.tags.append(item.x)
        item.tags.append(item.value())
    return sum(item.value() * sum(item.tags) for item in items)


@dataclass
class Record:
    x: float
    n: int = 0
    past: list[Any] = field(default_factory=list)

    def __post_init__(self):
        self.square = self.x**2


def records_with_a_past(xs):
    records = [Record(x) for x in xs]
    for r in records:
        r.past.append(2.0 * r.x)
        r.n += 1
        r.square += r.x
    return sum(sum(r.past) * r.n * r.square for r in records)


class Cached:
    def __init__(self, x):
        self.x, self.square = x, None


def computed_once(xs):
    cached = [Cached(x) for x in xs]
    for _ in range(2):
        for c in cached:
            if c.square is None:
                c.square = c.x**2
            c.x += c.square
    return sum(c.x for c in cached)


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y * other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y + k)

    def __eq__(self, other):
        return self.x == other.x

    @classmethod
    def unit(cls, x):
        return cls(x, 1.0)


def sum_of_vectors(xs):
    vectors = [Vector(x, 1.0 + x) for x in xs]
    total = sum(vectors, Vector(0.0, 1.0))
    folded = functools.reduce(lambda a, b: a + b * 2.0, [Vector.unit(x) for x in xs])
    return total.x * total.y * math.hypot(folded.x, folded.y)


def equal_by_their_own_word(xs):
    vectors = [Vector(x, x**2) for x in xs]
    return sum(v.y for v in vectors if v == vectors[0])


def in_lists_of_all_sorts(xs):
    ps = [Particle(x) for x in xs]
    there = ps[2] in ps
    turned = [*ps[1:], ps[0]]
    copied, backwards, twice = ps.copy(), list(reversed(ps)), ps * 2
    turned[0].x *= 3.0
    copied[2].v = xs[0]
    for a, b in zip(turned, backwards):
        a.v += b.x
    ps[0], ps[1] = ps[1], ps[0]
    ps[0].x, ps[2].x = ps[2].x, ps[0].x
    ps.remove(ps[1])
    place = ps.index(ps[-1])
    del ps[0]
    most = max(ps, key=lambda p: p.x)
    most.x += 1.0
    ps.sort(key=lambda p: -p.x)
    return sum((k + 1) * p.x * p.v for k, p in enumerate(ps)) * (place if there else 0.0) + sum(p.v for p in twice)


def copies_of_rows(xs):
    ps = [Particle(x) for x in xs]
    others = [copy.copy(p) for p in ps]
    for p in others:
        p.x *= 2.0
    return sum(p.x * q.x for p, q in zip(ps, others))


def asked_what_they_are(xs):
    ps = [Particle(x) for x in xs]
    total = 0.0
    for p in ps:
        if isinstance(p, Particle) and type(p) is Particle and hasattr(p, "x") and not hasattr(p, "y"):
            total += getattr(p, "x") * getattr(p, "y", 2.0)
        setattr(p, "v", total)
    return total * ps[1].v


def in_a_queue(xs):
    queue = deque()
    for x in xs:
        queue.append(Particle(x))
    total = 0.0
    while queue:
        p = queue.popleft()
        total = 0.5 * total + p.x
        if p.v < 1.5:
            p.v += 1.0
            queue.append(p)
    return total


def in_lists_of_a_dict(xs, names):
    groups = {}
    for name, x in zip(names, xs):
        groups.setdefault(name, []).append(Particle(x))
    for name in groups:
        for p in groups[name]:
            p.v = p.x * len(groups[name])
    return sum(p.v * p.x for group in groups.values() for p in group)


class World:
    def __init__(self, xs):
        self.particles = [Particle(x) for x in xs]
        self.best = None
        self.time = 0.0

    def add(self, x):
        self.particles.append(Particle(x))

    def step(self):
        for p in self.particles:
            p.step(0.1)
            if self.best is None or p.x > self.best.x:
                self.best = p
        self.time += 0.1


def world_with_a_best(xs, n):
    world = World(xs)
    for _ in range(n):
        world.step()
        world.add(world.particles[-1].x * 0.5)
    return sum(p.energy for p in world.particles) * world.best.x + world.time


class Result:
    def __init__(self, value, x):
        self.value, self.x = value, x


def best_result(xs):
    best = None
    for x in xs:
        value = np.sum((x - 0.3) ** 2)
        if best is None or value < best.value:
            best = Result(value, x)
    return best.value * np.sum(best.x)


def first_result(xs, least):
    def look():
        for x in xs:
            if x > least:
                return Result(x, x * x)
        return None

    found = look()
    return 3.0 * xs[0] if found is None else found.value * found.x


def head_that_counts(xs):
    head, total = None, 0.0
    for x in xs:
        if head:
            total += head.x * x
        if not head or x > 0.6:
            head = Particle(x)
        p = head or Particle(x)
        p.x += x
    return total + (head.x if head else 0.0)


class Node:
    def __init__(self, value):
        self.value, self.left, self.right = value, None, None


def search_tree(xs):
    root = None
    for x in xs:
        node = Node(x * x)
        if root is None:
            root = node
            continue
        at = root
        while True:
            if node.value < at.value:
                if at.left is None:
                    at.left = node
                    break
                at = at.left
            else:
                if at.right is None:
                    at.right = node
                    break
                at = at.right
    total, depth = 0.0, 1.0
    while root is not None:
        total += depth * root.value
        depth += 1.0
        root = root.right
    return total


def chain_by_recursion(xs):
    def weighed(node, k):
        return 0.0 if node is None else k * node.value + weighed(node.left, k + 1.0)

    root = None
    for x in xs:
        node = Node(x)
        node.left = root
        root = node
    return weighed(root, 1.0)


class Branch:
    def __init__(self, value, parts):
        self.value, self.parts = value, parts


def tree_by_recursion(xs):
    def total(branch):
        return branch.value + 0.5 * sum([total(part) for part in branch.parts])

    row = [Branch(x, []) for x in xs]
    while len(row) > 1:
        row = [Branch(a.value * b.value, [a, b]) for a, b in zip(row[::2], row[1::2])]
    return total(row[0])


class Value:
    def __init__(self, data, parts=()):
        self.data, self.adjoint, self.parts, self.slopes = data, 0.0, list(parts), []


def _product(a, b):
    made = Value(a.data * b.data, [a, b])
    made.slopes = [b.data, a.data]
    return made


def _sum(a, b):
    made = Value(a.data + b.data, [a, b])
    made.slopes = [1.0, 1.0]
    return made


def reverse_mode_of_its_own(xs):
    values = [Value(x) for x in xs]
    made = values[0]
    for v in values[1:]:
        made = _sum(_product(made, v), values[0])
    order, stack = [], [made]
    while stack:
        v = stack.pop()
        if v not in order:
            order.append(v)
        for part in v.parts:
            stack.append(part)
    made.adjoint = 1.0
    for v in order:
        for part, slope in zip(v.parts, v.slopes):
            part.adjoint += v.adjoint * slope
    return sum(v.adjoint * v.data for v in values)


def handed_over_in_pairs(xs):
    pairs = [(Particle(x), x) for x in xs]
    for p, x in pairs:
        p.step(x)
    held = [Spring(Particle(x), Particle(2.0 * x), x) for x in xs]
    for h in held:
        h.a.x += h.b.x
        h.a, h.b = h.b, h.a
    return sum(p.x * x for p, x in pairs) + sum(h.a.x * h.b.x**2 for h in held)


XS = [0.4, 0.7, 1.2, 0.9]
RNG = np.random.default_rng(0)
P, V, M = RNG.normal(size=(3, 2)), RNG.normal(size=(3, 2)), RNG.uniform(0.5, 1.0, size=3)
WS = [RNG.normal(size=(3, 3)) for _ in range(3)]
ROWS = [RNG.normal(size=3) for _ in range(4)]

PROGRAMS = [
    program(particles_that_move, XS, 3),
    program(particles_that_move, np.array(XS), 3, name="particles_of_an_array"),
    program(particles_that_multiply, XS, 4),
    program(bodies_that_attract, P, V, M),
    program(springs_between_particles, XS, 0.7),
    program(one_array_in_all, ROWS[0], 3),
    program(an_array_in_each, P),
    program(layers_of_several_shapes, WS, ["tanh", "relu", "none"], ROWS[0]),
    program(layers_of_two_shapes, WS, ROWS[0]),
    program(of_a_subclass, XS),
    program(scaled_one_by_one, XS),
    program(scaled_later, XS),
    program(records_with_a_past, XS),
    program(computed_once, XS),
    program(sum_of_vectors, XS),
    program(equal_by_their_own_word, XS),
    program(in_lists_of_all_sorts, XS),
    program(copies_of_rows, XS),
    program(asked_what_they_are, XS),
    program(in_a_queue, XS),
    program(in_lists_of_a_dict, XS, ["a", "b", "a", "c"]),
    program(world_with_a_best, XS, 3),
    program(best_result, ROWS),
    program(best_result, np.array(ROWS), name="best_of_the_rows"),
    program(first_result, XS, 0.5),
    program(first_result, XS, 1.5, name="no_first_result"),
    program(head_that_counts, XS),
    program(search_tree, XS),
    program(chain_by_recursion, XS),
    program(tree_by_recursion, XS),
    program(reverse_mode_of_its_own, XS),
    program(handed_over_in_pairs, XS),
]
