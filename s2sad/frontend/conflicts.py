"""What is one of two things that cannot be treated as one: reported where it is used, and only there."""

from __future__ import annotations

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.builder import Restart
from s2sad.frontend.interface import Lowering
from s2sad.frontend.leaves import RecordShape
from s2sad.frontend.values import AVal, Conflict, DictV, LostV, ObjectV, TupleV, is_atom
from s2sad.ir.nodes import Const, Origin

__all__ = ["refuse_conflict", "refuse_either"]


def refuse_conflict(lo: Lowering, value: AVal, name: str = "this", origin: Origin | None = None) -> None:
    """Refuse to use a value that is one of two things; where a short loop around makes it so, start anew without."""
    match value:
        case LostV():
            raise UnsupportedSyntax(
                f"whether the body of the `try` had bound {name} when it raised is not known here.",
                help="Bind it before the `try` and again in each handler, or bind it last in the body.",
                origin=origin or lo.origin,
            )
        case Conflict():
            lo.try_rows(value)
            lo.spell_out_around()
            if more := lo.none_at_times - lo.runtime_sites:
                lo.runtime_sites |= more
                raise Restart
            raise UnsupportedSyntax(
                f"{name} is one of two things here that cannot be treated as one{_told(value)}.",
                help="Give the variable one structure (number, array, tuple of one length, object) on every path.",
                origin=origin or lo.origin,
            )


def refuse_either(lo: Lowering, *values: AVal) -> None:
    """Refuse to ask whether something is a tuple or a list that is one on one path and the other on another."""
    if any(isinstance(v, TupleV) and v.either for v in values):
        raise lo.unsupported(
            "this is a tuple on one path and a list on another, and here it is asked which.",
            "Make it the same on all paths.",
        )


def _told(conflict: Conflict) -> str:
    """Which two things, where one is an object."""
    both = (conflict.a, conflict.b)
    return f": {' or '.join(map(_sort_of, both))}" if any(map(_class_in, both)) else ""


def _class_in(value: AVal) -> type | None:
    """The class of an object, which may be told by its fields."""
    match value:
        case ObjectV(cls=cls) | TupleV(cls=type() as cls) | TupleV(cls=RecordShape(form=cls)):
            return cls
    return None


def _sort_of(value: AVal) -> str:
    if (cls := _class_in(value)) is not None:
        return "a dict" if issubclass(cls, dict) else f"an object of class {cls.__name__}"
    match value:
        case Const(None):
            return "None"
        case DictV():
            return "a dict"
        case TupleV():
            return "a tuple"
    return "a number or an array" if is_atom(value) else "something else"
