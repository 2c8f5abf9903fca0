"""Random IR programs that try the emitter: names that collide, values that swap, flags, effects in order."""

from __future__ import annotations

import math
import operator
import random
from typing import Any

from s2sad.ir import prims
from s2sad.ir.kinds import ANY, BOOL, FLOAT, INT, Array, Kind, Tuple
from s2sad.ir.nodes import Atom, Block, Closure, Comment, Const, For, Function, If, Op, Stmt, Store, Var, While

VECTOR = Array("float64", 1)
NAMES = ("x", "y", "a", "b", "s", "", "", "_b", "t", "np", "len", "i", "math", "range", "result", "trace")
TRACE: list[Any] = []


def trace(x: Any) -> Any:
    """An effect: it must happen as often, and in the same order, as in the IR."""
    TRACE.append(x)
    return x


class Generator:
    """One program from a seed. ``env`` holds what is in sight, ``out`` the statements so far."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.callees: list[Function] = []
        if seed % 3 == 0:
            self.budget = 20
            self.callees.append(self.function("callee"))
        self.budget = self.r.randint(6, 40)

    def function(self, name: str = "f") -> Function:
        hints = self.r.sample(["x", "y", "a", "np", "len", "range"], 2)
        params = (*(Var(h, FLOAT) for h in hints), Var("n", INT), Var("A", VECTOR))
        env, out = self.block(list(params), 0, self.r.randint(3, 14))
        floats = [v for v in env if v.kind == FLOAT][-4:]
        if name == "callee" or self.r.random() < 0.4:
            return Function(name, params, Block(tuple(out), (self.r.choice(floats),)))
        items = (*floats, *[v for v in env if v.kind == INT][-2:])
        result = Var("", Tuple(tuple(v.kind for v in items)))
        return Function(name, params, Block((*out, Op(result, prims.make_tuple, items)), (result,)))

    # -- values -----------------------------------------------------------------

    def name(self) -> str:
        return self.r.choice(NAMES)

    def pick(self, env: list[Var], kind: Kind) -> Atom:
        known = [v for v in env if v.kind == kind]
        if kind == FLOAT and (not known or self.r.random() < 0.15):
            return Const(round(self.r.uniform(-2, 2), 1))
        if kind == INT and (not known or self.r.random() < 0.3):
            return Const(self.r.randint(-2, 3))
        if not known:
            return Const(self.r.random() < 0.5)
        return self.r.choice(known[-6:] if self.r.random() < 0.8 else known)

    def op(
        self, env: list[Var], out: list[Stmt], fn: Any, args: list[Atom], kind: Kind, hint: str | None = None
    ) -> Var:
        v = Var(self.name() if hint is None else hint, kind)
        out.append(Op(v, fn, tuple(args)))
        env.append(v)
        return v

    def cond(self, env: list[Var], out: list[Stmt]) -> Var:
        kind = FLOAT if self.r.random() < 0.7 else INT
        compare = self.r.choice([operator.lt, operator.ge])
        return self.op(env, out, compare, [self.pick(env, kind), self.pick(env, kind)], BOOL)

    def index(self, env: list[Var], out: list[Stmt]) -> Var:
        i = self.op(env, out, operator.mod, [self.pick(env, INT), Const(4)], INT, self.r.choice(["", "k"]))
        return self.op(env, out, prims.make_tuple, [i], Tuple((INT,)), "") if self.r.random() < 0.3 else i

    # -- statements ---------------------------------------------------------------

    def block(self, env: list[Var], depth: int, length: int) -> tuple[list[Var], list[Stmt]]:
        env, out = list(env), []
        for _ in range(length):
            if self.budget <= 0:
                break
            self.budget -= 1
            self.stmt(env, out, depth)
        return env, out

    def stmt(self, env: list[Var], out: list[Stmt], depth: int) -> None:
        match self.r.choices(range(10), (32, 9, 12, 10, 7, 3, 12, 9 if depth < 3 else 0, 3, 3))[0]:
            case 0:
                fn = self.r.choice([operator.add, operator.sub, operator.mul])
                self.op(env, out, fn, [self.pick(env, FLOAT), self.pick(env, FLOAT)], FLOAT)
            case 1:
                self.op(env, out, operator.add, [self.pick(env, INT), Const(self.r.randint(-1, 1))], INT)
            case 2:
                self.op(env, out, operator.getitem, [self.pick(env, VECTOR), self.index(env, out)], FLOAT)
            case 3:
                array, index = self.pick(env, VECTOR), self.index(env, out)
                value = self.op(env, out, math.tanh, [self.pick(env, FLOAT)], FLOAT)
                out.append(Store(array, index, value, self.r.choice([None, None, "+"])))
            case 4:
                if self.r.random() < 0.5:
                    self.op(env, out, trace, [self.pick(env, FLOAT)], FLOAT)
                else:
                    out.append(Op(None, trace, (self.pick(env, FLOAT),)))
            case 5:
                self.op(env, out, operator.mul, [self.pick(env, VECTOR), self.pick(env, FLOAT)], VECTOR)
            case 6:
                self.branch(env, out, depth)
            case 7:
                self.loop(env, out, depth)
            case 8:
                self.closure(env, out, depth)
            case 9:
                self.odds(env, out)

    def odds(self, env: list[Var], out: list[Stmt]) -> None:
        if self.callees and self.r.random() < 0.5:
            f = self.callees[0]
            self.op(env, out, f, [self.pick(env, p.kind) for p in f.params], FLOAT)
            return
        out.append(Comment("a remark"))
        pair = self.op(
            env, out, prims.make_tuple, [self.pick(env, FLOAT), self.pick(env, FLOAT)], Tuple((FLOAT, FLOAT))
        )
        self.op(env, out, operator.getitem, [pair, Const(self.r.randint(0, 1))], FLOAT)

    def branch(self, env: list[Var], out: list[Stmt], depth: int) -> None:
        cond = self.cond(env, out)
        if self.r.random() < 0.2:  # and, or
            inner, stmts = self.block(env, depth + 1, self.r.randint(0, 1))
            second = Block(tuple(stmts), (self.cond(inner, stmts),))
            second = Block(tuple(stmts), second.outs)
            result = Var(self.name(), BOOL)
            if self.r.random() < 0.5:
                out.append(If(cond, second, Block((), (self.r.choice([cond, Const(False)]),)), (result,)))
            else:
                out.append(If(cond, Block((), (self.r.choice([cond, Const(True)]),)), second, (result,)))
            env.append(result)
            return
        kinds = [self.r.choice([FLOAT, FLOAT, INT, BOOL]) for _ in range(self.r.randint(0, 3))]
        blocks = []
        for _ in range(2):
            inner, stmts = self.block(env, depth + 1, self.r.randint(0, 4))
            blocks.append(Block(tuple(stmts), tuple(self.pick(inner, k) for k in kinds)))
        results = tuple(Var(self.name(), k) for k in kinds)
        out.append(If(cond, *blocks, results))
        env.extend(results)

    def loop(self, env: list[Var], out: list[Stmt], depth: int) -> None:
        kinds: list[Kind] = [
            self.r.choice([FLOAT, FLOAT, FLOAT, INT, BOOL, VECTOR]) for _ in range(self.r.randint(0, 4))
        ]
        hints = [self.name() for _ in kinds]
        params = tuple(Var(h, k) for h, k in zip(hints, kinds, strict=True))
        inits = tuple(self.pick(env, k) if k != BOOL else Const(self.r.random() < 0.3) for k in kinds)
        results = tuple(
            Var(h if self.r.random() < 0.8 else self.name(), p.kind) for h, p in zip(hints, params, strict=True)
        )
        index = Var(self.r.choice(["i", "i", "j", ""]), INT)
        inner, stmts = self.block([*env, *params, index], depth + 1, self.r.randint(1, 7))
        flag: Atom = Const(False)
        has_exit = self.r.random() < 0.6
        if has_exit:
            flag, inner = self.exit(inner, stmts, depth, params)
        outs = tuple(self.pick(list(params) if self.r.random() < 0.3 else inner, p.kind) for p in params)
        body = Block(tuple(stmts), (*outs, flag) if has_exit else outs)
        if self.r.random() < 0.7:
            bounds = self.r.choice(
                [
                    (Const(0), Const(self.r.randint(0, 4)), Const(1)),
                    (self.pick(env, INT), self.pick(env, INT), Const(-1)),
                ]
            )
            out.append(For(index, *bounds, params, inits, body, results, has_exit))
        else:
            _, test = self.block([*env, *params, index], depth + 1, self.r.randint(0, 2))
            count, more, last = Var("it", INT), Var("", BOOL), Var("it", INT)
            test.append(Op(more, operator.lt, (index, Const(3))))
            stmts.insert(0, Op(count, operator.add, (index, Const(1))))
            body = Block(tuple(stmts), (count, *body.outs))
            out.append(
                While(
                    (index, *params), (Const(0), *inits), Block(tuple(test), (more,)), body, (last, *results), has_exit
                )
            )
        env.extend(results)

    def exit(self, env: list[Var], stmts: list[Stmt], depth: int, params: tuple[Var, ...]) -> tuple[Atom, list[Var]]:
        """A branch that decides whether to leave, or any flag."""
        cond = self.cond(env, stmts)
        if self.r.random() < 0.3:
            return self.r.choice([cond, self.pick(env, BOOL)]), env
        carried = [p for p in params if p.kind != VECTOR]
        results, flag = tuple(Var(self.name(), p.kind) for p in carried), Var("", BOOL)
        then_env, then = self.block(env, depth + 1, self.r.randint(0, 3))
        else_env, orelse = self.block(env, depth + 1, self.r.randint(0, 3))
        flags: list[Atom] = self.r.choice(
            [[Const(True), Const(False)], [Const(False), Const(True)], [self.pick(then_env, BOOL), Const(False)]]
        )
        if self.r.random() < 0.4:
            inner, flags[1] = self.cond(else_env, orelse), Var("", BOOL)
            orelse.append(If(inner, Block((), (Const(True),)), Block((), (Const(False),)), (flags[1],)))  # type: ignore[arg-type]
        values = [
            tuple(
                (
                    Const(i == 0)
                    if p.kind == BOOL and self.r.random() < 0.4
                    else p if self.r.random() < 0.4 else self.pick(e, p.kind)
                )
                for p in carried
            )
            for i, e in enumerate((then_env, else_env))
        ]
        stmts.append(
            If(
                cond,
                Block(tuple(then), (*values[0], flags[0])),
                Block(tuple(orelse), (*values[1], flags[1])),
                (*results, flag),
            )
        )
        return flag, [*env, *results]

    def closure(self, env: list[Var], out: list[Stmt], depth: int) -> None:
        param = Var(self.name(), FLOAT)
        inner, stmts = self.block([*env, param], depth + 1, self.r.randint(1, 5))
        target = Var("inner", ANY)
        out.append(Closure(target, Function("inner", (param,), Block(tuple(stmts), (self.pick(inner, FLOAT),)))))
        for _ in range(self.r.randint(1, 2)):
            self.op(env, out, prims.call_value, [target, self.pick(env, FLOAT)], FLOAT)
