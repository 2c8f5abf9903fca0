"""Random programs of statements that have run when they are taken.

Those of :data:`OBJECTS` are about lists, dicts, tuples, objects and arrays that share what they hold; those
of :data:`CORNERS` about scopes, aliases, copies that may be views, kinds that change, and early exits; those of
:data:`KERNELS` about integers that count and choose, slices that move, and what numerical loops carry.
"""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .corner_texts import HELPERS
from .live import RETURN, Live, kind_of, module, run_limited, stores
from .live_corners import corner
from .live_kernels import kernel
from .live_statements import early_return, statement
from .live_values import num, reduction
from .reference import has_floats

__all__ = ["CORNERS", "HEAD", "KERNELS", "OBJECTS", "Style", "live_program"]

#: What every such program may call; what it does not call is left out.
HEAD = {
    "Pair": "class Pair(NamedTuple):\n    one: object\n    two: object",
    "Box": (
        "@dataclass\nclass Box:\n    s: float\n    items: list\n    w: np.ndarray\n\n"
        "    def grow(self, v):\n        self.items.append(v * self.s)\n        self.w[0] += v\n\n"
        "    def turn(self, c):\n        self.s = self.s * c + self.w[-1]\n        self.items[0] = self.s\n"
        "        return self"
    ),
    "push": "def push(items, v):\n    items.append(v)\n    return items",
    "fold": "def fold(items):\n    for k in range(1, len(items)):\n        items[k] = items[k] + 0.3 * items[k - 1]",
    "kept": "def kept(v, items=(0.5, 1.5)):\n    items = list(items)\n    items.append(v)\n    return items",
    "scaled": "def scaled(rows, c):\n    for r in rows:\n        r[0] = r[0] * c\n    return rows, rows[-1]",
    "picked": "def picked(rows, v):\n    rows[0][-1] += v\n    return rows[0] if len(rows) > 1 else [v]",
    "found": (
        "def found(rows, c):\n    for r in rows:\n        for v in r:\n            if v > c:\n"
        "                return v * v\n    else:\n        return c"
    ),
    "crossed": "def crossed(p, q):\n    p[0] = p[0] * 0.5\n    return q, p",
    "total": "def total(items):\n    if not items:\n        return 0.3\n    return items[0] + 0.5 * total(items[1:])",
    "halves": "def halves(items):\n    m = len(items) // 2\n    return items[m:] + items[:m]",
    "mixed": "def mixed(*vs, w=0.5):\n    out = w\n    for v in vs:\n        out = out * 0.5 + v\n    return out",
    "first": "def first(*rows):\n    for r in rows[1:]:\n        r[0] = r[0] * 0.5\n    return rows[0]",
    "bump": "def bump(a, c):\n    a[0] = a[0] * c\n    a[1:] += c\n    return a",
}
_IMPORTS = (
    (
        "import math\nfrom dataclasses import dataclass\nfrom functools import reduce\nfrom typing import NamedTuple\n"
        "\nimport numpy as np\n"
    ),
    "import math\nfrom functools import reduce\n\nimport numpy as np\n",
)
_SPACE = module(_IMPORTS[0] + "\n".join(HEAD.values()))

_Makers: TypeAlias = "list[tuple[float, Callable[[random.Random], Any]]]"

_ARGUMENTS: _Makers = [
    (4, lambda r: _float(r)),
    (2, lambda r: [_float(r) for _ in range(r.choice((1, 2, 3)))]),
    (2, lambda r: [[_float(r) for _ in range(r.choice((1, 2, 3)))] for _ in range(r.choice((1, 2, 3)))]),
    (2, lambda r: np.array([_float(r) for _ in range(r.choice((2, 3)))])),
    (0.8, lambda r: np.array([[_float(r) for _ in range(3)] for _ in range(2)])),
    (0.3, lambda r: np.array([_float(r) for _ in range(8)]).reshape(2, 2, 2)),
    (0.8, lambda r: [np.array([_float(r) for _ in range(2)]) for _ in range(r.choice((1, 2)))]),
    (0.5, lambda r: {key: _float(r) for key in ("x", "y")}),
    (0.5, lambda r: {key: [_float(r), _float(r)] for key in ("x", "w")}),
    (0.4, lambda r: {key: np.array([_float(r), _float(r)]) for key in ("x", "y")}),
    (0.4, lambda r: ([_float(r), _float(r)], np.array([_float(r), _float(r)]))),
]


def _float(rng: random.Random) -> float:
    return round(rng.uniform(0.2, 1.5), 3) * rng.choice((1, 1, -1))


def _floats(rng: random.Random, *shape: int) -> np.ndarray:
    return np.array([_float(rng) for _ in range(math.prod(shape))]).reshape(shape)


_CORNER_ARGUMENTS: _Makers = [
    (4, lambda r: _float(r)),
    (2, lambda r: [_float(r) for _ in range(r.choice((1, 2, 3)))]),
    (0.8, lambda r: [[_float(r) for _ in range(r.choice((1, 2)))] for _ in range(r.choice((2, 3)))]),
    (2, lambda r: _floats(r, r.choice((2, 3)))),
    (1, lambda r: _floats(r, r.choice((2, 3)), 2)),
    (0.8, lambda r: np.asfortranarray(_floats(r, 2, r.choice((2, 3))))),
    (0.3, lambda r: _floats(r, 2, 2, 2)),
    (0.8, lambda r: [_floats(r, r.choice((2, 2, 3))) for _ in range(2)]),
    (0.3, lambda r: {key: _floats(r, 2) for key in ("x", "y")}),
    (0.3, lambda r: ([_float(r), _float(r)], _floats(r, 2))),
]
_KERNEL_ARGUMENTS: _Makers = [
    (2, lambda r: _float(r)),
    (3, lambda r: _floats(r, r.choice((2, 3, 4)))),
    (2, lambda r: _floats(r, r.choice((2, 3)), r.choice((2, 3)))),
    (0.3, lambda r: [_float(r) for _ in range(3)]),
    (0.5, lambda r: r.choice((0, 1, 2, 3))),
    (0.3, lambda r: [r.randrange(2) for _ in range(r.choice((1, 2, 3)))]),
    (0.3, lambda r: np.array([r.randrange(2) for _ in range(r.choice((1, 2, 3)))])),
]


@dataclass(frozen=True)
class Style:
    """What programs are made of: functions beside ``f``, arguments, statements, and how few arguments there are."""

    head: dict[str, str]
    space: dict[str, Any]
    arguments: _Makers
    counts: tuple[int, ...]
    statement: Callable[[Live], bool]
    loose: bool = False


OBJECTS = Style(HEAD, _SPACE, _ARGUMENTS, (1, 1, 2, 2, 3), statement)
KERNELS = Style(HEAD, _SPACE, _KERNEL_ARGUMENTS, (2, 2, 3, 3, 4), kernel)
_ALL = {**HEAD, **HELPERS}
CORNERS = Style(
    _ALL, module(_IMPORTS[0] + "\n".join(_ALL.values())), _CORNER_ARGUMENTS, (2, 2, 3, 3, 4), corner, loose=True
)


def live_program(rng: random.Random, size: int, style: Style) -> tuple[str, tuple[Any, ...]]:
    """The source of a program, and its arguments."""
    for _ in range(20):
        source, args = _program(rng, size, style)
        if not has_floats(args):
            continue
        space: dict[str, Any] = {"__name__": "objects", "_args": copy.deepcopy(args)}
        try:
            run_limited(source + "\n_value = f(*_args)\n", space)
        except Exception:
            continue
        if isinstance(space["_value"], float) and abs(space["_value"]) < 1e3:
            return source, args
    return "def f(x):\n    return x * x\n", (0.5,)


def _program(rng: random.Random, size: int, style: Style) -> tuple[str, tuple[Any, ...]]:
    makers, weights = [m for _, m in style.arguments], [w for w, _ in style.arguments]
    args = tuple(m(rng) for m in rng.choices(makers, weights, k=rng.choice(style.counts)))
    names = rng.sample(("x", "y", "a", "b", "s", "l", "rows", "bx", "p", "xs"), len(args))
    s = Live(rng, style.space, dict(zip(names, copy.deepcopy(args), strict=True)), loose=style.loose)
    for _ in range(size):
        style.statement(s)
    if rng.random() < 0.1:
        made = early_return(s)
        s.lines += made[0] if made else []
    body = "\n".join("    " + line.replace(RETURN, "return ") for line in [*s.lines, f"return {_result(s)}"])
    head = [text for name, text in style.head.items() if f"{name}(" in body]
    imports = _IMPORTS[0] if any(name + "(" in body for name in ("Pair", "Box")) else _IMPORTS[1]
    return "\n\n\n".join([imports.strip(), *head, f"def f({', '.join(names)}):\n{body}"]) + "\n", args


def _result(s: Live) -> str:
    """The text of the last value: something of most variables, so that little is dead."""
    names = [name for name, value in s.env.items() if not isinstance(value, (int, str))]
    parts = [num(s, 1)]
    for name in s.rng.sample(names, min(len(names), 4)):
        kind = kind_of(s.env[name])
        inside = [name, *(p for p in s.places(stores("")) if p.startswith((name + "[", name + ".")))]
        part = name if kind == "float" else reduction(s, inside)
        if part is None and kind == "list:mixed":
            part = f"sum(np.sum(r_) for r_ in {name})"
        if part and isinstance(s.value(part), float):
            parts.append(part if s.chance(0.8) else f"{s.literal()} * {part}")
    return " + ".join(f"({p})" if " if " in p or (" for " in p and p[0] == "(") else p for p in parts)
