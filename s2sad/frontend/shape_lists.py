"""Lists that say how many axes an array has: their items are known one by one while compiling.

``shape = list(x.shape)``, ``shape[axis] = 1``, ``np.zeros(shape)``; ``index = [slice(None)] * x.ndim``,
``index[axis] = slice(1, None)``, ``x[tuple(index)]``. How long a list is, is told at run time only. As an object that
exists while compiling (:class:`~s2sad.frontend.object_lists.ObjectList`) it is a tuple where it is used, and the rank
is known. A list that is changed where it is not told which item, or how often, exists at run time as others do.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from s2sad.frontend.builder import Restart
from s2sad.frontend.interface import Lowering
from s2sad.frontend.object_lists import ObjectList
from s2sad.frontend.values import AVal, ObjectV, TupleV, is_atom
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Var

__all__ = ["axes_at_once", "only_read", "take_shapes_apart"]

#: What makes a list, or a tuple of a length that a run tells, of the items of another.
_COPY_ITEMS = (tuple, prims.list_repeat, operator.getitem)


def take_shapes_apart(lo: Lowering, atoms: Iterable[Atom]) -> None:
    """Start anew with the lists of integers, of pairs of them, or of what is in an index, apart that these are of."""
    sites: set[Any] = set()
    work = [a for a in atoms if isinstance(a, Var)]
    while work:
        v = work.pop()
        if isinstance(v.kind, K.List) and _says_shape(v.kind.item):
            sites |= lo.containers.sites_of(v)
        elif v.kind != K.Other(tuple):
            continue
        made = lo.definitions.get(v)
        sources = made.args if made is not None and made.fn in _COPY_ITEMS else lo.copied_from.get(v, ())
        work += [a for a in sources if isinstance(a, Var)]
    sites -= lo.changed_sites | lo.runtime_sites
    if sites:
        lo.shape_sites |= sites
        lo.changed_sites |= sites
        raise Restart


def _says_shape(item: K.Kind) -> bool:
    """Whether a list of such items may be a shape, widths along axes, or an index, which may hold other things."""
    if isinstance(item, K.Tuple):
        return all(map(K.is_integer, item.items))
    return K.is_integer(item) or item in (K.SLICE, K.ANY)


def only_read(lo: Lowering, value: AVal) -> AVal:
    """What a primitive is given: of a list that exists while compiling only, what it holds now."""
    if isinstance(value, ObjectV) and value.cls is ObjectList:
        held = TupleV(lo.held_by(value).items)
        if not all(isinstance(i, TupleV) or is_atom(i) for i in held.items):
            return value
        return _written_down(held) or held
    return value


def axes_at_once(named: dict[str, AVal]) -> dict[str, AVal]:
    """Arguments by name, with a tuple of axes that is written down as one value."""
    return {k: (_written_down(v) or v) if k == "axis" else v for k, v in named.items()}


def _written_down(value: AVal) -> Const | None:
    """Integers, and tuples of such, of which all are known, as one value."""
    if not isinstance(value, TupleV):
        return value if isinstance(value, Const) and type(value.value) is int else None
    items = [_written_down(i) for i in value.items]
    known = [i.value for i in items if i is not None]
    return Const(tuple(known)) if len(known) == len(items) else None
