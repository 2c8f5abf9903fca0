"""Both modes on random lists of tuples, records, dicts and lists, against differences."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from s2sad import NotDifferentiable, UnsupportedSyntax, grad, jvp
from tests.fuzz.held_texts import HEAD, held_text

#: Programs in one test, and their first seeds.
EACH, SEEDS = 60, range(0, 360, 60)
X, V, STEP = 0.7, np.array([0.3, -0.4, 0.9]), 1e-6


def slopes(f):
    """The derivatives by x and by the items of v, by central differences."""
    by_v = [(f(X, V + e) - f(X, V - e)) / (2.0 * STEP) for e in STEP * np.eye(3)]
    return np.array([(f(X + STEP, V) - f(X - STEP, V)) / (2.0 * STEP), *by_v])


@pytest.mark.parametrize("first", SEEDS)
def test_what_a_list_holds(first: int, tmp_path) -> None:
    agreed = 0
    for seed in range(first, first + EACH):
        file = tmp_path / f"held_{seed}.py"
        file.write_text(HEAD + held_text(seed), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        expected = slopes(module.f)
        try:
            _, slope = jvp(module.f, (X, V.copy()), (1.0, np.ones(3)))
            np.testing.assert_allclose(slope, expected.sum(), rtol=1e-5, atol=1e-6, err_msg=held_text(seed))
            by_x, by_v = grad(module.f, wrt=(0, 1))(X, V.copy())
        except (NotDifferentiable, UnsupportedSyntax):
            continue
        np.testing.assert_allclose([by_x, *by_v], expected, rtol=1e-5, atol=1e-6, err_msg=held_text(seed))
        agreed += 1
    assert agreed > EACH / 2  # the others mix what has an adjoint of its own with what has none
