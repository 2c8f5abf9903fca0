"""An oracle: scalar reverse-mode differentiation by recording every operation, in a page."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


class Value:
    """A float that remembers which values it came from, and the partial derivatives."""

    def __init__(self, data: float, inputs: tuple[tuple[Value, float], ...] = ()) -> None:
        self.data = data
        self.inputs = inputs
        self.slope = 0.0

    def __add__(self, other: Any) -> Value:
        other = lift(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other: Any) -> Value:
        other = lift(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def __sub__(self, other: Any) -> Value:
        return self + lift(other) * -1.0

    def __rsub__(self, other: Any) -> Value:
        return lift(other) - self

    def __truediv__(self, other: float) -> Value:
        return Value(self.data / other, ((self, 1.0 / other),))

    def __gt__(self, other: float) -> bool:
        return self.data > other

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self) -> None:
        """Set the slope of every value that this one depends on."""
        order: list[Value] = []
        seen: set[int] = set()
        pending = [(self, False)]
        while pending:
            value, finished = pending.pop()
            if finished:
                order.append(value)
            elif id(value) not in seen:
                seen.add(id(value))
                pending.append((value, True))
                pending.extend((source, False) for source, _ in value.inputs)
        self.slope = 1.0
        for value in reversed(order):
            for source, partial in value.inputs:
                source.slope += partial * value.slope


def lift(x: Any) -> Value:
    """A value from a float; values stay as they are."""
    return x if isinstance(x, Value) else Value(float(x))


def tanh(x: Value) -> Value:
    """The hyperbolic tangent of a value."""
    t = math.tanh(x.data)
    return Value(t, ((x, 1.0 - t * t),))


def relu(x: Value) -> Value:
    """The positive part of a value."""
    return Value(max(x.data, 0.0), ((x, 1.0 if x.data > 0.0 else 0.0),))


def map_tree(f: Callable[[Any], Any], tree: Any) -> Any:
    """Apply ``f`` to each leaf of nested lists and tuples."""
    return type(tree)(map_tree(f, part) for part in tree) if isinstance(tree, (list, tuple)) else f(tree)


def oracle_gradient(f: Callable[[Any], Any], tree: Any) -> Any:
    """The gradient of ``f`` at nested lists and tuples of floats, with their structure."""
    values = map_tree(lift, tree)
    f(values).backward()
    return map_tree(lambda value: value.slope, values)
