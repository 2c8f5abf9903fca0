"""What a function makes of nothing that carries derivatives, whatever it is differentiated by."""

from __future__ import annotations

from s2sad.analysis.effects import is_pure
from s2sad.analysis.sharing import shared_operands
from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, TupleV
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Ref, Var

__all__ = ["is_fixed"]


def is_fixed(lo: Lowering, value: AVal) -> bool:
    """Whether a value is surely made of constants and integers only, and nothing is stored into it so far."""
    work, seen, written = [value], set(), None
    while work:
        match v := work.pop():
            case TupleV(items=items):
                work += items
            case Const() | Ref():
                pass
            case Var(kind=K.Scalar(dtype)) if dtype.startswith(("int", "uint", "bool")):
                pass
            case Var(kind=K.Scalar() | K.Array() | K.List()):
                written = _written(lo) if written is None else written
                op = lo.definitions.get(v)
                if v in written or op is None or not (is_pure(op.fn) or op.fn is prims.make_list):
                    return False
                if v not in seen:
                    seen.add(v)
                    work += [*op.args, *(a for _, a in op.kwargs)]
            case _:
                return False
    return True


def _written(lo: Lowering) -> set[Atom]:
    """What is stored into so far, by its own name or that of a view or a part."""
    found, work = set[Atom](), [*lo.written, *lo.changed]
    while work:
        if (a := work.pop()) not in found:
            found.add(a)
            op = lo.definitions.get(a) if isinstance(a, Var) else None
            work += () if op is None else shared_operands(op)
    return found
