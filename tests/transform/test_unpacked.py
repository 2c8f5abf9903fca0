"""Unpacking: how many values there are is asked where it is not known, once for all rows of an array."""

from __future__ import annotations

import inspect
import re
import textwrap

import numpy as np
import pytest

import s2sad
from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.dead import dead_code
from s2sad.transform import unpacked
from tests.ir.reader import read

TIERS = ("python", "numba")


def example(word: str) -> str:
    m = re.search(rf"^{word}::\n\n((?:    .*\n|\n)+)", inspect.getdoc(unpacked) or "", re.MULTILINE)
    assert m
    return textwrap.dedent(m[1]).strip()


def test_the_example_in_the_docstring() -> None:
    function, gone = unpacked.check_unpacked_before_loops(read(example("Before")))
    assert show(dead_code(verify(function))) == example("After")
    assert not gone


def product(x):
    a, b = x
    return a * b


def product_of_ends(x):
    a, *_, b = x
    return a * b


def product_of_positive(x):
    a, b = [v * v for v in x if v > 0]
    return a * b


def one_by_one(rows):
    total = 0.0
    for a, b in rows:
        total += a * b
    return total


def one_by_one_again(rows):
    total = 0.0
    for k in range(3):
        for (a, b), weight in zip(rows, rows[0]):
            total += a * b * weight + k
    return total


def parts_of_rows(rows):
    total = 0.0
    for row in rows:
        first, *others = row
        total += first * sum(others)
    return total


def of_steps(state, rate):
    for _ in range(4):
        x, v = state
        state = state + 0.1 * np.array([v, -rate * x])
    x, _ = state
    return x * x


def by_their_keys(x):
    places = {}
    for k in range(2 if x[0] < 5.0 else 3):
        places[1 - k] = x * x
    a, b = places
    first, *_ = places
    return np.sum(places[a] * (a + 2.0)) + np.sum(places[b] * (b + 5.0)) + first * x[0] + less(*places) * x[0]


def less(a, b):
    return a - 2.0 * b


def some(*shape: int) -> np.ndarray:
    return 1.0 + np.arange(float(np.prod(shape))).reshape(shape)


FITTING = [
    (product, some(2)),
    (product, [2.0, 3.0]),
    (product_of_ends, some(2)),
    (product_of_ends, some(5)),
    (product_of_positive, np.array([1.0, -2.0, 3.0])),
    (one_by_one, some(3, 2)),
    (one_by_one, some(0, 3)),
    (one_by_one, [[1.0, 2.0], [3.0, 4.0]]),
    (one_by_one, [some(2), some(2)]),
    (one_by_one_again, some(2, 2)),
    (parts_of_rows, some(3, 3)),
    (parts_of_rows, some(3, 1)),
    (of_steps, some(2), 0.5),
    (by_their_keys, some(2)),
]
OTHERS = [
    (product, some(3)),
    (product, some(1)),
    (product, [2.0, 3.0, 4.0]),
    (product_of_ends, some(1)),
    (product_of_positive, some(3)),
    (product_of_positive, -some(3)),
    (one_by_one, some(2, 3)),
    (one_by_one, some(2, 1)),
    (one_by_one, [[1.0, 2.0], [3.0, 4.0, 5.0]]),
    (one_by_one, [some(2), some(1)]),
    (one_by_one_again, some(2, 3)),
    (parts_of_rows, some(2, 0)),
    (by_their_keys, 5.0 + some(2)),
    (of_steps, some(3), 0.5),
    (of_steps, some(1), 0.5),
]


def named(cases: list[tuple]) -> list:
    return [pytest.param(*case[:1], case[1:], id=f"{case[0].__name__}{k}") for k, case in enumerate(cases)]


@pytest.mark.parametrize("backend", TIERS)
@pytest.mark.parametrize(("f", "args"), named(FITTING))
def test_as_many_as_there_are_names(f, args, backend: str) -> None:
    assert s2sad.value_and_grad(f, backend=backend)(*args)[0] == pytest.approx(f(*args), rel=1e-14)
    if len(args[0]):
        s2sad.check_grads(f, backend=backend)(*args)


def raised(f, *args) -> str:
    with pytest.raises(ValueError) as caught:
        f(*args)
    return str(caught.value)


@pytest.mark.parametrize(("f", "args"), named(OTHERS))
def test_more_or_fewer_raise_what_python_raises(f, args) -> None:
    message = raised(f, *args)
    assert raised(s2sad.grad(f), *args) == message
    assert raised(lambda *a: s2sad.vjp(f, *a)[0], *args) == message
    assert raised(lambda *a: s2sad.jvp(f, a, a), *args) == message
    said = raised(s2sad.grad(f, backend="numba"), *args)
    assert message.startswith(said)
    assert "to unpack" in said


def of_two(x):
    x, y = np.array([x, 2.0 * x])
    (a, b), c = np.stack([x * x, y * y]), 2.0
    return a * b * c


def of_two_ways(x, pairs):
    a, b = x
    for k in range(3):
        c, d = x
        a = a * c + b * d * k
    if len(pairs) == 2:
        p, q = pairs
        return a * p * q
    return a


@pytest.mark.parametrize(
    ("f", "args", "checks"),
    [
        (of_two, (2.0,), 0),
        (of_steps, (some(2), 0.5), 1),
        (of_two_ways, (some(2), some(2)), 2),
        (one_by_one, ([(1.0, 2.0)],), 0),
    ],
)
def test_what_is_known_is_not_asked(f, args, checks: int) -> None:
    assert s2sad.grad(f).source_for(*args).count(" != 2:") == checks
    s2sad.check_grads(f)(*args)
