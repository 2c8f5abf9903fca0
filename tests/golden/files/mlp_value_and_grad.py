"""value_and_grad of mlp, from programs.py:179."""

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
    log_p = scores_1 - np.log(t_3)
    t_4 = np.arange(len(labels))
    t_5 = log_p[t_4, labels]
    result = -np.mean(t_5)
    # return -np.mean(log_p[np.arange(len(labels)), labels])
    blog_p = np.zeros_like(log_p)
    blog_p[t_4, labels] -= 1.0 / max(t_5.size, 1)
    # log_p = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    bscores = np.sum(-blog_p, axis=1, keepdims=True) / t_3 * t_2 + blog_p
    # scores = scores - np.max(scores, axis=1, keepdims=True)
    bscores = (
        _tied_share(np.sum(-bscores, axis=1, keepdims=True), scores, t_1, 1, True)
        + bscores
    )
    # scores = hidden @ params["v"]
    # hidden = np.maximum(x @ params["w"] + params["b"], 0.0)
    b_1 = _where_larger(bscores @ v.T, b_1, 0.0)
    return result, {
        "w": x.T @ _unbroadcast(b_1, t),
        "b": _unbroadcast(b_1, b),
        "v": hidden.T @ bscores,
    }


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


def _tied_share(x, a, extremum, axis=None, keepdims=False):
    """x shared evenly by the items of a that equal extremum: the adjoint of a maximum."""
    if axis is not None and not keepdims:
        x, extremum = np.expand_dims(x, axis), np.expand_dims(extremum, axis)
    hit = np.equal(a, extremum)
    number = np.maximum(np.add.reduce(hit, axis=axis, keepdims=True), 1)
    return _cast(np.where(hit, x / number, 0.0), a)


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
