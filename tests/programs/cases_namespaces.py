"""Programs that store attributes by their names, and in namespaces that have no class of their own."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from program import program


class Settings:
    def __init__(self, **named):
        self.power = 2
        self.__dict__.update(named)


class Scaled(Settings):
    def __init__(self, pairs, **named):
        super().__init__(**named)
        vars(self).update(pairs, factor=3.0)


def updated_by_name(a, x):
    s, t = Settings(a=a, x=x), Scaled({"a": a * a}, x=2 * x, power=3)
    t.a = t.a + s.a
    return np.sum(s.x**s.power) * s.a + np.sum(t.x**t.power) * t.factor * t.__dict__["a"]


def asked_by_name(a, x):
    s = Settings(a=a)
    s.__dict__["x"] = x
    known = vars(s)
    s.a = s.a * 3
    return known["a"] * np.sum(s.x) * (1.0 if "x" in known else 5.0) + known.get("b", a) * known.get("a", 0.0)


def in_a_namespace(a, x, n):
    s = SimpleNamespace(a=a, layer=SimpleNamespace(x=x))
    s.count = 0
    for _ in range(n):
        s.a = s.a * 1.1
        s.layer.x = s.layer.x + np.tanh(s.a)
        s.count += 1
    return np.sum(s.layer.x) * s.a * s.count


def namespaces_in_a_list(a, x):
    all_of = [SimpleNamespace(v=v, w=v * a) for v in x]
    for s in all_of:
        s.v = s.v * 2
        if s.v > 0:
            s.square = s.v**2
    return sum(s.v * s.w for s in all_of) + sum(s.square for s in all_of if hasattr(s, "square"))


X = np.array([0.4, -0.7, 1.2])

PROGRAMS = [
    program(updated_by_name, 1.3, X),
    program(asked_by_name, 1.3, X),
    program(in_a_namespace, 1.3, X, 3),
    program(namespaces_in_a_list, 1.3, X),
]
