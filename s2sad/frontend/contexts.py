"""Lowering of ``with``.

Most contexts are objects of which nothing is known: one is made, entered and left where the function itself runs. What
their ``__exit__`` does with an exception is not seen. ``contextlib.suppress`` is the ``try`` that it stands for,
``contextlib.nullcontext`` the value that it is given, and an object that the function has made is entered and left by
its own methods, the last as in ``finally``. One that ``contextlib.contextmanager`` makes is its generator's body, with
that of the ``with`` at its ``yield``.
"""

from __future__ import annotations

import contextlib
from typing import Any

import gast

from s2sad.frontend.builder import FALSE
from s2sad.frontend.interface import Lowering
from s2sad.frontend.leaves import leaves, replace_leaves
from s2sad.frontend.operator_methods import method_of
from s2sad.frontend.values import AVal, GeneratorV, ObjectV, PyFunc
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Const, Ref, Var, With

__all__ = ["Contexts"]


class Contexts(Lowering):
    """The part of the lowerer that deals with contexts."""

    def stmt_With(self, node: Any) -> None:
        item, *others = node.items
        body = [self.inner_with(node, others)] if others else node.body
        called, args = self.made_by(item.context_expr)
        if called is contextlib.suppress:
            self.statements([self.suppressing(node, args, body)])
        elif called is contextlib.nullcontext and len(args) < 2 and not item.context_expr.keywords:
            self.bind_entered(item, self.expr(args[0]) if args else Const(None))
            self.statements(body)
        else:
            self.within_context(item, self.expr(item.context_expr), body)

    def inner_with(self, node: Any, items: list[Any]) -> Any:
        """The ``with`` of the other items, which the first one is around: made once, as it is known by its node."""
        key = (id(node), "items")
        if key not in self.rewritten:
            self.rewritten[key] = gast.copy_location(gast.With(items=items, body=node.body, type_comment=None), node)
        return self.rewritten[key]

    def made_by(self, node: Any) -> tuple[Any, list[Any]]:
        """The function that is called to make a context, by its name, and its arguments."""
        match node:
            case gast.Call(func=gast.Name() | gast.Attribute(value=gast.Name()) as func, args=args):
                called = self.expr(func)
                return (called.fn if isinstance(called, PyFunc) else None), args
        return None, []

    def suppressing(self, node: Any, classes: list[Any], body: list[Any]) -> Any:
        """The ``try`` that ``contextlib.suppress`` stands for."""
        made = self.rewritten.get(id(node))
        if made is None:
            taken = gast.copy_location(gast.Tuple(elts=classes, ctx=gast.Load()), node)
            nothing = gast.copy_location(gast.Pass(), node)
            handler = gast.copy_location(gast.ExceptHandler(type=taken, name=None, body=[nothing]), node)
            made = gast.Try(body=body, handlers=[handler], orelse=[], finalbody=[])
            self.rewritten[id(node)] = gast.copy_location(made, node)
        return made

    def bind_entered(self, item: Any, value: AVal) -> None:
        """Bind what a context gave when it was entered."""
        if item.optional_vars is not None:
            self.assign(item.optional_vars, value)

    def within_context(self, item: Any, context: AVal, body: list[Any]) -> None:
        if isinstance(context, GeneratorV) and context.form == "context":
            self.within_generator(item, context, body)
            return
        if isinstance(context, ObjectV) and context.live is None and method_of(context, "__exit__") is not None:
            self.bind_entered(item, self.call(self.attribute(context, "__enter__"), [], {}))
            self.and_finally(body, "method `__exit__`", lambda: self.leave_context(context))
        else:
            self.within_unknown(item, self.as_atom(context), body)

    def within_generator(self, item: Any, context: GeneratorV, body: list[Any]) -> None:
        """Lower a body in place of the ``yield`` of a generator, which goes on after it however the body is left."""
        if self.unentered.pop(context, None) != tuple(self.around):
            raise self.unsupported(
                "a context that `contextlib.contextmanager` makes can be entered once, and this one may be again.",
                "Make it in the `with`.",
            )
        frame = self.frame

        def consume(value: AVal) -> Atom:
            self.frames.append(frame)
            try:
                self.bind_entered(item, value)
                self.statements(body)
            finally:
                self.frames.pop()
            return FALSE

        self.run_generator(context, consume)

    def leave_context(self, context: ObjectV) -> None:
        """Leave an object of the function's own, which may not take the exception that ended the body."""
        given: list[AVal] = [Const(None)] * 3
        result = self.call(self.attribute(context, "__exit__"), given, {})
        if not isinstance(result, Const) or result.value:
            raise self.unsupported(
                f"the `__exit__` of `{context.cls.__name__}` may take exceptions, which is not handled.",
                "Let it return None, and write a `try` where exceptions are to be taken.",
            )

    def within_unknown(self, item: Any, context: Atom, body: list[Any]) -> None:
        """Lower a body within a context of which nothing is known but that it takes no exception."""
        maker = self.definitions.get(context) if isinstance(context, Var) else None
        live = context.value if isinstance(context, Ref) else None
        if isinstance(live, contextlib.suppress) or (maker is not None and maker.fn is contextlib.suppress):
            raise self.unsupported(
                "a context that takes exceptions is handled where it is made in the `with` itself.",
                "Write `with contextlib.suppress(...):`.",
            )
        origin = self.origin
        target = Var("context", K.ANY) if item.optional_vars is not None else None
        with self.overlay() as writes, self.block() as stmts:
            if target is not None:
                self.bind_entered(item, target)
            self.statements(body)
        inner = {v: Var(v.hint, v.kind) for value in writes.values() for v in leaves(value)}
        for place, value in writes.items():
            self.write(place, replace_leaves(value, inner))
        block = Block(tuple(stmts), tuple(inner))
        self.stmts.append(With(context, target, block, tuple(inner.values()), origin))
