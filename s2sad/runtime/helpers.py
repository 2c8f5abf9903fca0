"""Small functions that derivative code calls where the kinds of its values are not known.

The emitter copies the source of those that a module uses into it, so each is short,
uses NumPy and :mod:`math` only, and calls nothing but its neighbours.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# ---------------------------------------------------------------- adjoints in the form of their primals


def cast(x: Any, like: Any) -> Any:
    """x with the floating type of like, its real part where that is real; a scalar where like is one, else an array."""
    if isinstance(like, np.ndarray):
        kind = like.dtype.kind
        return np.asarray(np.real(x) if kind == "f" else x, like.dtype if kind in "fc" else None)
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x[()]
    if isinstance(like, (float, np.floating)):
        x = x.real
    return type(like)(x) if isinstance(like, np.floating) and not isinstance(x, np.ndarray) else x


def unbroadcast(x: Any, like: Any) -> Any:
    """x summed over the axes along which like was stretched, or repeated up to its shape."""
    if type(x) is type(like) is np.ndarray and x.shape == like.shape and x.dtype == like.dtype:
        return x
    shape, size = np.shape(like), np.shape(x)
    if size != shape:
        extra = len(size) - len(shape)
        if extra < 0 or [n for n, m in zip(shape, size[extra:], strict=True) if n not in (m, 1)]:
            x = np.broadcast_to(x, np.broadcast_shapes(size, shape))
            size, extra = x.shape, x.ndim - len(shape)
        axes = [k for k, n in enumerate(shape, extra) if n != size[k]]
        x = np.add.reduce(x, axis=(*range(extra), *axes)).reshape(shape)
    return cast(x, like)


def spread(x: Any, like: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """x repeated along the axes of like that a reduction summed away."""
    if not isinstance(like, np.ndarray):
        return cast(x, like)
    if axis is not None and not keepdims:
        kept = list(like.shape)
        for k in axis if isinstance(axis, tuple) else (axis,):
            kept[k] = 1
        x = np.reshape(x, kept)
    return np.broadcast_to(cast(x, like), like.shape).copy()


def count(a: Any, axis: Any = None) -> int:
    """How many items of a go into each item of its reduction."""
    if axis is None:
        return np.size(a)
    axes = axis if isinstance(axis, tuple) else (axis,)
    return math.prod(np.shape(a)[i] for i in axes)


def map_leaves(f: Any, x: Any, *rest: Any) -> Any:
    """f of the leaves of nested tuples, lists, dicts, named tuples and dataclasses."""
    if isinstance(x, dict):
        return {k: map_leaves(f, v, *(r[k] for r in rest)) for k, v in x.items()}
    if isinstance(x, (tuple, list)):
        items = [map_leaves(f, *parts) for parts in zip(x, *rest, strict=True)]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    if hasattr(x, "__dataclass_fields__"):
        names = x.__dataclass_fields__
        return type(x)(**{n: map_leaves(f, getattr(x, n), *(getattr(r, n) for r in rest)) for n in names})
    return f(x, *rest)


def zero_leaf(x: Any) -> Any:
    """The zero adjoint of a number or an array, None for what has no adjoint."""
    if isinstance(x, np.ndarray):
        return np.zeros_like(x, dtype=None if x.dtype.kind in "fc" else float, subok=False)
    if isinstance(x, complex):
        return 0j
    return 0.0 if isinstance(x, (int, float, np.number, np.bool_)) else None


def zeros_like(x: Any) -> Any:
    """A floating zero with the structure of x."""
    return map_leaves(zero_leaf, x)


def complex_zero_leaf(x: Any) -> Any:
    """The zero adjoint of a number or an array that counts as complex."""
    if isinstance(x, np.ndarray):
        return np.zeros_like(x, dtype=np.result_type(x, np.complex64), subok=False)
    return 0j if isinstance(x, (int, float, complex, np.number, np.bool_)) else None


def complex_zeros(x: Any) -> Any:
    """A complex zero with the structure of x, of which some may be real."""
    return map_leaves(complex_zero_leaf, x)


def zero_item(x: Any, k: Any) -> Any:
    """The zero adjoint of x[k]; 0.0 where x is None and has no items."""
    return 0.0 if x is None else zeros_like(x[k])


def ones_like(x: Any) -> Any:
    """A floating one with the shape of x."""
    if isinstance(x, np.ndarray):
        return np.ones_like(x, dtype=None if x.dtype.kind in "fc" else float, subok=False)
    return 1.0


def accumulate(a: Any, b: Any) -> Any:
    """a + b, item by item; None and 0.0 stand for a zero of any structure."""
    if type(a) is type(b) is np.ndarray:
        return a + b
    if a is None or (isinstance(a, float) and a == 0.0):
        return b
    if b is None or (isinstance(b, float) and b == 0.0):
        return a
    if isinstance(a, (tuple, list)):
        items = [accumulate(*pair) for pair in zip(a, b, strict=True)]
        return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
    if isinstance(a, dict):
        return {k: accumulate(a.get(k), b.get(k)) for k in {**a, **b}}
    if hasattr(a, "__dataclass_fields__"):
        names = a.__dataclass_fields__
        parts = b if isinstance(b, tuple) else [getattr(b, n) for n in names]
        return type(a)(**{n: accumulate(getattr(a, n), part) for n, part in zip(names, parts, strict=True)})
    return a + b


def as_result(bx: Any, x: Any) -> Any:
    """The adjoint bx with the structure, shapes and floating types of x, in memory of its own."""
    if isinstance(x, np.ndarray):
        bx = zero_leaf(x) if bx is None else unbroadcast(bx, x)
        return np.array(bx, dtype=None if bx.dtype.kind in "fc" else float)
    if isinstance(x, (complex, np.complexfloating)):
        return 0j if bx is None else unbroadcast(bx, x) + 0j
    if isinstance(x, (int, float, np.number, np.bool_)):
        return 0.0 if bx is None else unbroadcast(bx, x)
    if isinstance(x, (tuple, list, dict)) or hasattr(x, "__dataclass_fields__"):
        bx = zeros_like(x) if bx is None or isinstance(bx, float) else bx
        return map_leaves(lambda leaf, b: as_result(b, leaf), x, bx)
    return None


# ---------------------------------------------------------------- subscripts


def add_at(target: Any, index: Any, value: Any) -> None:
    """target[index] += value, where an index that repeats counts each time."""
    if isinstance(target, np.ndarray):
        np.add.at(target, index, value)
    else:
        target[index] = accumulate(target[index], value)


def scatter(x: Any, index: Any, like: Any) -> Any:
    """Zeros like like, with x added at index: its real part, where an item of a tuple is real and x is not."""
    if isinstance(like, tuple):
        items = [zeros_like(item) for item in like]
        real = isinstance(x, (complex, np.number, np.ndarray)) and np.isrealobj(like[index])
        items[index] = np.real(x) if real and np.iscomplexobj(x) else x
        return type(like)(*items) if hasattr(like, "_fields") else tuple(items)
    out = zeros_like(like)
    add_at(out, index, x)
    return out


def unpack(x: Any, like: Any) -> Any:
    """The items of the array x in the nested lists of like: what np.array(like) packed."""
    if isinstance(like, (list, tuple)):
        if isinstance(x, np.ndarray) and x.ndim == 1 and all(type(item) is float for item in like):
            return type(like)(x.tolist())
        return type(like)([unpack(part, item) for part, item in zip(x, like, strict=True)])
    return unbroadcast(x, like)


def untake(x: Any, indices: Any, like: Any, axis: Any = None) -> Any:
    """Zeros like like, with x added at the indices that np.take read."""
    if axis is None:
        return untake_flat(x, indices, like)
    out = np.asarray(zeros_like(like))
    np.add.at(out, (slice(None),) * (axis % out.ndim) + (indices,), x)
    return cast(out, like)


def untake_flat(x: Any, indices: Any, like: Any) -> Any:
    """Zeros of the shape of like, with x added at indices that count its items by rows, however it lies in memory."""
    out = np.asarray(zeros_like(np.ravel(like)))
    np.add.at(out, indices, x)
    return cast(np.reshape(out, np.shape(like)), like)


def untake_along_axis(x: Any, indices: Any, like: Any, axis: Any = -1) -> Any:
    """Zeros like like, with x added where np.take_along_axis read."""
    if axis is None:
        return untake_flat(x, indices, like)
    out = zeros_like(like)
    where = list(np.ix_(*map(np.arange, np.shape(like))))  # stretched, and stretching, as np.take_along_axis does
    where[axis] = indices
    np.add.at(out, tuple(where), x)
    return out


def spread_items(x: Any, like: Any) -> Any:
    """x for each item of like: the adjoint of a sum."""
    if isinstance(like, np.ndarray):
        return cast(np.broadcast_to(x, like.shape).copy(), like)
    return [unbroadcast(x, item) for item in like]


# ---------------------------------------------------------------- conversions


def astype(x: Any, dtype: Any) -> Any:
    """x.astype(dtype), of a scalar too."""
    return x.astype(dtype) if hasattr(x, "astype") else np.dtype(dtype).type(x)


def promoted(x: Any) -> Any:
    """x as a complex number, or as an array of such."""
    return x + 0j


def item(x: Any) -> Any:
    """x.item(), of a Python number too."""
    return x.item() if hasattr(x, "item") else x


# ---------------------------------------------------------------- points without a derivative


def times(x: Any, partial: Any) -> Any:
    """x * partial, and zero wherever x is zero: what np.where did not take adds no NaN."""
    if isinstance(x, np.ndarray) or isinstance(partial, np.ndarray):
        product = x * np.where(x, partial, 0.0)
        return product.astype(np.result_type(x, partial), copy=False)
    return x * partial if x else 0.0


def quotient(x: Any, y: Any) -> Any:
    """x / y, and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return np.where(np.equal(y, 0.0), 0.0, x / np.where(np.equal(y, 0.0), 1.0, y))
    return x / (y or math.inf)


def safe_log(x: Any) -> Any:
    """log(x), 0.0 at zero, NaN below: the exponent's share in the derivative of a power."""
    if isinstance(x, np.ndarray):
        return np.log(np.where(x == 0.0, 1.0, np.where(x < 0.0, np.nan, x)))
    return math.log(x) if x > 0.0 else 0.0 if x == 0.0 else math.nan


def complex_log(x: Any) -> Any:
    """log(x) as a complex number, 0 at zero."""
    wide = np.asarray(x)
    wide = wide.astype(np.result_type(wide, np.complex64))
    found = np.log(np.where(wide == 0.0, 1.0, wide))
    return found if isinstance(x, np.ndarray) else found[()]


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    if isinstance(x, np.ndarray):
        return np.sign(x)
    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0 * x


def exp_difference(x: Any, y: Any) -> Any:
    """exp(x - y), and zero where both are the same infinity."""
    if not isinstance(x, np.ndarray) and not isinstance(y, np.ndarray):
        return np.exp(-abs(x + y) if x == y and math.isinf(x) else x - y)
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(x) & np.equal(x, y), 0.0, np.exp(np.subtract(x, y)))[()]


def power_slope(x: Any, y: Any) -> Any:
    """y * x ** (y - 1), and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return y * x ** np.where(y == 0.0, 0.0, y - 1.0)
    return y * x ** (y - 1.0 if y else 0.0)


def power_term(c: Any, x: Any, y: Any) -> Any:
    """c * x ** y, and zero where c is zero: a derivative of a power that is no longer there."""
    if isinstance(c, np.ndarray):
        return c * x ** np.where(c, y, np.zeros_like(c))
    return c * x ** (y if c else 0.0)


def where_larger(value: Any, x: Any, y: Any) -> Any:
    """value where x > y, half of it where x == y, else zero."""
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray) or isinstance(value, np.ndarray):
        ties = np.equal(x, y)  # there are hardly ever any, and a pass over large arrays costs more than to ask
        picked = np.where(x > y, value, np.where(ties, 0.5 * value, 0.0) if ties.any() else 0.0)
        return picked.astype(np.result_type(value, x, y), copy=False)
    return value if x > y else 0.5 * value if x == y else 0.0


def tied_mean(x: Any, a: Any, extremum: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """The mean of x over the items of a that equal extremum: the tangent of a maximum."""
    hit = np.equal(a, spread(extremum, a, axis, keepdims))
    number = np.maximum(np.sum(hit, axis=axis, keepdims=keepdims), 1)
    return cast(np.sum(np.where(hit, x, 0.0), axis=axis, keepdims=keepdims) / number, extremum)


def tied_share(x: Any, a: Any, extremum: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """x shared evenly by the items of a that equal extremum: the adjoint of a maximum."""
    if axis is not None and not keepdims:
        x, extremum = np.expand_dims(x, axis), np.expand_dims(extremum, axis)
    hit = np.equal(a, extremum)
    number = np.maximum(np.add.reduce(hit, axis=axis, keepdims=True), 1)
    return cast(np.where(hit, x / number, 0.0), a)


# ---------------------------------------------------------------- special functions


def ndtri(p: Any) -> Any:
    """Where the normal distribution function of a number is p: an approximation, then steps of Halley's or Newton's."""
    if not 0.0 < p < 1.0:
        return -math.inf if p == 0.0 else math.inf if p == 1.0 else math.nan
    if p == 0.5:
        return 0.0
    q = min(p, 1.0 - p)
    t = math.sqrt(-2.0 * math.log(q))
    x = (2.515517 + t * (0.802853 + 0.010328 * t)) / (1.0 + t * (1.432788 + t * (0.189269 + 0.001308 * t))) - t
    for _ in range(3):
        if q > 1e-280:
            gap = (
                0.5 * math.erf(x / math.sqrt(2.0)) - (q - 0.5) if q > 0.1 else 0.5 * math.erfc(-x / math.sqrt(2.0)) - q
            )
            step = gap * math.sqrt(2.0 * math.pi) * math.exp(0.5 * x * x)
            x -= step / (1.0 + 0.5 * x * step)
        else:
            z = 1.0 / (x * x)  # as a share of the density over -x; a number so small has few digits itself
            share = 1.0 - z * (1.0 - z * (3.0 - z * (15.0 - 105.0 * z)))
            x += (math.log(share / (-x * math.sqrt(2.0 * math.pi))) - 0.5 * x * x - math.log(q)) * share / x
    return x if p < 0.5 else -x


def polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma, the slope of math.lgamma."""
    if x <= -4503599627370496.0:
        return math.nan  # a float so large is an integer, and these are poles
    total, sign = 0.0, (-1.0) ** (n + 1)
    while x < 12.0:
        total += sign * math.factorial(n) / x ** (n + 1)
        x += 1.0
    total += math.log(x) if n == 0 else sign * math.factorial(n - 1) / x**n
    total += sign * math.factorial(n) / (2.0 * x ** (n + 1))
    bernoulli = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
    term = sign * math.factorial(n + 1) / (2.0 * x ** (n + 2))
    for k, b in enumerate(bernoulli, 1):
        total += b * term
        term *= (2 * k + n) * (2 * k + n + 1) / ((2 * k + 1) * (2 * k + 2) * x * x)
    return total


# ---------------------------------------------------------------- products


def flatten_axes(a: Any, axis: Any = None) -> Any:
    """a with the given axes made one, the first."""
    if axis is None:
        return np.reshape(a, -1)
    axes = axis if isinstance(axis, tuple) else (axis,)
    a = np.moveaxis(a, axes, range(len(axes)))
    return np.reshape(a, (math.prod(a.shape[: len(axes)]), *a.shape[len(axes) :]))


def unflatten_axes(x: Any, like: Any, axis: Any = None) -> Any:
    """flatten_axes undone."""
    if axis is None:
        return cast(np.reshape(x, np.shape(like)), like)
    axes = axis if isinstance(axis, tuple) else (axis,)
    shape = [np.shape(like)[i] for i in axes]
    return np.moveaxis(np.reshape(x, (*shape, *x.shape[1:])), range(len(axes)), axes)


def exclusive_prod(a: Any) -> Any:
    """For each item along the first axis of a, the product of the others."""
    one = np.ones_like(a, shape=(1, *a.shape[1:]))
    before = np.cumprod(np.concatenate((one, a[:-1])), axis=0)
    after = np.cumprod(np.concatenate((one, a[:0:-1])), axis=0)[::-1]
    return before[: len(a)] * after[: len(a)]


def diagonal_mask(a: Any) -> Any:
    """The n by n mask of the diagonal, for a whose first axis has length n."""
    return np.eye(len(a), dtype=bool).reshape(len(a), len(a), *(1,) * (a.ndim - 1))


def upper_mask(a: Any) -> Any:
    """The n by n mask of the upper triangle, for a whose first axis has length n."""
    return np.triu(np.ones((len(a), len(a)), bool)).reshape(len(a), len(a), *(1,) * (a.ndim - 1))


# ---------------------------------------------------------------- joining, tiling, padding


def split_like(x: Any, arrays: Any, axis: Any = 0) -> Any:
    """x cut along axis into parts with the sizes, then the shapes, of arrays."""
    axis = 0 if axis is None else axis % x.ndim
    parts, start, rest = [], 0, max(x.size // max(x.shape[axis], 1), 1)
    before = (slice(None),) * axis
    for a in arrays:
        shape = np.shape(a)
        stop = start + math.prod(shape) // rest
        part = x[(*before, slice(start, stop))]
        parts.append(unbroadcast(part if part.shape == shape else part.reshape(shape), a))
        start = stop
    return parts


def join_like(parts: Any, like: Any, axis: Any = 0) -> Any:
    """split_like undone: the parts put together along axis to the shape of like."""
    if axis is None:
        return np.concatenate(parts, axis=None)
    shape = list(np.shape(like))
    shape[axis] = 1
    size = max(math.prod(shape), 1)
    axis = axis % len(shape)
    joined = [np.reshape(p, (*shape[:axis], np.size(p) // size, *shape[axis + 1 :])) for p in parts]
    return np.concatenate(joined, axis)


def unstack(x: Any, arrays: Any, axis: Any = 0) -> Any:
    """The slices of x along axis: what np.stack(arrays, axis) put together."""
    return [cast(part, a) for part, a in zip(np.moveaxis(x, axis, 0), arrays, strict=True)]


def untile(x: Any, like: Any, reps: Any) -> Any:
    """The copies of like that np.tile made, summed."""
    reps = (1,) * (np.ndim(x) - np.size(reps)) + tuple(np.ravel(reps))
    shape = (1,) * (np.ndim(x) - np.ndim(like)) + np.shape(like)
    pairs = [n for pair in zip(reps, shape, strict=True) for n in pair]
    summed = np.sum(np.reshape(x, pairs), axis=tuple(range(0, len(pairs), 2)))
    return cast(np.reshape(summed, np.shape(like)), like)


def crop(x: Any, like: Any, pad_width: Any) -> Any:
    """The part of x, of the shape of like, that np.pad put zeros around."""
    before = np.broadcast_to(pad_width, (np.ndim(like), 2))[:, 0]
    return x[tuple(slice(b, b + n) for b, n in zip(before, np.shape(like), strict=True))]


def unpad(x: Any, like: Any, pad_width: Any, mode: Any) -> Any:
    """The items of x added to those of like that np.pad copied there."""
    source = np.pad(np.arange(np.size(like)).reshape(np.shape(like)), pad_width, mode)
    return untake_flat(x, source, like)


def running_places(a: Any, extremum: Any, axis: int = 0) -> Any:
    """Where along an axis each of its running extrema is; of equal ones, the last so far."""
    n = np.shape(a)[axis]
    steps = np.reshape(np.arange(n), [-1 if k == axis % np.ndim(a) else 1 for k in range(np.ndim(a))])
    return np.maximum.accumulate(np.where((a == extremum) | np.isnan(a), steps, 0), axis)


def unslide(x: Any, like: Any, window_shape: Any, axis: Any = None) -> Any:
    """The adjoint of np.lib.stride_tricks.sliding_window_view: the items of windows added where they come from."""
    out = zeros_like(like)
    axes = range(out.ndim) if axis is None else np.ravel(axis)
    for place in np.ndindex(*np.ravel(window_shape)):
        firsts = [0] * out.ndim
        for k, first in zip(axes, place, strict=True):
            firsts[k] += first
        part = x[(..., *place)]
        out[tuple(slice(first, first + n) for first, n in zip(firsts, part.shape, strict=True))] += part
    return out


def undiagonal(x: Any, like: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """Zeros like like, with x on the diagonal that np.diagonal read."""
    out = zeros_like(like)
    i = np.arange(np.shape(x)[-1])
    np.moveaxis(out, (axis1, axis2), (0, 1))[i - min(offset, 0), i + max(offset, 0)] = np.moveaxis(x, -1, 0)
    return out


def undiag(x: Any, like: Any, k: Any = 0) -> Any:
    """The adjoint of np.diag(like, k)."""
    return np.diag(x, k) if np.ndim(like) == 1 else undiagonal(x, like, k)


# ---------------------------------------------------------------- products of matrices


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


# ---------------------------------------------------------------- shadows of lists and arrays


def add_items(target: Any, index: slice, values: Any) -> None:
    """target[index][k] += values[k] for every k, in place."""
    for k, value in zip(range(*index.indices(len(target))), values, strict=True):
        target[k] = accumulate(target[k], value)


def add_nested(target: Any, values: Any) -> None:
    """Add nested containers to nested containers of arrays and numbers, in place at every level."""
    record = hasattr(target, "__dataclass_fields__")
    if record and not isinstance(values, tuple):
        values = [getattr(values, n) for n in target.__dataclass_fields__]
    keys = target.__dataclass_fields__ if record else values if isinstance(values, dict) else range(len(values))
    for k, value in zip(keys, values.values() if isinstance(values, dict) else values, strict=True):
        part = getattr(target, k) if record else target[k]
        if isinstance(part, np.ndarray) and value is not None:
            part[...] += value
        elif isinstance(part, (list, tuple, dict)) or hasattr(part, "__dataclass_fields__"):
            if value is not None and not isinstance(value, float):
                add_nested(part, value)
        elif value is not None and record:
            object.__setattr__(target, k, accumulate(part, value))
        elif value is not None:
            target[k] = accumulate(part, value)


def kept_item(d: Any, key: Any) -> list[Any]:
    """The item of a dict that is about to be replaced, in a list: none where there is none yet."""
    return [d[key]] if key in d else []


def put_back(d: Any, key: Any, kept: Any) -> None:
    """Undo ``d[key] = value``, given what :func:`kept_item` kept."""
    if kept:
        d[key] = kept[0]
    else:
        del d[key]


def add_repeats(target: Any, values: Any) -> None:
    """Add the items of xs * n to those of xs: what each repetition has, in place."""
    for k, value in enumerate(values):
        target[k % len(target)] = accumulate(target[k % len(target)], value)


def take_tail(target: Any, n: int) -> Any:
    """Remove the last n items of a list, and return them."""
    start = len(target) - n
    tail = target[start:]
    del target[start:]
    return tail


def last_stored(target: Any, index: Any) -> Any:
    """target[index], but zero where a later repetition of an index overwrote what was stored."""
    order = np.zeros(target.shape, dtype=int)
    values = np.array(target[index])
    ranks = np.arange(1, values.size + 1).reshape(values.shape)
    order[index] = ranks
    return values * (order[index] == ranks)


def copy_order(target: Any, index: Any, source: Any) -> Any:
    """Which item of source each item of target[index] gets: NumPy may overwrite some before it reads them."""
    if not np.may_share_memory(target, source):
        return np.broadcast_to(np.arange(source.size), np.shape(target[index]))
    items, old, kept = source.view(), source.copy(), np.copy(target[index])
    items.flags.writeable = True
    items[...] = np.arange(items.size).reshape(items.shape)
    target[index] = items
    order = np.real(target[index]).astype(int)
    target[index] = kept
    items[...] = old
    return order


def place(x: Any, index: Any, like: Any) -> Any:
    """Zeros like like, with x stored at index: the adjoint of last_stored."""
    out = zeros_like(like)
    out[index] = x
    return out


def pack(values: Any, like: Any) -> Any:
    """The items of a list as what like is: an array, where it is one."""
    return np.array(values) if isinstance(like, np.ndarray) else values


def resized(x: Any, like: Any) -> Any:
    """x cut, or filled up with zeros, to the shape of like."""
    if x.shape == like.shape:
        return x
    out = np.zeros(like.shape, x.dtype)
    kept = tuple(slice(min(sizes)) for sizes in zip(x.shape, like.shape, strict=True))
    out[kept] = x[kept]
    return out


def doubled(x: Any, n: int, axis: int) -> Any:
    """x with the terms doubled that stand for two of a transform of n real numbers along an axis."""
    weights = np.full(x.shape[axis], 2.0, x.real.dtype)
    weights[0] = 1.0
    if n % 2 == 0:
        weights[-1] = 1.0
    return x * np.expand_dims(weights, tuple(range(1, -axis if axis < 0 else x.ndim - axis)))


def scaled_ends(x: Any, first: float, last: float, axis: int) -> Any:
    """x with its first and last items along an axis times a factor each."""
    out = x.copy()
    ends = np.moveaxis(out, axis, 0)
    ends[0] *= first
    ends[-1] *= last
    return out


def unit_seed(y: Any) -> Any:
    """The cotangent 1 of a scalar result; TypeError where it is none."""
    if np.ndim(y):
        raise TypeError(f"the result has shape {np.shape(y)}, not (): use vjp or jacobian")
    if np.iscomplexobj(y):
        raise TypeError("the result is complex: take np.real of it, or use vjp")
    return np.ones_like(y, dtype=float) if isinstance(y, np.ndarray) else 1.0


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


def shadow_view(view: Any, x: Any, base: Any) -> Any:
    """The shadow of x: the view of its base's shadow where x is a view, zeros where x is a copy."""
    return view if np.may_share_memory(x, base) else np.zeros_like(view)


def same_sharing(dx: Any, dbase: Any, x: Any, base: Any) -> None:
    """ValueError where dx is a view of dbase and x a copy of base, or the other way round."""
    if np.may_share_memory(dx, dbase) != np.may_share_memory(x, base):
        raise ValueError("an array is updated through what may be a view, and its tangent has another layout")


def add_back(target: Any, part: Any) -> None:
    """Add the shadow of a reshaped copy to that of what was copied; of a view, it is there already."""
    if not np.may_share_memory(target, part):
        target += part.reshape(target.shape)


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


def copy_tree(x: Any) -> Any:
    """A copy of an array, or of nested containers with copies of the arrays they hold."""
    if isinstance(x, np.ndarray):
        return np.copy(x)
    if isinstance(x, (list, tuple, dict)) or hasattr(x, "__dataclass_fields__"):
        return map_leaves(copy_tree, x)
    return x


def laid_out(x: Any, like: Any) -> Any:
    """A copy of x, its items in memory as those of like are: what is a view of one is a view of the other."""
    if like.flags.c_contiguous:
        return np.array(x, order="C")
    steps = [n * x.itemsize // like.itemsize for n in like.strides]
    ends = [step * (n - 1) for step, n in zip(steps, like.shape, strict=True)]
    memory = np.empty(sum(map(abs, ends)) + x.itemsize, np.uint8)
    out = np.ndarray(x.shape, x.dtype, memory, -sum(min(end, 0) for end in ends), steps)
    out[...] = x
    return out


def laid_out_leaves(x: Any, like: Any) -> Any:
    """A copy of nested containers, the arrays that they hold laid out as those of like."""
    return map_leaves(lambda leaf, other: laid_out(leaf, other) if isinstance(leaf, np.ndarray) else leaf, x, like)


def constant(x: Any) -> Any:
    """x, with arrays and lists copied, as a value without derivative."""
    return copy_tree(x)


def copy_state(x: Any, memo: Any = None) -> Any:
    """A copy of nested containers and arrays in which what shared memory still does."""
    memo = {} if memo is None else memo
    if id(x) in memo:
        return memo[id(x)][0]
    if isinstance(x, np.ndarray):
        copy = copy_view(x, memo)
    elif isinstance(x, (list, tuple)):
        items = [copy_state(item, memo) for item in x]
        copy = type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    elif isinstance(x, dict):
        copy = {k: copy_state(v, memo) for k, v in x.items()}
    elif hasattr(x, "__dataclass_fields__"):
        copy = type(x)(**{n: copy_state(getattr(x, n), memo) for n in x.__dataclass_fields__})
    else:
        return x
    memo[id(x)] = (copy, x)
    return copy


def copy_view(x: Any, memo: Any) -> Any:
    """A copy of an array; of a view, the same view of a copy of what it is a view of."""
    base = x
    while isinstance(base.base, np.ndarray):
        base = base.base
    if base is x:
        return np.copy(x)
    flat = copy_state(base, memo).ravel(order="K")
    start = x.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return np.ndarray(x.shape, x.dtype, flat, start, x.strides)


def as_index(xs: Any) -> Any:
    """The array that a list spells in a subscript: one without items selects nothing, whatever its dtype would be."""
    found = np.asarray(xs)
    return found if found.size > 0 else found.astype(np.intp)


def order_of(keys: Any, reverse: bool = False) -> list[int]:
    """The places of the keys in ascending order, equal ones as they come; in descending order for ``reverse``."""
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def place_of_max(keys: Any) -> int:
    """The place of the largest key, the first of equals."""
    return max(range(len(keys)), key=keys.__getitem__)


def place_of_min(keys: Any) -> int:
    """The place of the smallest key, the first of equals."""
    return min(range(len(keys)), key=keys.__getitem__)


def combination_places(n: int, r: int) -> Any:
    """The places that each of ``itertools.combinations`` of n items is at, in rows of r."""
    total = 1
    for i in range(r):
        total = total * (n - i) // (i + 1)
    rows, row = np.empty((max(total, 0), r), np.int64), np.arange(r)
    for k in range(max(total, 0)):
        rows[k] = row
        i = r - 1
        while i > 0 and row[i] == n - r + i:
            i -= 1
        if r > 0:
            row[i] += 1
            for j in range(i + 1, r):
                row[j] = row[j - 1] + 1
    return rows


def permutation_places(n: int, r: int) -> Any:
    """The places that each of ``itertools.permutations`` of n items is at, in rows of r."""
    total = 1
    for i in range(r):
        total *= max(n - i, 0)
    rows = np.empty((total, r), np.int64)
    for k in range(total):
        left, rest, block = np.arange(n), k, total
        for i in range(r):
            block //= n - i
            place = rest // block
            rest -= place * block
            rows[k, i] = left[place]
            for j in range(place, n - i - 1):
                left[j] = left[j + 1]
    return rows


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


def need_fractions(low: float, high: float) -> None:
    """ValueError where quantiles are asked for, from low to high, that are none."""
    if not (low >= 0.0 and high <= 1.0):
        raise ValueError("Quantiles must be in the range [0, 1]")


def need_real(x: Any) -> None:
    """Refuse a number that a power of Python's floats made complex, or an array or a list of such."""
    if isinstance(x, complex) or (not isinstance(x, float) and np.iscomplexobj(x)):
        raise NotImplementedError("a power of a negative number is complex")


def need_variables(rows: Any) -> None:
    """Refuse a matrix that np.cov finds one variable in: its result is then a number."""
    if np.shape(rows)[0] == 1:
        raise NotImplementedError("np.cov of a matrix with one variable gives a number")


# ---------------------------------------------------------------- loops over elements


def within(i: int, n: int) -> int:
    """Where i, an end of a slice, falls in an axis of length n."""
    return max(min(i + n if i < 0 else i, n), 0)


def joint(n: int, m: int) -> int:
    """The length of two axes broadcast together."""
    if n != m and n != 1 and m != 1:
        raise ValueError("operands could not be broadcast together")
    return m if n == 1 else n


def stretch(n: int, m: int) -> int:
    """The step along an axis of length n that is broadcast to length m: 0 where it is stretched."""
    if n != m and n != 1:
        raise ValueError("could not broadcast input array")
    return int(n == m)


def plus(total: float, x: float) -> float:
    """total + x, in a sum that compiled code adds up in any order."""
    return total + x


def same_length(n: int, m: int) -> None:
    """ValueError where two axes that are taken to be as long as each other are not."""
    if n != m:
        raise ValueError("lengths that were taken to be equal differ")


def at_least(n: int, m: int) -> None:
    """ValueError where an axis of length n is not as long as it is taken to be."""
    if n < m:
        raise ValueError("lengths that were taken to be equal differ")


def same_axes(x: Any, y: Any) -> None:
    """ValueError where the last axes of an array, as many as another has, are not as long as those of that."""
    if x.shape[x.ndim - y.ndim :] != y.shape:
        raise ValueError("lengths that were taken to be equal differ")


def need_array(x: Any) -> None:
    """TypeError for a number where the adjoint of an array travels, to be added to in place."""
    if not isinstance(x, np.ndarray):
        raise TypeError("a number is under a name for an array that changes in place")


def need_apart(x: Any, y: Any) -> None:
    """ValueError where two arrays, or lists of numbers, share memory that a function stores into."""
    arrays = isinstance(x, np.ndarray) and isinstance(y, np.ndarray)
    if np.shares_memory(x, y) if arrays else x is y and isinstance(x, list):
        raise ValueError("arguments share memory that the function stores into: pass a copy of one")


def need_rows(x: Any) -> None:
    """ValueError where an array that compiled code takes to be laid out by rows, without gaps, is not."""
    if not x.flags.c_contiguous:
        raise ValueError("what may be a view of an array that is not laid out by rows is stored into")


def need_items(n: int) -> None:
    """ValueError where an axis that an extremum is taken over has no items."""
    if n == 0:
        raise ValueError("zero-size array to reduction operation which has no identity")


def need_rounds(n: int) -> None:
    """ValueError where a loop that makes an array of a number has no iterations, and would leave the number."""
    if n < 1:
        raise ValueError("a loop that would have made an array of a number has no iterations")


def widened(n: int, more: int) -> int:
    """n + more, of an axis that is not empty."""
    return n + more if n > 0 else 0


def axes_back(axes: Any, rank: int) -> Any:
    """The axes by which a second transpose gives what there was before one by these."""
    return np.argsort(np.mod(axes, rank))


def grown(a: Any, n: int) -> Any:
    """a with room for n rows, and for twice as many as it has."""
    out = np.empty((max(n, 2 * len(a)),) + a.shape[1:], a.dtype)  # noqa: RUF005 (Numba)
    for k in np.ndindex(a.shape):  # compiles in a twentieth of the time that a slice takes
        out[k] = a[k]
    return out


#: Those that compiled code calls as they stand.
AS_THEY_STAND = frozenset(
    {add_product, combination_places, permutation_places, need_square, need_fractions, need_variables}
    | {same_axes, within, joint, stretch, same_length, at_least, plus, widened, grown}
    | {need_items, need_rows, need_rounds, need_real, ndtri}
)
#: What helpers say where only the run shows that there is no derivative, and what helps.
REFUSALS = {
    "a number is under a name for an array that changes in place": "Keep numbers and arrays under names of their own.",
    "an integer to a negative power is a float, and to another an integer": "Write the base as a float.",
    "a loop that would have made an array of a number has no iterations": "Begin with an array, np.zeros(shape).",
    "what may be a view of an array that is not laid out by rows is stored into": "Pass np.ascontiguousarray(x).",
    "np.linalg.svd completes the vectors of a matrix that is not square": "Pass full_matrices=False.",
    "a power of a negative number is complex": "Write np.float64(x) ** p, which is NaN there.",
    "np.cov of a matrix with one variable gives a number": "Pass the variable as a vector.",
    "an array is updated through what may be a view, and its tangent has another layout": "Copy the array first.",
}
LENGTHS_DIFFER = "lengths that were taken to be equal differ"  #: what :func:`same_length` says
