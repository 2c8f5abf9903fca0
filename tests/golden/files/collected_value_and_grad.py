"""value_and_grad of collected, from programs.py:126."""

import math
import numpy as np


def collected_value_and_grad(x, n):
    y_tape = []
    out = []
    y = x[0]
    for k in range(n):
        y_tape.append(y)
        y = y * x[k % len(x)] + math.cos(y)
        out.append(y)
    t = np.array(out)
    result = np.sum(t**2)
    # return np.sum(np.array(out) ** 2)
    bout = _unpack(2 * t, out)
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


def _cast(x, like):
    """x with the floating type of like, its real part where that is real; a scalar where like is one, else an array."""
    if isinstance(like, np.ndarray):
        kind = like.dtype.kind
        return np.asarray(
            np.real(x) if kind == "f" else x, like.dtype if kind in "fc" else None
        )
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x[()]
    if isinstance(like, (float, np.floating)):
        x = x.real
    if isinstance(x, np.ndarray):
        return x
    if isinstance(like, np.inexact):
        return type(like)(x)
    is_narrow = isinstance(x, np.inexact) and not isinstance(x, (float, complex))
    return x.item() if is_narrow and isinstance(like, (float, complex)) else x


def _item(x):
    """x.item(), of a Python number too."""
    return x.item() if hasattr(x, "item") else x


def _unbroadcast(x, like):
    """x summed over the axes along which like was stretched, or repeated up to its shape."""
    if (
        type(x) is type(like) is np.ndarray
        and x.shape == like.shape
        and x.dtype == like.dtype
    ):
        return x
    shape, size = np.shape(like), np.shape(x)
    if size == () != shape:
        x = np.full(shape, x)
    elif size != shape:
        extra = len(size) - len(shape)
        if extra < 0 or [
            n for n, m in zip(shape, size[extra:], strict=True) if n not in (m, 1)
        ]:
            x = np.broadcast_to(x, np.broadcast_shapes(size, shape))
            size, extra = x.shape, x.ndim - len(shape)
        axes = [k for k, n in enumerate(shape, extra) if n != size[k]]
        x = np.add.reduce(x, axis=(*range(extra), *axes)).reshape(shape)
    return _cast(x, like)


def _unpack(x, like):
    """The items of the array x in the nested lists of like: what np.array(like) packed."""
    if isinstance(like, (list, tuple)):
        if (
            isinstance(x, np.ndarray)
            and x.ndim == 1
            and all(type(_item) is float for _item in like)
        ):
            return type(like)(x.tolist())
        return type(like)(
            [_unpack(part, _item) for part, _item in zip(x, like, strict=True)]
        )
    return _unbroadcast(x, like)
