"""Random expressions: floats, conditions and calls; :mod:`.arrays` has those of arrays.

Every producer takes the builder and a depth and returns an :class:`Expr`, or None where
it does not apply; the tables at the end of each section name and weigh them.
"""

from __future__ import annotations

from collections.abc import Callable

from .arrays import arr, mask
from .atoms import binary, index, level, literal, size_text, squash, unary, views
from .builder import LIMIT, Arr, Bool, Builder, Dic, Expr, Fun, Int, Lst, Num, Tup, Type, Var, bare

__all__ = ["call", "condition", "held", "num"]


# ---- floats


def _num_atom(b: Builder) -> Expr:
    roll = b.rng.random()
    if roll < 0.12:
        return literal(b)
    found = [v for v in b.visible(Num, Arr, Lst, Dic, Tup) if not (isinstance(v.type, Lst) and not v.type.least)]
    if not found:
        return literal(b)
    # The variables met last are met most.
    v = found[max(b.rng.randrange(len(found)), b.rng.randrange(len(found)))]
    return _element(b, v)


def _element(b: Builder, v: Var) -> Expr:
    match v.type:
        case Num():
            return Expr(v.name, LIMIT)
        case Arr(shape=(n,)):
            return Expr(f"{v.name}[{index(b, n)}]", LIMIT)
        case Arr(shape=(n, m)):
            i, j = index(b, n), index(b, m)
            return Expr(f"{v.name}[{i}][{j}]" if b.chance(0.2) else f"{v.name}[{i}, {j}]", LIMIT)
        case Arr(shape=shape):
            return Expr(f"{v.name}[{', '.join(index(b, n) for n in shape)}]", LIMIT)
        case Lst(least=n) | Tup(length=n):
            return Expr(f"{v.name}[{b.pick((0, -1, b.rng.randrange(n)))}]", LIMIT)
        case Dic(keys=keys):
            return Expr(f'{v.name}["{b.pick(keys)}"]', LIMIT)
    raise AssertionError(v)


def _num_unary(b: Builder, d: int) -> Expr:
    return unary(b, num(b, d - 1), b.pick(("math", "math", "np")))


def _num_negative(b: Builder, d: int) -> Expr:
    e = num(b, d - 1)
    return Expr(f"(-{e.text})", e.bound)


def _num_abs(b: Builder, d: int) -> Expr:
    e = num(b, d - 1)
    return Expr(f"{b.pick(('abs', 'abs', 'np.abs', 'math.fabs'))}({bare(e.text)})", e.bound)


def _num_binary(b: Builder, d: int) -> Expr:
    if b.chance(0.04):
        x = num(b, d - 1)
        return Expr(f"({x.text} / 1.7)", x.bound)
    return binary(b, num(b, d - 1), num(b, d - 1), "math")


def _num_with_int(b: Builder, d: int) -> Expr | None:
    found = [v for v in b.visible(Int) if max(abs(v.type.lo), abs(v.type.hi)) <= 6]
    if not found:
        return None
    v = b.pick(found)
    most = max(abs(v.type.lo), abs(v.type.hi), 1)
    e = num(b, d - 1)
    return b.pick(
        (
            Expr(f"({e.text} * {v.name})", e.bound * most),
            Expr(f"({e.text} + {v.name})", e.bound + most),
            Expr(f"({e.text} / (2 + abs({v.name})))", e.bound / 2),
            Expr(f"({v.name} - {e.text})", e.bound + most),
        )
    )


def _num_power(b: Builder, d: int) -> Expr:
    e = num(b, d - 1)
    match b.rng.randrange(5):
        case 0 | 1:
            e = squash(b, e)
            return Expr(f"({e.text} ** {b.pick(('2', '2', '2.0'))})", e.bound**2)
        case 2:
            e = squash(b, e, 1.5)
            return Expr(f"({e.text} ** 3)", e.bound**3)
        case 3:
            return Expr(f"((1.2 + math.sin({bare(e.text)}) ** 2) ** {b.pick(('0.5', '1.5', '-1', '-0.5'))})", 3.3)
    y = squash(b, num(b, d - 1))
    return Expr(f"((1.5 + math.sin({bare(e.text)})) ** {y.text})", 6.25)


def _num_two(b: Builder, d: int) -> Expr:
    x, y = squash(b, num(b, d - 1)), squash(b, num(b, d - 1))
    name, lib = b.pick((("hypot", 0), ("max", 1), ("min", 1), ("atan2", 0), ("maximum", 2), ("logaddexp", 2)))
    if name == "hypot":
        return Expr(f"math.hypot({bare(x.text)}, 1.1)", 2.3)
    if name == "atan2":
        return Expr(f"math.atan2({bare(x.text)}, 2.5 + {y.text})", 1.6)
    prefix = "np." if lib == 2 else ""
    return Expr(f"{prefix}{name}({bare(x.text)}, {bare(y.text)})", max(x.bound, y.bound) + 0.7 * (name == "logaddexp"))


def _num_ternary(b: Builder, d: int) -> Expr:
    x, y = num(b, d - 1), num(b, d - 1)
    return Expr(f"({bare(x.text)} if {condition(b, 1)} else {bare(y.text)})", max(x.bound, y.bound))


def _num_reduce(b: Builder, d: int) -> Expr | None:
    found = b.visible(Arr)
    if not found:
        return None
    shape = b.pick(found).type.shape
    e = arr(b, shape, d - 1)
    n = 1
    for k in shape:
        n *= k
    x, plain = bare(e.text), e.text if e.text[0] not in "-" else f"({e.text})"
    match b.rng.randrange(11):
        case 0 | 1:
            return Expr(f"np.sum({x})", e.bound * n)
        case 2:
            return Expr(f"{plain}.sum()", e.bound * n)
        case 3:
            return Expr(f"np.mean({x})", e.bound)
        case 4:
            return Expr(f"{plain}.mean()", e.bound)
        case 5:
            return Expr(f"{b.pick(('np.max', 'np.min'))}({x})", e.bound)
        case 6:
            return Expr(f"{plain}.{b.pick(('max', 'min'))}()", e.bound)
        case 7:
            y = arr(b, shape, d - 1)
            if len(shape) == 1:
                return Expr(
                    f"({e.text} @ {y.text})" if b.chance(0.5) else f"np.dot({x}, {bare(y.text)})", e.bound * y.bound * n
                )
            return Expr(f"np.sum({e.text} * {y.text})", e.bound * y.bound * n)
        case 8:
            return Expr(
                b.pick((f"np.sqrt(1.1 + np.sum({e.text} ** 2))", f"np.linalg.norm(1.3 + np.cos({x}))")),
                1.1 + max(e.bound, 2.3) * n,
            )
        case 9:
            e = squash(b, e, 1.3, "np")
            return Expr(f"np.prod({bare(e.text)})", e.bound**n)
    options = [f"np.var({x})", f"{plain}.var()"]
    if len(shape) == 1 < n:
        options.append(f"np.std(np.linspace(0.1, 2.0, {n}) + 0.1 * np.tanh({x}))")
    return Expr(b.pick(options), max(e.bound**2, 3.0))


def _num_list(b: Builder, d: int) -> Expr | None:
    found = [v for v in b.visible(Lst) if v.type.least]
    if not found:
        return None
    v = b.pick(found)
    return b.pick(
        (
            Expr(f"math.tanh(sum({v.name}))", 1.0),
            Expr(f"np.mean(np.array({v.name}))", LIMIT),
            Expr(f"(sum({v.name}) / len({v.name}))", LIMIT),
            Expr(f"math.sin(sum([e_ * e_ for e_ in {v.name}]))", 1.0),
            Expr(f"max({v.name})", LIMIT),
            Expr(f"math.tanh(sum([e_ for e_ in {v.name} if e_ > 0.05]))", 1.0),
        )
    )


def _num_lambda(b: Builder, d: int) -> Expr:
    x = num(b, d - 1)
    p = b.pick(("u_", "q_", "x_"))
    body = b.pick((f"{p} * math.cos({p})", f"0.5 * {p} + 0.1", f"math.tanh({p}) * {squash(b, num(b, 0)).text}"))
    return Expr(f"(lambda {p}: {body})({bare(x.text)})", max(x.bound, 0.5 * x.bound + 0.1, LIMIT))


def _num_comprehension(b: Builder, d: int) -> Expr | None:
    arrays = [v for v in b.visible(Arr) if len(v.type.shape) == 1]
    if not arrays:
        return None
    v = b.pick(arrays)
    other = squash(b, num(b, 0))
    n = v.type.shape[0]
    return b.pick(
        (
            Expr(f"sum([{v.name}[k_] * {other.text} for k_ in range({size_text(b, n)})])", n * LIMIT * other.bound),
            Expr(f"sum([math.sin(e_) for e_ in {v.name}])", n),
            Expr(f"sum([e_ * {other.text} for e_ in {v.name} if e_ > 0.1])", n * LIMIT * other.bound),
            Expr(f"sum([a_ * b_ for a_, b_ in zip({v.name}, {v.name}[::-1])])", n * LIMIT * LIMIT),
        )
    )


def _num_call(b: Builder, d: int) -> Expr | None:
    return call(b, Num(), d)


_NUM: list[tuple[str, float, Callable[[Builder, int], Expr | None]]] = [
    ("arithmetic", 5, _num_binary),
    ("smooth", 3, _num_unary),
    ("arithmetic", 0.5, _num_negative),
    ("kink", 0.3, _num_abs),
    ("integer", 0.7, _num_with_int),
    ("power", 0.8, _num_power),
    ("smooth", 0.5, _num_two),
    ("branch", 0.6, _num_ternary),
    ("array", 2.0, _num_reduce),
    ("list", 0.6, _num_list),
    ("call", 0.3, _num_lambda),
    ("list", 0.4, _num_comprehension),
    ("call", 1.5, _num_call),
]


def num(b: Builder, d: int) -> Expr:
    """A float."""
    if d > 0 and not b.chance(0.15):
        e: Expr | None = b.weighted(_NUM)(b, d)
        if e is not None:
            return e if e.bound <= 12 else squash(b, e)
    return _num_atom(b)


def held(b: Builder, type_: Type, d: int, limit: float = LIMIT) -> str:
    """An expression of this type within the limit, as the right side of an assignment."""
    if isinstance(type_, Arr):
        return bare(squash(b, arr(b, type_.shape, d), limit, "np").text)
    return bare(squash(b, num(b, d), limit).text)


# ---- calls


def call(b: Builder, result: Type | None, d: int, mutating: bool = False) -> Expr | None:
    """A call of a visible function with this result."""
    found = [
        v
        for v in b.visible(Fun)
        if v.type.result == result and v.type.mutates <= mutating and b.trips * v.type.cost <= 300 and b.cost < 1200
    ]
    if not found or b.nested > 20:
        return None
    f = b.pick(found)
    b.cost += b.trips * f.type.cost
    b.nested += 1
    try:
        return _call_of(b, f, d)
    finally:
        b.nested -= 1


def _call_of(b: Builder, f: Var, d: int) -> Expr | None:
    drop = b.rng.randrange(f.type.defaults + 1)
    params = f.type.params[: len(f.type.params) - drop]
    texts = []
    for k, p in enumerate(params):
        text = _argument(b, p, d, f.type.mutates and k == 0)
        if text is None:
            return None
        by_name = k >= 1 and k == len(params) - 1 and f.type.names and b.chance(0.3)
        texts.append(f"{f.type.names[k]}={text}" if by_name else text)
    return Expr(f"{f.name}({', '.join(texts)})", LIMIT)


def _argument(b: Builder, p: Type, d: int, stored: bool) -> str | None:
    match p:
        case Int(lo, hi):
            return str(b.rng.randint(lo, hi))
        case Fun():
            found = [
                v.name
                for v in b.visible(Fun)
                if v.type.params[: len(p.params)] == p.params
                and v.type.result == p.result
                and len(v.type.params) - v.type.defaults <= len(p.params)
                and not v.type.mutates
                and v.type.cost <= 8
            ]
            found += ["math.sin", "math.tanh", f"lambda u_: {bare(squash(b, num(b, 0)).text)} * math.sin(u_)"]
            return str(b.pick(found))
        case Lst():
            lists = [v.name for v in b.visible(Lst, writable=True) if v.name not in b.locked]
            return b.pick(lists) if lists else None
        case Arr(shape=shape) if stored:
            options = [v.name for v in b.visible(Arr, writable=True) if v.type.shape == shape] * 2
            options += [t for v in b.visible(Arr, writable=True) for t in views(b, v, shape)]
            return b.pick(options) if options else None
    return held(b, p, max(d - 1, 0))


# ---- conditions


def condition(b: Builder, d: int) -> str:
    """A truth value."""
    ints = b.visible(Int)
    flags = b.visible(Bool)
    roll = b.rng.random()
    if d > 0 and roll < 0.2:
        x, y = condition(b, d - 1), condition(b, d - 1)
        return str(b.pick((f"({x} and {y})", f"({x} or {y})", f"not ({x})")))
    if flags and roll < 0.3:
        return str(b.pick(flags).name)
    if ints and roll < 0.55:
        v = b.pick(ints).name
        k = b.rng.randrange(4)
        return str(
            b.pick(
                (
                    f"{v} % 2 == {k % 2}",
                    f"{v} > {k}",
                    f"{v} == {k}",
                    f"{v} != {k}",
                    f"{v} in (0, {k})",
                    f"1 <= {v} < {k + 1}",
                )
            )
        )
    lists = b.visible(Lst)
    if lists and roll < 0.6:
        v = b.pick(lists).name
        return str(b.pick((f"len({v}) > {b.rng.randrange(4)}", v)))
    arrays = b.visible(Arr)
    if arrays and roll < 0.7:
        v = b.pick(arrays)
        return str(b.pick((f"np.{b.pick(('any', 'all'))}({mask(b, v.type.shape, 0)})", f"{v.name}.sum() > {level(b)}")))
    x, y = num(b, min(d, 1)), num(b, 0)
    if roll < 0.8:
        return f"{level(b)} {b.pick('<>')} {x.text} {b.pick('<>')} {y.text}"
    return f"{x.text} {b.pick(('<', '>', '<=', '>='))} {y.text if b.chance(0.3) else level(b)}"
