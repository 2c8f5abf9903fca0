"""Random statements on the values of a :class:`~.live.Live` body.

Each producer gives the lines of one statement and the names that it makes, or None where
it does not apply; nothing promises that the statement runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from .live import RETURN, Live, kind_of, stores
from .live_idioms import IDIOMS
from .live_values import array, condition, copied, item_like, new_list, num, operand, reduction, some_slice

__all__ = ["Lines", "Producer", "add", "early_return", "statement"]

Lines: TypeAlias = "tuple[list[str], tuple[str, ...]] | None"
Producer: TypeAlias = Callable[[Live], Lines]

_COUNTERS = tuple("i j k m_ n_ ii jj".split())
_ITEMS = tuple("row r v item pt cell u".split())


def _is_list(x: Any) -> bool:
    return isinstance(x, list) and "mixed" not in kind_of(x)


def _bind(s: Live, text: str) -> Lines:
    value = s.value(text)
    if value is None or kind_of(value) in ("other", "list:mixed"):
        return None
    name = s.target(kind_of(value))
    return [f"{name} = {text}"], (name,)


# ---- floats


def assign(s: Live) -> Lines:
    """``z = e``"""
    return _bind(s, num(s, 2))


def augment(s: Live) -> Lines:
    """``z += e``"""
    names = [name for name, value in s.env.items() if isinstance(value, float)]
    return ([f"{s.pick(names)} {s.pick('+-*')}= {num(s, 2)}"], ()) if names else None


# ---- lists


def create(s: Live) -> Lines:
    """A list, of lists, of arrays"""
    return _bind(s, new_list(s))


def append_loop(s: Live) -> Lines:
    """``rows = []`` and a loop that appends to it"""
    name, k = s.fresh(), s.fresh(_COUNTERS)
    with s.inside(**{k: "1"}) as lines:
        row = s.fresh(_ITEMS)
        x = s.pick(([0.5], [0.5], np.zeros(2), 0.5))
        text = item_like(s, x, 0.15)
        if s.chance(0.4):
            lines.append(f"{row} = {text}")
            if isinstance(x, list) and s.chance(0.4):
                lines.append(f"{row}.append({num(s, 1)})")
            text = row
        lines.append(f"{name}.append({text})")
        if s.chance(0.2):
            lines.append(f"{name}.append({text})")
    n = s.pick((0, 2, 2, 3))
    return [f"{name} = []", f"for {k} in range({n}):", *_indented(lines)], (name,)


def copy_list(s: Live) -> Lines:
    """``m = l[1:] + l``: another list of the same items"""
    p = s.place(lambda x: _is_list(x) and len(x) > 0)
    return _bind(s, copied(s, p)) if p else None


def alias(s: Live) -> Lines:
    """``row = l[0]``, ``w = a[::-1]``: another name"""
    p = s.place(lambda x: isinstance(x, (list, dict)) or kind_of(x).startswith("array"))
    if p is None:
        return None
    value = s.value(p)
    if isinstance(value, np.ndarray) and s.chance(0.6):
        forms = ["{p}[::-1]", "{p}[1:]", "{p}[:, 0]", "{p}.T", "{p}[None, :]", "{p}[:, None]", "{p}.reshape(-1)"]
        forms += ["{p}[..., 1:]", "{p}[:, ::-1]", "{p}[np.newaxis]", "{p}.swapaxes(0, 1)", "{p}.ravel()", "{p}[::2]"]
        return _bind(s, s.pick(forms).format(p=p))
    return _bind(s, p)


def change_list(s: Live) -> Lines:
    """``append``, ``insert``, ``pop``, ``del``, slice stores and the other ways to change a list"""
    p = s.place(_is_list)
    if p is None:
        return None
    value = s.value(p)
    if not value:
        return [f"{p}.append({num(s, 1)})"], ()
    i, j = s.index(len(value)), s.index(len(value))
    item = item_like(s, value[0])
    other = s.place(lambda x: kind_of(x) == kind_of(value)) or p
    if other == p or s.chance(0.4):
        other = f"[{item}]"
    name = s.target(kind_of(value[-1]))
    forms = ["{p}.append({item})"] * 4 + ["{p}[{i}] = {item}"] * 4 + ["{name} = {p}.pop()", "{name} = {p}.pop({i})"] * 2
    forms += ["{p}.insert({i}, {item})"] * 2 + ["{p}.pop()", "{p}.pop({i})", "{p}.reverse()", "{p}.extend({other})"]
    forms += ["{p} += {other}", "del {p}[{i}]", "{p}[{i}], {p}[{j}] = {p}[{j}], {p}[{i}]", "del {p}[{slice}]"]
    forms += ["{p}[:1] = {other}", "{p}[1:] = {other}", "{p}[{slice}] = {p}[{slice}]", "{p}[::2] = {p}[::-2]"]
    forms += ["{p}[1:1] = [{item}]", "{p}[:] = {p}[::-1]", "{p}.clear()\n{p}.append({item})", "{p} *= 2"]
    forms += ["{p}.extend(r_ for r_ in {other})", "{p}.insert(0, {p}.pop())", "{p}[-1:] = []"]
    if kind_of(value) == "list:float":
        forms += ["{p}.remove({p}[{i}])", "{p}.sort()", "{p}[:] = [v_ * {e} for v_ in {p}]", "{p}[{i}] += {e}"]
        forms += ["{p}[{i}] *= {e}"] * 3
    text = str(s.pick(forms)).format(
        p=p, i=i, j=j, item=item, other=other, name=name, e=operand(s, 1), slice=some_slice(s)
    )
    return text.split("\n"), (name,) if text.startswith(f"{name} = ") else ()


# ---- arrays


def new_array(s: Live) -> Lines:
    """An array, now and then of three axes, or made of a list"""
    p = s.place(stores("list:"))
    if p and s.chance(0.4):
        return _bind(s, f"np.{s.pick(('array', 'array', 'stack', 'vstack', 'concatenate'))}({p})")
    return _bind(s, array(s, s.pick(((2,), (3,), (3,), (4,), (2, 2), (2, 3), (2, 2, 2)))))


def change_array(s: Live) -> Lines:
    """A store into an array, through views and masks and repeated indices too"""
    p = s.place(stores("array"))
    if p is None:
        return None
    value = s.value(p)
    n, e = value.shape[0], num(s, 1)
    i, row, op = s.index(n), array(s, value.shape[1:]) if value.ndim > 1 else num(s, 1), s.pick(("=", "+=", "*=", "-="))
    same = array(s, value.shape)
    q = s.place(lambda x: kind_of(x) == kind_of(value)) or p
    picks = [s.rng.randrange(n) for _ in range(s.pick((2, 3)))]
    forms = ["{p}[{i}] {op} {row}"] * 6 + [
        "{p}[:] = {same}",
        "{p} {aug} {same}",
        "{p}[1:] {op} {e}",
        "{p}[::2] {op} {e}",
    ]
    forms += ["{p}[{p} > {c}] {op} {e}", "{p}[{q} < {c}] *= {e}", "{p}[{p} > {c}] = -{p}[{p} > {c}]"]
    forms += ["{p}[{picks}] {aug} {e}", "{p}[np.array({picks})] {aug} {e}", "np.add.at({p}, {picks}, {e})"]
    forms += [
        "np.multiply({p}, {e}, out={q})",
        "np.add({p}, {q}, out={p})",
        "np.sin({p}, out={q})",
        "np.copyto({p}, {q})",
    ]
    forms += [
        "{p}.ravel()[{k}] {op} {e}",
        "{p}.reshape(-1)[1:] {op} {e}",
        "{p}[None, :][0] {op} {row}",
        "{p}.fill({e})",
    ]
    forms += ["{p}[1:] = {p}[:-1]", "{p}[:] = {p}[::-1]", "{p}[...] {op} {same}", "{p}[{i}], {p}[{j}] = {swap}"]
    forms += ["{p}[::-1][{i}] {op} {row}", "{p}[:, None][{i}] {op} {row}", "{p}[1:][0] {op} {row}"]
    if value.ndim > 1:
        forms += ["{p}[..., 0] {op} {e}", "{p}[:, {m}] {op} {e}", "{p}.T[{m}] {op} {e}", "{p}[{i}][{m}] {op} {e}"] * 2
        forms += ["{p}[:, ::-1][{i}] {op} {e}", "{p}.T[{m}][1:] {op} {e}", "{p}[{i}, 1:] {op} {p}[{i}, :-1]"]
    if value.ndim > 2:
        forms += ["{p}[{i}, :, 0] {op} {e}", "{p}[:, {m}] {op} {e}", "{p}[{i}, {m}, -1] {op} {e}"] * 4
    swap = f"{p}[{s.index(n)}], {p}[{i}]" if value.ndim == 1 else f"{p}[{i}].copy(), {p}[{i}].copy()"
    text = str(s.pick(forms)).format(
        p=p, q=q, i=i, j=s.index(n), k=s.index(value.size), m=s.index(value.shape[-1]), e=e, row=row, same=same, op=op,
        aug=op if op != "=" else "+=", c=s.literal(), picks=picks, swap=swap,
    )  # fmt: skip
    return [text], ()


# ---- dicts, tuples, objects


def new_dict(s: Live) -> Lines:
    """A dict of floats, of lists or of arrays"""
    keys = s.rng.sample(("x", "y", "w"), s.pick((1, 2, 2, 3)))
    x = s.pick((0.5, [0.5], [0.5], np.zeros(2)))
    old = s.place(lambda y: isinstance(y, dict))
    if old and s.chance(0.4):
        forms = ["dict({p})", "{p}.copy()", "{{**{p}}}", "{{k_: v_ for k_, v_ in {p}.items()}}"]
        forms += ["{{k_: v_ * {e} for k_, v_ in {p}.items()}}", "{{k_: [{p}[k_], {p}[k_]] for k_ in {p}}}"]
        forms += ["list({p}.values())", "[v_ for v_ in {p}.values()]"]
        return _bind(s, str(s.pick(forms)).format(p=old, e=operand(s, 0)))
    if s.chance(0.2):
        return _bind(s, f"{{k_: {item_like(s, x)} for k_ in {tuple(keys)}}}")
    return _bind(s, "{" + ", ".join(f'"{key}": {item_like(s, x)}' for key in keys) + "}")


def change_dict(s: Live) -> Lines:
    """``d["x"] = e``, ``update``, ``pop``, ``setdefault`` and loops that store"""
    p = s.place(lambda x: isinstance(x, dict) and len(x) > 0)
    if p is None:
        return None
    value = s.value(p)
    k, new, first = s.pick(list(value)), s.pick(("x", "y", "w")), next(iter(value.values()))
    item, name = item_like(s, first), s.target(kind_of(first))
    forms = ['{p}["{k}"] = {item}', '{p}["{new}"] = {item}', '{p}.update({{"{new}": {item}}})', '{name} = {p}["{k}"]']
    forms += [
        '{name} = {p}.pop("{k}")',
        '{name} = {p}.get("{new}", {item})',
        '{name} = {p}.setdefault("{new}", {item})',
    ]
    forms += ["for k_ in {p}:\n    {p}[k_] = {p}[k_] * {e}", "for k_, v_ in {p}.items():\n    {p}[k_] = v_ * {e}"]
    forms += ['if "{new}" in {p}:\n    {p}["{new}"] = {item}', 'del {p}["{k}"]', "{p}.update({p})"]
    if isinstance(first, list):
        forms += ["for v_ in {p}.values():\n    v_.append({e})", "for k_, v_ in {p}.items():\n    v_[0] *= {e}"] * 2
        forms += ['{p}.setdefault("{new}", []).append({e})', '{p}["{k}"].append({e})', '{p}["{k}"] += {item}']
    if isinstance(first, np.ndarray):
        forms += ["for v_ in {p}.values():\n    v_ *= {e}", "for k_ in {p}:\n    {p}[k_][0] = {e}"] * 2
        forms += ['{p}["{k}"] *= {e}', '{p}["{k}"][1:] += {e}']
    if isinstance(first, float):
        forms += ['{p}["{k}"] *= {e}', '{p}["{k}"] += {e}'] * 2
    text = str(s.pick(forms)).format(p=p, k=k, new=new, item=item, name=name, e=operand(s, 1))
    return text.split("\n"), (name,) if text.startswith(f"{name} = ") else ()


def pack(s: Live) -> Lines:
    """A tuple or an object of what there is"""
    p, q = s.place(lambda x: isinstance(x, (list, np.ndarray))), s.place(
        lambda x: isinstance(x, (list, np.ndarray, float))
    )
    if p is None or q is None:
        return None
    floats, vector = (
        s.place(stores("list:float")) or "[0.5, 0.3]",
        s.place(stores("array"), 2) or "np.array([0.4, 1.1])",
    )
    forms = [f"({p}, {q})", f"Pair({p}, {q})", f"Box({num(s, 1)}, {floats}, {vector})", f"({q}, [{p}])"]
    return _bind(s, str(s.pick(forms)))


def unpack(s: Live) -> Lines:
    """``a, b = t``"""
    p = s.place(lambda x: isinstance(x, tuple) and len(x) == 2) or s.place(lambda x: _is_list(x) and len(x) == 2)
    if p is None:
        return None
    value = s.value(p)
    names = tuple(s.target(kind_of(x)) for x in value)
    return ([f"{names[0]}, {names[1]} = {p}"], names) if names[0] != names[1] else None


def change_object(s: Live) -> Lines:
    """A field of an object, or a method that changes it"""
    p = s.place(lambda x: type(x).__name__ == "Box")
    if p is None:
        return None
    return [
        s.pick(
            (
                f"{p}.s = {num(s, 1)}",
                f"{p}.s *= {num(s, 1)}",
                f"{p}.grow({num(s, 1)})",
                f"{p}.turn({num(s, 1)}).grow({num(s, 0)})",
                f"{p}.turn({num(s, 1)})",
                f"{p}.items = {p}.items[::-1]",
                f"{p}.w = {p}.w * {operand(s, 1)}",
            )
        )
    ], ()


def exchange(s: Live) -> Lines:
    """``a, b = b, a`` of two things of one kind"""
    names = [name for name, x in s.env.items() if isinstance(x, (list, np.ndarray))]
    s.rng.shuffle(names)
    for a in names:
        for b in names:
            if a < b and kind_of(s.env[a]) == kind_of(s.env[b]):
                return [f"{a}, {b} = {b}, {a}"], ()
    return None


# ---- calls


def helper_call(s: Live) -> Lines:
    """A function that changes its arguments, or gives some of them back"""
    floats, rows = s.place(stores("list:float")), s.place(stores("list:list:float"))
    vector, other = s.place(stores("array:")), s.place(stores("array:"))
    e, c = num(s, 1), num(s, 1)
    a, b = s.fresh(), s.fresh()
    options: list[tuple[list[str], tuple[str, ...]]] = [([f"{a} = kept({e})"], (a,))]
    if floats:
        options += [([f"{a} = push({floats}, {e})"], (a,)), ([f"push({floats}, {e})"], ()), ([f"fold({floats})"], ())]
        options += [([f"{a} = kept({e}, {floats})"], (a,)), ([f"{a} = kept(v={e}, items={floats})"], (a,))]
    if rows:
        options += [([f"{a}, {b} = scaled({rows}, {c})"], (a, b)), ([f"scaled({rows}, {c})"], ())]
        options += [([f"{a} = picked({rows}, {e})"], (a,)), ([f"{a} = found({rows}, {c})"], (a,))]
    if floats and rows:
        options += [([f"{a}, {b} = crossed({floats}, {rows})"], (a, b)), ([f"push({rows}[0], {e})"], ())]
    if vector:
        options += [([f"bump({vector}, {e})"], ()), ([f"{a} = bump({vector}, {e})"], (a,))]
        options += [([f"{a}, {b} = crossed({vector}, {other})"], (a, b))]
    lines, names = s.pick(options)
    return (lines, names) if a != b else None


def closure(s: Live) -> Lines:
    """A function inside that changes what it captures"""
    p = s.place(lambda x: _is_list(x) or kind_of(x).startswith("array"), 2)
    if p is None:
        return None
    name, u = s.fresh(), "u_"
    with s.inside(u_="0.5") as lines:
        for _ in range(s.pick((1, 1, 2))):
            add(s, _SMALL)
        lines = lines or ["pass"]
        e = num(s, 1)
    result = s.fresh()
    calls = [f"{result} = {name}({num(s, 1)})"]
    if s.chance(0.5):
        calls.append(f"{result} = {name}({result} * 0.5)")
    return [f"def {name}({u}):", *_indented([*lines, f"return {e}"]), *calls], (result,)


# ---- control


def _indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines] or ["    pass"]


def _body(s: Live, table: list[tuple[float, Producer]] | None = None) -> None:
    """One to three statements, tried on the values as the block first meets them."""
    for _ in range(s.pick((1, 1, 2, 2, 3))):
        add(s, table or (_SMALL if s.nested > 1 else _STATEMENTS))


def add(s: Live, table: list[tuple[float, Producer]]) -> bool:
    """Write one statement of a table, if one of a few that are tried runs."""
    producers, weights = [p for _, p in table], [w for w, _ in table]
    for _ in range(4):
        made = s.rng.choices(producers, weights)[0](s)
        if made is not None and s.attempt(*made):
            return True
    return False


def loop_range(s: Live) -> Lines:
    """``for k in range(3)``"""
    k = s.fresh(_COUNTERS)
    p = s.place(_is_list)
    n = f"len({p})" if p and s.chance(0.4) else s.pick(("2", "2", "3", "1, 3", "2, -1, -1"))
    with s.inside(**{k: "1"}) as lines:
        _body(s)
    return [f"for {k} in range({n}):", *_indented(lines), *_else(s)], ()


def _else(s: Live) -> list[str]:
    if not s.chance(0.06):
        return []
    with s.inside() as lines:
        add(s, _SMALL)
    return ["else:", *_indented(lines)]


def loop_items(s: Live) -> Lines:
    """A loop over the items of a list or an array, or a part of one, with others beside them"""
    p = s.place(lambda x: (_is_list(x) and len(x) > 0) or kind_of(x).startswith("array"))
    if p is None:
        return None
    k, v, w = s.fresh(_COUNTERS), s.fresh(_ITEMS), s.fresh(_ITEMS)
    if v == w:
        return None
    q = s.place(lambda x: _is_list(x) and len(x) > 0) or p
    over = s.pick((p, p, f"{p}[{some_slice(s)}]", f"reversed({p})", f"list({p})", f"{p}[:]"))
    forms: list[tuple[str, dict[str, str]]] = [
        (f"for {v} in {over}:", {v: f"{p}[0]"}),
        (f"for {v} in {over}:", {v: f"{p}[0]"}),
        (f"for {k}, {v} in enumerate({over}):", {k: "0", v: f"{p}[0]"}),
        (f"for {v}, {w} in zip({p}, {q}):", {v: f"{p}[0]", w: f"{q}[0]"}),
        (f"for {v}, {w} in zip({p}, {p}[1:]):", {v: f"{p}[0]", w: f"{p}[-1]"}),
        (f"for {k}, ({v}, {w}) in enumerate(zip({p}, {q})):", {k: "0", v: f"{p}[0]", w: f"{q}[0]"}),
    ]
    header, bound = s.pick(forms)
    with s.inside(**bound) as lines:
        if isinstance(s.env[v], (list, np.ndarray)) and s.chance(0.6):
            lines += s.pick(([f"{v}[0] *= {num(s, 1)}"], [f"{v}[-1] = {num(s, 1)}"], [f"{v}[0] += {num(s, 0)}"]))
        _body(s)
        if s.chance(0.12):
            lines += [f"if {condition(s)}:", f"    {s.pick(('break', 'continue'))}"]
            add(s, _SMALL)
    return [header, *_indented(lines), *_else(s)], ()


def drain(s: Live) -> Lines:
    """``while stack: x = stack.pop()``: a stack, or a queue"""
    p = s.place(lambda x: _is_list(x) and len(x) > 0, 1)
    if p is None:
        return None
    name, out = s.fresh(_ITEMS), s.fresh()
    source = s.pick((p, f"{p}[:]", f"list({p})"))
    take = s.pick(("pop()", "pop()", "pop(0)"))
    setup = [f"{out} = {source}"] if source != p or s.chance(0.5) else []
    stack = out if setup else p
    with s.inside(**{name: f"{p}[-1]"}) as lines:
        lines.append(f"{name} = {stack}.{take}")
        _body(s, _SMALL)
    test = s.pick((stack, f"len({stack}) > 0", f"len({stack}) > 1", f"{stack} and {condition(s)}"))
    end = [f"{p}.append({item_like(s, s.value(p)[-1])})"] if s.chance(0.7) else []
    return [*setup, f"while {test}:", *_indented(lines), *end], (out,) if setup else ()


def branch(s: Live) -> Lines:
    """``if``/``else``; what a branch makes stays inside"""
    test = condition(s)
    with s.inside() as lines:
        _body(s)
    with s.inside() as other:
        if s.chance(0.5):
            _body(s)
    return [f"if {test}:", *_indented(lines), *(["else:", *_indented(other)] if other else [])], ()


def match(s: Live) -> Lines:
    """``match`` on a tuple"""
    p = s.place(lambda x: isinstance(x, tuple) and len(x) == 2)
    subject = p if p and s.chance(0.5) else f"({num(s, 1)}, {s.pick(('1', '2', '0.5'))})"
    name = s.target("float")
    first, last = s.pick((("(u_, 1)", "u_"), ("(u_, 2)", "u_"), ("(_, w_)", "1.0"))), num(s, 1)
    lines = [f"match {subject}:", f"    case {first[0]}:", f"        {name} = {first[1]} * {operand(s, 1)}"]
    return [*lines, "    case _:", f"        {name} = {last}"], (name,)


def idiom(s: Live) -> Lines:
    """One of :mod:`.live_idioms`"""
    producers, weights = [p for _, p in IDIOMS], [w for w, _ in IDIOMS]
    return s.rng.choices(producers, weights)[0](s, lambda inner: _body(inner, _SMALL))


def early_return(s: Live) -> Lines:
    """``return`` out of one loop, or of two"""
    rows, p = s.place(stores("list:list:float")), s.place(stores("list:float"))
    if rows and s.chance(0.7):
        lines = [f"for r_ in {rows}:", "    for v_ in r_:"]
    elif p:
        lines = [f"for v_ in {p}:"]
    else:
        return [f"if {condition(s)}:", f"    {RETURN}{reduction(s) or num(s, 2)}"], ()
    pad = "    " * len(lines)
    lines += [f"{pad}if v_ {s.pick('<>')} {s.literal()}:", f"{pad}    {RETURN}v_ * {operand(s, 1)}"]
    return lines, ()


_SMALL: list[tuple[float, Producer]] = [
    (1, assign),
    (1.5, augment),
    (0.6, create),
    (1, copy_list),
    (0.8, alias),
    (5, change_list),
    (0.3, new_array),
    (4, change_array),
    (2, change_dict),
    (1.5, change_object),
    (0.4, exchange),
    (0.6, helper_call),
    (0.3, unpack),
]
_STATEMENTS: list[tuple[float, Producer]] = [
    *_SMALL,
    (2, create),
    (1.5, append_loop),
    (1.5, copy_list),
    (0.4, new_array),
    (0.8, new_dict),
    (0.7, pack),
    (2, loop_items),
    (1.2, loop_range),
    (0.5, drain),
    (1.2, branch),
    (0.3, match),
    (0.5, closure),
    (0.3, early_return),
    (1, helper_call),
    (3, idiom),
]


def statement(s: Live) -> bool:
    """Write one statement that runs."""
    return add(s, _STATEMENTS)
