"""Sample arguments for every primitive that has a rule.

``SAMPLES[primitive]`` is a list of calls.  The floats and float arrays in the arguments a
rule names are differentiated; everything else is constant.
"""

from __future__ import annotations

import bisect
import builtins
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from s2sad.api import stop_gradient
from s2sad.runtime import helpers
from s2sad.runtime.polynomials import polynomial_at


@dataclass
class Call:
    """One call of a primitive; ``smooth`` where central differences apply to it.

    ``wrt`` names the parameters to differentiate by, where those are not all.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    smooth: bool = True
    wrt: tuple[str, ...] | None = None


def call(*args: Any, smooth: bool = True, wrt: tuple[str, ...] | None = None, **kwargs: Any) -> Call:
    """A sample call."""
    return Call(args, kwargs, smooth, wrt)


def arr(*shape: int, seed: int = 0, low: float = 0.3, high: float = 1.7) -> np.ndarray:
    """Distinct values between low and high, in no order."""
    n = math.prod(shape)
    low, high = low + 0.0007 * n + 0.011 * seed, high + 0.0003 * n  # no value in two arrays: no ties
    values = np.linspace(low, high, n) if n > 1 else np.full(n, 0.5 * (low + high))
    return np.random.default_rng(seed + 7 * n).permutation(values).reshape(shape)


def strided(*shape: int) -> np.ndarray:
    """Values that do not lie one after the other in memory."""
    return arr(*(2 * n for n in shape), seed=3)[tuple(slice(None, None, 2) for _ in shape)]


def fortran(*shape: int) -> np.ndarray:
    """Values in Fortran order."""
    return np.asfortranarray(arr(*shape, seed=4))


def spd(n: int, *batch: int) -> np.ndarray:
    """Well-conditioned symmetric matrices."""
    a = arr(*batch, n, n, seed=5)
    return a @ np.swapaxes(a, -1, -2) + n * np.eye(n)


def square(n: int, *batch: int) -> np.ndarray:
    """Well-conditioned matrices."""
    return arr(*batch, n, n, seed=6) + n * np.eye(n)


v, w, A, B, T = arr(4), arr(4, seed=1), arr(3, 4), arr(3, 4, seed=1), arr(2, 3, 4)
x32 = arr(3, 4).astype(np.float32)
SAMPLES: dict[Callable[..., Any], list[Call]] = {}


def unary(*fns: Any, scale: float = 1.0, shift: float = 0.0, arrays: bool = True) -> None:
    """Samples for functions of one number or array."""
    for fn in fns:
        SAMPLES[fn] = [call(0.7 * scale + shift), call(np.float64(0.4 * scale + shift))]
        if arrays:
            extra = (v, A, strided(2, 3), fortran(2, 3), np.array(0.6), np.zeros((0, 3)), x32, arr(1, 3))
            SAMPLES[fn] += [call((a * scale + shift).astype(a.dtype)) for a in extra]


def binary(*fns: Any, arrays: bool = True) -> None:
    """Samples for functions of two that broadcast."""
    for fn in fns:
        SAMPLES[fn] = [call(1.3, 0.7), call(0.7, 1.3)]
        if arrays:
            SAMPLES[fn] += [
                call(*pair)
                for pair in (
                    (v, w),
                    (A, B[::-1]),
                    (A, 0.9),
                    (0.9, A),
                    (A, v),
                    (v, T),
                    (arr(3, 1), arr(1, 4, seed=2)),
                    (np.array(0.6), v),
                    (strided(2, 3), fortran(2, 3)),
                    (x32, arr(4, seed=2).astype(np.float32)),
                    (arr(1), np.zeros(0)),
                )
            ]


# -- element-wise

unary(np.negative, np.positive, np.conjugate, np.real, np.square, np.reciprocal, np.absolute, np.fabs)
unary(np.sqrt, np.cbrt, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p)
unary(np.sin, np.cos, np.tan, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.sinc)
unary(np.degrees, np.rad2deg, np.radians, np.deg2rad, operator.neg, operator.pos, operator.abs, builtins.abs)
unary(np.arcsin, np.arccos, np.arctanh, scale=0.5)
unary(np.arccosh, shift=1.0)
unary(math.fabs, math.sqrt, math.cbrt, math.exp, math.exp2, math.expm1, math.log2, math.log10, arrays=False)
unary(math.log1p, math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, math.sinh, arrays=False)
unary(math.cosh, math.tanh, math.asinh, math.atanh, math.degrees, math.radians, math.erf, arrays=False)
unary(math.erfc, math.gamma, math.lgamma, arrays=False)
unary(math.acosh, shift=1.0, arrays=False)
SAMPLES[math.gamma] += [call(-1.5), call(3.5)]
SAMPLES[math.lgamma] += [call(-2.3), call(0.01), call(30.0)]
for _fn in (np.absolute, builtins.abs):
    SAMPLES[_fn] += [call(-v), call(-0.3)]
SAMPLES[math.log] = [call(0.7), call(0.7, 3.0)]

binary(np.add, np.subtract, np.multiply, np.divide, operator.add, operator.sub, operator.mul, operator.truediv)
binary(np.power, operator.pow, np.float_power, np.logaddexp, np.logaddexp2, np.arctan2, np.hypot, np.copysign)
binary(np.maximum, np.minimum, np.fmax, np.fmin)
binary(builtins.pow, math.pow, math.fmod, math.remainder, math.atan2, math.copysign, math.hypot, arrays=False)
for _fn in (np.power, operator.pow):
    SAMPLES[_fn] += [call(-v, 2), call(-v, 3), call(v, -2), call(v, 0), call(-1.5, 3), call(2.0, v), call(v, 1)]
for _fn in (np.maximum, np.minimum, np.fmax, np.fmin):
    SAMPLES[_fn] += [call(np.array([1.0, 2.0]), np.array([1.0, 3.0]), smooth=False), call(1.0, 1.0, smooth=False)]
for _fn in (np.remainder, operator.mod, np.fmod, math.fmod):
    SAMPLES[_fn] = [call(-2.3, 0.7), call(2.3, -0.7), call(1.3, 0.7)]
    if _fn is not math.fmod:
        SAMPLES[_fn] += [
            call(A, 0.217),
            call(-A, arr(4, low=0.21, high=0.27)),
            call(2.11, v),
            call(x32, np.float32(0.217)),
        ]
SAMPLES[math.hypot] += [call(1.0, 2.0, 3.0), call(0.5), call(0.0, 0.0, smooth=False)]
SAMPLES[math.dist] = [call((1.0, 2.0), (0.5, 0.3))]
SAMPLES[np.ldexp] = [call(v, 3), call(0.7, 2)]
SAMPLES[math.ldexp] = [call(0.7, 2)]
SAMPLES[np.nextafter] = [call(v, 2.0)]
SAMPLES[math.nextafter] = [call(0.7, 2.0)]
SAMPLES[np.heaviside] = [call(v, 0.5), call(np.array([0.0, 1.0]), 0.3, smooth=False)]
SAMPLES[builtins.sum] = [call([1.0, 2.0, 3.0]), call((1.0, 2.0), 0.5), call([v, w]), call(v), call(A)]
SAMPLES[math.fsum] = [call([1.0, 2.0, 3.0]), call(v)]
SAMPLES[math.prod] = [call([1.0, 2.0, 3.0]), call((1.5, 2.0), start=0.5)]
for _fn in (builtins.divmod, np.divmod):
    SAMPLES[_fn] = [call(2.3, 0.7)]
SAMPLES[np.divmod] += [call(v, 0.21)]
SAMPLES[math.modf] = [call(2.3), call(-2.3)]
SAMPLES[np.modf] = [call(3.0 * v)]
for _fn in (float, np.float64, np.float32, np.float16, helpers.item):
    SAMPLES[_fn] = [call(0.7, smooth=_fn is float), call(np.array(0.6), smooth=_fn is float)]
SAMPLES[helpers.item] += [call(np.array([[0.6]]))]
SAMPLES[helpers.astype] = [call(A, np.float64), call(A, np.float32, smooth=False), call(0.5, np.float64)]

# -- reductions

_AXES: list[dict[str, Any]] = [
    {},
    {"axis": 0},
    {"axis": -1},
    {"axis": (0, 2)},
    {"axis": 1, "keepdims": True},
    {"keepdims": True},
    {"axis": None},
    {"axis": (-1, 0), "keepdims": True},
]


def reduction(*fns: Any, empty: bool = False) -> None:
    """Samples for functions that reduce over axes."""
    for fn in fns:
        SAMPLES[fn] = [call(T, **named) for named in _AXES]
        SAMPLES[fn] += [call(v), call(A, 1), call(strided(2, 3)), call(fortran(3, 2), axis=0), call(x32, axis=0)]
        SAMPLES[fn] += [call(arr(1, 3), axis=0), call(np.array(0.6))]
        if empty:
            SAMPLES[fn] += [call(np.zeros((0, 3)), axis=0), call(np.zeros(0)), call(np.zeros((2, 0)))]


reduction(np.sum, np.prod, np.nansum, np.nanprod, empty=True)
reduction(np.mean, np.max, np.min, np.amax, np.amin, np.ptp, np.median, np.nanmean, np.nanmax, np.nanmin)
reduction(np.var, np.std, np.nanvar, np.nanstd)
_flat = [k for k in ({"axis": 0}, {"axis": (0, 1)}, {"ddof": 1}, {"axis": 1, "ddof": 1, "keepdims": True})]
for _fn in (np.var, np.std, np.nanvar, np.nanstd):
    SAMPLES[_fn] = [c for c in SAMPLES[_fn] if np.ndim(c.args[0]) and np.shape(c.args[0])[0] > 1]
    SAMPLES[_fn] += [call(T, **named) for named in _flat]
for _fn in (np.var, np.std, np.prod):
    SAMPLES[_fn] += [call(A, dtype=np.float64), call(x32, axis=0, dtype=np.float64)]
_zeros = np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 1.5], [1.0, -2.0, 0.5]])
SAMPLES[np.prod] += [call(_zeros, axis=1), call(_zeros), call(_zeros[1]), call(0.7)]
_tied = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
for _fn in (np.max, np.min):
    SAMPLES[_fn] += [call(_tied, axis=1, smooth=False), call(_tied, smooth=False)]
_gap = np.array([[1.0, np.nan, 3.0], [2.0, 0.5, np.nan]])
for _fn in (np.nansum, np.nanmean, np.nanprod, np.nanmax, np.nanmin, np.nanvar, np.nanstd):
    SAMPLES[_fn] += [call(_gap, axis=0, smooth=False), call(_gap, smooth=False)]
SAMPLES[np.nanstd] += [
    call(0.6),
    call(np.array(0.6), axis=0),
    call(arr(1, 3), axis=0),
    call(np.ones((2, 3)), smooth=False),
]
SAMPLES[np.average] = [call(A), call(A, axis=0), call(A, weights=B), call(A, axis=1, weights=w)]
SAMPLES[np.average] += [call(A, returned=True), call(A, 0, None, True), call(A, weights=B, axis=1, returned=True)]
SAMPLES[np.average] += [call(A, axis=1, weights=w, returned=True), call(T, axis=(0, 2), returned=True, keepdims=True)]
for _fn in (np.cumsum, np.cumprod):
    SAMPLES[_fn] = [call(T, axis=k) for k in (0, 1, -1, None)] + [call(v), call(A), call(x32, axis=1)]
SAMPLES[np.cumsum] += [call(np.zeros((0, 3)), axis=0)]
SAMPLES[np.cumprod] += [call(A, axis=0, dtype=np.float64), call(x32, dtype=np.float64)]
SAMPLES[np.cumprod] += [call(_zeros, axis=1), call(_zeros[0])]
SAMPLES[np.trapezoid] = [call(A), call(A, dx=0.5), call(v, w), call(T, axis=1), call(A, B), call(A, arr(3), axis=0)]
SAMPLES[np.linalg.norm] = [call(T, axis=k) for k in (0, 1, (0, 1), (1, 2))] + [
    *(call(v), call(A), call(A, "fro"), call(A, axis=1, keepdims=True), call(v, 2), call(v, 1), call(v, 3)),
    *(call(v, np.inf), call(-v, -np.inf), call(A, 1, axis=0), call(A, np.inf, axis=1), call(v, 2.5), call(v, 0)),
    *(call(np.zeros(3), smooth=False), call(np.zeros((2, 3)), axis=1, smooth=False), call(x32, axis=0)),
    *(
        call(A, 1),
        call(A, -1),
        call(A, np.inf),
        call(-A, -np.inf),
        call(A, 2),
        call(A, -2),
        call(A, "nuc"),
        call(x32, 2),
    ),
]
SAMPLES[np.linalg.norm] += [call(T, k, (2, 0), keepdims=k == 2) for k in (1, -1, np.inf, -np.inf, 2, -2, "nuc")]
SAMPLES[np.linalg.norm] += [call(A, "nuc", keepdims=True), call(A, 1, keepdims=True), call(T, np.inf, (-1, -2), True)]
SAMPLES[np.quantile] = [
    call(v, 0.3),
    call(A, 0.55, axis=0),
    call(A, 0),
    call(T, 0.7, axis=(0, 2)),
    call(x32, 0.4),
]
SAMPLES[np.quantile] += [call(np.zeros((0, 4)), np.array([0.2, 0.7]), 1, keepdims=True)]
SAMPLES[np.quantile] += [
    *(call(T, np.array([0.2, 0.45]), axis=1), call(A, [0.4, 0.9], axis=1, keepdims=True), call(A, 0.3, keepdims=True)),
    *(call(A, np.array([0.1, 0.9, 0.25]), axis=0), call(np.array([1.0, np.nan, 2.0]), 0.3, smooth=False)),
    *(call(A, np.array([0, 1]), axis=1, keepdims=True), call(A, 1, axis=0, keepdims=True)),
]
SAMPLES[np.percentile] = [call(v, 30), call(A, [25, 50, 75], axis=0), call(A, 62.5, 1), call(x32, 40.0, axis=0)]

# -- shapes

SAMPLES[np.reshape] = [call(A, (4, 3)), call(A, -1), call(A, (2, -1)), call(T, (6, 4), order="F"), call(0.5, (1, 1))]
SAMPLES[np.reshape] += [call(strided(2, 3), (3, 2)), call(np.array(0.6), (1,)), call(x32, -1)]
SAMPLES[np.ravel] = [call(A), call(fortran(2, 3)), call(A, "F"), call(np.array(0.6)), call(x32)]
SAMPLES[np.squeeze] = [call(arr(1, 3, 1)), call(arr(1, 3, 1), 0), call(arr(1, 3, 1), axis=(0, 2)), call(arr(1, 1))]
SAMPLES[np.expand_dims] = [call(A, 0), call(A, -1), call(A, (0, 2)), call(v, axis=1)]
for _fn in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
    SAMPLES[_fn] = [call(0.5), call(v), call(A), call(T), call(np.array(0.6))]
SAMPLES[np.transpose] = [
    call(A),
    call(T, (1, 2, 0)),
    call(v),
    call(T),
    call(x32),
    call(T, axes=(2, 0, 1)),
    call(T, (-1, 0, -2)),
]
SAMPLES[np.matrix_transpose] = [call(A), call(T)]
SAMPLES[np.swapaxes] = [call(T, 0, 2), call(T, -1, 1)]
SAMPLES[np.moveaxis] = [call(T, 0, -1), call(T, (0, 1), (2, 0))]
SAMPLES[np.rollaxis] = [call(T, 2), call(T, 0, 3), call(T, 1, 1), call(T, -1, 1)]
SAMPLES[np.flip] = [call(A), call(A, 0), call(T, (0, 2)), call(v, axis=0)]
SAMPLES[np.fliplr] = SAMPLES[np.flipud] = [call(A), call(T)]
SAMPLES[np.rot90] = [call(A), call(A, 2), call(A, -1), call(T, 1, (1, 2))]
SAMPLES[np.roll] = [call(v, 1), call(A, 2), call(A, -1, 0), call(A, (1, 2), (0, 1)), call(v, shift=3)]
for _fn in (np.copy, np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray):
    SAMPLES[_fn] = [call(A), call(v), call(x32)]
    if _fn is not np.copy:
        SAMPLES[_fn] += [call([1.0, 2.0]), call([[1.0, 2.0], [3.0, 4.0]]), call([v, w]), call((1.0, 2.5))]
SAMPLES[np.array] += [call([0.5, 0.7], ndmin=3), call([v, w], ndmin=3), call(0.5, ndmin=1), call(A, ndmin=3)]
SAMPLES[np.array] += [call(A, dtype=np.float32, smooth=False), call([1.0, 2.0], dtype=float), call(0.5)]
SAMPLES[np.asarray_chkfinite] = [call(A), call(x32), call(v), call([0.5, 0.7]), call(strided(2, 3), float)]
SAMPLES[np.broadcast_to] = [call(v, (3, 4)), call(0.5, (2,)), call(arr(3, 1), (2, 3, 4)), call(arr(1), (0,))]
SAMPLES[np.repeat] = [call(v, 2), call(A, 3, 1), call(A, [1, 0, 2], 0), call(A, 2, axis=0), call(0.5, 3), call(A, 2)]
SAMPLES[np.tile] = [call(v, 2), call(v, (2, 3)), call(A, (2, 1)), call(A, 3), call(T, (1, 2)), call(0.5, 3)]
SAMPLES[np.pad] = [call(v, 1), call(A, ((1, 0), (0, 2))), call(v, (1, 2), "constant", constant_values=3.0)]
SAMPLES[np.pad] += [call(A, 1, mode=m) for m in ("edge", "reflect", "symmetric", "wrap")] + [call(A, (1, 2))]
SAMPLES[np.pad] += [call(x32, (1, 0), constant_values=2.0)]
SAMPLES[np.resize] = [call(v, (2, 3)), call(A, (2, 2))]
SAMPLES[np.concatenate] = [call((v, w)), call([A, B]), call((A, B), 1), call((A, arr(2, 4)), axis=0)]
SAMPLES[np.concatenate] += [call((A, v), axis=None), call((x32, x32), axis=-1), call((A, np.zeros((0, 4))))]
SAMPLES[np.stack] = [call((v, w)), call([A, B], 1), call((A, B), axis=-1), call((0.5, 0.7))]
SAMPLES[np.vstack] = [call((v, w)), call([A, B]), call((A, v)), call((0.5, 0.7))]
if "row_stack" in np.__all__:
    SAMPLES[np.row_stack] = [call((v, w)), call([A, B]), call((x32, x32), dtype=np.float64)]
SAMPLES[np.hstack] = [call((v, w)), call([A, B]), call((0.5, v)), call((T, T))]
SAMPLES[np.column_stack] = [call((v, w)), call((arr(3), A)), call([A, B])]
SAMPLES[np.dstack] = [call((v, w)), call((A, B)), call((T, T)), call((0.5, 0.7))]
SAMPLES[np.append] = [call(v, 0.5), call(A, B, axis=0), call(A, v), call(0.5, v)]
SAMPLES[np.split] = [call(v, 2), call(A, 2, axis=1), call(A, [1, 2]), call(v, [1, 3])]
SAMPLES[np.array_split] = [call(v, 3), call(A, 2, axis=0)]
SAMPLES[np.vsplit] = [call(A, 3), call(A, [1])]
SAMPLES[np.hsplit] = [call(A, 2), call(v, 2), call(A, [1])]
SAMPLES[np.dsplit] = [call(T, 2)]
for _fn in (np.triu, np.tril):
    SAMPLES[_fn] = [call(A), call(A, 1), call(A, -1), call(T), call(arr(3, 3), k=1)]
SAMPLES[np.diag] = [call(v), call(arr(3, 3)), call(A, 1), call(A, -1), call(v, 2), call(arr(4, 3), k=-1)]
SAMPLES[np.diagonal] = [
    call(A),
    call(A, 1),
    call(A, -2),
    call(T, 0, 1, 2),
    call(T, 1, 2, 0),
    call(T, axis1=-1, axis2=0),
]
SAMPLES[np.diagflat] = [call(v), call(arr(2, 2), 1), call(v, -1)]

_mask = np.array([True, False, True, False])
SAMPLES[np.where] = [call(_mask, v, w), call(_mask, A, 0.0), call(_mask, 0.5, v), call(_mask[:3, None], v, A)]
SAMPLES[np.where] += [call(True, 0.5, 0.7), call(_mask, x32, np.float32(2.0)), call(_mask, 0.5, 0.7)]
SAMPLES[np.clip] = [
    call(A, 0.5, 1.2),
    call(A, None, 1.0),
    call(A, 0.8, None),
    call(0.7, 0.0, 1.0),
    call(v, w - 0.1, 3.0),
]
SAMPLES[np.clip] += [call(A, a_min=0.5, a_max=1.0), call(A, min=0.5, max=1.0)]
SAMPLES[np.nan_to_num] = [call(A), call(_gap, nan=2.0, smooth=False)]
SAMPLES[np.sort] = [call(v), call(A), call(A, 0), call(A, axis=None), call(_tied, smooth=False), call(T, 1)]
SAMPLES[np.partition] = [call(v, 1), call(A, 2), call(A, 1, 0)]
SAMPLES[np.take] = [call(v, 2), call(v, [0, 0, 3]), call(A, [[0, 1], [1, -1]], 1), call(A, [5, 5]), call(T, [1, 0], -2)]
SAMPLES[np.take] += [call(A, 1, axis=0), call(v, (1, 0, 1)), call(A, (5, 0)), call(x32, [0, 0], axis=0)]
_order = np.argsort(A, axis=1)
SAMPLES[np.take_along_axis] = [
    call(A, _order, 1),
    call(A, _order[:, :1], -1),
    call(A, np.array([[0, 0, 2, 1]]), axis=0),
]
SAMPLES[np.take_along_axis] += [call(A, np.array([0, 0, 5]), None)]
SAMPLES[np.compress] = [call(_mask, A, axis=1), call(_mask, v)]
SAMPLES[np.extract] = [call(_mask, v), call(A > 1.0, A)]
SAMPLES[np.delete] = [call(v, 1), call(A, [0, 2], 1), call(A, slice(0, 1), axis=0), call(A, 3)]
SAMPLES[np.choose] = [call(np.array([0, 1, 1, 0]), [v, w]), call(np.array([[3], [-1], [0]]), [v, 2.0, A], mode="wrap")]
SAMPLES[np.choose] += [call(np.array([3, -1, 0, 1]), [v, w], mode="clip"), call(1, [v, w])]
SAMPLES[np.select] = [call([_mask, ~_mask & (v > 1)], [v, w], 0.5), call([_mask], [v * 2])]
SAMPLES[np.full] = [call(3, 0.5), call((2, 4), v), call((2, 3), 0.5, dtype=float)]
SAMPLES[np.full_like] = [call(A, 0.5), call(A, v)]
SAMPLES[np.linspace] = [
    call(0.5, 2.0),
    call(0.5, 2.0, 7),
    call(v, w, 3),
    call(0.5, v, num=4),
    call(0.0, 1.5, 4, endpoint=False),
    call(0.5, 2.0, 4, dtype=float),
    call(v, w, 3, axis=1),
    call(A, 2.0, 3, axis=-1),
]
SAMPLES[np.geomspace] = [call(0.5, 2.0, 5), call(-1.0, -8.0, 4), call(v, w, 3), call(0.5, 2.0, 4, endpoint=False)]
SAMPLES[np.logspace] = [call(0.5, 2.0, 5), call(0.5, 1.0, 4, base=2.0)]
SAMPLES[np.arange] = [call(0.25, 2.1, 0.5), call(2.3), call(0.25, 2.1), call(0.25, 2.1, dtype=float)]
SAMPLES[np.meshgrid] = [call(v, arr(3)), call(v, arr(3), arr(2)), call(v, arr(3), indexing="ij"), call(v)]
SAMPLES[np.interp] = [
    call(A, np.array([0.1, 0.5, 1.1, 2.0]), w),
    call(3.0, np.array([0.1, 0.5]), arr(2)),
    call(0.2, np.array([0.1, 0.5]), arr(2)),
]
SAMPLES[np.interp] += [call(np.array([0.3, 0.7], np.float32), np.array([0.1, 0.5, 1.0], np.float32), x32[0, :3])]
SAMPLES[np.insert] = [call(v, 1, 0.5), call(v, [3, 1], w[:2]), call(v, 1, w[:3]), call(A, 5, 0.5), call(A, 1, 0.5, 0)]
SAMPLES[np.insert] += [call(A, 1, v, axis=0), call(A, 2, arr(3), axis=1), call(A, [0, 2], arr(3, 2), axis=1)]
SAMPLES[np.insert] += [call(A, slice(1, 3), arr(3, 1), axis=1), call(A, slice(0, 2), B[:2], axis=-2)]
SAMPLES[np.insert] += [call(A, [1, 0], 0.5, -1), call(v, slice(0, 4, 2), w[:2]), call(x32, 1, np.float32(0.5), axis=0)]
SAMPLES[np.gradient] = [call(arr(6)), call(arr(6), 0.3), call(arr(6), np.cumsum(arr(6))), call(A, axis=0), call(A)]
SAMPLES[np.gradient] += [call(A, 0.3, axis=-1), call(A, 0.3), call(A, 0.3, 0.7), call(A, np.cumsum(arr(3)), 0.7)]
SAMPLES[np.gradient] += [call(x32, axis=1), call(T, axis=1), call(A, axis=(1, 0)), call(A, 0.3, axis=(1,)), call(T)]
SAMPLES[np.gradient] += [
    call(arr(6), edge_order=2),
    call(arr(6), np.cumsum(arr(6)), edge_order=2),
    call(T, axis=(0, -1)),
]
SAMPLES[np.gradient] += [call(A, 0.3, 0.7, edge_order=2), call(A, np.cumsum(v), axis=1, edge_order=2)]
SAMPLES[np.polyval] = [call(w, v), call(w, 0.5)]
SAMPLES[np.diff] = [
    call(v),
    call(A),
    call(A, 2),
    call(A, 2, 0),
    call(A, axis=0),
    call(v, 3),
    call(v[:1] * 2, smooth=False),
]
SAMPLES[np.ediff1d] = [call(v), call(A), call(v, 0.5), call(A, to_begin=0.5, to_end=w), call(x32, to_end=[0.5, 0.7])]
SAMPLES[np.unwrap] = [call(v), call(5.0 * A), call(5.0 * A, axis=0), call(5.0 * A, 4.0), call(5.0 * v, period=3.0)]
SAMPLES[np.unwrap] += [call(5 * x32), call(np.zeros((2, 0)))]
SAMPLES[np.vander] = [call(v), call(v, 3), call(v, N=2, increasing=True), call(x32[0]), call(np.array([0.0, 0.5]), 4)]
SAMPLES[np.polyfit] = [
    call(arr(6), arr(6, seed=1), 2),
    call(arr(6), arr(6, 2), 1),
    call(arr(6), arr(6, seed=1), 1, w=arr(6, seed=2)),
]
SAMPLES[np.fft.fftshift] = [call(v), call(A), call(A, 1), call(T, axes=(0, 2)), call(x32), call(arr(5))]
SAMPLES[np.fft.ifftshift] = SAMPLES[np.fft.fftshift]

SAMPLES[np.cov] = [call(v), call(A), call(A, rowvar=False), call(v, w), call(A, B), call(A, bias=True), call(A, ddof=2)]
SAMPLES[np.cov] += [call(A, fweights=np.array([1, 2, 1, 3])), call(A, aweights=w), call(v, aweights=w, ddof=0)]
SAMPLES[np.cov] += [call(A, None, True, False, 0, np.array([1, 2, 1, 3]), w)]
SAMPLES[np.cov] += [call(A, fweights=[1, 2, 1, 3], aweights=[0.5, 2.0, 1.0, 3.0])]
SAMPLES[np.corrcoef] = [call(A), call(v, w), call(A, rowvar=False)]

# -- products of vectors and matrices

_mats = [(v, w), (A, v), (arr(3), A), (A, arr(4, 2)), (T, arr(4, 2)), (T, v), (arr(3), T), (arr(2, 2, 3), T)]
for _fn in (np.matmul, operator.matmul):
    SAMPLES[_fn] = [call(*p) for p in _mats]
    SAMPLES[_fn] += [call(arr(1, 2, 3), arr(5, 3, 2)), call(A, arr(5, 4, 2)), call(x32, x32.T), call(arr(0, 3), A)]
    SAMPLES[_fn] += [call(fortran(2, 3), strided(3, 2)), call(arr(5, 1, 2, 3), arr(4, 3, 2))]
SAMPLES[np.dot] = [call(*p) for p in _mats[:6]] + [call(T, arr(5, 4, 2)), call(arr(3), T), call(0.5, A), call(A, 0.5)]
SAMPLES[np.dot] += [call(0.5, 0.7), call(np.array(0.5), v), call(x32, x32.T)]
SAMPLES[np.inner] = [call(v, w), call(A, v), call(A, B), call(T, A), call(0.5, v), call(v, A)]
SAMPLES[np.vdot] = [call(v, w), call(A, B), call(A, arr(12))]
SAMPLES[np.outer] = [call(v, arr(3)), call(A, v), call(0.5, v), call(x32, x32)]
SAMPLES[np.tensordot] = [
    *(call(A, arr(4, 2), 1), call(v, arr(3), 0), call(T, arr(4, 3, 5), axes=([1, 2], [1, 0]))),
    *(call(T, A, axes=(2, 1)), call(A, B), call(T, T, axes=((0, 2), (0, 2))), call(T, arr(5, 2), axes=((0,), (-1,)))),
]
for _spec, _shapes in {
    "ij,jk->ik": [(3, 4), (4, 2)],
    "ij,jk": [(3, 4), (4, 2)],
    "ij->ji": [(3, 4)],
    "ba": [(3, 4)],
    "ij->i": [(3, 4)],
    "ij->": [(3, 4)],
    "ii->i": [(3, 3)],
    "ii": [(3, 3)],
    "iij->j": [(3, 3, 2)],
    "i,i": [(4,), (4,)],
    "i,j->ij": [(4,), (3,)],
    "ij,kl->ik": [(2, 3), (4, 5)],
    "bij,bjk->bik": [(2, 3, 4), (2, 4, 2)],
    "...ij,...jk->...ik": [(2, 3, 4), (2, 4, 2)],
    "...ij,jk->...ik": [(2, 3, 4), (4, 2)],
    "...i,...i->...": [(2, 3), (1, 3)],
    "i...->...": [(2, 3, 4)],
    "i...": [(2, 3)],
    "...ij,...j": [(2, 3, 4), (4,)],
    "ij,jk,kl->il": [(2, 3), (3, 4), (4, 2)],
    "i,ij,j->": [(3,), (3, 4), (4,)],
    "ij,ij->j": [(1, 4), (3, 4)],
    "ii,i->i": [(3, 3), (3,)],
}.items():
    SAMPLES.setdefault(np.einsum, []).append(call(_spec, *(arr(*s, seed=k) for k, s in enumerate(_shapes))))
SAMPLES[np.einsum] += [call("ij,jk->ik", A, B.T, optimize=True), call("ij,kj->ik", x32, x32)]
SAMPLES[np.kron] = [
    call(v, arr(2)),
    call(A, arr(2, 2)),
    call(A, arr(2)),
    call(v, arr(2, 3)),
    call(A, 0.5),
    call(0.5, v),
]
SAMPLES[np.cross] = [call(arr(3), arr(3, seed=1)), call(arr(2, 3), arr(3)), call(arr(2, 3), arr(2, 3, seed=2))]
SAMPLES[np.convolve] = [
    call(a, b, m)
    for a, b in ((arr(5), arr(3)), (arr(2), arr(5)), (v, arr(4)), (arr(4), arr(2)))
    for m in ("full", "same", "valid")
]
SAMPLES[np.correlate] = [
    call(a, b, m)
    for a, b in ((arr(5), arr(3)), (arr(5), arr(2)), (v, arr(4)), (arr(3), arr(5)), (arr(2), arr(5)))
    for m in ("full", "same", "valid")
]
SAMPLES[helpers.unconvolve] = [
    call(arr(7), arr(5), arr(3)),
    call(arr(5), arr(5), arr(3), "same"),
    call(arr(2), arr(4), arr(3), "valid"),
]
SAMPLES[np.linalg.multi_dot] = [call([A, arr(4, 2), arr(2, 3)])]
SAMPLES[np.linalg.matrix_power] = [call(square(3), 3), call(square(3), -1), call(square(3), 0)]
SAMPLES[np.linalg.eigh] = [call(spd(3)), call(spd(2, 3))]
SAMPLES[np.linalg.eigvalsh] = [call(spd(3)), call(spd(2, 3))]
SAMPLES[helpers.inverse_gaps] = [call(arr(3)), call(arr(2, 3))]
SAMPLES[np.linalg.pinv] = [call(arr(4, 2)), call(arr(2, 4)), call(square(3)), call(A, 1e-9), call(A, rtol=1e-9)]
for _pair in ((arr(4, 2), v), (arr(4, 2), arr(4, 3)), (arr(2, 4), arr(2)), (square(3), arr(3)), (arr(4, 2), v, -1)):
    SAMPLES.setdefault(np.linalg.lstsq, []).append(call(*_pair, smooth=False))  # the rank is no float
SAMPLES[helpers.least_squares] = [call(arr(4, 2), v), call(arr(2, 4), arr(2, 3)), call(square(3), arr(3), 1e-9)]
SAMPLES[helpers.least_squares] += [call(np.outer(v, arr(2)), w, 0.1, wrt=("b",)), call(x32, x32[:, 0])]
SAMPLES[helpers.least_squares_rank] = [call(arr(4, 2), v)]
SAMPLES[np.linalg.svd] = [
    call(A, False),
    call(arr(4, 2), full_matrices=False),
    call(square(3)),
    call(arr(2, 4, 3), False),
]
SAMPLES[np.linalg.svd] += [call(A, compute_uv=False), call(arr(2, 4, 3), compute_uv=False), call(x32, False)]
SAMPLES[np.linalg.cond] = [call(A), call(A, -2), call(square(3), 2), call(arr(2, 3, 4))]
SAMPLES[np.linalg.svdvals] = [call(A), call(arr(2, 3, 4))]
SAMPLES[np.linalg.qr] = [call(square(3)), call(arr(4, 2)), call(arr(2, 4)), call(arr(2, 4, 3)), call(x32)]
SAMPLES[np.trace] = [call(A), call(A, 1), call(T, 0, 1, 2), call(T, offset=-1, axis1=2, axis2=0), call(arr(3, 3))]
SAMPLES[np.linalg.solve] = [call(square(3), arr(3)), call(square(3), arr(3, 2)), call(square(3, 2), arr(2, 3, 4))]
SAMPLES[np.linalg.solve] += [call(square(3, 2), arr(3)), call(square(3), arr(2, 3, 4))]
SAMPLES[np.linalg.inv] = [call(square(3)), call(square(2, 3))]
SAMPLES[np.linalg.det] = [call(square(3)), call(square(2, 3))]
SAMPLES[np.linalg.slogdet] = [call(square(3)), call(square(2, 3))]
SAMPLES[np.linalg.cholesky] = [call(spd(3)), call(spd(2, 3)), call(spd(3), upper=True)]

# -- arguments that make another function of a call

_some, _most = A > 1.0, A > 0.6  # the second has some in each row and column
SAMPLES[np.sum] += [
    call(A, where=_some),
    call(A, axis=0, where=_some[:1], keepdims=True),
    call(T, where=_some, axis=-1),
]
SAMPLES[np.sum] += [call(A, 1, where=True, initial=0.5), call(x32, initial=np.float32(0.5)), call(v, initial=0.5)]
SAMPLES[np.sum] += [call(np.zeros((0, 3)), 0, initial=0.5), call(A, where=A > 9.0), call(x32, 0, where=_some)]
SAMPLES[np.prod] += [call(A, where=_some), call(A, axis=0, where=_some[:1], keepdims=True), call(v, initial=0.5)]
SAMPLES[np.prod] += [call(x32, 0, where=_some), call(np.zeros((0, 3)), 0, initial=0.5), call(T, (0, 2), initial=2.0)]
SAMPLES[np.mean] += [call(A, where=_most), call(A, axis=0, where=_most[:1], keepdims=True), call(T, -1, where=_most)]
SAMPLES[np.mean] += [call(x32, 0, where=_most), call(A, where=_most[0])]
for _fn in (np.max, np.min, np.amax, np.amin):
    SAMPLES[_fn] += [
        call(A, initial=1.1),
        call(A, axis=1, initial=1.1),
        call(T, axis=(0, 2), keepdims=True, initial=1.1),
    ]
    SAMPLES[_fn] += [call(A, where=_some, initial=1.1), call(A, 0, where=_some[0], initial=1.2)]
    SAMPLES[_fn] += [call(np.zeros((0, 3)), axis=0, initial=0.5), call(x32, 0, where=_some, initial=np.float32(0.9))]
for _fn in (np.var, np.std):
    SAMPLES[_fn] += [
        call(A, where=_some),
        call(A, axis=0, where=_some[:1] | True, keepdims=True, ddof=1),
        call(A, correction=1),
    ]
    SAMPLES[_fn] += [
        call(A, 1, mean=np.mean(A, axis=1, keepdims=True)),
        call(x32, where=_some),
        call(v, mean=np.array([0.9])),
    ]
    SAMPLES[_fn] += [call(T, axis=(0, 2), where=T > 0.7, correction=1), call(T, (0, 2), where=T > 0.7, keepdims=True)]
SAMPLES[np.std] += [call(np.ones((2, 3)), where=np.array([True, False, True]), smooth=False)]
_gaps = np.where(np.eye(3, 4) > 0, np.nan, np.linspace(0.3, 2.0, 12).reshape(3, 4))
_meant = np.array([[True, True, False, True], [True] * 4, [False, True, True, True]])
for _fn in (np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd):
    SAMPLES[_fn] += [call(_gaps, where=_meant, smooth=False), call(_gaps, 1, where=_meant, keepdims=True, smooth=False)]
for _fn in (np.nansum, np.nanprod, np.nanmax, np.nanmin):
    SAMPLES[_fn] += [call(_gaps, initial=0.9, smooth=False), call(x32, 0, initial=np.float32(0.9))]
    SAMPLES[_fn] += [call(_gaps, axis=0, where=_meant, initial=0.9, keepdims=True, smooth=False)]
for _fn in (np.nanvar, np.nanstd):
    SAMPLES[_fn] += [call(_gaps, 1, correction=1, smooth=False)]
    SAMPLES[_fn] += [call(_gaps, mean=np.array([[0.9]]), where=_meant, smooth=False)]
SAMPLES[np.diff] += [call(v, prepend=0.5), call(v, append=0.5), call(A, prepend=B[:, :1], append=0.5)]
SAMPLES[np.diff] += [
    call(A, 2, 0, append=B),
    call(x32, axis=0, prepend=x32[:1]),
    call(v, 0, prepend=0.5),
    call(np.zeros((0, 3)), axis=0, prepend=0.5),
]
SAMPLES[np.interp] += [
    call(A, np.array([0.5, 1.1, 1.5]), arr(3), left=0.2),
    call(A, np.array([0.5, 1.1, 1.5]), arr(3), right=0.2, left=0.9),
    call(3.0, np.array([0.5, 1.1]), arr(2), right=0.2),
]
SAMPLES[np.cross] += [call(arr(3, 4), arr(4, 3), axisa=0, axisb=1, axisc=0), call(arr(3, 2), arr(3, 2, seed=1), axis=0)]
SAMPLES[np.take] += [call(v, [0, -1, 9], mode="wrap"), call(A, [[0, 2], [-7, 5]], axis=1, mode="clip")]
SAMPLES[np.take] += [call(A, 13, mode="wrap"), call(A, [1, 0], 0, mode="raise")]

# -- names of the array API standard, and what older NumPys lack

for _fn in (np.vecdot, np.linalg.vecdot):
    SAMPLES[_fn] = [call(v, w), call(A, v), call(A, B, axis=0), call(T, A), call(x32, x32)]
SAMPLES[np.linalg.matmul] = [call(A, arr(4, 2)), call(T, v)]
SAMPLES[np.linalg.tensordot] = [call(A, B), call(T, A, axes=(2, 1))]
SAMPLES[np.linalg.outer] = [call(v, arr(3)), call(x32[0], x32[1])]
SAMPLES[np.linalg.cross] = [call(arr(3), arr(3, seed=1)), call(arr(3, 2), arr(3, 2, seed=1), axis=0)]
SAMPLES[np.linalg.cross] += [call(arr(2, 3), arr(3)), call(arr(2, 3), arr(2, 3, seed=2)), call(arr(1, 3), arr(2, 3))]
SAMPLES[np.linalg.trace] = [call(T), call(A, offset=1)]
SAMPLES[np.linalg.diagonal] = [call(T), call(A, offset=-1)]
SAMPLES[np.linalg.matrix_transpose] = [call(T), call(A)]
SAMPLES[np.linalg.matrix_norm] = [call(A), call(T, ord=2, keepdims=True), call(T, ord="nuc"), call(x32, ord=1)]
SAMPLES[np.linalg.vector_norm] = [call(A), call(T, axis=(0, 2), ord=3), call(T, axis=1, keepdims=True), call(x32)]
SAMPLES[np.linalg.vector_norm] += [call(T, keepdims=True), call(T, axis=(2, 0), ord=1, keepdims=True)]
SAMPLES[np.nancumsum] = [call(A), call(_gap, axis=0, smooth=False), call(_gap, smooth=False), call(x32, 1)]
SAMPLES[np.nancumprod] = [call(A), call(_gap, axis=0, smooth=False), call(_gap, smooth=False), call(x32, 1)]
if hasattr(np, "matvec"):
    SAMPLES[np.matvec] = [call(A, v), call(T, v), call(T, arr(2, 4)), call(x32, x32[0])]
    SAMPLES[np.vecmat] = [call(arr(3), A), call(arr(3), T), call(arr(2, 3), T), call(x32[:, 0], x32)]
if hasattr(np, "cumulative_sum"):
    for _fn in (np.cumulative_sum, np.cumulative_prod):
        SAMPLES[_fn] = [call(v), call(A, axis=1), call(A, axis=0, include_initial=True), call(x32, axis=-1)]
        SAMPLES[_fn] += [call(v, include_initial=True), call(x32, axis=0, include_initial=True)]

# -- functions of functions, windows, running extrema, polynomials

SAMPLES[np.apply_over_axes] = [call(np.sum, T, (0, 2)), call(np.max, A, [1]), call(np.cumsum, A, 1)]
SAMPLES[np.real_if_close] = [call(A), call(0.5), call(x32)]
SAMPLES[np.i0] = SAMPLES[helpers.bessel_i1] = [call(0.7), call(A), call(np.array([-0.5, 0.0, 9.0])), call(np.zeros(0))]
SAMPLES[np.kaiser] = [call(5, 2.5), call(1, 2.5)]
SAMPLES[np.apply_along_axis] = [call(np.sum, 1, A), call(np.cumsum, 0, A), call(np.cumsum, -2, T), call(np.max, 0, x32)]
SAMPLES[np.fromfunction] = [call(np.add, (2, 3)), call(np.hypot, (3, 2), dtype=int)]
SAMPLES[sliding_window_view] = [call(v, 2), call(A, 3, axis=1), call(A, (2, 3)), call(T, (2, 2), axis=(0, 2))]
SAMPLES[sliding_window_view] += [call(x32, 2, 0), call(fortran(3, 4), (2,), axis=(-1,)), call(strided(4), 3)]
SAMPLES[helpers.unslide] = [call(arr(3, 2), v, 2), call(arr(2, 2, 2, 3), A, (2, 3)), call(arr(3, 2, 3), A, 3, axis=1)]
for _fn in (np.maximum.accumulate, np.minimum.accumulate):
    SAMPLES[_fn] = [
        call(v),
        call(A),
        call(T, axis=1),
        call(A, -1),
        call(x32),
        call(fortran(3, 4), 1),
        call(np.zeros(0)),
    ]
    SAMPLES[_fn] += [call(_tied, 1, smooth=False), call(_gap, 0, smooth=False)]
_few = np.array([0.7, -0.3, 0.7, 1.5, -0.3])
SAMPLES[np.unique] = [
    *(call(v), call(A), call(x32), call(np.zeros(0)), call(_few, smooth=False), call([0.5, 0.2]), call(v, axis=None)),
    *(call(A, **{f"return_{what}": True}, smooth=False) for what in ("index", "inverse", "counts")),
    call(A, equal_nan=True),
]
SAMPLES[np.union1d] = [call(v, w + 0.041), call(A, w + 0.017)]
SAMPLES[np.setdiff1d] = [call(v, w + 0.041), call(v, v[:2], smooth=False), call(v, w + 0.041, True)]
SAMPLES[np.intersect1d] = [call(v, v[1:], smooth=False), call(v, w + 0.041)]
SAMPLES[np.trim_zeros] = [call(v), call(v, "f"), call(v, "b"), call(np.pad(v, 2), smooth=False)]
SAMPLES[helpers.axes_back] = [call(v, 3)]
SAMPLES[helpers.running_places] = [call(A, np.maximum.accumulate(A, 1), 1)]
SAMPLES[np.polyder] = [call(v), call(v, 2), call(x32[0])]
SAMPLES[np.polyadd] = [call(v, v[:2]), call(v[:1], v), call(v, v)]
SAMPLES[np.polysub] = [call(v, v[:2]), call(v[:1], v)]
SAMPLES[np.polymul] = [call(w, w[:2]), call(w[:1], w)]
SAMPLES[np.poly] = [call(v), call(v[:1]), call([0.5, 0.7]), call(x32[0])]
SAMPLES[np.polydiv] = [call(arr(5), w[:2]), call(w[:2], v), call(v, w)]
_p, _q = np.poly1d([1.0, 0.4, -0.3]), np.polynomial.Chebyshev([1.0, 0.3, -0.2, 0.1], domain=[0.0, 3.0])
SAMPLES[np.poly1d.__call__] = [call(_p, v), call(_p, 0.7), call(_p, A)]
SAMPLES[np.polynomial.Polynomial.__call__] = [call(_q, v), call(_q, 0.7), call(_q, fortran(2, 3))]
SAMPLES[polynomial_at] = [call(_p, v, 0), call(_q, strided(2, 3), 1), call(_q, np.array(0.6), 0), call(_p, x32, 0)]
SAMPLES[polynomial_at] += [call(_p, np.zeros((0, 3)), 0), call(_q, 0.7, 2), call(_p, arr(1), 0)]
for _fn in (np.poly1d.deriv, np.poly1d.integ):
    SAMPLES[_fn] = [call(_p), call(_p, 2)]
for _fn in (np.polynomial.Polynomial.deriv, np.polynomial.Polynomial.integ):
    SAMPLES[_fn] = [call(_q), call(_q, 2)]
SAMPLES[np.polyint] = [call(v), call(v, k=0.5)]
SAMPLES[np.nanquantile] = [
    call(v, 0.3),
    call(A, 0.55, axis=0),
    call(T, 0.7, axis=(0, 2), keepdims=True),
    call(x32, 0.4),
]
SAMPLES[np.nanquantile] += [call(_gap, 0.3, axis=1, smooth=False), call(_gap, 0.4, smooth=False)]
SAMPLES[np.nanpercentile] = [call(v, 30), call(A, 62.5, 1), call(_gap, 30.0, 0, smooth=False)]
SAMPLES[np.nanmedian] = [
    call(v),
    call(A, axis=1),
    call(T, (0, 2), keepdims=True),
    call(x32),
    call(_gap, 0, smooth=False),
]
_METHODS = ("lower", "higher", "midpoint", "hazen", "weibull", "median_unbiased", "normal_unbiased", "nearest")
_BY_CDF = ("inverted_cdf", "closest_observation", "interpolated_inverted_cdf")
for _method in (*_METHODS, *_BY_CDF):
    SAMPLES[np.quantile] += [call(v, 0.37, method=_method), call(A, np.array([0.12, 0.64, 0.98]), 1, method=_method)]
    SAMPLES[np.quantile] += [call(x32, 0.02, axis=0, method=_method), call(T, 0.97, (0, 2), method=_method)]
SAMPLES[np.linalg.tensorinv] = [
    call(square(6).reshape(2, 3, 6)),
    call(square(4).reshape(4, 2, 2), ind=1),
    call(square(2), 1),
]
SAMPLES[np.linalg.tensorsolve] = [call(square(6).reshape(2, 3, 6), A[:2, :3]), call(square(4).reshape(4, 2, 2), v)]
SAMPLES[np.linalg.eigh] += [call(spd(3), UPLO="U"), call(spd(2, 3), "U")]
SAMPLES[np.linalg.eigvalsh] += [call(spd(3), UPLO="U"), call(spd(3), "L")]
SAMPLES[np.linalg.qr] += [call(square(3), "r"), call(arr(4, 2), mode="r"), call(arr(2, 4), mode="r"), call(x32, "r")]
SAMPLES[np.interp] += [call(5.0 * A, np.array([0.1, 0.5, 2.2]), arr(3), period=2.9), call(-3.3, v, w, period=-1.7)]
SAMPLES[np.linspace] += [
    call(0.5, 2.0, 5, retstep=True),
    call(v, w, 3, False, retstep=True),
    call(v, 1.0, retstep=False),
]
SAMPLES[np.meshgrid] += [
    call(v, arr(3), sparse=True),
    call(v, arr(3), arr(2), indexing="ij", sparse=True),
    call(v, sparse=True),
]

# -- helpers of derivative code

_ab = (A, B)
SAMPLES[helpers.cast] = [call(v, w), call(0.5, 0.5), call(np.array(0.6), 0.5)]
SAMPLES[helpers.unbroadcast] = [call(A, v), call(A, 0.5), call(v, A), call(T, arr(3, 1)), call(A, B), call(0.5, v)]
SAMPLES[helpers.spread] = [call(0.5, A), call(v, A, 0), call(arr(3, 1), A, 1, True), call(arr(3), T, (0, 2))]
SAMPLES[helpers.spread_items] = [call(0.5, [1.0, 2.0]), call(0.5, v), call(v, A)]
SAMPLES[helpers.unpack] = [call(arr(2), [1.0, 2.0]), call(arr(2, 2), [[1.0, 2.0], [3.0, 4.0]]), call(A, [v, w, v])]
SAMPLES[helpers.times] = [
    call(v, w),
    call(A, v),
    call(0.5, 0.7),
    call(np.array([0.0, 1.0]), np.array([np.inf, 2.0]), smooth=False),
]
SAMPLES[helpers.quotient] = [
    call(v, w),
    call(0.5, 0.7),
    call(v, np.zeros(4), smooth=False),
    call(1.0, 0.0, smooth=False),
]
SAMPLES[helpers.safe_log] = [call(v), call(0.5), call(0.0, smooth=False), call(np.array([0.0, 1.0]), smooth=False)]
SAMPLES[helpers.exp_difference] = [call(v, w), call(0.5, 0.7), call(-np.inf, -np.inf, smooth=False)]
SAMPLES[helpers.power_slope] = [call(v, w), call(0.5, 0.7), call(v, 2.0), call(1.5, v)]
SAMPLES[helpers.power_term] = [
    call(v, w, v),
    call(1.5, 0.5, 0.7),
    call(1.5, v, 2.0),
    call(v, 1.5, 2.0),
    call(0.0, 0.5, -1.0),
    call(np.array([0.0, 1.5]), np.array([0.0, 0.4]), np.array([-1.0, -2.0]), wrt=("x",), smooth=False),
]
SAMPLES[helpers.where_larger] = [call(v, w, 1.0), call(0.5, 0.7, 0.2), call(0.5, v, w)]
SAMPLES[helpers.where_larger] += [call(1.0, 2.0, 2.0, wrt=("value",)), call(v, w, w, wrt=("value",))]
SAMPLES[helpers.tied_mean] = [
    call(arr(2, 3), _tied, np.max(_tied, 1), 1, wrt=("x",)),
    call(arr(2, 3), _tied, 3.0, wrt=("x",)),
]
SAMPLES[helpers.tied_share] = [
    call(arr(2), _tied, np.max(_tied, 1), 1, wrt=("x",)),
    call(0.5, _tied, 3.0, wrt=("x",)),
]
SAMPLES[helpers.polygamma] = [call(0, 0.7), call(1, 2.5), call(2, 0.3)]
SAMPLES[helpers.exclusive_prod] = [call(v), call(A), call(_zeros), call(_zeros[1])]
SAMPLES[helpers.flatten_axes] = [call(A), call(T, 1), call(T, (0, 2))]
SAMPLES[helpers.unflatten_axes] = [call(arr(12), A), call(arr(3, 2, 4), T, 1), call(arr(8, 3), T, (0, 2))]
SAMPLES[helpers.split_like] = [
    call(arr(8), (v, w)),
    call(arr(3, 8), _ab, 1),
    call(arr(16), (A, v), None),
    call(arr(2, 4), (v, w)),
]
SAMPLES[helpers.join_like] = [
    call([v, w], arr(8)),
    call([A, B], arr(3, 8), 1),
    call([A, v], arr(16), None),
    call([v, w], arr(2, 4)),
]
SAMPLES[helpers.unstack] = [call(arr(2, 4), (v, w)), call(arr(3, 2, 4), _ab, 1)]
SAMPLES[helpers.untile] = [call(arr(8), v, 2), call(arr(2, 12), v, (2, 3)), call(arr(3, 4), 0.5, (3, 4))]
SAMPLES[helpers.crop] = [call(arr(6), v, 1), call(arr(4, 6), A, ((1, 0), (0, 2)))]
SAMPLES[helpers.unpad] = [call(arr(5, 6), A, 1, m) for m in ("edge", "reflect", "wrap")]
SAMPLES[helpers.untake] = [call(arr(3), [0, 0, 3], v), call(arr(3, 2, 2), [[0, 1], [1, -1]], A, 1), call(0.5, 2, v)]
SAMPLES[helpers.untake_along_axis] = [call(B, _order, A, 1), call(arr(3), np.array([0, 0, 5]), A, None)]
SAMPLES[helpers.scatter] = [call(arr(4), 1, A), call(arr(3), [0, 0, 2], v), call(0.5, (1, 2), A)]
SAMPLES[helpers.undiagonal] = [call(arr(3), A), call(arr(3, 1), T, 1, 2, 0)]
SAMPLES[helpers.undiag] = [call(arr(4, 4), v), call(arr(3), A, 1), call(arr(3, 3), arr(2), 1)]
SAMPLES[helpers.matmul_left] = [call(arr(3, 2), A, arr(4, 2)), call(arr(2, 3), T, v), call(arr(2, 4), arr(3), T)]
SAMPLES[helpers.matmul_right] = [call(arr(3, 2), A, arr(4, 2)), call(arr(2, 3), T, v), call(arr(2, 4), arr(3), T)]
SAMPLES[helpers.dot_left] = [call(arr(3, 2), A, arr(4, 2)), call(arr(2, 3, 5, 2), T, arr(5, 4, 2)), call(A, 0.5, B)]
SAMPLES[helpers.dot_right] = [call(arr(3, 2), A, arr(4, 2)), call(arr(2, 3, 5, 2), T, arr(5, 4, 2)), call(A, B, 0.5)]
SAMPLES[helpers.tensordot_left] = [call(arr(3, 2), A, arr(4, 2), 1), call(arr(2, 5), T, arr(4, 3, 5), ([1, 2], [1, 0]))]
SAMPLES[helpers.tensordot_right] = [
    call(arr(3, 2), A, arr(4, 2), 1),
    call(arr(2, 5), T, arr(4, 3, 5), ([1, 2], [1, 0])),
]
SAMPLES[helpers.einsum_transpose] = [
    call(0, "ij,jk->ik", arr(3, 2), A, arr(4, 2)),
    call(1, "ij,jk->ik", arr(3, 2), arr(4, 2), A),
    call(0, "ii->i", arr(3), arr(3, 3)),
    call(1, "i,ij,j->", 0.5, arr(3, 4), arr(3), arr(4)),
    call(0, "...i,...i->...", arr(2), arr(2, 3), arr(1, 3)),
]

# -- zero derivative: the arguments must be ones at which the function is locally constant

_i, _j = np.array([3, 1, 2]), np.array([1, 1, 4])
for _fn in (np.floor, np.ceil, np.trunc, np.rint, np.sign, np.signbit, np.round, np.around, np.imag, helpers.sign):
    SAMPLES[_fn] = [call(A + 0.01), call(-0.3)]
for _fn in (np.isnan, np.isinf, np.isfinite, np.isposinf, np.isneginf, np.isreal, np.iscomplex, np.logical_not):
    SAMPLES[_fn] = [call(A)]
for _fn in (np.spacing, np.floor_divide, operator.floordiv, np.isclose, np.allclose, np.array_equal, np.array_equiv):
    SAMPLES[_fn] = [call(A) if _fn is np.spacing else call(A, 0.217)]
for _fn in (np.logical_and, np.logical_or, np.logical_xor, np.less, np.less_equal, np.greater, np.greater_equal):
    SAMPLES[_fn] = [call(A, B)]
for _fn in (np.equal, np.not_equal, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
    SAMPLES[_fn] = [call(A, B), call(0.5, 0.7)]
for _fn in (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift, np.gcd, np.lcm):
    SAMPLES[_fn] = [call(_i, _j)]
for _fn in (operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, math.gcd, math.lcm):
    SAMPLES[_fn] = [call(6, 4)]
for _fn in (np.invert, operator.invert, operator.index, math.isqrt, math.factorial):
    SAMPLES[_fn] = [call(5)]
for _fn in (np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32, np.uint16, np.uint8):
    SAMPLES[_fn] = [call(5)]
for _fn in (operator.not_, operator.truth, bool, np.bool_, int, str, repr, print, math.floor, math.ceil, math.trunc):
    SAMPLES[_fn] = [call(0.7)]
for _fn in (math.isnan, math.isinf, math.isfinite, math.ulp, round, np.isscalar):
    SAMPLES[_fn] = [call(0.7)]
SAMPLES[round] += [call(0.73, 1)]
for _fn in (operator.is_, operator.is_not, math.isclose):
    SAMPLES[_fn] = [call(0.5, 0.7)]
for _fn in (math.comb, math.perm):
    SAMPLES[_fn] = [call(5, 2)]
SAMPLES[operator.contains] = [call([0.5, 0.7], 0.5)]
SAMPLES[len] = [call(v), call([1.0])]
SAMPLES[range] = [call(3)]
SAMPLES[isinstance] = [call(0.5, float)]
for _fn in (np.zeros, np.ones, np.empty, np.eye, np.identity, np.tri):
    SAMPLES[_fn] = [call(3)]
for _fn in (np.zeros_like, np.ones_like, np.empty_like, np.shape, np.size, np.ndim, np.argmax, np.argmin, np.argsort):
    SAMPLES[_fn] = [call(A)]
for _fn in (np.nanargmax, np.nanargmin, np.argwhere, np.count_nonzero, np.nonzero, np.flatnonzero, np.any, np.all):
    SAMPLES[_fn] = [call(A)]
SAMPLES[np.angle] = [call(A), call(-0.7, True)]
for _fn in (np.iscomplexobj, np.isrealobj, np.triu_indices_from, np.tril_indices_from, np.linalg.matrix_rank):
    SAMPLES[_fn] = [call(square(3))]
for _fn in (np.triu_indices, np.tril_indices, np.diag_indices):
    SAMPLES[_fn] = [call(3)]
SAMPLES[np.diag_indices_from] = [call(square(3))]
SAMPLES[np.argpartition] = [call(v, 1)]
SAMPLES[np.lexsort] = [call((v, w))]
SAMPLES[np.searchsorted] = [call(np.sort(v), 0.9)]
for _fn in (bisect.bisect_left, bisect.bisect_right):
    SAMPLES[_fn] = [call(np.sort(v), 0.9)]
SAMPLES[np.digitize] = [call(v, np.array([0.5, 1.0]))]
_spots, _shares = np.array([0.11, 0.92, 0.48, 0.33, 0.95, 0.52, 0.07, 0.71]), arr(8)
SAMPLES[np.histogram] = [
    *(call(_spots, 3, weights=_shares), call(_spots, 4, (0.2, 0.8), True, _shares), call(_spots, 3, density=True)),
    call(_spots[:1], 2, density=True),
    call(np.reshape(_spots, (2, 4)), 3, weights=np.reshape(_shares, (2, 4))),
]
SAMPLES[np.bincount] = [call(_i, arr(np.size(_i))), call(_i, arr(np.size(_i)), 9)]
SAMPLES[np.indices] = [call((2, 3))]
SAMPLES[np.unravel_index] = [call(5, (2, 3)), call(1, (2,)), call(4, 5), call(np.array([[5, 0, 3]]), (2, 3))]
SAMPLES[np.ravel_multi_index] = [call((1, 2), (2, 3))]
SAMPLES[np.isin] = [call(_i, _j)]
SAMPLES[np.broadcast_shapes] = [call((3, 1), (4,))]
for _fn in (np.shares_memory, np.may_share_memory, np.result_type):
    SAMPLES[_fn] = [call(A, B)]
SAMPLES[helpers.as_result] = [call(v, w), call(0.5, 0.7)]
SAMPLES[helpers.last_stored] = [call(v, [0, 2, 0]), call(A, (slice(None), [1, 1])), call(v, slice(1, 3))]
SAMPLES[helpers.place] = [call(arr(3), [0, 2, 0], v), call(arr(3, 2), (slice(None), [1, 1]), A)]
SAMPLES[helpers.pack] = [call([0.5, 0.7], v), call([v, w], A), call([0.5, 0.7], [1.0, 2.0])]
for _fn in (helpers.copy_tree, helpers.copy_state):
    SAMPLES[_fn] = [call(A), call([v, w])]
SAMPLES[helpers.laid_out] = [call(A, A.T.copy().T), call(v, np.ones(2 * len(v))[::2])]
SAMPLES[helpers.laid_out_leaves] = [call([v, A], [v, A.T.copy().T])]
SAMPLES[helpers.accumulate] = [call(v, w), call(0.5, 0.7), call((v, 0.5), (w, 0.7))]
SAMPLES[helpers.shadow_view] = [call(v, w, w, wrt=("view",)), call(v, w, w.copy(), wrt=("view",))]
SAMPLES[helpers.need_array] = [call(v)]
SAMPLES[helpers.need_rows] = [call(A)]
SAMPLES[helpers.need_several] = [call(3)]
SAMPLES[helpers.need_values] = [call(3, 3)]
SAMPLES[helpers.need_filled] = [call(A)]
SAMPLES[helpers.need_more_values] = [call(3, 2)]
SAMPLES[helpers.need_apart] = [call(v, w)]
SAMPLES[helpers.same_sharing] = [call(v, w, v, w)]
SAMPLES[helpers.unit_seed] = [call(0.5)]
SAMPLES[helpers.copy_order] = [call(v.copy(), slice(None), w)]
SAMPLES[helpers.need_square] = [call(square(3))]
SAMPLES[helpers.need_variables] = [call(A)]
SAMPLES[helpers.need_number] = [call(0.7)]
SAMPLES[helpers.need_real] = [call(0.7)]
SAMPLES[helpers.need_fractions] = [call(0.2, 0.7)]
SAMPLES[helpers.combination_places] = [call(4, 2), call(3, 0), call(2, 3)]
SAMPLES[helpers.permutation_places] = [call(3, 3), call(4, 2), call(2, 3)]
SAMPLES[helpers.as_index] = [call([2, 0]), call([])]
SAMPLES[helpers.order_of] = [call([0.5, -0.3, 0.5], False), call([0.5, -0.3, 0.5], True)]
SAMPLES[helpers.place_of_max] = SAMPLES[helpers.place_of_min] = [call([0.5, -0.3, 0.5])]
SAMPLES[stop_gradient] = SAMPLES[helpers.constant] = [call(A, smooth=False)]
SAMPLES[helpers.count] = [call(A), call(A, 0)]
SAMPLES[helpers.zero_item] = [call(A, 1)]
SAMPLES[helpers.zero_items] = [call(A), call((A, A))]
for _fn in (helpers.zeros_like, helpers.zero_leaf, helpers.ones_like, helpers.diagonal_mask, helpers.upper_mask):
    SAMPLES[_fn] = [call(A)]
if hasattr(np, "fix"):
    SAMPLES[np.fix] = [call(A + 0.01)]

from rules import polynomial_samples as _polynomials  # noqa: E402, F401  (which adds to these)
