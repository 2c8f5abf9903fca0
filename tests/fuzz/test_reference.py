"""The reference itself: against closed forms, central differences and another package."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from .dual import Dual, DualArray, NearTie
from .dual_numpy import _SMOOTH, math_, numpy
from .generate import generate
from .reference import IllConditioned, Reference, dot, has_floats, random_tangent, shifted

CLOSED = [
    ("return math.log(a) + a * c - math.sin(c)", (2.0, 5.0), (5.5, 2 - math.cos(5.0))),
    ("return a * c + math.sin(a)", (0.5, 4.2), (4.2 + math.cos(0.5), 0.5)),
    ("return a ** c", (1.5, 2.5), (2.5 * 1.5**1.5, math.log(1.5) * 1.5**2.5)),
    ("return a if a > c else c", (1.0, 2.0), (0.0, 1.0)),
    ("return max(a, c) * 3", (4.0, 2.0), (3.0, 0.0)),
    ("a, c = c, a\n    return a / c", (2.0, 3.0), (-3 / 4, 1 / 2)),
    ("x = np.array([a, c, a])\n    y = x[1:]\n    y[0] *= a\n    return x.sum()", (2.0, 3.0), (5.0, 2.0)),
    ("x = np.zeros((2, 2))\n    x.T[0] = a\n    x[1] += c\n    return (x @ x).sum()", (2.0, 3.0), (14.0, 16.0)),
    ("x = np.array([a, c])\n    return x[[0, 0, 1]].prod()", (2.0, 3.0), (12.0, 4.0)),
    (
        "xs = []\n    for k in range(3):\n        xs.append(a * k)\n    return np.array(xs).sum() + c",
        (2.0, 3.0),
        (3.0, 1.0),
    ),
    ("s = 0\n    while s < 5.0:\n        s += a\n    return s * c", (2.0, 3.0), (9.0, 6.0)),
    ("x = np.array([a, c])\n    x[x > 2.5] *= a\n    return x.sum()", (2.0, 3.0), (4.0, 2.0)),
    ("return np.sqrt(np.sum(np.array([a, c]) ** 2))", (3.0, 4.0), (0.6, 0.8)),
    (
        "x = np.array([a, c])\n    x, y = x[::-1].copy(), x\n    x[:] = y\n    y[0] = 0.0\n    return x @ x",
        (3.0, 4.0),
        (6.0, 8.0),
    ),
]


@pytest.mark.parametrize(("body", "args", "expected"), CLOSED, ids=[body.split("\n")[-1][:40] for body, *_ in CLOSED])
def test_closed_forms(body: str, args: tuple[float, float], expected: tuple[float, float]) -> None:
    source = f"import math\nimport numpy as np\ndef f(a, c):\n    {body}\n"
    reference = Reference(source, "f", args)
    for k, derivative in enumerate(expected):
        assert reference.derivative((float(k == 0), float(k == 1))) == pytest.approx(derivative, rel=1e-13)


@pytest.mark.parametrize("name", _SMOOTH)
def test_elementwise_derivatives(name: str) -> None:
    """Each derivative in the table, by differences, for a scalar and for an array."""
    x, h = 0.37, 1e-6
    function, _ = _SMOOTH[name]
    expected = (function(x + h) - function(x - h)) / (2 * h)
    table = math_ if name == "erf" else numpy
    assert getattr(table, name)(Dual(x, 2.0)).t == pytest.approx(2 * expected, rel=1e-8)
    y = getattr(table, name)(DualArray(np.full(3, x), np.arange(3.0)))
    assert y.t == pytest.approx(np.arange(3.0) * expected, rel=1e-8)


BOTH = {
    "reductions": "return np.sum(x) * np.mean(x * x) + np.prod(x) + np.var(x) + np.std(x)",
    "axes": "return np.sum(np.sum(x, axis=0) ** 2) + np.sum(np.mean(x, axis=1, keepdims=True) * x)",
    "extremes": "return np.max(x) + np.sum(np.min(x, axis=0) ** 2) + np.sum(np.maximum(x, 0.1))",
    "linear": "return np.sum(np.dot(x, x.T)) + np.trace(np.outer(x[0], x[0])) + np.einsum('ij,kj->', x, x)",
    "shape": "return np.sum(np.concatenate([x, x * x]).reshape(3, 4)[1:] ** 3) + np.sum(np.roll(x, 1) * np.tile(x, 1))",
    "choice": "return np.sum(np.where(x > 0.2, np.sin(x), x ** 3)) + np.sum(np.clip(x, -0.3, 0.4) ** 2)",
    "cumulative": "return np.sum(np.cumsum(x, axis=1) ** 2) + np.sum(np.sort(x[0])[:2] ** 2)",
    "two": "return np.sum(np.logaddexp(x, x * x)) + np.sum(np.arctan2(x, 2 + x)) + np.linalg.norm(x)",
    "index": "return np.sum(x[[0, 0, 1], [1, 1, 2]] ** 2) + np.sum(x[::-1, 1:] * x[:, :-1])",
}


@pytest.mark.parametrize("name", BOTH)
def test_another_package(name: str) -> None:
    """The same expressions through autograd, on the same arrays."""
    autograd = pytest.importorskip("autograd")
    x = np.random.default_rng(0).uniform(-1, 1, (2, 3))
    body = BOTH[name]
    space: dict[str, Any] = {}
    exec(f"import autograd.numpy as np\ndef f(x):\n    {body}\n", space)
    gradient = autograd.grad(space["f"])(x)
    reference = Reference(f"import numpy as np\ndef f(x):\n    {body}\n", "f", (x,))
    rng = np.random.default_rng(1)
    for _ in range(3):
        d = random_tangent((x,), rng)
        assert reference.derivative(d) == pytest.approx(dot(gradient, d[0]), rel=1e-11)


@pytest.mark.parametrize(
    "body",
    [
        "return x if x < 1.0 else 2.0",
        "return abs(x - 1.0)",
        "return max(x, 1.0)",
        "return np.max(np.array([x, 1.0]))",
        "return np.sort(np.array([1.0, x]))[0]",
        "return np.clip(np.array([x]), 0.0, 1.0).sum()",
        "return x * int(x)",
        "return 1.0 if x - 1.0 else x",
    ],
)
def test_kinks_are_noticed(body: str) -> None:
    reference = Reference(f"import numpy as np\ndef f(x):\n    {body}\n", "f", (1.0,))
    with pytest.raises(NearTie):
        reference.dual((1.0,))
    with pytest.raises(IllConditioned):
        reference.derivative((1.0,))


def test_equal_things_are_no_kink() -> None:
    source = (
        "import numpy as np\ndef f(x):\n    y = np.zeros(3)\n    return x * 2 if x >= x and np.max(y) <= 0 else 0.0\n"
    )
    assert Reference(source, "f", (1.0,)).derivative((1.0,)) == 2.0


def test_disagreement_is_noticed() -> None:
    """A program that is not a function of its arguments does not count."""
    source = "calls = []\ndef f(x):\n    calls.append(1)\n    return x * len(calls)\n"
    with pytest.raises(IllConditioned):
        Reference(source, "f", (1.0,)).derivative((1.0,))


def test_arguments_are_left_alone() -> None:
    x = np.array([1.0, 2.0])
    reference = Reference("def f(x):\n    x *= 2\n    return x.sum()\n", "f", (x,))
    assert reference.derivative((np.ones(2),)) == 4.0
    assert x.tolist() == [1.0, 2.0]


def test_structures() -> None:
    args = ([1.0, 2.0], {"w": np.ones(2), "k": 3}, (0.5, 1), 7)
    rng = np.random.default_rng(0)
    d = random_tangent(args, rng)
    assert d[3] is None and d[1]["k"] is None and d[2][1] is None
    assert [has_floats(x) for x in args] == [True, True, True, False]
    assert dot(d, d) > 0
    assert shifted(args, d, 0.0) == ([1.0, 2.0], {"w": pytest.approx(np.ones(2)), "k": 3}, (0.5, 1), 7)


def test_generated_programs_agree_with_differences() -> None:
    """Dual numbers and differences agree on nearly every program the generator writes."""
    counted = 0
    for seed in range(300):
        program = generate(seed)
        reference = Reference(program.source, "f", program.args)
        try:
            reference.derivative(tuple(random_tangent(x, np.random.default_rng(seed)) for x in program.args))
        except (IllConditioned, TypeError):
            continue
        counted += 1
    assert counted > 285
