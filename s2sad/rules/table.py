"""The rule table: for each primitive, how it is differentiated.

One declaration serves both modes::

    @elementwise(np.multiply)              # the partials; unbroadcasting follows
    def multiply(x1, x2):
        return x2, x1

    @linear(np.cumsum, wrt="a")            # tangent: the primitive itself
    def cumsum(a, axis=None, *, ct):
        return np.flip(np.cumsum(np.flip(ct, axis), axis), axis)

A rule's body is source: the compiler lowers it in place of the call, with the actual
arguments bound to its parameters, so what it says is what the derivative reads like.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeVar

__all__ = [
    "COMPLEX",
    "RULES",
    "Rule",
    "adjoint",
    "composite",
    "elementwise",
    "for_complex",
    "linear",
    "multilinear",
    "of_complex",
    "rule_for",
    "tangent",
    "zero_derivative",
]

F = TypeVar("F", bound=Callable[..., Any])
Form = Literal["elementwise", "linear", "multilinear", "tangent", "zero", "composite"]


@dataclass(frozen=True)
class Rule:
    """How one primitive is differentiated.

    ``form`` is the kind of declaration; ``function`` gives partials (elementwise), or
    contributions (linear, multilinear), or is None; ``tangent_rule`` and ``adjoint_rule`` are
    the explicit functions of either mode; ``wrt`` names the differentiable parameters.
    ``spelt_out`` computes calls that give one of the arguments ``given`` from other primitives;
    the rest of the rule is for all other calls. One whose composite ``raises_alike`` raises what the primitive does.
    With ``if_fixed``, the composite is for calls of which an argument may carry a derivative, this for the others.
    ``apart`` are the positions of arguments that are lists or tuples of which only the items are seen.
    """

    primitive: Callable[..., Any]
    form: Form
    wrt: tuple[str, ...] = ()
    function: Callable[..., Any] | None = None
    tangent_rule: Callable[..., Any] | None = None
    adjoint_rule: Callable[..., Any] | None = None
    spelt_out: Callable[..., Any] | None = None
    given: frozenset[str] = frozenset()
    raises_alike: bool = False
    if_fixed: Callable[..., Any] | None = None
    apart: frozenset[int] = frozenset()

    def composite_for(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Callable[..., Any] | None:
        """The composite that computes a call with these arguments, or None where the primitive itself is called."""
        whole = self.function if self.form == "composite" else None
        if self.spelt_out is None:
            return whole
        try:
            bound = inspect.signature(self.spelt_out).bind(*args, **kwargs)
        except TypeError:  # a call that the composite does not know either
            return whole
        return whole if self.given.isdisjoint(bound.arguments) else self.spelt_out

    @cached_property
    def signature(self) -> inspect.Signature:
        """The primitive's parameters as the rule names them (ct, result and tangents excluded)."""
        written = self.function or self.tangent_rule or self.adjoint_rule
        assert written is not None
        parameters = inspect.signature(written).parameters.values()
        private = {"ct", "result", "active", "turned"} | {f"d{name}" for name in self.wrt}
        return inspect.Signature([p for p in parameters if not (p.kind is p.KEYWORD_ONLY and p.name in private)])

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call by the parameters that are given; TypeError where they do not fit.

        >>> import numpy as np
        >>> RULES[np.cumsum].bind(("x", 1), {}), RULES[np.cumsum].bind(("x",), {"axis": 1})
        ({'a': 'x', 'axis': 1}, {'a': 'x', 'axis': 1})
        """
        if not kwargs and len(args) in self._counts:
            return dict(zip(self._names, args, strict=False))
        return self.signature.bind(*args, **kwargs).arguments

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(self.signature.parameters)

    @cached_property
    def _counts(self) -> range:
        """How many arguments by position, and none by name, are a parameter each: quicker told than by binding."""
        parameters = self.signature.parameters.values()
        if any(p.kind is p.VAR_POSITIONAL or (p.kind is p.KEYWORD_ONLY and p.default is p.empty) for p in parameters):
            return range(0)
        positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        return range(sum(p.default is p.empty for p in positional), len(positional) + 1)


#: What functions call the array that they put their result into, where they do not say ``out``.
INTO: dict[Callable[..., Any], str] = {}


class Table(dict[Callable[..., Any], Rule]):
    """Rules by primitive; those of other libraries are read when a primitive is first missed."""

    def __contains__(self, primitive: object) -> bool:
        return super().__contains__(primitive) or (self._read_more() and super().__contains__(primitive))

    def __missing__(self, primitive: Any) -> Rule:
        if primitive in self:
            return self[primitive]
        raise KeyError(primitive)

    def get(self, primitive: Any, default: Any = None) -> Any:
        """The rule of a primitive, or the default."""
        known = super().get(primitive, default)
        return super().get(primitive, default) if known is default and self._read_more() else known

    @staticmethod
    def _read_more() -> bool:
        """Read the rules of a library that has been imported since; False where there is none."""
        more = [module for module, homes in EXTENSIONS.items() if module in sys.modules and not _is_begun(homes[0])]
        for homes in [EXTENSIONS.pop(module) for module in more]:  # which ask for rules themselves
            for home in homes:
                importlib.import_module(f"s2sad.rules.{home}")
        return bool(more)


def _is_begun(home: str) -> bool:
    """Whether a module of rules is being read: those that are read after it rely on it."""
    module = sys.modules.get(f"s2sad.rules.{home}")
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


#: Modules with rules for the functions of others, read only where those have been imported.
EXTENSIONS: dict[str, tuple[str, ...]] = {
    "scipy.special": ("special", "special_families", "special_integrals", "special_more", "complex_special"),
    "scipy.fft": ("scipy_fft",),
    "scipy.linalg": ("scipy_linalg", "scipy_matrices", "scipy_control", "banded", "complex_scipy_linalg"),
    "scipy.stats": (
        *("distributions", "distributions_by_slopes", "distributions_by_shapes", "distribution_functions"),
        *("distributions_of_counts", "distributions_of_several", "moments", "relations"),
    ),
    "scipy.spatial": ("distances",),
    "scipy.signal": ("scipy_signal", "smoothing", "complex_scipy_signal"),
    "scipy.integrate": ("scipy_integrate", "scipy_solvers"),
    "scipy.ndimage": ("scipy_ndimage",),
    "scipy.optimize": ("scipy_roots", "scipy_optimize"),
    "scipy.interpolate": ("interpolation", "splines", "fitted", "grids"),
    "scipy.sparse": ("sparse", "assembled", "entry_products"),
    "statistics": ("averages",),
    "bisect": ("bisection",),
}

RULES = Table()
#: The rules of calls with complex numbers, which hold for few primitives as for real ones; each has one of those, too.
COMPLEX: dict[Callable[..., Any], Rule] = {}


def rule_for(primitive: Callable[..., Any] | None, is_complex: bool = False) -> Rule | None:
    """The rule of a primitive, or None where there is none; ``is_complex``: of a call with complex numbers."""
    try:
        known: Rule | None = RULES.get(primitive)
        if is_complex:
            return None if primitive is None else COMPLEX.get(primitive)
    except TypeError:  # an unhashable callable is no primitive
        return None
    return known


def _array_params(function: Callable[..., Any]) -> tuple[str, ...]:
    """The positional parameters, one that takes several (``*xs``) included."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    if code.co_flags & inspect.CO_VARARGS:
        names += code.co_varnames[code.co_argcount + code.co_kwonlyargcount :][:1]
    return names


def _all_params(function: Callable[..., Any]) -> tuple[str, ...]:
    """The parameters by name, in order: of the code, which is quicker to ask than the signature."""
    code = function.__code__
    keyword = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    return (*_array_params(function), *keyword)


class Declarations:
    """The decorators that declare rules, in one table."""

    def __init__(self, table: dict[Callable[..., Any], Rule]) -> None:
        self.table = table

    def elementwise(self, *primitives: Callable[..., Any], wrt: tuple[str, ...] = ()) -> Callable[[F], F]:
        """Declare partial derivatives of element-wise primitives, by all parameters or by those in ``wrt``."""

        def declare(function: F) -> F:
            for p in primitives:
                self.table[p] = Rule(p, "elementwise", wrt or _array_params(function), function)
            return function

        return declare

    def linear(self, *primitives: Callable[..., Any], wrt: str) -> Callable[[F], F]:
        """Declare the adjoint of primitives linear in ``wrt``."""

        def declare(function: F) -> F:
            for p in primitives:
                self.table[p] = Rule(p, "linear", (wrt,), function)
            return function

        return declare

    def multilinear(self, *primitives: Callable[..., Any], wrt: tuple[str, ...]) -> Callable[[F], F]:
        """Declare the adjoints of primitives linear in each of ``wrt`` by itself."""

        def declare(function: F) -> F:
            for p in primitives:
                self.table[p] = Rule(p, "multilinear", wrt, function)
            return function

        return declare

    def tangent(self, *primitives: Callable[..., Any]) -> Callable[[F], F]:
        """Declare the tangent of primitives; parameters ``dNAME`` name what is differentiated."""

        def declare(function: F) -> F:
            params = _all_params(function)
            wrt = tuple(n for n in params if f"d{n}" in params)
            for p in primitives:
                known = self.table.get(p)
                self.table[p] = (
                    replace(known, tangent_rule=function) if known else Rule(p, "tangent", wrt, tangent_rule=function)
                )
            return function

        return declare

    def adjoint(self, *primitives: Callable[..., Any], wrt: str | tuple[str, ...]) -> Callable[[F], F]:
        """Declare an explicit adjoint, which overrides the derived one.

        A single name in ``wrt``: the rule returns one contribution; a tuple: a tuple.
        """
        names = (wrt,) if isinstance(wrt, str) else wrt

        def declare(function: F) -> F:
            for p in primitives:
                known = self.table.get(p)
                self.table[p] = (
                    replace(known, adjoint_rule=function) if known else Rule(p, "tangent", names, adjoint_rule=function)
                )
            return function

        return declare

    def composite(
        self,
        *primitives: Callable[..., Any],
        given: tuple[str, ...] = (),
        raises_alike: bool = False,
        if_fixed: Callable[..., Any] | None = None,
        apart: tuple[int, ...] = (),
    ) -> Callable[[F], F]:
        """Declare a function that computes the same as primitives, from others that have rules.

        The compiler reads its source in place of the call, as it does that of the user's helpers.
        With ``given``, that is so of calls that give one of these arguments; the others keep the rule
        that was declared before. With ``raises_alike`` it raises what the primitives raise, and takes their place
        in the body of a ``try`` too. ``if_fixed`` is called in its place where no argument can carry a derivative.
        Lists that are written down at the positions ``apart`` of a call are taken for tuples.
        """

        def declare(function: F) -> F:
            for p in primitives:
                self.table[p] = (
                    replace(self.table[p], spelt_out=function, given=frozenset(given))
                    if given
                    else Rule(
                        p,
                        "composite",
                        (),
                        function,
                        raises_alike=raises_alike,
                        if_fixed=if_fixed,
                        apart=frozenset(apart),
                    )
                )
            return function

        return declare

    def zero_derivative(self, *primitives: Callable[..., Any]) -> None:
        """Declare that primitives have derivative zero wherever they have one."""
        for p in primitives:
            self.table[p] = Rule(p, "zero")


real = Declarations(RULES)
elementwise, linear, multilinear = real.elementwise, real.linear, real.multilinear
tangent, adjoint, composite, zero_derivative = real.tangent, real.adjoint, real.composite, real.zero_derivative
#: Declares the rules of calls with complex numbers among what they take or give; those of real ones stay.
of_complex = Declarations(COMPLEX)


def for_complex(*primitives: Callable[..., Any]) -> None:
    """Declare that the rules of primitives hold for complex numbers as they stand.

    So they do where a primitive is complex differentiable and its partial derivatives are spelt by functions that take
    complex numbers, and where it moves, joins or adds items. Elsewhere one is declared by :data:`of_complex`.
    """
    for p in primitives:
        COMPLEX[p] = RULES[p]
