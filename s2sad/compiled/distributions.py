"""Methods of distributions of ``scipy.stats``, as the formulas that SciPy has for them.

Before::

    def f(x: float64[1], m: float64):
        y: float64[1] = stats.norm.logpdf(x, m)
        return y

After (in short)::

    def f(x, m):
        z = x - m
        y = np.where(np.isnan(z), np.nan, -(z ** 2) / 2.0 - 0.9189385332046727)
        return y

What a distribution's author writes for SciPy (``_logpdf``, ``_cdf`` and their like, which are documented for that) is a
formula in NumPy's and SciPy's ufuncs of standardised numbers: it is run once, on terms that note the operations. What
it is the formula of, parameters that are allowed, the support, place and scale, is here as in SciPy's own methods. A
formula that does anything else with its arguments than to compute, as to ask whether one is infinite, is refused; a few
such are here in other words.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable
from functools import cache
from types import FunctionType, MethodType, SimpleNamespace
from typing import Any

import numpy as np

from s2sad.backend.callables import locate
from s2sad.compiled.expand import Builder, Form, OtherArguments, kind_of
from s2sad.compiled.forms_adjoint import doubled
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Op
from s2sad.rules.infer import result_kind

__all__ = ["densities"]


class Untold(Exception):
    """A formula does something else than to compute."""


class Term(np.lib.mixins.NDArrayOperatorsMixin):
    """A number, or an array of such, in a formula: operations of it are put down."""

    def __init__(self, b: Builder, atom: Atom) -> None:
        self.b, self.atom = b, atom

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Term:
        own = kwargs.pop("out", (self,)) == (self,)  # of ``a -= b``, which makes a new term
        if method != "__call__" or kwargs or not own or locate(ufunc) is None:
            raise Untold
        return self.made(ufunc, *inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Term:
        if function is np.round and not kwargs and len(args) == 1:
            return self.made(np.rint, *args)
        if function is not np.where or kwargs or len(args) != 3:
            raise Untold
        return self.made(function, *args)

    def made(self, fn: Any, *inputs: Any) -> Term:
        """The result of an operation."""
        atoms = [_atom(x) for x in inputs]
        kind = result_kind(fn, atoms)
        if fn is np.where and not any(isinstance(kind_of(a), K.Array) for a in atoms):
            kind = K.Scalar(K.dtype_of(kind))  # a number to the end
        return Term(self.b, self.b.emit(fn, *atoms, kind=kind))

    def __bool__(self) -> bool:
        raise Untold

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise Untold


def _atom(x: Any) -> Atom:
    match x:
        case Term():
            return x.atom
        case bool() | np.bool_():
            return Const(bool(x))
        case int() | float() | np.floating():
            return Const(float(x))
    raise Untold


class Formulas:
    """A distribution whose methods are those of this module where it has any, else SciPy's."""

    def __init__(self, distribution: Any) -> None:
        self.distribution = distribution

    def __getattr__(self, name: str) -> Any:
        method, base = (getattr(of, name, None) for of in (type(self.distribution), _stats().rv_continuous))
        if name in _INHERITED and method is base:
            method = _INHERITED[name]
        method = _OWN.get((self.distribution.name, name), method)
        return MethodType(_told(method), self) if isinstance(method, FunctionType) else getattr(self.distribution, name)


def _told(method: FunctionType) -> FunctionType:
    """A method in which a choice between two formulas, as SciPy writes it from 1.18 on, is that of ``np.where``."""
    if "xpx" not in method.__code__.co_names:
        return method
    names = {**method.__globals__, "xpx": SimpleNamespace(apply_where=apply_where)}
    return FunctionType(method.__code__, names, method.__name__, method.__defaults__, method.__closure__)


def apply_where(condition: Any, args: Any, f1: Any, f2: Any = None, /, *, fill_value: Any = None) -> Any:
    """``f1(*args)`` by a condition, else ``f2(*args)`` or a number."""
    args = args if isinstance(args, tuple) else (args,)
    return chosen(condition, f1(*args), fill_value if f2 is None else f2(*args))


# ---------------------------------------------------------------- formulas in other words
# Those of SciPy ask which of two forms to take; the second is for degrees of freedom that are infinite, or large x.
# Some densities are of another library.


def t_logpdf(self: Any, x: Any, df: Any) -> Any:
    from scipy import special

    finite = np.log(special.poch(0.5 * df, 0.5)) - 0.5 * (np.log(df) + np.log(np.pi))
    finite = finite - (df + 1) / 2 * np.log1p(x * x / df)
    return np.where(df == np.inf, -(x**2) / 2.0 - np.log(np.sqrt(2.0 * np.pi)), finite)


def cauchy_logpdf(self: Any, x: Any) -> Any:
    far = np.abs(x)
    beyond = 2 * np.log(far) + np.log1p((1 / far) ** 2)
    return -np.log(np.pi) - np.where(far < 1, np.log1p(far**2), beyond)


def lognorm_logpdf(self: Any, x: Any, s: Any) -> Any:
    inner = -(np.log(x) ** 2) / (2 * s**2) - np.log(s * x * np.sqrt(2 * np.pi))
    return np.where(x != 0, inner, -np.inf)


def above_zero(self: Any, *shapes: Any) -> Any:
    return all_of(*[shape > 0 for shape in shapes])


def logcdf(self: Any, x: Any, *shapes: Any) -> Any:
    small = x < self._ppf(0.5, *shapes)
    return np.where(small, np.log(self._cdf(x, *shapes)), np.log1p(-self._sf(x, *shapes)))


def logsf(self: Any, x: Any, *shapes: Any) -> Any:
    large = x > self._ppf(0.5, *shapes)
    return np.where(large, np.log(self._sf(x, *shapes)), np.log1p(-self._cdf(x, *shapes)))


#: Of methods that distributions inherit.
_INHERITED: dict[str, Callable[..., Any]] = {"_argcheck": above_zero, "_logcdf": logcdf, "_logsf": logsf}
#: Of those of some distributions.


_OWN: dict[tuple[str, str], Callable[..., Any]] = {
    ("t", "_logpdf"): t_logpdf,
    ("t", "_pdf"): lambda self, x, df: np.exp(self._logpdf(x, df)),
    ("cauchy", "_logpdf"): cauchy_logpdf,
    ("lognorm", "_logpdf"): lognorm_logpdf,
    ("lognorm", "_pdf"): lambda self, x, s: np.exp(self._logpdf(x, s)),
    ("beta", "_pdf"): lambda self, x, a, b: np.exp(self._logpdf(x, a, b)),
    ("binom", "_pmf"): lambda self, x, n, p: np.exp(self._logpmf(x, n, p)),
    ("nbinom", "_pmf"): lambda self, x, n, p: np.exp(self._logpmf(x, n, p)),
    ("bernoulli", "_pmf"): lambda self, x, p: np.exp(self._logpmf(x, p)),
}


# ---------------------------------------------------------------- what SciPy's methods do with them
# Of each: the argument standardised, shapes, place and scale, and the formula of that name.


class Call:
    """A call of a method: its formulas, its arguments and what is allowed."""

    def __init__(self, formulas: Any, x: Any, shapes: list[Any], loc: Any, scale: Any) -> None:
        self.formulas, self.x, self.shapes, self.loc, self.scale = formulas, x, shapes, loc, scale
        self.low, self.high = formulas._get_support(*shapes)
        self.ends = type(formulas.distribution)._support_mask is not _stats().rv_continuous._open_support_mask

    def allowed(self) -> Any:
        """Whether the parameters are."""
        return all_of(self.formulas._argcheck(*self.shapes), self.scale > 0)

    def standard(self) -> Any:
        """The argument, for place 0 and scale 1."""
        return (self.x - self.loc) / self.scale

    def supported(self, z: Any) -> Any:
        """Whether a number is in the support, of which ends are part or not."""
        return all_of(reaches(self.low, z, self.ends), reaches(-self.high, -z, self.ends))

    def formula(self, name: str, x: Any) -> Any:
        """What the distribution says."""
        return getattr(self.formulas, name)(x, *self.shapes)


def all_of(*conditions: Any) -> Any:
    """Whether all conditions hold; those that are known to are left out."""
    rest = [c for c in conditions if isinstance(c, Term) or not c]
    return functools.reduce(operator.and_, rest) if rest else True


def reaches(low: Any, z: Any, end: bool) -> Any:
    """Whether numbers that are not NaN are more than this, or as much."""
    if end and not isinstance(low, Term) and low == -np.inf:
        return True
    return z >= low if end else z > low


def chosen(condition: Any, value: Any, other: Any) -> Any:
    """A value by a condition, which may be known."""
    if isinstance(condition, Term):
        return np.where(condition, value, other)
    return value if condition else other


def density(name: str, outside: float, scaled: Callable[[Any, Any], Any]) -> Callable[[Call], Any]:
    """A density or its logarithm: of what is in the support, ends included."""

    def value(call: Call) -> Any:
        z = call.standard()
        return _checked(call, z, chosen(call.supported(z), scaled(call.formula(name, z), call.scale), outside))

    return value


def distribution_function(name: str, below: float, above: float) -> Callable[[Call], Any]:
    """A distribution function or its like, with its values below the support and above."""

    def value(call: Call) -> Any:
        z = call.standard()
        inner = chosen(z >= call.high, above, call.formula(name, z))
        return _checked(call, z, chosen(z <= call.low, below, inner))

    return value


def quantile(name: str, first: str, last: str) -> Callable[[Call], Any]:
    """What inverts one: the ends of the support at 0 and 1, no number beyond."""

    def value(call: Call) -> Any:
        q = call.x
        inner = call.formula(name, q) * call.scale + call.loc
        end, other = (getattr(call, e) * call.scale + call.loc for e in (first, last))
        found = chosen(q == 0.0, end, chosen(q == 1.0, other, inner))
        return chosen(all_of(q >= 0.0, q <= 1.0, call.allowed(), call.loc == call.loc), found, np.nan)

    return value


def mass(name: str, outside: float, kept: Callable[[Any], Any]) -> Callable[[Call], Any]:
    """The chance of a count or its logarithm: of integers in the support."""

    def value(call: Call) -> Any:
        k = call.standard()
        inside = all_of(call.supported(k), call.formula("_nonzero", k))
        return _checked(call, k, chosen(inside, kept(call.formula(name, k)), outside))

    return value


def count_function(name: str, below: float, above: float, kept: Callable[[Any], Any]) -> Callable[[Call], Any]:
    """A distribution function of counts, or its like."""

    def value(call: Call) -> Any:
        k = call.standard()
        inner = chosen(k >= call.high, above, kept(call.formula(name, k)))
        return _checked(call, k, chosen(k < call.low, below, inner))

    return value


def _checked(call: Call, z: Any, value: Any) -> Any:
    """NaN where parameters are not allowed, or for NaN."""
    return chosen(all_of(call.allowed(), z == z), value, np.nan)


def _chance(p: Any) -> Any:
    return np.minimum(np.maximum(p, 0.0), 1.0)


_CONTINUOUS: dict[str, Callable[[Call], Any]] = {
    "pdf": density("_pdf", 0.0, lambda p, scale: p / scale),
    "logpdf": density("_logpdf", -np.inf, lambda p, scale: p - np.log(scale)),
    "cdf": distribution_function("_cdf", 0.0, 1.0),
    "logcdf": distribution_function("_logcdf", -np.inf, 0.0),
    "sf": distribution_function("_sf", 1.0, 0.0),
    "logsf": distribution_function("_logsf", 0.0, -np.inf),
    "ppf": quantile("_ppf", "low", "high"),
    "isf": quantile("_isf", "high", "low"),
}
_COUNTS: dict[str, Callable[[Call], Any]] = {
    "pmf": mass("_pmf", 0.0, _chance),
    "logpmf": mass("_logpmf", -np.inf, lambda p: p),
    "cdf": count_function("_cdf", 0.0, 1.0, _chance),
    "logcdf": count_function("_logcdf", -np.inf, 0.0, lambda p: p),
    "sf": count_function("_sf", 1.0, 0.0, _chance),
    "logsf": count_function("_logsf", 0.0, -np.inf, lambda p: p),
}


# ---------------------------------------------------------------- forms


@cache
def densities() -> dict[Any, Form]:
    """Forms of the methods of all distributions that are objects of ``scipy.stats``; none before it is imported."""
    stats = _stats()
    found: dict[Any, Form] = {}
    masks = stats.rv_continuous._support_mask, stats.rv_continuous._open_support_mask
    for distribution in vars(stats).values():
        for base, table in ((stats.rv_continuous, _CONTINUOUS), (stats.rv_discrete, _COUNTS)):
            if isinstance(distribution, base) and type(distribution)._support_mask in masks:
                own = {n: v for n, v in table.items() if getattr(type(distribution), n) is getattr(base, n)}
                found |= {getattr(distribution, n): method(distribution, value) for n, value in own.items()}
    return found


def _stats() -> Any:
    return sys.modules["scipy.stats"]


def method(distribution: Any, value: Callable[[Call], Any]) -> Form:
    """The form of a method of a distribution."""
    shapes = [] if distribution.shapes is None else distribution.shapes.replace(",", " ").split()
    names = ["x", *shapes, "loc"] + (["scale"] if hasattr(distribution, "pdf") else [])

    def build(b: Builder, op: Op) -> Atom | None:
        given = dict(zip(names, op.args, strict=False)) | {_FIRST.get(n, n): a for n, a in op.kwargs}
        if len(op.args) > len(names) or not set(names) >= given.keys() >= {"x", *shapes}:
            raise OtherArguments
        if op.target is None or not all(_is_double(a) for a in given.values()):
            return None
        terms = {n: Term(b, _as_float(b, a)) for n, a in given.items()}
        before = len(b.stmts)
        try:
            rest = [terms[n] for n in shapes]
            call = Call(Formulas(distribution), terms["x"], rest, terms.get("loc", 0.0), terms.get("scale", 1.0))
            result = value(call)
        except (Untold, TypeError, AttributeError, ValueError):
            del b.stmts[before:]
            return None
        return result.atom if isinstance(result, Term) else None

    return build


_FIRST = {"k": "x", "q": "x"}  # the first argument is called so in some methods, but no shape has the name
_NUMBERS = ("float64", "float", "int64", "int")


def _is_double(a: Atom) -> bool:
    """Whether it is surely a number, or surely an array of known rank, of double precision or integers."""
    match kind_of(a):
        case K.Scalar(dtype) | K.Array(dtype, int()):
            return dtype in _NUMBERS
    return False


def _as_float(b: Builder, a: Atom) -> Atom:
    """A number, or an array of numbers, in double precision."""
    if isinstance(a, Const):
        return Const(float(a.value))
    return doubled(b, a) or a
