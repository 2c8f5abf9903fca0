"""What a function stores last, and its reverse sweep undoes before anybody reads it, is not computed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad
from tests.programs.differences import gradient

RNG = np.random.default_rng(3)


def scaled_product(c: Any, a: Any, b: Any, alpha: Any, beta: Any) -> Any:
    """``C = beta C + alpha A B``, in place."""
    c[:] = alpha * a @ b + beta * c
    return np.sum(c)


def lower_products(c: Any, a: Any, b: Any, alpha: Any, beta: Any) -> Any:
    """The lower half of such a sum, row by row."""
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * b[k, : i + 1]
    return np.sum(c)


def read_once_more(c: Any, a: Any, b: Any, alpha: Any, beta: Any) -> Any:
    """The new values are read by what is not linear in them."""
    c[:] = alpha * a @ b + beta * c
    return np.sum(c**2)


ARGUMENTS = (RNG.standard_normal((4, 5)), RNG.standard_normal((4, 3)), RNG.standard_normal((3, 5)), 0.7, -1.3)
EVERY = tuple(range(5))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("f", [scaled_product, lower_products, read_once_more])
def test_derivatives(f: Any, backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    found = grad(f, wrt=EVERY, backend=backend)(*ARGUMENTS)
    for g, expected in zip(found, gradient(f, ARGUMENTS, EVERY), strict=True):
        np.testing.assert_allclose(g, expected, rtol=1e-6, atol=1e-8)


def test_the_last_product_is_not_computed() -> None:
    pytest.importorskip("numba")
    text = grad(scaled_product, wrt=EVERY, backend="numba").source_for(*ARGUMENTS)
    assert text.count(" @ ") - text.count("# c[:] = alpha * a @ b") == 2  # those of the adjoints


def test_nothing_is_stored_into_the_argument() -> None:
    for f in (scaled_product, lower_products):
        text = grad(f, wrt=EVERY).source_for(*ARGUMENTS)
        assert "    c = c.copy()" not in text and "    c[" not in text.replace("# c[", "")


def test_what_is_read_is_stored() -> None:
    assert "    c = c.copy()" in grad(read_once_more, wrt=EVERY).source_for(*ARGUMENTS)
