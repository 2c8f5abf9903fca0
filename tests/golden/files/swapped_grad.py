"""grad of swapped, from programs.py:236."""

import numpy as np


def swapped_grad(a, b, steps):
    a = a.copy()
    b = b.copy()
    tape = []
    ba = np.zeros_like(a)
    bb = np.zeros_like(b)
    ba_1 = ba
    bb_1 = bb
    for _ in range(steps):
        t = 0.5 * (a[:-2] * a[2:])
        b_old = b[1:-1].copy()
        b[1:-1] = t
        tape.append((bb_1, b, a, ba_1, t, b_old))
        a, b, ba_1, bb_1 = b, a, bb_1, ba_1
    # return np.sum(a)
    ba_1 += 1.0
    for bb_1, b, a, ba_1, t, b_old in reversed(tape):
        t_1 = a[:-2]
        t_2 = a[2:]
        # b[1:-1] = 0.5 * (a[:-2] * a[2:])
        t_3 = bb_1[1:-1].copy()
        bb_1[1:-1] = 0.0
        t = _unbroadcast(t_3, t)
        b[1:-1] = b_old
        t = t * 0.5
        t_1 = t * t_1
        ba_1[:-2] += t * t_2
        ba_1[2:] += t_1
    bb = bb.copy()
    return ba, bb


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
