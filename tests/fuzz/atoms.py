"""What every expression is made of: constants, squashing, sizes, indices and views."""

from __future__ import annotations

from .builder import LIMIT, Arr, Builder, Expr, Int, Shape, Var, bare

__all__ = ["binary", "index", "level", "literal", "shape_text", "size_text", "squash", "unary", "views"]


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


def level(b: Builder) -> str:
    """A constant to compare with."""
    return f"{round(b.rng.uniform(-0.9, 0.9), 2)}"


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


def unary(b: Builder, e: Expr, lib: str) -> Expr:
    """A smooth function of the expression."""
    form, bound, limit = b.pick(_UNARY)
    e = squash(b, e, limit, lib)
    if "{p}" in form and not _pure(e):
        form, bound = "tanh({})", 1.0
    at = ("atan" if lib == "math" else "arctan") if b.chance(0.7) else "tanh"
    return Expr(f"{lib}." + form.format(bare(e.text), p=e.text, lib=lib, at=at), bound)


def binary(b: Builder, x: Expr, y: Expr, lib: str) -> Expr:
    """``x op y``; the quotient has a denominator away from zero."""
    op = b.pick("++--***/")
    match op:
        case "*":
            return Expr(f"({x.text} * {y.text})", x.bound * y.bound)
        case "/":
            below = b.pick((f"(1.5 + {y.text} * {y.text})", f"({lib}.cos({bare(y.text)}) + 2.0)"))
            return Expr(f"({x.text} / {below})", x.bound)
    return Expr(f"({x.text} {op} {y.text})", x.bound + y.bound)
