"""Finite differences of functions of nested arguments, for tests; knows nothing of s2sad."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

STEP = 2e-4
# Fourth-order central differences: offset in steps, and weight.
STENCIL = ((-2, 1.0 / 12.0), (-1, -2.0 / 3.0), (1, 2.0 / 3.0), (2, -1.0 / 12.0))


def is_float_leaf(tree: Any) -> bool:
    """Whether this is a float or a floating array."""
    if isinstance(tree, np.ndarray):
        return tree.dtype.kind in "fc"
    return isinstance(tree, (float, np.floating))


def children(tree: Any) -> list[Any]:
    """What a container holds, in order; nothing for a leaf."""
    if isinstance(tree, dict):
        return list(tree.values())
    if isinstance(tree, (list, tuple)):
        return list(tree)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return [getattr(tree, field.name) for field in dataclasses.fields(tree)]
    return []


def rebuild(tree: Any, parts: Sequence[Any]) -> Any:
    """A container like ``tree`` that holds ``parts``."""
    if isinstance(tree, dict):
        return type(tree)(zip(tree, parts))
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*parts)
    if isinstance(tree, (list, tuple)):
        return type(tree)(parts)
    return dataclasses.replace(tree, **{f.name: part for f, part in zip(dataclasses.fields(tree), parts)})


def float_leaves(tree: Any) -> Iterator[Any]:
    """The float leaves, in order."""
    if is_float_leaf(tree):
        yield tree
    for part in children(tree):
        yield from float_leaves(part)


def to_vector(tree: Any) -> np.ndarray:
    """All float leaves, strung together."""
    return np.concatenate([np.zeros(0), *(np.ravel(leaf) for leaf in float_leaves(tree))])


def from_vector(tree: Any, vector: np.ndarray) -> Any:
    """A fresh copy of ``tree`` with the entries of ``vector`` for its float leaves."""
    entries = iter(vector)

    def build(node: Any) -> Any:
        if is_float_leaf(node):
            values = [next(entries) for _ in range(np.size(node))]
            if isinstance(node, np.ndarray):
                return np.array(values).reshape(node.shape)
            return values[0] if np.iscomplexobj(values[0]) else float(values[0])
        parts = children(node)
        return rebuild(node, [build(part) for part in parts]) if parts else copy.deepcopy(node)

    return build(tree)


def directional(f: Callable[..., Any], args: tuple[Any, ...], direction: np.ndarray, step: float = STEP) -> np.ndarray:
    """The derivative of all float outputs along ``direction``, a vector over the float leaves of all arguments."""
    start = to_vector(args)
    moved = (weight * to_vector(f(*from_vector(args, start + k * step * direction))) for k, weight in STENCIL)
    return sum(moved, np.zeros(())) / step


def gradient(f: Callable[..., Any], args: tuple[Any, ...], wrt: Sequence[int], step: float = STEP) -> tuple[Any, ...]:
    """The gradient of a scalar function with respect to the arguments ``wrt``, each with its own structure."""
    start = to_vector(args)
    selected = to_vector(select(args, wrt)) != 0.0
    entries = np.zeros_like(start)
    for k in np.flatnonzero(selected):
        unit = np.zeros_like(start)
        unit[k] = max(1.0, abs(start[k]))
        (entries[k],) = directional(f, args, unit, step) / unit[k]
    full = from_vector(args, entries)
    return tuple(full[k] for k in wrt)


def select(args: tuple[Any, ...], wrt: Sequence[int]) -> tuple[Any, ...]:
    """A copy of the arguments whose float leaves are one in the arguments ``wrt`` and zero elsewhere."""
    return tuple(
        from_vector(arg, np.full(to_vector(arg).shape, 1.0 if k in wrt else 0.0)) for k, arg in enumerate(args)
    )


def complex_gradient(f: Callable[..., Any], args: tuple[Any, ...], wrt: Sequence[int]) -> tuple[Any, ...]:
    """The gradient by complex steps: exact to rounding where ``f`` is analytic and runs on complex numbers."""
    start = to_vector(args).astype(complex)
    selected = to_vector(select(args, wrt)) != 0.0
    entries = np.zeros(start.shape)
    for k in np.flatnonzero(selected):
        moved = start.copy()
        moved[k] += 1e-30j
        entries[k] = np.imag(f(*from_vector(args, moved))) / 1e-30
    full = from_vector(args, entries)
    return tuple(full[k] for k in wrt)


def same_structure(a: Any, b: Any) -> bool:
    """Whether two trees have the same containers and leaves of the same shapes."""
    if is_float_leaf(a) or is_float_leaf(b):
        return np.shape(a) == np.shape(b) and isinstance(a, np.ndarray) == isinstance(b, np.ndarray)
    if type(a) is not type(b) or (isinstance(a, dict) and list(a) != list(b)):
        return False
    parts, others = children(a), children(b)
    return len(parts) == len(others) and all(map(same_structure, parts, others))


def identical(a: Any, b: Any) -> bool:
    """Whether two trees are equal to the last bit."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    parts, others = children(a), children(b)
    if parts or others:
        return type(a) is type(b) and len(parts) == len(others) and all(map(identical, parts, others))
    return bool(a == b)
