"""Both modes on random lists of tuples, records, dicts and lists, against differences."""

from __future__ import annotations

import importlib.util
from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from s2sad import NotDifferentiable, UnsupportedSyntax, grad, jvp, vjp
from tests.fuzz.held_texts import HEAD, held_text

#: Programs in one test, and their first seeds.
EACH, SEEDS = 60, range(0, 360, 60)
X, V, STEP = 0.7, np.array([0.3, -0.4, 0.9]), 1e-6
#: What is returned in place of the number.
RESULTS = ("return out, s", "return out", "return {'all': out, 'one': out[0]}", "return out[0]")
REFUSALS = (NotDifferentiable, UnsupportedSyntax)


def parts(value):
    """The names of what a container holds, and what that is; None for a leaf."""
    if isinstance(value, dict):
        return [*value], [*value.values()]
    if is_dataclass(value):
        names = [field.name for field in fields(value)]
        return names, [getattr(value, name) for name in names]
    if isinstance(value, (list, tuple)):
        return [len(value)], [*value]
    return None


def form(value):
    """The types and lengths of what is in a value, and the shapes of arrays."""
    held = parts(value)
    return np.shape(value) if held is None else (type(value).__name__, held[0], [form(part) for part in held[1]])


def numbers(value):
    held = parts(value)
    if held is None:
        return np.ravel(value).astype(float)
    return np.concatenate([np.empty(0), *(numbers(part) for part in held[1])])


def loaded(text, path):
    path.write_text(HEAD + text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def check_number(text, path, refusals=REFUSALS, **options):
    """Whether both modes agree with differences; False if one is refused."""
    f = loaded(text, path)
    by_v = [(f(X, V + e) - f(X, V - e)) / (2.0 * STEP) for e in STEP * np.eye(3)]
    expected = np.array([(f(X + STEP, V) - f(X - STEP, V)) / (2.0 * STEP), *by_v])
    try:
        _, slope = jvp(f, (X, V.copy()), (1.0, np.ones(3)), **options)
        np.testing.assert_allclose(slope, expected.sum(), rtol=1e-5, atol=1e-6, err_msg=text)
        by_x, by_v = grad(f, wrt=(0, 1), **options)(X, V.copy())
    except refusals:
        return False
    np.testing.assert_allclose([by_x, *by_v], expected, rtol=1e-5, atol=1e-6, err_msg=text)
    return True


def check_structure(text, path, refusals=REFUSALS, **options):
    """Whether what is held comes back as it is, with the right tangents, and is pulled back; False if refused."""
    f = loaded(text, path)
    value = f(X, V.copy())
    expected = (numbers(f(X + STEP, V + STEP)) - numbers(f(X - STEP, V - STEP))) / (2.0 * STEP)
    try:
        found, tangent = jvp(f, (X, V.copy()), (1.0, np.ones(3)), **options)
        assert form(found) == form(tangent) == form(value), text
        np.testing.assert_allclose(numbers(tangent), expected, rtol=1e-5, atol=1e-6, err_msg=text)
        found, pullback = vjp(f, X, V.copy(), **options)
        assert form(found) == form(value), text
        for _ in range(2):
            by_x, by_v = pullback(found)
            product = numbers(value) @ expected
            np.testing.assert_allclose(by_x + by_v.sum(), product, rtol=1e-5, atol=1e-6, err_msg=text)
    except refusals:
        return False
    return True


@pytest.mark.parametrize("first", SEEDS)
def test_what_a_list_holds(first: int, tmp_path) -> None:
    seeds = range(first, first + EACH)
    agreed = [check_number(held_text(seed), tmp_path / f"held_{seed}.py") for seed in seeds]
    assert sum(agreed) > EACH / 2  # the others mix what has an adjoint of its own with what has none


@pytest.mark.parametrize("first", SEEDS)
def test_what_is_handed_out(first: int, tmp_path) -> None:
    agreed = []
    for seed in range(first, first + EACH):
        text = held_text(seed)
        if "out.pop" not in text:
            text = text.replace("return s\n", f"{RESULTS[seed % len(RESULTS)]}\n")
            agreed.append(check_structure(text, tmp_path / f"held_{seed}.py"))
    assert sum(agreed) > len(agreed) / 2


def test_compiled(tmp_path) -> None:
    pytest.importorskip("numba")
    from s2sad import CompileError

    options = {"refusals": (*REFUSALS, CompileError), "backend": "numba"}
    agreed = []
    for seed in range(24):
        text = held_text(seed)
        if "out.pop" in text or seed % 2:
            agreed.append(check_number(text, tmp_path / f"held_{seed}.py", **options))
        else:
            text = text.replace("return s\n", f"{RESULTS[seed // 2 % len(RESULTS)]}\n")
            agreed.append(check_structure(text, tmp_path / f"held_{seed}.py", **options))
    assert sum(agreed) > len(agreed) / 3  # dicts made at run time are not handed out
