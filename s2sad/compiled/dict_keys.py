"""Keys of dicts, of which Numba makes one type: refused where they are of several.

Numba makes each key one of the type that the first has, and so of 2 and of 2.5 the key ``True``.

Requires: the IR of a derivative, in which dicts are dicts still.
Ensures: the function as it is. :class:`~s2sad.errors.CompileError` where truth values, integers and floats meet as keys
of what may be one dict; an item may be asked for by a key of fewer values, which is the same key.
"""

from __future__ import annotations

import operator

from s2sad.analysis.memory import Memory
from s2sad.compiled.errors import HELP
from s2sad.errors import CompileError
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Function, Op, Origin, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import walk

__all__ = ["refuse_keys_of_several_types"]

_SEVERAL = "a dict with truth values, integers and floats among its keys cannot be compiled."
_ASK = (operator.getitem, operator.contains, operator.delitem)
_TYPES = ("bool", "int", "float")


def refuse_keys_of_several_types(function: Function) -> None:
    """Refuse dicts whose keys would be made keys of another type."""
    used = [(d, key, s) for s in walk(function) for d, key in _keys(s) if _type_of(key) is not None]
    if len({_type_of(key) for _, key, _ in used}) < 2:
        return
    memory = Memory(function)
    held: dict[object, int] = {}
    for d, key, s in used:
        if not _asks(s) and held.setdefault(memory.of(d), _type_of(key)) != _type_of(key):  # type: ignore[arg-type]
            raise CompileError(_SEVERAL, HELP, origin=_origin(s))
    for d, key, s in used:
        if _type_of(key) > held.get(memory.of(d), len(_TYPES)):  # type: ignore[operator]
            raise CompileError(_SEVERAL, HELP, origin=_origin(s))


def _keys(s: Stmt) -> list[tuple[Var, Atom]]:
    """The dicts of a statement, each with a key that it gives it or asks it for."""
    match s:
        case Op(target=Var() as d, fn=prims.make_dict, args=args):
            return [(d, key) for key in args[::2]]
        case Op(fn=fn, args=(Var(kind=K.Dict()) as d, key)) if fn in _ASK:
            return [(d, key)]
        case Store(obj=Var(kind=K.Dict()) as d, index=key):
            return [(d, key)]
    return []


def _asks(s: Stmt) -> bool:
    return isinstance(s, Op) and s.fn is not prims.make_dict


def _origin(s: Stmt) -> Origin | None:
    return getattr(s, "origin", None)


def _type_of(key: Atom) -> int | None:
    """The type of a key that is a number, by how many values it has."""
    match kind_of(key):
        case K.Scalar(dtype) if (name := dtype.rstrip("0123456789")) in _TYPES:
            return _TYPES.index(name)
    return None
