"""Applies a rule by hand, as the compiler would, and compares with differences."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.rules.table import Rule
from s2sad.runtime.helpers import map_leaves, unbroadcast

Place = tuple[Any, ...]


def is_float_leaf(x: Any) -> bool:
    """Whether a value is differentiated: a float or an array of them."""
    return isinstance(x, float | np.floating) or (isinstance(x, np.ndarray) and x.dtype.kind == "f")


def leaves(x: Any) -> list[Any]:
    """The numbers and arrays of a nested value, in order."""
    found: list[Any] = []
    map_leaves(found.append, x)
    return found


def floats(x: Any) -> np.ndarray:
    """All floats of a nested value, in one float64 vector."""
    parts = [np.ravel(leaf).astype(float) for leaf in leaves(x) if is_float_leaf(leaf)]
    return np.concatenate([*parts, np.zeros(0)])


def like(x: Any, values: Callable[[tuple[int, ...]], Any]) -> Any:
    """A value of the structure of x with floats by ``values(shape)``; 0.0 for what is no float."""

    def leaf(y: Any) -> Any:
        if not is_float_leaf(y):
            return 0.0
        made = np.asarray(values(np.shape(y)))
        return made.astype(y.dtype) if isinstance(y, np.ndarray) else type(y)(made)

    return map_leaves(leaf, x)


def shifted(x: Any, dx: Any, h: float) -> Any:
    """x + h dx, leaf by leaf, in float64."""

    def leaf(y: Any, dy: Any) -> Any:
        if not is_float_leaf(y):
            return y
        return y + h * dy

    return map_leaves(leaf, x, dx)


def as_float64(x: Any) -> Any:
    """x with all floats in double precision."""
    return map_leaves(lambda y: y.astype(float) if hasattr(y, "astype") and y.dtype.kind == "f" else y, x)


class Applied:
    """A rule at sample arguments."""

    def __init__(
        self, rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any], wrt: tuple[str, ...] | None = None
    ) -> None:
        self.rule = rule
        self.chosen = rule.wrt if wrt is None else wrt
        self.primitive = rule.primitive
        self.bound = rule.signature.bind(*args, **kwargs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.result = self.primitive(*args, **kwargs)

    @property
    def wrt(self) -> list[str]:
        """The differentiated parameters that were given floats."""
        given = self.bound.arguments
        return [n for n in self.chosen if n in given and any(map(is_float_leaf, leaves(given[n])))]

    def call_primitive(self, **replaced: Any) -> Any:
        """The primitive, some arguments replaced."""
        bound = inspect.BoundArguments(self.bound.signature, dict(self.bound.arguments))  # type: ignore[arg-type]
        bound.arguments.update(replaced)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.primitive(*bound.args, **bound.kwargs)

    def call_rule(self, function: Callable[..., Any], **extra: Any) -> Any:
        """A function of the rule, with those of result, ct and tangents that it asks for."""
        known = {"result": self.result, **extra}
        wanted = {n: known[n] for n in inspect.signature(function).parameters if n in known}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*self.bound.args, **self.bound.kwargs, **wanted)

    def partials(self) -> dict[str, Any]:
        """The partials of an element-wise rule, by parameter."""
        assert self.rule.function is not None
        given = self.call_rule(self.rule.function)
        return dict(zip(self.rule.wrt, given if isinstance(given, tuple) else (given,), strict=False))

    def tangent(self, tangents: dict[str, Any]) -> Any:
        """The tangent of the result."""
        zeros = {n: like(self.bound.arguments.get(n, 0.0), np.zeros) for n in self.rule.wrt}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self.rule.tangent_rule is not None:
                full = {f"d{n}": tangents.get(n, zeros[n]) for n in self.rule.wrt}
                return self.call_rule(self.rule.tangent_rule, **full)
            if self.rule.form == "elementwise":
                partials = self.partials()
                total = sum(self._product(partials[n], tangents[n]) for n in tangents)
                return (
                    total if np.shape(total) == np.shape(self.result) else np.broadcast_to(total, np.shape(self.result))
                )
            total: Any = None
            for name, moved in self._moves(tangents):
                term = self.call_primitive(**{name: moved})
                total = term if total is None else map_leaves(lambda a, b: a + b, total, term)
            return total

    def _product(self, partial: Any, tangent: Any) -> Any:
        if isinstance(tangent, tuple):
            return sum(p * t for p, t in zip(self.partials_of_tuple(), tangent, strict=True))
        return partial * tangent

    def partials_of_tuple(self) -> tuple[Any, ...]:
        """The partials of an element-wise rule of ``*xs``."""
        assert self.rule.function is not None
        return self.call_rule(self.rule.function)  # type: ignore[no-any-return]

    def _moves(self, tangents: dict[str, Any]) -> list[tuple[str, Any]]:
        """For each argument a multilinear primitive is linear in, the argument replaced by its tangent."""
        moves: list[tuple[str, Any]] = []
        for name, moved in tangents.items():
            kind = self.rule.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL and self.rule.form == "multilinear":
                given = self.bound.arguments[name]
                moves += [(name, (*given[:k], d, *given[k + 1 :])) for k, d in enumerate(moved)]
            else:
                moves.append((name, moved))
        return moves

    def _nothing(self, name: str) -> Any:
        """The zero that None stands for."""
        return like(self.bound.arguments.get(name, 0.0), np.zeros)

    def contributions(self, ct: Any) -> dict[str, Any]:
        """The adjoints of the arguments."""
        rule = self.rule
        if rule.adjoint_rule is not None:
            given = self.call_rule(rule.adjoint_rule, ct=ct)
            if len(rule.wrt) == 1:
                return {rule.wrt[0]: given}
            found = dict(zip(rule.wrt, given if isinstance(given, tuple) else (given,), strict=False))
            return {n: self._nothing(n) if part is None else part for n, part in found.items()}
        if rule.form == "elementwise":
            names = self.wrt
            variadic = [n for n in names if rule.signature.parameters[n].kind is inspect.Parameter.VAR_POSITIONAL]
            if variadic:
                return {variadic[0]: tuple(ct * p for p in self.partials_of_tuple())}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return {
                    n: unbroadcast(ct * p, self.bound.arguments[n]) for n, p in self.partials().items() if n in names
                }
        assert rule.function is not None, f"no adjoint of {self.primitive}"
        given = self.call_rule(rule.function, ct=ct)
        if rule.form == "linear":
            return {rule.wrt[0]: given}
        if len(rule.wrt) == 1:
            return {rule.wrt[0]: given}
        return dict(zip(rule.wrt, given, strict=True))
