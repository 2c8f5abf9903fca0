"""Suggest: what to call a temporary that has to stand in the text."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Atom, Const, Op, Var
from s2sad.names import identifier, is_temporary

__all__ = ["carried_name", "suggest"]

_NAMES: dict[Callable[..., Any], str] = {
    len: "n",
    np.size: "n",
    np.shape: "shape",
    prims.make_list: "items",
    prims.make_dict: "table",
}


def suggest(op: Op, definitions: Mapping[Var, Op]) -> str:
    """A name for an operation's result, after what it is: ``xs_i`` for ``xs[i]``, ``n`` for a length."""
    assert op.target is not None
    hint = op.target.hint
    if not is_temporary(hint) or hint.strip("t0123456789"):
        return identifier(hint)
    kind = op.target.kind
    if isinstance(kind, Scalar) and kind.dtype == "bool":
        return "test"
    if op.fn is operator.getitem:
        return _item(op, definitions)
    try:
        return _NAMES.get(op.fn, "t")  # type: ignore[arg-type]
    except TypeError:
        return "t"


def carried_name(v: Var) -> str:
    """A name for a variable that a loop carries."""
    if not is_temporary(v.hint) or v.hint.strip("t0123456789"):
        return identifier(v.hint)
    return "done" if isinstance(v.kind, Scalar) and v.kind.dtype == "bool" else "t"


def _item(op: Op, definitions: Mapping[Var, Op]) -> str:
    obj, index = op.args
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
