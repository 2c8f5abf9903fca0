"""Random expressions: floats, arrays of a given shape, indices, conditions.

Every producer takes the builder and a depth and returns an :class:`Expr`, or None where
it does not apply; the tables at the end of each section name and weigh them.
"""

from __future__ import annotations

from collections.abc import Callable


from .builder import LIMIT, Arr, Bool, Builder, Dic, Expr, Fun, Idx, Int, Lst, Num, Shape, Tup, Type, Var, bare

__all__ = ["arr", "call", "condition", "held", "index", "literal", "num", "shape_text", "size_text", "squash", "views"]


def literal(b: Builder) -> Expr:
    """A float constant of either sign."""
    value = round(b.rng.uniform(0.1, 1.8), b.pick((1, 1, 2)))
    return Expr(f"{value}", value) if b.chance(0.75) else Expr(f"(-{value})", value)


def squash(b: Builder, e: Expr, limit: float = LIMIT, lib: str = "math") -> Expr:
    """The expression, made to keep within ``limit`` if need be."""
    if e.bound <= limit:
        return e
    text = bare(e.text)
    options = [Expr(f"{lib}.tanh({text})", 1.0), Expr(f"{lib}.sin({text})", 1.0)]
    scale = limit / e.bound
    if scale > 0.02:
        options.append(Expr(f"({max(round(scale - 0.005, 2), 0.01)} * {e.text})", limit))
    e = b.pick(options)
    return e if e.bound <= limit else Expr(f"({limit} * {e.text})", limit)


# ---- integers


def size_text(b: Builder, n: int) -> str:
    """The integer ``n``, often by way of something that has that size."""
    options = [str(n)]
    options += [v.name for v in b.visible(Int) if v.type == Int(n, n)]
    for v in b.visible(Arr):
        if v.type.shape[0] == n:
            options += [f"len({v.name})", f"{v.name}.shape[0]"]
        elif v.type.shape[-1] == n:
            options.append(f"{v.name}.shape[1]" if len(v.type.shape) == 2 else f"{v.name}.shape[-1]")
    return str(b.pick(options))


def shape_text(b: Builder, shape: Shape) -> str:
    """A shape, as an argument of ``np.zeros``."""
    if len(shape) == 1:
        return b.pick((size_text(b, shape[0]), f"({size_text(b, shape[0])},)"))
    return "(" + ", ".join(size_text(b, n) for n in shape) + ")"


def index(b: Builder, n: int) -> str:
    """An index into an axis of length ``n``."""
    options = [str(b.rng.randrange(n)), str(b.rng.randrange(n)), str(-1 - b.rng.randrange(n))]
    for v in b.visible(Int):
        lo, hi = v.type.lo, v.type.hi
        if hi < n and lo >= -n:
            options += [v.name] * 4
        if hi - 1 < n and lo - 1 >= -n:
            options += [f"{v.name} - 1"] * 2
        if hi + 1 < n and lo + 1 >= -n:
            options += [f"{v.name} + 1"] * 2
        if hi < n and lo >= 0:
            options.append(f"{n} - 1 - {v.name}")
        options.append(f"({v.name} + {b.rng.randrange(3)}) % {size_text(b, n)}")
    return str(b.pick(options))


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


_UNARY: list[tuple[str, float, float]] = [
    ("sin({})", 1.0, 9.0),
    ("cos({})", 1.0, 9.0),
    ("tanh({})", 1.0, 9.0),
    ("{at}({})", 1.5, 9.0),
    ("exp({})", 2.8, 1.0),
    ("exp(-{p} * {p})", 1.0, 9.0),
    ("log(1.5 + {p} * {p})", 4.5, 9.0),
    ("sqrt(0.5 + {p} * {p})", 9.1, 9.0),
    ("sqrt(1.3 + 0.5 * {lib}.sin({}))", 1.4, 9.0),
    ("log1p(0.4 * {lib}.cos({}))", 0.6, 9.0),
    ("expm1({})", 1.8, 1.0),
    ("sinh({})", 1.2, 1.0),
    ("cosh({})", 1.6, 1.0),
]


def _pure(e: Expr) -> bool:
    return "(" not in e.text or len(e.text) < 30


def _unary(b: Builder, e: Expr, lib: str) -> Expr:
    form, bound, limit = b.pick(_UNARY)
    e = squash(b, e, limit, lib)
    if "{p}" in form and not _pure(e):
        form, bound = "tanh({})", 1.0
    at = ("atan" if lib == "math" else "arctan") if b.chance(0.7) else "tanh"
    return Expr(f"{lib}." + form.format(bare(e.text), p=e.text, lib=lib, at=at), bound)


def _num_unary(b: Builder, d: int) -> Expr:
    return _unary(b, num(b, d - 1), b.pick(("math", "math", "np")))


def _num_negative(b: Builder, d: int) -> Expr:
    e = num(b, d - 1)
    return Expr(f"(-{e.text})", e.bound)


def _num_abs(b: Builder, d: int) -> Expr:
    e = num(b, d - 1)
    return Expr(f"{b.pick(('abs', 'abs', 'np.abs', 'math.fabs'))}({bare(e.text)})", e.bound)


def _binary(b: Builder, x: Expr, y: Expr, lib: str) -> Expr:
    """``x op y``; the quotient has a denominator away from zero."""
    op = b.pick("++--***/")
    match op:
        case "*":
            return Expr(f"({x.text} * {y.text})", x.bound * y.bound)
        case "/":
            below = b.pick((f"(1.5 + {y.text} * {y.text})", f"({lib}.cos({bare(y.text)}) + 2.0)"))
            return Expr(f"({x.text} / {below})", x.bound)
    return Expr(f"({x.text} {op} {y.text})", x.bound + y.bound)


def _num_binary(b: Builder, d: int) -> Expr:
    if b.chance(0.04):
        x = num(b, d - 1)
        return Expr(f"({x.text} / 1.7)", x.bound)
    return _binary(b, num(b, d - 1), num(b, d - 1), "math")


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
    if not found:
        return None
    f = b.pick(found)
    b.cost += b.trips * f.type.cost
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


# ---- arrays


def views(b: Builder, v: Var, shape: Shape) -> list[str]:
    """Texts of views of ``v`` that have this shape (and are not all of it)."""
    x, old = v.name, v.type.shape
    match old, shape:
        case (k,), (n,) if k == n:
            return [f"{x}[::-1]", f"{x}[:]"]
        case (k,), (n,) if k > n:
            options = [f"{x}[:{size_text(b, n)}]", f"{x}[-{n}:]", f"{x}[{k - n}:]"]
            if k == n + 1:
                options += [f"{x}[1:]", f"{x}[:-1]"]
            if (k + 1) // 2 == n:
                options.append(f"{x}[::2]")
            return options
        case (p, q), (n,):
            options = []
            if q == n:
                options += [f"{x}[{index(b, p)}]", f"{x}[{index(b, p)}, :]", f"{x}.T[:, {index(b, p)}]"]
            if p == n:
                options += [f"{x}[:, {index(b, q)}]", f"{x}.T[{index(b, q)}]"]
            if p * q == n:
                options += [f"{x}.ravel()", f"{x}.reshape(-1)"]
            if q == n + 1:
                options.append(f"{x}[{index(b, p)}, 1:]")
            return options
        case (p, q), (n, m):
            options = []
            if (q, p) == (n, m):
                options += [f"{x}.T", f"np.transpose({x})"]
            if p == n and q == m:
                options += [f"{x}[::-1]", f"{x}[:, ::-1]"]
            if p == n + 1 and q == m:
                options += [f"{x}[1:]", f"{x}[:-1, :]"]
            if p == n and q == m + 1:
                options += [f"{x}[:, 1:]", f"{x}[:, :-1]"]
            if p > n and q > m:
                options.append(f"{x}[{p - n}:, :{m}]")
            return options
        case (k,), (n, m) if k == n * m:
            return [f"{x}.reshape({n}, {m})", f"{x}.reshape(({n}, -1))"]
        case (k,), (1, n) if k == n:
            return [f"{x}[None, :]", f"{x}[np.newaxis]"]
        case (k,), (n, 1) if k == n:
            return [f"{x}[:, None]", f"{x}[:, np.newaxis]"]
    return []


def _loads(b: Builder, shape: Shape) -> list[str]:
    options = []
    for v in b.visible(Arr):
        if v.type.shape == shape:
            options += [v.name] * 3
        options += views(b, v, shape)
        if len(shape) == 1 and len(v.type.shape) == 1 and b.chance(0.15):
            picks = [b.rng.randrange(v.type.shape[0]) for _ in range(shape[0])]
            options.append(f"{v.name}[{b.pick((picks, f'np.array({picks})'))}]")
    for v in b.visible(Idx):
        if shape == (v.type.length,):
            options += [
                f"{w.name}[{v.name}]" for w in b.visible(Arr) if len(w.type.shape) == 1 and w.type.shape[0] >= v.type.hi
            ]
        if len(shape) == 2 and shape[0] == v.type.length:
            options += [
                f"{w.name}[{v.name}]"
                for w in b.visible(Arr)
                if len(w.type.shape) == 2 and w.type.shape[0] >= v.type.hi and w.type.shape[1] == shape[1]
            ]
    return options


def _arr_atom(b: Builder, shape: Shape) -> Expr:
    options = _loads(b, shape)
    if options and not b.chance(0.1):
        return Expr(b.pick(options), LIMIT)
    return _arr_built(b, shape)


def _arr_built(b: Builder, shape: Shape) -> Expr:
    e = squash(b, num(b, 1))
    if e.text.lstrip("(-").isidentifier() or len(shape) > 2:
        e = Expr(f"(1.0 * {e.text})", e.bound)
    size = shape_text(b, shape)
    options = [
        Expr(f"np.full({size}, {bare(e.text)})", e.bound),
        Expr(f"({e.text} * np.ones({size}))", e.bound),
        Expr(f"(np.zeros({size}) + {e.text})", e.bound),
    ]
    if len(shape) == 1:
        n = shape[0]
        items = [bare(squash(b, num(b, 1 if n < 3 else 0)).text) for _ in range(n)]
        options += [Expr(f"np.array([{', '.join(items)}])", LIMIT)] * 4
        options.append(Expr(f"({e.text} * np.linspace({b.pick(('-1.0', '0.2'))}, 1.0, {size_text(b, n)}))", e.bound))
        options.append(Expr(f"np.array([{e.text} * math.cos(0.5 * k_) for k_ in range({size_text(b, n)})])", e.bound))
        options.append(Expr(f"({e.text} * np.arange({size_text(b, n)}))", e.bound * n))
    if len(shape) == 2:
        n, m = shape
        x, y = arr(b, (n,), 0), arr(b, (m,), 0)
        options += [Expr(f"np.outer({bare(x.text)}, {bare(y.text)})", x.bound * y.bound)] * 3
        options.append(
            Expr(f"np.array([[{e.text} * (k_ - q_) for k_ in range({m})] for q_ in range({n})])", e.bound * max(n, m))
        )
        if n == m:
            options.append(Expr(f"({e.text} * np.eye({size_text(b, n)}))", e.bound))
    return b.pick(options)


def _arr_unary(b: Builder, shape: Shape, d: int) -> Expr:
    return _unary(b, arr(b, shape, d - 1), "np")


def _arr_negative(b: Builder, shape: Shape, d: int) -> Expr:
    e = arr(b, shape, d - 1)
    return Expr(f"(-{e.text})", e.bound)


def _arr_binary(b: Builder, shape: Shape, d: int) -> Expr:
    x, y = arr(b, shape, d - 1), _broadcast(b, shape, d - 1)
    return _binary(b, *((x, y) if b.chance(0.6) else (y, x)), "np")


def _arr_power(b: Builder, shape: Shape, d: int) -> Expr:
    e = squash(b, arr(b, shape, d - 1), LIMIT, "np")
    if b.chance(0.7):
        return Expr(f"({e.text} ** 2)", e.bound**2)
    return Expr(f"((1.2 + np.sin({bare(e.text)}) ** 2) ** {b.pick(('0.5', '1.5', '-1.0'))})", 3.3)


def _arr_two(b: Builder, shape: Shape, d: int) -> Expr:
    x, y = squash(b, arr(b, shape, d - 1), 9.0, "np"), squash(b, _broadcast(b, shape, d - 1), 9.0, "np")
    name = b.pick(("maximum", "minimum", "multiply", "add", "subtract", "arctan2", "logaddexp", "hypot"))
    u, w, bound = bare(x.text), bare(y.text), x.bound + y.bound
    if name == "multiply":
        bound = x.bound * y.bound
    if name in ("arctan2", "hypot"):
        w, bound = "1.3 + np.cos(" + w + ")", bound + 2.3
    return Expr(f"np.{name}({u}, {w})", bound + 0.7)


def _arr_where(b: Builder, shape: Shape, d: int) -> Expr:
    x, y = arr(b, shape, d - 1), _broadcast(b, shape, d - 1)
    return Expr(f"np.where({mask(b, shape, d - 1)}, {bare(x.text)}, {bare(y.text)})", max(x.bound, y.bound))


def _arr_clip(b: Builder, shape: Shape, d: int) -> Expr:
    e = arr(b, shape, d - 1)
    return Expr(f"np.clip({bare(e.text)}, -0.81, 1.13)", 1.13)


def _arr_method(b: Builder, shape: Shape, d: int) -> Expr | None:
    e = arr(b, shape, d - 1)
    x = bare(e.text)
    options = [
        Expr(f"np.copy({x})", e.bound),
        Expr(f"{e.text}.copy()", e.bound),
        Expr(f"np.roll({x}, 1, axis=0)", e.bound),
    ]
    options += [Expr(f"np.flip({x}, 0)", e.bound), Expr(f"np.asarray({x})", e.bound)]
    options.append(Expr(f"np.sort({x}, axis=0)", e.bound))
    options.append(Expr(f"np.cumsum({x}, axis=0)", e.bound * shape[0]))
    if len(shape) == 1:
        options += [Expr(f"np.cumsum({x})", e.bound * shape[0]), Expr(f"np.roll({x}, -1)", e.bound)]
        options.append(Expr(f"np.sort({x})", e.bound))
    if len(shape) == 2:
        options += [Expr(f"np.{b.pick(('triu', 'tril'))}({x})", e.bound), Expr(f"np.roll({x}, 1)", e.bound)]
    return b.pick(options)


def _arr_join(b: Builder, shape: Shape, d: int) -> Expr | None:
    n, rest = shape[0], shape[1:]
    if n < 2:
        return None
    k = b.rng.randint(1, n - 1)
    x, y = arr(b, (k, *rest), d - 1), arr(b, (n - k, *rest), d - 1)
    bound = max(x.bound, y.bound)
    pair = b.pick((f"[{bare(x.text)}, {bare(y.text)}]", f"({bare(x.text)}, {bare(y.text)})"))
    options = [Expr(f"np.concatenate({pair})", bound)]
    options.append(Expr(f"np.{'hstack' if len(shape) == 1 else 'vstack'}({pair})", bound))
    if len(shape) == 2:
        rows = [arr(b, rest, max(d - 2, 0)) for _ in range(n)]
        stacked = ", ".join(bare(r.text) for r in rows)
        options.append(Expr(f"np.{b.pick(('stack', 'array', 'vstack'))}([{stacked}])", max(r.bound for r in rows)))
    return b.pick(options)


def _arr_contract(b: Builder, shape: Shape, d: int) -> Expr | None:
    k = b.pick([s for t in b.shapes for s in t])
    if len(shape) == 1:
        x, y = arr(b, (shape[0], k), d - 1), arr(b, (k,), d - 1)
        if b.chance(0.3):
            return Expr(f"({y.text} @ {x.text}.T)", x.bound * y.bound * k)
        form = b.pick(
            ("({x} @ {y})", "np.dot({x}, {y})", "np.matmul({x}, {y})", "{x}.dot({y})", 'np.einsum("ij,j->i", {x}, {y})')
        )
    elif len(shape) == 2:
        x, y = arr(b, (shape[0], k), d - 1), arr(b, (k, shape[1]), d - 1)
        form = b.pick(("({x} @ {y})", "np.dot({x}, {y})", "np.matmul({x}, {y})", 'np.einsum("ij,jk->ik", {x}, {y})'))
    else:
        return None
    return Expr(form.format(x=x.text, y=y.text), x.bound * y.bound * k)


def _arr_reduce(b: Builder, shape: Shape, d: int) -> Expr | None:
    if len(shape) == 2 and 1 in shape:
        axis = shape.index(1)
        k = b.pick([s for t in b.shapes for s in t])
        source = (k, shape[1]) if axis == 0 else (shape[0], k)
        keep = ", keepdims=True"
    elif len(shape) == 1:
        k, axis, keep = b.pick([s for t in b.shapes for s in t]), b.rng.randrange(2), ""
        source = (k, shape[0]) if axis == 0 else (shape[0], k)
        axis = b.pick((axis, axis - 2))
    else:
        return None
    e = arr(b, source, d - 1)
    name, bound = b.pick(
        (("sum", e.bound * k), ("mean", e.bound), ("max", e.bound), ("min", e.bound), ("var", e.bound**2))
    )
    form = "np.{name}({y}, axis={axis}{keep})" if b.chance(0.6) else "{x}.{name}(axis={axis}{keep})"
    return Expr(form.format(name=name, x=e.text, y=bare(e.text), axis=axis, keep=keep), bound)


def _arr_reshape(b: Builder, shape: Shape, d: int) -> Expr | None:
    if len(shape) == 1:
        n = shape[0]
        if n % 2 == 0 and n > 2:
            e = arr(b, (2, n // 2), d - 1)
            return Expr(f"{e.text}.{b.pick(('ravel()', 'reshape(-1)', 'flatten()', f'reshape({n})'))}", e.bound)
        e = arr(b, (n, n), d - 1)
        return b.pick((Expr(f"(1.0 * np.diag({bare(e.text)}))", e.bound), Expr(f"{e.text}[{index(b, n)}]", e.bound)))
    if len(shape) != 2:
        return None
    n, m = shape
    if b.chance(0.5):
        e = arr(b, (m, n), d - 1)
        return Expr(f"{e.text}.T" if b.chance(0.5) else f"np.transpose({bare(e.text)})", e.bound)
    if n == 1:
        e = arr(b, (m,), d - 1)
        return Expr(f"np.expand_dims({bare(e.text)}, 0)", e.bound)
    if m == 1:
        e = arr(b, (n,), d - 1)
        return Expr(f"np.expand_dims({bare(e.text)}, 1)", e.bound)
    e = arr(b, (m,), d - 1)
    options = [
        Expr(f"np.tile({bare(e.text)}, ({n}, 1))", e.bound),
        Expr(f"(0.5 * np.broadcast_to({bare(e.text)}, ({n}, {m})))", e.bound),
    ]
    options.append(Expr(f"np.repeat({e.text}[None, :], {n}, axis=0)", e.bound))
    f = arr(b, (n * m,), d - 1)
    options.append(Expr(f"np.reshape({bare(f.text)}, ({n}, {m}))", f.bound))
    return b.pick(options)


def _arr_list(b: Builder, shape: Shape, d: int) -> Expr | None:
    if len(shape) != 1:
        return None
    n = size_text(b, shape[0])
    found = [v for v in b.visible(Lst) if v.type.least >= shape[0]]
    if found and b.chance(0.6):
        return Expr(f"np.array({b.pick(found).name}[:{n}])", LIMIT)
    e = squash(b, num(b, 1))
    loads = [v for v in b.visible(Arr) if v.type.shape == shape]
    if not loads:
        return None
    v = b.pick(loads).name
    form = b.pick(
        ("{v}[k_] * {e}", "math.sin({v}[k_]) + 0.1 * k_", "{v}[k_] if k_ % 2 == 0 else {e}", "{v}[k_ - 1] - {v}[k_]")
    )
    over = b.pick((f"np.array([{form} for k_ in range({n})])", "np.array([e_ * {e} for e_ in {v}])"))
    return Expr(over.format(v=v, e=e.text), max(LIMIT * e.bound, 4.1))


def _arr_call(b: Builder, shape: Shape, d: int) -> Expr | None:
    return call(b, Arr(shape), d)


_ARR: list[tuple[str, float, Callable[[Builder, Shape, int], Expr | None]]] = [
    ("arithmetic", 5, _arr_binary),
    ("smooth", 2, _arr_unary),
    ("arithmetic", 0.4, _arr_negative),
    ("power", 0.5, _arr_power),
    ("smooth", 0.6, _arr_two),
    ("kink", 0.5, _arr_where),
    ("kink", 0.2, _arr_clip),
    ("shape", 0.8, _arr_method),
    ("shape", 0.6, _arr_join),
    ("linear", 1.0, _arr_contract),
    ("shape", 0.8, _arr_reduce),
    ("shape", 0.8, _arr_reshape),
    ("list", 0.6, _arr_list),
    ("array", 0.5, lambda b, shape, d: _arr_built(b, shape)),
    ("call", 1.0, _arr_call),
]


def arr(b: Builder, shape: Shape, d: int) -> Expr:
    """A float array of this shape."""
    if d > 0 and not b.chance(0.2):
        e: Expr | None = b.weighted(_ARR)(b, shape, d)
        if e is not None:
            return e if e.bound <= 12 else squash(b, e, LIMIT, "np")
    return _arr_atom(b, shape)


def _broadcast(b: Builder, shape: Shape, d: int) -> Expr:
    """Something that broadcasts to this shape."""
    roll = b.rng.random()
    if roll < 0.35:
        return squash(b, num(b, min(d, 1)))
    if len(shape) == 2 and roll < 0.6:
        n, m = shape
        return arr(b, b.pick(((m,), (1, m), (n, 1))), d)
    return arr(b, shape, d)


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
        return str(
            b.pick((f"np.{b.pick(('any', 'all'))}({mask(b, v.type.shape, 0)})", f"{v.name}.sum() > {_level(b)}"))
        )
    x, y = num(b, min(d, 1)), num(b, 0)
    if roll < 0.8:
        return f"{_level(b)} {b.pick('<>')} {x.text} {b.pick('<>')} {y.text}"
    return f"{x.text} {b.pick(('<', '>', '<=', '>='))} {y.text if b.chance(0.3) else _level(b)}"


def _level(b: Builder) -> str:
    return f"{round(b.rng.uniform(-0.9, 0.9), 2)}"


def mask(b: Builder, shape: Shape, d: int) -> str:
    """A boolean array of this shape."""
    x = arr(b, shape, min(d, 1))
    first = f"{x.text} {b.pick('<>')} {_level(b)}"
    roll = b.rng.random()
    if roll < 0.7:
        return first
    second = f"({arr(b, shape, 0).text} {b.pick('<>')} {_level(b)})"
    return f"({first}) {b.pick('&|')} {second}" if roll < 0.9 else f"~({first})"
