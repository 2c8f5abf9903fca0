"""The independent reference: the same source, run on dual numbers, confirmed by central differences.

>>> source = "import numpy as np\\ndef f(x):\\n    x[0] *= x[1]\\n    return np.sum(x)"
>>> reference = Reference(source, "f", (np.array([2.0, 3.0]),))
>>> reference.derivative((np.array([1.0, 0.0]),))
3.0
"""

from __future__ import annotations

import builtins
import copy
import math
from typing import Any

import numpy as np

from .dual import STEP, Dual, DualArray, NearTie
from .dual_numpy import BUILTINS, math_, numpy

__all__ = ["IllConditioned", "Reference", "dot", "has_floats", "random_tangent", "shifted"]

_MODULES = {"numpy": numpy, "math": math_}


class IllConditioned(Exception):
    """The program has a kink here, or the two references do not agree: the seed does not count."""


def has_floats(x: Any) -> bool:
    """Whether an argument has a float leaf: whether it can be differentiated."""
    match x:
        case list() | tuple():
            return any(map(has_floats, x))
        case dict():
            return any(map(has_floats, x.values()))
        case np.ndarray():
            return x.dtype.kind == "f"
    return isinstance(x, float)


def random_tangent(x: Any, rng: np.random.Generator) -> Any:
    """A random tangent with the structure of ``x``; None where there is nothing to differentiate."""
    match x:
        case _ if not has_floats(x):
            return None
        case list() | tuple():
            return type(x)(random_tangent(item, rng) for item in x)
        case dict():
            return {key: random_tangent(value, rng) for key, value in x.items()}
        case np.ndarray():
            tangent = np.empty_like(x)  # in the layout of x, so that what is a view of one is a view of the other
            tangent[...] = rng.uniform(-1.0, 1.0, x.shape)
            return tangent
    return float(rng.uniform(-1.0, 1.0))


def shifted(x: Any, tangent: Any, step: float) -> Any:
    """``x + step * tangent``, sharing no memory with ``x``."""
    match x:
        case _ if tangent is None:
            return copy.deepcopy(x)
        case list() | tuple():
            return type(x)(shifted(item, d, step) for item, d in zip(x, tangent, strict=True))
        case dict():
            return {key: shifted(value, tangent[key], step) for key, value in x.items()}
    return x + step * tangent


def dot(x: Any, y: Any) -> float:
    """The inner product of two structures; None counts as zero."""
    match x:
        case _ if x is None or y is None:
            return 0.0
        case list() | tuple():
            return sum((dot(a, b) for a, b in zip(x, y, strict=True)), 0.0)
        case dict():
            return sum((dot(x[key], y[key]) for key in y), 0.0)
        case np.ndarray() if x.shape != np.shape(y):
            raise ValueError(f"shape {x.shape} against {np.shape(y)}")
        case np.ndarray():
            return float(np.sum(x * y))
    return float(x * y)


def _lifted(x: Any, tangent: Any) -> Any:
    match x:
        case _ if tangent is None:
            return copy.deepcopy(x)
        case list() | tuple():
            return type(x)(_lifted(item, d) for item, d in zip(x, tangent, strict=True))
        case dict():
            return {key: _lifted(value, tangent[key]) for key, value in x.items()}
        case np.ndarray():
            return DualArray(np.array(x), np.array(tangent))
    return Dual(x, tangent)


def _import(name: str, *args: Any, **kwargs: Any) -> Any:
    return _MODULES[name] if name in _MODULES else __import__(name, *args, **kwargs)


class Reference:
    """Directional derivatives of ``name`` in ``source`` at ``args``."""

    def __init__(self, source: str, name: str, args: tuple[Any, ...]) -> None:
        self.args = args
        code = compile(source, "<reference>", "exec", dont_inherit=True)
        self._plain: dict[str, Any] = {"__name__": "reference"}
        exec(code, self._plain)
        changed = {**vars(builtins), **BUILTINS, "__import__": _import}
        self._dual: dict[str, Any] = {"__name__": "reference", "__builtins__": changed}
        exec(code, self._dual)
        self._name = name

    def value(self) -> float:
        """The function's value, by the program as it stands."""
        return float(self._plain[self._name](*copy.deepcopy(self.args)))

    def dual(self, tangents: tuple[Any, ...]) -> tuple[float, float]:
        """Value and directional derivative by dual numbers alone."""
        lifted = [_lifted(x, d) for x, d in zip(self.args, tangents, strict=True)]
        y = self._dual[self._name](*lifted)
        if isinstance(y, DualArray):
            y = y.item()
        return (y.v, y.t) if isinstance(y, Dual) else (float(y), 0.0)

    def difference(self, tangents: tuple[Any, ...]) -> float:
        """The directional derivative by central differences."""
        ahead, behind = (
            float(self._plain[self._name](*(shifted(x, d, h) for x, d in zip(self.args, tangents, strict=True))))
            for h in (STEP, -STEP)
        )
        return (ahead - behind) / (2 * STEP)

    def derivative(self, tangents: tuple[Any, ...]) -> float:
        """The directional derivative, which two methods agree on.

        Raises :class:`IllConditioned` where they do not, or where the program has a kink nearby.
        """
        try:
            y, dy = self.dual(tangents)
        except NearTie:
            raise IllConditioned("near a kink") from None
        if not (math.isfinite(y) and math.isfinite(dy)):
            raise IllConditioned("not finite")
        if abs(y) > 1e4 or abs(dy) > 1e4:
            raise IllConditioned("too large")
        value = self.value()
        if abs(y - value) > 1e-9 * (1 + abs(value)):
            raise IllConditioned(f"the value is {value}, on dual numbers {y}")
        difference = self.difference(tangents)
        if abs(dy - difference) > 1e-5 * (1 + abs(dy)):
            raise IllConditioned(f"the derivative is {dy}, by differences {difference}")
        return dy

    def partials(self, tangents: tuple[Any, ...]) -> dict[int, float]:
        """What each argument contributes to :meth:`derivative`, by position."""
        found = {}
        for k, tangent in enumerate(tangents):
            if tangent is not None:
                only = tuple(t if j == k else _zero(t) for j, t in enumerate(tangents))
                try:
                    found[k] = self.dual(only)[1]
                except NearTie:
                    raise IllConditioned("near a kink") from None
        return found


def _zero(tangent: Any) -> Any:
    match tangent:
        case list() | tuple():
            return type(tangent)(map(_zero, tangent))
        case dict():
            return {key: _zero(value) for key, value in tangent.items()}
    return None if tangent is None else tangent * 0.0
