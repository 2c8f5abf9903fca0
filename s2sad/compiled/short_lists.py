"""Short lists of numbers, of which the length is known all along, as numbers.

Before::

    def f(x: float, n: int):
        y: list[float] = [x, 1.0]
        for i in range(0, n) carrying (u: list[float] = y):
            m = len(u)
            w: list[float] = []
            for j in range(0, m):
                a: float = u[j]
                b = a * x
                list_append(w, b)
            next w
        -> v: list[float]
        s: float = v[0]
        return s

After::

    def f(x, n):
        for i in range(0, n) carrying (u = x, u_1 = 1.0):
            b = u * x
            b_1 = u_1 * x
            next b, b_1
        -> v, v_1
        return v

The state of an equation, ``y = [a + h * k for a, k in zip(y, slopes)]``, is such a list. A loop would hand on
references, for which adjoints are made in each iteration and kept; numbers are handed on in registers. Loops along such
lists are spelt out, and so are their indices. What changes after it was handed on, or is asked for an item known at run
time only, stays a list, with all that it may be the same as.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from s2sad.analysis.effects import is_pure, writes_of
from s2sad.analysis.memory import Class, Memory
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import (
    UNDEF,
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
    kind_of,
)
from s2sad.ir.rewrite import blocks_of, inner_targets_of, targets_of, use_counts, uses_of, walk, with_body
from s2sad.transform.assemble import retold

__all__ = ["lists_apart", "short_lists_as_numbers"]

LONGEST = 9  #: how many items a list may have
STATEMENTS = 400  #: how many statements may come of spelling out a loop

#: What asks a list for more than its items: which one it is, or for one of them at a place known at run time.
_NOT_OF_ITEMS: set[Any] = {operator.is_, operator.is_not, id, operator.getitem}
_DOUBLE = (K.FLOAT, K.Scalar("float64"))
_FOLDED: set[Any] = {operator.add, operator.sub, operator.mul, min, max, *prims.COMPARE}


def short_lists_as_numbers(lowered: Lowered) -> Lowered:
    """The function with numbers for the items of such lists."""
    function, table = lists_apart(lowered.function)
    return replace(lowered, function=function, result=retold(lowered.result, table)) if table else lowered


def lists_apart(function: Function) -> tuple[Function, dict[Var, Atom]]:
    """The function with numbers for the items of such lists, and what stands for variables that it has no more."""
    statements = [*walk(function)]
    if any(isinstance(s, Closure) for s in statements) or not any(map(_makes_list, statements)):
        return function, {}
    memory, counts = Memory(function), use_counts(function)
    others: set[Class | None] = {None}
    while True:
        walked = _Walk(memory, others, counts)
        try:
            body = walked.block(function.body)
        except _Stays as found:
            assert found.list not in others, "a list that stays becomes numbers"
            others.add(found.list)
            continue
        if not walked.resolved:
            return function, {}
        return with_body(function, body), {v: walked.atom(v) for v in walked.table}


class _Stays(Exception):
    """A list has to stay one."""

    def __init__(self, list: Class | None) -> None:
        self.list = list


@dataclass
class _Items:
    """What a list holds at this point of the walk."""

    of: Class | None
    item: K.Kind
    scope: int  #: the block that made it
    atoms: list[Atom]
    is_shared: bool = False  #: whether it goes by another name as well: it may not change any more


def _item_of(v: Atom) -> K.Scalar | None:
    """The kind of the numbers that a list holds."""
    kind = kind_of(v)
    if isinstance(kind, K.List) and kind.fields is None and isinstance(kind.item, K.Scalar):
        return kind.item if kind.item in (*_DOUBLE, K.INT) else None
    return None


def _makes_list(s: Stmt) -> bool:
    """Whether a statement makes a list of numbers."""
    return isinstance(s, Op) and s.fn is prims.make_list and s.target is not None and _item_of(s.target) is not None


@dataclass
class _Walk:
    """Goes through a function with what its short lists hold; raises :class:`_Stays` for one that has to stay."""

    memory: Memory
    others: set[Class | None]  #: the lists that stay
    counts: dict[Var, int]
    lists: dict[Var, _Items] = field(default_factory=dict)
    table: dict[Var, Atom] = field(default_factory=dict)  #: what stands for a variable
    scopes: int = 0  #: how many blocks there have been
    scope: int = 0  #: the block that is walked
    again: int = 0  #: how many loops around are spelt out
    spelt: int = 0  #: how many statements have come of that
    resolved: int = 0  #: how often a list was asked for what it holds

    # ------------------------------------------------------------ values

    def atom(self, a: Atom) -> Atom:
        """What stands for a value."""
        while isinstance(a, Var) and a in self.table:
            a = self.table[a]
        return a

    def items(self, a: Atom) -> _Items | None:
        """What a list holds, if it is one that becomes numbers."""
        return self.lists.get(a) if isinstance(a, Var) else None

    def read(self, a: Atom) -> Atom:
        """A value that is no such list."""
        if (found := self.items(a)) is not None:
            raise _Stays(found.of)
        return self.atom(a)

    def named(self, v: Var) -> Var:
        """The variable for what a statement defines: a new one where the statement comes more than once."""
        if not self.again:
            return v
        self.table[v] = new = Var(v.hint, v.kind)
        return new

    def becomes(self, v: Var) -> bool:
        """Whether a variable is a list that becomes numbers."""
        return _item_of(v) is not None and self.memory.of(v) not in self.others

    def made(self, v: Var, atoms: Sequence[Atom], is_shared: bool = False) -> _Items:
        """Note that a variable is a list of these."""
        item, of = _item_of(v), self.memory.of(v)
        assert item is not None
        if len(atoms) > LONGEST:
            raise _Stays(of)
        found = _Items(of, item, self.scope, [], is_shared)
        found.atoms += [_as_item(found, a) for a in atoms]
        self.lists[v] = found
        return found

    def shared(self, a: Atom, v: Var) -> _Items:
        """What a list holds that goes by another name from now on."""
        found = self.items(a)
        if found is None:
            raise _Stays(self.memory.of(v))
        found.is_shared = True
        return found

    def changing(self, found: _Items) -> _Items:
        """A list that changes: in the block that made it, and under one name."""
        if found.is_shared or found.scope != self.scope:
            raise _Stays(found.of)
        return found

    # ------------------------------------------------------------ statements

    def block(self, block: Block) -> Block:
        """A block that is walked as it stands."""
        self.scopes += 1
        before, self.scope = self.scope, self.scopes
        stmts = [new for s in block.stmts for new in self.stmt(s)]
        outs = tuple(map(self.read, block.outs))
        self.scope = before
        return Block(tuple(stmts), outs)

    def stmt(self, s: Stmt) -> list[Stmt]:
        """What becomes of a statement."""
        self.spelt += bool(self.again)
        match s:
            case Op():
                return self.op(s)
            case Store():
                return self.store(s)
            case If():
                return self.branch(s)
            case For():
                return self.spell_out(s) if self.steps(s) is not None and self.goes_along(s) else self.loop(s)
            case While():
                return self.loop(s)
            case Comment():
                return [s]
            case With():
                return self.context(s)
        raise AssertionError(s)

    def context(self, s: With) -> list[Stmt]:
        """A context, out of which no such list comes."""
        for v in (*s.results, s.target):
            if v is not None and self.becomes(v):
                raise _Stays(self.memory.of(v))
        target = s.target and self.named(s.target)
        body, context = self.block(s.body), self.read(s.context)
        return [replace(s, context=context, target=target, body=body, results=tuple(map(self.named, s.results)))]

    def op(self, s: Op) -> list[Stmt]:
        """An operation."""
        if s.target is not None and self.becomes(s.target) and (atoms := self.contents(s)) is not None:
            self.made(s.target, atoms)
            return []
        first = self.items(s.args[0]) if s.args else None
        if first is not None and not s.kwargs and self.is_answered(s, first):
            return []
        if s.target is not None and self.becomes(s.target):
            raise _Stays(self.memory.of(s.target))
        stmts: list[Stmt] = []
        args = tuple(self.whole_list(s, a, stmts) for a in s.args)
        kwargs = tuple((k, self.read(a)) for k, a in s.kwargs)
        if (known := _folded(s, args)) is not None:
            assert s.target is not None
            self.table[s.target] = known
            return []
        target = None if s.target is None else self.named(s.target)
        return [*stmts, Op(target, s.fn, args, kwargs, s.origin)]

    def contents(self, s: Op) -> list[Atom] | None:
        """What a list holds that an operation makes, if that is known."""
        held = self.items(s.args[0]) if s.args else None
        match s.fn, [self.atom(a) for a in s.args]:
            case prims.make_list, _:
                return [self.read(a) for a in s.args]
            case prims.list_copy, [_] if held is not None:
                return list(held.atoms)
            case prims.list_repeat, [_, Const(int(n))] if held is not None and n * len(held.atoms) <= LONGEST:
                return held.atoms * n
        return None

    def is_answered(self, s: Op, held: _Items) -> bool:
        """Whether an operation asks a list for what is known of it, or puts something into it."""
        match s.fn, [self.atom(a) for a in s.args[1:]]:
            case prims.list_append, [value]:
                self.put(held, [self.read(value)])
                return True
            case prims.list_extend, [Var() as other] if (more := self.items(other)) is not None:
                self.put(held, list(more.atoms))
                return True
            case operator.getitem, [Const(int(k))] if -len(held.atoms) <= k < len(held.atoms):
                known: Atom = held.atoms[k]
            case builtin, [] if builtin is len:
                known = Const(len(held.atoms))
            case _:
                return False
        assert s.target is not None
        self.table[s.target] = known
        self.resolved += 1
        return True

    def put(self, held: _Items, atoms: list[Atom]) -> None:
        """Put numbers at the end of a list."""
        self.changing(held).atoms.extend(_as_item(held, a) for a in atoms)
        if len(held.atoms) > LONGEST:
            raise _Stays(held.of)

    def whole_list(self, s: Op, a: Atom, stmts: list[Stmt]) -> Atom:
        """An operand: a list is made, for an operation that only reads it and gives an array or a number."""
        held = self.items(a)
        if held is None:
            return self.atom(a)
        gives = s.target is not None and isinstance(s.target.kind, K.Array | K.Scalar)
        if not gives or isinstance(s.fn, Function) or not is_pure(s.fn) or writes_of(s) or s.fn in _NOT_OF_ITEMS:
            raise _Stays(held.of)
        assert isinstance(a, Var)
        made = Var(a.hint, a.kind)
        stmts.append(Op(made, prims.make_list, tuple(held.atoms), (), s.origin))
        return made

    def store(self, s: Store) -> list[Stmt]:
        """A store, perhaps of an item."""
        held, index = self.items(s.obj), self.read(s.index)
        if held is None:
            return [replace(s, obj=self.atom(s.obj), index=index, value=self.read(s.value))]
        match index:
            case Const(int(k)) if s.aug is None and -len(held.atoms) <= k < len(held.atoms):
                self.changing(held).atoms[k] = _as_item(held, self.read(s.value))
                return []
        raise _Stays(held.of)

    def branch(self, s: If) -> list[Stmt]:
        """A branch; of one that is known to be taken, what is in it."""
        cond = self.read(s.cond)
        if isinstance(cond, Const) and type(cond.value) is bool:
            taken = s.then if cond.value else s.orelse
            stmts = [new for x in taken.stmts for new in self.stmt(x)]
            for v, out in zip(s.results, taken.outs, strict=True):
                self.bind(v, out)
            return stmts
        results: list[Var] = []
        outs: tuple[list[Atom], list[Atom]] = ([], [])
        inner = [self.inner(b) for b in blocks_of(s)]
        for n, v in enumerate(s.results):
            if self.becomes(v):
                helds = [self.shared(b.outs[n], v) for b in blocks_of(s)]
                if len({len(x.atoms) for x in helds}) > 1:
                    raise _Stays(self.memory.of(v))
                results += self.parts(v, len(helds[0].atoms))
            else:
                results.append(self.named(v))
            for b, into in zip(blocks_of(s), outs, strict=True):
                into += self.parted(b.outs[n])
        then, orelse = (Block(stmts, tuple(o)) for stmts, o in zip(inner, outs, strict=True))
        return [replace(s, cond=cond, then=then, orelse=orelse, results=tuple(results))]

    def inner(self, block: Block) -> tuple[Stmt, ...]:
        """The statements of a block within."""
        return self.block(Block(block.stmts)).stmts

    def bind(self, v: Var, a: Atom) -> None:
        """Let a variable stand for a value."""
        if self.becomes(v):
            self.lists[v] = self.shared(a, v)
        elif self.items(a) is not None:
            raise _Stays(self.lists[a].of)  # type: ignore[index]
        else:
            self.table[v] = self.atom(a)

    def parts(self, v: Var, n: int) -> list[Var]:
        """Variables for the items of a list."""
        item = _item_of(v)
        assert item is not None
        parts = [Var(v.hint, item) for _ in range(n)]
        self.made(v, parts, is_shared=True)
        return parts

    def parted(self, a: Atom) -> Sequence[Atom]:
        """What is handed on for a value: the items of a list."""
        held = self.items(a)
        return [self.atom(a)] if held is None else held.atoms

    # ------------------------------------------------------------ loops

    def loop(self, s: For | While) -> list[Stmt]:
        """A loop that stays one."""
        heads: dict[str, Any] = {}
        if isinstance(s, For):
            heads = {"start": self.read(s.start), "stop": self.read(s.stop), "step": self.read(s.step)}
            if self.again:
                heads["index"] = self.named(s.index)
        kept = [n for n, p in enumerate(s.params) if not self.is_unread(s, n)]
        inits: list[Atom] = []
        params: list[Var] = []
        lengths: dict[int, int] = {}
        for n in kept:
            p = s.params[n]
            if self.becomes(p):
                lengths[n] = len(self.shared(s.inits[n], p).atoms)
                params += self.parts(p, lengths[n])
            else:
                params.append(self.named(p))
            inits += self.parted(s.inits[n])
        if isinstance(s, While):
            heads["test"] = self.block(s.test)
        stmts = self.inner(s.body)
        outs = [x for n in kept for x in self.handed_on(s.body.outs[n], s.params[n], lengths.get(n))]
        outs += [self.read(a) for a in s.body.outs[len(s.params) :]]
        results = [x for n in kept for x in self.given(s.results[n], lengths.get(n))]
        body = Block(stmts, tuple(outs))
        return [replace(s, **heads, params=tuple(params), inits=tuple(inits), body=body, results=tuple(results))]

    def is_unread(self, s: For | While, n: int) -> bool:
        """Whether nobody asks for a list that a loop hands on, which there need not be at first."""
        unread = not self.counts.get(s.params[n]) and not self.counts.get(s.results[n])
        return unread and s.inits[n] == UNDEF and self.becomes(s.params[n])

    def handed_on(self, a: Atom, p: Var, length: int | None) -> Sequence[Atom]:
        """What an iteration hands on to the next."""
        if length is None:
            return [self.read(a)]
        held = self.shared(a, p)
        if len(held.atoms) != length:
            raise _Stays(held.of)
        return held.atoms

    def given(self, v: Var, length: int | None) -> list[Var]:
        """The variables for what a loop gives."""
        return [self.named(v)] if length is None else self.parts(v, length)

    def steps(self, s: For) -> range | None:
        """The indices of a loop, if they are known."""
        match self.atom(s.start), self.atom(s.stop), self.atom(s.step):
            case Const(int(start)), Const(int(stop)), Const(int(step)) if not s.has_exit and step != 0:
                steps = range(start, stop, step)
                return steps if len(steps) <= LONGEST else None
        return None

    def goes_along(self, s: For) -> bool:
        """Whether a loop takes items by numbers that change in it, or puts items into lists made before."""
        return next(self.along(s), None) is not None

    def along(self, s: For) -> Iterator[Class]:
        """The lists that a loop goes along."""
        moving: set[Atom] = {s.index, *s.params}
        for x in walk(s.body):
            if not moving.isdisjoint(uses_of(x)):
                moving.update((*targets_of(x), *inner_targets_of(x)))
            match x:
                case Op(fn=operator.getitem, args=(Var() as v, index)) if index in moving and self.becomes(v):
                    yield self.memory.of(v)
                case Op(fn=prims.list_append, args=(Var() as v, _)) | Store(obj=Var() as v) if v in self.lists:
                    yield self.lists[v].of

    def spell_out(self, s: For) -> list[Stmt]:
        """The iterations of a loop one after the other."""
        steps = self.steps(s)
        assert steps is not None
        if (self.spelt + len(steps) * sum(1 for _ in walk(s.body))) > STATEMENTS:
            raise _Stays(next(self.along(s)))
        stmts: list[Stmt] = []
        values: list[Atom] = list(s.inits)
        for k in steps:
            self.again += 1
            for p, a in zip(s.params, values, strict=True):
                self.bind_next(p, a, s)
            self.table[s.index] = Const(k)
            stmts += [new for x in s.body.stmts for new in self.stmt(x)]
            values = [self.kept(a) for a in s.body.outs]
            self.again -= 1
        for v, a in zip(s.results, values, strict=True):
            self.bind_next(v, a, s)
        return stmts

    def kept(self, a: Atom) -> Atom:
        """A value of this iteration, which the next one will not give another meaning."""
        held = self.items(a)
        if held is None:
            return self.atom(a)
        assert isinstance(a, Var)
        held.is_shared = True
        self.lists[new := Var(a.hint, a.kind)] = held
        return new

    def bind_next(self, v: Var, a: Atom, s: For) -> None:
        """Let a variable stand for a value that an iteration gave, or that there was before."""
        self.table.pop(v, None)
        if (held := self.items(a)) is not None:
            held.is_shared = True
            self.lists[v] = held
        elif a == UNDEF and self.counts.get(v):
            raise _Stays(next(self.along(s)))
        elif a != UNDEF and self.becomes(v):
            raise _Stays(self.memory.of(v))
        else:
            self.table[v] = self.atom(a)


def _as_item(held: _Items, a: Atom) -> Atom:
    """A number as a list holds it; a list of floats holds floats only."""
    kind = kind_of(a)
    if kind == held.item or (kind in _DOUBLE and held.item in _DOUBLE):
        return a
    if held.item in _DOUBLE and isinstance(a, Const) and type(a.value) is int:
        return Const(float(a.value))
    raise _Stays(held.of)


def _folded(s: Op, args: Sequence[Atom]) -> Const | None:
    """What an operation on integers that are known gives."""
    if isinstance(s.fn, Function) or s.fn not in _FOLDED or s.kwargs or s.target is None or len(args) != 2:
        return None
    values = [a.value for a in args if isinstance(a, Const) and type(a.value) is int]
    return Const(s.fn(*values)) if len(values) == 2 else None
