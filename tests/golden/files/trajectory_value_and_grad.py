"""value_and_grad of trajectory, from programs.py:157."""

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


def trajectory_value_and_grad(y, k):
    tape = []
    y_1 = y
    for _ in range(4):
        t = np.sin(y_1[0])
        items = [y_1[1], -(k * t)]
        result = np.array(items)
        t_1 = 0.05 * result
        t_2 = y_1 + t_1
        t_3 = np.sin(t_2[0])
        items_1 = [t_2[1], -(k * t_3)]
        result_1 = np.array(items_1)
        t_4 = 0.05 * result_1
        t_5 = y_1 + t_4
        t_6 = np.sin(t_5[0])
        items_2 = [t_5[1], -(k * t_6)]
        result_2 = np.array(items_2)
        t_7 = 0.1 * result_2
        t_8 = y_1 + t_7
        t_9 = np.sin(t_8[0])
        items_3 = [t_8[1], -(k * t_9)]
        result_3 = np.array(items_3)
        t_10 = 2.0 * result_1
        t_11 = result + t_10
        t_12 = 2.0 * result_2
        t_13 = t_11 + t_12
        t_14 = 0.1 / 6.0 * (t_13 + result_3)
        y_2 = y_1 + t_14
        tape.append(
            (
                y_1,
                t,
                items,
                result,
                t_1,
                t_2,
                t_3,
                items_1,
                t_4,
                t_5,
                t_6,
                items_2,
                t_7,
                t_8,
                t_9,
                items_3,
                result_3,
                t_10,
                t_11,
                t_12,
                t_13,
                t_14,
                y_2,
            )
        )
        y_1 = y_2
    result = y_1[0]
    # return rk4(rhs, y, 0.1, 4)[0]
    by = np.zeros_like(y_1)
    by[0] += 1.0
    bk = 0.0
    for _ in range(3, -1, -1):
        (
            y_2,
            t_18,
            t_17,
            result_1,
            t_16,
            t_14,
            t_15,
            t_13,
            t_12,
            t_10,
            t_11,
            t_9,
            t_8,
            t_6,
            t_7,
            t_5,
            result_2,
            t_4,
            t_2,
            t_3,
            t_1,
            t,
            y_1,
        ) = tape.pop()
        y_0 = y_2[0]
        t_19 = t_14[0]
        t_20 = t_10[0]
        t_21 = t_6[0]
        b = _unbroadcast(by, y_1)
        # y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        b_1 = _unbroadcast(b, y_2)
        b = _unbroadcast(b, t) * (0.1 / 6.0)
        b_2 = _unbroadcast(b, t_1)
        b_3 = _unbroadcast(b_2, t_2)
        b_2 = _unbroadcast(b_2, t_3) * 2.0
        b_4 = _unbroadcast(b_3, result_1)
        b_3 = _unbroadcast(b_3, t_4) * 2.0
        # return np.array([state[1], -k * np.sin(state[0])])
        zero = [0.0] * len(t_5)
        t = slice(None)
        _add_items(zero, t, _unpack(_unbroadcast(b, result_2), t_5))
        zero_0 = zero[0]
        zero_1 = zero[1]
        zero = np.zeros_like(t_6)
        zero[0] -= zero_1 * k * np.cos(t_21)
        bk -= zero_1 * t_7
        zero[1] += zero_0
        # k4 = f(y + h * k3)
        by = _unbroadcast(zero, y_2) + b_1
        bresult = _unbroadcast(zero, t_8) * 0.1 + b_2
        # return np.array([state[1], -k * np.sin(state[0])])
        zero = [0.0] * len(t_9)
        _add_items(zero, t, _unpack(bresult, t_9))
        zero_0 = zero[0]
        zero_1 = zero[1]
        zero = np.zeros_like(t_10)
        zero[0] -= zero_1 * k * np.cos(t_20)
        bk -= zero_1 * t_11
        zero[1] += zero_0
        # k3 = f(y + 0.5 * h * k2)
        by = _unbroadcast(zero, y_2) + by
        bresult = _unbroadcast(zero, t_12) * 0.05 + b_3
        # return np.array([state[1], -k * np.sin(state[0])])
        zero = [0.0] * len(t_13)
        _add_items(zero, t, _unpack(bresult, t_13))
        zero_0 = zero[0]
        zero_1 = zero[1]
        zero = np.zeros_like(t_14)
        zero[0] -= zero_1 * k * np.cos(t_19)
        bk -= zero_1 * t_15
        zero[1] += zero_0
        # k2 = f(y + 0.5 * h * k1)
        by = _unbroadcast(zero, y_2) + by
        bresult = _unbroadcast(zero, t_16) * 0.05 + b_4
        # return np.array([state[1], -k * np.sin(state[0])])
        zero = [0.0] * len(t_17)
        _add_items(zero, t, _unpack(bresult, t_17))
        zero_0 = zero[0]
        zero_1 = zero[1]
        by[0] -= zero_1 * k * np.cos(y_0)
        bk -= zero_1 * t_18
        by[1] += zero_0
    return result, (_unbroadcast(by, y), bk)
