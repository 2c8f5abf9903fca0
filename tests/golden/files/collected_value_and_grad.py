"""value_and_grad of collected, from programs.py:126."""

import math
import numpy as np


def _accumulate(a, b):
    """a + b, item by item; None and 0.0 stand for a zero of any structure."""
    if a is None or isinstance(a, float) and a == 0.0:
        return b
    if b is None or isinstance(b, float) and b == 0.0:
        return a
    if isinstance(a, (tuple, list)):
        items = [_accumulate(*pair) for pair in zip(a, b, strict=True)]
        return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
    if isinstance(a, dict):
        return {k: _accumulate(a.get(k), b.get(k)) for k in {**a, **b}}
    return (
        _map_leaves(_accumulate, a, b) if hasattr(a, "__dataclass_fields__") else a + b
    )


def _add_items(target, index, values):
    """target[index][k] += values[k] for every k, in place."""
    for k, value in zip(range(*index.indices(len(target))), values, strict=True):
        target[k] = _accumulate(target[k], value)


def _cast(x, like):
    """x with the floating type of like; a scalar where like is one, else an array."""
    if isinstance(like, np.ndarray):
        return np.asarray(x, like.dtype if like.dtype.kind in "fc" else None)
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x[()]
    return (
        type(like)(x)
        if isinstance(like, np.floating) and not isinstance(x, np.ndarray)
        else x
    )


def _item(x):
    """x.item(), of a Python number too."""
    return x.item() if hasattr(x, "item") else x


def _map_leaves(f, x, *rest):
    """f of the leaves of nested tuples, lists, dicts, named tuples and dataclasses."""
    if isinstance(x, dict):
        return {k: _map_leaves(f, v, *(r[k] for r in rest)) for k, v in x.items()}
    if isinstance(x, (tuple, list)):
        items = [_map_leaves(f, *parts) for parts in zip(x, *rest, strict=True)]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    if hasattr(x, "__dataclass_fields__"):
        names = x.__dataclass_fields__
        return type(x)(
            **{
                n: _map_leaves(f, getattr(x, n), *(getattr(r, n) for r in rest))
                for n in names
            }
        )
    return f(x, *rest)


def _unbroadcast(x, like):
    """x summed over the axes along which like was stretched, or repeated up to its shape."""
    if (
        type(x) is type(like) is np.ndarray
        and x.shape == like.shape
        and x.dtype == like.dtype
    ):
        return x
    shape, size = np.shape(like), np.shape(x)
    if size != shape:
        extra = len(size) - len(shape)
        if extra < 0 or any(
            n != m and n != 1 for n, m in zip(shape, size[extra:], strict=True)
        ):
            x = np.broadcast_to(x, np.broadcast_shapes(size, shape))
            extra = x.ndim - len(shape)
        stretched = (extra + i for i, n in enumerate(shape) if n != x.shape[extra + i])
        x = np.add.reduce(x, axis=(*range(extra), *stretched)).reshape(shape)
    return _cast(x, like)


def _unpack(x, like):
    """The items of the array x in the nested lists of like: what np.array(like) packed."""
    if isinstance(like, (list, tuple)):
        return type(like)(
            [_unpack(part, _item) for part, _item in zip(x, like, strict=True)]
        )
    return _unbroadcast(x, like)


def collected_value_and_grad(x, n):
    y_tape = []
    out = []
    y = x[0]
    for k in range(n):
        y_1 = y * x[k % len(x)] + math.cos(y)
        out.append(y_1)
        y_tape.append(y)
        y = y_1
    t = np.array(out)
    result = np.sum(t**2)
    # return np.sum(np.array(out) ** 2)
    bout = [0.0] * len(out)
    _add_items(bout, slice(None), _unpack(2 * t, out))
    bx = np.zeros_like(x)
    by = 0.0
    for k in range(n - 1, -1, -1):
        y = y_tape.pop()
        t = k % len(x)
        t_1 = x[t]
        # out.append(y)
        by_1 = bout.pop() + by
        # y = y * x[k % len(x)] + math.cos(y)
        by = by_1 * t_1 - by_1 * math.sin(y)
        bx[t] += by_1 * y
    # y = x[0]
    bx[0] += by
    return result, bx
