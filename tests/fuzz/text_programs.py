"""Random programs of texts that have run when they are taken.

Those of :data:`COMPLEX` mix real and complex numbers; those of :data:`LANGUAGE` are about classes, functions,
generators, patterns, exceptions and containers; those of :data:`NUMPY` about what NumPy's functions take besides
arrays, views, masks, places, and arrays with no axes or no items.
"""

from __future__ import annotations

import copy
import random
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from . import complex_texts, language_texts, numpy_texts
from .live import RETURN, Live, module, run_limited
from .live_language import BLOCKS
from .live_texts import Texts, result_of_any_sort, statement
from .parts import leaves

__all__ = ["COMPLEX", "LANGUAGE", "NUMPY", "TextStyle", "text_program"]

_IMPORTS = (
    "import cmath\nimport math\nfrom dataclasses import dataclass\nfrom functools import reduce\n"
    "from typing import NamedTuple\n\nimport numpy as np\n"
)
_LANGUAGE_IMPORTS = (
    "import contextlib\nimport functools\nimport itertools\nimport math\nimport operator\n"
    "from collections import defaultdict, deque\nfrom dataclasses import dataclass, field\n"
    "from functools import reduce\nfrom typing import NamedTuple\n\nimport numpy as np\n"
)
_OPERATORS = "from s2sad import grad, hvp, jvp, value_and_grad, vjp\n"


def _slope(g: Callable[[Any], Any], x: Any, d: Any) -> Any:
    return (g(x + 1e-6 * d) - g(x - 1e-6 * d)) / 2e-6


def _gradient(g: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What ``grad`` gives, by differences: a program that is being written has no source yet."""

    def slopes(x: Any) -> Any:
        found = np.zeros_like(x, dtype=complex if np.iscomplexobj(x) else float)
        for place in np.ndindex(np.shape(x)):
            unit = np.zeros(np.shape(x))
            unit[place] = 1.0
            found[place] = _slope(g, x, unit) - (1j * _slope(g, x, 1j * unit) if np.iscomplexobj(x) else 0.0)
        return found if isinstance(x, np.ndarray) else found[()]

    return slopes


#: Stand-ins for the operators while a program is written.
_BY_DIFFERENCES: dict[str, Any] = {
    "grad": _gradient,
    "value_and_grad": lambda g: lambda x: (g(x), _gradient(g)(x)),
    "jvp": lambda g, xs, ds: (g(*xs), _slope(g, xs[0], ds[0])),
    "vjp": lambda g, x: (g(x), lambda ct: (x * ct if np.shape(x) == np.shape(ct) else x,)),
    "hvp": lambda g, x, d: _slope(_gradient(g), x, d),
}


def _real(rng: random.Random, *shape: int) -> Any:
    return np.array([round(rng.uniform(0.2, 1.3), 3) * rng.choice((1, 1, -1)) for _ in range(int(np.prod(shape)))])


def _array(rng: random.Random, *shape: int) -> Any:
    x = _real(rng, *shape).reshape(shape)
    return x + 1j * _real(rng, *shape).reshape(shape) if rng.random() < 0.6 else x


def _number(rng: random.Random) -> Any:
    x = float(_real(rng)[0])
    return complex(x, float(_real(rng)[0])) if rng.random() < 0.5 else x


def _spaced(rng: random.Random) -> Any:
    return rng.choice(
        (_array(rng, 6)[::2], _array(rng, 3)[::-1], np.asfortranarray(_array(rng, 2, 3)), _array(rng, 3, 2).T)
    )


_Makers: TypeAlias = "list[tuple[float, Callable[[random.Random], Any]]]"

_ARGUMENTS: _Makers = [
    (4, _number),
    (4, lambda r: _array(r, r.choice((2, 3)))),
    (2, lambda r: _array(r, r.choice((2, 3)), r.choice((2, 3)))),
    (0.8, _spaced),
    (0.3, lambda r: _array(r, 2, 2, 2)),
    (0.8, lambda r: [_number(r) for _ in range(r.choice((1, 2, 3)))]),
    (0.4, lambda r: {"u": _number(r), "v": _number(r)}),
    (0.3, lambda r: (_number(r), _array(r, 2))),
    (0.2, lambda r: np.float64(_number(r).real)),
    (0.2, lambda r: np.complex128(_number(r) + 0.3j)),
    (0.2, lambda r: _array(r, 3).astype(np.complex64)),
    (0.1, lambda r: np.complex64(_number(r))),
    (0.2, lambda r: [_array(r, 2), _array(r, 2)]),
]


_REAL_ARGUMENTS: _Makers = [
    (4, lambda r: float(_real(r)[0])),
    (3, lambda r: _real(r, r.choice((2, 3)))),
    (1, lambda r: _real(r, 2, r.choice((2, 3))).reshape(2, -1)),
    (2, lambda r: [float(v) for v in _real(r, r.choice((2, 3)))]),
    (1, lambda r: {key: float(_real(r)[0]) for key in "uv"}),
    (0.3, lambda r: (float(_real(r)[0]), float(_real(r)[0]))),
    (0.3, lambda r: r.choice((1, 2, 3))),
    (0.2, lambda r: [_real(r, 2), _real(r, 2)]),
]
_NUMPY_ARGUMENTS: _Makers = [
    (2, lambda r: float(_real(r)[0])),
    (4, lambda r: _real(r, r.choice((2, 3, 4)))),
    (4, lambda r: _real(r, r.choice((4, 6))).reshape(2, -1)),
    (1, lambda r: _real(r, 6).reshape(3, 2).T),
    (1, lambda r: _real(r, 6)[:: r.choice((-1, 2))]),
    (1, lambda r: _real(r, 2, 2, 3).reshape(2, 2, 3)),
    (0.4, lambda r: np.array(_real(r)[0])),
    (0.2, lambda r: np.zeros(r.choice(((0,), (0, 2), (2, 0))))),
    (0.3, lambda r: _array(r, 3)),
    (0.3, lambda r: _real(r, 3).astype(np.float32)),
    (0.3, lambda r: np.array([r.randrange(2) for _ in range(3)])),
]


@dataclass(frozen=True)
class TextStyle:
    """What programs are made of: texts, what they import, the module's names as they are written, and arguments."""

    texts: Texts
    imports: str
    space: dict[str, Any]
    arguments: _Makers


def _style(
    texts: Any, imports: str, arguments: _Makers, blocks: Any = (), more: dict[str, Any] | None = None
) -> TextStyle:
    tables = (texts.NUMBERS, texts.ARRAYS, texts.CONDITIONS, texts.STATEMENTS, texts.HELPERS, texts.SIZES, texts.SUMS)
    held = Texts(*tables, [*blocks])
    return TextStyle(held, imports, module(imports + "\n".join(texts.HELPERS.values())) | (more or {}), arguments)


COMPLEX = _style(complex_texts, _IMPORTS, _ARGUMENTS, more=_BY_DIFFERENCES)
LANGUAGE = _style(language_texts, _LANGUAGE_IMPORTS, _REAL_ARGUMENTS, BLOCKS)
NUMPY = _style(numpy_texts, _IMPORTS, _NUMPY_ARGUMENTS)


def text_program(rng: random.Random, size: int, style: TextStyle) -> tuple[str, tuple[Any, ...]]:
    """The source of a program, and its arguments."""
    for _ in range(20):
        source, args = _program(rng, size, style)
        if not leaves(args):
            continue
        space: dict[str, Any] = {"__name__": "texts", "_args": copy.deepcopy(args), **_BY_DIFFERENCES}
        try:
            tried = source.replace(_OPERATORS, "")
            run_limited(tried + "\n_value = f(*_args)\n", space)
        except Exception:
            continue
        found = leaves(space["_value"])
        if found and all(np.all(np.isfinite(x)) and np.all(np.abs(x) < 1e3) for x in found):
            return source, args
    return "def f(z):\n    return abs(z * z)\n", (0.5 + 0.2j,)


def _head(helpers: dict[str, str], body: str) -> list[str]:
    """The helpers that a body names, and those that these name."""
    names = {key: re.findall(r"^(?:class|def) (\w+)", text, re.M) for key, text in helpers.items()}
    wanted, text = set[str](), body
    while found := [k for k in helpers if k not in wanted and re.search(rf"\b({'|'.join(names[k])})\b", text)]:
        wanted.update(found)
        text = "\n".join(helpers[k] for k in found)
    return [text for k, text in helpers.items() if k in wanted]


def _program(rng: random.Random, size: int, style: TextStyle) -> tuple[str, tuple[Any, ...]]:
    makers, weights = [m for _, m in style.arguments], [w for w, _ in style.arguments]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args = tuple(m(rng) for m in rng.choices(makers, weights, k=rng.choice((1, 2, 2, 3))))
    names = rng.sample(("x", "y", "a", "b", "z", "l", "rows", "bx", "p", "xs"), len(args))
    s = Live(rng, style.space, dict(zip(names, copy.deepcopy(args), strict=True)), loose=True, texts=style.texts)
    for _ in range(size):
        statement(s)
    body = "\n".join("    " + line.replace(RETURN, "return ") for line in [*s.lines, f"return {result_of_any_sort(s)}"])
    head = _head(style.texts.helpers, body)
    operators = _OPERATORS if style is COMPLEX else ""
    source = "\n\n\n".join([(style.imports + operators).strip(), *head, f"def f({', '.join(names)}):\n{body}"])
    return source + "\n", args
