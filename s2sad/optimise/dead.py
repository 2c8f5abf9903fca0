"""Dead code elimination, of values and of memory.

Before::

    def f(x):
        t = math.sin(x)               # read by nobody
        y = x * x
        b: float64[1] = np.zeros(3)
        b[0] = t                      # b is never read
        for i in range(0, 9) carrying (s = 0.0, p = 1.0):
            s_1 = s + x
            p_1 = p * x               # p only feeds itself
            next s_1, p_1
        -> s_2, p_2
        return s_2

After::

    def f(x):
        for i in range(0, 9) carrying (s = 0.0):
            s_1 = s + x
            next s_1
        -> s_2
        return s_2

Marking starts from the result and from effects (``print``, ``raise``, calls of unknown
functions) and goes backwards: through operands, through what loops and branches carry,
and through memory. A store is live if something live may read the contents of its
object. A read of the shape alone does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from s2sad.analysis import effects
from s2sad.analysis.facts import Facts
from s2sad.analysis.memory import Class, Memory
from s2sad.analysis.reads import classes_written, op_reads, store_reads
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
from s2sad.ir.rewrite import uses_of, with_body

__all__ = ["dead_code"]

HasEffect = Callable[[Any], bool]


def dead_code(
    function: Function,
    *,
    has_effect: HasEffect = effects.has_effect,
    observed: Collection[Var] = (),
    kept: Collection[Var] = (),
    facts: Facts | None = None,
) -> Function:
    """Remove what neither the result nor an effect needs.

    ``has_effect(fn)`` says whether a call must happen for its own sake. The contents
    of parameters are not observed after the return, save those in ``observed``. The definitions of
    variables in ``kept`` stay, though nothing may read them.
    """
    marker = _Marker(facts or Facts(function), has_effect)
    for v in kept:
        marker.mark(v)
    marker.run(observed)
    return with_body(function, _Sweeper(marker).block(function.body))


class _Marker:
    """Numbers the statements in order of the text, and finds those that are live."""

    def __init__(self, facts: Facts, has_effect: HasEffect) -> None:
        self.function = function = facts.function
        self.facts = facts
        self.has_effect = has_effect
        self.trusting = has_effect is effects.has_effect
        self.stmts: list[Stmt] = []
        self.parents: list[int] = []
        self.sources: dict[Var, tuple[Atom, ...]] = {}  #: what a carried value is one of
        self.owner: dict[Var, int] = {}
        self.closure_effects: dict[int, list[int]] = {}
        self.writers: dict[Class, list[int]] = {}
        self.live_vars: set[Var] = set()
        self.live: set[int] = set()
        self.read_classes: set[Class] = set()
        self.closures: list[int] = []  #: by statement: the innermost closure around it, or -1
        self.todo: list[Var] = []
        self.pending: list[int] = []
        self.roots: list[int] = []
        self.scan(function.body, -1, self.roots, -1)

    # ------------------------------------------------------------ tables

    @property
    def memory(self) -> Memory:
        """Who shares memory with whom."""
        return self.facts.memory

    def scan(self, block: Block, parent: int, effects_here: list[int], closure: int) -> None:
        """Number the statements of a block; note what defines, writes and has effects."""
        for stmt in block.stmts:
            n = len(self.stmts)
            self.stmts.append(stmt)
            self.parents.append(parent)
            self.closures.append(closure)
            if type(stmt) is Op:
                if stmt.target is not None:
                    self.owner[stmt.target] = n
                if self.trusting and not stmt.kwargs and effects.only_computes(stmt.fn):
                    continue
                if self.trusting and effects.is_of_text(stmt):
                    continue
                if self.has_effect(stmt.fn):
                    effects_here.append(n)
                elif stmt.kwargs or isinstance(stmt.fn, Function) or stmt.fn in effects.WRITES:
                    self.writes(stmt, n, effects_here)
            elif type(stmt) is Store:
                self.writes(stmt, n, effects_here)
            elif type(stmt) is not Comment:
                self.scan_structured(stmt, n, effects_here, closure)

    def scan_structured(self, stmt: Stmt, n: int, effects_here: list[int], closure: int) -> None:
        """Number what is inside; note where carried values come from."""
        match stmt:
            case If(then=then, orelse=orelse, results=results):
                self.carry(n, results, zip(then.outs, orelse.outs, strict=True))
                self.scan(then, n, effects_here, closure)
                self.scan(orelse, n, effects_here, closure)
            case For(params=params, inits=inits, results=results, body=body):
                self.owner[stmt.index] = n
                self.carry(n, params, zip(inits, body.outs, strict=False))
                self.carry(n, results, zip(params, strict=True))
                self.scan(body, n, effects_here, closure)
            case While(params=params, inits=inits, results=results, body=body):
                self.carry(n, params, zip(inits, body.outs, strict=False))
                self.carry(n, results, zip(params, strict=True))
                self.scan(stmt.test, n, effects_here, closure)
                self.scan(body, n, effects_here, closure)
            case With(results=results, body=body, target=target, context=context):
                if target is not None:
                    self.owner[target] = n
                if not self.is_plain_context(context):
                    effects_here.append(n)
                self.carry(n, results, zip(body.outs, strict=True))
                self.scan(body, n, effects_here, closure)
            case Closure(target=target, function=function):
                self.owner[target] = n
                inner = self.closure_effects[n] = []
                self.scan(function.body, n, inner, n)

    def carry(self, n: int, vs: tuple[Var, ...], sources: Any) -> None:
        """Carried values, each with the atoms it may take."""
        for v, s in zip(vs, sources, strict=True):
            self.owner[v] = n
            self.sources[v] = s

    def writes(self, stmt: Op | Store, n: int, effects_here: list[int]) -> None:
        """A statement that changes objects: of known classes, or of an unknown one."""
        known = False
        for c in classes_written(self.memory, stmt):
            known = True
            self.writers.setdefault(c, []).append(n)
        if not known and effects.writes_of(stmt):
            effects_here.append(n)

    def is_plain_context(self, context: Atom) -> bool:
        """Whether entering a context does nothing that anyone could see: ``np.errstate(...)``."""
        n = self.owner.get(context) if isinstance(context, Var) else None
        if n is None:
            return False
        maker = self.stmts[n]
        return isinstance(maker, Op) and not self.has_effect(maker.fn)

    # ------------------------------------------------------------ marking

    def run(self, observed: Collection[Var]) -> None:
        """Mark from the roots until nothing new is live."""
        if self.writers:
            memory = self.memory
            for c in memory.outside:
                self.read(c)  # a global object: others see what is written there
        for v in observed:
            self.read_deep(v)
        for n in self.roots:
            self.mark_stmt(n)
        self.mark_result(self.function.body.outs[0])
        while self.todo or self.pending:
            while self.todo:
                self.mark_definition(self.todo.pop())
            if self.pending:
                self.mark_needs(self.pending.pop())

    def mark_result(self, a: Atom) -> None:
        """A result: its value, and all that can be reached from it."""
        self.mark(a)
        if not self.writers:
            return
        if isinstance(a, Var) and a in self.memory.result_tuples:
            maker = self.stmts[self.owner[a]]
            for item in uses_of(maker):
                self.mark_result(item)
        else:
            self.read_deep(a)

    def mark(self, a: Atom) -> None:
        """A value is needed."""
        if type(a) is Var and a not in self.live_vars:
            self.live_vars.add(a)
            self.todo.append(a)

    def mark_all(self, atoms: tuple[Atom, ...]) -> None:
        """Values are needed."""
        for a in atoms:
            if type(a) is Var and a not in self.live_vars:
                self.live_vars.add(a)
                self.todo.append(a)

    def mark_definition(self, v: Var) -> None:
        """What a needed value comes from."""
        n = self.owner.get(v)
        if n is None:
            return
        self.mark_all(self.sources.get(v, ()))
        self.mark_stmt(n)

    def mark_stmt(self, n: int) -> None:
        """A statement must run, and so must those around it."""
        while n >= 0 and n not in self.live:
            self.live.add(n)
            self.pending.append(n)
            n = self.parents[n]

    def mark_needs(self, n: int) -> None:
        """What a statement that runs needs itself, what is inside it apart."""
        stmt = self.stmts[n]
        match stmt:
            case Op():
                self.mark_all(stmt.args)
                if stmt.kwargs:
                    self.mark_all(uses_of(stmt))
                if self.writers:
                    for c in op_reads(self.memory, stmt):
                        self.read(c)
            case Store():
                self.mark_all(uses_of(stmt))
                for c in store_reads(self.memory, stmt):
                    self.read(c)
            case If(cond=cond):
                self.mark(cond)
            case For(start=start, stop=stop, step=step, body=body):
                self.mark_all((start, stop, step))
                if stmt.has_exit:
                    self.mark(body.outs[-1])
            case While(test=test, body=body):
                self.mark_all(test.outs)
                if stmt.has_exit:
                    self.mark(body.outs[-1])
            case With(context=context):
                self.mark(context)
            case Closure(function=function):
                self.mark_result(function.body.outs[0])
                for inner in self.closure_effects[n]:
                    self.mark_stmt(inner)

    # ------------------------------------------------------------ memory

    def read(self, c: Class) -> None:
        """The contents of a class are read: all that writes them is live."""
        c = self.memory.find(c)
        if c not in self.read_classes:
            self.read_classes.add(c)
            for n in self.writers.get(c, ()):
                closure = self.closures[n]
                if closure < 0 or closure in self.live:
                    self.mark_stmt(n)
                else:  # only if the closure is live in the end
                    self.closure_effects[closure].append(n)

    def read_deep(self, a: Atom) -> None:
        """The contents of an object are read, and of all it holds."""
        if type(a) is not Const and self.writers:
            for c in self.memory.reachable(a):
                self.read(c)


class _Sweeper:
    """Rebuilds a function from its live statements."""

    def __init__(self, marker: _Marker) -> None:
        self.marker = marker
        self.live = marker.live
        self.live_vars = marker.live_vars
        self.position = 0

    def block(self, block: Block, keep: tuple[bool, ...] | None = None) -> Block:
        """A block with its live statements, and the outs to keep."""
        kept: list[Stmt] = []
        comment: Comment | None = None
        same = True
        for stmt in block.stmts:
            n = self.position
            self.position += 1
            if type(stmt) is Comment:
                same = same and comment is None
                comment = stmt
                continue
            new = self.stmt(stmt, n)
            if new is not stmt:
                same = False
            if new is not None:
                if comment is not None:
                    kept.append(comment)
                    comment = None
                kept.append(new)
        outs = block.outs
        if keep is not None and not all(keep):
            outs = tuple(a for a, k in zip(outs, keep, strict=True) if k)
            same = False
        return block if same and comment is None else Block(tuple(kept), outs)

    def stmt(self, stmt: Stmt, n: int) -> Stmt | None:
        """A live statement without its dead parts; None if dead."""
        if n not in self.live:
            self.position = self.after(n)
            return None
        match stmt:
            case Op(target=target):
                if target is not None and target not in self.live_vars:
                    return Op(None, stmt.fn, stmt.args, stmt.kwargs, stmt.origin)
                return stmt
            case If(then=then, orelse=orelse, results=results):
                keep = tuple(r in self.live_vars for r in results)
                blocks = self.block(then, keep), self.block(orelse, keep)
                if blocks[0] is then and blocks[1] is orelse:
                    return stmt
                return If(stmt.cond, *blocks, _kept(results, keep), stmt.origin, stmt.adjoint)
            case For():
                return self.for_loop(stmt)
            case While():
                return self.while_loop(stmt)
            case With(body=body, results=results):
                keep = tuple(r in self.live_vars for r in results)
                new = self.block(body, keep)
                if new is body:
                    return stmt
                return With(stmt.context, stmt.target, new, _kept(results, keep), stmt.origin)
            case Closure(function=function):
                new = self.block(function.body)
                if new is function.body:
                    return stmt
                return Closure(stmt.target, with_body(function, new), stmt.origin)
        return stmt

    def for_loop(self, s: For) -> For:
        """A loop that carries only what is needed."""
        keep = self.carried(s)
        body = self.block(s.body, keep + (True,) * s.has_exit)
        if body is s.body:
            return s
        carried = _kept(s.params, keep), _kept(s.inits, keep), body, _kept(s.results, keep)
        return For(s.index, s.start, s.stop, s.step, *carried, s.has_exit, s.origin, s.independent, s.reverses)

    def while_loop(self, s: While) -> While:
        """A loop that carries only what is needed."""
        keep = self.carried(s)
        test = self.block(s.test)
        body = self.block(s.body, keep + (True,) * s.has_exit)
        if body is s.body and test is s.test:
            return s
        carried = _kept(s.params, keep), _kept(s.inits, keep), test, body, _kept(s.results, keep)
        return While(*carried, s.has_exit, s.origin)

    def carried(self, s: For | While) -> tuple[bool, ...]:
        """Which params a loop still needs (a live result makes its param live)."""
        return tuple(p in self.live_vars for p in s.params)

    def after(self, n: int) -> int:
        """The number of the first statement after statement ``n`` and all inside it."""
        parents = self.marker.parents
        end = n + 1
        while end < len(parents) and parents[end] >= n:  # what is inside has it, or what is inside it, as parent
            end += 1
        return end


def _kept(items: tuple[Any, ...], keep: tuple[bool, ...]) -> tuple[Any, ...]:
    return tuple(x for x, k in zip(items, keep, strict=True) if k)
