"""Random array expressions of a given shape, and masks.

Every producer takes the builder, a shape and a depth and returns an :class:`Expr`, or None
where it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable

from . import expressions
from .atoms import binary, index, level, shape_text, size_text, squash, unary, views
from .builder import LIMIT, Arr, Builder, Expr, Idx, Lst, Shape, bare

__all__ = ["arr", "mask"]


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
    e = squash(b, expressions.num(b, 1))
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
        items = [bare(squash(b, expressions.num(b, 1 if n < 3 else 0)).text) for _ in range(n)]
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
    return unary(b, arr(b, shape, d - 1), "np")


def _arr_negative(b: Builder, shape: Shape, d: int) -> Expr:
    e = arr(b, shape, d - 1)
    return Expr(f"(-{e.text})", e.bound)


def _arr_binary(b: Builder, shape: Shape, d: int) -> Expr:
    x, y = arr(b, shape, d - 1), _broadcast(b, shape, d - 1)
    return binary(b, *((x, y) if b.chance(0.6) else (y, x)), "np")


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
    e = squash(b, expressions.num(b, 1))
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
    return expressions.call(b, Arr(shape), d)


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
        return squash(b, expressions.num(b, min(d, 1)))
    if len(shape) == 2 and roll < 0.6:
        n, m = shape
        return arr(b, b.pick(((m,), (1, m), (n, 1))), d)
    return arr(b, shape, d)


def mask(b: Builder, shape: Shape, d: int) -> str:
    """A boolean array of this shape."""
    x = arr(b, shape, min(d, 1))
    first = f"{x.text} {b.pick('<>')} {level(b)}"
    roll = b.rng.random()
    if roll < 0.7:
        return first
    second = f"({arr(b, shape, 0).text} {b.pick('<>')} {level(b)})"
    return f"({first}) {b.pick('&|')} {second}" if roll < 0.9 else f"~({first})"
