"""Whole idioms on the values of a :class:`~.live.Live` body: tables, work lists, names that move along.

Producers as in :mod:`.live_statements`; a :data:`Body` writes the statements inside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from .live import Live, kind_of, stores
from .live_values import condition, item_like, num, operand, some_slice

__all__ = ["IDIOMS"]

Lines: TypeAlias = "tuple[list[str], tuple[str, ...]] | None"
Body: TypeAlias = Callable[[Live], None]


def _shared(x: Any) -> bool:
    return (isinstance(x, list) and "mixed" not in kind_of(x) and len(x) > 0) or kind_of(x).startswith("array")


def _indented(lines: list[str], levels: int = 1) -> list[str]:
    return ["    " * levels + line for line in lines]


def either(s: Live, body: Body) -> Lines:
    """``w = a if c else b``: one of two objects, then changed through the new name"""
    p = s.place(_shared)
    if p is None:
        return None
    kind = kind_of(s.value(p))
    q = s.place(lambda x: kind_of(x) == kind) or p
    name, test = s.target(kind), condition(s)
    form = s.pick((0, 1, 2))
    if form == 0:
        lines = [f"{name} = {p} if {test} else {q}"]
    elif form == 1:
        lines = [f"if {test}:", f"    {name} = {p}", "else:", f"    {name} = {q}"]
    else:
        lines = [f"{name} = {p}", f"if {test}:", f"    {name} = {q}"]
    return [*lines, *_touch(s, name, p)], (name,)


def _touch(s: Live, name: str, like: str) -> list[str]:
    """A change of something by a name that is not yet bound."""
    with s.inside(**{name: like}):
        e, kind = num(s, 1), kind_of(s.env[name])
        item = item_like(s, s.env[name][0], 0.2) if len(s.env[name]) else e
    if kind.startswith("array"):
        return [s.pick((f"{name}[0] = {item}", f"{name} *= {e}", f"{name}[-1] += {e}", f"{name}[1:] *= {e}"))]
    if kind == "list:float":
        return [s.pick((f"{name}[0] = {e}", f"{name}[-1] *= {e}", f"{name}.append({e})", f"{name}.pop()"))]
    return [s.pick((f"{name}[0] = {item}", f"{name}.append({item})", f"{name}[0], {name}[-1] = {name}[-1], {name}[0]"))]


def carried(s: Live, body: Body) -> Lines:
    """``cur = l[0]``, then a loop in which the name moves from one object to the next"""
    p = s.place(lambda x: isinstance(x, list) and len(x) > 0 and _shared(x[0]) and "mixed" not in kind_of(x))
    if p is None:
        return None
    kind = kind_of(s.value(p)[0])
    cur, r = s.target(kind), "nxt"
    with s.inside(**{cur: f"{p}[0]", r: f"{p}[-1]"}) as lines:
        lines += _touch(s, s.pick((cur, r)), f"{p}[0]")
        body(s)
    move = s.pick((f"{cur} = {r}", f"{cur} = {r}", f"if {condition(s)}:\n    {cur} = {r}", f"{cur} = {r}[:]")).split(
        "\n"
    )
    over = s.pick((f"{p}[{some_slice(s)}]", p, f"list({p})"))
    return [f"{cur} = {p}[{s.pick((0, -1))}]", f"for {r} in {over}:", *_indented([*lines, *move])], (cur,)


def work_list(s: Live, body: Body) -> Lines:
    """``todo = [0]`` and ``while todo:``, over places in a list or an array"""
    p = s.place(_shared)
    if p is None:
        return None
    k, todo, n = s.pick(("k", "node", "at")), s.fresh(("todo", "stack", "queue")), len(s.value(p))
    if k in s.env:
        return None
    with s.inside(**{k: str(n - 1)}) as lines:
        e = num(s, 1)
        lines.append(s.pick((f"{p}[{k}] = {item_like(s, s.value(p)[0])}", f"{p}[{k}] = {p}[{k}] * {e}", "pass")))
        body(s)
    grow = s.pick((f"if {k} + 1 < {n}:\n    {todo}.append({k} + 1)", f"if {k} > 0:\n    {todo} += [{k} - 1, {k} // 2]"))
    start = s.pick(("[0]", f"[{n - 1}]", f"list(range({n}))"))
    take = s.pick(("pop()", "pop()", "pop(0)"))
    return [
        f"{todo} = {start}",
        f"while {todo}:",
        *_indented([f"{k} = {todo}.{take}", *lines, *(grow.split("\n") if s.chance(0.7) else [])]),
    ], ()


def table(s: Live, body: Body) -> Lines:
    """A table of dynamic programming: a list of lists, filled in two loops"""
    n, m = s.pick((2, 3)), s.pick((2, 3))
    name = s.fresh(("T", "dp", "best", "cost_"))
    e, f = operand(s, 1), operand(s, 1)
    fill = s.pick((f"[[{e}] * {m} for i_ in range({n})]", f"[[0.0 for j_ in range({m})] for i_ in range({n})]"))
    step = s.pick(
        (
            f"{name}[i_][j_] = {name}[i_ - 1][j_] * {f} + {name}[i_][j_ - 1] + 0.3 * j_",
            f"{name}[i_][j_] += min({name}[i_ - 1][j_], {name}[i_][j_ - 1] + {f})",
            f"{name}[i_][j_] = math.tanh({name}[i_ - 1][j_ - 1] + {f} * i_)",
            f"{name}[i_][j_] = {name}[i_ - 1][j_] if {name}[i_ - 1][j_] > {e} else {f} * (j_ + 1)",
        )
    )
    rows = f"for i_ in range({s.pick(('1, ', ''))}{n}):"
    lines = [f"{name} = {fill}", rows, f"    for j_ in range({m}):", f"        {step}"]
    if s.chance(0.4):
        lines.append(f"    {name}[i_], {name}[i_ - 1] = {name}[i_ - 1], {name}[i_]")
    return lines, (name,)


def pairs(s: Live, body: Body) -> Lines:
    """A list of tuples, and a loop that takes them apart"""
    p = s.place(lambda x: isinstance(x, list) and len(x) > 0 and kind_of(x) == "list:float") or f"[{num(s, 1)}, 0.4]"
    q = s.place(_shared) or p
    name, out = s.fresh(), s.fresh()
    if name == out:
        return None
    e = operand(s, 1)
    made = s.pick(
        (
            f"[(v_, v_ * {e}) for v_ in {p}]",
            f"list(zip({p}, {q}))",
            f"[(k_, v_) for k_, v_ in enumerate({q})]",
            f"[({num(s, 1)}, {p}), ({e}, {p}[:])]",
        )
    )
    value = s.value(made)
    if not value:
        return None
    second = value[0][1]
    change = [f"b_[0] = b_[0] * {e}"] if _shared(second) and s.chance(0.6) else []
    flat = kind_of(second) == "list:float" or (isinstance(second, np.ndarray) and second.ndim == 1)
    reads = "b_[-1]" if flat else "b_" if isinstance(second, float) else e
    lines = [f"{name} = {made}", f"{out} = {num(s, 1)}", f"for a_, b_ in {name}:", *_indented(change)]
    return [*lines, f"    {out} = 0.5 * {out} + a_ * {reads}"], (out,)


def by_place(s: Live, body: Body) -> Lines:
    """``while k < len(l)``, or a loop backwards over places"""
    p = s.place(lambda x: isinstance(x, list) and _shared(x))
    if p is None or "k" in s.env:
        return None
    with s.inside(k="0") as lines:
        lines.append(s.pick((f"{p}[k] = {item_like(s, s.value(p)[0])}", f"{p}[k] = {p}[k - 1]", "pass")))
        body(s)
    if s.chance(0.5):
        return ["k = 0", f"while k < len({p}):", *_indented([*lines, "k += 1"])], ()
    return [f"for k in range(len({p}) - 1, {s.pick(('-1', '0'))}, -1):", *_indented(lines)], ()


def records(s: Live, body: Body) -> Lines:
    """A list of objects, each changed by its own method"""
    name = s.fresh()
    vector = s.place(stores("array")) or "np.array([0.4, 1.1])"
    floats = s.place(stores("list:float")) or "[0.5, 0.3]"
    e, f = num(s, 1), num(s, 1)
    lines = [f"{name} = [Box({e}, [0.2], {vector}), Box({f}, {floats}, {vector}.copy())]", f"for o_ in {name}:"]
    lines.append(s.pick((f"    o_.grow({f})", f"    o_.turn({e})", f"    o_.s *= {e}", "    o_.w[0] *= o_.s")))
    out = s.fresh()
    return [*lines, f"{out} = {name}[0].s * {name}[1].items[-1] + {name}[-1].w[0]"], (out,) if out != name else ()


def calls(s: Live, body: Body) -> Lines:
    """Recursion over a list, starred arguments, ``reduce``, ``filter``"""
    p = s.place(stores("list:float"))
    rows = s.place(stores("list:list:float")) or s.place(stores("list:array:"))
    out = s.fresh()
    forms = [f"{out} = mixed({num(s, 1)}, {num(s, 1)}, w={num(s, 1)})"]
    if p:
        forms += [
            f"{out} = total({p})",
            f"{out} = mixed(*{p})",
            f"{out} = reduce(lambda a_, v_: a_ * 0.5 + v_, {p}, 0.3)",
        ]
        forms += [f"{out} = list(filter(lambda v_: v_ > {s.literal()}, {p}))", f"{out} = halves({p})"]
        forms += [f"{out} = list(map(lambda v_: v_ * {operand(s, 1)}, {p}))"]
    if rows:
        forms += [f"first(*{rows})", f"{out} = first(*{rows})", f"{out} = [first(r_) for r_ in {rows}]"]
    line = s.pick(forms)
    return [line], (out,) if " = " in line[:12] else ()


IDIOMS: list[tuple[float, Callable[[Live, Body], Lines]]] = [
    (1.5, either),
    (1.2, carried),
    (0.8, work_list),
    (0.5, table),
    (0.7, pairs),
    (0.7, by_place),
    (0.3, records),
    (0.8, calls),
]
