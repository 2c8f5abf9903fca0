"""Results with structure, the arguments among them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from program import program


class Fit(NamedTuple):
    value: float
    parts: dict


def loss_and_parts(x):
    return np.sum(x**2), {"given": x, "first": x[0]}


def lists_in_a_dict(x):
    return {"pair": [x, x * 2.0], "mixed": [x, x[0]]}


def dict_in_a_record(x):
    return Fit(x[0] * x[1], {"x": x, "twice": (x * 2.0, 1.0)})


def argument_twice(x):
    return {"a": x, "b": (x, x[1:])}


def changed_before_it_is_returned(x):
    y = x * 2.0
    found = {"y": y, "x": x}
    y[0] = y[1] * x[0]
    found["z"] = y
    return found


X = np.array([0.7, -1.2, 0.4])

PROGRAMS = [
    program(loss_and_parts, X),
    program(lists_in_a_dict, X),
    program(dict_in_a_record, X),
    program(argument_twice, X),
    program(changed_before_it_is_returned, X),
]
