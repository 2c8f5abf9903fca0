"""value_and_grad of mlp, from programs.py:179."""

import dataclasses
import numpy as np


def mlp_value_and_grad(params, x, labels):
    w = params["w"]
    b = params["b"]
    v = params["v"]
    t = x @ w
    b_1 = t + b
    hidden = np.maximum(b_1, 0.0)
    scores = hidden @ v
    t_1 = np.max(scores, axis=1, keepdims=True)
    scores_1 = scores - t_1
    t_2 = np.exp(scores_1)
    t_3 = np.sum(t_2, axis=1, keepdims=True)
    t_4 = np.log(t_3)
    log_p = scores_1 - t_4
    t_5 = np.arange(len(labels)), labels
    t_6 = log_p[t_5]
    result = -np.mean(t_6)
    # return -np.mean(log_p[np.arange(len(labels)), labels])
    blog_p = np.zeros_like(log_p)
    _add_at(blog_p, t_5, np.full_like(t_6, -1.0 / t_6.size))
    # log_p = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    t_2 = _times(
        _spread(_times(_unbroadcast(-blog_p, t_4), 1.0 / t_3), t_2, 1, True), t_2
    )
    bscores = t_2 + blog_p
    # scores = scores - np.max(scores, axis=1, keepdims=True)
    bscores = _tied_share(_unbroadcast(-bscores, t_1), scores, t_1, 1, True) + bscores
    # scores = hidden @ params["v"]
    # hidden = np.maximum(x @ params["w"] + params["b"], 0.0)
    b_1 = _unbroadcast(_where_larger(bscores @ v.T, b_1, 0.0), b_1)
    return result, {
        "w": x.T @ _unbroadcast(b_1, t),
        "b": _unbroadcast(b_1, b),
        "v": hidden.T @ bscores,
    }


def _accumulate(a, b):
    """a + b, item by item; None and 0.0 stand for a zero of any structure."""
    if type(a) is type(b) is np.ndarray:
        return a + b
    if a is None or isinstance(a, float) and a == 0.0:
        return b
    if b is None or isinstance(b, float) and b == 0.0:
        return a
    if isinstance(a, (tuple, list)):
        items = [_accumulate(*pair) for pair in zip(a, b, strict=True)]
        return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
    if isinstance(a, dict):
        return {k: _accumulate(a.get(k), b.get(k)) for k in {**a, **b}}
    if hasattr(a, "__dataclass_fields__"):
        names = _field_names(a)
        parts = b if isinstance(b, tuple) else [getattr(b, n) for n in names]
        return _record_of(
            type(a),
            **{
                n: _accumulate(getattr(a, n), p)
                for n, p in zip(names, parts, strict=True)
            },
        )
    return a + b


def _add_at(target, index, value):
    """target[index] += value, where an index that repeats counts each time."""
    if isinstance(target, np.ndarray):
        np.add.at(target, index, value)
    else:
        target[index] = _accumulate(target[index], value)


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


def _field_names(record):
    """The names of the fields of a dataclass instance: class variables are none."""
    return [field.name for field in dataclasses.fields(record)]


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


def _tied_share(x, a, extremum, axis=None, keepdims=False):
    """x shared evenly by the items of a that equal extremum: the adjoint of a maximum."""
    if axis is not None and not keepdims:
        x, extremum = np.expand_dims(x, axis), np.expand_dims(extremum, axis)
    hit = np.equal(a, extremum)
    number = np.maximum(np.add.reduce(hit, axis=axis, keepdims=True), 1)
    return _cast(np.where(hit, x / number, 0.0), a)


def _times(x, partial):
    """x * partial, and zero wherever x is zero: what np.where did not take adds no NaN."""
    if isinstance(x, np.ndarray) or isinstance(partial, np.ndarray):
        product = x * np.where(x, partial, 0.0)
        return product.astype(np.result_type(x, partial), copy=False)
    return x * partial if x else 0.0


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


def _where_larger(value, x, y):
    """value where x > y, half of it where x == y, else zero."""
    if (
        isinstance(x, np.ndarray)
        or isinstance(y, np.ndarray)
        or isinstance(value, np.ndarray)
    ):
        ties = np.equal(x, y)
        picked = np.where(
            x > y, value, np.where(ties, 0.5 * value, 0.0) if ties.any() else 0.0
        )
        return picked.astype(np.result_type(value, x, y), copy=False)
    return value if x > y else 0.5 * value if x == y else 0.0
