"""value_and_grad of trajectory, from programs.py:157."""

import numpy as np


def trajectory_value_and_grad(y, k):
    tape = []
    for _ in range(4):
        t = np.sin(y[0])
        result = np.array([y[1], -(k * t)])
        t_1 = y + 0.05 * result
        t_2 = np.sin(t_1[0])
        result_1 = np.array([t_1[1], -(k * t_2)])
        t_3 = y + 0.05 * result_1
        t_4 = np.sin(t_3[0])
        result_2 = np.array([t_3[1], -(k * t_4)])
        t_5 = y + 0.1 * result_2
        t_6 = t_5[1]
        t_7 = np.sin(t_5[0])
        tape.append((y, t, t_1, t_2, t_3, t_4, t_5, t_7))
        y = y + 0.1 / 6.0 * (
            result + 2.0 * result_1 + 2.0 * result_2 + np.array([t_6, -(k * t_7)])
        )
    result = y[0]
    # return rk4(rhs, y, 0.1, 4)[0]
    by = np.zeros_like(y)
    by[0] = 1.0
    bk = 0.0
    for y, t, t_1, t_2, t_3, t_4, t_5, t_7 in reversed(tape):
        y_0 = y[0]
        t_6 = t_1[0]
        t_8 = t_3[0]
        # y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        b = _unbroadcast(by, y)
        b_1 = by * (0.1 / 6.0)
        b_2 = b_1 * 2.0
        # return np.array([state[1], -k * np.sin(state[0])])
        t_9 = b_1[0]
        t_10 = b_1[1]
        zero = np.zeros_like(t_5)
        zero[0] -= t_10 * k * np.cos(t_5[0])
        bk -= t_10 * t_7
        zero[1] += t_9
        # k4 = f(y + h * k3)
        by = _unbroadcast(zero, y) + b
        bresult = zero * 0.1 + b_2
        # return np.array([state[1], -k * np.sin(state[0])])
        bresult_0 = bresult[0]
        bresult_1 = bresult[1]
        zero = np.zeros_like(t_3)
        zero[0] -= bresult_1 * k * np.cos(t_8)
        bk -= bresult_1 * t_4
        zero[1] += bresult_0
        # k3 = f(y + 0.5 * h * k2)
        by = _unbroadcast(zero, y) + by
        bresult = zero * 0.05 + b_2
        # return np.array([state[1], -k * np.sin(state[0])])
        bresult_0 = bresult[0]
        bresult_1 = bresult[1]
        zero = np.zeros_like(t_1)
        zero[0] -= bresult_1 * k * np.cos(t_6)
        bk -= bresult_1 * t_2
        zero[1] += bresult_0
        # k2 = f(y + 0.5 * h * k1)
        by = _unbroadcast(zero, y) + by
        bresult = zero * 0.05 + b_1
        # return np.array([state[1], -k * np.sin(state[0])])
        bresult_0 = bresult[0]
        bresult_1 = bresult[1]
        by[0] -= bresult_1 * k * np.cos(y_0)
        bk -= bresult_1 * t
        by[1] += bresult_0
    return result, (by, bk)


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
