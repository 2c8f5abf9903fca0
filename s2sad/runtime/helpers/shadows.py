"""Shadows of lists, dicts and arrays: what is added to them in place, and the copies that are kept of states."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.helpers.adjoints import accumulate, field_names, map_leaves, record_of

__all__ = [
    "add_back",
    "add_items",
    "add_nested",
    "add_repeats",
    "constant",
    "copy_state",
    "copy_tree",
    "copy_view",
    "kept_item",
    "laid_out",
    "laid_out_leaves",
    "put_back",
    "same_sharing",
    "shadow_view",
    "take_tail",
]


def add_items(target: Any, index: slice, values: Any) -> None:
    """target[index][k] += values[k] for every k, in place."""
    for k, value in zip(range(*index.indices(len(target))), values, strict=True):
        target[k] = accumulate(target[k], value)


def add_nested(target: Any, values: Any) -> Any:
    """Add nested containers to nested containers of arrays and numbers, in place; what holds the sums then.

    That is target itself, but for numbers, and for tuples with numbers in them.
    """
    if values is None or (isinstance(values, float) and values == 0.0):
        return target
    if isinstance(target, np.ndarray):
        target[...] += values
    elif isinstance(target, (list, dict)):
        for k, value in values.items() if isinstance(values, dict) else enumerate(values):
            target[k] = add_nested(target[k], value)
    elif isinstance(target, tuple):
        items = [add_nested(*pair) for pair in zip(target, values, strict=True)]
        if any(new is not old for new, old in zip(items, target, strict=True)):
            return type(target)(*items) if hasattr(target, "_fields") else type(target)(items)
    elif hasattr(target, "__dataclass_fields__"):
        names = field_names(target)
        parts = values if isinstance(values, tuple) else [getattr(values, n) for n in names]
        for n, part in zip(names, parts, strict=True):
            object.__setattr__(target, n, add_nested(getattr(target, n), part))
    else:
        return accumulate(target, values)
    return target


def kept_item(d: Any, key: Any) -> list[Any]:
    """The item of a dict that is about to be replaced, in a list: none where there is none yet."""
    return [d[key]] if key in d else []


def put_back(d: Any, key: Any, kept: Any) -> None:
    """Undo ``d[key] = value``, given what :func:`kept_item` kept."""
    if kept:
        d[key] = kept[0]
    else:
        del d[key]


def add_repeats(target: Any, values: Any) -> None:
    """Add the items of xs * n to those of xs: what each repetition has, in place."""
    for k, value in enumerate(values):
        target[k % len(target)] = accumulate(target[k % len(target)], value)


def take_tail(target: Any, n: int) -> Any:
    """Remove the last n items of a list, and return them."""
    start = len(target) - n
    tail = target[start:]
    del target[start:]
    return tail


def shadow_view(view: Any, x: Any, base: Any) -> Any:
    """The shadow of x: the view of its base's shadow where x is a view, zeros where x is a copy."""
    return view if np.may_share_memory(x, base) else np.zeros_like(view)


def same_sharing(dx: Any, dbase: Any, x: Any, base: Any) -> None:
    """ValueError where dx is a view of dbase and x a copy of base, or the other way round."""
    if np.may_share_memory(dx, dbase) != np.may_share_memory(x, base):
        raise ValueError("an array is updated through what may be a view, and its tangent has another layout")


def add_back(target: Any, part: Any) -> None:
    """Add the shadow of a reshaped copy to that of what was copied; of a view, it is there already."""
    if not np.may_share_memory(target, part):
        target += part.reshape(target.shape)


def copy_tree(x: Any) -> Any:
    """A copy of an array, or of nested containers with copies of the arrays they hold."""
    if isinstance(x, np.ndarray):
        return np.copy(x)
    if isinstance(x, (list, tuple, dict)) or hasattr(x, "__dataclass_fields__"):
        return map_leaves(copy_tree, x)
    return x


def laid_out(x: Any, like: Any) -> Any:
    """A copy of x, its items in memory as those of like are: what is a view of one is a view of the other."""
    if like.flags.c_contiguous:
        return np.array(x, order="C")
    steps = [n * x.itemsize // like.itemsize for n in like.strides]
    ends = [step * (n - 1) for step, n in zip(steps, like.shape, strict=True)]
    memory = np.empty(sum(map(abs, ends)) + x.itemsize, np.uint8)
    out = np.ndarray(x.shape, x.dtype, memory, -sum(min(end, 0) for end in ends), steps)
    out[...] = x
    return out


def laid_out_leaves(x: Any, like: Any) -> Any:
    """A copy of nested containers, the arrays that they hold laid out as those of like."""
    return map_leaves(lambda leaf, other: laid_out(leaf, other) if isinstance(leaf, np.ndarray) else leaf, x, like)


def constant(x: Any) -> Any:
    """x, with arrays and lists copied, as a value without derivative."""
    return copy_tree(x)


def copy_state(x: Any, memo: Any = None) -> Any:
    """A copy of nested containers and arrays in which what shared memory still does."""
    memo = {} if memo is None else memo
    if id(x) in memo:
        return memo[id(x)][0]
    if isinstance(x, np.ndarray):
        copy = copy_view(x, memo)
    elif isinstance(x, (list, tuple)):
        items = [copy_state(item, memo) for item in x]
        copy = type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    elif isinstance(x, dict):
        copy = {k: copy_state(v, memo) for k, v in x.items()}
    elif hasattr(x, "__dataclass_fields__"):
        copy = record_of(type(x), **{n: copy_state(getattr(x, n), memo) for n in field_names(x)})
    else:
        return x
    memo[id(x)] = (copy, x)
    return copy


def copy_view(x: Any, memo: Any) -> Any:
    """A copy of an array; of a view, the same view of a copy of what it is a view of."""
    base = x
    while isinstance(base.base, np.ndarray):
        base = base.base
    if base is x:
        return np.copy(x)
    flat = copy_state(base, memo).ravel(order="K")
    start = x.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return np.ndarray(x.shape, x.dtype, flat, start, x.strides)
