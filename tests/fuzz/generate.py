"""Random programs: ``generate(seed)`` is always the same function and arguments.

A program is a module's source with a function ``f`` of floats, arrays, lists, dicts and
integers that returns a float.  ``size`` is about the number of statements of ``f``, and
a profile scales the weight of groups of constructs (see the tables in :mod:`.statements`
and :mod:`.control`; a weight of 0 leaves a group out).  The profiles ``objects``, ``corners``
and ``kernels`` are written otherwise, by :mod:`.objects`, and ``complex``, ``language`` and ``numpy`` by
:mod:`.text_programs`; of all these a seed picks ``objects`` only, unless another is asked for.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from .atoms import literal, squash
from .builder import Arr, Builder, Dic, Frame, Fun, Int, Lst, Num, Tup, Type, bare
from .control import body
from .expressions import held, num
from .objects import CORNERS, KERNELS, OBJECTS, Style, live_program
from .reference import has_floats
from .text_programs import COMPLEX, LANGUAGE, NUMPY, TextStyle, text_program

__all__ = ["PROFILES", "Program", "generate"]

#: Groups of constructs to write more or less of: of what has come later, none where nothing is said.
PROFILES: dict[str, dict[str, float]] = {
    "caught": {"try": 1.0, "exit": 2, "return": 1.5, "shape": 0.3},
    "all": {},
    "scalar": {"array": 0.1, "store": 0.1, "view": 0, "alias": 0, "mask": 0, "fancy": 0, "shape": 0.1, "linear": 0},
    "arrays": {"list": 0.2, "dict": 0, "closure": 0.3, "store": 2, "view": 2.5, "alias": 2},
    "control": {"loop": 2.5, "while": 2.5, "branch": 2, "exit": 3, "return": 2.5, "shape": 0.3},
    "calls": {"call": 3, "closure": 3, "store": 1.5, "alias": 1.5},
    "expressions": {"loop": 0.3, "store": 0.3, "shape": 2, "linear": 2, "view": 0.5},
    "objects": {},
    "corners": {},
    "kernels": {},
    "complex": {},
    "language": {},
    "numpy": {},
}

_LIVE: dict[str, Style] = {"objects": OBJECTS, "corners": CORNERS, "kernels": KERNELS}
_TEXTS: dict[str, TextStyle] = {"complex": COMPLEX, "language": LANGUAGE, "numpy": NUMPY}

#: What a seed picks among: never anything that is added, or old seeds would give other programs.
_PICKED = ["all", "scalar", "arrays", "control", "calls", "expressions", "objects", "all", "all", "objects", "objects"]


@dataclass(frozen=True)
class Program:
    """A generated program: its source, and arguments for its function ``f``; how it is checked.

    A ``thorough`` one is tried in all modes but two; what is said ``by_differences`` is held against these alone.
    """

    seed: int
    source: str
    args: tuple[Any, ...]
    thorough: bool = False
    by_differences: bool = False

    @property
    def wrt(self) -> tuple[int, ...]:
        """The positions of the arguments that can be differentiated."""
        return tuple(k for k, x in enumerate(self.args) if has_floats(x))


def generate(seed: int, size: int = 10, profile: str | None = None) -> Program:
    """The program of this seed; of the profile named, or of one that the seed picks."""
    rng = random.Random(seed)
    picked = rng.choice(_PICKED)
    profile = profile or picked
    if profile in _TEXTS:
        made = text_program(rng, max(1, int(size * rng.uniform(0.2, 1.0))), _TEXTS[profile])
        return Program(seed, *made, thorough=profile == "complex" or seed % 4 == 0, by_differences=True)
    if profile in _LIVE:
        made = live_program(rng, max(2, int(size * rng.uniform(0.3, 1.2))), _LIVE[profile])
        return Program(seed, *made, thorough=profile == "corners")
    b = Builder(rng, {"try": 0.0, **PROFILES[profile]})
    n, m = rng.sample((2, 3, 3, 4, 5), 2)
    b.shapes = [(n,), (n,), (m,), (n, m), (n, n), (1, n), (n, 1)] if rng.random() < 0.7 else [(n,), (n,), (m,)]
    b.line("import math")
    b.line("import numpy as np")
    _constants(b)
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
        b.lines += ["", ""]
        b.rng.choice(_HELPERS)(b)
    b.lines += ["", ""]
    args = _main(b, max(1, int(size * rng.uniform(0.3, 1.7))))
    return Program(seed, "\n".join(b.lines) + "\n", args)


def _constants(b: Builder) -> None:
    for name in b.rng.sample(("RATE", "bx", "d", "tape", "dx", "by", "ct"), b.rng.choice((0, 0, 1, 2))):
        b.line(f"{name} = {bare(literal(b).text)}")
        b.declare(name, Num(), fixed=True, frozen=True)
    if b.chance(0.15):
        n = b.shapes[0][0]
        b.line(f"W = np.array([{', '.join(bare(literal(b).text) for _ in range(n))}])")
        b.declare("W", Arr((n,)), fixed=True, frozen=True)


def _result(b: Builder) -> str:
    """The text of the last value: something of every array that is visible, so that little is dead."""
    parts = [squash(b, num(b, 2)).text]
    arrays = b.visible(Arr)
    for v in b.rng.sample(arrays, min(len(arrays), 3)):
        parts.append(
            b.pick(
                (f"np.sum({v.name})", f"{v.name}.sum()", f"np.sum({v.name} * {v.name})", f"np.mean(np.sin({v.name}))")
            )
        )
    floats = b.visible(Num)
    parts += [v.name for v in b.rng.sample(floats, min(len(floats), 2))]
    parts += [f"sum({v.name})" for v in b.visible(Lst)[-1:]]
    return " + ".join(parts)


def _main(b: Builder, size: int) -> tuple[Any, ...]:
    b.trips, b.cost, b.left = 1, 0, 2 * size
    rng = b.rng
    values = np.random.default_rng(rng.randrange(2**32))
    types: list[Type] = [Arr(rng.choice(b.shapes)) for _ in range(rng.choice((0, 1, 1, 1, 2, 2)))]
    types += [Num() for _ in range(rng.choice((0, 1, 1, 2)))]
    types += [Lst(rng.randint(1, 3))] if b.chance(0.12) else []
    types += [Dic(("w", "b"))] if b.chance(0.06) else []
    types += [Tup(2)] if b.chance(0.05) else []
    types = types or [Num()]
    rng.shuffle(types)
    if b.chance(0.4):
        k = rng.randrange(4)
        types.append(Int(k, k))
    b.scopes.append({})
    names: list[str] = []
    while len(names) < len(types):
        name = rng.choice(("x", "y", "z", "a", "b", "s", "t", "A", "w", "bx", "dx", "d", "n", "p", "x_1", "by", "ct"))
        if name not in names:
            names.append(name)
    params = []
    for name, type_ in zip(names, types):
        b.declare(name, type_, fixed=isinstance(type_, Lst | Dic | Int))
        params.append(name + ({Arr: ": np.ndarray", Num: ": float"}.get(type(type_), "") if b.chance(0.1) else ""))
    default = bare(literal(b).text) if b.chance(0.1) else None
    if default:
        params.append(f"q={default}")
        b.declare("q", Num())
    b.frames.append(Frame(lambda: f"return {_result(b)}", base=len(b.scopes) - 1))
    b.scopes.append({})
    b.scopes[-1].update(b.scopes.pop(-2))
    b.line(f"def f({', '.join(params)}):")
    b.indent += 1
    body(b, size)
    b.line(f"return {_result(b)}")
    b.indent -= 1
    b.frames.pop()
    b.scopes.pop()
    return tuple(_value(t, values) for t in types)


def _value(type_: Type, rng: np.random.Generator) -> Any:
    match type_:
        case Arr(shape):
            return rng.uniform(-1.5, 1.5, shape)
        case Lst(n):
            return [float(x) for x in rng.uniform(-1.5, 1.5, n)]
        case Dic(keys):
            return {key: float(rng.uniform(-1.5, 1.5)) for key in keys}
        case Tup(n):
            return tuple(float(x) for x in rng.uniform(-1.5, 1.5, n))
        case Int(lo, _):
            return lo
    return float(rng.uniform(-1.5, 1.5))


# ---- helpers: functions of the module beside f


def _helper(
    b: Builder, params: list[tuple[str, Type]], result: Any, write: Any, mutates: bool = False, defaults: int = 0
) -> None:
    name = b.pick(
        [
            n
            for n in ("g", "h", "helper", "step_", "f_grad", "update", "phi", "backward", "f_vjp")
            if b.lookup(n) is None
        ]
    )
    texts = [p for p, _ in params]
    if defaults:
        texts[-1] += f"={bare(literal(b).text)}"
    types = tuple(t for _, t in params)
    b.trips, b.cost, b.left = 3, 0, 6
    b.frames.append(Frame(None, base=len(b.scopes)))
    with b.block(f"def {name}({', '.join(texts)}):"):
        for p, t in params:
            b.declare(p, t, fixed=isinstance(t, Int | Lst | Fun), frozen=isinstance(t, Arr) and not mutates)
        write(name)
    b.frames.pop()
    cost = max(b.cost // 3, 1)
    b.trips, b.cost = 1, 0
    var = b.declare(name, Fun(types, result, tuple(p for p, _ in params), mutates, defaults, cost), fixed=True)
    var.pinned = True


def _sized(b: Builder, result: Any) -> None:
    b.frames[-1].result = lambda: f"return {result()}"
    body(b, b.pick((0, 1, 2, 3)))
    b.line(f"return {result()}")


def _scalar_helper(b: Builder) -> None:
    params: list[tuple[str, Type]] = [(p, Num()) for p in b.rng.sample(("u", "v", "x", "bx", "y"), b.rng.randint(1, 3))]
    defaults = int(len(params) > 1 and b.chance(0.3))
    _helper(b, params, Num(), lambda name: _sized(b, lambda: held(b, Num(), 3)), defaults=defaults)


def _array_helper(b: Builder) -> None:
    shape, result = b.pick(b.shapes), b.pick([(n,) for (n, *_) in b.shapes] + [None])
    type_: Type = Num() if result is None else Arr(result)

    def value() -> str:
        # A fresh array: not one that the caller may not store into.
        text = held(b, type_, 3)
        return (
            text
            if result is None
            else f"1.0 * ({text})" if b.chance(0.9) else f"{text if text.isidentifier() else '(' + text + ')'}.copy()"
        )

    _helper(b, [("v", Arr(shape)), ("s", Num())], type_, lambda name: _sized(b, value))


def _mutating_helper(b: Builder) -> None:
    shape = b.pick(b.shapes)
    returns = b.chance(0.5)

    def write(name: str) -> None:
        b.frames[-1].result = lambda: "return buf" if returns else "return"
        body(b, b.pick((0, 1)))
        i = ", ".join(str(b.rng.randrange(n)) for n in shape)
        e = squash(b, num(b, 1), 1.0)
        b.line(
            b.pick(
                (
                    f"buf[{i}] = {bare(e.text)}",
                    f"buf *= {e.text}",
                    f"buf += {e.text}",
                    f"buf[:] = np.tanh(buf) + {e.text}",
                )
            )
        )
        body(b, b.pick((0, 1)))
        if returns:
            b.line("return buf")

    _helper(b, [("buf", Arr(shape)), ("s", Num())], Arr(shape) if returns else None, write, mutates=True)


def _pair_helper(b: Builder) -> None:
    def result() -> str:
        return f"{held(b, Num(), 2)}, {held(b, Num(), 2)}"

    _helper(b, [("u", Num()), ("v", Num())], Tup(2), lambda name: _sized(b, result))


def _higher_helper(b: Builder) -> None:
    one = Fun((Num(),), Num())

    def write(name: str) -> None:
        b.line(
            b.pick(
                (
                    "return fn(u) + 0.5 * fn(0.3 * u)",
                    "return 0.5 * fn(fn(u) * 0.5)",
                    "k1 = fn(u)\n    k2 = fn(u + 0.1 * k1)\n    return u + 0.05 * (k1 + k2)",
                    "for _ in range(3):\n        u = 0.5 * fn(u)\n    return u",
                )
            )
        )
        b.cost += 30

    _helper(b, [("fn", one), ("u", Num())], Num(), write)


def _recursive_helper(b: Builder) -> None:
    def write(name: str) -> None:
        e = squash(b, num(b, 1))
        b.line("if k <= 0:")
        b.line(f"    return {bare(e.text)}")
        b.line(
            b.pick(
                (
                    f"return math.sin(u) * {name}(0.5 * u, k - 1)",
                    f"return {name}(math.tanh(u), k - 1) + 0.1 * u",
                    f"v = {name}(u * 0.7, k - 1)\n    return 0.5 * v * v + math.cos(u)",
                )
            )
        )
        b.cost += 30

    _helper(b, [("u", Num()), ("k", Int(0, 3))], Num(), write)


def _list_helper(b: Builder) -> None:
    def write(name: str) -> None:
        b.line(
            b.pick(
                (
                    "items.append(0.5 * s)",
                    "items.append(math.sin(s))\n    items.append(s)",
                    "items.append(s)\n    return None",
                )
            )
        )

    _helper(b, [("items", Lst(0)), ("s", Num())], None, write, mutates=True)


_HELPERS = [
    _scalar_helper,
    _scalar_helper,
    _array_helper,
    _array_helper,
    _mutating_helper,
    _mutating_helper,
    _pair_helper,
    _higher_helper,
    _recursive_helper,
    _list_helper,
]
