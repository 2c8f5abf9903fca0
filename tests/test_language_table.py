"""docs/language.md lists every node class of ``ast``, and says of each what is the case."""

from __future__ import annotations

import ast
import contextlib
import re
import sys
import textwrap
import types
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

TABLE = Path(__file__).parents[1] / "docs" / "language.md"
ROWS = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", TABLE.read_text(encoding="utf-8"), re.MULTILINE))

#: Classes that only some of the supported Pythons have.
NOT_EVERYWHERE = {"TypeAlias", "TypeVar", "TypeVarTuple", "ParamSpec", "type_param"}
LEFTOVERS = {"Num", "Str", "Bytes", "NameConstant", "Ellipsis", "Index", "ExtSlice", "slice", "Suite"}
LEFTOVERS |= {"AugLoad", "AugStore", "Param"}

#: For each handled class a function ``f(x)`` that uses it, as a body, or in full.
HANDLED = {
    "FunctionDef": "def g(y):\n    return y * x\nreturn g(x) + g(2.0)",
    "Lambda": "g = lambda y, k=3.0: y * k * x\nreturn g(x)",
    "arguments": "def g(a, /, b, *c, d=2.0, **e):\n    return a * b * c[0] * d * e['z']\nreturn g(x, x, x, z=x)",
    "arg": "def g(a: float):\n    return a * a\nreturn g(x)",
    "Return": "if x > 100.0:\n    return 2.0 * x\nreturn x * x",
    "Nonlocal": "y = x\ndef g():\n    nonlocal y\n    y = y * x\ng()\ng()\nreturn y",
    "Global": "global RATE\nreturn RATE * x * x",
    "TypeVar": "def f[T](x: T) -> T:\n    return x * x",
    "TypeVarTuple": "def f[*T](x: float):\n    return x * x",
    "ParamSpec": "def f[**P](x: float):\n    return x * x",
    "Assign": "a = b = x * 2.0\n(c, *d), e = (a, b, a), x\nreturn a * c * d[1] * e",
    "AugAssign": "y = np.array([x, 2.0 * x])\ny *= x\nx += 1.0\nreturn np.sum(y) * x",
    "AnnAssign": "y: float = x * x\nz: int\nreturn y",
    "Delete": "y = x * x\nz = y * x\ndel y\nreturn z",
    "Expr": "str(x)\nreturn x * x",
    "Pass": "pass\nreturn x * x",
    "If": "if x > 0.0:\n    y = x * x\nelif x < -1.0:\n    y = x\nelse:\n    y = 0.0\nreturn y",
    "For": "y = 1.0\nfor i in range(4):\n    y = y * x + i\nelse:\n    y = y * x\nreturn y",
    "While": "y = x\nwhile y < 50.0:\n    y = y * (x + 1.0)\nelse:\n    y = y * x\nreturn y",
    "Break": "y = x\nfor i in range(9):\n    if y > 20.0:\n        break\n    y = y * (1.0 + x)\nreturn y",
    "Continue": "y = 0.0\nfor i in range(5):\n    if i % 2:\n        continue\n    y = y * x + x\nreturn y",
    "Match": "match x > 1.0:\n    case True:\n        return x * x\n    case _:\n        return 3.0 * x",
    "match_case": (
        "match math.floor(x):\n    case n if n > 0:\n"
        "        return n * x * x\n    case n:\n        return (n + 2.0) * x"
    ),
    "MatchValue": (
        "y = 0.0\nfor i in range(4):\n    match i:\n        case 0:\n"
        "            y += x\n        case 2:\n            y *= x\nreturn y"
    ),
    "MatchSingleton": "y = None\nmatch y:\n    case True:\n        return x\n    case None:\n        return x * x",
    "MatchSequence": "match (x, x * x):\n    case [a]:\n        return a\n    case a, b:\n        return a * b",
    "MatchMapping": (
        "match {'a': x, 'b': x * x}:\n    case {'c': c}:\n"
        "        return c\n    case {'a': a, 'b': b}:\n        return a * b"
    ),
    "MatchClass": (
        "match Point(x, x * x):\n    case Point(y=0.0):\n"
        "        return x\n    case Point(a, y=b):\n        return a * b"
    ),
    "MatchStar": "match (x, x * x, 2.0):\n    case a, *rest:\n        return a * rest[0] * len(rest)",
    "MatchAs": "match x:\n    case int():\n        return x\n    case float(y) as z:\n        return y * z",
    "MatchOr": (
        "y = 0.0\nfor i in range(5):\n    match i:\n        case 1 | 3:\n"
        "            y += x * x\n        case k:\n            y += k * x\nreturn y"
    ),
    "With": "with np.errstate(all='ignore'):\n    y = x * x\nreturn y",
    "withitem": "with np.errstate(all='ignore'), np.errstate(divide='ignore'):\n    y = x * x\nreturn y",
    "Assert": "assert x > 0.0, 'positive'\nreturn x * x",
    "Raise": "if x < 0.0:\n    raise ValueError('negative') from None\nreturn x * x",
    "Try": (
        "y = 1.0\ntry:\n    z = math.sqrt(x - 1.0)\nexcept ValueError:\n    z = x * x\n"
        "else:\n    y = x\nfinally:\n    y += 1.0\nreturn y * z"
    ),
    "ExceptHandler": (
        "try:\n    return 1.0 / math.log(x - 1.0)\nexcept (ValueError, ZeroDivisionError):\n    return x * x"
    ),
    "Import": "import math as m\nreturn m.sin(x)",
    "ImportFrom": "from math import sin\nreturn sin(x)",
    "alias": "from math import sin as s\nreturn s(x)",
    "Constant": "'text'\nreturn x * 2.0",
    "Name": "return RATE * x * x",
    "BinOp": "return x * x",
    "UnaryOp": "return -x * x",
    "BoolOp": "return x * x if x > 0.0 and x < 9.0 or x > 11.0 else x",
    "Compare": "return x * x if 0.0 < x < 9.0 else x",
    "IfExp": "return x * x if x > 0.0 else x",
    "NamedExpr": "return (y := x * x) * y",
    "Call": "return math.sin(x)",
    "keyword": "return np.sum(a=np.array([[x, x * x]]), axis=1)[0]",
    "Starred": "first, *rest = (x, x * x, x)\nreturn max(*rest, 0.0) * first",
    "Attribute": "return np.array([[x, 1.0]]).T[0, 0] * math.pi",
    "Subscript": "y = np.array([x, x * x, 1.0])\nreturn y[1] * y[-3]",
    "Slice": "y = np.array([x, x * x, 1.0])\nreturn np.sum(y[::-2]) * y[:1][0]",
    "Tuple": "a, b = x, x * x\nreturn a * b",
    "List": "return np.sum(np.array([x, x * x]))",
    "Dict": "p = {'a': x, **{'b': x * x}}\nreturn p['a'] * p['b']",
    "Set": "return x * x if 2 in {1, 2, 2} else x",
    "ListComp": "return sum([x**i * j for i in range(3) for j in range(i) if j != 1])",
    "DictComp": "p = {k: x * k for k in (1, 2)}\nreturn p[1] * p[2]",
    "SetComp": "return x * x if 2 in {i for i in range(3)} else x",
    "GeneratorExp": "return sum(x**i for i in range(4))",
    "Yield": "def g():\n    yield x\n    yield x * x\nreturn sum(g())",
    "YieldFrom": "def g():\n    yield from [x, x * x]\nreturn sum(g())",
    "comprehension": "return sum([x * i for i in range(9) if i % 2 if i > 3])",
    "JoinedStr": "text = f'x is {x}'\nreturn x * x if text != 'x' else x",
    "FormattedValue": "text = f'{x:>{2 * 20}.3f}{2.0!r}'\nreturn x * x * len(text)",
    "Add": "return x + x",
    "Sub": "return 1.0 - x",
    "Mult": "return x * x",
    "Div": "return 1.0 / x",
    "FloorDiv": "return x * x + x // 1.0",
    "Mod": "return x * (x % 1.0)",
    "Pow": "return x**x",
    "MatMult": "y = np.array([x, 2.0])\nreturn y @ y",
    "LShift": "return x * (3 << 2)",
    "RShift": "return x * (9 >> 1)",
    "BitOr": "return x * (5 | 2)",
    "BitXor": "return x * (5 ^ 1)",
    "BitAnd": "y = np.array([x, -x])\nreturn np.sum(y[(y > 0.0) & (y < 9.0)])",
    "Invert": "y = np.array([x, -x])\nreturn np.sum(y[~(y > 0.0)])",
    "Not": "return x if not x > 0.0 else x * x",
    "UAdd": "return +x",
    "USub": "return -x",
    "And": "return x * x if x and True else 0.0",
    "Or": "return x or 1.0",
    "Eq": "return x if x == 1.0 else x * x",
    "NotEq": "return x if x != 1.0 else x * x",
    "Lt": "return x if x < 1.0 else x * x",
    "LtE": "return x if x <= 1.0 else x * x",
    "Gt": "return x if x > 1.0 else x * x",
    "GtE": "return x if x >= 1.0 else x * x",
    "Is": "y = None\nreturn x * x if y is None else x",
    "IsNot": "y = None\nreturn x if y is not None else x * x",
    "In": "return x * x if 2 in (1, 2) else x",
    "NotIn": "return x if 2 not in [1, 2] else x * x",
    "Load": "return x * x",
    "Store": "y = np.zeros(2)\ny[1] = x\nreturn np.sum(y * y)",
    "Del": "p = {'a': x, 'b': x}\ndel p['a']\nreturn p['b'] * len(p)",
}

REFUSED = {
    "ClassDef": "class A:\n    pass\nreturn x",
    "AsyncFunctionDef": "async def f(x):\n    return x",
    "Await": "async def f(x):\n    return await x",
    "AsyncFor": "async def f(x):\n    async for y in x:\n        pass",
    "AsyncWith": "async def f(x):\n    async with x:\n        pass",
    "TypeAlias": "type X = int\nreturn x",
    "TryStar": "try:\n    y = x\nexcept* ValueError:\n    y = 0.0\nreturn y",
}

AVAILABLE = {name for name in (HANDLED.keys() | REFUSED.keys()) if hasattr(ast, name)}
POINTS = (1.7, 0.6)
PREAMBLE = """import math
from dataclasses import dataclass
import numpy as np

RATE = 1.5

@dataclass
class Point:
    x: float
    y: float

"""

#: Uses of handled classes at the edge of what is: right, or refused by name, but never wrong.
EDGES = {
    "set of equal items": "return x * len({1, 1, 2})",
    "loop over a set": "y = 0.0\nfor i in {1, 1, 2}:\n    y += i * x\nreturn y",
    "size of a set comprehension": "return x * len({i % 2 for i in range(5)})",
    "sum over a set comprehension": "return x * sum({i % 2 for i in range(5)})",
    "union of sets": "return x * len({1, 2} | {2, 3})",
    "deleted slice": "y = [x, x * x, 1.0, 2.0]\ndel y[1:3]\nreturn y[0] * y[1]",
    "items of a dict made at run time": (
        "n = 3 if x > 1.0 else 4\np = {k: x * k for k in range(n)}\ny = 0.0\n"
        "for k, v in p.items():\n    y += v * k\nreturn y"
    ),
    "rest of a mapping": "match {'a': x, 'b': 2.0}:\n    case {'a': a, **rest}:\n        return a * rest['b']",
    "list in a sequence pattern": "match [x, x * x]:\n    case [a, b]:\n        return a * b",
    "array in a sequence pattern": "match np.array([x, x]):\n    case [a, b]:\n        return a * b\nreturn x",
    "bare raise": "if x < 0.0:\n    raise\nreturn x * x",
    "bare raise in a handler": "try:\n    return math.sqrt(x)\nexcept ValueError:\n    raise",
    "bare except": "try:\n    return math.log(x - 1.0)\nexcept:\n    return x * x",
    "finally that leaves": "try:\n    y = x * x\nfinally:\n    return x",
    "stored before it raises": (
        "a = np.zeros(2)\ntry:\n    a[0] = x\n    a[1] = math.log(x - 1.0)\nexcept ValueError:\n    pass\n"
        "return a[0] * a[1] + x"
    ),
    "assigned global": "global RATE\nbefore, RATE = RATE, RATE * x\ny = RATE * x\nRATE = before\nreturn y * RATE",
    "walrus in a loop test": "y = x\nwhile (z := y * (x + 1.0)) < 50.0:\n    y = z + 1.0\nreturn y * z",
    "star of a list built at run time": (
        "y = []\nfor i in range(3):\n    y.append(x * i)\n" "z = [*y, x]\nreturn z[2] * z[3]"
    ),
    "unpacking a list built at run time": (
        "y = []\nfor i in range(3):\n    y.append(x + i)\nfirst, *rest = y\nreturn first * rest[0] * rest[1]"
    ),
    "recursion to a depth unknown": (
        "def g(y, n):\n    return y if y > 50.0 or n == 0 else g(y * (x + 1.0), n - 1)\nreturn g(x, 30)"
    ),
    "mutual recursion": (
        "def even(y, n):\n    return y if n == 0 else odd(y * x, n - 1)\n"
        "def odd(y, n):\n    return y if n == 0 else even(y + x, n - 1)\nreturn even(x, 9)"
    ),
    "recursion that updates its argument": (
        "def g(y, n):\n    y *= x\n    if n > 0:\n        g(y, n - 1)\ny = np.array([x, 1.0])\n"
        "g(y, int(7.7 * x))\nreturn np.sum(y)"
    ),
}
_serial = count()


def text_of(sample: str) -> str:
    """The sample as a whole function."""
    if sample.startswith(("def f", "async def f")):
        return sample
    return "def f(x):\n" + textwrap.indent(sample, "    ")


def load(tmp_path: Path, sample: str) -> Callable[[float], Any]:
    path = tmp_path / f"sample_{next(_serial)}.py"
    path.write_text(PREAMBLE + text_of(sample) + "\n", encoding="utf-8")
    module = sys.modules[path.stem] = types.ModuleType(path.stem)  # dataclasses look their module up
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True), module.__dict__)
    f: Callable[[float], Any] = module.f  # type: ignore[attr-defined]
    return f


def test_every_class_is_listed() -> None:
    classes = {name for name, value in vars(ast).items() if isinstance(value, type) and issubclass(value, ast.AST)}
    missing = {name for name in classes if not name.startswith("_")} - ROWS.keys()
    assert not missing, f"not in docs/language.md: {sorted(missing)}"


def test_only_classes_are_listed() -> None:
    unknown = {name for name in ROWS if name not in vars(ast)} - NOT_EVERYWHERE - LEFTOVERS
    assert not unknown
    if sys.version_info >= (3, 12):
        assert all(hasattr(ast, name) for name in NOT_EVERYWHERE)


def test_every_row_has_a_status_and_a_sample() -> None:
    assert set(ROWS.values()) == {"handled", "refused", "absent"}
    assert {name for name, status in ROWS.items() if status == "handled"} == HANDLED.keys()
    assert {name for name, status in ROWS.items() if status == "refused"} == REFUSED.keys()


@pytest.mark.parametrize("name", sorted(AVAILABLE))
def test_samples_contain_what_they_are_samples_of(name: str) -> None:
    tree = ast.parse(text_of((HANDLED | REFUSED)[name]))
    found = {type(node).__name__ for node in ast.walk(tree)}
    assert name in found


@pytest.mark.parametrize("name", sorted(AVAILABLE & HANDLED.keys()))
def test_what_is_handled_has_the_right_derivative(name: str, tmp_path: Path) -> None:
    from s2sad import grad, jvp

    f = load(tmp_path, HANDLED[name])
    for x in POINTS:
        h = 1e-6
        slope = (f(x + h) - f(x - h)) / (2.0 * h)
        assert grad(f)(x) == pytest.approx(slope, rel=1e-7, abs=1e-7)
        assert jvp(f, (x,), (1.0,)) == pytest.approx((f(x), slope), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("name", EDGES)
def test_at_the_edge_the_derivative_is_right_or_refused(name: str, tmp_path: Path) -> None:
    from s2sad import S2sadError, grad, jvp

    f = load(tmp_path, EDGES[name])
    for x in POINTS:
        with contextlib.suppress(S2sadError):
            derivatives = grad(f)(x), jvp(f, (x,), (1.0,))[1]
            h = 1e-6
            slope = (f(x + h) - f(x - h)) / (2.0 * h)
            assert derivatives == pytest.approx((slope, slope), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("name", sorted(AVAILABLE & REFUSED.keys()))
def test_what_is_refused_is_refused_where_it_is(name: str, tmp_path: Path) -> None:
    from s2sad import UnsupportedSyntax, grad

    f = load(tmp_path, REFUSED[name])
    with pytest.raises(UnsupportedSyntax) as caught:
        grad(f)  # syntax is judged when the function is decorated
    error = caught.value
    assert error.filename == f.__code__.co_filename
    assert error.lineno is not None and error.lineno >= f.__code__.co_firstlineno
    assert error.line in Path(f.__code__.co_filename).read_text(encoding="utf-8")
    assert "^" in str(error)
    assert error.message and error.help
