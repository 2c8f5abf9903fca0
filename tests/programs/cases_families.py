"""Programs with objects of several classes in one list or under one name, and with attributes that some have or get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from program import program


class Layer:
    def forward(self, x):
        raise NotImplementedError

    def named(self):
        return self.kind

    def scaled(self, factor, x):
        return factor * self.forward(x)


class Dense(Layer):
    kind = "dense"

    def __init__(self, w, bias=None):
        self.w = w
        if bias is not None:
            self.bias = bias

    def forward(self, x):
        self.given = x
        return x @ self.w + self.bias if hasattr(self, "bias") else x @ self.w

    def backward(self, g):
        step = self.given.T @ g
        g = g @ self.w.T
        self.w = self.w - 0.1 * step
        return g


class Tanh(Layer):
    kind = "tanh"

    def forward(self, x):
        self.made = np.tanh(x)
        return self.made

    def backward(self, g):
        return g * (1 - self.made**2)


class Leaky(Layer):
    kind = "leaky"

    def __init__(self, slope):
        self.slope = slope

    def forward(self, x):
        self.there = x > 0
        return np.where(self.there, x, self.slope * x)

    def backward(self, g):
        return np.where(self.there, g, self.slope * g)

    @property
    def twice(self):
        return 2 * self.slope


class Gated(Leaky):
    def forward(self, x):
        return super().forward(x) * self.twice

    def backward(self, g):
        return super().backward(g) * self.twice


def layers_of(ws, slope):
    layers: list[Any] = []
    for k, w in enumerate(ws):
        layers.append(Dense(w) if k % 2 else Dense(w, w[0]))
        layers.append(Tanh())
        if k > 0:
            layers += [Leaky(slope)]
    layers.append(Gated(slope))
    return layers


def run_through(ws, slope, x):
    for layer in layers_of(ws, slope):
        x = layer.forward(x)
    return np.sum(x**2)


def trained(ws, slope, x, steps):
    layers = layers_of(ws, slope)
    for _ in range(steps):
        y = x
        for layer in layers:
            y = layer.forward(y)
        for layer in reversed(layers):
            y = layer.backward(y)
    return np.sum(y) + sum(np.sum(layer.w**2) for layer in layers if isinstance(layer, Dense))


def asked_of_each(ws, slope, x):
    total = 0.0
    for layer in layers_of(ws, slope):
        x = layer.scaled(0.9, x)
        if layer.named() == "dense":
            total = total + np.sum(layer.w**2)
        elif isinstance(layer, Gated | Tanh):
            total = total + 0.1 * np.sum(x)
        if type(layer) is Leaky:
            total = total + layer.slope
        total = total * getattr(layer, "slope", 1.0) + 0.3 * (hasattr(layer, "made") + 2 * hasattr(layer, "bias"))
    return total + np.sum(x)


def lacking(ws, slope, x):
    total = 0.0
    for layer in layers_of(ws, slope):
        try:
            total = total + layer.slope
        except AttributeError:
            total = total + np.sum(layer.forward(x))
    return total


class Sphere:
    def __init__(self, r):
        self.r = r

    def size(self):
        return self.r**2


class Box:
    def __init__(self, w, h):
        self.w, self.h = w, h

    def size(self):
        return self.w * self.h


class Cube(Box):
    def __init__(self, w):
        super().__init__(w, w)

    def size(self):
        return 1.5 * super().size()


def shape_of(k, x, y):
    return Sphere(x) if k % 3 == 0 else Box(x, y) if k % 3 == 1 else Cube(x)


def sorted_by_size(xs):
    shapes = [shape_of(k, x, xs[0]) for k, x in enumerate(xs)]
    shapes.sort(key=lambda s: -s.size())
    best = None
    for s in shapes:
        if best is None or s.size() < best.size():
            best = s
    return sum((k + 1) * s.size() for k, s in enumerate(shapes)) * best.size()


def one_after_another(xs):
    a, b = Sphere(xs[0]), Box(xs[1], xs[2])
    for k in range(len(xs)):
        if xs[k] > 0:
            a, b = b, a
        a.weight = xs[k] * a.size()
    return a.size() * (b.weight if hasattr(b, "weight") else 1.0) + 2 * b.size()


def kept_under_two_names(xs):
    first, shapes = Sphere(xs[0]), []
    for x in xs:
        shapes.append(first)
        shapes.append(Cube(x))
    first.r = first.r * xs[1]
    count = 0.0
    for s in shapes:
        if s is first:
            first.r = first.r * 0.9
            count = count + 1.0
    return count * sum(s.size() for s in shapes)


def stored_in_all(xs):
    shapes = []
    for k, x in enumerate(xs):
        shapes.append(shape_of(k, x, 0.5))
    for s, x in zip(shapes, xs, strict=True):
        s.score = s.size() * x
    return sum(s.score**2 for s in shapes)


class Number:
    def __init__(self, value):
        self.value = value

    def result(self):
        return self.value


class Plus:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def result(self):
        return self.a.result() + self.b.result()


class Times(Plus):
    def result(self):
        return self.a.result() * self.b.result()


def value_of(e):
    if isinstance(e, Number):
        return e.value
    if isinstance(e, Times):
        return value_of(e.a) * value_of(e.b)
    if not isinstance(e, Plus):
        raise TypeError("no expression")
    return value_of(e.a) + value_of(e.b)


def expression_of(xs):
    e = Number(xs[0])
    for k in range(1, len(xs)):
        e = Plus(e, Number(xs[k])) if k % 2 else Times(e, Number(xs[k]))
    return e


def expression_by_recursion(xs):
    return value_of(expression_of(xs))


def expression_by_methods(xs):
    return expression_of(xs).result()


class Momentum:
    def __init__(self, rate):
        self.rate = rate

    def step(self, w):
        if not hasattr(self, "v"):
            self.v = np.zeros_like(w)
        self.v = 0.9 * self.v + w**3
        return w - self.rate * self.v


def states_that_come_later(w, rate, n):
    optimisers = [Momentum(rate * (k + 1)) for k in range(n)]
    for _ in range(n):
        for o in optimisers:
            w = o.step(w)
    return np.sum(w**2) + sum(np.sum(o.v) for o in optimisers)


def states_that_some_have(w, rate, n):
    optimisers = [Momentum(rate * (k + 1)) for k in range(n)]
    for k in range(0, n, 2):
        w = optimisers[k].step(w)
    total = 0.0
    for o in optimisers:
        try:
            total = total + np.sum(o.v)
        except AttributeError:
            total = total * np.sum(w)
    return total


class Mark:
    pass


def marks_without_attributes(xs):
    marks = [Mark() for _ in xs]
    total = 0.0
    for i, m in enumerate(marks):
        for j, other in enumerate(marks):
            total = total + (xs[i] * xs[j] if m is other else 0.1 * xs[i])
    for m, x in zip(marks, xs, strict=True):
        if x > 0:
            m.weight = x**2
    return total + sum(m.weight for m in marks if hasattr(m, "weight"))


@dataclass
class Linear:
    w: Any
    bias: Any = 0.0

    def __call__(self, x):
        return x @ self.w + self.bias


@dataclass
class Rectifier:
    slope: float = 0.1

    def __call__(self, x):
        return np.where(x > 0, x, self.slope * x)


@dataclass(frozen=True)
class Factor:
    k: Any

    def __call__(self, x):
        return x * self.k


def dataclasses_of_several_sorts(ws, k, x):
    layers = []
    for w in ws:
        layers.append(Linear(w))
        layers.append(Rectifier())
        layers.append(Factor(k))
    for layer in layers:
        x = layer(x)
    return np.sum(x**2) + sum(layer.k for layer in layers if isinstance(layer, Factor))


def objects_beside_their_weights(xs):
    pairs = []
    for k, x in enumerate(xs):
        pairs.append((0.5 * k, Sphere(x) if k % 2 else Cube(x)))
    return sum(weight * shape.size() for weight, shape in pairs)


WS = [0.4 * np.random.default_rng(k).normal(size=(3, 3)) for k in range(4)]
X = np.random.default_rng(9).normal(size=(2, 3))
XS = [0.7, -0.4, 1.3, 0.9, -1.1, 0.35]

PROGRAMS = [
    program(run_through, WS, 0.3, X),
    program(trained, WS, 0.3, X, 3),
    program(asked_of_each, WS, 0.3, X),
    program(lacking, WS, 0.3, X),
    program(dataclasses_of_several_sorts, WS, 0.7, X),
    program(objects_beside_their_weights, XS),
    program(sorted_by_size, XS),
    program(one_after_another, XS),
    program(kept_under_two_names, XS),
    program(stored_in_all, XS),
    program(expression_by_recursion, XS),
    program(expression_by_methods, XS),
    program(states_that_come_later, X[0], 0.1, 3),
    program(states_that_some_have, X[0], 0.1, 3),
    program(marks_without_attributes, XS),
]
