"""jvp of trajectory, from programs.py:157."""

import numpy as np


def trajectory_jvp(y, k, dy, dk):
    for _ in range(4):
        t = -k
        y_0 = y[0]
        t_1 = np.sin(y_0)
        dresult = np.array([dy[1], t * (np.cos(y_0) * dy[0]) - t_1 * dk])
        result = np.array([y[1], t * t_1])
        t_1 = y + 0.05 * result
        d = _unbroadcast(dy + 0.05 * dresult, t_1)
        t_2 = t_1[0]
        t_3 = np.sin(t_2)
        dresult_1 = np.array([d[1], t * (np.cos(t_2) * d[0]) - t_3 * dk])
        result_1 = np.array([t_1[1], t * t_3])
        t_1 = y + 0.05 * result_1
        d = _unbroadcast(dy + 0.05 * dresult_1, t_1)
        t_2 = t_1[0]
        t_3 = np.sin(t_2)
        dresult_2 = np.array([d[1], t * (np.cos(t_2) * d[0]) - t_3 * dk])
        result_2 = np.array([t_1[1], t * t_3])
        t_1 = y + 0.1 * result_2
        d = _unbroadcast(dy + dresult_2 * 0.1, t_1)
        t_2 = t_1[0]
        t_3 = np.sin(t_2)
        dresult_3 = np.array([d[1], t * (np.cos(t_2) * d[0]) - t_3 * dk])
        t_2 = 0.1 / 6.0
        y = y + t_2 * (
            result + 2.0 * result_1 + 2.0 * result_2 + np.array([t_1[1], t * t_3])
        )
        dy = _unbroadcast(
            dy + t_2 * (dresult + dresult_1 * 2.0 + dresult_2 * 2.0 + dresult_3), y
        )
    dresult = dy[0]
    return y[0], dresult


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
