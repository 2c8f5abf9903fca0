"""Lowering of statements.

``break``, ``continue`` and ``return`` become the compile-time flags ``$break``, ``$exit`` and
``$ret``: where a flag is known the rest of a block is either lowered or dropped; where it
depends on a branch, the rest moves into the branch that goes on, or under a test of the flag.
"""

from __future__ import annotations

import importlib
import operator
from typing import Any

import gast

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend import list_changes
from s2sad.frontend.arithmetic import BINARY_OPERATORS, is_count
from s2sad.frontend.builder import FALSE, TRUE, Fails, Place, Restart
from s2sad.frontend.catching_nodes import Guarded, Handler
from s2sad.frontend.interface import Lowering
from s2sad.frontend.last_reads import last_reads
from s2sad.frontend.loop_statements import Leave
from s2sad.frontend.object_lists import ObjectList
from s2sad.frontend.packed import packed_names
from s2sad.frontend.values import (
    AVal,
    ClosureV,
    DictV,
    MethodV,
    ObjectV,
    PyFunc,
    SliceV,
    TupleV,
    is_atom,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Const

__all__ = ["Statements", "always_exits"]

_LIST_NAMES = frozenset({"list", "tuple", "len"})  #: built-in names that must mean what they say


class Statements(Lowering):
    """The statement half of the lowerer."""

    def statements(self, body: list[Any]) -> None:
        """Lower a block; what follows a possible exit runs only where there was none."""
        for position, node in enumerate(body):
            self.origin = self.here(node)
            rest, loops = body[position + 1 :], len(self.frame.loops)
            try:
                if self.statement(node, rest):
                    return
            except Fails as failure:
                self.raise_at_once(failure, loops)
                return
            match self.read((self.frame, "$exit")):
                case Const(value=False):
                    continue
                case Const(value=True):
                    return
                case flag:
                    assert is_atom(flag)
                    self.go_on_unless(flag, rest)
                    return

    def go_on_unless(self, left: Atom, rest: list[Any]) -> None:
        """Lower the rest of a block, which runs where a flag does not say that the block was left."""
        self.branch(left, lambda: None, lambda: self.statements(rest), lambda: self.gone_after(rest))

    def statement(self, node: Any, rest: list[Any]) -> bool:
        """Lower a statement; True where nothing is left to lower of what follows it."""
        match node:
            case gast.If():
                return self.if_(node, rest)
            case gast.Try():
                return self.try_(node, rest)
        getattr(self, f"stmt_{type(node).__name__}", self.stmt_refused)(node)
        return isinstance(node, gast.Raise)

    def stmt_refused(self, node: Any) -> None:
        raise UnsupportedSyntax(
            f"`{_syntax_name(node)}` is not handled in differentiated code.",
            help="Move it out of the function, or call a helper that does it on values without derivative.",
            origin=self.origin,
        )

    # -- branches --

    def if_(self, node: Any, rest: list[Any]) -> bool:
        """Lower an ``if``; True where ``rest`` was lowered along with it."""
        cond = self.condition(node.test)
        if isinstance(cond, bool):
            body = node.body if cond else node.orelse
            self.statements(body)
            raises = bool(body) and isinstance(body[-1], gast.Raise)
            return raises and self.read((self.frame, "$exit")) == FALSE  # else it is not known to have come there
        return self.fork(cond, node.body, node.orelse, rest)

    def fork(self, cond: Atom, then: list[Any], orelse: list[Any], rest: list[Any]) -> bool:
        """Lower one of two blocks; True where ``rest`` was lowered along with the one that goes on."""
        frame, took_rest = self.frame, False

        def exited() -> bool:
            return self.read((frame, "$exit")) == TRUE

        def run(body: list[Any], other_exits: bool) -> None:
            nonlocal took_rest
            self.statements(body)
            if other_exits and self.read((frame, "$exit")) == FALSE:
                took_rest = True
                self.statements(rest)

        then_exits = always_exits(then)
        else_exits = bool(orelse) and always_exits(orelse)
        if then_exits == else_exits or not rest:
            then_exits = else_exits = False
        self.branch(
            cond,
            lambda: run(then, else_exits),
            lambda: run(orelse, then_exits),
            lambda: self.gone_after(rest if took_rest else then),
        )
        return took_rest

    def gone_after(self, body: list[Any]) -> frozenset[Place]:
        """The places of names that nothing reads once a block is done, or left."""
        source = self.frame.source
        known = {} if source is None or not body else last_reads(source.node).after
        names = known.get(id(body[-1]), frozenset()) if known else frozenset()
        return frozenset((self.frame, name) for name in names)

    # -- assignment --

    def stmt_Assign(self, node: Any) -> None:
        hint = node.targets[0].id if isinstance(node.targets[0], gast.Name) else ""
        source = node.value
        if hint in self.packed():
            self.bind(hint, self.packed_list(source, hint))
            return
        if all(isinstance(target, gast.Tuple | gast.List) for target in node.targets):
            self.at_once.add(id(source))
            self.items_only.add(id(source))
            if isinstance(source, gast.List):  # that nothing else will see: its items may be of any kinds
                source = gast.Tuple(elts=source.elts, ctx=source.ctx)
        value = self.expr(source, hint)
        for target in node.targets:
            self.assign(target, value)

    def stmt_AnnAssign(self, node: Any) -> None:
        if node.value is not None:
            hint = node.target.id if isinstance(node.target, gast.Name) else ""
            self.assign(node.target, self.expr(node.value, hint))

    def assign(self, target: Any, value: AVal) -> None:
        """Bind or store a value."""
        match target:
            case gast.Name(id=name):
                self.bind(name, value)
            case gast.Tuple(elts=elts) | gast.List(elts=elts):
                self.unpack(elts, value)
            case gast.Starred(value=inner):
                self.assign(inner, value)
            case gast.Subscript(value=base, slice=index):
                sequence = self.expr(base)
                if isinstance(sequence, TupleV) and isinstance(base, gast.Name) and base.id in self.packed():
                    self.bind(base.id, self.with_item(sequence, index, value))
                else:
                    self.store_item(sequence, index, value)
            case gast.Attribute(value=base, attr=attr):
                self.store_attribute(self.expr(base), attr, value)
            case _:
                self.stmt_refused(target)

    def packed(self) -> frozenset[str]:
        """The names of this function whose lists are tuples while compiling."""
        source = self.frame.source
        if not self.packs or source is None or _LIST_NAMES & (self.frame.locals | self.frame.globals.keys()):
            return frozenset()
        return packed_names(source.node)

    def packed_list(self, source: Any, hint: str) -> AVal:
        """A list that is packed, if its items are known one by one."""
        self.packed_any = True
        if isinstance(source, gast.List):
            items: list[AVal] | None = self.elements(source.elts)
            return TupleV(tuple(items or ()), listed=True)
        value = self.expr(source.args[0])
        items = self.known_items(value)
        if items is None:
            return self.call(PyFunc.of(list), [value], {}, hint)
        return TupleV(tuple(items), listed=True)

    def with_item(self, sequence: TupleV, index: Any, value: AVal) -> TupleV:
        """A list that is packed after ``sequence[index] = value``."""
        place = self.known_value(self.expr(index))
        if not (isinstance(place, Const) and type(place.value) is int):
            self.packs = False
            raise Restart
        items = list(sequence.items)
        if not -len(items) <= place.value < len(items):
            raise self.fails(IndexError, "list assignment index out of range")
        items[place.value] = value
        return TupleV(tuple(items), listed=True)

    def bind(self, name: str, value: AVal) -> None:
        """Bind a name in the scope it belongs to."""
        self.write(self.place_of(name), value)

    def unpack(self, targets: list[Any], value: AVal) -> None:
        """``a, (b, *c) = value``"""
        star = next((k for k, t in enumerate(targets) if isinstance(t, gast.Starred)), None)
        hints = [t.id if isinstance(t, gast.Name) else "" for t in targets]
        items = self.items_of(value, len(targets), star, hints)
        for target, item in zip(targets, items, strict=True):
            self.assign(target, item)

    def stmt_AugAssign(self, node: Any) -> None:
        op = BINARY_OPERATORS[type(node.op)]
        match node.target:
            case gast.Name(id=name):
                current = self.name(node.target)
                value = self.expr(node.value)
                self.augment_name(name, current, op, value)
            case gast.Subscript(value=gast.Name(id=name) as base, slice=index) if name in self.packed():
                current, value = self.item(self.expr(base), index), self.expr(node.value)
                if not self.in_place(current, op, value):
                    self.assign(node.target, self.augmented(op, current, value))
            case gast.Subscript(value=base, slice=index):
                self.augment_item(self.expr(base), index, op, node.value)
            case gast.Attribute(value=base, attr=attr):
                obj = self.expr(base)
                current = self.attribute(obj, attr)
                value = self.expr(node.value)
                if self.in_place(current, op, value):
                    self.stored_again(obj, attr, current)
                    return
                self.store_attribute(obj, attr, self.augmented(op, current, value))

    def augment_name(self, name: str, current: AVal, op: Any, value: AVal) -> None:
        if not self.in_place(current, op, value):
            self.bind(name, self.augmented(op, current, value, name))

    def in_place(self, current: AVal, op: Any, value: AVal) -> bool:
        """Do an augmented assignment that changes an object; False where there is none to change."""
        if op is operator.or_ and (isinstance(current, DictV) or isinstance(runtime_kind(current), K.Dict)):
            self.call(MethodV(current, "update"), [value], {})
            return True
        if isinstance(current, TupleV) and current.site is not None:
            self.change_next_time((current.site,))
        if isinstance(current, ObjectV) and current.cls is ObjectList and op is operator.add:
            self.call(self.attribute(current, "__iadd__"), [value], {})
            return True
        if not is_atom(current):
            return False
        if self.is_late_tuple(current):
            return False
        match kind_of(current):
            case K.Array() if op is operator.matmul:
                self.store(self.owned(current), Const(...), self.as_atom(self.binary(op, current, value)))
                return True
            case K.Array():
                self.store(self.owned(current), Const(...), self.as_atom(value), prims.BINARY[op])
                return True
            case K.List() if K.is_numeric(runtime_kind(value)) and not is_count(runtime_kind(value)):
                return False  # an array's operator comes before the list's: there is a new array
            case K.List() if op is operator.add:
                self.call(MethodV(current, "extend"), [value], {})
                return True
            case K.List() if op is operator.mul:
                everything = SliceV((Const(None), Const(None), Const(None)))
                list_changes.assign_slice(self, current, everything, self.binary(op, current, value))
                return True
        return False

    def stmt_Expr(self, node: Any) -> None:
        match node.value:
            case gast.Constant():
                pass
            case gast.Yield() | gast.YieldFrom():
                self.yielded(node.value)
            case value:
                self.expr(value)

    def stmt_Delete(self, node: Any) -> None:
        for target in node.targets:
            match target:
                case gast.Name(id=name):
                    self.bind(name, UNDEF)
                case gast.Subscript(value=base, slice=index):
                    self.delete_item(self.expr(base), index)
                case gast.Tuple(elts=elts) | gast.List(elts=elts):
                    for e in elts:
                        self.stmt_Delete(gast.Delete(targets=[e]))
                case _:
                    self.stmt_refused(target)

    def stmt_Pass(self, node: Any) -> None:
        pass

    stmt_Nonlocal = stmt_Pass

    stmt_Global = stmt_Pass

    def stmt_Import(self, node: Any) -> None:
        for alias in node.names:
            module = self.imported(alias.name)
            top = alias.name.split(".")[0]
            root = module if alias.asname else self.imported(top)
            self.bind(alias.asname or top, self.module_value(root, alias.asname or top))

    def stmt_ImportFrom(self, node: Any) -> None:
        package = self.frame.globals.get("__package__")
        module = self.imported("." * (node.level or 0) + (node.module or ""), package)
        for alias in node.names:
            if not hasattr(module, alias.name):
                raise self.fails(ImportError, f"module `{module.__name__}` has no attribute `{alias.name}`.")
            value = self.attribute(self.module_value(module, module.__name__), alias.name)
            self.bind(alias.asname or alias.name, value)

    def imported(self, name: str, package: str | None = None) -> Any:
        """A module, imported now."""
        try:
            return importlib.import_module(name, package)
        except ImportError as error:
            raise self.fails(type(error), str(error)) from error

    # -- effects --

    def stmt_Assert(self, node: Any) -> None:
        test = self.as_atom(self.expr(node.test))
        message = [self.as_atom(self.expr(node.msg))] if node.msg is not None else []
        self.effect(prims.assert_, test, *message)
        self.asserted.append(self.stmts[-1])

    def stmt_Raise(self, node: Any) -> None:
        error = self.raised_again() if node.exc is None else self.as_atom(self.raised(self.expr(node.exc)))
        cause = [self.as_atom(self.expr(node.cause))] if node.cause is not None else []
        self.effect(prims.raise_, error, *cause)
        self.after_raise()

    def raised(self, value: AVal) -> AVal:
        """What is raised: of a class an object, which is made where a handler may take it."""
        match value:
            case PyFunc(fn=type() as cls) if self.tried and issubclass(cls, BaseException):
                return self.call(value, [], {})
        return value

    def after_raise(self) -> None:
        """After a raise nothing runs: whatever the function would return on this path is unbound."""
        self.write((self.frame, "$value"), UNDEF)

    # -- definitions --

    def stmt_FunctionDef(self, node: Any) -> None:
        if node.decorator_list:
            value: AVal = self.closure(node, node.name)
            for decorator in reversed(node.decorator_list):
                value = self.call(self.expr(decorator), [value], {})
            self.bind(node.name, value)
        else:
            self.bind(node.name, self.closure(node, node.name))

    def closure(self, node: Any, name: str) -> ClosureV:
        """A function defined here, over the variables of this activation."""
        defaults = tuple(self.expr(d) for d in node.args.defaults)
        kwdefaults = tuple(
            (a.id, self.expr(d))
            for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if d is not None
        )
        return ClosureV(node, self.frame, defaults, kwdefaults, name, id(node))


def always_exits(body: list[Any]) -> bool:
    """Whether control never falls out of the end of a block."""
    if not body:
        return False
    match body[-1]:
        case gast.Return() | gast.Break() | gast.Continue() | gast.Raise() | Leave():
            return True
        case gast.If(body=then, orelse=orelse):
            return always_exits(then) and always_exits(orelse)
        case Handler(body=inner) | Guarded(body=inner):  # not of `with`, which may go on after what is raised in it
            return always_exits(inner)
        case gast.Try(body=inner, handlers=handlers, orelse=orelse, finalbody=[]):
            return always_exits([*inner, *orelse]) and all(always_exits(h.body) for h in handlers)
        case gast.While(test=gast.Constant(value=True), body=inner):
            return not _breaks(inner)
    return False


def _breaks(body: list[Any]) -> bool:
    """Whether a loop with this body may be left by a break, or by its test as a part of the body."""
    for node in body:
        match node:
            case gast.Break() | Leave():
                return True
            case gast.For(orelse=within) | gast.While(orelse=within):
                pass
            case _:
                within = [child for child in gast.iter_child_nodes(node) if not isinstance(child, gast.expr)]
        if _breaks(within):
            return True
    return False


def _syntax_name(node: Any) -> str:
    names = {
        "TryStar": "except*",
        "ClassDef": "class",
        "AsyncFor": "async for",
        "AsyncWith": "async with",
        "AsyncFunctionDef": "async def",
        "Match": "match",
        "TypeAlias": "type",
    }
    return names.get(type(node).__name__, type(node).__name__)
