"""Dual numbers: forward-mode differentiation by operator overloading, for the reference.

A :class:`Dual` is a scalar and its tangent; a :class:`DualArray` is an array and
its tangent, two ndarrays on which every view, store and copy is made alike, so
that aliasing in the tangent is aliasing in the value.  Nothing here knows the
compiler or its rules.

A comparison that a small step could turn raises :class:`NearTie`: the program has a
kink there and says nothing about a derivative.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["STEP", "Dual", "DualArray", "NearTie", "no_ties", "parts", "wrap"]

#: The step of the central differences that the reference is checked against.
STEP = 1e-5


class NearTie(Exception):
    """The program compares two values that a small step would turn round."""


def no_ties(av: Any, at: Any, bv: Any, bt: Any) -> None:
    """Raise :class:`NearTie` where ``a`` and ``b`` cross within a few steps; identical duals are no tie."""
    gap, slope = abs(av - bv), abs(at - bt)
    near = (gap <= 20 * STEP * slope + 1e-9) & ((gap != 0) | (slope != 0))
    if near if isinstance(near, bool) else near.any():
        raise NearTie


def parts(x: Any) -> tuple[Any, Any]:
    """The value and the tangent of anything that takes part in arithmetic."""
    if isinstance(x, Dual | DualArray):
        return x.v, x.t
    if isinstance(x, np.ndarray):
        return x, np.zeros(x.shape)
    return x, 0.0


def wrap(v: Any, t: Any) -> Any:
    """A :class:`DualArray` of two arrays, a :class:`Dual` of two scalars."""
    if isinstance(v, np.ndarray):
        return DualArray(v, t)
    return Dual(float(v), float(t))


def _power(av: Any, at: Any, bv: Any, bt: Any) -> tuple[Any, Any]:
    y = av**bv
    if isinstance(bv, int | float) and isinstance(bt, float) and bt == 0.0:
        return y, bv * av ** (bv - 1) * at
    return y, bv * av ** (bv - 1) * at + np.log(av) * y * bt


_ARITHMETIC: dict[str, Callable[[Any, Any, Any, Any], tuple[Any, Any]]] = {
    "add": lambda av, at, bv, bt: (av + bv, at + bt),
    "sub": lambda av, at, bv, bt: (av - bv, at - bt),
    "mul": lambda av, at, bv, bt: (av * bv, at * bv + av * bt),
    "truediv": lambda av, at, bv, bt: (av / bv, (at - av / bv * bt) / bv),
    "pow": _power,
    "matmul": lambda av, at, bv, bt: (av @ bv, at @ bv + av @ bt),
}


def _binary(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    rule = _ARITHMETIC[name]

    def method(self: Any, other: Any) -> Any:
        if isinstance(self, Dual) and isinstance(other, DualArray):
            return NotImplemented
        if not isinstance(other, Dual | DualArray | np.ndarray | int | float | np.generic):
            return NotImplemented
        a, b = parts(self), parts(other)
        return wrap(*(rule(*b, *a) if reflected else rule(*a, *b)))

    return method


def _in_place(name: str) -> Callable[[Any, Any], Any]:
    forward = _binary(name, reflected=False)

    def method(self: DualArray, other: Any) -> DualArray:
        new = forward(self, other)
        self.v[...], self.t[...] = new.v, new.t
        return self

    return method


def _comparison(name: str) -> Callable[[Any, Any], Any]:
    compare = getattr(operator, name)

    def method(self: Any, other: Any) -> Any:
        if isinstance(self, Dual) and isinstance(other, DualArray):
            return NotImplemented
        a, b = parts(self), parts(other)
        no_ties(*a, *b)
        return compare(a[0], b[0])

    return method


class _Arithmetic:
    """The operators, installed below."""

    __slots__ = ()
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]
    v: Any
    t: Any

    def __neg__(self) -> Any:
        return wrap(-self.v, -self.t)

    def __pos__(self) -> Any:
        return wrap(+self.v, +self.t)

    def __abs__(self) -> Any:
        no_ties(self.v, self.t, 0.0, 0.0)
        return wrap(abs(self.v), np.sign(self.v) * self.t)


for _name in _ARITHMETIC:
    setattr(_Arithmetic, f"__{_name}__", _binary(_name, reflected=False))
    setattr(_Arithmetic, f"__r{_name}__", _binary(_name, reflected=True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(_Arithmetic, f"__{_name}__", _comparison(_name))


class Dual(_Arithmetic):
    """A number and its tangent."""

    __slots__ = ("t", "v")

    shape: tuple[int, ...] = ()
    ndim = 0
    size = 1

    def __init__(self, v: float, t: float = 0.0) -> None:
        self.v = v
        self.t = t

    def __repr__(self) -> str:
        return f"{self.v}~{self.t}"

    def __format__(self, spec: str) -> str:
        return format(self.v, spec)

    def __bool__(self) -> bool:
        no_ties(self.v, self.t, 0.0, 0.0)
        return bool(self.v)

    def __int__(self) -> int:
        nearest = float(round(self.v))
        no_ties(self.v, self.t, nearest, 0.0)
        return int(self.v)

    def item(self) -> Dual:
        """Itself."""
        return self

    def copy(self) -> Dual:
        """Itself: a number does not change."""
        return self


class DualArray(_Arithmetic):
    """An array and its tangent, of one shape and layout."""

    __slots__ = ("t", "v")

    def __init__(self, v: np.ndarray, t: np.ndarray) -> None:
        self.v = v
        self.t = t if t.shape == v.shape else np.broadcast_to(t, v.shape).copy()

    def __repr__(self) -> str:
        return f"{self.v!r}~{self.t!r}"

    def __len__(self) -> int:
        return len(self.v)

    def __getitem__(self, index: Any) -> Any:
        return wrap(self.v[index], self.t[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        v, t = parts(value)
        self.v[index] = v
        self.t[index] = t

    def __iter__(self) -> Any:
        for i in range(len(self.v)):
            yield self[i]

    @property
    def shape(self) -> tuple[int, ...]:
        """As NumPy's."""
        return self.v.shape

    @property
    def ndim(self) -> int:
        """As NumPy's."""
        return self.v.ndim

    @property
    def size(self) -> int:
        """As NumPy's."""
        return self.v.size

    @property
    def dtype(self) -> Any:
        """As NumPy's."""
        return self.v.dtype

    @property
    def T(self) -> DualArray:
        """As NumPy's."""
        return DualArray(self.v.T, self.t.T)

    @property
    def flat(self) -> Any:
        """Its items in order; to be read only."""
        return iter(self.reshape(-1))

    def __getattr__(self, name: str) -> Any:
        from .dual_numpy import numpy

        if name.startswith("_"):
            raise AttributeError(name)
        function = getattr(numpy, name)
        return lambda *args, **kwargs: function(self, *args, **kwargs)

    def reshape(self, *shape: Any) -> DualArray:
        """As NumPy's."""
        return DualArray(self.v.reshape(*shape), self.t.reshape(*shape))

    def transpose(self, *axes: Any) -> DualArray:
        """As NumPy's."""
        return DualArray(self.v.transpose(*axes), self.t.transpose(*axes))

    def copy(self) -> DualArray:
        """As NumPy's, which puts rows first, unlike ``np.copy``."""
        return DualArray(self.v.copy(), self.t.copy())

    def flatten(self) -> DualArray:
        """As NumPy's."""
        return DualArray(self.v.flatten(), self.t.flatten())

    def astype(self, dtype: Any) -> DualArray:
        """A copy: the reference computes in float64."""
        return DualArray(np.array(self.v), np.array(self.t))

    def item(self, *index: Any) -> Dual:
        """As NumPy's."""
        return Dual(self.v.item(*index), self.t.item(*index))

    def fill(self, value: Any) -> None:
        """As NumPy's."""
        self[...] = value


for _name in ("add", "sub", "mul", "truediv", "pow"):
    setattr(DualArray, f"__i{_name}__", _in_place(_name))
