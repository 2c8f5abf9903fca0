"""Random statements without a body: assignments, stores, calls for their effect.

Each producer writes lines and returns True, or returns False where it does not apply.
"""

from __future__ import annotations

from collections.abc import Callable

from .arrays import arr, mask
from .atoms import index, literal, shape_text, size_text, squash, views
from .builder import LIMIT, Arr, Bool, Builder, Dic, Expr, Fun, Idx, Int, Lst, Num, Shape, Tup, Var, bare
from .expressions import call, condition, held, num

__all__ = ["SIMPLE", "Producer"]

Producer = Callable[[Builder], bool]


def _shape(b: Builder) -> Shape:
    found = b.visible(Arr)
    return b.pick(found).type.shape if found and b.chance(0.7) else b.pick(b.shapes)


def _arrays(b: Builder, writable: bool = True) -> list[Var]:
    return b.visible(Arr, writable=writable)


# ---- floats


def assign_num(b: Builder) -> bool:
    """``z = e``, ``z: float = e``, ``z = w = e``"""
    value = held(b, Num(), 3)
    name = b.target(Num())
    roll = b.rng.random()
    new = b.lookup(name) is None
    if roll < 0.06 and new:
        b.line(f"{name}: float = {value}")
    elif roll < 0.12:
        other = b.target(Num())
        b.line(f"{name} = {other} = {value}")
        b.bind(other, Num())
    else:
        b.line(f"{name} = {value}")
    b.bind(name, Num())
    return True


def assign_pair(b: Builder) -> bool:
    """``a, w = e, f``; the names may be ones that the right side reads"""
    k = b.pick((2, 2, 3))
    values = ", ".join(held(b, Num(), 2) for _ in range(k))
    names = [b.target(Num()) for _ in range(k)]
    if len(set(names)) < k:
        return False
    left = ", ".join(names)
    b.line(f"{b.pick((left, left, f'({left})', f'[{left}]'))} = {values}")
    for name in names:
        b.bind(name, Num())
    return True


def swap(b: Builder) -> bool:
    """``a, w = w, a``"""
    found = [v for v in b.visible(Num, assignable=True) if b.owned(v)]
    if len(found) < 2:
        return False
    x, y = (v.name for v in b.rng.sample(found, 2))
    b.line(f"{x}, {y} = {y}, {b.pick((x, bare(squash(b, Expr(f'({x} + 0.5 * {y})', 3.0)).text)))}")
    return True


def augment_num(b: Builder) -> bool:
    """``s += e`` and its like"""
    found = [v.name for v in b.visible(Num, assignable=True) if b.owned(v)]
    if not found:
        return False
    name = b.pick(found)
    op = b.pick("++-*/")
    if op in "+-":
        b.line(f"{name} {op}= {held(b, Num(), 2, 0.6)}")
    elif op == "*":
        b.line(f"{name} *= {held(b, Num(), 2, 1.0)}")
    else:
        e = squash(b, num(b, 1), 1.0)
        b.line(f"{name} /= 1.6 + {e.text}" if b.chance(0.5) else f"{name} /= {b.pick(('1.5', '2', '1.1'))}")
    return True


def assign_flag(b: Builder) -> bool:
    """``flag = x > 0.3``"""
    value = condition(b, 1)
    if not any(op in value for op in "<>="):
        return False
    name = b.fresh()
    b.line(f"{name} = {value}" if "<" in value or ">" in value else f"{name} = bool({value})")
    b.bind(name, Bool())
    return True


def assign_int(b: Builder) -> bool:
    """``m = len(x) - 1``, or an integer that depends on a comparison"""
    n = b.pick(b.pick(b.shapes))
    text, type_ = b.pick(
        (
            (f"{size_text(b, n)} - 1", Int(n - 1, n - 1)),
            (size_text(b, n), Int(n, n)),
            (f"{size_text(b, n)} // 2", Int(n // 2, n // 2)),
            (f"1 if {condition(b, 1)} else {n}", Int(1, n)),
            ("0", Int(0, 0)),
            (f"int(2.9 * math.cos({bare(num(b, 1).text)}))", Int(-2, 2)),
        )
    )
    name = b.fresh()
    b.line(f"{name} = {text}")
    b.bind(name, type_)
    return True


# ---- arrays


def assign_array(b: Builder) -> bool:
    """A new array, or another of the same shape for an old name"""
    shape = _shape(b)
    name = b.target(Arr(shape), 0.6)
    b.line(f"{name} = {_owned_array(b, shape)}")
    b.bind(name, Arr(shape))
    return True


def _owned_array(b: Builder, shape: Shape) -> str:
    """An array expression whose value may be stored into."""
    text = held(b, Arr(shape), 3)
    readonly = [v.name for v in b.visible(Arr) if v.frozen]
    return (
        f"1.0 * {text if text.isidentifier() else '(' + text + ')'}" if any(name in text for name in readonly) else text
    )


def buffer(b: Builder) -> bool:
    """``tmp = np.zeros(n)``: to be filled later"""
    shape = _shape(b)
    size = shape_text(b, shape)
    same = [v.name for v in b.visible(Arr) if v.type.shape == shape]
    options = [f"np.zeros({size})", f"np.ones({size})", f"np.full({size}, {bare(literal(b).text)})"]
    if same:
        options += [f"np.zeros_like({b.pick(same)})", f"np.ones_like({b.pick(same)})", f"{b.pick(same)}.copy()"]
        options += [f"np.array({b.pick(same)})", f"np.copy({b.pick(same)})"]
    name = b.target(Arr(shape), 0.7)
    b.line(f"{name} = {b.pick(options)}")
    b.bind(name, Arr(shape))
    return True


def empty_buffer(b: Builder) -> bool:
    """``tmp = np.empty(n)``, filled at once"""
    shape = _shape(b)
    like = [v.name for v in b.visible(Arr) if v.type.shape == shape]
    name = b.fresh()
    value = held(b, Arr(shape), 2)
    b.line(
        f"{name} = np.empty_like({b.pick(like)})"
        if like and b.chance(0.5)
        else f"{name} = np.empty({shape_text(b, shape)})"
    )
    b.line(f"{name}[{b.pick((':', '...'))}] = {_without(b, name, value, shape)}")
    b.bind(name, Arr(shape))
    return True


def _without(b: Builder, name: str, text: str, shape: Shape) -> str:
    """The text, unless it reads a name that has just been bound to something new."""
    return "0.25" if name in text and b.lookup(name) is not None else text


def alias(b: Builder) -> bool:
    """``w = x``: two names for one array"""
    found = [v for v in _arrays(b) if b.owned(v)]
    if not found:
        return False
    v = b.pick(found)
    name = b.target(v.type, 0.85)
    b.line(f"{name} = {v.name}")
    b.bind(name, v.type)
    return True


def view(b: Builder) -> bool:
    """``row = A[i]``: a view, maybe of a view"""
    found = _arrays(b)
    if not found:
        return False
    v = b.pick(found)
    shape = b.pick(
        [(n,) for n in v.type.shape] + [(n - 1,) for n in v.type.shape if n > 1] + [v.type.shape, v.type.shape[::-1]]
    )
    if len(v.type.shape) == 2 and b.chance(0.2):
        shape = (v.type.shape[0] * v.type.shape[1],)
    options = views(b, v, shape)
    if not options:
        return False
    name = b.target(Arr(shape), 0.85)
    b.line(f"{name} = {b.pick(options)}")
    b.bind(name, Arr(shape))
    return True


def index_array(b: Builder) -> bool:
    """``idx = np.array([2, 0, 0])``"""
    if len(b.visible(Idx)) > 1:
        return False
    hi, length = b.pick(b.pick(b.shapes)), b.pick(b.pick(b.shapes))
    unique = length <= hi and b.chance(0.5)
    picks = b.rng.sample(range(hi), length) if unique else [b.rng.randrange(hi) for _ in range(length)]
    name = b.fresh()
    text = f"np.arange({length})" if unique and b.chance(0.2) else f"np.array({picks})"
    b.line(f"{name} = {text}")
    b.bind(name, Idx(length, max(hi, length), unique))
    return True


def update_index_array(b: Builder) -> bool:
    """``idx[0] = 1``, ``idx[:] = idx[::-1]``: without repeats where there were none"""
    found = b.visible(Idx)
    if not found:
        return False
    v = b.pick(found)
    i, j = b.rng.randrange(v.type.length), b.rng.randrange(v.type.length)
    texts = [
        f"{v.name}[:] = {v.name}[::-1]",
        f"{v.name}[{i}], {v.name}[{j}] = {v.name}[{j}], {v.name}[{i}]",
        f"{v.name}.sort()",
    ]
    if not v.type.unique:
        texts += [f"{v.name}[{i}] = {b.rng.randrange(v.type.length)}", f"{v.name} //= 2", f"{v.name}[{i}:] = 0"]
    b.line(b.pick(texts))
    return True


def _element_target(b: Builder, v: Var) -> str:
    match v.type.shape:
        case (n,):
            return f"{v.name}[{index(b, n)}]"
        case (n, m):
            i, j = index(b, n), index(b, m)
            return b.pick(
                (f"{v.name}[{i}, {j}]", f"{v.name}[{i}, {j}]", f"{v.name}[{i}][{j}]", f"{v.name}.T[{j}, {i}]")
            )
    return f"{v.name}[{', '.join(index(b, n) for n in v.type.shape)}]"


def _update(b: Builder, target: str, shape: Shape, plain: float = 0.55) -> None:
    """``target = e`` or ``target op= e``, where the target has this shape (scalars: ``()``)."""
    lib = "np" if shape else "math"

    def value(limit: float) -> str:
        if shape and not b.chance(0.15):
            source = shape if len(shape) == 1 or b.chance(0.7) else b.pick((shape[1:], (1, shape[1]), (shape[0], 1)))
            return bare(squash(b, arr(b, source, 2), limit, lib).text)
        return bare(squash(b, num(b, 2), limit).text)

    op = b.pick("++-*/")
    if b.chance(plain):
        b.line(f"{target} = {value(LIMIT)}")
    elif op in "+-":
        b.line(f"{target} {op}= {value(0.6)}")
    elif op == "*":
        b.line(f"{target} *= {value(1.0)}")
    else:
        b.line(f"{target} /= {b.pick(('1.5', '2.0', f'1.4 + {lib}.cos({value(LIMIT)})'))}")


def store_element(b: Builder) -> bool:
    """``x[i] = e``, ``A[i, j] += e``"""
    found = _arrays(b)
    if not found:
        return False
    _update(b, _element_target(b, b.pick(found)), ())
    return True


def store_slice(b: Builder) -> bool:
    """``x[1:] = e``, ``A[:, j] *= e``"""
    found = _arrays(b)
    if not found:
        return False
    v = b.pick(found)
    shape = b.pick(
        [(n,) for n in v.type.shape] + [(n - 1,) for n in v.type.shape if n > 1] + [v.type.shape, v.type.shape[::-1]]
    )
    options = [t for t in views(b, v, shape) if t.endswith("]")]
    if not options:
        return False
    _update(b, b.pick(options), shape)
    return True


def update_whole(b: Builder) -> bool:
    """``x += e``, ``x[:] = e``, ``x[...] *= e``"""
    found = _arrays(b)
    if not found:
        return False
    v = b.pick(found)
    if b.chance(0.5) and b.owned(v) and not v.fixed:
        _update(b, v.name, v.type.shape, plain=0.0)
    else:
        _update(b, f"{v.name}[{b.pick((':', '...'))}]", v.type.shape)
    return True


def store_masked(b: Builder) -> bool:
    """``x[x > 0.3] = e``"""
    found = _arrays(b)
    if not found:
        return False
    v = b.pick(found)
    level = f"{round(b.rng.uniform(-0.8, 0.8), 2)}"
    on = mask(b, v.type.shape, 0) if b.chance(0.4) else f"{v.name} {b.pick('<>')} {level}"
    value = bare(squash(b, num(b, 1)).text)
    b.line(
        b.pick(
            (
                f"{v.name}[{on}] = {value}",
                f"{v.name}[{on}] *= {bare(squash(b, num(b, 1), 1.0).text)}",
                f"{v.name}[{v.name} < {level}] = np.tanh({v.name}[{v.name} < {level}])",
                f"{v.name}[{on}] += 0.3",
            )
        )
    )
    return True


def store_fancy(b: Builder) -> bool:
    """``x[[0, 2]] = e``; indices without repeats, but sometimes with"""
    found = [v for v in _arrays(b) if len(v.type.shape) == 1]
    if not found:
        return False
    v = b.pick(found)
    n = v.type.shape[0]
    k = b.rng.randint(1, n)
    picks = b.rng.sample(range(n), k) if b.chance(0.8) else [b.rng.randrange(n) for _ in range(k)]
    text = f"{picks}"
    for w in b.visible(Idx):
        if w.type.hi <= n and w.type.unique and b.chance(0.5):
            text, k = w.name, w.type.length
    _update(b, f"{v.name}[{text}]", (k,))
    return True


def swap_items(b: Builder) -> bool:
    """Rows or elements change places"""
    found = _arrays(b)
    if not found:
        return False
    v = b.pick(found)
    n = v.type.shape[0]
    i, j = index(b, n), index(b, n)
    if len(v.type.shape) == 1:
        b.line(f"{v.name}[{i}], {v.name}[{j}] = {v.name}[{j}], {v.name}[{i}]")
    elif len(v.type.shape) == 2:
        k, q = b.rng.randrange(n), b.rng.randrange(n)
        lines = [f"{v.name}[[{k}, {q}]] = {v.name}[[{q}, {k}]]"] if k != q else []
        lines.append(f"{v.name}[{i}], {v.name}[{j}] = {v.name}[{j}].copy(), {v.name}[{i}].copy()")
        b.line(b.pick(lines))
    return True


def ufunc_out(b: Builder) -> bool:
    """``np.multiply(x, y, out=x)``, ``np.add.at``-free"""
    found = _arrays(b)
    if not found:
        return False
    v = b.pick(found)
    x, y = squash(b, arr(b, v.type.shape, 1), 1.0, "np"), squash(b, arr(b, v.type.shape, 1), 1.0, "np")
    form = b.pick(("np.multiply({x}, {y}, out={v})", "np.add({x}, {y}, out={v})", "np.sin({x}, out={v})"))
    b.line(form.format(x=bare(x.text), y=bare(y.text), v=v.name))
    return True


# ---- lists, tuples, dicts


def new_list(b: Builder) -> bool:
    """``xs = [e, f]``, a comprehension, or an empty list"""
    name = b.fresh()
    arrays = [v for v in b.visible(Arr) if len(v.type.shape) == 1]
    k = b.rng.randrange(4)
    if arrays and b.chance(0.4):
        v = b.pick(arrays)
        k = v.type.shape[0]
        e = squash(b, num(b, 1)).text
        items = (f"math.tanh({e} * e_)", "0.5 * e_", f"{e} - e_ if e_ > 0.0 else math.sin(e_)")
        b.line(f"{name} = [{b.pick(items)} for e_ in {v.name}]")
    else:
        b.line(f"{name} = [{', '.join(held(b, Num(), 2) for _ in range(k))}]")
    b.bind(name, Lst(k))
    b.scopes[-1][name].fixed = True
    return True


def list_update(b: Builder) -> bool:
    """``xs.append(e)``, ``xs[i] = e``, ``xs.extend([e, f])``"""
    found = [v for v in b.visible(Lst, writable=True) if v.name not in b.locked]
    if not found:
        return False
    v = b.pick(found)
    grown = v.depth == len(b.scopes)
    roll = b.rng.random()
    if roll < 0.6 or not v.type.least:
        b.line(f"{v.name}.append({held(b, Num(), 2)})")
        v.type = Lst(v.type.least + grown)
    elif roll < 0.9:
        _update(b, f"{v.name}[{b.pick((0, -1, b.rng.randrange(v.type.least)))}]", ())
    else:
        b.line(f"{v.name}.extend([{held(b, Num(), 1)}, {held(b, Num(), 1)}])")
        v.type = Lst(v.type.least + 2 * grown)
    return True


def new_dict(b: Builder) -> bool:
    """``d = {"w": e}``"""
    keys = tuple(b.rng.sample(("w", "b", "mu", "k1"), b.rng.randint(1, 3)))
    name = b.fresh()
    items = ", ".join(f'"{key}": {held(b, Num(), 2)}' for key in keys)
    b.line(f"{name} = {{{items}}}")
    b.bind(name, Dic(keys))
    b.scopes[-1][name].fixed = True
    return True


def dict_update(b: Builder) -> bool:
    """``d["w"] = e``"""
    found = b.visible(Dic, writable=True)
    if not found:
        return False
    v = b.pick(found)
    _update(b, f'{v.name}["{b.pick(v.type.keys)}"]', ())
    return True


def tuples(b: Builder) -> bool:
    """Packing and unpacking, starred too"""
    found = b.visible(Tup)
    if found and b.chance(0.6):
        v = b.pick(found)
        names = [b.fresh() for _ in range(v.type.length)]
        if len(set(names)) < len(names):
            return False
        if v.type.length == 3 and b.chance(0.3):
            b.line(f"{names[0]}, *{names[1]} = {v.name}")
            b.bind(names[0], Num())
            b.bind(names[1], Lst(2))
            b.scopes[-1][names[1]].fixed = True
            return True
        b.line(f"{', '.join(names)} = {v.name}")
        for name in names:
            b.bind(name, Num())
        return True
    k = b.rng.randint(2, 3)
    values = ", ".join(held(b, Num(), 2) for _ in range(k))
    name = b.target(Tup(k))
    b.line(f"{name} = {b.pick((values, f'({values})'))}")
    b.bind(name, Tup(k))
    return True


def list_to_array(b: Builder) -> bool:
    """``w = np.array(xs)``"""
    found = [v for v in b.visible(Lst) if v.type.least >= 2]
    if not found:
        return False
    v = b.pick(found)
    name = b.fresh()
    b.line(f"{name} = np.array({v.name}[:{v.type.least}])")
    b.bind(name, Arr((v.type.least,)))
    return True


# ---- calls and the rest


def effect_call(b: Builder) -> bool:
    """A call of a function that updates its argument"""
    found = [v for v in b.visible(Fun) if v.type.mutates]
    if not found:
        return False
    result = b.pick(found).type.result
    e = call(b, result, 2, mutating=True)
    if e is None:
        return False
    if result is None or b.chance(0.2):
        b.line(e.text)
    else:
        name = b.target(result)
        b.line(f"{name} = {e.text}")
        b.bind(name, result)
    return True


def pair_call(b: Builder) -> bool:
    """``a, w = helper(...)``"""
    e = call(b, Tup(2), 2)
    if e is None:
        return False
    names = [b.target(Num()), b.target(Num())]
    if names[0] == names[1]:
        return False
    b.line(f"{names[0]}, {names[1]} = {e.text}")
    for name in names:
        b.bind(name, Num())
    return True


def local_lambda(b: Builder) -> bool:
    """``g = lambda u: e``: reads the variables around it when called"""
    name = b.fresh()
    if b.lookup(name) is not None:
        return False
    with_default = b.chance(0.2)
    b.scopes.append({})
    b.declare("u_", Num())
    body = held(b, Num(), 2)
    b.scopes.pop()
    _pin(b)
    if with_default:
        b.line(
            f"{name} = lambda u_, w_={bare(literal(b).text)}: {body if b.chance(0.5) else f'w_ * math.tanh({body})'}"
        )
    else:
        b.line(f"{name} = lambda u_: {body}")
    b.bind(name, Fun((Num(),), Num()))
    b.scopes[-1][name].fixed = b.scopes[-1][name].pinned = True
    return True


def _pin(b: Builder) -> None:
    for scope in b.scopes:
        for var in scope.values():
            var.pinned = True


def misc(b: Builder) -> bool:
    """``pass``, ``assert``, ``del``"""
    roll = b.rng.random()
    if roll < 0.3:
        b.line("pass")
    elif roll < 0.6:
        found = b.visible(Arr)
        b.line(f'assert {b.pick(found).name}.size > 0, "empty"' if found else "assert 1 < 2")
    else:
        mine = [v for v in b.scopes[-1].values() if isinstance(v.type, Num | Bool | Tup) and not (v.fixed or v.pinned)]
        if not mine or len(b.scopes[-1]) < 4:
            return False
        v = b.pick(mine)
        if any(v.name in scope for scope in b.scopes[:-1]):
            return False
        b.line(f"del {v.name}")
        del b.scopes[-1][v.name]
    return True


SIMPLE: list[tuple[str, float, Producer]] = [
    ("assign", 4, assign_num),
    ("assign", 1, assign_pair),
    ("assign", 0.6, swap),
    ("assign", 3, augment_num),
    ("branch", 0.3, assign_flag),
    ("integer", 0.6, assign_int),
    ("array", 3, assign_array),
    ("array", 1, buffer),
    ("array", 0.4, empty_buffer),
    ("alias", 0.5, alias),
    ("view", 1.2, view),
    ("fancy", 0.4, index_array),
    ("fancy", 0.3, update_index_array),
    ("store", 4, store_element),
    ("store", 2, store_slice),
    ("store", 2, update_whole),
    ("mask", 0.7, store_masked),
    ("fancy", 0.6, store_fancy),
    ("store", 0.6, swap_items),
    ("out", 0.15, ufunc_out),
    ("list", 0.8, new_list),
    ("list", 1.2, list_update),
    ("list", 0.4, list_to_array),
    ("dict", 0.4, new_dict),
    ("dict", 0.5, dict_update),
    ("tuple", 0.6, tuples),
    ("call", 1.5, effect_call),
    ("call", 0.6, pair_call),
    ("closure", 0.5, local_lambda),
    ("misc", 0.3, misc),
]
