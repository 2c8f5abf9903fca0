"""Objects with ``__slots__``, and attributes that an object has not: what is asked for on the path not taken."""

from __future__ import annotations

import math

import numpy as np
from program import program


class Spring:
    __slots__ = ("rate", "rest")

    def __init__(self, rate):
        self.rate = rate

    def force(self, x):
        return self.rate * x


class Damped(Spring):
    """One with a dict beside the slots of its base."""

    def __init__(self, rate, loss):
        super().__init__(rate)
        self.loss = loss

    def force(self, x):
        return self.rate * x - self.loss * x**3

    def stretched(self, x):
        return self.rate * (x - self.rest) if hasattr(self, "rest") else self.force(x)


class Turned:
    """Whether it has ``turn`` depends on what it was made with."""

    def __init__(self, turn=None):
        self.aligned = turn is None
        if turn is not None:
            self.turn = turn

    def height(self, x):
        if not self.aligned:
            x = self.turn @ x
        return x[0] * x[1] ** 2

    def caught(self, x):
        try:
            x = self.turn @ x
        except AttributeError:
            x = 2.0 * x
        return x[0] * x[1] ** 2

    def below(self, x):
        total = 0.0
        for k in range(x.size):
            if x[k] < 0.0:
                total += math.sin(self.depth) * x[k]
            total += x[k] ** 2
        return total


def rested():
    spring = Damped(2.0, 0.5)
    spring.rest = 0.25
    return spring


PLAIN, RESTED = Damped(2.0, 0.5), rested()


def of_what_is_outside(x):
    return PLAIN.stretched(x) * RESTED.stretched(x) * PLAIN.rate


def made_inside(x):
    spring = Damped(x * x, 0.5 * x)
    before = spring.stretched(x)
    spring.rest = math.sin(x)
    return before * spring.stretched(x)


x0 = np.array([0.7, -1.3])
PROGRAMS = [
    program(Damped(2.0, 0.5).force, 0.7, name="slots_of_the_base"),
    program(Damped(2.0, 0.5).stretched, 0.7, name="empty_slot_of_self"),
    program(rested().stretched, 0.7, name="slot_of_self"),
    program(of_what_is_outside, 0.7),
    program(made_inside, 0.7),
    program(Turned().height, x0, name="not_turned"),
    program(Turned(np.array([[0.6, -0.8], [0.8, 0.6]])).height, x0, name="turned"),
    program(Turned().caught, x0, name="attribute_caught"),
    program(Turned().below, np.abs(x0), name="not_reached"),
]
