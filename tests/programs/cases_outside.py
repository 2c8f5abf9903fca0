"""Programs that read data outside of them, where two places go by one name."""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from program import program

rng = np.random.default_rng(27)


def weighted(weights: Any, offsets: Any, scale: float) -> Any:
    """A function of its own cells: every function it gives reads cells of the same names."""
    return lambda x: np.sum(weights * x * x) * scale + offsets[1] * x[0]


NARROW = weighted(np.array([1.0, 2.0, 3.0]), [1.0, 2.0], 3.0)
WIDE = weighted(np.array([0.5, -2.0, 0.3]), [1.0, 9.0], 0.7)


def closures_of_one_factory(x):
    return NARROW(x) + NARROW(x) * WIDE(x)


def changed_cell(table: Any) -> Any:
    """A function that stores into its cell, which a call of a gradient leaves untouched."""

    def change(x):
        table[1] = x[0] * x[2]
        return np.sum(table * x)

    return change


FIRST_TABLE = changed_cell(np.array([0.4, 0.2, 0.9]))
SECOND_TABLE = changed_cell(np.array([1.4, -0.2, 0.1]))


def stores_into_cells_of_one_name(x):
    return FIRST_TABLE(x) * SECOND_TABLE(x)


def of_options(options: Any) -> Any:
    return lambda x: options["rate"] * np.sum(options["shape"] * x)


GENTLE = of_options({"rate": 0.5, "shape": np.array([1.0, 0.5, 0.2])})
STEEP = of_options({"rate": 4.0, "shape": np.array([-0.3, 1.5, 2.0])})


def dicts_in_cells_of_one_name(x):
    return GENTLE(x) ** 2 + STEEP(x)


def of_pair(pair: Any) -> Any:
    return lambda x: pair[1] * np.sum(pair[0] * x * x)


LEFT = of_pair((np.array([1.0, 0.5, 0.2]), 0.3))
RIGHT = of_pair((np.array([0.1, -0.5, 1.2]), 2.3))


def tuples_in_cells_of_one_name(x):
    return LEFT(x) + RIGHT(x) * x[0]


def quadratic(weights, x, offset):
    return np.sum(weights * x * x) + offset[0] * x[1]


LIGHT = partial(quadratic, np.array([0.1, 0.2, 0.3]), offset=[0.4])
HEAVY = partial(quadratic, np.array([10.0, 20.0, 30.0]), offset=[-7.0])


def partials_of_one_function(x):
    return LIGHT(x) * HEAVY(x)


def configuration(weights: Any, rate: float) -> ModuleType:
    """A module made by hand: no import gives it."""
    module = ModuleType("configuration")
    vars(module).update(weights=weights, rate=rate)
    return module


COARSE = configuration(np.array([0.1, 0.2, 0.3]), 2.0)
FINE = configuration(np.array([3.0, 1.0, -2.0]), 0.5)


def modules_of_one_name(x):
    return np.sum(COARSE.weights * x * COARSE.rate) * np.sum(FINE.weights * x * x * FINE.rate)


SECOND = 1


def picked_by_a_number_outside(x):
    doubled, tripled = 2.0 * x, 3.0 * x
    (doubled, tripled)[SECOND][0] = 5.0 * x[1]
    (doubled[1:], tripled[:2])[1 - SECOND][:] *= x[0]
    pair = (doubled, x)
    pair[SECOND][2] = x[0] * x[1]
    return np.sum(doubled * tripled * x)


def identity(x):
    return x


class Regression:
    """A model of blocks of parameters, each with a link and a penalty."""

    def __init__(self):
        self.blocks = [
            {"name": "mean", "slice": slice(0, 1), "link": identity, "penalty": 0.1},
            {"name": "scale", "slice": slice(1, 3), "link": np.exp, "penalty": 0.2},
        ]

    def loss(self, x):
        total = 0.0
        for block in self.blocks:
            beta, f = x[block["slice"]], block["link"]
            total = total + np.sum(f(beta * 0.5)) + block["penalty"] * np.sum(beta**2)
            if block["name"] == "scale":
                total = total * x[0]
        return total


REGRESSION = Regression()


def blocks_in_dicts_of_an_object(x):
    return REGRESSION.loss(x)


LAYERS = [("first", 0.5, np.sin), ("second", 1.5, None), ("third", 0.2, np.cos)]


def tuples_with_functions_in_a_list(x):
    for name, weight, activation in LAYERS:
        x = weight * x if activation is None else activation(weight * x)
        if name == "first":
            x = x * x
    return np.sum(x)


TERMS = ({"weight": 0.5, "parts": [("a", np.sin), ("b", np.cos)]}, {"weight": 1.5, "parts": [("c", np.tanh)]})


def lists_in_dicts_in_a_tuple(x):
    first, second = TERMS
    total = first["weight"] * np.sum(second["parts"][0][1](x)) + len(TERMS)
    for k, term in enumerate(TERMS[::-1]):
        total = total + sum(np.sum(f(x * term["weight"])) * k for _, f in term["parts"])
    return total


RATES = [{"rate": 0.5, "link": np.sin}, {"rate": 1.5, "link": np.cos}]


STORED = [{"rate": 0.5, "link": np.sin}, {"rate": 1.5, "link": np.cos}]


def stored_into_dicts_in_a_list(x):
    for k, part in enumerate(STORED):
        part["rate"] = x[k] * x[2]
    STORED[1]["rate"] += x[1]
    return sum(np.sum(part["link"](part["rate"] * x)) for part in STORED)


def which_dict_is_known_later(x):
    total = 0.0
    for k in range(len(x)):
        total += RATES[k % 2]["rate"] * x[k] ** 2
    return total


PROGRAMS = [
    program(f, rng.normal(size=3))
    for f in (
        closures_of_one_factory,
        stores_into_cells_of_one_name,
        dicts_in_cells_of_one_name,
        tuples_in_cells_of_one_name,
        partials_of_one_function,
        modules_of_one_name,
        picked_by_a_number_outside,
        blocks_in_dicts_of_an_object,
        tuples_with_functions_in_a_list,
        lists_in_dicts_in_a_tuple,
        stored_into_dicts_in_a_list,
        which_dict_is_known_later,
    )
]
