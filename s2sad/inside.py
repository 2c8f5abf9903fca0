"""Derivatives in functions that Numba compiles: they are called there as they are anywhere.

::

    slope = grad(f, backend="numba")

    @numba.njit
    def root(x):
        for _ in range(20):
            x -= f(x) / slope(x)
        return x

Where Numba meets a derivative it asks for its type.  That knows how to find, for types of arguments, the compiled
function that the derivative calls for such arguments.  What is not compiled as a whole, for it takes apart structured
arguments or returns a pullback, Numba refuses, and says so. Of arrays that must share no memory it is looked, at each
call, whether they overlap.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from s2sad.frontend.specs import Leaf
from s2sad.ir import kinds as K

if TYPE_CHECKING:
    from s2sad.dispatch import Derivative

__all__ = ["make_known"]

_known: list[type] = []
#: For what only calls: the machine code goes where the call is, so that results are not handed on once more.
_IN_PLACE: dict[str, Any] = {"forceinline": True}


def make_known(family: type[Derivative]) -> None:
    """Tell Numba of a class of derivatives, if Numba is there."""
    if family in _known:
        return
    try:
        from numba.extending import typeof_impl
    except ImportError:  # which compiling says
        return
    _known.append(family)
    typeof_impl.register(family)(_type_of)


def _type_of(derivative: Derivative, _: Any) -> Any:
    """The Numba type of a derivative, the same each time."""
    found = vars(derivative).get("_numba_type")
    if found is None:
        from numba.core.types import Function
        from numba.core.typing import templates

        template: Any = templates.make_overload_template

        def overload(*types: Any) -> Callable[..., Any]:
            return _implementation(derivative, types)

        found = vars(derivative)["_numba_type"] = Function(
            template(derivative, overload, dict(_IN_PLACE), False, "never")
        )
    return found


def _implementation(derivative: Derivative, types: Sequence[Any]) -> Callable[..., Any]:
    """A function for Numba, of arguments of these types."""
    specs = _specs(derivative, types)
    native, general = (_native(derivative, specs, equal_lengths) for equal_lengths in (True, False))
    if native is general:

        def call(*args: Any) -> Any:
            return native(*args)

        return call

    def attempt(*args: Any) -> Any:
        try:
            return native(*args)
        except Exception:  # lengths that are taken to be equal may differ; other errors come again
            pass  # since Python 3.12, where both ways of a `try` go on, Numba forgets errors that come after it
        return general(*args)

    return attempt


def _specs(derivative: Derivative, types: Sequence[Any]) -> tuple[Leaf, ...]:
    """The specs of arguments of these types."""
    target = derivative._target
    names = list(target.signature.parameters)
    if target.primitive or list(target.arguments()[0]) != names or not derivative._wrt.plain:
        raise _refusal(derivative, "it is one of a plain function, by whole arguments")
    if len(types) != len(names):
        raise _refusal(derivative, "it gets all arguments, by position")
    specs = tuple(spec for spec in map(_spec, types) if spec is not None)
    if len(specs) < len(types):
        raise _refusal(derivative, "its arguments are numbers and arrays")
    if any(not K.dtype_of(specs[position].kind).startswith("float") for position in derivative.positions):
        raise _refusal(derivative, "what it differentiates by are floats and arrays of floats")
    return specs


def _native(derivative: Derivative, specs: tuple[Leaf, ...], equal_lengths: bool) -> Any:
    """What a derivative calls for such arguments, as Numba can call it."""
    import numba

    backend = replace(derivative._backend, equal_lengths=equal_lengths)
    parts = [_unwrapped(function) for function in derivative._compiled(specs, backend)]
    if not parts or None in parts:
        raise _refusal(derivative, "all of it is compiled: structures, values of globals and pullbacks are not")
    if len(parts) == 1:
        return parts[0]
    first, second = parts

    def either(*args: Any) -> Any:
        found, result = first(*args)
        return result if found else second(*args)

    return numba.njit(either, **_IN_PLACE)


def _unwrapped(function: Any) -> Any:
    """The function that Numba compiled, without what is around it in Python; None if there is none."""
    from numba.core.dispatcher import Dispatcher

    inner = inspect.unwrap(function, stop=lambda f: isinstance(f, Dispatcher))
    if not isinstance(inner, Dispatcher):
        return None
    watch = getattr(function, "watch", None)
    for pair in () if watch is None else watch.pairs:
        inner = _looking(inner, *pair)
    return inner


def _looking(native: Any, i: int, j: int) -> Any:
    """A compiled function that first looks at two of its arguments, which must not overlap."""
    import numba

    extent = numba.njit(_extent)

    def run(*args: Any) -> Any:
        first, second = extent(args[i]), extent(args[j])
        if first[0] < second[1] and second[0] < first[1]:
            raise ValueError("arguments overlap in memory that the function stores into: pass a copy of one")
        return native(*args)

    return numba.njit(run)


def _extent(x: Any) -> tuple[int, int]:
    """The addresses that an array lies between."""
    low = high = x.ctypes.data
    for length, stride in zip(x.shape, x.strides):  # noqa: B905 (Numba)
        if length == 0:
            return low, low
        low += min((length - 1) * stride, 0)
        high += max((length - 1) * stride, 0)
    return low, high + x.itemsize


def _refusal(derivative: Derivative, condition: str) -> Exception:
    from numba.core.errors import TypingError

    return TypingError(f"{derivative!r} can be called in compiled code only if {condition}")


def _spec(numba_type: Any) -> Leaf | None:
    """The spec of arguments of a Numba type; None if there are none."""
    from numba.core import types

    match numba_type:
        case types.Boolean():
            return Leaf(K.BOOL)
        case types.Integer():
            return Leaf(K.INT)
        case types.Float():
            return Leaf(K.FLOAT if numba_type.bitwidth == 64 else K.Scalar(f"float{numba_type.bitwidth}"))
        case types.Array(ndim=rank, dtype=types.Float() | types.Integer() | types.Boolean() as dtype):
            return Leaf(K.Array(str(dtype), rank))
    return None
