"""grad of through_views, from programs.py:217."""

import numpy as np


def through_views_grad(A, s):
    A = A.copy()
    row = A[0]
    t = row[...].copy()
    A[0] = t * s
    A.T[1] += row
    t_1 = A > 2.0
    A[t_1] = s
    # return np.sum(A * A)
    bA = A.copy()
    bA += A
    # A[A > 2.0] = s
    t_2 = bA[t_1]
    bA[t_1] = 0.0
    t_1 = t_2.sum()
    # A.T[1] += row
    brow = bA[0]
    bA[0] += _unbroadcast(bA.T[1].copy(), row)
    # row *= s
    t_2 = brow[...]
    t = t_2 * t
    bA[0] = t_2 * s
    bs = t.sum() + t_1
    return bA, bs


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
