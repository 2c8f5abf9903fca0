"""Random programs with complex numbers, of statements that have run when they are taken."""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .complex_texts import HELPERS
from .live import RETURN, Live, module, run_limited
from .live_complex import complex_statement, result_of_any_sort
from .parts import leaves

__all__ = ["complex_program"]

_IMPORTS = (
    "import cmath\nimport math\nfrom dataclasses import dataclass\nfrom functools import reduce\n"
    "from typing import NamedTuple\n\nimport numpy as np\n"
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
_SPACE = module(_IMPORTS + "\n".join(HELPERS.values())) | _BY_DIFFERENCES


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


_ARGUMENTS: list[tuple[float, Callable[[random.Random], Any]]] = [
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


def complex_program(rng: random.Random, size: int) -> tuple[str, tuple[Any, ...]]:
    """The source of a program, and its arguments."""
    for _ in range(20):
        source, args = _program(rng, size)
        space: dict[str, Any] = {"__name__": "complex", "_args": copy.deepcopy(args), **_BY_DIFFERENCES}
        try:
            tried = source.replace(_OPERATORS, "")
            run_limited(tried + "\n_value = f(*_args)\n", space)
        except Exception:
            continue
        found = leaves(space["_value"])
        if found and all(np.all(np.isfinite(x)) and np.all(np.abs(x) < 1e3) for x in found):
            return source, args
    return "def f(z):\n    return abs(z * z)\n", (0.5 + 0.2j,)


def _program(rng: random.Random, size: int) -> tuple[str, tuple[Any, ...]]:
    makers, weights = [m for _, m in _ARGUMENTS], [w for w, _ in _ARGUMENTS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args = tuple(m(rng) for m in rng.choices(makers, weights, k=rng.choice((1, 2, 2, 3))))
    names = rng.sample(("x", "y", "a", "b", "z", "l", "rows", "bx", "p", "xs"), len(args))
    s = Live(rng, _SPACE, dict(zip(names, copy.deepcopy(args), strict=True)), loose=True)
    for _ in range(size):
        complex_statement(s)
    body = "\n".join("    " + line.replace(RETURN, "return ") for line in [*s.lines, f"return {result_of_any_sort(s)}"])
    head = [text for name, text in HELPERS.items() if f"{name}(" in body]
    return "\n\n\n".join([_IMPORTS + _OPERATORS.strip(), *head, f"def f({', '.join(names)}):\n{body}"]) + "\n", args
