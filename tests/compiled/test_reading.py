"""Nested lists that machine code looks at and reads: the same answers, and arrays, as by Python and NumPy."""

from __future__ import annotations

import subprocess
import sys
from collections import UserList
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from s2sad import grad
from s2sad.compiled import crossing, reading
from s2sad.structure import uniform

CLASSES = (float, int, bool, complex, str, np.float64)


class Listed(list[float]):
    """A list of another class."""


class Number(float):
    """A float of another class."""


def of_itself() -> list[Any]:
    xs: list[Any] = []
    xs.append(xs)
    return xs


VALUES: list[Any] = [
    *([], [1.0], [1.0, -0.0, float("nan")], [1, 2], [True, False], [1.0, 1], [1, True], [1j], ["a"], [None]),
    *([np.float64(1.0)], [1.0, np.float64(2.0)], [Number(1.0)], [np.zeros(2)]),
    *([[]], [[], []], [[1.0], []], [[], [1.0, 2.0]], [[1.0], [2]], [[1.0], 2.0], [2.0, [1.0]], [[1.0], (2.0,)]),
    *([[[1.0]], [], [[], [2.0, 3.0]]], [[[1.0]], [2.0]], [[[1]], [[2, 3]]], [[[]]]),
    *(
        Listed([1.0]),
        [Listed([1.0])],
        UserList([1.0]),
        (1.0,),
        [(1.0,)],
        1.0,
        None,
        "text",
        {},
        {"a": 1.0},
        np.zeros(3),
    ),
    *(of_itself(), [of_itself(), [1.0]], [list(range(300)), [float(k) for k in range(300)]]),
]


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_lists_are_told_as_python_tells_them(depth: int, cls: type) -> None:
    told = reading.told(depth, cls)
    assert told is not None
    for value in VALUES:
        assert told(value) is (type(value) is list and uniform(value) == (depth, cls)), value


def test_deeper_lists_are_left_to_python() -> None:
    assert reading.told(4, float) is None


FLAT = [[], [1.0], [0.1, -0.0, float("inf")], [1, 2.5], [True, 2.0], [np.float64(1.5), 2.0], [1, 2], [Number(1.0)]]
NESTED = [[], [[]], [[1.0], [], [2.0, 3.0]], [[1, 2.0]], [(1.0, 2.0), [3.0]], [Listed([1.0])], [[np.float32(1.5)]]]


def alike(found: Any, expected: Any) -> None:
    """Both are arrays that hold the same, of one layout, and of which each has memory of its own."""
    assert type(found) is type(expected) is np.ndarray
    assert (found.dtype, found.shape, found.strides) == (expected.dtype, expected.shape, expected.strides)
    assert found.tobytes() == expected.tobytes()
    assert found.flags.owndata and found.flags.writeable and found.flags.aligned and found.flags.c_contiguous


@pytest.mark.parametrize("xs", FLAT, ids=repr)
def test_floats_are_read_as_numpy_reads_them(xs: list[Any]) -> None:
    alike(reading.as_floats(xs), crossing.as_floats(xs))


@pytest.mark.parametrize("xs", NESTED, ids=repr)
def test_lists_of_floats_are_read_as_numpy_reads_them(xs: list[Any]) -> None:
    for found, expected in zip(reading.as_ragged(xs), crossing.as_ragged(xs), strict=True):
        alike(found, expected)


@pytest.mark.parametrize("xs", [["x"], [1j]], ids=repr)
def test_what_is_no_number_is_refused_as_numpy_refuses_it(xs: list[Any]) -> None:
    for read in (reading.as_floats, crossing.as_floats):
        with pytest.raises((TypeError, ValueError)) as refusal:
            read(xs)
        assert "float" in str(refusal.value)


def test_nothing_is_held_on_to() -> None:
    told, xs = reading.told(2, float), [[1234.5, 2.0], [3.0]]
    assert told is not None
    held = [xs, xs[0], xs[0][0], float, np.ndarray]
    before = [sys.getrefcount(x) for x in held]
    for _ in range(100):
        told(xs), told([xs]), reading.as_ragged(xs), reading.as_floats(xs[0]), reading.as_floats([1])
    assert [sys.getrefcount(x) for x in held] == before


def test_a_python_whose_objects_lie_otherwise_keeps_the_functions_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_are_as_known", lambda: False)
    assert reading.told(1, float) is None
    assert reading.external(crossing.as_floats) is crossing.as_floats


# ---------------------------------------------------------------- in derivatives


def spread(rows: list[list[float]], weights: list[float]) -> float:
    total = 0.0
    for row, w in zip(rows, weights):
        for x in row:
            total += w * x * x
    return total


ROWS: Any = [[1.0, 2.0], [], [0.5]]


def of_compiled(derivative: Any) -> Callable[..., Any]:
    """The function in Python that calls the compiled one."""
    function = derivative._cases[-1].function
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function  # type: ignore[no-any-return]


def test_what_is_loaded_reads_by_machine_code_and_text_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    plain, derivative = grad(spread, wrt=(0, 1)), grad(spread, wrt=(0, 1), backend="numba")
    expected = plain(ROWS, [1.0, 2.0, 3.0])
    assert derivative(ROWS, [1.0, 2.0, 3.0]) == expected
    assert of_compiled(derivative).__globals__["_as_floats"] is reading.as_floats
    assert of_compiled(derivative).__globals__["_as_ragged"] is reading.as_ragged
    namespace: dict[str, Any] = {}
    exec(derivative.source_for(ROWS, [1.0, 2.0, 3.0]), namespace)
    assert namespace["spread_grad"](ROWS, [1.0, 2.0, 3.0]) == expected
    calls = len(derivative._cases)
    for rows, weights in (
        ([[1, 2.0]], [1.0]),
        ([[np.float64(1.5)], [2.0]], [1.0, 3]),
        ([[1.0], [2.0]], [np.float64(2.0), 1.0]),
        ([[3.0], [4.0]], [0.5, 0.25]),
    ):
        assert derivative(rows, weights) == plain(rows, weights)
    assert calls == 1
    for wrong in ([["1.5"]], [[None]], [[1j]]):
        with pytest.raises(Exception) as refused:
            plain(wrong, [1.0])
        with pytest.raises(type(refused.value)):
            derivative(wrong, [1.0])


def test_what_cpython_is_told_of_the_functions_lasts():
    """It is read when a function goes, which may be after the module's own objects have gone."""
    program = (
        "import gc\n"
        "from s2sad.compiled import reading\n"
        "reading.as_ragged([[1.0, 2.0], [3.0]]), reading.as_floats([1.0])\n"
        "for value in vars(reading).values():\n"
        "    if isinstance(value, list):\n"
        "        value.clear()\n"
        "gc.collect()\n"
        "print(sum(isinstance(x, reading._Method) for x in gc.get_objects()))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr
