"""Tapes as arrays, where it is known beforehand how much they hold.

Before::

    def f(x: float, n: int):
        tape: list[(float, float)] = []
        for i in range(0, n) carrying (y: float = x):
            a = math.sin(y)
            t: (float, float) = (y, a)
            list_append(tape, t)
            next a
        -> z
        for j in range(0, n) carrying (bz: float = 1.0):
            u: (float, float) = list_pop(tape, -1)
            b: float = u[0]
            c: float = u[1]
            d = b * c
            e = d * bz
            next e
        -> w
        return w

After::

    def f(x, n):
        m = max(n, 0)
        y_tape = np.empty(m, np.float64)
        a_tape = np.empty(m, np.float64)
        for i in range(0, n) carrying (y = x, k = 0):
            a = math.sin(y)
            y_tape[k] = y
            a_tape[k] = a
            k_1 = k + 1
            next a, k_1
        -> z, k_2
        for j in range(0, n) carrying (bz = 1.0, k_3 = k_2):
            k_4 = k_3 - 1
            b = y_tape[k_4]
            c = a_tape[k_4]
            d = b * c
            e = d * bz
            next e, k_4
        -> w, k_5
        return w

The number of items is at most that of the iterations around the append; it is counted by the
bounds of the loops, or by running loops whose bounds depend on each other for their bounds alone.
Lists stay where a loop may be left early or has no bounds, and for items that are no numbers.  Memory that
is not written takes no space, so a branch around an append costs nothing.

Requires: a derivative with tapes, which are appended to and popped from in one place each.
Ensures: the same values; in a pullback the arrays are only read, so they need no copies.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Function, If, Op, Stmt, Store, Var
from s2sad.ir.rewrite import all_vars, blocks_of, use_counts, uses_of, walk, with_blocks, with_body

__all__ = ["tapes_as_arrays"]

_TYPES = {
    "float": np.float64,
    "float64": np.float64,
    "float32": np.float32,
    "int": np.int64,
    "int64": np.int64,
    "bool": np.bool_,
}
#: What the bounds of an inner loop may be computed by, to be computed again.
_PLAIN = {operator.add, operator.sub, operator.mul, operator.neg, operator.floordiv, operator.mod, min, max, len}


def tapes_as_arrays(function: Function) -> Function:
    """Replace lists of numbers that serve as tapes."""
    for tape in _tapes(function):
        body = _Rewriter(function, tape).body()
        if body is not None:
            function = with_body(function, body)
    return function


@dataclass(slots=True)
class _Tape:
    """A list, where it is made, appended to and popped from, and its copy in a pullback."""

    made: Op
    append: Op | None = None
    pop: Op | None = None
    copy: Op | None = None
    other: bool = False
    items: list[Op] = field(default_factory=list)

    @property
    def kinds(self) -> tuple[K.Kind, ...]:
        """The kinds of what one item holds."""
        assert self.append is not None
        kind = kind_of(self.append.args[1])
        return kind.items if isinstance(kind, K.Tuple) else (kind,)


def _tapes(function: Function) -> list[_Tape]:
    """The lists at the top of a function that are tapes, with numbers in them."""
    found: dict[Var, _Tape] = {}
    for s in function.body.stmts:
        if isinstance(s, Op) and s.fn is prims.make_list and not s.args and s.target is not None:
            found[s.target] = _Tape(s)
    names = dict(found)
    popped: dict[Var, _Tape] = {}
    for s in walk(function):
        _note(s, found, names, popped)
        for block in blocks_of(s):
            _spoil(block.outs, names, popped)
    _spoil(function.body.outs, names, popped)
    return [t for t in found.values() if t.append and t.pop and not t.other and _fit(t)]


def _note(s: Stmt, made: dict[Var, _Tape], names: dict[Var, _Tape], popped: dict[Var, _Tape]) -> None:
    """Note what a statement does with tapes."""
    match s:
        case Op(target=None, fn=prims.list_append, args=(Var() as v, value)) if v in made and not made[v].append:
            made[v].append = s
            _spoil((value,), names, popped)
        case Op(target=Var() as copy, fn=prims.list_copy, args=(Var() as v,)) if v in made and not made[v].copy:
            made[v].copy = s
            names[copy] = made[v]
        case Op(target=Var() as item, fn=prims.list_pop, args=(Var() as v, Const(-1))) if (
            v in names and not names[v].pop
        ):
            names[v].pop = s
            popped[item] = names[v]
        case Op(fn=operator.getitem, args=(Var() as v, Const(int()))) if v in popped:
            popped[v].items.append(s)
        case _:
            _spoil(uses_of(s), names, popped)


def _spoil(atoms: Sequence[Atom], names: dict[Var, _Tape], popped: dict[Var, _Tape]) -> None:
    """What is used in any other way is no tape; a number that was popped may be used as one likes."""
    for a in atoms:
        if isinstance(a, Var) and a in names:
            names[a].other = True
        elif isinstance(a, Var) and a in popped and isinstance(a.kind, K.Tuple):
            popped[a].other = True


def _fit(tape: _Tape) -> bool:
    """Whether all that is recorded are numbers."""
    return all(isinstance(k, K.Scalar) and k.dtype in _TYPES for k in tape.kinds)


class _Rewriter:
    """Replaces one tape."""

    def __init__(self, function: Function, tape: _Tape) -> None:
        self.function = function
        self.tape = tape
        assert tape.append is not None and tape.pop is not None
        self.sites = {id(tape.append), id(tape.pop)}
        self.definitions = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}
        self.arrays: list[Var] = []
        self.gone = {id(s) for s in (tape.made, tape.copy, *tape.items) if s is not None}
        value = tape.append.args[1]
        item = self.definitions.get(value) if isinstance(value, Var) else None
        if item is not None and item.fn is prims.make_tuple and use_counts(function)[value] == 1:  # type: ignore[index]
            self.gone.add(id(item))

    def body(self) -> Block | None:
        """The body of the function with arrays; None if the tape must stay a list."""
        stmts = self.function.body.stmts
        place = next((k for k, s in enumerate(stmts) if self.holds(s, id(self.tape.append))), None)
        if place is None or isinstance(stmts[place], Closure | Op):
            return None
        size = _Counter(self.definitions, set(all_vars(Block((stmts[place],))))).count(stmts[place], self.tape.append)
        if size is None:
            return None
        made = self.allocate(size[1])
        rest, _ = self.block((*stmts[:place], *size[0], *made, *stmts[place:]), Const(0))
        return None if rest is None else Block(rest, self.function.body.outs)

    def allocate(self, size: Atom) -> list[Stmt]:
        """The arrays, one for each part of an item."""
        assert self.tape.made.target is not None
        stmts: list[Stmt] = []
        hints = self.hints()
        for kind, hint in zip(self.tape.kinds, hints, strict=True):
            assert isinstance(kind, K.Scalar)
            dtype = _TYPES[kind.dtype]
            array = Var(hint, K.Array(np.dtype(dtype).name, 1))
            self.arrays.append(array)
            stmts.append(Op(array, np.empty, (size, Const(dtype))))
        return stmts

    def hints(self) -> list[str]:
        """Names for the arrays, after what they hold."""
        assert self.tape.append is not None and self.tape.made.target is not None
        value = self.tape.append.args[1]
        made = self.definitions.get(value) if isinstance(value, Var) else None
        if made is None or made.fn is not prims.make_tuple:
            return [self.tape.made.target.hint] * len(self.tape.kinds)
        return [f"{getattr(a, 'hint', '') or 't'}_tape" for a in made.args]

    def holds(self, s: Stmt, site: int) -> bool:
        """Whether a statement is a site, or has one within."""
        return id(s) == site or any(id(inner) == site for inner in walk(Block((s,))))

    def block(self, stmts: Sequence[Stmt], k: Atom) -> tuple[tuple[Stmt, ...] | None, Atom]:
        """Statements with the number of items threaded through them, and that number behind them."""
        out: list[Stmt] = []
        for s in stmts:
            if s is self.tape.append:
                k = self.put(s, k, out)
            elif s is self.tape.pop:
                k = self.take(s, k, out)
            elif id(s) in self.gone:
                pass
            elif not isinstance(s, Op | Store) and any(self.holds(s, site) for site in self.sites):
                new, k = self.compound(s, k)
                if new is None:
                    return None, k
                out.append(new)
            else:
                out.append(s)
        return tuple(out), k

    def put(self, s: Op, k: Atom, out: list[Stmt]) -> Atom:
        """An append."""
        value = s.args[1]
        made = self.definitions.get(value) if isinstance(value, Var) else None
        if made is not None and made.fn is prims.make_tuple and len(made.args) == len(self.arrays):
            values: list[Atom] = list(made.args)
        elif len(self.arrays) == 1 and not isinstance(kind_of(value), K.Tuple):
            values = [value]
        else:
            values = [
                Var(a.hint.removesuffix("_tape"), kind) for a, kind in zip(self.arrays, self.tape.kinds, strict=True)
            ]
            out += [Op(v, operator.getitem, (value, Const(n))) for n, v in enumerate(values) if isinstance(v, Var)]
        out += [Store(a, k, v) for a, v in zip(self.arrays, values, strict=True)]
        after = Var("k", K.INT)
        out.append(Op(after, operator.add, (k, Const(1))))
        return after

    def take(self, s: Op, k: Atom, out: list[Stmt]) -> Atom:
        """A pop."""
        before = Var("k", K.INT)
        out.append(Op(before, operator.sub, (k, Const(1))))
        if not isinstance(s.target.kind if s.target else None, K.Tuple):
            out.append(Op(s.target, operator.getitem, (self.arrays[0], before)))
            return before
        for item in self.tape.items:
            place = item.args[1]
            assert isinstance(place, Const)
            out.append(Op(item.target, operator.getitem, (self.arrays[place.value], before)))
        return before

    def compound(self, s: Stmt, k: Atom) -> tuple[Stmt | None, Atom]:
        """A loop or branch that the number goes through."""
        after = Var("k", K.INT)
        match s:
            case If():
                then, out_then = self.block(s.then.stmts, k)
                orelse, out_else = self.block(s.orelse.stmts, k)
                if then is None or orelse is None:
                    return None, k
                blocks = Block(then, (*s.then.outs, out_then)), Block(orelse, (*s.orelse.outs, out_else))
                return If(s.cond, *blocks, (*s.results, after), s.origin), after
            case For():
                start = Var("k", K.INT)
                stmts, last = self.block(s.body.stmts, start)
                if stmts is None:
                    return None, k
                n = len(s.params)
                body = Block(stmts, (*s.body.outs[:n], last, *s.body.outs[n:]))
                params, inits, results = (*s.params, start), (*s.inits, k), (*s.results, after)
                bounds = s.start, s.stop, s.step
                return For(s.index, *bounds, params, inits, body, results, s.has_exit, s.origin), after
            case Closure():
                stmts, _ = self.block(s.function.body.stmts, k)
                if stmts is None:
                    return None, k
                return with_blocks(s, (Block(stmts, s.function.body.outs),)), k
        return None, k


class _Counter:
    """Counts how often a statement within another runs, at most, before it does."""

    def __init__(self, definitions: dict[Var, Op], inside: set[Var]) -> None:
        self.definitions = definitions
        self.inside = inside

    def count(self, s: Stmt, site: Op | None) -> tuple[list[Stmt], Atom] | None:
        """Statements that count, and the number; None if it cannot be told."""
        loops = self.path(s, site)
        if loops is None:
            return None
        stmts: list[Stmt] = []
        if all(not self.within(a) for loop in loops for a in (loop.start, loop.stop, loop.step)):
            total: Atom = Const(1)
            for n, loop in enumerate(loops):
                length = self.length(loop, stmts, {})
                total = length if n == 0 else self.emit(stmts, operator.mul, total, length)
            return stmts, total
        counted = self.run(loops, stmts, {}, Const(0))
        return None if counted is None else (stmts, counted)

    def path(self, s: Stmt, site: Op | None) -> list[For] | None:
        """The loops around the site, outer before inner; None if one of them may end early or has no bounds."""
        if s is site:
            return []
        for block in blocks_of(s):
            for inner in block.stmts:
                if inner is site or any(x is site for x in walk(Block((inner,)))):
                    found = self.path(inner, site)
                    match s:
                        case If():
                            return found
                        case For(has_exit=False):
                            return None if found is None else [s, *found]
                    return None
        return None

    def within(self, a: Atom) -> bool:
        """Whether a value is only known inside the statement."""
        return isinstance(a, Var) and a in self.inside

    def emit(self, stmts: list[Stmt], fn: Callable[..., object], *args: Atom) -> Atom:
        """The integer result of an operation."""
        target = Var("n", K.INT)
        stmts.append(Op(target, fn, args))
        return target

    def length(self, loop: For, stmts: list[Stmt], known: dict[Var, Atom]) -> Atom:
        """The number of iterations of a loop."""
        start, stop, step = (known.get(a, a) if isinstance(a, Var) else a for a in (loop.start, loop.stop, loop.step))
        match start, stop, step:
            case Const(value=int(a)), Const(value=int(b)), Const(value=int(c)):
                return Const(len(range(a, b, c)))
            case Const(value=0), _, Const(value=1):
                return self.emit(stmts, max, stop, Const(0))
            case _, _, Const(value=1):
                return self.emit(stmts, max, self.emit(stmts, operator.sub, stop, start), Const(0))
            case _, _, Const(value=-1):
                return self.emit(stmts, max, self.emit(stmts, operator.sub, start, stop), Const(0))
        whole = Var("", K.Other(range))
        stmts.append(Op(whole, range, (start, stop, step)))
        return self.emit(stmts, len, whole)

    def run(self, loops: list[For], stmts: list[Stmt], known: dict[Var, Atom], total: Atom) -> Atom | None:
        """The number by running the loops for their bounds; the innermost only for its length."""
        loop, *inner = loops
        for a in (loop.start, loop.stop, loop.step):
            if not self.again(a, stmts, known):
                return None
        if not inner:
            return self.emit(stmts, operator.add, total, self.length(loop, stmts, known))
        index, carried, result = Var(loop.index.hint, K.INT), Var("n", K.INT), Var("n", K.INT)
        body: list[Stmt] = []
        counted = self.run(inner, body, {**known, loop.index: index}, carried)
        if counted is None:
            return None
        start, stop, step = (known.get(a, a) if isinstance(a, Var) else a for a in (loop.start, loop.stop, loop.step))
        stmts.append(For(index, start, stop, step, (carried,), (total,), Block(tuple(body), (counted,)), (result,)))
        return result

    def again(self, a: Atom, stmts: list[Stmt], known: dict[Var, Atom]) -> bool:
        """Compute a value of the loops once more; False if that takes more than arithmetic."""
        if not isinstance(a, Var) or not self.within(a) or a in known:
            return True
        op = self.definitions.get(a)
        if op is None or op.fn not in _PLAIN or op.kwargs or not isinstance(a.kind, K.Scalar):
            return False
        if any(isinstance(kind_of(x), K.List) for x in op.args):
            return False
        if not all(self.again(x, stmts, known) for x in op.args):
            return False
        args = tuple(known.get(x, x) if isinstance(x, Var) else x for x in op.args)
        known[a] = copy = Var(a.hint, a.kind)
        stmts.append(Op(copy, op.fn, args))
        return True
