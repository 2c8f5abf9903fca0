"""value_and_grad of trajectory, from programs.py:157."""

import numpy as np


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


def trajectory_value_and_grad(y, k):
    tape = []
    for _ in range(4):
        t = np.sin(y[0])
        result = np.array([y[1], -(k * t)])
        t_1 = 0.05 * result
        t_2 = y + t_1
        t_3 = np.sin(t_2[0])
        result_1 = np.array([t_2[1], -(k * t_3)])
        t_4 = 0.05 * result_1
        t_5 = y + t_4
        t_6 = np.sin(t_5[0])
        result_2 = np.array([t_5[1], -(k * t_6)])
        t_7 = 0.1 * result_2
        t_8 = y + t_7
        t_9 = np.sin(t_8[0])
        result_3 = np.array([t_8[1], -(k * t_9)])
        t_10 = 2.0 * result_1
        t_11 = result + t_10
        t_12 = 2.0 * result_2
        t_13 = t_11 + t_12
        t_14 = 0.1 / 6.0 * (t_13 + result_3)
        y_1 = y + t_14
        tape.append(
            (
                y,
                t,
                result,
                t_1,
                t_2,
                t_3,
                t_4,
                t_5,
                t_6,
                t_7,
                t_8,
                t_9,
                result_3,
                t_10,
                t_11,
                t_12,
                t_13,
                t_14,
            )
        )
        y = y_1
    result = y[0]
    # return rk4(rhs, y, 0.1, 4)[0]
    by = np.zeros_like(y)
    by[0] = 1.0
    bk = 0.0
    for _ in range(3, -1, -1):
        (
            y,
            t_14,
            result_2,
            t_13,
            t_11,
            t_12,
            t_10,
            t_8,
            t_9,
            t_7,
            t_5,
            t_6,
            result_1,
            t_4,
            t_2,
            t_3,
            t_1,
            t,
        ) = tape.pop()
        y_0 = y[0]
        t_15 = t_11[0]
        t_16 = t_8[0]
        # y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        b = _unbroadcast(by, y)
        b_1 = _unbroadcast(by, t) * (0.1 / 6.0)
        b_2 = _unbroadcast(b_1, t_1)
        b_1 = _unbroadcast(b_1, result_1)
        b_3 = _unbroadcast(b_2, t_2)
        b_2 = _unbroadcast(b_2, t_3) * 2.0
        b_4 = _unbroadcast(b_3, result_2)
        b_3 = _unbroadcast(b_3, t_4) * 2.0
        # return np.array([state[1], -k * np.sin(state[0])])
        t = b_1[0]
        t_1 = b_1[1]
        zero = np.zeros_like(t_5)
        zero[0] -= t_1 * k * np.cos(t_5[0])
        bk -= t_1 * t_6
        zero[1] += t
        # k4 = f(y + h * k3)
        by = _unbroadcast(zero, y) + b
        bresult = _unbroadcast(zero, t_7) * 0.1 + b_2
        # return np.array([state[1], -k * np.sin(state[0])])
        bresult_0 = bresult[0]
        bresult_1 = bresult[1]
        zero = np.zeros_like(t_8)
        zero[0] -= bresult_1 * k * np.cos(t_16)
        bk -= bresult_1 * t_9
        zero[1] += bresult_0
        # k3 = f(y + 0.5 * h * k2)
        by = _unbroadcast(zero, y) + by
        bresult = _unbroadcast(zero, t_10) * 0.05 + b_3
        # return np.array([state[1], -k * np.sin(state[0])])
        bresult_0 = bresult[0]
        bresult_1 = bresult[1]
        zero = np.zeros_like(t_11)
        zero[0] -= bresult_1 * k * np.cos(t_15)
        bk -= bresult_1 * t_12
        zero[1] += bresult_0
        # k2 = f(y + 0.5 * h * k1)
        by = _unbroadcast(zero, y) + by
        bresult = _unbroadcast(zero, t_13) * 0.05 + b_4
        # return np.array([state[1], -k * np.sin(state[0])])
        bresult_0 = bresult[0]
        bresult_1 = bresult[1]
        by[0] -= bresult_1 * k * np.cos(y_0)
        bk -= bresult_1 * t_14
        by[1] += bresult_0
    return result, (by, bk)
