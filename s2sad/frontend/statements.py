"""Lowering of statements.

``break``, ``continue`` and ``return`` become the compile-time flags ``$break``, ``$exit`` and
``$ret``: where a flag is known the rest of a block is either lowered or dropped; where it
depends on a branch, the rest moves into the branch that goes on, or under a test of the flag.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import gast

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.builder import FALSE, TRUE, leaves, replace_leaves
from s2sad.frontend.scope import assigned_names
from s2sad.frontend.values import (
    AVal,
    ClosureV,
    DictV,
    Frame,
    MethodV,
    ObjectV,
    RangeV,
    TupleV,
    is_atom,
    kind_of,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Block, Const, For, Stmt, Var, While, With

if TYPE_CHECKING:
    from s2sad.frontend.lower import Lowerer

__all__ = ["BINARY_OPERATORS", "Statements"]

BINARY_OPERATORS: dict[type, Any] = {
    gast.Add: operator.add,
    gast.Sub: operator.sub,
    gast.Mult: operator.mul,
    gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv,
    gast.Mod: operator.mod,
    gast.Pow: operator.pow,
    gast.MatMult: operator.matmul,
    gast.LShift: operator.lshift,
    gast.RShift: operator.rshift,
    gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_,
    gast.BitXor: operator.xor,
}


class Statements:
    """The statement half of the lowerer."""

    def statements(self: Lowerer, body: list[Any]) -> None:
        """Lower a block; what follows a possible exit runs only where there was none."""
        for position, node in enumerate(body):
            self.origin = self.here(node)
            rest = body[position + 1 :]
            if isinstance(node, gast.If):
                if self.if_(node, rest):
                    return
            else:
                getattr(self, f"stmt_{type(node).__name__}", self.stmt_refused)(node)
            if isinstance(node, gast.Raise):
                return
            match self.read((self.frame, "$exit")):
                case Const(value=False):
                    continue
                case Const(value=True):
                    return
                case flag:
                    self.branch(flag, lambda: None, lambda: self.statements(rest))  # noqa: B023
                    return

    def stmt_refused(self: Lowerer, node: Any) -> None:
        raise UnsupportedSyntax(
            f"`{_syntax_name(node)}` is not handled in differentiated code.",
            help="Move it out of the function, or call a helper that does it on values without derivative.",
            origin=self.origin,
        )

    # -- branches -----------------------------------------------------------------------

    def if_(self: Lowerer, node: Any, rest: list[Any]) -> bool:
        """Lower an ``if``; True where ``rest`` was lowered along with it."""
        cond = self.condition(node.test)
        if isinstance(cond, bool):
            self.statements(node.body if cond else node.orelse)
            return False
        frame, took_rest = self.frame, False

        def exited() -> bool:
            return self.read((frame, "$exit")) == TRUE

        def run(body: list[Any], other_exits: bool) -> None:
            nonlocal took_rest
            self.statements(body)
            if other_exits and self.read((frame, "$exit")) == FALSE:
                took_rest = True
                self.statements(rest)

        then_exits = _always_exits(node.body)
        else_exits = bool(node.orelse) and _always_exits(node.orelse)
        if then_exits == else_exits or not rest:
            then_exits = else_exits = False
        self.branch(
            cond,
            lambda: run(node.body, else_exits),
            lambda: run(node.orelse, then_exits),
        )
        return took_rest

    def condition(self: Lowerer, node: Any) -> Atom | bool:
        """A test: a constant where it is known now, else an atom."""
        return self.truth(self.expr(node))

    def truth(self: Lowerer, value: AVal) -> Atom | bool:
        """Whether a value is true, as far as is known now."""
        match value:
            case Const(v):
                return bool(v)
            case TupleV(items):
                return bool(items)
            case ObjectV() if not is_atom(value):
                return True
        if is_atom(value):
            return value  # type: ignore[return-value]
        if isinstance(value, DictV):
            return bool(self.dict_keys(value))
        if isinstance(value, RangeV):
            return self.emit(len, self.as_atom(value), kind=K.INT)
        return True

    # -- assignment ---------------------------------------------------------------------

    def stmt_Assign(self: Lowerer, node: Any) -> None:
        hint = node.targets[0].id if isinstance(node.targets[0], gast.Name) else ""
        value = self.expr(node.value, hint)
        for target in node.targets:
            self.assign(target, value)

    def stmt_AnnAssign(self: Lowerer, node: Any) -> None:
        if node.value is not None:
            hint = node.target.id if isinstance(node.target, gast.Name) else ""
            self.assign(node.target, self.expr(node.value, hint))

    def assign(self: Lowerer, target: Any, value: AVal) -> None:
        """Bind or store a value."""
        match target:
            case gast.Name(id=name):
                self.bind(name, value)
            case gast.Tuple(elts=elts) | gast.List(elts=elts):
                self.unpack(elts, value)
            case gast.Starred(value=inner):
                self.assign(inner, value)
            case gast.Subscript(value=base, slice=index):
                self.store_item(self.expr(base), index, value)
            case gast.Attribute(value=base, attr=attr):
                self.store_attribute(self.expr(base), attr, value)
            case _:
                self.stmt_refused(target)

    def bind(self: Lowerer, name: str, value: AVal) -> None:
        """Bind a name in the scope it belongs to."""
        self.write((self.scope_of(name), name), value)

    def scope_of(self: Lowerer, name: str) -> Frame:
        """The frame whose variable a name is, for a store."""
        frame: Frame = self.frame
        if name in frame.global_names:
            raise self.unsupported(
                f"`{name}` is global and the function assigns it.",
                "Return the value instead: a gradient call has no side effects.",
            )
        while name in frame.nonlocals:
            if frame.parent is None:
                raise self.unsupported(
                    f"`{name}` is a variable of an enclosing function outside the differentiated code.",
                    "Return the value instead: a gradient call has no side effects.",
                )
            frame = frame.parent
            while name not in frame.locals and name not in frame.nonlocals and frame.parent is not None:
                frame = frame.parent
        return frame

    def unpack(self: Lowerer, targets: list[Any], value: AVal) -> None:
        """``a, (b, *c) = value``"""
        star = next((k for k, t in enumerate(targets) if isinstance(t, gast.Starred)), None)
        hints = [t.id if isinstance(t, gast.Name) else "" for t in targets]
        items = self.items_of(value, len(targets), star, hints)
        for target, item in zip(targets, items, strict=True):
            self.assign(target, item)

    def stmt_AugAssign(self: Lowerer, node: Any) -> None:
        op = BINARY_OPERATORS[type(node.op)]
        match node.target:
            case gast.Name(id=name):
                current = self.name(node.target)
                value = self.expr(node.value)
                self.augment_name(name, current, op, value)
            case gast.Subscript(value=base, slice=index):
                self.augment_item(self.expr(base), index, op, node.value)
            case gast.Attribute(value=base, attr=attr):
                obj = self.expr(base)
                current = self.attribute(obj, attr)
                value = self.expr(node.value)
                if self.in_place(current, op, value):
                    return
                self.store_attribute(obj, attr, self.binary(op, current, value))

    def augment_name(self: Lowerer, name: str, current: AVal, op: Any, value: AVal) -> None:
        if self.in_place(current, op, value):
            return
        if isinstance(current, Var) and isinstance(current.kind, K.Numeric) and len(self.holders(current)) > 1:
            raise self.unsupported(
                f"it cannot be told whether `{name}` is an array, updated in place, that goes by another name too.",
                "Annotate the parameter (`: float` or `: np.ndarray`), or compile for actual arguments.",
            )
        self.bind(name, self.binary(op, current, value, name))

    def in_place(self: Lowerer, current: AVal, op: Any, value: AVal) -> bool:
        """Do an augmented assignment that changes an object; False where there is none to change."""
        if not is_atom(current):
            return False
        match kind_of(current):  # type: ignore[arg-type]
            case K.Array() if op is operator.matmul:
                self.store(self.owned(current), Const(...), self.as_atom(self.binary(op, current, value)))
                return True
            case K.Array():
                self.store(self.owned(current), Const(...), self.as_atom(value), prims.BINARY[op])
                return True
            case K.List() if op is operator.add:
                self.call(MethodV(current, "extend"), [value], {})
                return True
        return False

    def stmt_Expr(self: Lowerer, node: Any) -> None:
        if isinstance(node.value, gast.Constant):
            return
        self.expr(node.value)

    def stmt_Delete(self: Lowerer, node: Any) -> None:
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

    def stmt_Pass(self: Lowerer, node: Any) -> None:
        pass

    stmt_Nonlocal = stmt_Pass
    stmt_Global = stmt_Pass

    def stmt_Import(self: Lowerer, node: Any) -> None:
        import importlib

        for alias in node.names:
            module = importlib.import_module(alias.name)
            top = alias.name.split(".")[0]
            root = module if alias.asname else importlib.import_module(top)
            self.bind(alias.asname or top, self.module_value(root, alias.asname or top))

    def stmt_ImportFrom(self: Lowerer, node: Any) -> None:
        import importlib

        package = self.frame.globals.get("__package__")
        module = importlib.import_module("." * (node.level or 0) + (node.module or ""), package)
        for alias in node.names:
            value = self.attribute(self.module_value(module, module.__name__), alias.name)
            self.bind(alias.asname or alias.name, value)

    # -- exits --------------------------------------------------------------------------

    def stmt_Return(self: Lowerer, node: Any) -> None:
        frame = self.frame
        value = Const(None) if node.value is None else self.expr(node.value, "result")
        self.write((frame, "$value"), value)
        self.write((frame, "$ret"), TRUE)
        self.write((frame, "$exit"), TRUE)
        for loop in frame.loops:
            self.write((loop, "$break"), TRUE)

    def stmt_Break(self: Lowerer, node: Any) -> None:
        self.write((self.frame.loops[-1], "$break"), TRUE)
        self.write((self.frame, "$exit"), TRUE)

    def stmt_Continue(self: Lowerer, node: Any) -> None:
        self.write((self.frame, "$exit"), TRUE)

    # -- loops --------------------------------------------------------------------------

    def stmt_For(self: Lowerer, node: Any) -> None:
        self.for_each(
            node,
            self.iteration(self.expr(node.iter)),
            node.target,
            lambda: self.statements(node.body),
            assigned_names([node.target, *node.body]),
            node.orelse,
        )

    def for_each(
        self: Lowerer, node: Any, items: Any, target: Any, body: Any, names: list[str], orelse: list[Any]
    ) -> None:
        """Lower a loop over what :meth:`iteration` describes."""
        frame = self.frame
        loop = object()
        self.write((loop, "$break"), FALSE)
        frame.loops.append(loop)
        origin = self.origin
        if isinstance(items, list):
            self.unrolled(frame, loop, items, target, body)
        else:
            start, stop, step, item = items
            index = Var(target.id if isinstance(target, gast.Name) and item is None else "k", K.INT)

            def one() -> Atom:
                self.write((loop, "$break"), FALSE)
                self.assign(target, index if item is None else item(index))
                body()
                return self.end_of_iteration(frame, loop)

            def make(params: Any, inits: Any, block: Block, results: Any, has_exit: bool) -> Stmt:
                return For(index, start, stop, step, params, inits, block, results, has_exit, origin)

            self.loop(make, one, self.seeds(names), node)
        self.finish_loop(frame, loop, orelse)

    def seeds(self: Lowerer, names: list[str]) -> list[Any]:
        """Places that a loop which assigns these names may carry."""
        places = [(self.scope_of(n), n) for n in names if n not in self.frame.global_names]
        self.watched.update(places)
        return places

    def unrolled(self: Lowerer, frame: Frame, loop: Any, items: list[AVal], target: Any, body: Any) -> None:
        """Lower a loop over a compile-time sequence, one item after the other."""
        if not items:
            return
        self.assign(target, items[0])
        body()
        flag = self.end_of_iteration(frame, loop)
        match flag:
            case Const(value=True):
                return
            case Const(value=False):
                self.unrolled_rest(frame, loop, items, target, body)
            case _:
                self.branch(flag, lambda: None, lambda: self.unrolled(frame, loop, items[1:], target, body))

    def unrolled_rest(self: Lowerer, frame: Frame, loop: Any, items: list[AVal], target: Any, body: Any) -> None:
        for k, item in enumerate(items[1:], 1):
            self.assign(target, item)
            body()
            flag = self.end_of_iteration(frame, loop)
            if flag == TRUE:
                return
            if flag != FALSE:
                self.branch(flag, lambda: None, lambda: self.unrolled(frame, loop, items[k + 1 :], target, body))  # noqa: B023
                return

    def end_of_iteration(self: Lowerer, frame: Frame, loop: Any) -> Atom:
        """The exit flag of the loop after its body; the frame goes on."""
        self.write((frame, "$exit"), FALSE)
        flag = self.read((loop, "$break"))
        return flag  # type: ignore[return-value]

    def finish_loop(self: Lowerer, frame: Frame, loop: Any, orelse: list[Any]) -> None:
        """What follows a loop: its ``else`` where it was not broken out of; a return where there was one."""
        frame.loops.pop()
        broken = self.read((loop, "$break"))
        self.write((frame, "$exit"), self.read((frame, "$ret")))  # type: ignore[arg-type]
        left = self.read((loop, "$left"))
        if left is not None and orelse:
            # the loop ends by its test or by a break: the flag tells which
            self.branch(left, lambda: self.statements(orelse), lambda: None)  # type: ignore[arg-type]
            return
        if not orelse or broken == TRUE:
            return
        if broken == FALSE:
            self.statements(orelse)
        else:
            self.branch(broken, lambda: None, lambda: self.statements(orelse))  # type: ignore[arg-type]

    def stmt_While(self: Lowerer, node: Any) -> None:
        if any(isinstance(n, gast.NamedExpr | gast.Call) for n in gast.walk(node.test)):
            node = self.with_test_inside(node)
        frame = self.frame
        loop = object()
        self.write((loop, "$break"), FALSE)
        if isinstance(node.body[0], gast.If) and node.body[0].orelse and isinstance(node.body[0].orelse[0], _Leave):
            self.write((loop, "$left"), FALSE)
        frame.loops.append(loop)
        origin = self.origin
        test: list[Any] = []

        def before() -> None:
            self.write((loop, "$break"), FALSE)
            with self.block() as stmts:
                self.origin = self.here(node.test)
                cond = self.condition(node.test)
            test[:] = [Block(tuple(stmts), (Const(cond) if isinstance(cond, bool) else cond,))]

        def one() -> Atom:
            self.statements(node.body)
            return self.end_of_iteration(frame, loop)

        def make(params: Any, inits: Any, block: Block, results: Any, has_exit: bool) -> Stmt:
            return While(params, inits, test[0], block, results, has_exit, origin)

        names = assigned_names([node.test, *node.body])
        self.loop(make, one, self.seeds(names), node, before)
        self.finish_loop(frame, loop, node.orelse)

    def with_test_inside(self: Lowerer, node: Any) -> Any:
        """``while test: body`` as ``while True: if test: body, else: leave``; the test may bind and call.

        Made once per loop, for what is known of a loop is kept under its node.
        """
        made = self.rewritten.get(id(node))
        if made is None:
            leave = gast.copy_location(_Leave(), node.test)
            body = gast.If(test=node.test, body=node.body, orelse=[leave])
            gast.copy_location(body, node)
            true = gast.copy_location(gast.Constant(value=True, kind=None), node.test)
            made = gast.While(test=true, body=[body], orelse=node.orelse)
            gast.copy_location(made, node)
            self.rewritten[id(node)] = made
        return made

    def stmt__Leave(self: Lowerer, node: Any) -> None:
        """The end of a loop by its test: unlike ``break`` it lets ``else`` run."""
        self.write((self.frame.loops[-1], "$break"), TRUE)
        self.write((self.frame.loops[-1], "$left"), TRUE)
        self.write((self.frame, "$exit"), TRUE)

    # -- contexts, effects --------------------------------------------------------------

    def stmt_With(self: Lowerer, node: Any) -> None:
        self.with_items(node, node.items)

    def with_items(self: Lowerer, node: Any, items: list[Any]) -> None:
        if not items:
            self.statements(node.body)
            return
        item, origin = items[0], self.origin
        context = self.as_atom(self.expr(item.context_expr))
        target = Var("context", K.ANY) if item.optional_vars is not None else None
        with self.overlay() as writes, self.block() as stmts:
            if target is not None:
                self.assign(item.optional_vars, target)
            self.with_items(node, items[1:])
        inner = {v: Var(v.hint, v.kind) for value in writes.values() for v in leaves(value)}
        for place, value in writes.items():
            self.write(place, replace_leaves(value, inner))
        body = Block(tuple(stmts), tuple(inner))
        self.stmts.append(With(context, target, body, tuple(inner.values()), origin))

    def stmt_Assert(self: Lowerer, node: Any) -> None:
        test = self.as_atom(self.expr(node.test))
        message = [self.as_atom(self.expr(node.msg))] if node.msg is not None else []
        self.effect(prims.assert_, test, *message)

    def stmt_Raise(self: Lowerer, node: Any) -> None:
        if node.exc is None:
            self.stmt_refused(node)
        error = self.as_atom(self.expr(node.exc))
        cause = [self.as_atom(self.expr(node.cause))] if node.cause is not None else []
        self.effect(prims.raise_, error, *cause)
        self.after_raise()

    def after_raise(self: Lowerer) -> None:
        """After a raise nothing runs: whatever the function would return on this path is unbound."""
        self.write((self.frame, "$value"), UNDEF)

    # -- definitions --------------------------------------------------------------------

    def stmt_FunctionDef(self: Lowerer, node: Any) -> None:
        if node.decorator_list:
            value: AVal = self.closure(node, node.name)
            for decorator in reversed(node.decorator_list):
                value = self.call(self.expr(decorator), [value], {})
            self.bind(node.name, value)
        else:
            self.bind(node.name, self.closure(node, node.name))

    def closure(self: Lowerer, node: Any, name: str) -> ClosureV:
        """A function defined here, over the variables of this activation."""
        defaults = tuple(self.expr(d) for d in node.args.defaults)
        kwdefaults = tuple(
            (a.id, self.expr(d))
            for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            if d is not None
        )
        return ClosureV(node, self.frame, defaults, kwdefaults, name, id(node))


class _Leave(gast.AST):  # type: ignore[misc]
    """Leaving a loop because its test failed."""

    _fields = ()
    _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def _always_exits(body: list[Any]) -> bool:
    """Whether control never falls out of the end of a block."""
    if not body:
        return False
    match body[-1]:
        case gast.Return() | gast.Break() | gast.Continue() | gast.Raise() | _Leave():
            return True
        case gast.If(body=then, orelse=orelse):
            return _always_exits(then) and _always_exits(orelse)
        case gast.With(body=inner):
            return _always_exits(inner)
    return False


def _syntax_name(node: Any) -> str:
    names = {
        "Try": "try",
        "TryStar": "except*",
        "ClassDef": "class",
        "AsyncFor": "async for",
        "AsyncWith": "async with",
        "AsyncFunctionDef": "async def",
        "Match": "match",
        "TypeAlias": "type",
    }
    return names.get(type(node).__name__, type(node).__name__)
