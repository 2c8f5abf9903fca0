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


PROGRAMS = [
    program(store_in_an_object_outside, np.array([0.5, 1.2])),
    program(union_of_dicts, {"a": 1.2, "b": 0.5}),
]
