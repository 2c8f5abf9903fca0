"""Statements of :mod:`.corner_texts` on the values of a :class:`~.live.Live` body, and loops that end early."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from string import Formatter
from typing import Any

import numpy as np

from .corner_texts import EMPTY, FLAT, GROUPS
from .live import Live, kind_of, stores
from .live_statements import Lines, Producer, add, change_array, change_list, statement
from .live_values import condition, num, operand

__all__ = ["corner", "texts"]


def _array(axes: int | None = None) -> Callable[[Any], bool]:
    return lambda x: kind_of(x).startswith("array") and axes in (None, x.ndim) and x.shape != ()


def _filled(x: Any) -> bool:
    return kind_of(x) == "list:float"


_KINDS: dict[str, Callable[[Any], bool]] = {
    "x": lambda x: type(x) in (float, np.float64),
    "p": _filled,
    "r": stores("list:list:float"),
    "u": _array(1),
    "v": _array(),
    "m": _array(2),
    "g": stores("list:array"),
    "z": lambda x: kind_of(x) == "list:mixed",
    "k": lambda x: type(x) is int,
    "ks": lambda x: kind_of(x) == "list:int" or (isinstance(x, np.ndarray) and x.dtype.kind == "i" and x.ndim == 1),
}
_LIKE = {"q": "p", "w": "v", "P": "p", "V": "v", "M": "m"}
_NAMES = "xPVM"

_POOL = tuple(
    "a b c s t u w y h p e g bx dx by ct bt tape tmp acc out res cur buf d2 val y_1 dt A1 lst cells f_x".split()
)


def _place(s: Live, field: str) -> str | None:
    test = _KINDS[_LIKE.get(field, field)]
    if field in _NAMES:
        names = [name for name, value in s.env.items() if test(value)]
        return str(s.pick(names)) if names else None
    return s.place(test, s.pick((0, 1, 2)))


def _flat(s: Live, found: dict[str, str]) -> str | None:
    kind = s.pick("vvm")
    of = found.get(kind) or _place(s, kind)
    return str(s.pick(FLAT[kind])).format(of) if of else None


def _fill(s: Live, text: str) -> tuple[str, dict[str, str]] | None:
    """The text with its places filled, if there is something for each."""
    found: dict[str, str] = {}
    made: str | None
    fields = {name for _, name, _, _ in Formatter().parse(text) if name}
    for field in sorted(fields, key=lambda name: (len(name), name)):
        match field:
            case "a" | "b" | "h":
                made = _new(s, [*found.values()])
            case "e" | "d":
                made = operand(s, 1)
            case "c":
                made = s.literal()
            case "i":
                made = str(s.pick((0, 0, -1, -1, 1)))
            case "op" | "aug":
                made = str(s.pick(("=", "+=", "*=", "*=")[field == "aug" :]))
            case "n":
                of = {"p": found.get("p") or _place(s, "p") or "[]", "v": found.get("v") or _place(s, "v") or "[]"}
                made = str(s.pick(EMPTY)).format(**of)
            case "flat":
                made = _flat(s, found)
            case _:
                made = _place(s, field)
        if made is None:
            return None
        found[field] = made
    return text.format(**found), found


def _new(s: Live, taken: list[str]) -> str:
    """A name for a result, now and then of something that is there."""
    if s.env and s.chance(0.12):
        name = str(s.pick([*s.env]))
        return name if name not in taken else _new(s, taken)
    return s.fresh(tuple(name for name in _POOL if name not in taken))


def texts(groups: dict[str, tuple[float, tuple[str, ...]]]) -> Producer:
    """A producer of the texts in these groups."""
    return partial(_text, groups)


def _text(groups: dict[str, tuple[float, tuple[str, ...]]], s: Live) -> Lines:
    """One of the texts"""
    names, weights = [*groups], [weight for weight, _ in groups.values()]
    filled = _fill(s, s.pick(groups[s.rng.choices(names, weights)[0]][1]))
    if filled is None:
        return None
    text, found = filled
    kept = tuple(
        found[n]
        for n in "ab"
        if n in found
        and re.search(rf"^[^\s=:(]*(, \*?)?\b{re.escape(found[n])}\b[^\n=(]* = |\({found[n]} :=", text, re.M)
    )
    return text.split("\n"), kept


def _body(s: Live, table: list[tuple[float, Producer]]) -> None:
    for _ in range(s.pick((1, 1, 2))):
        add(s, table)


def _exit(s: Live, ways: tuple[str, ...]) -> list[str]:
    return [f"if {condition(s)}:", f"    {s.pick(ways)}"]


def _indented(lines: list[str], levels: int = 1) -> list[str]:
    return ["    " * levels + line for line in lines]


def _early(s: Live) -> Lines:
    """Two loops with updates and ``break`` or ``continue`` in either, and now and then an ``else``"""
    over, item = "range(3)", "i_"
    p = s.place(lambda x: _filled(x) or _array()(x), 1)
    if p and s.chance(0.4):
        over, item = s.pick((p, f"{p}[::-1]", f"{p}[:]", f"list({p})")), "r_"
    bound = {"i_": "1"} if item == "i_" else {"r_": f"{p}[0]"}
    with s.inside(**bound) as outer:
        _body(s, _INSIDE)
        outer += _exit(s, ("break", "continue")) if s.chance(0.5) else []
        with s.inside(j_="1") as inner:
            _body(s, _INSIDE)
            inner += _exit(s, ("break", "continue", "break"))
            _body(s, _INSIDE)
        header = s.pick(("for j_ in range(2):", "for j_ in range(i_ + 1):" if item == "i_" else "for j_ in range(3):"))
        outer += [header, *_indented(inner)]
        if s.chance(0.25):
            outer += ["else:", f"    {s.pick(('break', 'continue', 'pass'))}"]
        _body(s, _INSIDE)
    if s.chance(0.25):
        return ["i_ = 0", "while True:", *_indented(["i_ += 1", *_until(outer)])], ()
    return [f"for {item} in {over}:", *_indented(outer or ["pass"])], ()


def _until(lines: list[str]) -> list[str]:
    return ["if i_ > 3:", "    break", *lines]


def _returning(s: Live) -> Lines:
    """A function with loops that it returns from, after updates in place"""
    name, result = s.fresh(_POOL), s.fresh(_POOL)
    if name == result:
        return None
    with s.inside(u_="0.5", i_="1", j_="1") as lines:
        _body(s, _CHANGES)
        lines += _exit(s, (f"return {num(s, 1)}", "break", "continue"))
        _body(s, _CHANGES)
        first, last = lines[:], num(s, 1)
    loops = ["for i_ in range(2):", "    for j_ in range(2):", *_indented(first, 2)]
    calls = [f"{result} = {name}({num(s, 1)})"] + ([f"{result} += {name}({num(s, 0)})"] if s.chance(0.4) else [])
    return [f"def {name}(u_):", *_indented(loops), f"    return {last}", *calls], (result,)


def _alone(s: Live) -> Lines:
    """A constant array or list that is given numbers only in places, then read whole"""
    name, x = s.fresh(_POOL), operand(s, 1)
    made = s.pick(
        ("np.zeros(3)", "np.ones((2, 2))", "[0.0] * 3", "[[0.5, 1.0], [1.5, 2.0]]", "[np.zeros(2), np.ones(2)]")
    )
    with s.inside(**{name: made, "k_": "1"}) as lines:
        value = s.env[name]
        at = f"{name}[k_]"
        lines.append(
            f"{at} = {x}"
            if isinstance(value[0], float)
            else s.pick((f"{at}[0] = {x}", f"{at}[k_] *= {x}", f"{name}[0][k_] += {x}"))
        )
        if s.chance(0.5):
            lines += _exit(s, ("break", "continue"))
        _body(s, _INSIDE)
    return [f"{name} = {made}", f"for k_ in range({s.pick((0, 1, 2, 2))}):", *_indented(lines)], (name,)


_CHANGES: list[tuple[float, Producer]] = [(1, change_array), (0.7, change_list)]
_INSIDE: list[tuple[float, Producer]] = [(2, texts(GROUPS)), *_CHANGES]
_CORNERS: list[tuple[float, Producer]] = [(6, texts(GROUPS)), (1.2, _early), (0.6, _returning), (0.8, _alone)]


def corner(s: Live) -> bool:
    """Write one statement that runs."""
    return add(s, _CORNERS) if s.chance(0.75) else statement(s)
