"""Programs that compute the names of attributes, and set or ask for ones that numbers have not."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from program import program

SIDES = ["width", "height"]
OTHERS = ("height", "depth")


class Box:
    names: ClassVar = ["width", "height"]

    def __init__(self, width, height, depth=1.0):
        self.width, self.height, self.depth = width, height, depth
        for name in ["width", "height", "depth"]:
            if getattr(self, name) < 0.0:
                raise ValueError(name)

    def scale(self, by):
        for name in ["width"]:
            if self.__getattribute__(name) is not None:
                self.__setattr__(name, 2.0 * self.__getattribute__(name))
        for name, factor in zip(self.names, by):
            setattr(self, name, factor * getattr(self, name))

    @property
    def volume(self):
        return self.width * self.height * self.depth


class Options:
    order = 2.0

    def __init__(self, **options):
        self.__dict__.update(dict(rate=1.0, weight=2.0), **options)

    def cost(self, x):
        return self.weight * x**self.order * self.rate


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, *values):
        for name, value in zip(self.__slots__, values):
            setattr(self, name, value)


def checked_by_name(x):
    box = Box(x[0], x[1])
    box.scale(x)
    return box.volume


def sums_over_names(x):
    box = Box(x[0], x[1], x[0] * x[1])
    names = sorted(["height", "width"])
    total = sum(getattr(box, name) ** (k + 2) for k, name in enumerate(names))
    for name in SIDES:
        if hasattr(box, name):
            setattr(box, "_" + name, 2.0 * getattr(box, name))
    return total + box._width * box._height + sum(getattr(box, name) for name in OTHERS) ** 2


def fields_by_keyword(x):
    options = Options(rate=x[0])
    if x[1] > 1.0:
        options.__dict__.update({"weight": x[0] * x[1]})
    return options.cost(x[1]) + Slots(x[0], x[1]).b ** 3


def named_if_they_can_be(x):
    y = np.sin(x)
    try:
        y.name = "sine"
    except AttributeError:
        pass
    try:
        y.unit = "m"
        y = 2.0 * y
    except AttributeError:
        y = 3.0 * y
    return np.sum(y * x)


def values_if_there_are(x):
    try:
        x = x.values
    except (KeyError, IndexError):
        x = 2.0 * x
    except AttributeError:
        x = np.asarray(x)
    finally:
        x = x + 1.0
    return np.sum(x * x)


PROGRAMS = [
    program(checked_by_name, np.array([0.5, 1.2])),
    program(sums_over_names, np.array([0.5, 1.2])),
    program(fields_by_keyword, np.array([0.5, 1.2])),
    program(named_if_they_can_be, np.array([0.5, 1.2])),
    program(values_if_there_are, np.array([0.5, 1.2])),
]
