"""What all forms of inference share: arguments, broadcasting, dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.ir.kinds import strong
from s2sad.rules.standins import dtype_by_running, join_all

__all__ = ["Arg", "Form", "as_numeric", "broadcast_kind", "dtype_name", "elementwise_dtype", "returns", "strong"]

#: An argument: its kind, and its value where that is a literal (or a type, read live).
Arg = tuple[K.Kind, Any]
Form = Callable[..., K.Kind]


def broadcast_kind(dtype: str, operands: list[K.Kind], *, always_array: bool = False) -> K.Kind:
    """Operands broadcast together: 0-d results are scalars, unless ``always_array``."""
    ranks = [K.rank_of(k) for k in operands]
    big = [k for k, r in zip(operands, ranks, strict=True) if isinstance(k, K.Array) and r != 0]
    rank = max((r for r in ranks if r is not None), default=0)
    if None in ranks:
        most = K.most_axes(operands)
        if not always_array and not rank:
            return K.Numeric(dtype, most)
        return K.Array(dtype, rank if most == rank else None)
    if rank == 0 and not always_array:
        return K.Scalar(dtype)
    tokens = {k.shape for k in big if isinstance(k, K.Array)}
    return K.Array(dtype, rank, tokens.pop() if len(tokens) == 1 else None)


def elementwise_dtype(fn: Any, operands: list[K.Kind]) -> str:
    """The dtype of an element-wise result; of what may be anything beside complex numbers, that of floats is."""
    dtypes = [K.dtype_of(k) for k in operands]
    if "any" in dtypes and any(d.startswith("complex") for d in dtypes):
        dtypes = ["float64" if d == "any" else d for d in dtypes]
    return dtype_by_running(fn, tuple((d, not isinstance(k, K.Scalar)) for d, k in zip(dtypes, operands, strict=True)))


def as_numeric(kind: K.Kind) -> K.Kind:
    """The kind of ``np.asarray`` of it, for lists and tuples; itself for numbers."""
    match kind:
        case K.List(item):
            items: tuple[K.Kind, ...] = (item,)
        case K.Tuple(items):
            pass
        case _:
            return kind
    inner = join_all(_as_item(as_numeric(k)) for k in items)
    if isinstance(inner, K.Scalar | K.Array):
        rank = K.rank_of(inner)
        return K.Array(strong(inner.dtype), None if rank is None else rank + 1)
    if isinstance(inner, K.Bottom):
        return K.Array("float64", 1)
    return K.Array(inner.dtype, None) if isinstance(inner, K.Numeric) else K.ANY


def _as_item(kind: K.Kind) -> K.Kind:
    """A number as it counts in an array made of several: Python's as NumPy's of 64 bits."""
    return K.Scalar(strong(kind.dtype)) if isinstance(kind, K.Scalar) else kind


def dtype_name(arg: Arg | None, default: str = "float64") -> str:
    """The dtype an argument names: ``"any"`` where it is not a literal or a type, ``"void"`` of a list of fields."""
    if arg is None or arg[1] is None:
        return default
    if isinstance(arg[0], K.List | K.Dict):
        return "void"
    if isinstance(arg[1], str | type | np.dtype):
        return np.dtype(arg[1]).name
    return "any"


def returns(kind: K.Kind) -> Form:
    """A form for what always returns this kind."""
    return lambda *args, **kwargs: kind
