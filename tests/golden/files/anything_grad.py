"""grad of anything, from programs.py:48."""

import dataclasses
import numpy as np


def anything_grad(x, y):
    t = np.tanh(x * y)
    # return np.sum(np.tanh(x * y) + y)
    t_1 = 1.0 - t * t
    by = _unbroadcast(t_1 * x, y) + _unbroadcast(_spread(1.0, t), y)
    return _as_result(_unbroadcast(t_1 * y, x), x), _as_result(by, y)


def _as_result(bx, x):
    """The adjoint bx with the structure, shapes and floating types of x, in memory of its own."""
    if isinstance(x, np.ndarray):
        bx = _zero_leaf(x) if bx is None else _unbroadcast(bx, x)
        return np.array(bx, dtype=None if bx.dtype.kind in "fc" else float)
    if isinstance(x, (complex, np.complexfloating)):
        return 0j if bx is None else _unbroadcast(bx, x) + 0j
    if isinstance(x, (int, float, np.number, np.bool_)):
        return _zero_leaf(x) if bx is None else _unbroadcast(bx, x)
    if isinstance(x, (tuple, list, dict)) or hasattr(x, "__dataclass_fields__"):
        bx = _zeros_like(x) if bx is None or isinstance(bx, float) else bx
        return _map_leaves(lambda leaf, b: _as_result(b, leaf), x, bx)
    return None


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


def _field_names(record):
    """The names of the fields of a dataclass instance: class variables are none."""
    return [field.name for field in dataclasses.fields(record)]


def _map_leaves(f, x, *rest):
    """f of the leaves of nested tuples, lists, dicts, named tuples and dataclasses."""
    if isinstance(x, dict):
        return {k: _map_leaves(f, v, *(r[k] for r in rest)) for k, v in x.items()}
    if isinstance(x, (tuple, list)):
        items = [_map_leaves(f, *parts) for parts in zip(x, *rest, strict=True)]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    if hasattr(x, "__dataclass_fields__"):
        names = _field_names(x)
        return _record_of(
            type(x),
            **{
                n: _map_leaves(f, getattr(x, n), *(getattr(r, n) for r in rest))
                for n in names
            },
        )
    return f(x, *rest)


def _record_of(cls, /, **values):
    """A dataclass instance with these fields: its constructor, which is not called, may change what it is given."""
    record = object.__new__(cls)
    for name, value in values.items():
        object.__setattr__(record, name, value)
    return record


def _spread(x, like, axis=None, keepdims=False):
    """x repeated along the axes of like that a reduction summed away."""
    if not isinstance(like, np.ndarray):
        return _cast(x, like)
    if axis is not None and not keepdims:
        kept = list(like.shape)
        for k in axis if isinstance(axis, tuple) else (axis,):
            kept[k] = 1
        x = np.reshape(x, kept)
    return np.broadcast_to(_cast(x, like), like.shape).copy()


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


def _zero_leaf(x):
    """The zero adjoint of a number or an array, None for what has no adjoint."""
    if isinstance(x, np.ndarray):
        return np.zeros_like(
            x, dtype=None if x.dtype.kind in "fc" else float, subok=False
        )
    if isinstance(x, complex):
        return 0j
    if isinstance(x, (np.float16, np.float32)):
        return type(x)(0.0)
    return 0.0 if isinstance(x, (int, float, np.number, np.bool_)) else None


def _zeros_like(x):
    """A floating zero with the structure of x."""
    return _map_leaves(_zero_leaf, x)
