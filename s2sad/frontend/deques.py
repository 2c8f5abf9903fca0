"""``collections.deque`` and ``defaultdict``: a list and a dict that do a little more when they are changed or read.

What they do is put down where they are used, in terms of what lists and dicts do: an item appended to a full deque
removes the first one, and a key that is not there is stored before it is looked up.
"""

from __future__ import annotations

import collections
import operator
from typing import Any

from s2sad.frontend import list_changes
from s2sad.frontend.containers import Form
from s2sad.frontend.interface import Lowering
from s2sad.frontend.leaves import may_be_held
from s2sad.frontend.literals import site_key
from s2sad.frontend.tables import DEQUE_METHODS, builtin, method
from s2sad.frontend.values import AVal, DictV, FuncV, PyFunc, RangeV, TupleV, runtime_kind
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Var

__all__: list[str] = []


# -- deques --


@builtin(collections.deque, takes=lambda iterable=(), maxlen=None: ...)
def _deque(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    limit = args[1] if len(args) > 1 else kwargs.get("maxlen", Const(None))
    known = isinstance(limit, Const) and (limit.value is None or limit.value >= 0)
    if not known and runtime_kind(limit) != K.INT:
        raise lo.unsupported("the `maxlen` of a deque must be an integer that is not negative, or None.")
    source = args[0] if args else kwargs.get("iterable")
    out = lo.call(PyFunc.of(list), [] if source is None else [source], {}, hint)
    if isinstance(out, TupleV) and all(map(may_be_held, out.items)):
        out = lo.new_list([lo.as_atom(i) for i in out.items], hint, lo.place)
    if not isinstance(out, Var) or not isinstance(out.kind, K.List):
        raise lo.unsupported("a deque of functions or objects is not handled.", "Use a list.")
    form = Form(collections.deque, atom := lo.as_atom(limit))
    if not known and atom not in lo.parameters and not lo.is_outermost():
        form = Form(collections.deque, site_key(lo.place), lo.scopes[-1], atom)
    lo.containers.take_form(out, form)
    if source is not None and limit != Const(None):
        excess = lo.binary(operator.sub, lo.emit(len, out, kind=K.INT), limit)
        _repeat(lo, lo.emit(max, lo.as_atom(excess), Const(0), kind=K.INT), lambda: list_changes.pop(lo, out, Const(0)))
    return out


def _repeat(lo: Lowering, n: Atom, do: Any) -> None:
    lo.each(RangeV(Const(0), n, Const(1)), lambda _: do())


@method(DEQUE_METHODS, "appendleft", lambda item, /: ...)
def _append_left(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    xs = lo.as_atom(obj)
    lo.make_room(xs, Const(-1), lambda: list_changes.insert(lo, xs, Const(0), args[0]))
    return Const(None)


@method(DEQUE_METHODS, "extendleft", lambda items, /: ...)
def _extend_left(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    lo.each(args[0], lambda item: _append_left(lo, obj, [item], {}, ""))
    return Const(None)


@method(DEQUE_METHODS, "popleft", lambda: ...)
def _pop_left(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return list_changes.pop(lo, lo.as_atom(obj), Const(0), hint)


@method(DEQUE_METHODS, "pop", lambda: ...)
def _pop(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    return list_changes.pop(lo, lo.as_atom(obj), Const(-1), hint)


@method(DEQUE_METHODS, "rotate", lambda n=1, /: ...)
def _rotate(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    xs = lo.as_atom(obj)

    def turn() -> None:
        steps = lo.binary(operator.mod, args[0] if args else Const(1), lo.emit(len, xs, kind=K.INT))
        _repeat(
            lo,
            lo.as_atom(steps),
            lambda: list_changes.insert(lo, xs, Const(0), list_changes.pop(lo, xs, Const(-1))),
        )

    lo.branch(lo.emit(operator.gt, lo.emit(len, xs, kind=K.INT), Const(0), kind=K.BOOL), turn, lambda: None)
    return Const(None)


@method(DEQUE_METHODS, "copy", lambda: ...)
def _copy(lo: Lowering, obj: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    xs = lo.as_atom(obj)
    form = lo.form_of(xs)
    return lo.call(PyFunc.of(collections.deque), [xs], {"maxlen": lo.limit_of(form)}, hint)


# -- dicts with defaults --


@builtin(collections.defaultdict, takes=lambda default_factory=None, source=(), /, **kwargs: ...)
def _default_dict(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    out = lo.call(PyFunc.of(dict), args[1:], kwargs, hint)
    factory = args[0] if args else Const(None)
    if factory == Const(None):
        return out
    if not isinstance(factory, FuncV):
        raise lo.unsupported("what makes the values of this `defaultdict` is not known while compiling.")
    if isinstance(out, DictV):
        out.factory = factory
    else:
        lo.containers.take_form(lo.as_atom(out), Form(collections.defaultdict, factory))
    return out
