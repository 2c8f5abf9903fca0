"""Random programs that put tuples, records, dicts and lists, within each other, into a list: read, and changed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["HEAD", "held_text"]

HEAD = """import numpy as np
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass
class Record:
    value: Any
    weight: Any = 1.0


@dataclass
class Box:
    value: Any


class Pair(NamedTuple):
    left: Any
    right: Any


"""

#: Numbers and arrays, in terms of the arguments ``x`` and ``v`` and of the index ``k``.
_NUMBERS = ("x * (k + 1)", "x", "np.sin(x)", "2.0", "x * x")
_ARRAYS = ("v * x", "v[:2]", "v", "1.5 * v", "np.array([x, 2.0])")
#: Each form with its fields, how one is read, and how many there may be.
_FORMS = {
    "list": ("{}[{}]", (0, 1), 2),
    "tuple": ("{}[{}]", (0, 1, 2), 3),
    "dict": ("{}[{!r}]", ("a", "b"), 2),
    "Record": ("{}.{}", ("value", "weight"), 2),
    "Box": ("{}.{}", ("value",), 1),
    "Pair": ("{}.{}", ("left", "right"), 2),
}


@dataclass(frozen=True)
class _Leaf:
    text: str


@dataclass(frozen=True)
class _Whole:
    form: str
    parts: tuple[_Value, ...]


_Value: TypeAlias = "_Leaf | _Whole"


def held_text(seed: int) -> str:
    """The text of ``f(x, v)``, a number from a number and an array of three numbers."""
    return _Writer(random.Random(seed)).function()


def _text(value: _Value) -> str:
    if isinstance(value, _Leaf):
        return value.text
    parts = [_text(part) for part in value.parts]
    match value.form:
        case "list":
            return f"[{', '.join(parts)}]"
        case "tuple":
            return f"({', '.join(parts)},)"
        case "dict":
            return f"{{{', '.join(f'{k!r}: {p}' for k, p in zip('ab', parts, strict=False))}}}"
    return f"{value.form}({', '.join(parts)})"


def _paths(base: str, value: _Value, changes: bool = False) -> Iterator[tuple[str, bool]]:
    """How the numbers in a value are read, and whether they may be assigned to."""
    if isinstance(value, _Leaf):
        if value.text in _NUMBERS:
            yield base, changes
        else:
            yield f"np.sum({base})", False
            yield f"{base}[0]", False
        return
    read, fields, _ = _FORMS[value.form]
    for field, part in zip(fields, value.parts, strict=False):
        yield from _paths(read.format(base, field), part, value.form in ("list", "dict"))


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def value(self, depth: int) -> _Value:
        rng = self.rng
        if depth == 0 or rng.random() < 0.2:
            return _Leaf(rng.choice(_NUMBERS + _ARRAYS))
        form = rng.choice([*_FORMS, "list"])
        count = rng.randint(1 if form != "Pair" else 2, _FORMS[form][2])
        if form == "list" and rng.random() < 0.7:
            return _Whole(form, (self.value(depth - 1),) * count)
        return _Whole(form, tuple(self.value(depth - 1) for _ in range(count)))

    def function(self) -> str:
        rng = self.rng
        value = self.value(3)
        while isinstance(value, _Leaf):
            value = self.value(3)
        paths = list(_paths("o", value))
        read = rng.sample(paths, min(len(paths), rng.randint(1, 3)))
        product = " * ".join(f"({path} + 0.5)" for path, _ in read)
        changed = [path for path, changes in paths if changes]
        change = f"{rng.choice(changed)} {rng.choice(['=', '+=', '*='])} x * s" if changed else ""
        put = self.put(_text(value), [path.replace("o", "one", 1) for path in changed])
        return "\n".join(["def f(x, v):", *put, *self.reading(product, change), "    return s"]) + "\n"

    def put(self, value: str, changed: list[str]) -> list[str]:
        """Lines that make the list; what is put into it under a name may change by that."""
        again = f"    out = [{value}, {value}]"
        match self.rng.choice(["append", "literal", "comprehension", "store", "call", "branch", "named"]):
            case "append":
                return ["    out = []", "    for k in range(3):", f"        out.append({value})"]
            case "literal":
                return ["    k = 1", again]
            case "comprehension":
                return [f"    out = [{value} for k in range(3)]"]
            case "store":
                return ["    k = 0", again, "    for k in range(2):", f"        out[k] = {value}"]
            case "call":
                made = ["    def made(k):", f"        return {value}", ""]
                return [*made, "    out = []", "    for k in range(3):", "        out.append(made(k))"]
            case "branch":
                test = ["    for k in range(4):", "        if k % 2 == 0:"]
                return ["    out = []", *test, f"            out.append({value})"]
        named = [f"        one = {value}", "        out.append(one)"]
        if changed and self.rng.random() < 0.6:
            named.insert(self.rng.choice([1, 2]), f"        {self.rng.choice(changed)} += 0.3 * x")
        return ["    out = []", "    for k in range(2):", *named]

    def reading(self, product: str, change: str) -> list[str]:
        """Lines that read the list, and may change what it holds."""
        rng = self.rng
        changes = [f"        {change}"] if change and rng.random() < 0.5 else []
        body = [*changes, f"        s += {product}"] if rng.random() < 0.5 else [f"        s += {product}", *changes]
        match rng.choice(["items", "places", "numbered", "popped", "twice"]):
            case "items":
                return ["    s = 0.1", "    for o in out:", *body]
            case "places":
                return ["    s = 0.1", "    for i in range(len(out)):", "        o = out[i]", *body]
            case "numbered":
                return ["    s = 0.1", "    for i, o in enumerate(out):", *body, "        s *= 1.0 + 0.1 * i"]
            case "popped":
                return ["    s = 0.1", "    while out:", "        o = out.pop()", *body]
        return ["    s = 0.1", "    for o in out:", *body, "    for o in out[::-1]:", f"        s += {product}"]
