"""jvp of anything, from programs.py:48."""

import numpy as np


def anything_jvp(x, y, dx, dy):
    t = x * y
    t_1 = np.tanh(t)
    t_2 = t_1 + y
    dresult = np.sum(
        _unbroadcast((1.0 - t_1 * t_1) * _unbroadcast(y * dx + x * dy, t) + dy, t_2)
    )
    return np.sum(t_2), dresult


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
    return (
        type(like)(x)
        if isinstance(like, np.floating) and not isinstance(x, np.ndarray)
        else x
    )


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
        if extra < 0 or [
            n for n, m in zip(shape, size[extra:], strict=True) if n not in (m, 1)
        ]:
            x = np.broadcast_to(x, np.broadcast_shapes(size, shape))
            size, extra = x.shape, x.ndim - len(shape)
        axes = [k for k, n in enumerate(shape, extra) if n != size[k]]
        x = np.add.reduce(x, axis=(*range(extra), *axes)).reshape(shape)
    return _cast(x, like)
