"""Refusal of derivatives through arrays that may hold no floats: of objects, or of a dtype that is not known."""

from __future__ import annotations

from s2sad.analysis.activity import Activity
from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.dtypes import DTYPE_SECOND
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Function, Op, Ref, Store, Var
from s2sad.ir.rewrite import walk

__all__ = ["refuse_dtypes"]


def refuse_dtypes(primal: Function, activity: Activity) -> None:
    """Raise UnsupportedSyntax, at the first place, for arrays of objects and for those whose dtype is text that is
    known at run time: it may say integers, through which no derivative passes."""
    for s in walk(primal):
        if not isinstance(s, Op | Store):
            continue
        v = s.obj if isinstance(s, Store) else s.target
        if not isinstance(v, Var) or not activity.is_active(v):
            continue
        if K.dtype_of(v.kind) == "object":
            raise UnsupportedSyntax(
                "the derivative passes through an array of objects.",
                "Give the array a dtype of floats, or wrap it in stop_gradient if it should be constant.",
                origin=s.origin,
            )
        if K.dtype_of(v.kind).startswith("void"):
            raise UnsupportedSyntax(
                "the derivative passes through an array of records.",
                "Make an array of floats for each field.",
                origin=s.origin,
            )
        if isinstance(s, Op) and _takes_text(s):
            raise UnsupportedSyntax(
                "the derivative passes through an array whose dtype is text that is known at run time only.",
                "Name or pass the type, such as np.float32, or write the text in the call.",
                origin=s.origin,
            )


def _takes_text(op: Op) -> bool:
    """Whether an operation is told the dtype of what it gives by text that is not written in the call."""
    second = op.args[1:2] if op.fn in DTYPE_SECOND else ()
    asked = (*second, *(a for name, a in op.kwargs if name == "dtype"))
    return any(isinstance(a, Var | Ref) and a.kind == K.STR for a in asked)
