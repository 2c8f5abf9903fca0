"""np.polymul where the length of the product would change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad


def total(p: Any) -> Any:
    return np.sum(np.polymul(p, np.array([1.0, 2.0])) ** 2)


def test_a_polynomial_that_begins_with_zero_is_refused() -> None:
    p = np.array([0.0, 1.0, 2.0])
    for derived in (lambda: s2sad.grad(total)(p), lambda: s2sad.jvp(total, (p,), (p,))):
        with pytest.raises(NotImplementedError, match="begins with zero"):
            derived()


def test_a_number_may_be_zero() -> None:
    np.testing.assert_array_equal(s2sad.grad(total)(np.zeros(1)), [0.0])
