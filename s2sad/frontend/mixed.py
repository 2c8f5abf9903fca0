"""Refusal of lists and dicts that come to hold things of another sort than they began with.

The kind of a list's items is joined over all that is put into a list that the function makes or is given. One
that is in a tuple of a list has the items that it came with. Where a list may hold numbers and arrays, none is
replaced: the adjoint of an item has the structure that the item had first.
"""

from __future__ import annotations

from s2sad.analysis.activity import carries_derivative
from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.values import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Op, Store
from s2sad.ir.rewrite import walk

__all__ = ["refuse_mixed"]

_NAMES: dict[type[K.Kind], str] = {K.List: "list", K.Dict: "dict"}
_SORTS = (K.Scalar, K.Array, K.List, K.Dict, K.Tuple)


def refuse_mixed(body: Block) -> None:
    """Refuse a body that puts a number into a list of arrays, say. Requires that kinds are final."""
    for s in walk(body):
        put = _put(s) if isinstance(s, Op | Store) else None
        if put is None:
            continue
        xs, value = kind_of(put[0]), put[1]
        if not isinstance(xs, K.List | K.Dict):
            continue
        replaced = (
            isinstance(s, Store) and isinstance(xs, K.List) and (isinstance(xs.item, K.Numeric) or xs.item == K.ANY)
        )
        if replaced or _differ(xs.item, value) or _loses(xs.item, value) or _is_first(xs.item, value):
            raise UnsupportedSyntax(
                f"this {_NAMES[type(xs)]} holds things of another sort: numbers, arrays, lists and tuples go into "
                "lists of their own.",
                help=f"Make a new {_NAMES[type(xs)]}.",
                origin=s.origin,  # type: ignore[union-attr]
            )


def _put(s: Op | Store) -> tuple[Atom, K.Kind] | None:
    """A list or a dict, and the kind of what is put into it."""
    match s:
        case Store(obj=xs, index=index, value=value, aug=None) if kind_of(index) != K.SLICE:
            return xs, kind_of(value)
        case Op(fn=prims.list_append | prims.list_insert, args=(xs, *_, value)):
            return xs, kind_of(value)
        case Op(fn=prims.list_extend, args=(xs, ys)) if isinstance(more := kind_of(ys), K.List):
            return xs, more.item
    return None


def _differ(held: K.Kind, put: K.Kind) -> bool:
    """Whether two things are known to be of different sorts."""
    sorts = _sort(held), _sort(put)
    return None not in sorts and sorts[0] is not sorts[1]


def _loses(held: K.Kind, put: K.Kind) -> bool:
    """Whether a derivative would be lost where one thing takes the place of another, which carries none."""
    match held, put:
        case K.Tuple(these), K.Tuple(those) if len(these) == len(those):
            return any(map(_loses, these, those))
        case (K.List(this), K.List(that)) | (K.Dict(this), K.Dict(that)):
            return _loses(this, that)
    return carries_derivative(put) and not carries_derivative(held)


def _is_first(held: K.Kind, put: K.Kind) -> bool:
    """Whether it is put where, by all that is known, there is nothing to read."""
    return held == K.BOTTOM and put not in (K.BOTTOM, K.NONE)


def _sort(kind: K.Kind) -> type[K.Kind] | None:
    """What sort of thing it is; None where that is not known."""
    return next((sort for sort in _SORTS if isinstance(kind, sort)), None)
