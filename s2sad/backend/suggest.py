"""Suggest: what to call a temporary that has to stand in the text."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.names import identifier, is_temporary

__all__ = ["carried_name", "suggest", "tape_name"]

TAPE = "t_tape"  #: the hint of the record of a variable without a name

_MARKS = ("b", "d")
_NAMES: dict[Callable[..., Any], str] = {
    len: "n",
    np.size: "n",
    np.shape: "shape",
    prims.make_list: "items",
    prims.make_dict: "table",
}


def suggest(op: Op, definitions: Mapping[Var, Op], names: Mapping[Var, str], hints: Collection[str]) -> str:
    """A name for an operation's result, after what it is.

    ``xs_i`` for ``xs[i]``, ``n`` for a length, ``b`` and ``d`` for what is computed from
    adjoints and tangents (``bx``, ``dx`` of an ``x`` that is among the ``hints``).
    """
    assert op.target is not None
    hint = op.target.hint
    if not is_temporary(hint) or hint.strip("t0123456789"):
        return identifier(hint)
    kind = op.target.kind
    if isinstance(kind, Scalar) and kind.dtype == "bool":
        return "test"
    if op.fn is operator.getitem:
        return _item(op, definitions, names)
    if op.fn is prims.list_pop:
        return _recorded(op.args[0], names) or "t"
    try:
        known = _NAMES.get(op.fn)  # type: ignore[arg-type]
    except TypeError:
        known = None
    return known or _mark(op, names, hints) or "t"


def _mark(op: Op, names: Mapping[Var, str], hints: Collection[str]) -> str:
    """``b`` or ``d`` where an operand is an adjoint or a tangent."""
    for a in op.args:
        if not isinstance(a, Var):
            continue
        known, hint = names.get(a, ""), a.hint
        if known[:1] in _MARKS and (len(known) == 1 or known[1:].partition("_")[0] in hints):
            return known[0]
        if hint[:1] in _MARKS and hint[1:] in hints and not is_temporary(hint):
            return hint[0]
    return ""


def carried_name(v: Var, flag: str = "done") -> str:
    """A name for a variable that a loop carries, or a branch decides."""
    if not is_temporary(v.hint) or v.hint.strip("t0123456789"):
        return identifier(v.hint)
    return flag if isinstance(v.kind, Scalar) and v.kind.dtype == "bool" else "t"


def tape_name(tape: Atom, value: Atom, names: Mapping[Var, str]) -> str:
    """A name for the record of a temporary, empty for any other list."""
    if not isinstance(tape, Var) or not isinstance(value, Var) or tape.hint != TAPE:
        return ""
    name = names.get(value, "t")
    return "" if name == "t" else f"{name}_tape"


def _recorded(tape: Atom, names: Mapping[Var, str]) -> str:
    """The name of what a tape records, empty for other lists."""
    name = (names.get(tape) or tape.hint) if isinstance(tape, Var) else ""
    return name.removesuffix("_tape") if name.endswith("_tape") else ""


def _item(op: Op, definitions: Mapping[Var, Op], names: Mapping[Var, str]) -> str:
    obj, index = op.args
    if recorded := _recorded(obj, names):
        return recorded
    made = definitions.get(obj) if isinstance(obj, Var) else None
    if made is not None and made.fn is np.shape:
        return "n"
    base = _part(obj)
    made = definitions.get(index) if isinstance(index, Var) else None
    indices = made.args if made is not None and made.fn is prims.make_tuple else (index,)
    parts = [_part(i) for i in indices]
    if not base or not all(parts) or len(parts) > 2:
        return "t"
    return "_".join([base, *parts])


def _part(a: Atom) -> str:
    """The short name of a variable or a small number, empty where it has none."""
    match a:
        case Var(hint=hint) if not is_temporary(hint):
            return identifier(hint)
        case Const(value=int() as n) if 0 <= n < 10 and n is not True and n is not False:
            return str(n)
    return ""
