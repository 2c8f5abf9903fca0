"""Statements from :class:`Texts` on the values of a :class:`~.live.Live` body, alone, in loops and in branches."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from string import Formatter
from typing import Any

import numpy as np

from .live import RETURN, Live, kind_of
from .live_statements import Lines, Producer, add

__all__ = [
    "Texts", "body", "condition", "fill", "indented", "new_name", "number", "result", "result_of_any_sort", "statement",
]  # fmt: skip

_POOL = tuple("a b c s t u w y h e g bx dx by ct bt tape tmp acc out res cur buf d2 val y_1 q rows z1 psi k1".split())


@dataclass(frozen=True)
class Texts:
    """What programs are made of, as texts with places to fill (see :mod:`.complex_texts`).

    ``statements`` are in groups, with the weight of each; ``blocks`` are statements with others in them,
    beside those that all programs have; ``sizes`` and ``sums`` make a real number of a number and of an array.
    """

    numbers: tuple[str, ...]
    arrays: tuple[str, ...]
    conditions: tuple[str, ...]
    statements: dict[str, tuple[float, tuple[str, ...]]]
    helpers: dict[str, str]
    sizes: tuple[str, ...]
    sums: tuple[str, ...]
    blocks: list[tuple[float, Producer]] = dataclasses.field(default_factory=list)


def _is_number(x: Any) -> bool:
    return kind_of(x) in ("float", "complex")


def _is_array(x: Any) -> bool:
    return "array" in kind_of(x) and isinstance(x, np.ndarray) and x.ndim > 0


_PLACES: dict[str, Any] = {
    "N": _is_number,
    "W": _is_array,
    "M": lambda x: _is_array(x) and x.ndim == 2,
    "p": lambda x: isinstance(x, list) and len(x) > 0,
    "d": lambda x: isinstance(x, dict),
    "o": lambda x: hasattr(x, "at") and hasattr(x, "s"),
    "f": callable,
    "Z": lambda x: isinstance(x, np.ndarray) and x.ndim == 0,
    "I": lambda x: isinstance(x, np.ndarray) and x.dtype.kind in "ib",
}


def fill(s: Live, text: str, depth: int) -> str | None:
    """The text with its places filled, each by itself."""
    parts: list[str] = []
    for before, field, _, _ in Formatter().parse(text):
        parts.append(before)
        if field is not None:
            made = _filling(s, field, depth)
            if made is None:
                return None
            parts.append(made)
    return "".join(parts)


def _filling(s: Live, field: str, depth: int) -> str | None:
    match field:
        case "n":
            return number(s, depth - 1)
        case "w":
            return array(s, depth - 1)
        case "c":
            return s.literal()
        case "t":
            return condition(s)
        case "i":
            return str(s.pick(("0", "0", "1", "-1")))
        case "k":
            return str(s.pick(("2", "3")))
    return s.place(_PLACES[field], 2)


def number(s: Live, depth: int) -> str | None:
    """The text of a number, in parentheses where it needs some."""
    return _tried(s, s.texts.numbers, _is_number, depth) or s.place(_is_number, 2) or s.literal()


def array(s: Live, depth: int) -> str | None:
    """The text of an array."""
    return _tried(s, s.texts.arrays, _is_array, depth) or s.place(_is_array, 2)


def _tried(s: Live, texts: tuple[str, ...], test: Any, depth: int) -> str | None:
    """One of the texts, filled so that it gives what passes the test."""
    if depth <= 0:
        return None
    for _ in range(3):
        made = fill(s, s.pick(texts), depth if s.chance(0.3) else depth - 1)
        if made is not None and len(made) < 160:
            value = s.value(made)
            if value is not None and test(value) and np.all(np.isfinite(value)) and np.all(np.abs(value) < 1e3):
                return made if re.fullmatch(r"[\w.]+(\([^()]*\))?", made) else f"({made})"
    return None


def condition(s: Live) -> str:
    """The text of a test."""
    return fill(s, s.pick(s.texts.conditions), 1) or f"{s.literal()} > 0.5"


def _bare(text: str) -> str:
    inner = text[1:-1]
    whole = text.startswith("(") and text.endswith(")")
    return inner if whole and inner.count("(") == inner.count(")") and ") " not in inner and "(" not in inner else text


def _text(s: Live) -> Lines:
    """One of the texts"""
    groups = s.texts.statements
    names, weights = [*groups], [weight for weight, _ in groups.values()]
    text = s.pick(groups[s.rng.choices(names, weights)[0]][1])
    a = new_name(s)
    b = s.fresh(tuple(name for name in _POOL if name != a))
    # An operand that stands twice is one: `{N} = {N} * ...`.
    text = text.replace("{a}", a).replace("{b}", b)
    for field in "WpdNMoZI":
        if (text.count(f"{{{field}}}") > 1 and field in "WM") or text.startswith(f"{{{field}}}"):
            made = _place_for(s, field, text)
            if made is None:
                return None
            text = text.replace(f"{{{field}}}", made, -1 if field in "WM" else 1)
    filled = fill(s, text, s.pick((1, 1, 2, 2, 3)))
    if filled is None:
        return None
    kept = tuple(name for name in (a, b) if re.search(rf"^[^=(]*\b{name}\b[^=(\[]*= ", filled, re.M))
    return filled.split("\n"), kept


def _place_for(s: Live, field: str, text: str) -> str | None:
    """Something for a field that is assigned to: a name, where the whole is."""
    if f"{{{field}}} = " in text:
        names = [name for name, value in s.env.items() if _PLACES[field](value)]
        return str(s.pick(names)) if names else None
    return s.place(_PLACES[field], 1)


def new_name(s: Live) -> str:
    """A name for a result, now and then of something that is there."""
    return str(s.pick([*s.env])) if s.env and s.chance(0.2) else s.fresh(_POOL)


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines or ["pass"]]


def body(s: Live, most: int = 3) -> None:
    for _ in range(s.rng.randint(1, most)):
        add(s, _INSIDE + s.texts.blocks if s.nested < 3 else _INSIDE)


def _loop(s: Live) -> Lines:
    """A loop, which may carry what becomes complex"""
    over = s.pick(
        ("range(3)", "range(2)", "range({p})", "{W}", "{p}", "enumerate({W})", "zip({p}, {W})", "range(1, 3)")
    )
    if over == "range({p})":
        over = "range(len({p}))"
    filled = fill(s, over, 1)
    if filled is None:
        return None
    item = {"e": "k_, v_", "z": "u_, v_"}.get(over[0], "k_" if over.startswith("range") else "v_")
    bound = {"k_": "1"} if item[0] == "k" else {}
    bound |= {"v_": "0.7"} if "v_" in item and s.chance(0.5) else {"v_": "0.7 + 0.2j"} if "v_" in item else {}
    bound |= {"u_": "0.7"} if "u_" in item else {}
    with s.inside(**bound) as lines:
        body(s)
        if s.chance(0.25):
            lines += [f"if {condition(s)}:", f"    {s.pick(('break', 'continue'))}"]
            body(s, 1)
    return [f"for {item} in {filled}:", *indented(lines)], ()


def _while(s: Live) -> Lines:
    """A loop until something is large"""
    n = s.place(_is_number, 0)
    with s.inside() as lines:
        body(s, 2)
    return [
        "n_ = 0",
        f"while abs({n}) < 2.0 and n_ < 4:",
        "    n_ += 1",
        f"    {n} = {n} * {n} + {number(s, 1)}",
        *indented(lines),
    ], ()


def _branch(s: Live) -> Lines:
    """A branch, of which the sides may bind numbers of other sorts"""
    name = new_name(s)
    values = [number(s, 1), number(s, 1)] if s.chance(0.6) else [array(s, 1), array(s, 1)]
    with s.inside() as then:
        body(s, 2)
    with s.inside() as other:
        body(s, 2)
    bind = s.chance(0.7)
    then = [f"{name} = {values[0]}", *then] if bind else then
    other = [f"{name} = {values[1]}", *other] if bind else other
    test = condition(s)
    if not bind and s.chance(0.5):
        return [f"if {test}:", *indented(then)], ()
    return [f"if {test}:", *indented(then), "else:", *indented(other)], (name,) if bind else ()


def _closure(s: Live) -> Lines:
    """A function that reads what is around it"""
    name, result = s.fresh(_POOL), s.fresh(_POOL)
    if name == result:
        return None
    with s.inside(t_=s.pick(("0.6", "0.6 + 0.1j"))) as lines:
        for _ in range(s.pick((0, 1, 2))):
            add(s, _BINDINGS)
        last = number(s, 2)
        lines = [*lines]
    early = [f"if {condition(s)}:", f"    return {number(s, 1)}"] if s.chance(0.3) else []
    calls = [f"{result} = {name}({number(s, 1)})"]
    calls += [f"{result} += {name}({number(s, 1)})"] if s.chance(0.5) else []
    return [f"def {name}(t_):", *indented([*early, *lines, f"return {last}"]), *calls], (result,)


def _early(s: Live) -> Lines:
    """An early return"""
    return [f"if {condition(s)}:", f"    {RETURN}{result(s)}"], ()


_BINDINGS: list[tuple[float, Producer]] = [(1, _text)]
_INSIDE: list[tuple[float, Producer]] = [(6, _text), (0.6, _branch), (0.4, _loop)]
_ALL: list[tuple[float, Producer]] = [
    (7, _text),
    (1.5, _branch),
    (1.5, _loop),
    (0.4, _while),
    (0.6, _closure),
    (0.15, _early),
]


def statement(s: Live) -> bool:
    """Write one statement that runs."""
    return add(s, _ALL + s.texts.blocks)


def result(s: Live) -> str:
    """The text of the last value: something real of most variables."""
    parts = []
    for name in s.rng.sample([*s.env], min(len(s.env), 5)):
        value = s.env[name]
        if _is_number(value):
            parts.append(s.pick(s.texts.sizes).format(name))
        elif _is_array(value):
            parts.append(s.pick(s.texts.sums).format(name))
        elif isinstance(value, list) and value and all(map(_is_number, value)):
            parts.append(
                s.pick(("abs(sum({0}))", "sum(abs(v_) ** 2 for v_ in {0})", "np.real(np.sum({0}))")).format(name)
            )
        elif isinstance(value, list) and value and all(map(_is_array, value)):
            parts.append(f"sum(np.real(np.sum(v_)) for v_ in {name})")
        elif isinstance(value, dict):
            parts.append(f"sum(np.real(v_ * v_) for v_ in {name}.values())")
        elif _PLACES["o"](value):
            parts.append(f"np.sum({name}.s)")
        elif isinstance(value, tuple) and value:
            parts.append(f"np.real(np.sum({name}[0]))")
    return " + ".join(p for p in parts if s.value(p) is not None) or "0.5"


def result_of_any_sort(s: Live) -> str:
    """The text of what comes out: real, complex, an array or several."""
    if s.chance(0.6):
        return result(s)
    made = [x for x in (number(s, 1), array(s, 1)) if x]
    return str(s.pick([*made, ", ".join(made + [result(s)])]))
