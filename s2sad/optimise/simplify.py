"""Copy propagation and local algebra: what a person would not have written.

Before::

    def f(x, y, b, c):
        t = (x, y)
        p = t[0]                      # an item of a known tuple
        r = 1.0 / p
        g = b * r                     # b / p, as r is used only here
        m = -g
        s = c + m                     # c - g
        if True:
            u = 1.0 * s
            give u
        else:
            give y
        -> v
        return v

After (and once dead code is gone)::

    def f(x, y, b, c):
        g = b / x
        s = c - g
        return s

No rule changes a value beyond the rounding of a reciprocal, or of a sum that only adjoints have, nor a shape or a
dtype; ``0 * x``
and ``x + 0.0`` stay. A rule that looks at how an operand was computed does so only while
nothing that computation read has been written, and one that drops a copy only where
nobody writes to either.
"""

from __future__ import annotations

import operator

import numpy as np

from s2sad.analysis.effects import is_pure, writes_of
from s2sad.analysis.facts import Facts
from s2sad.analysis.memory import Class, Memory
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Numeric, Scalar, dtype_of, known_same_shape
from s2sad.ir.nodes import Atom, Block, Closure, Comment, Const, For, Function, If, Op, Stmt, Store, Var, While, kind_of
from s2sad.ir.rewrite import (
    blocks_of,
    free_vars,
    map_operands,
    resolve,
    substitute,
    uses_of,
    with_blocks,
    with_body,
)
from s2sad.optimise.alike import Alike
from s2sad.optimise.clock import Clock
from s2sad.optimise.dims import is_rows
from s2sad.optimise.rules_arithmetic import ARITHMETIC, unsigned
from s2sad.optimise.rules_known import KNOWN, names_each_once, only_part, stretched_whole, viewed
from s2sad.optimise.rules_spread import spread_like, stretched, with_older
from s2sad.optimise.shapes import Shapes
from s2sad.rules.lookup import is_complex_atom
from s2sad.runtime import helpers

__all__ = ["Simplifier", "simplify"]

_RULES = {**ARITHMETIC, **KNOWN}
_WHOLE = Const(Ellipsis)
_OF_TAPES = (prims.list_append, prims.list_copy, prims.list_pop)
_PATIENCE = 24  #: rewrites of one operation, at most


def simplify(function: Function, *, facts: Facts | None = None) -> Function:
    """Apply the rules once to every operation, in order; what they make is simplified too."""
    return Simplifier(facts or Facts(function)).run()


class Simplifier:
    """Walks a function, and answers the questions that rules ask about operands."""

    def __init__(self, facts: Facts) -> None:
        self.function = function = facts.function
        self.facts = facts
        self.clock = Clock(facts)
        self.uses = dict(facts.uses)
        self.known: dict[Var, Atom] = {}
        self.late: dict[Var, Atom] = {}  #: found equal after their uses had been visited
        self.makers: dict[Var, Op] = {}
        self.born: dict[Var, int] = {}
        self.loop: Stmt | None = None  #: the innermost around what is being walked
        self.loops: dict[Var, Stmt | None] = {}  #: the loop in which each operation was met
        self.shapes = Shapes(function.params)
        self.alike = Alike()
        for tangent, of in function.alike:
            self.alike.keys[function.params[tangent]] = self.alike.key(function.params[of])
        self.last_writer: Stmt | None = None  #: of the body being walked: after it nothing is written
        self.in_tail = False
        self.around: set[Class] = set()  #: what a closure being walked shares with its surroundings
        self.light = facts.light

    def run(self) -> Function:
        """The simplified function."""
        body = self.body(self.function.body)
        if self.late:
            body = substitute(body, resolve(self.late))
        return with_body(self.function, body)

    # ------------------------------------------------------------ questions

    @property
    def memory(self) -> Memory:
        """Who shares memory with whom."""
        return self.facts.memory

    def maker(self, a: Atom) -> Op | None:
        """The operation that computed an operand, if it would still give the same now."""
        if type(a) is not Var:
            return None
        op = self.makers.get(a)
        if op is None or self.clock.still or self.clock.unchanged((a, *uses_of(op)), self.born[a]):
            return op
        return None

    def single(self, a: Atom) -> bool:
        """Whether an operand is read only once, and not in a loop that begins after it is computed."""
        return type(a) is Var and self.uses.get(a, 0) <= 1 and self.loops.get(a, self.loop) is self.loop

    def may_stand_for(self, source: Atom, target: Var) -> bool:
        """Whether ``source`` itself can replace ``target``, a fresh copy of it."""
        if type(kind_of(source)) is Scalar and type(target.kind) is Scalar:
            return True
        c, d = self.memory.of(target), self.memory.of(source)
        if c is None and d is None:
            return True
        if c is None or d is None:
            return False
        written, external = self.memory.written, self.memory.external
        if c in written or (d in written and not self.in_tail) or (c in external and c != d):
            return False
        if c in self.memory.escaping and not self.is_own(source, d):
            return False
        return not (self.memory.opaque and d in external)

    def is_own(self, a: Atom, c: Class) -> bool:
        """Whether an object of class ``c`` was made here, as often as this is run, and leaves the function nowhere."""
        return not self.is_taken(c) and a in self.loops and self.loops[a] is self.loop  # type: ignore[index]

    def is_taken(self, c: Class) -> bool:
        """Whether objects of a class come from outside, leave the function, or are shared by a closure being walked."""
        known = c in self.memory.external or c in self.memory.escaping
        return known or c in map(self.memory.find, self.around)

    def same_shape(self, a: Atom, b: Atom) -> bool:
        """Whether two operands are known to have the same shape."""
        return known_same_shape(kind_of(a), kind_of(b)) or self.shapes.equal(a, b)

    def are_alike(self, a: Atom, b: Atom) -> bool:
        """Whether two operands, which may be numbers or arrays, have one shape and one type, where that is floating."""
        if self.alike.same(a, b):
            return True
        kinds = kind_of(a), kind_of(b)
        floats = all(isinstance(k, Array | Numeric) and k.dtype.startswith("float") for k in kinds)
        return floats and dtype_of(kinds[0]) == dtype_of(kinds[1]) and self.same_shape(a, b)

    def is_float_rows(self, a: Atom) -> bool:
        """Whether an operand of unknown rank is an array of floats: such as rows of others are, and what they give."""
        k = kind_of(a)
        floats = isinstance(k, Array | Numeric) and k.dtype.startswith("float")
        return floats and is_rows(self.shapes.canonical(self.shapes.of(a)))

    def is_tape(self, op: Op) -> bool:
        """Whether a list is appended to in one place, and popped from in one, perhaps as a copy, and nothing else."""
        if op.fn not in _OF_TAPES or not isinstance(op.args[0], Var):
            return False
        copied = self.makers.get(op.args[0])
        return self.facts.uses.get(op.args[0], 0) == (1 if copied is not None and copied.fn is prims.list_copy else 2)

    def may_give_away(self, a: Atom, target: Var) -> bool:
        """Whether an object can stand for a copy of it to be returned: fresh, returned once, not written later."""
        c, written = self.memory.of(a), self.memory.written
        if c is None:
            return True
        if isinstance(target.kind, Array) and target.kind.rank == 0:
            return False  # arithmetic on such arrays gives numbers
        return not self.is_taken(c) and (self.in_tail or not (c in written or self.memory.of(target) in written))

    # ------------------------------------------------------------ walking

    def body(self, block: Block) -> Block:
        """The body of a function or closure."""
        outer = self.last_writer, self.in_tail
        writers = (s for s in reversed(block.stmts) if not _only_computes(s))
        self.last_writer = next(writers, None)
        self.in_tail = self.last_writer is None
        new = self.block(block)
        self.last_writer, self.in_tail = outer
        return new

    def value(self, a: Atom) -> Atom:
        """An operand, replaced by what it is known to equal."""
        return self.known.get(a, a) if type(a) is Var else a

    def equate(self, v: Var, a: Atom) -> None:
        """``v`` is ``a``: so is every later use of it."""
        self.known[v] = a
        if type(a) is Var:
            self.uses[a] = self.uses.get(a, 0) + self.uses.get(v, 0)
        if type(v.kind) is not Scalar:
            self.clock.unify(v, a)

    def block(self, block: Block) -> Block:
        """A block, simplified; the very same if nothing was to be done."""
        mark = self.shapes.mark()
        new = self.statements(block)
        self.shapes.forget(mark)
        return new

    def statements(self, block: Block) -> Block:
        """The statements of a block, one after the other."""
        stmts: list[Stmt] = []
        for stmt in block.stmts:
            if type(stmt) is Op and stmt.fn is helpers.add_at and names_each_once(self, *stmt.args[:2]):
                self.stmt(_as_store(stmt), stmts)
            elif type(stmt) is Op:
                self.op(stmt, stmts)
            else:
                self.stmt(stmt, stmts)
            if stmt is self.last_writer:
                self.in_tail = True
        outs = tuple(map(self.value, block.outs))
        same = len(stmts) == len(block.stmts) and outs == block.outs
        same = same and all(a is b for a, b in zip(stmts, block.stmts, strict=True))
        return block if same else Block(tuple(stmts), outs)

    def with_known(self, op: Op) -> Op:
        """The operation on what its operands are known to equal."""
        known = self.known
        if not known:
            return op
        for a in op.args:
            if a in known:
                break
        else:
            if not op.kwargs:
                return op
        args = tuple(map(self.value, op.args))
        kwargs = tuple((k, self.value(a)) for k, a in op.kwargs)
        return op if args == op.args and kwargs == op.kwargs else Op(op.target, op.fn, args, kwargs, op.origin)

    def op(self, op: Op, into: list[Stmt]) -> None:
        """An operation: rewritten until no rule applies."""
        todo = [op]
        patience = _PATIENCE
        while todo:
            op = self.with_known(todo.pop())
            result = self.rewrite(op) if patience else None
            patience -= 1
            if result is None:
                into.append(op)
                self.clock.note(op)
                self.alike.note(op, self.loop, self.is_tape(op))
                if op.target is not None:
                    self.shapes.note(op)
                    self.makers[op.target] = op
                    self.born[op.target] = self.clock.now
                    self.loops[op.target] = self.loop
                continue
            self.count(op, -1)
            if isinstance(result, tuple):
                for new in reversed(result):
                    self.count(new, 1)
                    todo.append(new)
            elif op.target is not None:
                self.equate(op.target, result)

    def rewrite(self, op: Op) -> Atom | tuple[Op, ...] | None:
        """What the rule for an operation makes of it."""
        if op.target is None:
            of_numbers = all(
                isinstance(a, Const) for a in op.args
            )  # of names for shapes more is known than was checked
            return () if of_numbers and self.shapes.tells(op) else None
        if (lighter := with_older(self, op)) is not None:
            return (lighter,)
        try:
            rule = _RULES.get(op.fn)  # type: ignore[arg-type]
        except TypeError:  # unhashable: the user's
            return None
        return None if rule is None else rule(self, op)

    def count(self, op: Op, change: int) -> None:
        """Keep the number of uses of the operands up to date."""
        for a in uses_of(op):
            if type(a) is Var:
                self.uses[a] = self.uses.get(a, 0) + change

    def stmt(self, stmt: Stmt, into: list[Stmt]) -> None:
        """A statement that is not an operation."""
        match stmt:
            case Comment():
                into.append(stmt)
            case Store():
                into.extend(stmts := self.store(stmt))
                for s in stmts:
                    self.clock.note(s)
            case If():
                self.branch(stmt, into)
            case Closure():
                self.clock.enter(stmt)
                outer = self.around
                self.around = {c for v in free_vars(stmt.function) for c in self.memory.reachable(v)} | outer
                into.append(with_blocks(stmt, (self.body(stmt.function.body),)))
                self.around = outer
            case _:
                self.structure(stmt, into)

    def store(self, stmt: Store) -> tuple[Op | Store, ...]:
        """A store, said more simply, or not at all.

        Into a whole view: into that part of the array; into the whole of one that has new axes: into the array. Of an
        array of one number: of the number. Of a negative added: of the positive subtracted.
        """
        obj, index, value = map(self.value, uses_of(stmt))
        if index == _WHOLE and (view := viewed(self, obj)) is not None:
            obj, index = view
        index = index if (only := only_part(self, obj, index)) is None else only
        if isinstance(kind_of(value), Array) and isinstance(kind_of(obj), Array):
            spread = spread_like(self, value)
            value = value if spread is None or is_complex_atom(spread[0]) else spread[0]  # real parts may be meant
            value = value if (found := stretched(self, value)) is None else found[0]
        if stmt.aug is None and self.is_there(obj, index, value):
            return ()
        if stmt.aug in ("+", "-"):
            hint = value.hint if isinstance(value, Var) else "t"
            made, positive = unsigned(self, value, Var(hint, kind_of(value)))
            if positive is not None:
                return *made, Store(obj, index, positive, "-" if stmt.aug == "+" else "+", stmt.origin)
        if (whole := stretched_whole(self, obj, index, value)) is not None:
            return *whole[0], Store(obj, _WHOLE, whole[1], stmt.aug, stmt.origin)
        if obj is stmt.obj and index is stmt.index and value is stmt.value:
            return (stmt,)
        return (Store(obj, index, value, stmt.aug, stmt.origin),)

    def is_there(self, obj: Atom, index: Atom, value: Atom) -> bool:
        """Whether a value was read from the very place it is stored to, and neither has changed since."""
        op = self.makers.get(value) if isinstance(value, Var) else None
        if op is None or not self.clock.unchanged((obj, index, value), self.born[op.target]):  # type: ignore[index]
            return False  # the value too: what arrays of places select is a copy, with memory of its own
        if op.fn in (np.copy, np.array):
            return viewed(self, op.args[0]) == (obj, index)
        return op.fn is operator.getitem and op.args == (obj, index)

    def branch(self, stmt: If, into: list[Stmt]) -> None:
        """A branch: of a known condition only what is taken; results that cannot differ are no results."""
        cond = self.value(stmt.cond)
        if isinstance(cond, Const):
            taken = self.statements(stmt.then if cond.value else stmt.orelse)
            into.extend(taken.stmts)
            for r, a in zip(stmt.results, taken.outs, strict=True):
                self.equate(r, a)
            return
        self.clock.enter(stmt)
        then, orelse = self.block(stmt.then), self.block(stmt.orelse)
        same = [a == b for a, b in zip(then.outs, orelse.outs, strict=True)]
        for r, a, equal in zip(stmt.results, then.outs, same, strict=True):
            if equal:
                self.equate(r, a)
        if any(same):
            keep = [not equal for equal in same]
            then, orelse = _with_outs(then, keep), _with_outs(orelse, keep)
            results = tuple(r for r, k in zip(stmt.results, keep, strict=True) if k)
            new = If(cond, then, orelse, results, stmt.origin, stmt.adjoint)
        elif then is stmt.then and orelse is stmt.orelse and cond is stmt.cond:
            new = stmt
        else:
            new = If(cond, then, orelse, stmt.results, stmt.origin, stmt.adjoint)
        into.append(new)
        self.alike.join(new)

    def structure(self, stmt: Stmt, into: list[Stmt]) -> None:
        """A loop or a ``with``."""
        self.clock.enter(stmt)
        own = map_operands(stmt, self.value)
        if isinstance(own, For) and _never_runs(own):
            for r, a in zip(own.results, own.inits, strict=True):
                self.equate(r, a)
            return
        outer, self.loop = self.loop, stmt if isinstance(stmt, For | While) else self.loop
        if isinstance(own, For | While):
            self.alike.enter(own)
        new = with_blocks(own, tuple(self.block(b) for b in blocks_of(stmt)))
        self.loop = outer
        into.append(new)
        if isinstance(new, For | While):
            self.alike.leave(new)
            self.invariants(new)

    def invariants(self, loop: For | While) -> None:
        """A carried value that no iteration changes is its initial value."""
        outs = loop.body.outs
        for r, p, init, out in zip(loop.results, loop.params, loop.inits, outs, strict=False):
            if out in (p, init):
                self.late[p] = init
                self.equate(r, init)


def _as_store(op: Op) -> Store:
    """``add_at(obj, index, value)`` of what an index names once."""
    obj, index, value = op.args
    return Store(obj, index, value, "+", op.origin)


def _only_computes(stmt: Stmt) -> bool:
    return type(stmt) is Comment or (type(stmt) is Op and is_pure(stmt.fn) and not writes_of(stmt))


def _with_outs(block: Block, keep: list[bool]) -> Block:
    return Block(block.stmts, tuple(a for a, k in zip(block.outs, keep, strict=True) if k))


def _never_runs(loop: For) -> bool:
    match loop.start, loop.stop, loop.step:
        case Const(int() as start), Const(int() as stop), Const(int() as step) if step != 0:
            return len(range(start, stop, step)) == 0
    return False
