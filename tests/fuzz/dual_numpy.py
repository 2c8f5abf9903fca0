"""``numpy`` and ``math`` for programs that run on dual numbers.

:data:`numpy` and :data:`math_` stand in for the two modules in the reference's
run of a program.  Whatever is not written here is NumPy's own (``np.pi``, ``np.errstate``)
and must not meet a dual number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .dual import Dual, DualArray, no_ties, parts, wrap

__all__ = ["BUILTINS", "math_", "numpy"]

_erf = np.vectorize(math.erf, otypes=[float])

#: name -> (the function, its derivative), on floats and on arrays alike.
_SMOOTH: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "sin": (np.sin, np.cos),
    "cos": (np.cos, lambda x: -np.sin(x)),
    "tan": (np.tan, lambda x: 1 + np.tan(x) ** 2),
    "arcsin": (np.arcsin, lambda x: 1 / np.sqrt(1 - x * x)),
    "arctan": (np.arctan, lambda x: 1 / (1 + x * x)),
    "sinh": (np.sinh, np.cosh),
    "cosh": (np.cosh, np.sinh),
    "tanh": (np.tanh, lambda x: 1 / np.cosh(x) ** 2),
    "arcsinh": (np.arcsinh, lambda x: 1 / np.sqrt(x * x + 1)),
    "exp": (np.exp, np.exp),
    "expm1": (np.expm1, np.exp),
    "exp2": (np.exp2, lambda x: np.exp2(x) * math.log(2)),
    "log": (np.log, lambda x: 1 / x),
    "log1p": (np.log1p, lambda x: 1 / (1 + x)),
    "log2": (np.log2, lambda x: 1 / (x * math.log(2))),
    "log10": (np.log10, lambda x: 1 / (x * math.log(10))),
    "sqrt": (np.sqrt, lambda x: 0.5 / np.sqrt(x)),
    "cbrt": (np.cbrt, lambda x: 1 / (3 * np.cbrt(x) ** 2)),
    "square": (np.square, lambda x: 2 * x),
    "reciprocal": (np.reciprocal, lambda x: -1 / (x * x)),
    "erf": (_erf, lambda x: 2 / math.sqrt(math.pi) * np.exp(-x * x)),
    "negative": (np.negative, lambda x: -1.0),
}
_MATH_NAMES = {"asin": "arcsin", "atan": "arctan", "asinh": "arcsinh"}


def _put(result: Any, out: Any) -> Any:
    if out is None:
        return result
    out[...] = result
    return out


def _smooth(function: Callable[[Any], Any], derivative: Callable[[Any], Any]) -> Callable[..., Any]:
    def call(x: Any, out: Any = None) -> Any:
        if not isinstance(x, Dual | DualArray):
            return _put(wrap(function(x), np.zeros(np.shape(x))), out)
        return _put(wrap(function(x.v), derivative(x.v) * x.t), out)

    return call


def _operator(rule: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def call(a: Any, b: Any, out: Any = None) -> Any:
        a = a if isinstance(a, DualArray | Dual) else wrap(*parts(a))
        return _put(rule(a, b), out)

    return call


def _linear(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        v, t = parts(x if isinstance(x, Dual | DualArray | np.ndarray) else array(x))
        return wrap(function(v, *args, **kwargs), function(t, *args, **kwargs))

    return call


def _joining(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(xs: Any, *args: Any, **kwargs: Any) -> Any:
        pairs = [parts(x) for x in xs]
        return wrap(
            function([v for v, _ in pairs], *args, **kwargs),
            function([np.broadcast_to(t, np.shape(v)) for v, t in pairs], *args, **kwargs),
        )

    return call


def _multilinear(function: Callable[..., Any], leading: int = 0) -> Callable[..., Any]:
    """``function(*leading, *operands)``, linear in each operand."""

    def call(*args: Any, **kwargs: Any) -> Any:
        head, pairs = args[:leading], [parts(array(x) if isinstance(x, list) else x) for x in args[leading:]]
        values = [v for v, _ in pairs]
        t = 0.0
        for k, (_, tangent) in enumerate(pairs):
            t = t + function(*head, *values[:k], tangent, *values[k + 1 :], **kwargs)
        return wrap(function(*head, *values, **kwargs), t)

    return call


def _choice(a: Any, b: Any, first: Callable[[Any, Any], Any], out: Any = None) -> Any:
    (av, at), (bv, bt) = parts(a), parts(b)
    no_ties(av, at, bv, bt)
    take = first(av, bv)
    return _put(_select(take, (av, at), (bv, bt)), out)


def _select(take: Any, a: tuple[Any, Any], b: tuple[Any, Any]) -> Any:
    v, t = np.where(take, a[0], b[0]), np.where(take, a[1], b[1])
    scalar = not any(isinstance(x, np.ndarray) for x in (take, a[0], b[0]))
    return wrap(v[()], t[()]) if scalar else wrap(v, t)


def where(condition: Any, *choices: Any) -> Any:
    """``np.where``"""
    if not choices:
        return np.where(condition)
    a, b = choices
    (av, at), (bv, bt) = parts(a), parts(b)
    v = np.where(condition, av, bv)
    return wrap(v, np.where(condition, at, bt))


def clip(x: Any, low: Any, high: Any) -> Any:
    """``np.clip``"""
    return numpy.minimum(numpy.maximum(x, low), high)


def _extreme(argument: Callable[..., Any], x: Any, axis: int | None, keepdims: bool) -> Any:
    v, t = parts(x)
    if axis is None:
        shape = (1,) * v.ndim
        v, t, axis = v.ravel(), t.ravel(), 0
    else:
        shape = None
    at = np.expand_dims(argument(v, axis=axis), axis)
    best, slope = np.take_along_axis(v, at, axis), np.take_along_axis(t, at, axis)
    no_ties(v, t, best, slope)
    if shape is not None:
        return wrap(best.reshape(shape), slope.reshape(shape)) if keepdims else wrap(best[0], slope[0])
    return wrap(best, slope) if keepdims else wrap(best.squeeze(axis), slope.squeeze(axis))


def max_(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """``np.max``"""
    return _extreme(np.argmax, x, axis, keepdims)


def min_(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """``np.min``"""
    return _extreme(np.argmin, x, axis, keepdims)


def prod(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """``np.prod``: the sum over positions of the products with one factor replaced by its tangent."""
    v, t = parts(x)
    if axis is None:
        total = wrap(*_prod_last(v.ravel(), t.ravel()))
        return array([total]).reshape((1,) * v.ndim) if keepdims else total
    y, dy = _prod_last(np.moveaxis(v, axis, -1), np.moveaxis(t, axis, -1))
    return wrap(np.expand_dims(y, axis), np.expand_dims(dy, axis)) if keepdims else wrap(y, dy)


def _prod_last(v: Any, t: Any) -> tuple[Any, Any]:
    dy = 0.0
    for k in range(v.shape[-1]):
        factors = v.copy()
        factors[..., k] = t[..., k]
        dy = dy + np.prod(factors, axis=-1)
    return np.prod(v, axis=-1), dy


def var(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """``np.var``"""
    centred = x - numpy.mean(x, axis=axis, keepdims=True)
    return numpy.mean(centred * centred, axis=axis, keepdims=keepdims)


def std(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """``np.std``"""
    return numpy.sqrt(var(x, axis, keepdims))


def norm(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """``np.linalg.norm``, the Euclidean one."""
    return numpy.sqrt(numpy.sum(x * x, axis=axis, keepdims=keepdims))


def sort(x: Any, axis: int = -1) -> Any:
    """``np.sort``"""
    order = np.argsort(x.v, axis=axis)
    v, t = np.take_along_axis(x.v, order, axis), np.take_along_axis(x.t, order, axis)
    a, da = np.moveaxis(v, axis, 0), np.moveaxis(t, axis, 0)
    no_ties(a[:-1], da[:-1], a[1:], da[1:])
    return wrap(v, t)


def _place(function: Callable[..., Any]) -> Callable[..., Any]:
    """``argmax`` and its like: integers, which a tie makes jump."""

    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        v, t = parts(x)
        order = np.argsort(v, axis=None)
        a, da = v.ravel()[order], np.ravel(t)[order]
        no_ties(a[:-1], da[:-1], a[1:], da[1:])
        return function(v, *args, **kwargs)

    return call


def logaddexp(a: Any, b: Any, out: Any = None) -> Any:
    """``np.logaddexp``"""
    (av, at), (bv, bt) = parts(a), parts(b)
    weight = 1 / (1 + np.exp(bv - av))
    return _put(wrap(np.logaddexp(av, bv), weight * at + (1 - weight) * bt), out)


def hypot(a: Any, b: Any, out: Any = None) -> Any:
    """``np.hypot``"""
    return _put(numpy.sqrt(numpy.add(a, 0.0) ** 2 + numpy.add(b, 0.0) ** 2), out)


def arctan2(a: Any, b: Any, out: Any = None) -> Any:
    """``np.arctan2``"""
    (av, at), (bv, bt) = parts(a), parts(b)
    return _put(wrap(np.arctan2(av, bv), (at * bv - av * bt) / (av * av + bv * bv)), out)


def array(x: Any, dtype: Any = None) -> Any:
    """``np.array``: a dual array, unless there are integers or booleans only."""
    if isinstance(x, DualArray):
        return DualArray(np.array(x.v), np.array(x.t))
    v, t = _split(x)
    v = np.array(v, dtype=dtype)
    return DualArray(v, np.array(t, dtype=float)) if v.dtype.kind == "f" else v


def _split(x: Any) -> tuple[Any, Any]:
    if isinstance(x, list | tuple):
        pairs = [_split(item) for item in x]
        return [v for v, _ in pairs], [t for _, t in pairs]
    return parts(x)


def _constant(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        v = function(*args, **kwargs)
        return DualArray(v, np.zeros(v.shape)) if v.dtype.kind == "f" else v

    return call


def _constant_like(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Any, **kwargs: Any) -> Any:
        v = function(parts(x)[0], **kwargs)
        return DualArray(v, np.zeros(v.shape)) if v.dtype.kind == "f" else v

    return call


def full(shape: Any, value: Any, dtype: Any = None) -> Any:
    """``np.full``"""
    v, t = parts(value)
    return DualArray(np.full(shape, v, dtype=float), np.full(shape, t, dtype=float))


class _Linalg:
    norm = staticmethod(norm)


class _Add:
    """``np.add``, and ``np.add.at``."""

    __call__ = staticmethod(_operator(lambda a, b: a + b))

    @staticmethod
    def at(a: DualArray, index: Any, b: Any) -> None:
        """Add at each of the indices, as often as it occurs."""
        v, t = parts(b)
        np.add.at(a.v, index, v)
        np.add.at(a.t, index, t)


def copyto(a: DualArray, b: Any) -> None:
    """``np.copyto``"""
    a[...] = b


class _NumPy:
    """The stand-in for the module ``numpy``."""

    def __init__(self) -> None:
        for name, (function, derivative) in _SMOOTH.items():
            setattr(self, name, _smooth(function, derivative))
        self.linalg = _Linalg()

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    sin: Any
    add = _Add()
    subtract = staticmethod(_operator(lambda a, b: a - b))
    multiply = staticmethod(_operator(lambda a, b: a * b))
    divide = staticmethod(_operator(lambda a, b: a / b))
    power = staticmethod(_operator(lambda a, b: a**b))
    maximum = staticmethod(lambda a, b, out=None: _choice(a, b, np.greater_equal, out))
    minimum = staticmethod(lambda a, b, out=None: _choice(a, b, np.less_equal, out))
    abs = absolute = fabs = staticmethod(abs)
    argmax, argmin, argsort = (staticmethod(_place(f)) for f in (np.argmax, np.argmin, np.argsort))
    logaddexp, hypot, arctan2 = staticmethod(logaddexp), staticmethod(hypot), staticmethod(arctan2)
    where, clip, sort = staticmethod(where), staticmethod(clip), staticmethod(sort)
    max = amax = staticmethod(max_)
    min = amin = staticmethod(min_)
    prod, var, std = staticmethod(prod), staticmethod(var), staticmethod(std)
    array, full, copyto = staticmethod(array), staticmethod(full), staticmethod(copyto)
    sign = staticmethod(lambda x: x if abs(x) is None else wrap(np.sign(x.v), 0.0 * x.t))
    asarray = staticmethod(lambda x, dtype=None: x if isinstance(x, DualArray) else array(x, dtype))
    zeros, ones, empty = (
        staticmethod(_constant(np.zeros)),
        staticmethod(_constant(np.ones)),
        staticmethod(_constant(np.zeros)),
    )
    linspace, eye = staticmethod(_constant(np.linspace)), staticmethod(_constant(np.eye))
    zeros_like = empty_like = staticmethod(_constant_like(np.zeros_like))
    ones_like = staticmethod(_constant_like(np.ones_like))
    full_like = staticmethod(lambda x, value: full(x.shape, value))
    shape = staticmethod(lambda x: x.shape if isinstance(x, DualArray | Dual) else np.shape(x))
    size = staticmethod(lambda x: x.size if isinstance(x, DualArray | Dual) else np.size(x))
    ndim = staticmethod(lambda x: x.ndim if isinstance(x, DualArray | Dual) else np.ndim(x))
    split = staticmethod(
        lambda x, n, axis=0: [wrap(v, t) for v, t in zip(np.split(x.v, n, axis), np.split(x.t, n, axis))]
    )
    einsum = staticmethod(_multilinear(np.einsum, leading=1))


for _name in (
    "sum mean cumsum transpose reshape ravel copy trace diag triu tril squeeze expand_dims broadcast_to repeat tile"
    " flip roll swapaxes moveaxis diagonal atleast_1d atleast_2d diff take pad ascontiguousarray asfortranarray"
).split():
    setattr(_NumPy, _name, staticmethod(_linear(getattr(np, _name))))
for _name in "concatenate stack hstack vstack column_stack".split():
    setattr(_NumPy, _name, staticmethod(_joining(getattr(np, _name))))
for _name in "dot matmul outer inner vdot tensordot kron cross".split():
    setattr(_NumPy, _name, staticmethod(_multilinear(getattr(np, _name))))

numpy = _NumPy()


class _Math:
    """The stand-in for the module ``math``."""

    def __init__(self) -> None:
        for name, (function, derivative) in _SMOOTH.items():
            setattr(self, name, _smooth(function, derivative))
        for name, other in _MATH_NAMES.items():
            setattr(self, name, getattr(self, other))

    def __getattr__(self, name: str) -> Any:
        return getattr(math, name)

    hypot, atan2 = staticmethod(hypot), staticmethod(arctan2)
    pow = staticmethod(lambda a, b: numpy.add(a, 0.0) ** b)
    fabs = staticmethod(abs)
    fsum = staticmethod(lambda xs: sum(xs))


math_ = _Math()


def _float(x: Any = 0.0) -> Any:
    if isinstance(x, DualArray):
        return x.item()
    return x if isinstance(x, Dual) else float(x)


#: Built-in functions that would drop a tangent.
BUILTINS: dict[str, Any] = {"float": _float}
