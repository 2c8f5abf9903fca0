"""The rule of an operation: that of its primitive for what it takes and gives."""

from __future__ import annotations

from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const, Function, Op, Var
from s2sad.rules.foreign import KNOW_FOREIGN, foreign_class
from s2sad.rules.table import Rule, rule_for

__all__ = ["holds_complex", "is_complex_atom", "rule_of", "takes_complex", "takes_foreign"]


def holds_complex(kind: K.Kind) -> bool:
    """Whether a value of this kind may be a complex number, or hold some.

    >>> holds_complex(K.Array("complex64", 1)), holds_complex(K.List(K.Scalar("complex"))), holds_complex(K.FLOAT)
    (True, True, False)
    """
    match kind:
        case K.Scalar(dtype) | K.Array(dtype) | K.Numeric(dtype):
            return dtype.startswith("complex")
        case K.List(item) | K.Dict(item):
            return holds_complex(item)
        case K.Tuple(items):
            return any(map(holds_complex, items))
    return False


def is_complex_atom(a: object) -> bool:
    """Whether an atom may be a complex number, or hold some."""
    match a:
        case Const(value):
            return isinstance(value, complex)
        case Var(kind=kind):
            return holds_complex(kind)
    return holds_complex(getattr(a, "kind", K.ANY))


def takes_complex(op: Op) -> bool:
    """Whether there are complex numbers among what an operation takes or gives."""
    return is_complex_atom(op.target) or any(map(is_complex_atom, (*op.args, *(a for _, a in op.kwargs))))


def takes_foreign(op: Op) -> type | None:
    """The class of an array among what an operation takes that has an arithmetic of its own, unknown to its rule."""
    kinds = (getattr(a, "kind", K.ANY) for a in (*op.args, *(a for _, a in op.kwargs)))
    found = next(filter(None, map(foreign_class, kinds)), None)
    return None if found is None or op.fn in KNOW_FOREIGN else found


def rule_of(op: Op) -> Rule | None:
    """The rule of an operation's primitive, or None."""
    if isinstance(op.fn, Function) or takes_foreign(op):
        return None
    return rule_for(op.fn, takes_complex(op))
