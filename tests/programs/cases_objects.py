"""Programs on objects outside the function, and on dicts made of others."""

from __future__ import annotations

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


PROGRAMS = [
    program(sum_in_place, np.array([0.5, 1.2])),
    program(store_in_an_object_outside, np.array([0.5, 1.2])),
    program(union_of_dicts, {"a": 1.2, "b": 0.5}),
]
