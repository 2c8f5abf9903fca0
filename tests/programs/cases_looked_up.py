"""Dicts whose keys are known only at run time, dicts after ``**``, tuples that meet tuples."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from program import program


def kinetics(rates, amounts, network, dt, steps):
    species = dict(amounts)
    for _ in range(steps):
        change = {s: 0.0 for s in species}
        for rate, (taken, given) in zip(rates, network):
            speed = rate * math.prod(species[s] ** n for s, n in taken.items())
            for s, n in taken.items():
                change[s] -= n * speed
            for s, n in given.items():
                change[s] += n * speed
        species = {s: c + dt * change[s] for s, c in species.items()}
    return species


def parameters_by_name(parameters, names):
    total = 0.0
    for name in names:
        total = total + np.sum(parameters[name] ** 2)
    return total


def nested_parameters_by_name(model, names):
    total = 0.0
    for name in names:
        model["rates"][name] = model["rates"][name] * 2.0
        total = total + model["rates"][name] ** 2
    return total * model["scale"]


def copies_looked_up(x, names):
    first = {"a": x, "b": x * 2.0}
    second, third, fourth = dict(first), first.copy(), first | {"b": x * x}
    doubled = {k: v * 2.0 for k, v in first.items()}
    for name in names:
        second[name] = second[name] * third[name] + fourth[name] - doubled[name]
    return second["a"] * second["b"]


def keys_that_may_be_one(x, first, second):
    table = {first: x, second: x * x, "c": x + 1.0}
    return 3.0 * table[first] + table[second] * table["c"]


def key_written_twice(x, name):
    table = {"a": x, "b": x * 2.0, **{"a": x * x}}
    return table[name] * table["b"]


def key_on_one_path(x, flag):
    first = {"a": x}
    second = first.copy()
    if flag > 0:
        second["b"] = 2.0 * x
    return sum(v**2 for v in second.values())


def named_arguments_looked_up(x, names):
    def weighed(**weights):
        for name in names:
            weights.setdefault(name, 1.5)
        return sum(w**2 for w in weights.values())

    return weighed(a=x, b=x * x)


def slope_by_name(parameters, names):
    def cost(p):
        total = 0.0
        for name in names:
            total = total + p[name] ** 3
        return total

    from s2sad import grad

    slopes = grad(cost)(parameters)
    return sum(slopes[name] * parameters[name] for name in names)


def cells_by_place(positions, width):
    cells = {}
    for i in range(len(positions)):
        place = tuple(int(c) for c in positions[i] // width)
        cells.setdefault(place, []).append(i)
    energy = 0.0
    for place in cells:
        energy += sum(positions[i][0] * positions[j][1] for i in cells[place] for j in cells.get(place, []))
    return energy if (0, 1) in cells else 2.0 * energy


def affine(x, w, b):
    return x @ w + b


def normed(x, g, b=0.1, *, eps=1e-3):
    return g * (x - np.mean(x)) / np.sqrt(np.var(x) + eps) + b


def layers_spread_out(x, layers):
    for layer in layers:
        x = np.tanh(affine(x, **layer["first"])) + affine(x, **layer["second"])
    return x


def defaults_looked_up(x, norms):
    for norm in norms:
        x = normed(x, **norm)
    return x


def beside_other_arguments(x, norms):
    scaled = functools.partial(normed, eps=0.01)
    for norm in norms:
        x = normed(x, 0.7, **norm) + scaled(x, g=1.2, **norm)
    return x


class Scaling:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x, w, b):
        return self.factor * affine(x, w, b)

    def twice(self, x, w, b):
        return self(self(x, w, b), w, b)


def methods_spread_out(x, layers):
    scaling = Scaling(0.7)
    for layer in layers:
        x = scaling(x, **layer) + scaling.twice(x, **layer)
    return x


class Pair(NamedTuple):
    first: float
    second: float


class Turn:
    def __init__(self, w, x, y):
        self.w, self.x, self.y = w, x, y


def starred_into_objects(angle, axis):
    turn = Turn(math.cos(angle), *(math.sin(angle) * axis))
    pair = Pair(*(angle * axis))
    return turn.w * turn.x - turn.y * pair.first + pair.second


def pairs_added_up(x, n):
    pairs = [(x * k, (x + k, np.array([x, k]))) for k in range(1, n)]
    total = pairs[0]
    for p in pairs[1:]:
        total = (total[0] + p[0], (p[1][0] * total[1][0], p[1][1] * total[1][1]))
    return total[0] * total[1][0] * np.sum(total[1][1])


def pairs_reduced(x, n):
    return functools.reduce(lambda a, b: (a[0] * b[0], a[1] + b[1]), [(x + k, x * k) for k in range(n)])


def named_pairs_chosen(x, n):
    pairs = [Pair(x * k, x + k) for k in range(n)]
    best = Pair(0.0, x)
    for p in pairs:
        if p.first > 2.0:
            best = p
        elif p.first > 1.0:
            best = Pair(best.first + p.first, best.second * p.second)
    return best.first * best.second


def popped_or_halved(x, n):
    pairs = [(x * k, x + k) for k in range(1, n)]
    done = [(x, 1.0)]
    while len(pairs) > 0:
        pair = pairs.pop()
        if pair[0] > 3.0:
            pair = (pair[0] / 2.0, pair[1])
        done.append((done[-1][0] * pair[0], pair[1]))
    best = (0.0, 0.0)
    for d in done:
        best = d if d[0] > best[0] else best
    return best[0] + best[1]


def polynomial_root(c):
    z = 1.0
    for _ in range(4):
        step = np.polyval(c, z) / np.polyval(np.polyder(c), z)
        z -= step
    return z


NETWORK = [({"A": 1, "B": 2}, {"C": 1}), ({"C": 1}, {"A": 1, "B": 2})]
LAYER = {"w": np.array([[0.5, 0.2], [0.1, 0.7]]), "b": np.array([0.3, -0.2])}
TWICE = {"w": LAYER["w"] * 2.0, "b": LAYER["b"] + 0.1}
X = np.array([0.4, 1.1])


def cells_or_none(x, places):
    cells = {}
    for k, v in zip(places, x):
        cells.setdefault(k, []).append(v)
    total = 0.0
    for k in range(4):
        for v in cells.get(k, ()):
            total += sum(v * w for w in cells.get(k + 1, ())) * v
    return total


def tuples_summed(x):
    pairs = sum([(x[i], x[i] ** 2) for i in range(3)], ())
    more = sum([(x[0],), (pairs[1], x[1] * pairs[3])], start=(x[2],))
    return pairs[4] * more[0] + more[2] * more[3] * len(more)


@dataclass
class Square:
    a: float


@dataclass
class Circle:
    r: float


class Triangle(NamedTuple):
    a: float
    h: float


@functools.singledispatch
def area(shape, scale=1.0):
    return scale * np.sum(shape**2)


@area.register
def _of_square(shape: Square, scale=1.0):
    return scale * shape.a**2


@area.register
def _of_circle(shape: Circle, scale=1.0):
    return scale * np.pi * shape.r**2


@area.register(tuple)
def _of_tuple(shape, scale=1.0):
    return scale * shape[0] * shape[1] / 2.0


def areas_by_class(x):
    shapes = (Square(x[0]), Circle(x[1]), Triangle(x[1], x[2]), x)
    largest = max((Square(x[0]), Square(x[1] * 2.0)), key=area)
    return sum(area(s) for s in shapes) + sum(map(area, shapes[:2])) * area(Circle(x[2]), scale=x[0]) + largest.a**3


def steps_by_name(x, steps):
    for name, options in steps:
        if name == "scale":
            x = x * options["k"]
        elif name == "shift":
            x, *_ = x + options["b"] * x[0], options["b"]
        else:
            raise ValueError(name)
    return np.sum(x**2)


def parameters_of_the_form(x, form, parameters):
    if form == "full":
        y = parameters["m"] @ x + parameters["b"]
    elif form == "scaled":
        first, second = parameters["pair"]
        y = x * first + second
    return np.sum(np.sin(y))


PROGRAMS = [
    program(steps_by_name, np.array([0.7, -1.2, 0.4]), (("scale", {"k": 2}), ("shift", {"b": 3}))),
    program(parameters_of_the_form, np.array([0.7, -1.2]), "full", {"m": np.eye(2) * 0.7, "b": 0.3}),
    program(parameters_of_the_form, np.array([0.7, -1.2]), "scaled", {"pair": (0.7, 0.3)}, name="the_form_is_another"),
    program(cells_or_none, np.array([0.7, -1.2, 0.4, 1.1]), [0, 1, 0, 2]),
    program(tuples_summed, np.array([0.7, -1.2, 0.4])),
    program(areas_by_class, np.array([0.7, -1.2, 0.4])),
    program(kinetics, [0.3, 0.2], {"A": 1.0, "B": 0.5, "C": 0.1}, NETWORK, 0.1, 3),
    program(parameters_by_name, {"a": X, "b": X * 2.0}, ["a", "b", "a"]),
    program(parameters_by_name, {"a": X, "b": 2.0}, ["a", "b", "a"], name="arrays_and_numbers_by_name"),
    program(nested_parameters_by_name, {"rates": {"a": 1.0, "b": 2.0}, "scale": 2.0}, ["a", "b", "a"]),
    program(copies_looked_up, 1.3, ["a", "b", "a"]),
    program(keys_that_may_be_one, 1.3, "a", "b"),
    program(keys_that_may_be_one, 1.3, "a", "a", name="keys_that_are_one"),
    program(key_written_twice, 1.3, "a"),
    program(key_on_one_path, 1.3, 1),
    program(named_arguments_looked_up, 1.3, ["b", "c"]),
    program(slope_by_name, {"a": 1.0, "b": 2.0}, ["a", "b"]),
    program(cells_by_place, np.array([[0.5, 1.2], [0.7, 1.9], [2.1, 0.4]]), 1.0),
    program(layers_spread_out, X, [{"first": LAYER, "second": TWICE}, {"first": TWICE, "second": LAYER}]),
    program(defaults_looked_up, X, [{"g": 0.7}, {"g": 0.4}]),
    program(defaults_looked_up, X, [{"g": 0.7, "eps": 0.2}, {"g": 0.4, "eps": 0.1}], name="defaults_passed_over"),
    program(beside_other_arguments, X, [{"b": 0.7}, {"b": 0.4}]),
    program(methods_spread_out, X, [LAYER, TWICE]),
    program(starred_into_objects, 0.7, X),
    program(pairs_added_up, 1.3, 4),
    program(pairs_reduced, 1.3, 4),
    program(named_pairs_chosen, 1.3, 4),
    program(popped_or_halved, 1.3, 5),
    program(polynomial_root, [1.0, 0.3, -2.0]),
]
