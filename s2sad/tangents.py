"""Tangents and cotangents: what is like an argument, and what an argument must be to have any.

>>> floated({"n": 3, "a": [1.0, 2]}, "argument 'p'")
{'n': 3.0, 'a': [1.0, 2.0]}
>>> like((1.0, "x"), (2, None), "the tangent")
(2.0, None)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from s2sad.frontend.specs import ANYWHERE, Place
from s2sad.structure import leaves, map_leaves, parts, rebuilt, uniform

__all__ = ["floated", "is_float_leaf", "is_whole", "like", "naming", "units", "within", "zero"]

# ---- leaves


def zero(leaf: Any) -> Any:
    """The zero tangent of a leaf: None where it has no derivative."""
    if not is_float_leaf(leaf):
        return None
    return np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else type(leaf)(0.0)


def units(leaf: Any) -> Iterator[Any]:
    """The unit tangents of a float leaf, one for each element; those along the imaginary axis are left out."""
    if not isinstance(leaf, np.ndarray):
        yield type(leaf)(1.0)
        return
    for index in np.ndindex(leaf.shape):
        unit = np.zeros_like(leaf)
        unit[index] = 1.0
        yield unit


def is_float_leaf(leaf: Any) -> bool:
    """Whether a leaf is a float, real or complex, one of NumPy's or an array of such, and of no class of its own."""
    return isinstance(leaf, float | complex | np.inexact) or (type(leaf) is np.ndarray and leaf.dtype.kind in "fc")


def is_whole(leaf: Any) -> bool:
    """Whether a leaf is an integer, Python's or NumPy's, and no truth value."""
    return isinstance(leaf, int | np.integer) and not isinstance(leaf, bool)


def _step(value: Any, where: str, key: Any) -> str:
    """``where`` one level down, the way a program would say it."""
    return f"{where}.{key}" if not isinstance(value, tuple | list | dict) else f"{where}[{key!r}]"


# ---- values of differentiated arguments


def floated(value: Any, where: str, counting: frozenset[Place] = frozenset()) -> Any:
    """``value`` as an argument to differentiate by: integers become the floats they equal, except those that count.

    ``counting`` are the keys that lead to these.  Raises TypeError for leaves that would need a decision by the caller:
    arrays of integers.  ``where`` names the argument in messages.
    """
    cls = type(value)
    if cls is float:
        return value
    if isinstance(value, np.ndarray):
        return _float_array(value, where)
    if is_whole(value):
        return value if () in counting else float(value)
    if cls is list and uniform(value)[1] is float:
        return value
    found = parts(value)
    if found is None:
        return value
    names = getattr(cls, "_fields", found[0])
    items = [
        floated(v, _step(value, where, k), within(counting, k, name)) for k, v, name in zip(*found, names, strict=True)
    ]
    changed = any(new is not old for new, old in zip(items, found[1], strict=True))
    return rebuilt(value, items) if changed else value


def within(places: frozenset[Place], *keys: Any) -> frozenset[Place]:
    """Of places in a value those in its item at one of ``keys``, which lead to the same."""
    if not places:
        return places
    return frozenset(p[1:] for p in places if not p or p[0] is ANYWHERE or p[0] in keys)


def _float_array(value: np.ndarray[Any, Any], where: str) -> np.ndarray[Any, Any]:
    match value.dtype.kind:
        case "i" | "u" | "b":
            raise TypeError(
                f"{where} is an array of {value.dtype}: to differentiate by it, convert it with .astype(float)"
            )
        case "O":
            raise TypeError(f"{where} is an array of objects: convert it with .astype(float)")
    return value


def like(reference: Any, value: Any, where: str) -> Any:
    """``value`` as a tangent or cotangent of ``reference``, converted where that loses nothing.

    Raises TypeError where the classes or dtypes differ, ValueError where lengths, keys
    or shapes do.  Leaves that are not floats have None, and a container of such may have it as a whole.
    """
    found = parts(reference)
    if found is None:
        return _leaf_like(reference, value, where)
    keys, items = found
    if value is None and not any(map(is_float_leaf, leaves(reference))):
        return map_leaves(lambda _: None, reference)
    given = parts(value)
    if given is None or type(value) is not type(reference):
        raise TypeError(f"{where} must be a {type(reference).__name__} like its primal, not {naming(value)}")
    if isinstance(reference, dict):
        if set(keys) != set(given[0]):
            raise ValueError(f"{where} has keys {sorted(value, key=repr)}, its primal {sorted(keys, key=repr)}")
        values: Sequence[Any] = [value[k] for k in keys]
    elif len(given[1]) != len(items):
        raise ValueError(f"{where} has {len(given[1])} items, its primal {len(items)}")
    else:
        values = given[1]
    return rebuilt(
        reference, [like(r, v, _step(reference, where, k)) for k, r, v in zip(keys, items, values, strict=True)]
    )


def _leaf_like(reference: Any, value: Any, where: str) -> Any:
    if not is_float_leaf(reference):
        counts = isinstance(reference, np.ndarray) and reference.dtype.kind in "iub"
        numeric = counts or isinstance(reference, int | np.integer | np.bool_)
        if value is None or (numeric and isinstance(value, int | float | np.number | np.ndarray)):
            return value
        raise TypeError(f"{where} must be None: its primal is {naming(reference)}, which has no derivative")
    if isinstance(reference, np.ndarray):
        return _array_like(reference, value, where)
    if isinstance(value, np.ndarray) and value.ndim:
        raise ValueError(f"{where} has shape {value.shape}, its primal is a scalar")
    if not _is_number(value, reference):
        raise TypeError(f"{where} must be a {_sort(reference)} like its primal, not {naming(value)}")
    return type(reference)(value)


def _array_like(reference: np.ndarray[Any, Any], value: Any, where: str) -> np.ndarray[Any, Any]:
    is_number = _is_number(value, reference)
    if is_number and reference.ndim == 0:
        return np.asarray(value, dtype=reference.dtype)
    if not isinstance(value, np.ndarray):
        if is_number:
            raise ValueError(f"{where} is a scalar, its primal has shape {reference.shape}")
        raise TypeError(f"{where} must be an array like its primal, not {naming(value)}")
    if value.shape != reference.shape:
        raise ValueError(f"{where} has shape {value.shape}, its primal {reference.shape}")
    if value.dtype != reference.dtype:
        raise TypeError(
            f"{where} has dtype {value.dtype}, its primal {reference.dtype}: "
            f"convert it with .astype({_dtype(reference)})"
        )
    return value


def _is_number(value: Any, reference: Any) -> bool:
    """Whether a value is a number, a complex one only where its reference is complex."""
    complex_too = np.iscomplexobj(reference)
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind in ("fc" if complex_too else "f")
    if isinstance(value, complex | np.complexfloating):
        return complex_too
    return isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)


def _sort(reference: Any) -> str:
    return "complex number" if np.iscomplexobj(reference) else "float"


def _dtype(array: np.ndarray[Any, Any]) -> str:
    return {"float64": "float", "complex128": "complex"}.get(array.dtype.name, f"np.{array.dtype}")


def naming(value: Any) -> str:
    """What a value is, for messages."""
    if value is None:
        return "None"
    if type(value) is np.ndarray:
        return f"an array of {value.dtype}"
    name = type(value).__name__
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"
