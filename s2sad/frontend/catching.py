"""Lowering of ``try``: first it is asked what the body raises, then a branch takes the answer.

Before::

    try:
        L = np.linalg.cholesky(K)
    except np.linalg.LinAlgError:
        return -np.inf

After::

    error = f_error(K)
    if error is None:
        L = np.linalg.cholesky(K)
    else:
        return -np.inf

``f_error`` is a function of its own, which runs the body and gives the exception that a handler takes. What no handler
takes comes out of the call. So the body runs twice, and nothing that reads the IR need know of exceptions.
"""

from __future__ import annotations

import itertools
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

import gast
import numpy as np

from s2sad.analysis.effects import is_pure, writes_of
from s2sad.analysis.memory import Memory
from s2sad.analysis.raising import may_raise, may_raise_one_of
from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.arithmetic import BINARY_OPERATORS
from s2sad.frontend.builder import FALSE, Fails, Place
from s2sad.frontend.callees import is_library, is_library_module
from s2sad.frontend.catching_nodes import Asked, Given, Guarded, Handler, Lose
from s2sad.frontend.interface import Lowering
from s2sad.frontend.object_lists import HELD
from s2sad.frontend.outlining import as_parameters, form_of
from s2sad.frontend.scope import binds_names, bound_at_last, declared_nonlocal, is_quiet, surely_bound, unbound_reads
from s2sad.frontend.texts import nodes_in
from s2sad.frontend.values import (
    SERIALS,
    AVal,
    DictV,
    Frame,
    LostV,
    ObjectV,
    PyFunc,
    TupleV,
    is_unbound,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Callee, Const, Function, If, Op, Ref, Stmt, Store, Var
from s2sad.ir.rewrite import clone_block, free_vars, walk
from s2sad.names import identifier

__all__ = ["Catching"]

#: How often the body of one ``try`` may be run within itself: each time it is so twice as often.
_DEEPEST = 4
_ERROR = K.Other(BaseException)
#: What is raised of names that are not bound.
_OF_NAMES = ("NameError", "UnboundLocalError")


class Catching(Lowering):
    """The part of the lowerer that deals with exceptions."""

    def try_(self, node: Any, rest: list[Any]) -> bool:
        """Lower a ``try``; True where ``rest`` was lowered along with it."""
        if node.finalbody:
            self.try_finally(node)
            return False
        node = self.without_handlers_of_names(node)
        if not node.handlers:
            self.statements([*node.body, *node.orelse])
            return False
        for handler in node.handlers:
            self.refuse_uses(handler)
        if ahead := self.ahead_of_raising(node):
            self.statements(node.body[:ahead])
            node = gast.copy_location(gast.Try(node.body[ahead:], node.handlers, node.orelse, []), node)
        body = gast.copy_location(Guarded(node.body), node.body[0])
        stmts, lost = self.asked(node)
        with self.overlay():  # they are looked up once the body has raised
            self.lose(lost)
            classes = [self.classes_of(h) for h in node.handlers]
        self.origin = self.here(node)
        taken = tuple(c.value if isinstance(c, Ref) else BaseException for some in classes for c in some)
        if not any(self.may_raise(s) and may_raise_one_of(s, taken) for s in walk(Block(tuple(stmts)))):
            self.statements([body, *node.orelse])
            return False
        if (sure := _sure_handler(stmts, classes, self.may_raise)) is not None:
            failure, k = sure
            self.stmts += stmts[: stmts.index(failure)]
            taken = Handler(node.handlers[k].name, node.handlers[k].body, failure.args[0])
            self.statements([gast.copy_location(s, node.handlers[k]) for s in (Lose(lost), taken)])
            return False
        error = self.call_asking(stmts, node, tuple(dict.fromkeys(c for some in classes for c in some)))
        ended = self.emit(operator.is_, error, Const(None), kind=K.BOOL)
        lose = gast.copy_location(Lose(lost), node.handlers[0])
        handlers = [lose, *self.handlers(error, node.handlers, classes)]
        return self.fork(ended, [body, *node.orelse], handlers, rest)

    def without_handlers_of_names(self, node: Any) -> Any:
        """A ``try`` without the handlers of names that are not bound, where all that its body reads are."""
        taken = [h for h in node.handlers if not self.is_of_names(h)]
        if len(taken) == len(node.handlers):
            return node
        known = surely_bound(self.frame.source.node, node)
        if not all(map(self.is_defined, unbound_reads(node.body, known))):
            return node
        calls = [n.func for s in node.body for n in gast.walk(s) if isinstance(n, gast.Call)]
        raised = any(n.id in _OF_NAMES for s in node.body for n in gast.walk(s) if isinstance(n, gast.Name))
        if raised or not all(map(self.is_of_library, calls)):  # what else is called may read names, or raise this
            return node
        return gast.copy_location(gast.Try(node.body, taken, node.orelse, []), node)

    def is_of_names(self, handler: Any) -> bool:
        """Whether a handler takes no exceptions but those of names that are not bound."""
        name = handler.type.id if isinstance(handler.type, gast.Name) else ""
        hidden = self.frame_binding(name) is not None or name in self.frame.globals
        return name in _OF_NAMES and not hidden

    def is_of_library(self, function: Any) -> bool:
        """Whether what is called here is a function of a library, or has the name of a method of arrays."""
        match function:
            case gast.Name(id=name):
                value = None if self.frame_binding(name) is not None else self.outside_name(name).value
                return isinstance(value, np.ufunc) or (value is not None and is_library(value))
            case gast.Attribute(value=gast.Name(id=name)) if self.frame_binding(name) is None:
                module = self.outside_name(name).value
                return isinstance(module, types.ModuleType) and is_library_module(module.__name__)
            case gast.Attribute(attr=attr):
                return hasattr(np.ndarray, attr)
        return False

    def is_defined(self, name: str) -> bool:
        """Whether a name that is no variable here stands for something outside."""
        if self.frame_binding(name) is not None:
            return False
        try:
            self.outside_name(name)
        except UnsupportedSyntax:
            return False
        return True

    def stmt_Guarded(self, node: Any) -> None:
        self.protected += 1
        try:
            self.statements(node.body)
        finally:
            self.protected -= 1

    # -- handlers --

    def handlers(self, error: Var, nodes: list[Any], classes: list[list[Atom]]) -> list[Any]:
        """What handles an exception that one of these takes, as statements: the first that takes it."""
        first = nodes[0]
        body = [gast.copy_location(Handler(first.name, first.body, error), first)]
        if len(nodes) == 1:
            return body
        test = gast.copy_location(Given(lambda: self.is_one_of(error, classes[0])), first)
        others = self.handlers(error, nodes[1:], classes[1:])
        return [gast.copy_location(gast.If(test=test, body=body, orelse=others), first)]

    def is_one_of(self, error: Var, classes: list[Atom]) -> AVal:
        """Whether an exception is of one of these classes."""
        made = classes[0] if len(classes) == 1 else self.emit(prims.make_tuple, *classes, kind=K.Other(tuple))
        return self.emit(isinstance, error, made, kind=K.BOOL)

    def stmt_Handler(self, node: Any) -> None:
        name = node.name.id if node.name is not None else None
        before: AVal = UNDEF
        if name is not None:
            before = self.read(self.place_of(name)) or UNDEF
            self.bind(name, node.error)
        self.handled.append((self.frame, node.error))
        try:
            self.statements(node.body)
        finally:
            self.handled.pop()
        if name is not None:  # Python deletes it: nor may what it was before be read
            self.bind(name, UNDEF if is_unbound(before) else LostV())

    def stmt_Lose(self, node: Any) -> None:
        """Names of which it is not known whether the body had bound them."""
        self.lose(node.places)

    def lose(self, places: list[Place]) -> None:
        for place in places:
            self.write(place, LostV())

    def expr_Given(self, node: Any, hint: str) -> AVal:
        return node.give()  # type: ignore[no-any-return]

    def raise_at_once(self, failure: Fails, loops: int) -> None:
        """Put down what raises, where it may be caught or not be reached at all; refuse what raises in each call."""
        here = failure.depth == len(self.scopes) and failure.into is self.stmts and loops == len(self.frame.loops)
        if not here or not (self.protected or self.tried or self.forks):
            raise failure
        error = self.emit(failure.raised, Const(failure.message.rstrip(".")), kind=K.Other(failure.raised))
        self.effect(prims.raise_, error)
        self.after_raise()

    def raised_again(self) -> Var:
        """The exception that a bare ``raise`` means."""
        if not self.handled or self.handled[-1][0] is not self.frame:
            raise self.unsupported("a bare `raise` is handled only in a handler.", "Name what is raised.")
        return self.handled[-1][1]

    def classes_of(self, handler: Any) -> list[Atom]:
        """The classes that a handler takes."""
        self.origin = self.here(handler if handler.type is None else handler.type)
        if handler.type is None:
            return [self.as_atom(self.outside_callable(BaseException))]
        found = list(self.listed_classes(self.expr(handler.type)))
        if not found:
            raise self.unsupported("a handler that takes no exception is not handled.", "Leave it out.")
        return found

    def listed_classes(self, value: AVal) -> Iterator[Atom]:
        match value:
            case PyFunc(fn=type() as cls) if issubclass(cls, NameError):
                raise self.unsupported("whether a name is bound is not asked for here.", "Bind it to None before.")
            case PyFunc(fn=type() as cls) if issubclass(cls, BaseException) and not hasattr(type(cls), "register"):
                yield self.as_atom(value)
            case TupleV(items, None):
                for item in items:
                    yield from self.listed_classes(item)
            case _:
                raise self.unsupported(
                    "what this handler takes is not a class of exceptions that is known here.",
                    "Name the class, or a tuple of classes.",
                )

    def refuse_uses(self, handler: Any) -> None:
        """Refuse what would take numbers out of an exception: they would have no derivative."""
        if handler.name is None:
            return
        name = handler.name.id
        for node in nodes_in(handler.body, (gast.Raise,)):
            if isinstance(node, gast.Name) and node.id == name and isinstance(node.ctx, gast.Load):
                raise UnsupportedSyntax(
                    f"the exception `{name}` may only be raised again or put into a message here.",
                    help="Derivatives do not pass through exceptions: use it in `raise` or `print`.",
                    origin=self.here(node),
                )

    # -- the body --

    def ahead_of_raising(self, node: Any) -> int:
        """How many statements at the beginning of a body only bind names, and cannot raise: it is run after these."""
        count = 0
        self.tried.append(node)
        try:
            with self.overlay(), self.block() as stmts:
                for s in itertools.takewhile(binds_names, node.body[:-1]):
                    self.statements([s])
                    if any(map(self.may_raise, walk(Block(tuple(stmts))))):
                        break
                    count += 1
        finally:
            self.tried.pop()
        return count

    def asked(self, node: Any) -> tuple[list[Stmt], list[Place]]:
        """The statements of a body, but for what it changes in the end; and the names that are lost if it raises."""
        if self.tried.count(node) >= _DEEPEST:
            raise UnsupportedSyntax(
                "this `try` is run within itself, each time twice as often.",
                help="Call the function again after the `try`, not in it.",
                origin=self.here(node),
            )
        serial, origin = next(SERIALS), self.here(node)
        self.tried.append(node)
        try:
            with self.overlay() as writes, self.block() as stmts:
                self.statements(without_last_change(node.body))
        finally:
            self.tried.pop()
        self.refuse_changes(writes, serial)
        late = bound_at_last(node.body) - declared_nonlocal(self.frame.source.node)
        lost = [
            place
            for place in writes
            if isinstance(place[0], Frame) and place[0].serial < serial and not place[1].startswith("$")
            if not (place[0] is self.frame and place[1] in late)
        ]
        self.origin = origin
        return stmts, lost

    def stmt_Asked(self, node: Any) -> None:
        """All of a statement but the change that it makes in the end; of one that makes none, all of it."""
        match node.statement:
            case gast.Assign(targets=[gast.Subscript(value=base, slice=index)], value=value):
                new = self.expr(value)
                self.refuse_cut_off(changed := self.expr(base), new)
                self.asked_place(changed, index, new)
            case gast.Assign(targets=[gast.Attribute(value=base, attr=attr)], value=value):
                new = self.expr(value)
                self.asked_field(self.expr(base), attr, new)
            case gast.AugAssign(target=gast.Subscript(value=base, slice=index), op=op, value=value):
                current = self.item(changed := self.expr(base), index)
                self.refuse_cut_off(changed, new := self.expr(value))
                self.binary(BINARY_OPERATORS[type(op)], current, new)
            case gast.AugAssign(target=gast.Name() as target, op=op, value=value) if self.is_changed(self.name(target)):
                current = self.name(target)
                new = self.expr(value)
                self.refuse_cut_off(current, new)
                if isinstance(runtime_kind(current), K.Array):
                    self.binary(BINARY_OPERATORS[type(op)], current, new)
            case gast.Expr(value=gast.Call(func=gast.Attribute(value=base, attr="append"), args=[item])) if isinstance(
                runtime_kind(self.expr(base)), K.List
            ):
                self.expr(item)
            case statement:
                self.statements([statement])

    def refuse_cut_off(self, array: AVal, value: AVal) -> None:
        """Refuse to ask whether an array of integers takes a float: it does of some, by one operator or another."""
        kind, new = runtime_kind(array), runtime_kind(value)
        if isinstance(kind, K.Array) and not K.is_float(kind) and K.is_float(new):
            raise self.unsupported("whether this array takes floats is not known in the body of a `try`.", _HELP)

    def asked_place(self, base: AVal, index: Any, value: AVal) -> None:
        """Whether there is a place that a value is to be put into, and it fits: a dict has one for every key."""
        kind = runtime_kind(base)
        if isinstance(kind, K.Array | K.List):
            place = self.item(base, index)
            if isinstance(kind, K.Array):
                self.asked_shape(place, value)
        elif isinstance(base, DictV) or isinstance(kind, K.Dict):
            self.expr(index)
        elif isinstance(kind, K.Scalar):
            raise self.fails(TypeError, "a number cannot be stored into.")
        else:
            raise self.unsupported(f"the body of this `try` changes an object{_OUTSIDE}", _HELP)

    def asked_shape(self, place: AVal, value: AVal) -> None:
        """Whether a value has a shape that items of an array take: stores that nobody reads later are left out."""
        old, new = runtime_kind(place), runtime_kind(value)
        if isinstance(new, K.Scalar):
            return
        ranks = K.rank_of(old), K.rank_of(new)
        if not isinstance(old, K.Array) or not isinstance(new, K.Array) or None in ranks or ranks[0] < ranks[1]:  # type: ignore[operator]
            raise self.unsupported("whether this value fits is not known in the body of a `try`.", _HELP)
        shape = self.emit(np.shape, self.as_atom(place))
        self.emit(np.broadcast_to, self.as_atom(value), shape)

    def asked_field(self, base: AVal, attr: str, value: AVal) -> None:
        """Whether setting an attribute is all that is done, of an object that is tracked; a number takes none."""
        if K.is_numeric(runtime_kind(base)):
            self.store_attribute(base, attr, value)
        own = isinstance(base, ObjectV) and base.live is None
        if not own or isinstance(getattr(base.cls, attr, None), property):  # type: ignore[union-attr]
            raise self.unsupported(f"the body of this `try` changes an object{_OUTSIDE}", _HELP)

    def is_changed(self, value: AVal) -> bool:
        """Whether an augmented assignment changes this object."""
        return isinstance(runtime_kind(value), K.Array | K.List)

    def may_raise(self, s: Stmt) -> bool:
        """Whether a statement may raise itself."""
        match s:
            case Op(fn=operator.getitem, args=(Var(kind=K.Tuple(items)) as known, Const(int() as k))):
                return known in self.nullable or not -len(items) <= k < len(items)
            case Op():
                return may_raise(s, any(map(self.may_be_none, s.args)))
        return not isinstance(s, If)

    def raise_where(self, cond: Atom, raised: type[BaseException], message: str) -> None:
        def complain() -> None:
            self.effect(prims.raise_, self.emit(raised, Const(message), kind=K.Other(raised)))

        self.branch(cond, complain, lambda: None)

    def call_asking(self, stmts: list[Stmt], node: Any, classes: tuple[Atom, ...]) -> Var:
        """Call a function of its own, made of these statements, that gives what they raise, None if nothing."""
        block = Block(tuple(stmts), (Const(None),))
        captured = free_vars(block)
        params = as_parameters(captured, ())
        name = identifier(f"{self.frame.name.strip('<>')}_error")
        body = clone_block(block, params)
        refuse_effects(Function(name, captured, block), self.asserted)
        function = Function(name, tuple(params.values()), body, origin=self.origin, catches=classes)
        callee = self.asking.setdefault((id(node), form_of(function)), Callee(name, function))
        hints = [h.name.id for h in node.handlers if h.name is not None]
        error = self.emit(callee, *captured, kind=_ERROR, hint=hints[0] if hints else "")
        self.nullable.add(error)
        return error

    def refuse_changes(self, writes: dict[Place, AVal], serial: int) -> None:
        """Refuse a body that changes a dict or an object that there was before it."""
        for owner, name in writes:
            if isinstance(owner, DictV | ObjectV) and self.was_before(owner, serial):
                what = "a dict" if isinstance(owner, DictV) else "a list" if name == HELD else f"`{name.lstrip('$')}`"
                raise self.unsupported(f"the body of this `try` changes {what}{_OUTSIDE}", _HELP)

    # -- finally --

    def without_finally(self, node: Any) -> Any:
        """A ``try`` without its ``finally``: made once, for it is known by its node that it is run within itself."""
        made = self.rewritten.get(id(node))
        if made is None:
            made = gast.Try(body=node.body, handlers=node.handlers, orelse=node.orelse, finalbody=[])
            self.rewritten[id(node)] = gast.copy_location(made, node)
        return made

    def try_finally(self, node: Any) -> None:
        """Lower ``try`` with ``finally``, of which nothing is seen where an exception goes on."""
        for inner in nodes_in(node.finalbody, (gast.FunctionDef, gast.Lambda)):
            if isinstance(inner, gast.Return | gast.Raise | gast.Break | gast.Continue):
                raise UnsupportedSyntax(
                    "a `finally` that leaves by itself is not handled.",
                    help="Put the jump after the `try`.",
                    origin=self.here(inner),
                )
        body = [self.without_finally(node)] if node.handlers else node.body
        self.and_finally(body, "`finally`", lambda: self.statements(node.finalbody))

    def and_finally(self, body: list[Any], name: str, finish: Callable[[], object]) -> None:
        """Lower a block, and what is done after it however it is left, which goes by a name in errors."""
        self.statements(body)
        frame = self.frame
        places: list[Place] = [(frame, "$exit"), (frame, "$ret"), *((loop, "$break") for loop in frame.loops)]
        flags = {place: self.value_at(place) for place in places}
        for place in flags:
            self.write(place, FALSE)
        start = len(self.stmts)
        finish()
        for place, flag in flags.items():
            self.write(place, flag)
        for s in walk(Block(tuple(self.stmts[start:]))):
            if isinstance(s, Op) and not is_pure(s.fn):
                problem = f"a {name} that does more than to compute is not handled."
            elif self.tried and self.may_raise(s):
                problem = f"a {name} that may raise is not handled in the body of another `try`."
            else:
                continue
            help = "Write it at the end of the body and of each handler."
            raise UnsupportedSyntax(problem, help=help, origin=getattr(s, "origin", None))


def without_last_change(body: list[Any]) -> list[Any]:
    """A block that does not change what its last statement changes once nothing can raise any more."""
    last = next((k for k in reversed(range(len(body))) if not is_quiet(body[k])), None)
    if last is None or not isinstance(body[last], gast.Assign | gast.AugAssign | gast.Expr):
        return body
    return [*body[:last], gast.copy_location(Asked(body[last]), body[last])]


def _sure_handler(
    stmts: list[Stmt], classes: list[list[Atom]], may_raise: Callable[[Stmt], bool]
) -> tuple[Op, int] | None:
    """What a body raises whatever it is given, before anything else may raise, and the number of the handler for it."""
    made: dict[Any, type] = {}
    for s in stmts:
        match s:
            case Op(target=Var() as error, fn=type() as cls) if issubclass(cls, BaseException):
                made[error] = cls
                continue
            case Op(fn=prims.raise_, args=(error,)) if error in made:
                taking = (k for k, some in enumerate(classes) if any(issubclass(made[error], c.value) for c in some))  # type: ignore[union-attr]
                k = next(taking, None)
                return None if k is None else (s, k)
        if any(map(may_raise, walk(Block((s,))))):
            break
    return None


_OUTSIDE = ", which there was before: it would be changed twice, or half-way."
_HELP = "Change it after the `try`, by what the body computes, or as the last that the body does."


def refuse_effects(function: Function, asserted: list[Stmt]) -> None:
    """Refuse the body of a ``try``, as a function of what it reads, that does more than compute, raise and assert."""
    memory = Memory(function)
    outer = {c for p in function.params for c in memory.reachable(p)} | memory.outside
    texts: set[Atom] = set()  # what methods of text give, which is text again
    for s in walk(function):
        if not isinstance(s, Op | Store) or (isinstance(s, Op) and _makes_exception(s)):
            continue
        if isinstance(s, Op) and s.fn is prims.call_method and (s.args[0] in texts or kind_of(s.args[0]) == K.STR):
            texts |= {s.target} if s.target is not None and s.args[1] in _TEXTS_OF_TEXT else set()
            continue
        if isinstance(s, Op) and s.fn is not prims.raise_ and not is_pure(s.fn) and not any(s is a for a in asserted):
            problem = "the body of this `try` calls what may have an effect, and would have it twice."
            if s.fn is prims.assert_:
                problem = "whether this raises what Python raises here is not known."
            raise UnsupportedSyntax(problem, help="Move it before or after the `try`.", origin=s.origin)
        if any(memory.of(a) in outer for a in writes_of(s)):
            raise UnsupportedSyntax(f"the body of this `try` changes an object{_OUTSIDE}", help=_HELP, origin=s.origin)


#: Methods of text that give text.
_TEXTS_OF_TEXT = tuple(map(Const, ("lower", "upper", "strip", "lstrip", "rstrip", "replace", "title", "format")))


def _makes_exception(op: Op) -> bool:
    """Whether an operation makes an exception of the user's class, to be raised: what that does is done once."""
    made = op.args[0] if op.fn is prims.call_value else None
    return isinstance(made, Ref) and isinstance(made.value, type) and issubclass(made.value, BaseException)
