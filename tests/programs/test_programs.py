"""Every program in ``cases_*.py``: both modes against central differences and against each other."""

from __future__ import annotations

import copy
import functools
import importlib
import operator
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from differences import directional, from_vector, gradient, identical, same_structure, select, to_vector
from program import Program

import s2sad

MODULES = sorted(path.stem for path in Path(__file__).parent.glob("cases_*.py"))
PROGRAMS = {p.name: p for module in MODULES for p in importlib.import_module(module).PROGRAMS}
#: All tests of one program come together, while what they derive is kept.
every_program = pytest.mark.parametrize("name", PROGRAMS, scope="module")


def fresh(p: Program) -> tuple[Any, ...]:
    """The program's arguments, copied."""
    return copy.deepcopy(p.args)


def is_scalar(p: Program) -> bool:
    """Whether the program returns one float."""
    return isinstance(p.function(*fresh(p)), (float, np.floating))


def cotangent(p: Program) -> Any:
    """Weights for the outputs, with their structure; one for a scalar."""
    y = p.function(*fresh(p))
    size = to_vector(y).size
    return from_vector(y, np.random.default_rng(size).normal(size=size) if not is_scalar(p) else np.ones(1))


def direction(p: Program) -> np.ndarray:
    """A direction over the float leaves of all arguments, zero in those not differentiated."""
    selected = to_vector(select(p.args, p.wrt))
    return np.random.default_rng(selected.size).uniform(0.5, 1.5, size=selected.size) * selected


def tangents(p: Program) -> tuple[Any, ...]:
    """The direction with the structure of the arguments; None for arguments without floats."""
    moved = from_vector(p.args, direction(p))
    return tuple(t if to_vector(t).size else None for t in moved)


@functools.cache
def by_reverse(name: str) -> tuple[Any, tuple[Any, ...], bool]:
    """The value, the gradient with respect to each argument of ``wrt``, and whether the arguments were left alone."""
    p, args = PROGRAMS[name], fresh(PROGRAMS[name])
    if is_scalar(p):
        value, result = s2sad.value_and_grad(p.function, wrt=p.wrt)(*args)
    else:
        value, pullback = s2sad.vjp(p.function, *args)
        cotangents = pullback(cotangent(p))
        result = tuple(cotangents[k] for k in p.wrt)
    return value, result, identical(args, p.args)


@functools.cache
def by_forward(name: str) -> tuple[Any, Any, bool]:
    """The value, the tangent, and whether the arguments were left alone."""
    p, args = PROGRAMS[name], fresh(PROGRAMS[name])
    value, tangent = s2sad.jvp(p.function, args, tangents(p))
    return value, tangent, identical(args, p.args)


def assert_near(actual: Any, expected: Any, tolerance: float) -> None:
    """Fail unless all floats agree, relative to the largest expected."""
    actual, expected = to_vector(actual), to_vector(expected)
    assert actual.shape == expected.shape
    scale = 1e-2 + np.max(np.abs(expected), initial=0.0)
    error = np.max(np.abs(actual - expected), initial=0.0)
    assert error <= tolerance * scale, f"got {actual}, expected {expected}"


#: Programs whose library functions are differentiated by formulas that round otherwise.
ROUNDED_OTHERWISE = {"fitted", "standard_scores"}


def plain_sum(items: Iterable[Any], /, start: Any = 0) -> Any:
    """What ``sum`` is up to Python 3.11, and in derivatives: from 3.12 on it carries what rounding drops."""
    return functools.reduce(operator.add, items, start)


def assert_value(actual: Any, name: str) -> None:
    """Fail unless a derivative computes the value as the program does, to the last bit."""
    p = PROGRAMS[name]
    with mock.patch("builtins.sum", plain_sum):
        expected = p.function(*fresh(p))
    if name in ROUNDED_OTHERWISE:
        return assert_near(actual, expected, 1e-13)
    actual, expected = to_vector(actual), to_vector(expected)
    assert np.array_equal(actual, expected, equal_nan=True), f"got {actual}, expected {expected}"


@every_program
def test_reverse_mode_against_differences(name: str) -> None:
    p = PROGRAMS[name]
    weights = to_vector(cotangent(p))
    expected = gradient(lambda *args: float(weights @ to_vector(p.function(*args))), p.args, p.wrt, p.step)
    value, actual, _ = by_reverse(name)
    assert_value(value, name)
    assert_near(actual, expected, p.tolerance)
    for k, part in zip(p.wrt, actual, strict=True):
        assert same_structure(part, p.args[k])


@every_program
def test_forward_mode_against_differences(name: str) -> None:
    p = PROGRAMS[name]
    expected = directional(p.function, p.args, direction(p), p.step)
    value, tangent, _ = by_forward(name)
    assert_value(value, name)
    assert_near(tangent, expected, p.tolerance)
    assert same_structure(tangent, p.function(*fresh(p)))


@every_program
def test_forward_equals_reverse(name: str) -> None:
    p = PROGRAMS[name]
    forward = to_vector(cotangent(p)) @ to_vector(by_forward(name)[1])
    directions = to_vector(tuple(from_vector(p.args, direction(p))[k] for k in p.wrt))
    products = to_vector(by_reverse(name)[1]) * directions
    assert abs(forward - np.sum(products)) <= 1e-10 * (1e-3 + np.sum(np.abs(products)))


@every_program
def test_arguments_are_left_untouched(name: str) -> None:
    assert by_reverse(name)[2], "reverse mode changed its arguments"
    assert by_forward(name)[2], "forward mode changed its arguments"


ALONE = [name for name, p in PROGRAMS.items() if len(p.wrt) > 1 and is_scalar(p)]


@pytest.mark.parametrize("name", ALONE, scope="module")
def test_by_one_argument_as_by_all(name: str) -> None:
    p = PROGRAMS[name]
    for n, k in enumerate(p.wrt):
        expected = by_reverse(name)[1][n]
        assert_near(s2sad.grad(p.function, wrt=k)(*fresh(p)), expected, 1e-12)
        assert_near(s2sad.jacobian(p.function, wrt=k, mode="forward")(*fresh(p)), expected, 1e-10)


@every_program
def test_a_pullback_gives_the_gradient_each_time(name: str) -> None:
    p = PROGRAMS[name]
    _, pullback = s2sad.vjp(p.function, *fresh(p))
    for _ in range(2):
        cotangents = pullback(cotangent(p))
        assert_near(tuple(cotangents[k] for k in p.wrt), by_reverse(name)[1], 1e-12)
