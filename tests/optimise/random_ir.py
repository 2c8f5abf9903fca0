"""Random programs in the IR: scalars, arrays and their views, stores, lists, loops, branches, closures.

They are built to run without error on any input: every index is in range, lists are
popped only when known to hold enough, values stay bounded.
"""

from __future__ import annotations

import operator
import random
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import ANY, BOOL, FLOAT, INT, SLICE, Array, List, Tuple
from s2sad.ir.nodes import Atom, Block, Closure, Comment, Const, For, Function, If, Op, Stmt, Store, Var, While
from s2sad.runtime import helpers

VECTOR = Array("float64", 1, 1)
PART = Array("float64", 1)
LENGTH = 5
WHOLE = Const(Ellipsis)


class Generator:
    """One program from a seed."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.scope: list[Var] = []
        self.stmts: list[Stmt] = []
        self.budget = self.r.randint(10, 45)

    def function(self) -> Function:
        """The program."""
        params = (Var("x", FLOAT), Var("n", INT), Var("A", VECTOR), Var("B", VECTOR))
        self.scope = list(params)
        body = self.body(0)
        items = tuple(self.pick(FLOAT, VECTOR, PART, List(FLOAT)) for _ in range(self.r.randint(1, 4)))
        if self.r.random() < 0.3:
            items += (self.closure(body),)
        result = Var("result", Tuple(tuple(_kind(a) for a in items)))
        body.append(Op(result, prims.make_tuple, items))
        return Function("f", params, Block(tuple(body), (result,)))

    # ------------------------------------------------------------ picking

    def pick(self, *kinds: Any) -> Atom:
        """A variable of one of the kinds, recent ones more often; a literal if there is none."""
        found = [v for v in self.scope if v.kind in kinds]
        if FLOAT in kinds and (not found or self.r.random() < 0.15):
            return Const(self.r.choice([1.0, -1.0, 0.5, 2.0, 0.0]))
        return self.r.choice(found[-6:] if self.r.random() < 0.7 else found)

    def array(self) -> Any:
        """An array."""
        return self.pick(VECTOR, PART)

    def index(self, a: Atom, into: list[Stmt]) -> Atom:
        """A valid integer index."""
        loop = [v for v in self.scope if v.hint == "i"]
        if loop and self.r.random() < 0.5:
            i: Atom = self.r.choice(loop)
            if self.r.random() < 0.3:
                i = self.make("k", INT, operator.sub, (i, Const(1)), into)
            return i
        return Const(self.r.randint(0, 2))

    def make(self, hint: str, kind: Any, fn: Any, args: tuple[Atom, ...], into: list[Stmt], **kwargs: Atom) -> Var:
        """An operation, and its target."""
        v = Var(hint, kind)
        into.append(Op(v, fn, args, tuple(kwargs.items())))
        self.scope.append(v)
        return v

    # ------------------------------------------------------------ statements

    def body(self, depth: int) -> list[Stmt]:
        """Statements; the caller takes care of the scope."""
        into: list[Stmt] = []
        for _ in range(self.r.randint(2, 9 if depth else 16)):
            if self.budget <= 0:
                break
            self.budget -= 1
            choices = [self.scalar] * 5 + [self.vector] * 3 + [self.view] * 2 + [self.load] * 3 + [self.store] * 4
            choices += [self.clear_and_add] * 3 + [self.fresh] * 2 + [self.lists] * 2 + [self.effect]
            if depth < 3:
                choices += [self.loop, self.branch, self.while_loop]
            self.r.choice(choices)(into, depth)
        return into

    def scalar(self, into: list[Stmt], depth: int) -> None:
        """Arithmetic on scalars, with what the rules look for."""
        r, a, b = self.r, self.pick(FLOAT), self.pick(FLOAT)
        match r.randint(0, 9):
            case 0 | 1:
                self.make("t", FLOAT, r.choice([operator.add, operator.sub]), (a, b), into)
            case 2:
                c = self.make("t", FLOAT, np.tanh, (b,), into)
                self.make("t", FLOAT, operator.mul, (a, c) if r.random() < 0.5 else (c, a), into)
            case 3:
                self.make("t", FLOAT, operator.neg, (a,), into)
            case 4:
                self.make("t", FLOAT, operator.mul, (Const(r.choice([1.0, -1.0, 0.5, -0.5])), a), into)
            case 5:
                c = self.make("t", FLOAT, np.cosh, (Const(0.3),), into)
                c = self.make("t", FLOAT, operator.truediv, (Const(r.choice([1.0, -1.0])), c), into)
                self.make("t", FLOAT, operator.mul, (a, c), into)
            case 6:
                pair = self.make("p", Tuple((_kind(a), _kind(b))), prims.make_tuple, (a, b), into)
                self.make("t", FLOAT, operator.getitem, (pair, Const(r.choice([0, 1]))), into)
            case 7:
                self.make("t", FLOAT, helpers.unbroadcast, (a, b), into)
            case 8:
                self.make("t", FLOAT, operator.pow, (a, Const(r.choice([1, 2]))), into)
            case 9:
                self.make("t", FLOAT, np.sin, (a,), into)

    def vector(self, into: list[Stmt], depth: int) -> None:
        """Arithmetic on arrays of one shape, fills and sums."""
        r, a = self.r, self.array()
        match r.randint(0, 6):
            case 0 | 1:
                same = [v for v in self.scope if v.kind == a.kind]
                fn = r.choice([operator.add, operator.sub])
                c = self.make("V", a.kind, np.sin, (a,), into)
                self.make("V", a.kind, fn, (c, r.choice(same)) if r.random() < 0.5 else (r.choice(same), c), into)
            case 2:
                self.make("V", a.kind, operator.mul, (a, Const(r.choice([1.0, -1.0, 0.5]))), into)
            case 3:
                self.make("V", a.kind, operator.neg, (a,), into)
            case 4:
                c = self.make("V", a.kind, helpers.spread, (self.pick(FLOAT), a), into)
                d = self.make("V", a.kind, np.tanh, (a,), into)
                self.make("V", a.kind, operator.mul, (c, d), into)
            case 5:
                self.make("s", FLOAT, np.mean, (a,), into)
            case 6:
                b = self.make("V", a.kind, np.tanh, (a,), into)
                fn = r.choice([helpers.unbroadcast, helpers.as_result])
                self.make("V", a.kind, fn, (b if r.random() < 0.5 else a, a), into)

    def fresh(self, into: list[Stmt], depth: int) -> None:
        """Arrays to be filled."""
        r, a = self.r, self.array()
        z = self.make("Z", a.kind, r.choice([np.zeros_like, np.copy, np.zeros_like]), (a,), into)
        if r.random() < 0.6:
            value = self.pick(FLOAT) if r.random() < 0.5 else self.make("V", a.kind, np.cos, (a,), into)
            into.append(Store(z, WHOLE, value, r.choice(["+", "+", None])))

    def slice(self, into: list[Stmt]) -> Var:
        """A slice that takes three of five items."""
        start = self.r.choice([0, 1, 2])
        return self.make("sl", SLICE, prims.make_slice, (Const(start), Const(start + 3), Const(None)), into)

    def view(self, into: list[Stmt], depth: int) -> None:
        """A view, or a copy of one."""
        v = self.make("v", PART, operator.getitem, (self.pick(VECTOR), self.slice(into)), into)
        if self.r.random() < 0.4:
            self.make("c", PART, np.copy, (v,), into)
        if self.r.random() < 0.2:
            self.make("v", PART, np.transpose, (v,), into)

    def load(self, into: list[Stmt], depth: int) -> None:
        """An element."""
        a = self.array()
        t = self.make("e", FLOAT, operator.getitem, (a, self.index(a, into)), into)
        self.make("e", FLOAT, np.sin, (t,), into)

    def store(self, into: list[Stmt], depth: int) -> None:
        """A store into an element, a slice or a whole array."""
        r, a = self.r, self.array()
        aug = r.choice([None, "+", "+", "-"])
        if r.random() < 0.6:
            into.append(Store(a, self.index(a, into), self.pick(FLOAT), aug))
        elif a.kind == VECTOR and r.random() < 0.6:
            into.append(Store(a, self.slice(into), self.pick(FLOAT, PART), aug))
        else:
            value = self.pick(FLOAT) if r.random() < 0.5 else r.choice([v for v in self.scope if v.kind == a.kind])
            into.append(Store(a, WHOLE, value, aug))

    def clear_and_add(self, into: list[Stmt], depth: int) -> None:
        """What the adjoint of a store looks like."""
        r, a = self.r, self.array()
        if r.random() < 0.3:
            into.append(Comment("reverse"))
        if a.kind == VECTOR and r.random() < 0.4:
            i: Atom = self.slice(into)
            v = self.make("b", PART, operator.getitem, (a, i), into)
            b = self.make("b", PART, np.copy, (v,), into)
        else:
            i = self.index(a, into)
            b = self.make("b", FLOAT, operator.getitem, (a, i), into)
        into.append(Store(a, i, Const(0.0)))
        for _ in range(r.randint(1, 3)):
            part = self.make("b", b.kind, operator.mul, (b, Const(0.5)), into) if r.random() < 0.7 else b
            to = a if r.random() < 0.7 else self.array()
            j = i if r.random() < 0.6 and to is a else self.slice(into) if b.kind == PART else self.index(to, into)
            if b.kind == PART and to.kind == PART:
                j = WHOLE
            into.append(Store(to, j, part, "+"))

    def lists(self, into: list[Stmt], depth: int) -> None:
        """A list of floats: made, appended to, read."""
        if self.r.random() < 0.5 or not any(v.kind == List(FLOAT) for v in self.scope):
            self.make("xs", List(FLOAT), prims.make_list, (self.pick(FLOAT), self.pick(FLOAT)), into)
        xs = self.pick(List(FLOAT))
        match self.r.randint(0, 3):
            case 0:
                into.append(Op(None, prims.list_append, (xs, self.pick(FLOAT))))
            case 1:
                into.append(Op(None, prims.list_append, (xs, self.pick(FLOAT))))
                self.make("e", FLOAT, prims.list_pop, (xs,), into)
            case 2:
                self.make("e", FLOAT, operator.getitem, (xs, Const(self.r.choice([0, 1]))), into)
            case 3:
                into.append(Store(xs, Const(0), self.pick(FLOAT), self.r.choice([None, "+"])))

    def effect(self, into: list[Stmt], depth: int) -> None:
        """Something to be seen from outside."""
        into.append(Op(None, note, (self.pick(FLOAT),)))

    # ------------------------------------------------------------ structure

    def nested(self, depth: int, extra: tuple[Var, ...], kinds: list[Any]) -> Block:
        """A block that hands over values of the kinds."""
        mark = len(self.scope)
        self.scope.extend(extra)
        stmts = self.body(depth + 1)
        outs = tuple(self.pick(k) for k in kinds)
        del self.scope[mark:]
        return Block(tuple(stmts), outs)

    def carried(self) -> tuple[tuple[Var, ...], tuple[Atom, ...], tuple[Var, ...]]:
        """Params, inits and results."""
        inits = tuple(self.pick(FLOAT, FLOAT, VECTOR) for _ in range(self.r.randint(0, 3)))
        hints = [a.hint if isinstance(a, Var) and a.hint != "i" else "c" for a in inits]
        params = tuple(Var(h, _kind(a)) for h, a in zip(hints, inits, strict=True))
        return params, inits, tuple(Var(p.hint, p.kind) for p in params)

    def loop(self, into: list[Stmt], depth: int) -> None:
        """A ``for``; sometimes backwards, sometimes with an exit."""
        params, inits, results = self.carried()
        index = Var("i", INT)
        has_exit = self.r.random() < 0.2
        body = self.nested(depth, (index, *params), [p.kind for p in params])
        if has_exit:
            flag = Var("stop", BOOL)
            test = Op(flag, operator.gt, (index, Const(self.r.randint(0, 3))))
            body = Block((*body.stmts, test), (*body.outs, flag))
        bounds = self.r.choice([(Const(1), Const(3), Const(1)), (Const(2), Const(0), Const(-1))])
        into.append(For(index, *bounds, params, inits, body, results, has_exit))
        self.scope.extend(results)

    def while_loop(self, into: list[Stmt], depth: int) -> None:
        """A ``while`` that counts down."""
        params, inits, results = self.carried()
        n, m, go, after = Var("w", INT), Var("w", INT), Var("go", BOOL), Var("w", INT)
        body = self.nested(depth, params, [p.kind for p in params])
        body = Block((*body.stmts, Op(m, operator.sub, (n, Const(1)))), (m, *body.outs))
        test = Block((Op(go, operator.gt, (n, Const(0))),), (go,))
        into.append(While((n, *params), (Const(2), *inits), test, body, (after, *results)))
        self.scope.extend(results)

    def branch(self, into: list[Stmt], depth: int) -> None:
        """An ``if``."""
        kinds = [self.r.choice([FLOAT, VECTOR]) for _ in range(self.r.randint(0, 2))]
        cond: Atom = Const(True)
        if self.r.random() < 0.8:
            cond = self.make("cond", BOOL, operator.gt, (self.pick(FLOAT), self.pick(FLOAT)), into)
        then, orelse = self.nested(depth, (), kinds), self.nested(depth, (), kinds)
        results = tuple(Var("r", k) for k in kinds)
        into.append(If(cond, then, orelse, results))
        self.scope.extend(results)

    def closure(self, into: list[Stmt]) -> Var:
        """A function of one float that uses what is around it."""
        mark = len(self.scope)
        b = Var("b", FLOAT)
        self.scope.append(b)
        self.budget += 8
        stmts = self.body(2)
        items = (self.pick(FLOAT), self.pick(FLOAT, VECTOR))
        result = Var("cts", Tuple(tuple(_kind(a) for a in items)))
        stmts.append(Op(result, prims.make_tuple, items))
        del self.scope[mark:]
        target = Var("pullback", ANY)
        into.append(Closure(target, Function("pullback", (b,), Block(tuple(stmts), (result,)))))
        return target


def _kind(a: Atom) -> Any:
    return a.kind if not isinstance(a, Const) else FLOAT


NOTES: list[float] = []


def note(x: Any) -> None:
    """An effect that tests can see."""
    NOTES.append(float(x))
