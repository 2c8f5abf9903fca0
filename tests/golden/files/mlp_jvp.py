"""jvp of mlp, from programs.py:179."""

import numpy as np


def mlp_jvp(params, x, labels, dparams):
    dw = dparams["w"]
    db = dparams["b"]
    dv = dparams["v"]
    w = params["w"]
    b = params["b"]
    v = params["v"]
    b = x @ w + b
    hidden = np.maximum(b, 0.0)
    dhidden = _where_larger(x @ dw + db, b, 0.0) + _where_larger(0.0, 0.0, b)
    scores = hidden @ v
    dscores = dhidden @ v + hidden @ dv
    t = np.max(scores, axis=1, keepdims=True)
    scores_1 = scores - t
    d = dscores - _tied_mean(dscores, scores, t, 1, True)
    t = np.exp(scores_1)
    t_1 = np.sum(t, axis=1, keepdims=True)
    log_p = scores_1 - np.log(t_1)
    t_2 = np.arange(len(labels))
    dresult = -np.mean((d - np.sum(t * d, 1, keepdims=True) / t_1)[t_2, labels])
    return -np.mean(log_p[t_2, labels]), dresult


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


def _tied_mean(x, a, extremum, axis=None, keepdims=False):
    """The mean of x over the items of a that equal extremum: the tangent of a maximum."""
    hit = np.equal(a, _spread(extremum, a, axis, keepdims))
    number = np.maximum(np.sum(hit, axis=axis, keepdims=keepdims), 1)
    return _cast(
        np.sum(np.where(hit, x, 0.0), axis=axis, keepdims=keepdims) / number, extremum
    )


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
