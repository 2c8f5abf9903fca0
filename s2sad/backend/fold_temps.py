"""Fold temporaries: three-address statements become expressions that read well.

::

    t = x * y                       r = x * y + math.sin(x)
    s = math.sin(x)          =>
    r = t + s

An operation moves into the expression that uses its result where that is its one use, in
the same block, the result is nobody's variable but the compiler's, the expression stays short,
and nothing in between could change what it reads.  Subscripts always fold.  An ``If`` that
only chooses between two expressions becomes a conditional expression, ``and`` or ``or``.
"""

from __future__ import annotations

import ast
from typing import Any

from s2sad.backend import jumps
from s2sad.backend.contractions import contractions_spelt
from s2sad.backend.drained import over_items
from s2sad.backend.expressions import Writer, joined, operator_node
from s2sad.backend.folding import WIDTH, Folding, Slots
from s2sad.backend.recorded import recorded
from s2sad.backend.restructure import restructure
from s2sad.backend.suggest import carried_name, suggest, tape_name
from s2sad.backend.symbols import Symbols
from s2sad.backend.thread_returns import thread_returns
from s2sad.backend.tree import (
    EFFECT,
    PURE,
    Assign,
    Branch,
    Context,
    Def,
    Expr,
    FunctionTree,
    Jump,
    Loop,
    Note,
    Simple,
    Tree,
    Unpack,
)
from s2sad.backend.unpack import taken_apart
from s2sad.backend.usage import is_const
from s2sad.ir import prims
from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import (
    Atom,
    Block,
    Closure,
    Comment,
    Const,
    For,
    Function,
    If,
    Op,
    Stmt,
    Store,
    Var,
    While,
    With,
)
from s2sad.ir.rewrite import free_vars
from s2sad.names import is_temporary
from s2sad.runtime import helpers

__all__ = ["fold_temps"]

TUPLE_WIDTH = 110
RECORD_WIDTH = 1000
CHOICE_WIDTH = 60
AT_ONCE = 30
LOAD = ast.Load()
_STATEMENTS = (prims.raise_, prims.assert_, prims.leave)
_FAILS: dict[Any, type[ast.cmpop]] = {helpers.need_values: ast.NotEq, helpers.need_more_values: ast.Lt}
_LOOSE = (prims.make_tuple, prims.make_list, prims.make_dict, prims.make_instance)


def fold_temps(
    function: Function, symbols: Symbols, library: str = "math", in_order: bool = False, python: bool = True
) -> FunctionTree:
    """The function as a tree of folded expressions, for ``python`` with loops over lists.

    ``in_order`` if it matters which of two raises first.
    """
    function = restructure(function)
    if python:
        function = over_items(contractions_spelt(function))
    tree = _Folder(function, Writer(symbols, library), in_order).function(function)
    tree.recorded = recorded(function)
    thread_returns(tree)
    return tree


class _Folder(Folding):
    """Builds the tree of one function, nested functions included."""

    # -- blocks -----------------------------------------------------------------

    def function(self, f: Function) -> FunctionTree:
        """A function body ends by returning its one out."""
        tree = self.block(f.body, lambda slots: self.returning(slots, f.body.outs[0]))
        found = self.usage.undefined, self.usage.moved, self.names
        return FunctionTree(f.name, f.params, tree, f.doc, f.origin, *found, tuple(map(self.atom, f.catches)))

    def block(self, block: Block, end: jumps.End) -> Tree:
        """The statements of a block, and its end."""
        outer = self.pending, self.reading, self.acting, self.slots
        slots: Slots = []
        self.pending, self.reading, self.acting, self.slots = {}, [], [], slots
        unpacked = 0
        for i, stmt in enumerate(block.stmts):
            if unpacked:
                unpacked -= 1
                continue
            if type(stmt) is Comment:
                slots.append(Note(stmt.text))
                continue
            before, self.acting = self.acting, []
            if type(stmt) is Op and (items := taken_apart(stmt, block.stmts, i + 1, self.usage.counts)):
                self.unpack(stmt, items)
                unpacked = len(items)
            else:
                self.stmt(stmt)
            for v in before:  # the next statement is the only one that an effect may move into
                self.pending.pop(v, None)
        jump = end(slots)
        self.pending, self.reading, self.acting, self.slots = outer
        return Tree([s for s in slots if s is not None], jump)

    def returning(self, slots: Slots, out: Atom) -> Jump | None:
        """The end of a function."""
        out = self.usage.atom(out)
        if jumps.sink_return(slots, out, self.usage):
            return None
        room = RECORD_WIDTH if self.is_long_tuple(out) else TUPLE_WIDTH
        return Jump("return", (), (self.operands((out,), room)[0],))

    def is_long_tuple(self, out: Atom) -> bool:
        """Whether a value is a tuple that Python puts together item by item: to Numba its name may be of no other."""
        waiting = self.pending.get(out) if isinstance(out, Var) else None
        node = None if waiting is None else waiting.value.node
        return isinstance(node, ast.Tuple) and len(node.elts) > AT_ONCE

    def handing(self, targets: tuple[Var, ...], outs: tuple[Atom, ...]) -> Jump:
        """The end of a block that hands its outs to ``targets``."""
        kept = [(t, self.usage.atom(o)) for t, o in zip(targets, outs, strict=False) if t not in self.usage.alias]
        self.strengthen(kept)
        values: list[Expr | None] = []
        for target, out in kept:
            values.append(None if self.usage.hands_nothing(target, out) else self.operands((out,))[0])
        return Jump("fall", tuple(t for t, _ in kept), tuple(values))

    # -- statements ---------------------------------------------------------------

    def stmt(self, stmt: Stmt) -> None:
        """Add a statement to the block."""
        match stmt:
            case Op():
                self.op(stmt)
            case Store():
                self.store(stmt)
            case If():
                self.if_(stmt)
            case For() | While():
                self.loop(stmt)
            case With():
                self.with_(stmt)
            case Closure():
                self.closure(stmt)

    def unpack(self, op: Op, items: list[Op]) -> None:
        """``a, b = value``."""
        n = len(op.args)
        exprs = self.operands((*op.args, *(a for _, a in op.kwargs)))
        value = self.expression(op, exprs[:n], exprs[n:])
        if value.order == EFFECT:
            self.barrier()
        targets = []
        for item in items:
            assert item.target is not None
            targets.append(item.target)
            if is_temporary(item.target.hint):
                self.names[item.target] = carried_name(item.target, "test")
        self.slots.append(Unpack(tuple(targets), value, op.origin))

    def op(self, op: Op) -> None:
        """An operation."""
        target = op.target
        if target is not None and is_temporary(target.hint):
            self.definitions[target] = op
            self.names[target] = suggest(op, self.definitions, self.names, self.hints)
        if op.fn is prims.make_slice:  # which a tuple that is no subscript spells out
            self.symbols.builtin("slice")
        if target is not None and self.is_subscript(op, target):
            self.everywhere[target] = self.expression(op, self.operands(op.args, 0), [])
            return
        if op.fn is prims.list_append and (name := tape_name(op.args[0], op.args[1], self.names)):
            self.names[op.args[0]] = name  # type: ignore[index]
        n = len(op.args)
        room = TUPLE_WIDTH if any(op.fn is fn for fn in _LOOSE) else WIDTH
        if op.fn is prims.list_append or op.fn is prims.raise_:
            room = RECORD_WIDTH
        exprs = self.operands((*op.args, *(a for _, a in op.kwargs)), room)
        if any(op.fn is fn for fn in _FAILS):
            self.guarded(op, exprs)
            return
        if any(op.fn is fn for fn in _STATEMENTS):
            self.statement(op, exprs)
            return
        value = self.expression(op, exprs[:n], exprs[n:])
        if value.order == PURE and target is not None and not self.usage.counts.get(target):
            return
        if value.order == EFFECT:
            self.barrier()
        if target is None or (value.order == EFFECT and not self.usage.counts.get(target)):
            self.slots.append(Simple(ast.Expr(self.writer.value(value)), value.uses, op.origin))
        else:
            self.assign(target, value, op.origin)

    def statement(self, op: Op, exprs: list[Expr]) -> None:
        """``raise``, ``assert``, and ``return`` before the end."""
        self.barrier()
        values = [self.writer.value(e) for e in exprs]
        uses = tuple(v for e in exprs for v in e.uses)
        second = values[1] if len(values) > 1 and not is_const(op.args[1], None) else None
        if op.fn is prims.raise_:
            self.slots.append(Simple(ast.Raise(values[0], second), uses, op.origin, ends=True))
        elif op.fn is prims.leave:
            self.slots.append(Simple(ast.Return(values[0]), uses, op.origin, ends=True))
        else:
            self.slots.append(Simple(ast.Assert(values[0], second), uses, op.origin))

    def guarded(self, op: Op, exprs: list[Expr]) -> None:
        """A call of a helper that only raises, where it would: a comparison costs less than a call."""
        self.barrier()
        compared = ast.Compare(exprs[0].node, [_FAILS[op.fn]()], [exprs[1].node])
        call = ast.Expr(self.writer.op(op, exprs, []))
        uses = tuple(v for e in exprs for v in e.uses)
        self.slots.append(Simple(ast.If(compared, [call], []), uses, op.origin))

    def store(self, s: Store) -> None:
        """``obj[index] = value``."""
        if name := tape_name(s.obj, s.value, self.names):
            self.names[s.obj] = name  # type: ignore[index]
        obj, index, value = self.operands((s.obj, s.index, s.value), WIDTH + 10, last_first=s.aug is not None)
        target = self.writer.subscript(obj.node, index.node)
        uses = (*value.uses, *obj.uses, *index.uses)
        v = self.writer.value(value)
        if s.aug is None:
            node: ast.stmt = ast.Assign([target], v)
        else:
            # `x += v` would make x a local variable of a closure that only captures it
            whole = is_const(s.index, Ellipsis) and obj.atom is not None and obj.atom not in self.captured
            node = ast.AugAssign(obj.node if whole else target, operator_node(s.aug), v)  # type: ignore[arg-type]
        self.barrier()
        self.slots.append(Simple(node, uses, s.origin))

    # -- branches -------------------------------------------------------------------

    def if_(self, s: If) -> None:
        """A conditional expression where it reads well, else a statement."""
        results = tuple(r for r in s.results if r not in self.usage.alias)
        if self.short_circuit(s, results):
            return
        cond = self.operands((s.cond,))[0]
        before = self.effects
        end: jumps.End = lambda slots: self.handing(s.results, s.then.outs)  # noqa: E731
        then = self.block(s.then, end)
        orelse = self.block(s.orelse, lambda slots: self.handing(s.results, s.orelse.outs))
        if len(results) == 1 and (value := self.choice(s, cond, then, orelse)):
            if self.effects != before:
                self.barrier()
            self.assign(results[0], value, s.origin)
            return
        if self.effects != before:
            self.barrier()
        if then.stmts or orelse.stmts or results:
            self.slots.append(Branch(cond, then, orelse, results, s.origin))
        elif cond.order == EFFECT:
            self.slots.append(Simple(ast.Expr(cond.node), cond.uses, s.origin))

    def choice(self, s: If, cond: Expr, then: Tree, orelse: Tree) -> Expr | None:
        """``a if cond else b`` for branches that are one expression each."""
        a, b = jumps.only_value(then), jumps.only_value(orelse)
        if a is None or b is None or cond.order == EFFECT:
            return None
        width = cond.width + a.width + b.width + 10
        last = self.slots[-1] if self.slots else None
        if isinstance(last, Loop) and cond.atom in last.params:
            return None  # how the loop was left: see thread_returns
        if width > CHOICE_WIDTH or (s.origin is not None and s.origin.text.startswith("if ")):
            return None
        node = ast.IfExp(cond.node, self.writer.value(a), self.writer.value(b))
        order = max(cond.order, a.order, b.order)
        return Expr(node, cond.uses + a.uses + b.uses, order, width, None, s.origin or cond.origin)

    def short_circuit(self, s: If, results: tuple[Var, ...]) -> bool:
        """``x and y`` is If(x, y, x), ``x or y`` is If(x, x, y)."""
        if len(results) != 1 or len(s.results) != 1 or not isinstance(s.cond, Var):
            return False
        is_bool = isinstance(s.cond.kind, Scalar) and s.cond.kind.dtype == "bool" and results[0] not in self.whole
        a, b = s.then.outs[0], s.orelse.outs[0]
        if is_bool and is_const(a, True) and is_const(b, False) and not s.then.stmts and not s.orelse.stmts:
            self.assign(results[0], self.operands((s.cond,))[0], s.origin)
            return True
        if not s.orelse.stmts and (b is s.cond or (is_bool and is_const(b, False))):
            op, block, repeated = ast.And(), s.then, b is s.cond
        elif not s.then.stmts and (a is s.cond or (is_bool and is_const(a, True))):
            op, block, repeated = ast.Or(), s.orelse, a is s.cond  # type: ignore[assignment]
        else:
            return False
        before = self.effects
        first = self.first_of(s.cond, 2 if repeated else 1)
        tree = self.block(block, lambda slots: self.handing(s.results, block.outs))
        second = jumps.only_value(tree)
        if second is None or second.order == EFFECT or self.effects != before:
            return self.undo_short_circuit(s, results, tree, op, first, before)
        node = joined(op, first.node, self.writer.value(second))
        order = max(first.order, second.order)
        width = first.width + second.width + 5
        value = Expr(node, first.uses + second.uses, order, width, None, s.origin or first.origin)
        self.assign(results[0], value, s.origin)
        return True

    def first_of(self, cond: Var, reads: int) -> Expr:
        """The first operand of and/or, folded where it has no other reader."""
        v = self.usage.atom(cond)
        if isinstance(v, Var) and v in self.pending:
            return self.operands((v,))[0]
        slot = len(self.slots) - 1
        last = self.slots[slot] if self.slots else None
        if (
            isinstance(last, Assign)
            and last.target is v
            and is_temporary(v.hint)
            and self.usage.counts[v] == reads
            and last.value.order != EFFECT
        ):
            self.slots[slot] = None
            return last.value
        return self.atom(cond)

    def undo_short_circuit(
        self, s: If, results: tuple[Var, ...], tree: Tree, op: ast.boolop, first: Expr, before: int
    ) -> bool:
        """The second operand needs statements: an If after all, of the tree that is already built."""
        if first.atom is None and (s.cond in (s.then.outs[0], s.orelse.outs[0])):
            self.slots.append(Assign(s.cond, first, s.origin))  # type: ignore[arg-type]
            first = self.atom(s.cond)
        short = s.orelse if isinstance(op, ast.And) else s.then
        other = self.block(short, lambda slots: self.handing(s.results, short.outs))
        if self.effects != before:
            self.barrier()
        then, orelse = (tree, other) if isinstance(op, ast.And) else (other, tree)
        self.slots.append(Branch(first, then, orelse, results, s.origin))
        return True

    # -- loops, contexts, closures ------------------------------------------------------

    def loop(self, s: For | While) -> None:
        """A loop."""
        params = tuple(p for p in s.params if p not in self.usage.alias)
        self.names.update((p, carried_name(p)) for p in params if is_temporary(p.hint))
        bounds: list[Expr] = []
        if isinstance(s, For) and s.items is not None:
            self.loop_over(s, s.items, params)
            return
        if isinstance(s, For):
            starts = zip(s.params, map(self.usage.atom, s.inits), strict=True)
            same: dict[Atom, Atom] = {init: p for p, init in starts if p in params and isinstance(init, Var)}
            renamed = [same.get(a, a) for a in map(self.usage.atom, (s.start, s.stop, s.step))]
            bounds = self.operands(renamed)
        entry = self.handing(s.params, s.inits)
        before = self.effects
        test = None
        if isinstance(s, While):
            test = self.block(s.test, lambda slots: Jump("return", (), (self.operands(s.test.outs)[0],)))
        body = self.block(s.body, lambda slots: self.iterating(slots, s, params))
        if self.effects != before:
            self.barrier()
        index = s.index if isinstance(s, For) else None
        self.slots.append(Loop(entry, params, body, index, tuple(bounds), test, s.origin))

    def loop_over(self, s: For, items: Var, params: tuple[Var, ...]) -> None:
        """A loop over the items of a list, taken apart where that is all that is done with them."""
        self.symbols.builtin("reversed")
        taken = Op(s.index, prims.list_pop, (items, Const(-1)))
        parts = taken_apart(taken, s.body.stmts, 0, self.usage.counts)
        targets = tuple(part.target for part in parts if part.target is not None) or (s.index,)
        if parts:
            self.names.update((v, carried_name(v, "test")) for v in targets if is_temporary(v.hint))
        elif is_temporary(s.index.hint):
            self.definitions[s.index] = taken
            self.names[s.index] = suggest(taken, self.definitions, self.names, self.hints)
        bounds = self.operands((items,))
        entry = self.handing(s.params, s.inits)
        before = self.effects
        body = self.block(
            Block(s.body.stmts[len(parts) :], s.body.outs), lambda slots: self.iterating(slots, s, params)
        )
        if self.effects != before:
            self.barrier()
        self.slots.append(Loop(entry, params, body, None, tuple(bounds), None, s.origin, targets))

    def iterating(self, slots: Slots, s: For | While, params: tuple[Var, ...]) -> Jump | None:
        """The end of a loop body."""
        outs = s.body.outs
        if not s.has_exit:
            return self.handing(s.params, outs)
        flag = self.usage.atom(outs[-1])
        pairs = [(p, self.usage.atom(o)) for p, o in zip(s.params, outs, strict=False) if p in params]
        unread = frozenset(p for p, r in zip(s.params, s.results, strict=True) if r not in self.usage.read)
        if jumps.sink_exit(slots, pairs, flag, self.usage, self.atom, unread):
            return None
        jump = self.handing(s.params, outs[:-1])
        return jumps.flagged(jump, self.operands((flag,))[0], unread)

    def with_(self, s: With) -> None:
        """``with``: nothing moves into it, out of it or past it."""
        context = self.operands((s.context,))[0]
        self.barrier()
        results = tuple(r for r in s.results if r not in self.usage.alias)
        body = self.block(s.body, lambda slots: self.handing(s.results, s.body.outs))
        self.barrier()
        self.slots.append(Context(context, s.target, body, results, s.origin))

    def closure(self, s: Closure) -> None:
        """A nested function."""
        captured: dict[Var, None] = {}
        for v in free_vars(s.function):
            for u in self.atom(v).uses:
                captured[u] = None
        captured.pop(s.target, None)
        before, outer = self.effects, self.captured
        self.captured = set(captured)
        function = self.function(s.function)
        self.effects, self.captured = before, outer
        self.slots.append(Def(s.target, function, s.origin, tuple(captured)))
