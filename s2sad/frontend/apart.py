"""What the arguments of a derivative inside differentiated code must not share.

The function is lowered apart, with a fresh variable for each leaf of its arguments (:mod:`s2sad.frontend.derivatives`).
Where it stores into one of them, no other may share that memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from s2sad.analysis.apart import held_of, to_be_apart
from s2sad.analysis.held import Held, class_name
from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import DictV, ObjectV
from s2sad.ir import prims
from s2sad.ir.kinds import Array, List, Numeric, Scalar
from s2sad.ir.nodes import Atom, Const, Function, Op, Ref, Var
from s2sad.runtime import helpers

__all__ = ["keep_apart", "note_stored", "noted"]


def keep_apart(lo: Lowering, function: Function, leaves: dict[Var, Atom]) -> None:
    """See to it that the leaves of a function lowered apart share no memory that it stores into.

    What this comes to for arguments of the whole function, and for what is outside, ``lo.apart`` notes: callers look.
    Of others an operation that is emitted here looks.
    """
    found = [(h, _place(lo, leaves[function.params[h.position]])) for h in to_be_apart(function).held]
    held = [(h, a) for h, a in found if not isinstance(a, Const)]
    for (h, a), (other, b) in combinations(held, 2):
        if not (h.is_written or other.is_written):
            continue
        if a == b:
            raise lo.unsupported(f"`{h.name}` is passed twice to a function that stores into it.", "Copy it once.")
        if _is_known(lo, a) and _is_known(lo, b):
            _note(lo, a, h)
            _note(lo, b, other)
        elif not (_is_simple(a) and _is_simple(b)):
            raise _refused(lo, h, other)
        elif isinstance(a.kind, List) == isinstance(b.kind, List):
            lo.effect(helpers.need_apart, a, b)
    for h, a in held:
        if h.is_written and not _is_simple(a):
            if not _is_known(lo, a):
                raise _refused(lo, h, h)
            _note(lo, a, h)


def _refused(lo: Lowering, a: Held, b: Held) -> Exception:
    which = " and ".join(f"`{h.name}`" if h.name else "a list" for h in dict.fromkeys((a, b)))
    return lo.unsupported(
        f"{which} may share memory, or parts may, that the function differentiated here stores into.",
        "Pass arrays, or give that function copies to store into.",
    )


def _is_simple(a: Var | Ref) -> bool:
    """Whether it has no parts that may share memory."""
    return isinstance(a.kind, Array | Numeric) or (isinstance(a.kind, List) and isinstance(a.kind.item, Scalar))


def _place(lo: Lowering, a: Atom) -> Atom:
    """The argument of the whole function, or the object outside, that this is; the variable itself for another."""
    while isinstance(a, Var):
        if a in lo.leaves:
            a = lo.leaves[a]
            continue
        made = lo.definitions.get(a)
        if not (isinstance(made, Op) and made.fn is prims.identity):
            return a
        a = made.args[0]
    return a


def _is_known(lo: Lowering, a: Var | Ref) -> bool:
    return a in lo.refs if isinstance(a, Ref) else a in lo.parameters


def _note(lo: Lowering, a: Var | Ref, h: Held) -> None:
    arrays, containers = lo.apart.get(a, (False, False))
    lo.apart[a] = arrays or h.arrays, containers or h.containers


def note_stored(lo: Lowering, record: DictV | ObjectV) -> None:
    """Note that a dict or an object that is tracked is stored into, where it is an argument or outside, or within such.

    The statements do not show it.
    """
    a: Atom | None = lo.parts_of_given.get(record)
    while isinstance(a, Var) and a not in lo.parameters and (made := lo.definitions.get(a)) is not None:
        a = made.args[0]
    if isinstance(a, Var | Ref) and _is_known(lo, a):
        cls = record.cls if isinstance(record, ObjectV) else dict
        lo.stored_classes.setdefault(a, set()).add(class_name(cls))


def noted(lo: Lowering, params: Sequence[Var]) -> tuple[Held, ...]:
    """What ``lo.apart`` and ``lo.stored_classes`` note of arguments and of what is outside."""
    return tuple(
        held_of(
            a,
            params.index(a) if isinstance(a, Var) else [*lo.refs].index(a),
            *lo.apart.get(a, (False, False)),
            lo.stored_classes.get(a, ()),
        )
        for a in dict.fromkeys((*lo.apart, *lo.stored_classes))
    )
