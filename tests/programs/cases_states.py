"""Programs whose loops hand on lists and tuples of records, made anew or changed in each iteration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from program import program


@dataclass
class Body:
    place: Any
    speed: Any = 1.0

    def moved(self, h):
        return Body(self.place + h * self.speed, self.speed)

    def move(self, h):
        self.place = self.place + h * self.speed


@dataclass
class Cell:
    value: Any
    rate: Any = 0.5


def of_arrays(x, n):
    bodies = [Body(np.array([x, 0.5]), np.array([0.2, 1.0])), Body(np.array([1.0, x]), np.array([0.3, -1.0]))]
    for _ in range(n):
        bodies = [Body(b.place + 0.1 * b.speed, b.speed * x) for b in bodies]
    return sum(np.sum(b.place) for b in bodies)


def beside_the_time(x, n):
    state = (Body(x), 0.0)
    for _ in range(n):
        body, t = state
        state = (Body(body.place + 0.1 * body.speed, body.speed), t + x)
    return state[0].place * state[1]


def dicts(x, n):
    bodies = [{"p": x, "v": 1.0}, {"p": 2.0 * x, "v": 3.0}]
    for _ in range(n):
        bodies = [{"p": b["p"] + 0.1 * b["v"], "v": b["v"] * x} for b in bodies]
    return sum(b["p"] for b in bodies)


def replaced_one_by_one(x, n):
    bodies = [Body(x), Body(2.0 * x, 3.0)]
    for _ in range(n):
        for i in range(len(bodies)):
            bodies[i] = Body(bodies[i].place + 0.1 * bodies[i].speed, bodies[i].speed)
    return sum(b.place for b in bodies)


def stepped(bodies, x):
    out = []
    for b in bodies:
        out.append(replace(b, place=b.place + 0.1 * b.speed * x))
    return out


def by_a_function(x, n):
    bodies = [Body(x), Body(2.0 * x, 3.0)]
    for _ in range(n):
        bodies = stepped(bodies, x)
    return sum(b.place for b in bodies)


def changed_after_a_copy(x, n):
    bodies = [Body(x)]
    for _ in range(n):
        body = bodies[0]
        bodies = [Body(body.place * x)]
        body.place += 1.0
    return bodies[0].place


def exchanged_and_changed(x, n):
    bodies = [Body(x), Body(2.0 * x)]
    for k in range(n):
        bodies = [bodies[1], bodies[0]]
        bodies[0].place += x * k
    return bodies[0].place * bodies[1].place


def made_anew_or_changed(x, n):
    bodies = [Body(x)]
    for k in range(n):
        if k % 2:
            bodies = [Body(bodies[0].place * x)]
        else:
            bodies[0].move(x)
    return bodies[0].place


def rows(x, n):
    grid = [[Cell(x)], [Cell(2.0 * x), Cell(x)]]
    for _ in range(n):
        grid = [[Cell(c.value + x * c.rate, c.rate) for c in row] for row in grid]
    return sum(c.value for row in grid for c in row)


def until_it_is_large(x, n):
    pair = (Cell(x), Cell(x * x))
    k = 0
    while True:
        pair = (Cell(pair[1].value + x), pair[0])
        k += 1
        if pair[0].value > 3.0 or k > n:
            break
    return pair[0].value + 2.0 * pair[1].value


def kept_where_large(x, n):
    cells = [Cell(x), Cell(2.0 * x)]
    first = cells[0]
    for _ in range(n):
        cells = [c if c.value > 1.8 else replace(c, value=c.value + x * c.rate) for c in cells]
    return cells[0].value * cells[1].value + first.value


def in_a_dict(x, n):
    state = {"cells": [Cell(x)], "t": 0.0}
    for _ in range(n):
        state["cells"] = [replace(c, value=c.value * x) for c in state["cells"]]
        state["t"] += x
    return state["cells"][0].value * state["t"]


FUNCTIONS = [
    *(of_arrays, beside_the_time, dicts, replaced_one_by_one, by_a_function, changed_after_a_copy),
    *(exchanged_and_changed, made_anew_or_changed, rows, until_it_is_large, kept_where_large, in_a_dict),
]
PROGRAMS = [program(f, 0.7, n, name=f"{f.__name__}_{n}") for f in FUNCTIONS for n in (0, 3)]
