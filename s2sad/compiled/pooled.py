"""Dicts of lists, of tuples and of dicts as dicts of places in one list.

Before::

    def f(x: float, k: int):
        d: dict[list[float]] = make_dict()
        xs: list[float] = make_list(x)
        d[k] = xs
        ys: list[float] = d[k]
        list_append(ys, x)
        n = len(xs)
        return n

After::

    def f(x, k):
        held: list[list[float]] = make_list()
        d: dict[int] = make_dict()
        xs = make_list(x)
        place = len(held)
        list_append(held, xs)
        d[k] = place
        place_1 = d[k]
        ys = held[place_1]
        list_append(ys, x)
        n = len(xs)
        return n

A dict of Numba's holds numbers and arrays. What two keys hold may be one list, before and after. The list holds all
that was ever put into the dicts, also what another value has replaced, so that places stay what they are.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values, and no such dicts; or the function as it is, where one comes in, goes out or is asked for what
only a dict knows.
"""

from __future__ import annotations

import operator
from dataclasses import replace

from s2sad.compiled.expand import kind_of
from s2sad.compiled.retyped import with_kinds
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Function, Op, Origin, Ref, Stmt, Store, Var
from s2sad.ir.rewrite import all_vars, map_stmts, uses_of, walk, with_body

__all__ = ["dicts_of_places"]

#: What is done with dicts of places, and with what holds them, as with the dicts in their place.
_FOLLOWED = frozenset(
    {
        *(operator.getitem, operator.is_, operator.is_not, len),
        *(prims.make_dict, prims.make_list, prims.make_tuple, prims.identity, prims.contains, prims.dict_items),
        *(prims.list_append, prims.list_insert, prims.list_pop, prims.list_extend, prims.list_reverse),
    }
)


def dicts_of_places(lowered: Lowered) -> Lowered:
    """The function with dicts of places for such dicts."""
    function = lowered.function
    if not any(_holds_such(v.kind) for v in all_vars(function)) or not _is_followed(function):
        return lowered
    pools = _Pools()
    stmts = map_stmts(function.body, pools.change).stmts
    made = [Op(v, prims.make_list, (), (), function.origin) for v in pools.pools.values()]
    told = with_body(function, Block((*made, *stmts), function.body.outs))
    return with_kinds(replace(lowered, function=told), lambda v: _with_places(v.kind))


def _is_such(kind: K.Kind) -> bool:
    """Whether this is such a dict itself."""
    return isinstance(kind, K.Dict) and kind.fields is None and isinstance(kind.item, K.List | K.Tuple | K.Dict)


def _holds_such(kind: K.Kind) -> bool:
    """Whether there are such dicts in a value of this kind."""
    return kind != _with_places(kind)


def _with_places(kind: K.Kind) -> K.Kind:
    """The kind with dicts of places for such dicts."""
    match kind:
        case K.Dict(item, fields):
            told = fields and tuple([(key, _with_places(inner)) for key, inner in fields])
            return K.Dict(K.INT if _is_such(kind) else _with_places(item), told)
        case K.List(item, fields):
            return K.List(_with_places(item), fields and tuple(map(_with_places, fields)))
        case K.Tuple(items, cls):
            return K.Tuple(tuple(map(_with_places, items)), cls)
    return kind


def _is_followed(function: Function) -> bool:
    """Whether nothing is done with such dicts that cannot be done with dicts of places."""
    shown = [a for a in (*function.params, *function.body.outs) if _holds_such(kind_of(a))]
    never_filled = any(kind == K.Dict(K.BOTTOM) for kind in (v.kind for v in all_vars(function)))
    return not shown and not never_filled and all(map(_agrees, walk(function)))


def _agrees(s: Stmt) -> bool:
    used = [a for a in uses_of(s) if isinstance(a, Var | Ref) and _holds_such(a.kind)]
    if any(isinstance(a, Ref) for a in used):
        return False
    match s:
        case Op(fn=Function() as fn):
            return not any(_holds_such(v.kind) for v in all_vars(fn))
        case Closure():
            return False
        case Op(target=target, fn=fn):
            is_apart = not used and (target is None or not _holds_such(target.kind))
            return is_apart or (fn in _FOLLOWED and not s.kwargs)
        case Store(aug=aug):
            return not used or aug is None
    return True


class _Pools:
    """Puts dicts of places in place of such dicts: what they hold is in a list for each kind."""

    def __init__(self) -> None:
        self.pools: dict[K.Kind, Var] = {}

    def pool(self, held: Atom) -> Var:
        """The list of what such a dict holds."""
        kind = kind_of(held)
        assert isinstance(kind, K.Dict)
        item = K.without_shape(kind.item)
        return self.pools.setdefault(_with_places(item), Var("held", K.List(item)))

    def change(self, s: Stmt) -> Stmt | list[Stmt]:
        """A statement with places."""
        match s:
            case Store(obj=obj, value=value, origin=origin) if _is_such(kind_of(obj)):
                put, place = self.put(obj, value, origin)
                return [*put, replace(s, value=place)]
            case Op(target=Var() as target, fn=prims.make_dict, args=args, origin=origin) if _is_such(target.kind):
                before: list[Stmt] = []
                atoms: list[Atom] = []
                for key, value in zip(args[::2], args[1::2], strict=True):
                    put, place = self.put(target, value, origin)
                    before += put
                    atoms += (key, place)
                return [*before, replace(s, args=tuple(atoms))]
            case Op(target=target, fn=operator.getitem, args=(obj, index), origin=origin) if _is_such(kind_of(obj)):
                place = Var("place", K.INT)
                found = Op(place, operator.getitem, (obj, index), (), origin)
                return [found, Op(target, operator.getitem, (self.pool(obj), place), (), origin)]
        return s

    def put(self, held: Atom, value: Atom, origin: Origin | None) -> tuple[list[Stmt], Var]:
        """What puts a value into the list of what such a dict holds, and its place there."""
        pool, place = self.pool(held), Var("place", K.INT)
        counted = Op(place, len, (pool,), (), origin)
        return [counted, Op(None, prims.list_append, (pool, value), (), origin)], place
