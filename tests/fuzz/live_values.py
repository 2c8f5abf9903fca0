"""Random expressions over the values of a :class:`~.live.Live` body: reductions, arrays, lists, items of lists."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .builder import bare
from .live import Live, kind_of, stores

__all__ = ["array", "condition", "copied", "item_like", "new_list", "num", "operand", "reduction", "some_slice"]

_FLOATS = (
    "sum({p})",
    "sum({p})",
    "max({p})",
    "min({p})",
    "math.fsum({p})",
    "sum(v_ * v_ for v_ in {p})",
    "sum([v_ * {e} for v_ in {p}])",
    "sum(map(math.sin, {p}))",
    "sum(v_ for v_ in {p} if v_ > {c})",
    "sum({p}[{s}])",
    "sum(k_ * v_ for k_, v_ in enumerate({p}))",
    "sum(v_ * w_ for v_, w_ in zip({p}, {q}))",
    "sum(v_ * w_ for v_, w_ in zip({p}, reversed({q})))",
    "sum({p}[k_] * k_ for k_ in range(len({p})))",
    "sum(sorted({p})[:2])",
    "np.sum(np.array({p}))",
    "np.mean({p})",
    "np.dot({p}, {p})",
    "(sum({p}) / len({p}))",
    "(len({p}) * {e})",
    "({p}.index({p}[-1]) * {e})",
    "({p}.count({p}[0]) * {e})",
    "math.prod({p})",
)
_LISTS = (
    "sum(sum(r_) for r_ in {p})",
    "sum(r_[0] for r_ in {p})",
    "sum(r_[-1] * r_[0] for r_ in {p} if len(r_) > 1)",
    "sum(v_ * v_ for r_ in {p} for v_ in r_)",
    "sum([sum(r_) * k_ for k_, r_ in enumerate({p})])",
    "sum(map(sum, {p}))",
    "max(sum(r_) for r_ in {p})",
    "np.sum(np.array({p}))",
    "sum(r_[0] * t_[-1] for r_, t_ in zip({p}, {q}))",
    "sum(sum(r_) for r_ in {p}[{s}])",
    "sum(len(r_) for r_ in {p}) * {e}",
    "sum(max(r_) for r_ in reversed({p}))",
)
_ARRAYS = (
    "sum(r_.sum() for r_ in {p})",
    "sum(r_ @ r_ for r_ in {p})",
    "sum(r_[0] for r_ in {p})",
    "np.sum({p}[0] * {p}[-1])",
    "np.sum(np.stack({p}))",
    "np.sum(np.array({p}) ** 2)",
    "np.concatenate({p}).sum()",
    "sum({p}).sum()",
    "sum(np.sum(r_ * t_) for r_, t_ in zip({p}, {q}[1:]))",
)
_ARRAY = (
    "{p}.sum()",
    "np.sum({p} * {p})",
    "{p}.mean()",
    "({p} @ {p})",
    "np.max({p})",
    "{p}.ravel()[-1]",
    "float({p}[0])",
    "{p}[-1].item()",
    "np.trace({p})",
    "sum(v_ * {e} for v_ in {p})",
    "np.sum({p}[..., 0])",
    "np.sum({p}[::-1] * {p})",
    "np.sum({p}[:, None] * {p}[None, :])",
)
_MATRIX = (
    "sum(r_.sum() * k_ for k_, r_ in enumerate({p}))",
    "sum(r_[0] for r_ in {p})",
    "np.sum({p} @ {p}.T)",
    "np.sum(np.diagonal({p}))",
    "np.sum({p}.swapaxes(0, 1)[0])",
)
_DICTS = (
    "sum({p}.values())",
    "sum(v_ * v_ for v_ in {p}.values())",
    "sum({p}[k_] for k_ in {p})",
    '{p}.get("{k}", {e})',
    'sum(v_ for k_, v_ in {p}.items() if k_ != "{k}")',
    "(len({p}) * {e})",
)
_NESTED_DICTS = (
    "sum(sum(v_) for v_ in {p}.values())",
    "sum(v_[0] for v_ in {p}.values())",
    'sum(v_[-1] for k_, v_ in {p}.items() if k_ != "{k}")',
)

_REDUCTIONS: list[tuple[str, str, tuple[str, ...]]] = [
    ("list:float", "", _FLOATS),
    ("list:list:float", "", _LISTS),
    ("list:array", "", _ARRAYS),
    ("array", "", _ARRAY),
    ("array", ",", _MATRIX),
    ("dict:float", "", _DICTS),
    ("dict:list:float", "", _NESTED_DICTS),
    ("dict:array", "", _NESTED_DICTS),
]


def some_slice(s: Live) -> str:
    """The inside of a subscript that takes several items."""
    return str(s.pick(("1:", ":-1", "::-1", "::2", ":", ":2", "-2:", "1:3", "1::2", "-1:0:-1")))


def reduction(s: Live, among: list[str] | None = None) -> str | None:
    """A float of a list, an array or a dict: of those given, or of any."""
    options = []
    for kind, within, forms in _REDUCTIONS:
        test = stores(kind, within)
        found = s.places(test) if among is None else [p for p in among if test(s.value(p))]
        options += [(p, test, forms) for p in found]
    if not options:
        return None
    p, test, forms = s.pick(options)
    q = s.place(test) or p
    form = str(s.pick(forms))
    e = operand(s, 0) if "{e}" in form else ""
    return form.format(p=p, q=q, e=e, c=s.literal(), s=some_slice(s), k=s.pick(("x", "y", "w")))


def num(s: Live, depth: int = 2) -> str:
    """A float whose value, now, is small."""
    text = bare(_num(s, depth))
    value = s.value(text)
    if not isinstance(value, float) or not math.isfinite(value):
        return bare(s.literal())
    return text if abs(value) < 1.8 else s.pick((f"math.tanh({text})", f"math.sin({text})", f"0.2 * ({text})"))


def operand(s: Live, depth: int = 1) -> str:
    """The same, to stand beside an operator."""
    text = num(s, depth)
    return text if text.replace(".", "").isalnum() or (text[-1] == "]" and " " not in text) else f"({text})"


def _num(s: Live, depth: int) -> str:
    roll = s.rng.random()
    if depth <= 0 or roll < 0.25:
        place = None if s.chance(s.constant) else s.place(lambda x: type(x) in (float, np.float64))
        return place or s.literal()
    if roll < 0.55:
        x, y = _num(s, depth - 1), _num(s, depth - 1)
        return f"({x} {s.pick('+-**')} {y})"
    if roll < 0.7:
        x = bare(_num(s, depth - 1))
        return str(s.pick((f"math.sin({x})", f"math.cos({x})", f"math.tanh({x})", f"np.exp(-abs({x}))")))
    if roll < 0.76:
        return f"({_num(s, depth - 1)} if {condition(s)} else {_num(s, depth - 1)})"
    return reduction(s) or _num(s, depth - 1)


def condition(s: Live) -> str:
    """A truth value."""
    items = s.place(lambda x: isinstance(x, list))
    dicts = s.place(lambda x: isinstance(x, dict))
    counters = [name for name, value in s.env.items() if type(value) is int]
    options = [f"{_num(s, 1)} {s.pick('<>')} {s.literal()}"] * 3
    if items:
        options += [f"len({items}) > {s.rng.randrange(4)}", items]
    if dicts:
        options.append(f'"{s.pick(("x", "y", "w"))}" in {dicts}')
    floats = s.place(stores("list:float"))
    if floats:
        options.append(f"{s.pick(('any', 'all'))}(v_ {s.pick('<>')} {s.literal()} for v_ in {floats})")
    options += [f"{name} % 2 == {s.rng.randrange(2)}" for name in counters] * 2
    return str(s.pick(options))


def array(s: Live, shape: tuple[int, ...], depth: int = 1) -> str:
    """An array of this shape."""
    exact = "array:" + ",".join(map(str, shape))
    same = s.place(lambda x: kind_of(x) == exact)
    size = str(shape) if len(shape) > 1 else str(shape[0])
    e = operand(s, 0)
    options = [f"np.full({size}, {e})", f"np.zeros({size}) + {e}", f"{e} * np.ones({size})"]
    if len(shape) == 1:
        options = [f"np.array([{', '.join(num(s, 1) for _ in range(shape[0]))}])"] * 4
    if same and depth and s.chance(0.75):
        other = s.place(lambda x: kind_of(x) == exact) or same
        options = [f"{same} * {e}", f"np.sin({same})", f"{same} + {other}", f"{same} * {other}", f"{same}.copy()"]
        options += [f"np.where({same} > {s.literal()}, {same}, {e})", f"{same}[::-1] - {e}", f"np.tanh({same})"]
    text = str(s.pick(options))
    value = s.value(text)
    if not isinstance(value, np.ndarray) or value.shape != shape or not np.all(np.abs(value) < 4):
        return f"np.full({size}, {s.literal()})"
    return text


def item_like(s: Live, x: Any, shared: float = 0.3) -> str:
    """Something of the kind of ``x``: new, or (for lists and arrays) another name's."""
    kind = kind_of(x)
    if kind.startswith(("list", "dict", "array")) and s.chance(shared):
        found = s.place(lambda y: kind_of(y) == kind)
        if found:
            return found
    match x:
        case np.ndarray():
            return array(s, x.shape)
        case list() if kind in ("list:float", "list:none"):
            source = s.place(stores("list:float"))
            if source and s.chance(0.35):
                form = s.pick(("[v_ * {e} for v_ in {p}]", "{p}[:]", "list({p})", "{p}[::-1]", "{p} + [{e}]", "[*{p}]"))
                return str(form.format(p=source, e=operand(s, 0)))
            return "[" + ", ".join(num(s, 1) for _ in range(s.pick((1, 2, 2, 3)))) + "]"
        case list() if x:
            return "[" + ", ".join(item_like(s, x[0], shared) for _ in range(s.pick((1, 2)))) + "]"
        case dict() if x:
            return "{" + ", ".join(f'"{k}": {item_like(s, v)}' for k, v in x.items()) + "}"
    return num(s, 1)


def new_list(s: Live) -> str:
    """A list of floats, of lists or of arrays."""
    match s.rng.randrange(9):
        case 0:
            return "[" + ", ".join(num(s, 1) for _ in range(s.pick((0, 1, 2, 3, 3, 4)))) + "]"
        case 1:
            return "[" + ", ".join(item_like(s, [0.5], 0.2) for _ in range(s.pick((1, 2, 3)))) + "]"
        case 2:
            n = s.pick((2, 3, 4))
            with s.inside(k_="1", j_="1"):
                row = s.pick((f"[{num(s, 1)}, {num(s, 1)}]", f"[{num(s, 1)} for j_ in range({s.pick((2, 3))})]"))
            return f"[{row} for k_ in range({n})]"
        case 3:
            return f"[{item_like(s, [0.5], 0.4)}] * {s.pick((2, 3))}"
        case 4:
            n = s.pick((2, 3))
            with s.inside(k_="1"):
                row = array(s, (s.pick((2, 3)),))
            return f"[{row} for k_ in range({n})]"
        case 5 if arrays := s.places(stores("array")):
            p = s.pick(arrays)
            return str(s.pick((f"list({p})", f"[{p}, {p}]", f"[r_ for r_ in {p}]", f"[{p}, {p}.copy()]", f"[{p}] * 2")))
        case 6 if lists := s.place(stores("list:list")):
            form = s.pick(
                (
                    "[r_[:] for r_ in {p}]",
                    "[list(r_) for r_ in {p}]",
                    "[r_ for r_ in {p}]",
                    "[r_ for r_ in {p} if len(r_) > 1]",
                    "[[v_ * {e} for v_ in r_] for r_ in {p}]",
                    "[v_ for r_ in {p} for v_ in r_]",
                    "[v_ for r_ in {p} for v_ in r_ if v_ > {e}]",
                    "[sum(r_) for r_ in {p}]",
                    "[r_[0] * k_ for k_, r_ in enumerate({p})]",
                    "[[r_[k_] for r_ in {p}] for k_ in range(2)]",
                    "[r_ + t_ for r_, t_ in zip({p}, {p}[1:])]",
                    "[r_ if r_[0] > {e} else [{e}] for r_ in {p}]",
                    "[[k_ * {e}, *r_] for k_, r_ in enumerate({p})]",
                )
            )
            return str(form.format(p=lists, e=operand(s, 0)))
    p = s.place(stores("list:float")) or s.place(stores("array"), 1)
    if p is None:
        return f"[{num(s, 1)}, {num(s, 2)}]"
    form = s.pick(
        (
            "[v_ * {e} for v_ in {p}]",
            "[v_ for v_ in {p} if v_ > {e}]",
            "sorted({p})",
            "sorted({p}, reverse=True)",
            "list(map(math.sin, {p}))",
            "[[v_, v_ * {e}] for v_ in {p}]",
            "[[v_] for v_ in {p}]",
            "[(v_ if v_ > {e} else {e}) for v_ in {p}]",
            "[v_ * w_ for v_, w_ in zip({p}, {p}[1:])]",
            "[np.array([v_, {e}]) for v_ in {p}]",
            "[float(v_) for v_ in {p}]",
        )
    )
    return str(form.format(p=p, e=operand(s, 0)))


def copied(s: Live, p: str) -> str:
    """A copy of a list, or a part of it, with the same items."""
    kind = kind_of(s.value(p))
    q = s.place(lambda x: kind_of(x) == kind and isinstance(x, list)) or p
    options = [f"{p}[{some_slice(s)}]"] * 3 + [f"{p} + {q}"] * 2
    options += [f"list({p})", f"{p}.copy()", f"{p}[:]", f"[*{p}]", f"{p} * 2", f"list(reversed({p}))", f"2 * {p}"]
    options += [f"[*{p}, *{q}]", f"{p}[{some_slice(s)}] + {q}[{some_slice(s)}]", f"[r_ for r_ in {p}]"]
    options += [f"[{p}[0]] + {p}", f"{p}[-1:] + {p}[:-1]"]
    return str(s.pick(options))
