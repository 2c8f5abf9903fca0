"""What the way a function uses its parameters tells of them, for a text that is printed before any call.

Syntax tells a little (:func:`~s2sad.frontend.parameters.specs_from_source`). Once the function is lowered for that,
what becomes of its parameters tells which can only be numbers (:mod:`s2sad.analysis.numbers`): it is lowered again.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from s2sad.analysis.counting import counting
from s2sad.analysis.numbers import only_numbers
from s2sad.errors import S2sadError
from s2sad.frontend.lower import source_of
from s2sad.frontend.parameters import given_specs
from s2sad.frontend.specs import Leaf, Spec, Struct
from s2sad.ir import prims
from s2sad.ir.kinds import FLOAT, NUMERIC, Scalar
from s2sad.ir.nodes import Const, Function, Op, Var, kind_of
from s2sad.lowerings import lowered

__all__ = ["Told", "told_by_use"]

_SCALAR_RESULTS = ("grad", "value_and_grad")


@dataclass(frozen=True)
class Told:
    """The specs of parameters, None for those that syntax has to tell of, or of all.

    ``on_trust``: some were taken for numbers since the result has to be one, which is to be checked.
    """

    specs: tuple[Spec | None, ...] | None
    on_trust: bool = False


def told_by_use(fn: Any, mode: str, given: tuple[Spec | None, ...] | None = None) -> Told:
    """What is known of the arguments of a function of which a mode is asked for, where some specs may be ``given``."""
    if given is not None and None not in given:
        return Told(given)
    told = _numbers_told(fn, False, Told(given))
    if mode not in _SCALAR_RESULTS or isinstance(kind_of(lowered(fn, told.specs).function.result), Scalar):
        return told
    return _numbers_told(fn, True, told)


def _numbers_told(fn: Any, by_result: bool, before: Told) -> Told:
    """What is told of arguments with those that can only be numbers; what was told ``before`` where these are known."""
    primal = lowered(fn, before.specs)
    numbers, whole = only_numbers(primal.function, by_result), counting(primal.function)
    parts = _parts(primal.function)
    old = given_specs(source_of(fn, before.specs), before.specs)
    new = [
        spec if (k,) in whole else _with_numbers(spec, p, parts, numbers)
        for k, (spec, p) in enumerate(zip(old, primal.function.params, strict=True))
    ]
    if all(map(operator.is_, new, old)):
        return before
    changed = tuple(None if n is o else n for n, o in zip(new, old, strict=True))
    specs = changed if before.specs is None else tuple(n or s for n, s in zip(changed, before.specs, strict=True))
    return Told(specs, by_result) if _can_be(fn, specs) else before


def _parts(function: Function) -> dict[tuple[Var, Any], Var]:
    """What arguments hold, by what holds it and its key or name."""
    taken = (s for s in function.body.stmts if isinstance(s, Op) and s.fn in (operator.getitem, prims.getattr_))
    found: dict[tuple[Var, Any], Var] = {}
    for s in taken:
        match s:
            case Op(target=Var() as part, args=(Var() as whole, Const(key))):
                found.setdefault((whole, key), part)
    return found


def _with_numbers(spec: Spec, var: Var | None, parts: dict[tuple[Var, Any], Var], numbers: frozenset[Var]) -> Spec:
    """The spec of an argument with the numbers in it; itself where none are found."""
    match spec:
        case Leaf(kind) if kind == NUMERIC and var in numbers:
            return Leaf(FLOAT)
        case Struct(cls, keys, items) if var is not None:
            held = [parts.get((var, key)) for key in keys]
            new = tuple(_with_numbers(item, v, parts, numbers) for item, v in zip(items, held, strict=True))
            return spec if all(map(operator.is_, new, items)) else Struct(cls, keys, new)
    return spec


def _can_be(fn: Any, specs: tuple[Spec | None, ...]) -> bool:
    """Whether a function can be lowered for arguments of these specs: it may need integers."""
    try:
        lowered(fn, specs)
    except S2sadError:
        return False
    return True
