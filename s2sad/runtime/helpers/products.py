"""Products of arrays transposed, and what the rules of linear algebra call."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.helpers.adjoints import cast, unbroadcast
from s2sad.runtime.helpers.lengths import stretch
from s2sad.runtime.helpers.points import quotient

__all__ = [
    "add_product",
    "contracted",
    "dot_left",
    "dot_right",
    "eigenvectors",
    "einsum_terms",
    "einsum_transpose",
    "inverse_gaps",
    "least_squares",
    "least_squares_rank",
    "matmul_left",
    "matmul_right",
    "need_square",
    "need_variables",
    "tensordot_left",
    "tensordot_right",
    "unconvolve",
]


def matmul_left(x: Any, like: Any, b: Any) -> Any:
    """The adjoint of like in like @ b, x being that of the product."""
    if np.ndim(b) < 3:
        return dot_left(x, like, b)
    if np.ndim(like) == 1:
        x = np.expand_dims(x, -2)
    product = np.matmul(x, np.swapaxes(b, -1, -2))
    return unbroadcast(product[..., 0, :] if np.ndim(like) == 1 else product, like)


def matmul_right(x: Any, a: Any, like: Any) -> Any:
    """The adjoint of like in a @ like, x being that of the product."""
    if np.ndim(like) < 3:
        return dot_right(x, a, like)
    if np.ndim(a) == 1:
        a = np.expand_dims(a, -2)
        x = np.expand_dims(x, -2)
    return unbroadcast(np.matmul(np.swapaxes(a, -1, -2), x), like)


def dot_left(x: Any, like: Any, b: Any) -> Any:
    """The adjoint of like in np.dot(like, b), x being that of the product."""
    if np.ndim(like) == 0 or np.ndim(b) == 0:
        return unbroadcast(np.multiply(x, b), like)
    axes = np.ndim(b) - 1
    return cast(np.tensordot(x, np.swapaxes(b, -1, -2) if axes else b, axes), like)


def dot_right(x: Any, a: Any, like: Any) -> Any:
    """The adjoint of like in np.dot(a, like), x being that of the product."""
    if np.ndim(like) == 0 or np.ndim(a) == 0:
        return unbroadcast(np.multiply(a, x), like)
    axes = range(np.ndim(a) - 1)
    product = np.tensordot(a, x, (axes, axes))
    return cast(np.moveaxis(product, 0, -2) if np.ndim(like) > 1 else product, like)


def contracted(axes: Any, ndim: Any, side: Any) -> list[int]:
    """The axes of one operand (side 0 or 1) that np.tensordot sums over."""
    if isinstance(axes, int):
        return list(range(ndim - axes, ndim)) if side == 0 else list(range(axes))
    mine = axes[side]
    return [i % ndim for i in (mine if isinstance(mine, (tuple, list)) else [mine])]


def tensordot_left(x: Any, like: Any, b: Any, axes: Any = 2) -> Any:
    """The adjoint of like in np.tensordot(like, b, axes), x being that of the product."""
    summed, other = contracted(axes, np.ndim(like), 0), contracted(axes, np.ndim(b), 1)
    kept = [i for i in range(np.ndim(like)) if i not in summed]
    free = [i for i in range(np.ndim(b)) if i not in other]
    product = np.tensordot(x, b, (range(len(kept), np.ndim(x)), free))
    order = kept + [s for _, s in sorted(zip(other, summed, strict=True))]
    return cast(np.transpose(product, np.argsort(order)), like)


def tensordot_right(x: Any, a: Any, like: Any, axes: Any = 2) -> Any:
    """The adjoint of like in np.tensordot(a, like, axes), x being that of the product."""
    summed, other = contracted(axes, np.ndim(like), 1), contracted(axes, np.ndim(a), 0)
    kept = [i for i in range(np.ndim(like)) if i not in summed]
    free = [i for i in range(np.ndim(a)) if i not in other]
    product = np.tensordot(a, x, (free, range(len(free))))
    order = [s for _, s in sorted(zip(other, summed, strict=True))] + kept
    return cast(np.transpose(product, np.argsort(order)), like)


def einsum_terms(subscripts: Any, *ranks: Any) -> tuple[list[str], str]:
    """The labels of each operand and of the result, ellipses spelt out."""
    left, arrow, out = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if not arrow:
        out = "".join(sorted(c for c in set(left) - set(".,") if left.count(c) == 1))
        out = "..." + out if "..." in left else out
    spare = [c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBAzyxwvutsrqponmlkjihgfedcba" if c not in subscripts]
    dots = [r - len(t) + 3 if "..." in t else 0 for t, r in zip(terms, ranks, strict=True)]
    names = "".join(spare[: max(dots)][::-1])
    full = [t.replace("...", names[len(names) - n :]) for t, n in zip(terms, dots, strict=True)]
    return full, out.replace("...", names)


def einsum_transpose(k: Any, subscripts: Any, x: Any, like: Any, *others: Any) -> Any:
    """The adjoint of operand k, like, of np.einsum(subscripts, ...), x being that of the result."""
    ranks = [np.ndim(a) for a in (*others[:k], like, *others[k:])]
    terms, out = einsum_terms(subscripts, *ranks)
    mine, known = terms.pop(k), set(out).union(*terms)
    fresh = [c for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in known | set(mine)]
    labels, extras = "", {}
    for c, n in zip(mine, np.shape(like), strict=True):
        new = fresh.pop() if c in labels else c
        if new != c:
            extras[c + new] = np.eye(n)
        elif c not in known:
            extras[c] = np.ones(n)
        labels += new
    spec = ",".join((out, *terms, *extras)) + "->" + labels
    return unbroadcast(np.einsum(spec, x, *others, *extras.values()), like)


def unconvolve(x: Any, like: Any, v: Any, mode: Any = "full") -> Any:
    """The adjoint of like in np.convolve(like, v, mode), x being that of the result."""
    n, m = np.size(like), np.size(v)
    before = {"full": 0, "same": (min(n, m) - 1) // 2, "valid": min(n, m) - 1}[mode]
    found = np.convolve(np.pad(x, (before, n + m - 1 - before - len(x))), np.flip(np.ravel(v)), "valid")
    return cast(np.reshape(found, np.shape(like)), like)


def eigenvectors(a: Any, w: Any) -> Any:
    """The vectors of the eigenvalues w of a, in their order, as complex numbers."""
    found, v = np.linalg.eig(a)
    order = np.argmin(np.abs(w[..., :, None] - found[..., None, :]), axis=-1)
    return np.take_along_axis(v, order[..., None, :], axis=-1) + 0j


def inverse_gaps(w: Any) -> Any:
    """1 / (w[j] - w[i]) at [i, j], and zero where they are equal."""
    return quotient(1.0, w[..., None, :] - w[..., :, None])


def add_product(target: Any, a: Any, b: Any) -> None:
    """Add the product of two matrices; without making it first, where each item of it has few terms."""
    n, m = target.shape
    if a.shape[1] <= 3 and a.shape == (n, b.shape[0]) and b.shape[1] == m:
        for i in range(n):
            for k in range(a.shape[1]):
                factor = a[i, k]
                for j in range(m):
                    target[i, j] += factor * b[k, j]
    else:
        product = a @ b
        down, along = stretch(product.shape[0], n), stretch(product.shape[1], m)
        for i in range(n):
            for j in range(m):
                target[i, j] += product[down * i, along * j]


def need_square(a: Any) -> None:
    """Refuse vectors that go with no singular value: they may be any that fill the space."""
    if np.shape(a)[-1] != np.shape(a)[-2]:
        raise NotImplementedError("np.linalg.svd completes the vectors of a matrix that is not square")


def least_squares(a: Any, b: Any, rcond: Any = None) -> Any:
    """The first of what np.linalg.lstsq gives: the x for which a @ x is nearest to b, of several the shortest."""
    return np.linalg.lstsq(a, b, rcond)[0]


def least_squares_rank(a: Any, b: Any, rcond: Any = None) -> Any:
    """The rank that np.linalg.lstsq finds."""
    return np.linalg.lstsq(a, b, rcond)[2]


def need_variables(rows: Any) -> None:
    """Refuse a matrix that np.cov finds one variable in: its result is then a number."""
    if np.shape(rows)[0] == 1:
        raise NotImplementedError("np.cov of a matrix with one variable gives a number")
