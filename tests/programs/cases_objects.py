"""Programs on objects outside the function, and on dicts made of others."""

from __future__ import annotations

import copy
import functools
import operator

import numpy as np
from program import program


class Cell:
    def __init__(self):
        self.value = 1.0


CELL = Cell()


def store_in_an_object_outside(x):
    CELL.value = x[0] ** 2
    return CELL.value * x[1]


def union_of_dicts(p):
    q = p | {"b": p["a"] ** 2}
    r = q
    r |= {"c": q["a"] * q["b"]}
    return q["c"] * q["b"] * p["b"]


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __iadd__(self, other):
        self.a += other.a
        self.b += other.b
        return self


def sum_in_place(x):
    pair = Pair(x[0], x[1])
    same = pair
    pair += Pair(x[1] ** 2, x[0])
    return pair.a * same.b * same.a


def copies_deep_and_shallow(x):
    pair = Pair(x * 1.0, x[0])
    shallow, deep = copy.copy(pair), copy.deepcopy(pair)
    shallow.a[0] = x[1] ** 2
    deep.a[1] = x[0] * 3.0
    shallow.b *= 2.0
    d = {"w": x * 1.0, "items": [x[0]]}
    e = copy.copy(d)
    e["w"][0] = x[1]
    e["items"].append(x[1])
    return np.sum(pair.a) * pair.b * shallow.b * np.sum(deep.a) + np.sum(d["w"]) * d["items"][1]


def operators_as_functions(x):
    items = operator.mul(operator.add([x[0]], [x[1]]), 2)
    d = functools.reduce(operator.or_, [{"a": x[0] ** 2}], {"b": x[1]})
    return items[0] * items[3] * d["a"] * d["b"]


PROGRAMS = [
    program(copies_deep_and_shallow, np.array([0.5, 1.2])),
    program(operators_as_functions, np.array([0.5, 1.2])),
    program(sum_in_place, np.array([0.5, 1.2])),
    program(store_in_an_object_outside, np.array([0.5, 1.2])),
    program(union_of_dicts, {"a": 1.2, "b": 0.5}),
]
