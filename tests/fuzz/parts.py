"""Derivatives of programs with complex numbers, held against central differences of their real and imaginary parts."""

from __future__ import annotations

import cmath
import copy
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

import s2sad

__all__ = ["Disagreement", "Expected", "Unsteady", "compare", "expected", "leaves"]

_STEP = 1e-6
#: Of these there is no derivative at zero.
_POLES = ("angle", "sqrt", "log", "phase", "polar")


class Disagreement(Exception):
    """A figure is not what it should be."""


class Unsteady(Exception):
    """Differences with two steps do not agree: the seed does not count."""


def _is_number(x: Any) -> bool:
    return isinstance(x, float | complex | np.inexact) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc")


def _mapped(leaf: Callable[..., Any], x: Any, *others: Any) -> Any:
    """The structure of x with what a function makes of its numbers; all else as it is."""
    match x:
        case dict():
            return {k: _mapped(leaf, v, *(o[k] for o in others)) for k, v in x.items()}
        case tuple() if hasattr(x, "_fields"):
            return type(x)(*(_mapped(leaf, *vs) for vs in zip(x, *others, strict=True)))
        case list() | tuple():
            return type(x)(_mapped(leaf, *vs) for vs in zip(x, *others, strict=True))
        case _ if is_dataclass(x):
            return replace(x, **{f.name: _mapped(leaf, *(getattr(o, f.name) for o in (x, *others))) for f in fields(x)})
    return leaf(x, *others) if _is_number(x) else x


def leaves(x: Any) -> list[Any]:
    """The numbers and arrays of numbers in x."""
    found: list[Any] = []
    _mapped(lambda y, *_: found.append(y), x)
    return found


def _parts(x: Any, sign: float = 1.0) -> np.ndarray:
    """Real and imaginary parts of all that is in x, as one vector; the latter with a sign."""
    return np.concatenate([np.zeros(0), *(np.ravel(v) for y in leaves(x) for v in (np.real(y), sign * np.imag(y)))])


def _paired(ct: Any, dy: Any) -> float:
    if _parts(ct).shape != _parts(dy).shape:
        raise Disagreement(f"structure: {ct!r} for {dy!r}"[:300])
    return float(np.dot(_parts(ct, -1.0), _parts(dy)))


def _drawn(x: Any, rng: np.random.Generator) -> Any:
    """Random numbers in the structure of x."""

    def leaf(y: Any) -> Any:
        made = rng.uniform(-1.0, 1.0, np.shape(y))
        if np.iscomplexobj(y):
            made = made + 1j * rng.uniform(-1.0, 1.0, np.shape(y))
        if not isinstance(y, np.ndarray):
            return type(y)(made)
        tangent = np.empty_like(y)
        tangent[...] = made
        return tangent

    return _mapped(leaf, x)


def _zero(x: Any) -> Any:
    return _mapped(lambda y: y * 0, x)


def _wide(y: Any) -> Any:
    """A number in double precision, of its own sort if it has that already."""
    return (
        y + np.zeros((), "c16" if np.iscomplexobj(y) else float) if getattr(y, "itemsize", 16) < 8 or _single(y) else y
    )


def _single(y: Any) -> bool:
    return getattr(y, "dtype", None) in (np.complex64, np.float32)


def _moved(x: Any, d: Any, h: float) -> Any:
    return _mapped(lambda y, e: _copied(_wide(y), h * e), x, d)


def _copied(y: Any, by: Any) -> Any:
    if not isinstance(y, np.ndarray):
        return type(y)(y + by)
    made = np.empty_like(y)
    made[...] = y + by
    return made


def _difference(f: Callable[..., Any], args: Any, ds: Any) -> np.ndarray:
    """The derivative along a direction, which two steps agree on."""
    near, far = (
        (_parts(f(*_moved(args, ds, h))) - _parts(f(*_moved(args, ds, -h)))) / (2.0 * h) for h in (_STEP, 30 * _STEP)
    )
    if near.shape != far.shape or not np.allclose(near, far, rtol=1e-5, atol=1e-6) or not np.all(np.abs(near) < 1e4):
        raise Unsteady("differences")
    return near


@contextmanager
def _no_poles() -> Iterator[None]:
    """Functions that have no derivative at zero raise there, for the time being."""

    def guarded(function: Any) -> Any:
        def checked(x: Any, *rest: Any, **options: Any) -> Any:
            if np.any(np.equal(x, 0)):
                raise Unsteady("a pole")
            return function(x, *rest, **options)

        return checked

    whole = [(m, name, getattr(m, name)) for m in (np, cmath) for name in _POLES if hasattr(m, name)]
    try:
        for m, name, function in whole:
            setattr(m, name, guarded(function))
        yield
    finally:
        for m, name, function in whole:
            setattr(m, name, function)


class Expected:
    """Value and derivatives of a function at a point. What is no number, or holds none, has None for a tangent."""

    def __init__(self, f: Callable[..., Any], args: tuple[Any, ...], seed: int) -> None:
        self.args = args
        self.value = f(*copy.deepcopy(args))
        with _no_poles():
            wide = f(*_moved(args, _zero(args), 0.0))
        if not np.allclose(_parts(wide), _parts(self.value), rtol=1e-3, atol=1e-3):
            raise Unsteady("precision")  # what asks for a type takes another path with double precision
        self.rng = np.random.default_rng(seed)
        self.ds = tuple(d if leaves(x) else None for x, d in zip(args, _drawn(args, self.rng), strict=True))
        self.along = _difference(f, args, self.ds)
        self.alone = {}
        for k, x in enumerate(args):
            if leaves(x):
                only = tuple(d if i == k else _zero(d) for i, d in enumerate(self.ds))
                self.alone[k] = _difference(f, args, only)
        self.wrt = tuple(self.alone)
        self.tolerance = 2e-3 if any(map(_single, leaves((args, self.value)))) else 1e-6


def expected(f: Callable[..., Any], args: tuple[Any, ...], seed: int) -> Expected:
    """What is to come out, by differences. Raises :class:`Unsteady` where they do not tell."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        return Expected(f, args, seed)


def _near(what: str, found: Any, wanted: Any, tolerance: float) -> None:
    if np.shape(found) != np.shape(wanted):
        raise Disagreement(f"{what} structure: {np.shape(found)}, not {np.shape(wanted)}")
    bound = tolerance * max(10.0, float(np.max(np.abs(wanted), initial=0.0)))
    if not np.all(np.abs(np.subtract(found, wanted)) <= bound):
        raise Disagreement(f"{what}: {found!r}, not {wanted!r}"[:600])


def _alike(what: str, found: Any, like: Any) -> None:
    """Whether numbers are of the sort, shape and dtype that they are wanted to be."""
    for a, b in zip(leaves(found), leaves(like), strict=True):
        if np.iscomplexobj(a) != np.iscomplexobj(b) or np.shape(a) != np.shape(b):
            raise Disagreement(f"{what} sort: {a!r} for {b!r}"[:300])
        if isinstance(b, np.ndarray) and getattr(a, "dtype", None) != b.dtype:
            raise Disagreement(f"{what} dtype: {a!r} for {b!r}"[:300])


def compare(f: Callable[..., Any], e: Expected, only: str | None = None, twice: bool = True, **options: Any) -> None:
    """Hold each mode against what is expected, second derivatives if ``twice``. Raises :class:`Disagreement`."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        for mode in (_jvp, _vjp, _alone, _grad, *([_second] if twice else [])):
            if only in (None, mode.__name__[1:]):
                try:
                    mode(f, e, options)
                except TypeError as error:
                    if "gives complex numbers" not in str(error):  # real as it is, but not on another path
                        raise


def _untouched(mode: str, args: Any, e: Expected) -> None:
    if repr(args) != repr(e.args):
        raise Disagreement(f"{mode} arguments changed: {args!r}"[:300])


def _taken(parts: Any, e: Expected) -> list[Any]:
    """Those of the arguments that are differentiated by."""
    return [parts[k] for k in e.wrt]


def _jvp(f: Callable[..., Any], e: Expected, options: Any) -> None:
    args = copy.deepcopy(e.args)
    y, dy = s2sad.jvp(f, args, e.ds, **options)
    _near("jvp value", _parts(y), _parts(e.value), min(e.tolerance, 1e-4 if e.tolerance > 1e-5 else 1e-11))
    _alike("jvp value", y, e.value)
    _near("jvp", _parts(dy), e.along, e.tolerance)
    if isinstance(e.value, np.ndarray):
        _alike("jvp", dy, e.value)
    _untouched("jvp", args, e)


def _vjp(f: Callable[..., Any], e: Expected, options: Any) -> None:
    args = copy.deepcopy(e.args)
    y, pullback = s2sad.vjp(f, *args, **options)
    _near("vjp value", _parts(y), _parts(e.value), 1e-4 if e.tolerance > 1e-5 else 1e-11)
    for seed in (1, 2):
        ct = _drawn(y, np.random.default_rng(seed))
        bxs = pullback(ct)
        wanted = float(np.dot(_parts(ct, -1.0), e.along))
        _near("vjp", _paired(_taken(bxs, e), _taken(e.ds, e)), wanted, e.tolerance)
        _alike("vjp", _taken(bxs, e), _taken(e.args, e))
        for k, along in e.alone.items():
            _near(f"vjp by {k}", _paired(bxs[k], e.ds[k]), float(np.dot(_parts(ct, -1.0), along)), e.tolerance)
    _untouched("vjp", args, e)


def _alone(f: Callable[..., Any], e: Expected, options: Any) -> None:
    """By each argument while the others are constant."""
    for k, along in e.alone.items() if isinstance(e.value, float) else ():
        bx = s2sad.grad(f, wrt=k, **options)(*copy.deepcopy(e.args))
        _near(f"alone by {k}", _paired(bx, e.ds[k]), float(along[0]), e.tolerance)
        _alike("alone", bx, e.args[k])


def _grad(f: Callable[..., Any], e: Expected, options: Any) -> None:
    if not isinstance(e.value, float):
        return
    args = copy.deepcopy(e.args)
    value, gradient = s2sad.value_and_grad(f, wrt=e.wrt, **options)(*args)
    _near("grad value", value, e.value, 1e-4 if e.tolerance > 1e-5 else 1e-11)
    _near("grad", _paired(gradient, tuple(_taken(e.ds, e))), float(e.along[0]), e.tolerance)
    _alike("grad", gradient, tuple(_taken(e.args, e)))
    _untouched("grad", args, e)
    arrays = [x for x in leaves(gradient) if isinstance(x, np.ndarray)]
    everything = [*arrays, *(x for x in leaves(args) if isinstance(x, np.ndarray))]
    for k, x in enumerate(arrays):
        if any(np.shares_memory(x, y) for y in everything[k + 1 :]):
            raise Disagreement("grad: results share memory")


def _second(f: Callable[..., Any], e: Expected, options: Any) -> None:
    """Forward over reverse and reverse over reverse, against differences of the gradient."""
    if not isinstance(e.value, float) or e.tolerance > 1e-5:
        return
    gradient = s2sad.grad(f, wrt=e.wrt)
    try:
        wanted = _difference(gradient, e.args, e.ds)
    except Unsteady:
        return
    _, found = s2sad.jvp(gradient, copy.deepcopy(e.args), e.ds, **options)
    _near("jvp of grad", _parts(found), wanted, 1e-4)
    y, pullback = s2sad.vjp(gradient, *copy.deepcopy(e.args), **options)
    ct = _drawn(y, np.random.default_rng(3))
    back = pullback(ct)
    _near("vjp of grad", _paired(_taken(back, e), _taken(e.ds, e)), float(np.dot(_parts(ct, -1.0), wanted)), 1e-4)
