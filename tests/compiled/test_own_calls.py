"""Calls that become instructions where they stand: what they give is what Numba's implementations give."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from numba import njit
from numba.core import event

from s2sad.compiled import own_calls
from s2sad.compiled.machine import DerivativeCompiler

pytestmark = pytest.mark.filterwarnings("ignore:.*faster on contiguous arrays")

RNG = np.random.default_rng(5)
WIDE = RNG.normal(size=(8, 12))


def product(a: Any, b: Any) -> Any:
    return a @ b


def dotted(a: Any, b: Any) -> Any:
    return np.dot(a, b)


def larger(n: Any, m: Any) -> Any:
    pair = n, m
    return max(n, m, 3), min(0, n, m), int(n > m), int(m), max(*pair), min(1, *pair)


def extremes(x: Any, y: Any) -> Any:
    return np.maximum(x, y), np.minimum(x, y), np.maximum(y, x), np.minimum(x, 1), np.maximum(0, x)


def largest(x: Any) -> Any:
    total = -np.inf
    for i in range(x.shape[0]):
        total = np.maximum(total, x[i])
    return total


def ours(f: Callable[..., Any]) -> Any:
    return njit(pipeline_class=DerivativeCompiler)(f)


def compiled_by_numba(f: Callable[..., Any], *args: Any) -> set[str]:
    """The functions that are compiled to make the machine code of one."""
    with event.install_recorder("numba:run_pass") as recorder:
        ours(f)(*args)
    names = {e.data["name"].partition(" [")[2] for _, e in recorder.buffer}
    assert any(f.__name__ in name for name in names)
    return names


def same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            same(a, b)
    else:
        np.testing.assert_array_equal(found, expected)
        assert np.asarray(found).dtype == np.asarray(expected).dtype


FACTORS = [
    (WIDE[:3, :4], WIDE[:4, :5]),
    (WIDE[:3, :4].copy(), np.asfortranarray(WIDE[:4, :5])),
    (np.asfortranarray(WIDE[:3, :4]), WIDE[:4, :5].copy()),
    (WIDE[::-2, ::3], WIDE[:4]),
    (WIDE[:1, :4].copy(), WIDE[:4, :5].copy()),
    (WIDE[:3, :4].copy(), WIDE[:4, :1].copy()),
    (WIDE[:1, :4].copy(), WIDE[:4, :1].copy()),
    (WIDE[:3, :4].copy(), WIDE[0, :4]),
    (WIDE.T, WIDE[:, 3]),
    (WIDE[0, :8], WIDE),
    (np.asfortranarray(WIDE)[0, :8], np.asfortranarray(WIDE)),
    (np.zeros((3, 0)), np.zeros((0, 2))),
    (np.zeros((0, 3)), np.zeros((3, 2))),
    (np.zeros((3, 0)), np.zeros(0)),
    (np.zeros(0), np.zeros((0, 2))),
]


@pytest.mark.parametrize("factors", FACTORS)
@pytest.mark.parametrize("f", [product, dotted])
def test_products_are_those_of_numba(f: Callable[..., Any], factors: tuple[Any, Any]) -> None:
    found, expected = ours(f)(*factors), njit(f)(*factors)
    same(found, expected)
    np.testing.assert_allclose(found, f(*factors), rtol=1e-13, atol=1e-14)


@pytest.mark.filterwarnings("error")
def test_products_of_single_precision() -> None:
    """Of parts of matrices too, without Numba's warning that these are copied."""
    a = WIDE.astype(np.float32)
    found = ours(product)(a[:, 1:4], a.T[:3, ::2])
    np.testing.assert_allclose(found, a[:, 1:4] @ a.T[:3, ::2], rtol=1e-5, atol=1e-5)
    assert found.dtype == ours(product)(a[:, 0], a[:, 1:]).dtype == np.float32


@pytest.mark.parametrize(
    "factors", [(np.ones((2, 3)), np.ones((2, 3))), (np.ones((2, 3)), np.ones(2)), (np.ones(3), np.ones((2, 3)))]
)
def test_factors_that_do_not_fit_raise(factors: tuple[Any, Any]) -> None:
    with pytest.raises(ValueError, match="incompatible array sizes"):
        ours(product)(*factors)


@pytest.mark.parametrize(("n", "m"), [(1, 2), (-4, 9), (5, -(2**63)), (2**63 - 1, 0)])
def test_integers(n: int, m: int) -> None:
    same(ours(larger)(n, m), larger(n, m))


@pytest.mark.parametrize("x", [1.5, -2.0, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("y", [0.5, -np.nan, -np.inf])
def test_extremes(x: float, y: float) -> None:
    same(ours(extremes)(x, y), njit(extremes)(x, y))
    np.testing.assert_array_equal(ours(extremes)(x, y), extremes(x, y))


def test_the_largest_of_many_is_found_in_vector_code() -> None:
    x = RNG.normal(size=103)
    compiled = ours(largest)
    assert compiled(x) == np.max(x)
    for k in (0, 50, 102):
        assert np.isnan(compiled(np.where(np.arange(103) == k, np.nan, x)))
    if own_calls.binding.llvm_version_info >= own_calls._WITH_NAN:
        assert any("llvm.vector.reduce.fmaximum" in text for text in compiled.inspect_llvm().values())


def test_numba_compiles_none_of_them() -> None:
    names = compiled_by_numba(lambda a, n: max(n, 1) * (a @ a)[int(n > 2), min(n, 0)], np.eye(3), 3)
    theirs = [n for n in names if n.startswith(("ol_", "dot_"))]
    assert [n for n in theirs if "check_args" not in n] == []  # that is part of the instructions, compiled once for all


def test_other_types_are_left_to_numba() -> None:
    a = WIDE[:3, :4].astype(np.float32)
    same(ours(product)(a * 1j, a.T * 1j), njit(product)(a * 1j, a.T * 1j))
    same(ours(product)(a[0], a[1]), njit(product)(a[0], a[1]))
    same(ours(larger)(True, 2), njit(larger)(True, 2))
    same(ours(extremes)(a[0, 0], a[0, 1]), njit(extremes)(a[0, 0], a[0, 1]))
    same(ours(extremes)(a[0], a[1]), njit(extremes)(a[0], a[1]))
    assert ours(lambda x, y: max(x, y))(1.5, 2) == 2.0
    assert ours(lambda x: int(x))(1.7) == 1


def test_without_numbas_instructions_calls_are_numbas(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.np import linalg

    own_calls._are_there.cache_clear()
    monkeypatch.delattr(linalg, "make_contiguous")
    try:
        assert not own_calls._are_there()
        context = object()
        assert own_calls.of_own_calls(context) is context
    finally:
        own_calls._are_there.cache_clear()


@pytest.mark.parametrize("factors", FACTORS)
def test_no_memory_is_kept(factors: tuple[Any, Any]) -> None:
    from numba.core.runtime import _nrt_python, rtsys

    def work(a: Any, b: Any) -> Any:
        return np.sum(a @ b)

    compiled = ours(work)
    compiled(*factors)
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        compiled(*factors)
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert 0 < after.alloc - before.alloc == after.free - before.free


@pytest.mark.skipif(sys.platform != "linux", reason="large pages are asked for on Linux")
def test_large_arrays_are_asked_for_by_large_pages() -> None:
    def filled(n: Any) -> Any:
        a = np.empty((n, n))
        for i in range(n):
            for j in range(n):
                a[i, j] = i - j
        return a, a @ a[0]

    compiled = ours(filled)
    for n in (3, 724, 725):  # 4 MiB are between the last two
        same(compiled(n), njit(filled)(n))
    assert any("@madvise(" in text for text in compiled.inspect_llvm().values())
