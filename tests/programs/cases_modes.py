"""Functions and members of enumerations under names that loops and branches change."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, IntEnum, auto

import numpy as np
from program import program


class Mode(Enum):
    HEAT = 1
    COOL = 2
    OFF = 3

    @property
    def sign(self):
        if self is Mode.OFF:
            return 0.0
        return 1.0 if self is Mode.HEAT else -0.8


class Phase(IntEnum):
    FIRST = auto()
    SECOND = auto()


def thermostat(wanted, power, outside):
    mode, inside, cost = Mode.OFF, 20.0, 0.0
    for temperature in outside:
        if inside < wanted - 1:
            mode = Mode.HEAT
        elif inside > wanted + 1:
            mode = Mode.COOL
        elif mode is not Mode.OFF and abs(inside - wanted) < 0.2:
            mode = Mode.OFF
        match mode:
            case Mode.HEAT:
                gain = power
            case Mode.COOL:
                gain = -0.8 * power
            case _:
                gain = 0.0
        inside += 0.1 * (temperature - inside) + gain
        cost += gain**2 + (inside - wanted) ** 2
    return cost


def modes_by_their_signs(x, n):
    mode, total = Mode.COOL, 0.0
    for k in range(n):
        for j in range(2):
            total += x * k * mode.sign + (mode == Mode.OFF) * x * x
            if k % 3 == j:
                mode = Mode.HEAT if total < x else Mode.OFF
        if mode in (Mode.OFF, Mode.HEAT) and k > 3:
            mode = Mode.OFF if mode is Mode.HEAT else Mode.COOL
    return total if mode is not Mode.HEAT else total * x


def first_and_second(x):
    phase, steps = Phase.FIRST, 0
    while steps < 12:
        steps += 1
        if phase is Phase.FIRST:
            x = x * 1.5
            if x > 2.0:
                phase = Phase.SECOND
        else:
            x = math.sin(x)
            if x < 0.85:
                phase = Phase.FIRST
                continue
            if steps > 9:
                break
    return x * x if phase is Phase.SECOND else x


def square(x):
    return x * x


def cube(x):
    return x**3


def functions_that_follow_one_another(x, n):
    step, kept = math.sin, square
    for k in range(n):
        x = step(x) + 0.1 * kept(x)
        step, kept = (kept, step) if k % 3 == 1 else (cube if x < 0.5 else math.sin, kept)
    return step(x)


@dataclass
class Machine:
    mode: Mode
    value: float

    def run(self, x):
        if self.mode is Mode.OFF:
            self.mode, self.value = Mode.HEAT, self.value + x
        elif self.value > 1.0:
            self.mode, self.value = Mode.COOL, self.value * 0.5
        else:
            self.value *= 1.0 + self.mode.sign * 0.5


def machine_that_runs(x, n):
    machine = Machine(Mode.OFF, 0.0)
    for k in range(n):
        machine.run(x * k)
    return machine.value + (x if machine.mode is Mode.COOL else 0.0)


def modes_of_two_orders(x, y):
    first = Mode.HEAT if x > 0.5 else Mode.COOL
    second = Mode.OFF if y > 0.5 else Mode.HEAT
    mode = first if x > y else second
    return x * mode.sign + y * y * (mode is second)


def looked_up_in_a_table(x, n):
    gain = {Mode.HEAT: x, Mode.COOL: -0.8 * x * x, Mode.OFF: 0.0}
    mode = Mode.OFF
    for k in range(n):
        x += 0.1 * gain[mode] * x
        mode = Mode.COOL if x > 0.9 else Mode.HEAT
    return x * x


def bound_by_the_loop(x):
    for v in x:
        if v > 0.3:
            last = Mode.HEAT
        else:
            last = Mode.COOL
    return x[0] * last.sign


PROGRAMS = [
    program(thermostat, 21.3, 0.9, 20 + 8 * np.sin(np.arange(20.0))),
    program(modes_by_their_signs, 0.7, 8),
    program(modes_by_their_signs, 0.7, 0, name="modes_without_rounds"),
    program(first_and_second, 0.7),
    program(functions_that_follow_one_another, 1.1, 5),
    program(machine_that_runs, 0.6, 7),
    program(modes_of_two_orders, 0.7, 0.2),
    program(modes_of_two_orders, 0.2, 0.7, name="modes_of_two_orders_otherwise"),
    program(looked_up_in_a_table, 0.7, 8),
    program(bound_by_the_loop, np.array([0.2, 0.5, 0.1])),
]
