"""Refusal of lists that come to hold things of another sort than they began with.

The kind of a list's items is joined over all that is put into a list that the function makes.
One that it is given, or takes a slice of, has the items that it came with. Where it may hold numbers
and arrays, none is replaced: the adjoint of an item has the structure that the item had first.
"""

from __future__ import annotations

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Op, Store
from s2sad.ir.rewrite import walk

__all__ = ["refuse_mixed"]

_SORTS = (K.Scalar, K.Array, K.List, K.Dict, K.Tuple)


def refuse_mixed(body: Block) -> None:
    """Refuse a body that puts a number into a list of arrays, say. Requires that kinds are final."""
    for s in walk(body):
        put = _put(s) if isinstance(s, Op | Store) else None
        if put is None:
            continue
        xs, sort = kind_of(put[0]), _sort(kind_of(put[1]))
        held = _sort(xs.item) if isinstance(xs, K.List) else None
        replaced = (
            isinstance(s, Store) and isinstance(xs, K.List) and (isinstance(xs.item, K.Numeric) or xs.item == K.ANY)
        )
        # None or integers, say: what is put in their place would count as constant
        item = xs.item if isinstance(xs, K.List) else K.ANY
        constant = item != K.ANY and (isinstance(item, K.Other) or (held is K.Scalar and not K.is_float(item)))
        carries = sort is not None and (sort is not K.Scalar or K.is_float(kind_of(put[1])))
        if replaced or (constant and carries) or (held is not None and sort is not None and held is not sort):
            raise UnsupportedSyntax(
                "this list holds things of another sort: numbers, arrays, lists and tuples go into lists of their own.",
                help="Make a new list.",
                origin=s.origin,  # type: ignore[union-attr]
            )


def _put(s: Op | Store) -> tuple[Atom, Atom] | None:
    """A list and what is put into it."""
    match s:
        case Store(obj=xs, index=index, value=value, aug=None) if kind_of(index) != K.SLICE:
            return xs, value
        case Op(fn=prims.list_append | prims.list_insert, args=(xs, *_, value)):
            return xs, value
    return None


def _sort(kind: K.Kind) -> type[K.Kind] | None:
    """What sort of thing it is; None where that is not known."""
    return next((sort for sort in _SORTS if isinstance(kind, sort)), None)
