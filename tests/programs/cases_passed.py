"""Lists and dicts that are passed empty, or as parts of what is passed, and that the function puts numbers into."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from program import program


def logged_beside(record):
    record["log"].append(record["rate"] * 2.0)
    return record["log"][0] * record["rate"]


def logged_and_returned(record, step):
    record["log"].append(record["rate"] * step)
    return record


def logged_in_a_tuple(pair):
    log, rate = pair
    log.append(rate**2)
    log.extend([rate, 1])
    return log[0] * log[1]


def logged_in_rows(rows, x):
    rows[0].append(x * 2.0)
    rows[1].append(rows[0][-1] * x)
    return rows[1][-1]


class Trace(NamedTuple):
    rate: float
    log: list


def logged_in_a_named_tuple(trace):
    trace.log.append(trace.rate**2)
    return trace.log[0] * trace.rate


@dataclass
class Tank:
    level: float
    inflow: float
    log: list = field(default_factory=list)
    by_phase: list = field(default_factory=lambda: [[], []])

    def fill(self, phase):
        self.level += self.inflow * (1.0 - 0.1 * self.level)
        self.log.append(self.level)
        self.by_phase[phase].append(self.level * self.inflow)


def logged_in_an_object(tank, n):
    for k in range(n):
        tank.fill(k % 2)
    return sum(tank.log) + tank.by_phase[0][-1] * tank.by_phase[1][0]


def logged_in_what_is_returned(tank):
    tank.fill(1)
    return tank


PROGRAMS = [
    program(logged_beside, {"rate": 1.5, "log": []}),
    program(logged_beside, {"log": [], "rate": 1.5}, name="logged_before"),
    program(logged_and_returned, {"rate": 1.5, "log": []}, 0.5),
    program(logged_in_a_tuple, ([], 1.5)),
    program(logged_in_rows, [[], []], 1.5, wrt=(1,)),
    program(logged_in_rows, [[1], [2]], 1.5, wrt=(1,), name="logged_in_rows_of_integers"),
    program(logged_in_rows, [[1.0], []], 1.5, name="logged_in_rows_of_one"),
    program(logged_in_rows, ([], []), 1.5, wrt=(1,), name="logged_in_rows_of_a_pair"),
    program(logged_in_a_named_tuple, Trace(1.5, [])),
    program(logged_in_an_object, Tank(1.0, 0.4), 4),
    program(logged_in_what_is_returned, Tank(1.0, 0.4)),
]
