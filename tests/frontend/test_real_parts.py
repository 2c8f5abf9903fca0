"""Powers of negative floats of Python are complex: what is real about them is refused, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import NotDifferentiable, grad, jvp

FUNCTIONS = [
    lambda x: ((x - 2.0) ** 0.5).imag,
    lambda x: (2.0 * (x - 2.0) ** x + 1.0).real,
    lambda x: np.imag(pow(x - 2.0, 0.5)),
    lambda x: np.real((x - 2.0) ** 1.5),
    lambda x: np.angle((x - 2.0) ** 0.5) + x,
    lambda x: np.abs((x - 2.0) ** 0.5),
    lambda x: abs((x - 2.0) ** 0.5),
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=range(len(FUNCTIONS)))
def test_a_complex_power(f: Any) -> None:
    with pytest.raises(NotDifferentiable, match="a power of a negative number is complex") as caught:
        grad(f)(0.7)
    assert caught.value.lineno
    with pytest.raises(NotDifferentiable, match="a power of a negative number is complex"):
        jvp(f, (0.7,), (1.0,))
    assert np.isfinite(grad(f)(2.7))


def test_what_cannot_be_complex_is_not_checked() -> None:
    for f in (lambda x: abs(x**2) + abs(x) ** 0.5, lambda x: np.abs(x**3.0), lambda x: abs(np.sqrt(x))):
        assert "complex" not in grad(f).source_for(0.7)


def test_compiled_powers_are_of_floats() -> None:
    f = FUNCTIONS[-1]
    assert np.isnan(grad(f, backend="numba")(0.7))
    assert grad(f, backend="numba")(2.7) == pytest.approx(0.5 / 0.7**0.5)
