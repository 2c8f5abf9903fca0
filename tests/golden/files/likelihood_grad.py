"""grad of likelihood, from programs.py:250."""

import dataclasses
import numpy as np


def likelihood_grad(K, y):
    L_tape = []
    tape = []
    L = None
    jitter = 1e-06
    done = False
    for _ in range(5):
        test = likelihood_error(y, jitter, K) is None
        tape.append((L, test))
        if test:
            L = np.linalg.cholesky(K + jitter * np.eye(len(y)))
            L_tape.append(L)
            done = True
            break
        jitter *= 100.0
    if done:
        z = np.linalg.solve(L, y)
        # return -0.5 * z @ z - np.sum(np.log(np.diag(L)))
        bz = -0.5 * z - 0.5 * z
        # z = np.linalg.solve(L, y)
        by = np.linalg.solve(L.T, bz)
        bL = _undiag(-1.0 / np.diag(L), L, 0) - np.outer(by, z)
    else:
        bL = np.zeros_like(L)
        by = np.zeros_like(y)
    bK = np.zeros_like(K)
    for L_1, test in reversed(tape):
        if test:
            L_2 = L_tape.pop()
            # L = np.linalg.cholesky(K + jitter * np.eye(len(y)))
            result = L_2.T
            b = result @ bL
            inner = np.linalg.solve(
                result,
                np.linalg.solve(result, (0.5 * (np.tril(b) + np.tril(b, -1))).T).T,
            )
            t = inner + inner.T
            bK += _unbroadcast(0.5 * (np.tril(t) + np.tril(t, -1)), K)
            bL = np.zeros_like(L_1)
    return bK, by


def likelihood_error(y, jitter, K):
    try:
        np.linalg.cholesky(K + jitter * np.eye(len(y)))
    except np.linalg.LinAlgError as error:
        return error
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


def _undiag(x, like, k=0):
    """The adjoint of np.diag(like, k)."""
    return np.diag(x, k) if np.ndim(like) == 1 else _undiagonal(x, like, k)


def _undiagonal(x, like, offset=0, axis1=0, axis2=1):
    """Zeros like like, with x on the diagonal that np.diagonal read."""
    out = _zeros_like(like)
    i = np.arange(np.shape(x)[-1])
    np.moveaxis(out, (axis1, axis2), (0, 1))[i - min(offset, 0), i + max(offset, 0)] = (
        np.moveaxis(x, -1, 0)
    )
    return out


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
