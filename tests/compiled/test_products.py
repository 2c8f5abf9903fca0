"""Products of matrices that are added to what is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import jvp, structure, value_and_grad
from s2sad.compiled.products import products_added
from s2sad.ir.printer import show
from s2sad.loops import lower_to_loops
from s2sad.runtime.helpers import add_product
from tests.ir.reader import read
from tests.programs.differences import gradient

pytest.importorskip("numba")

ADDED = """
def f(w: float64[2]#1, x: float64[2]#2, b: float64[2]#3, n: int):
    for i in range(0, n):
        {0}
        p: float64[2]#4 = x @ b
        {1}
        {2}[...] += p
    return w
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize("before, between", [("", ""), ("b[...] = 1.0", ""), ("", "w[...] *= 2.0")])
def test_a_product_that_is_only_added(before: str, between: str) -> None:
    text = show(products_added(read(ADDED.format(before, between, "w"))))
    assert "add_product(w, x, b)" in text and "@" not in text


@pytest.mark.parametrize(
    "before, between, target",
    [
        ("", "b[...] = 1.0", "w"),
        ("", "q = p * 2.0", "w"),
        ("", "for j in range(0, n):\n            x[...] *= 2.0", "w"),
        ("z: float64[2]#5 = np.zeros_like(w)", "", "z"),
        ("z: float64[2]#5 = np.zeros_like(w)", "v: float64[2]#5 = np.transpose(z)", "v"),
        ("v: float64[2]#3 = np.transpose(b)", "", "v"),
    ],
)
def test_products_that_are_not(before: str, between: str, target: str) -> None:
    """What they are made of changes, they are used twice, are added to zeros, or to what they are made of."""
    function = read(ADDED.format(before, between, target))
    assert products_added(function) is function


def test_few_terms_are_written_out() -> None:
    function = read("""
def f(w: float64[2]#1, b: float64[2]#2):
    s = make_tuple(3, 2)
    x: float64[2]#3 = np.ones(s)
    x[...] *= 2.0
    add_product(w, x, b)
    return w
""")
    text = show(lower_to_loops(function, equal_lengths=True))
    assert "add_product" not in text and "@" not in text and text.count("+=") == 1


def test_few_terms_for_an_array_that_is_not_known() -> None:
    """Where the sum itself is not lowered, it is there all the same."""
    function = read("""
def f(w: any[2]#1, b: float64[2]#2):
    s = make_tuple(3, 2)
    x: float64[2]#3 = np.ones(s)
    x[...] *= 2.0
    add_product(w, x, b)
    return w
""")
    text = show(lower_to_loops(function, equal_lengths=True))
    assert "add_product" in text or "w[...] += " in text


@pytest.mark.parametrize("terms", [0, 1, 2, 3, 4, 9])
@pytest.mark.parametrize("rows, columns", [(3, 4), (1, 4), (3, 1), (0, 4), (1, 1)])
def test_the_sum(terms: int, rows: int, columns: int) -> None:
    rng = np.random.default_rng(0)
    a, b, target = (rng.normal(size=s) for s in ((rows, terms), (terms, columns), (3, 4)))
    if rows == 0:
        target = target[:0]
    expected = target + a @ b
    add_product(target, a, b)
    np.testing.assert_allclose(target, expected, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("shapes", [((3, 2), (1, 4)), ((3, 2), (3, 4)), ((2, 2), (2, 4)), ((3, 2), (2, 3))])
def test_what_does_not_fit(shapes: tuple[tuple[int, int], tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match=r"lengths|broadcast|mismatch|incompatible"):
        add_product(np.zeros((3, 4)), *map(np.ones, shapes))


def recurrent(w, v, xs):
    """A recurrent layer of a batch, its weights in a list."""
    h = np.zeros((xs.shape[1], w[0].shape[0]))
    for t in range(len(xs)):
        for k in range(len(w)):
            h = np.tanh(h @ w[k] + xs[t] @ v)
    return np.sum(h**2)


def accumulated(w, x, b):
    """Products added in the function itself, one of which is stretched."""
    for _ in range(3):
        w += x @ b
        w += x[:1] @ b
        w += np.sin(w) @ np.cos(b.T @ b) / 10.0
    return np.sum(np.sin(w))


RNG = np.random.default_rng(1)
CASES: dict[str, tuple[Callable[..., Any], Callable[[int], tuple[Any, ...]]]] = {
    "recurrent": (
        recurrent,
        lambda m: ([RNG.normal(size=(3, 3)) for _ in range(2)], RNG.normal(size=(2, 3)), RNG.normal(size=(4, m, 2))),
    ),
    "accumulated": (
        lambda w, x, b: accumulated(w.copy(), x, b),
        lambda m: (RNG.normal(size=(4, m)), RNG.normal(size=(4, 5)), RNG.normal(size=(5, m))),
    ),
}


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("case", CASES)
def test_programs(case: str, size: int) -> None:
    function, make = CASES[case]
    args = make(size)
    compiled = value_and_grad(function, wrt=(0, 1, 2), backend="numba")
    expected = value_and_grad(function, wrt=(0, 1, 2))(*args)
    for a, b in zip(*map(structure.leaves, (compiled(*args), expected)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    if case == "recurrent":
        assert "_add_product(" in str(compiled.source_for(*args))


@pytest.mark.parametrize(
    "first, second",
    [((2, 3, 3), (3, 3, 3)), ((3, 3, 3), (2, 3, 3)), ((2, 2, 3, 3), (3, 3, 3)), ((2, 3, 3), (2, 1, 3, 3, 3))],
)
def test_stacks_that_do_not_fit(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    """Where only the value is asked for, nothing but the product itself can tell."""
    args = np.ones(first), np.ones(second)
    with pytest.raises(ValueError, match="broadcast"):
        jvp(lambda x, y: x @ y, args, args, backend="numba")


@pytest.mark.parametrize("first, second", [((2, 2, 3), (2, 2, 3)), ((2, 2, 2), (2, 3, 2)), ((2, 9, 9), (2, 8, 9))])
def test_matrices_of_stacks_that_do_not_fit(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    args = np.ones(first), np.ones(second)
    with pytest.raises(ValueError, match="matmul"):
        jvp(lambda x, y: x @ y, args, args, backend="numba")


@pytest.mark.parametrize("first, second", [((0, 2, 3), (3, 4)), ((2, 3, 0), (2, 0, 4)), ((2, 2, 1, 2, 3), (3, 4))])
def test_stacks_of_any_size(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    def f(x, y):
        return np.sum(np.sin(x @ y))

    rng = np.random.default_rng(2)
    args = rng.normal(size=first), rng.normal(size=second)
    found = value_and_grad(f, wrt=(0, 1), backend="numba")(*args)
    expected = value_and_grad(f, wrt=(0, 1))(*args)
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


def by_parts(a: Any, v: Any, stack: Any, n: int) -> Any:
    """Vectors with matrices that lie in others: rows, columns, every other one, transposed, and one of a stack."""
    found = a[1:, 1:] @ v[1:] + v[1:] @ a[1:, 1:]
    for k in range(1, n):
        part = a[k:, k:]
        row = v[k:] @ part
        found[k - 1 :] += row * (part.T @ v[k:])
    every = a[:, ::2] @ v[::2] + v[::2] @ a[::2, :]
    whole = stack[1] @ v + stack[:, 1] @ v[:4] * 0.5
    return np.sum(found**2) + np.sum(every * v) + np.sum(np.sin(whole))


RNG = np.random.default_rng(5)
PARTS = (RNG.standard_normal((4, 4)), RNG.standard_normal(4), RNG.standard_normal((4, 4, 4)), 4)


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray], ids=["rows", "columns"])
def test_products_with_parts_of_matrices(layout: Callable[[Any], Any]) -> None:
    args = (layout(PARTS[0]), *PARTS[1:])
    value, found = value_and_grad(by_parts, wrt=(0, 1, 2), backend="numba")(*args)
    np.testing.assert_allclose(value, by_parts(*args), rtol=1e-13)
    for g, expected in zip(found, gradient(by_parts, args, (0, 1, 2)), strict=True):
        np.testing.assert_allclose(g, expected, rtol=1e-6, atol=1e-7)


def reflected(a: Any, n: int) -> Any:
    """Reflections of what is left of a matrix, column by column, as in a factorisation."""
    for k in range(n):
        v = a[k:, k] / (1.0 + np.sum(a[k:, k] ** 2))
        a[k:, k:] -= 2.0 * np.outer(v, v @ a[k:, k:])
    return np.sum(a)


def test_no_part_is_copied_for_a_product() -> None:
    a = RNG.standard_normal((5, 4))
    derived = value_and_grad(reflected, backend="numba")
    text = derived.source_for(a, 4)
    code = [line for line in text.splitlines() if not line.strip().startswith("#")]
    assert not any(" @ a[" in line or " @ part" in line for line in code)
    expected = gradient(reflected, (a, 4), (0,))[0]
    np.testing.assert_allclose(derived(a, 4)[1], expected, rtol=1e-6, atol=1e-7)


def contracted(a, b, c):
    """Sums of products over axes in every place."""
    last_first = np.tensordot(a, b, axes=1)
    two = np.tensordot(a, c, axes=([1, 2], [2, 0]))
    first_last = np.tensordot(b, a, axes=([1], [0]))
    all_but_one = np.tensordot(a, np.tensordot(b, c, axes=([0], [0])), axes=([0, 1], [0, 2]))
    nothing_left = np.tensordot(a, c, axes=([0, 1, 2], [1, 2, 0]))
    stack = np.dot(b, c)
    parts = np.sum(np.sin(last_first)) + np.sum(two**2) + np.sum(np.cos(first_last)) + np.sum(stack**3)
    return parts + np.sum(np.sin(all_but_one)) + nothing_left**2


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 0, 4), (2, 1, 1)])
def test_contractions(shape: tuple[int, int, int]) -> None:
    n, m, k = shape
    args = tuple(np.sin(1.0 + np.arange(float(np.prod(s)))).reshape(s) for s in ((n, m, k), (k, n), (k, n, m)))
    expected = structure.leaves(value_and_grad(contracted, wrt=(0, 1, 2))(*args))
    found = structure.leaves(value_and_grad(contracted, wrt=(0, 1, 2), backend="numba")(*args))
    for a, b in zip(found, expected, strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def test_contractions_are_products_of_matrices() -> None:
    def mixed(a: Any, b: Any) -> Any:
        return np.sum(np.tensordot(a, b, axes=([1], [0])) ** 2)

    source = value_and_grad(mixed, wrt=(0, 1), backend="numba").source_for(np.ones((2, 3, 4)), np.ones((3, 5)))
    assert source.count(" @ ") == 3


def axes_moved_by_labels(x):
    return np.sum(np.einsum("...k->k...", x)[1] ** 2) + np.sum(np.einsum("ijk->jki", x)[2] * x[0, 0, 0])


def test_labels_that_only_move_axes() -> None:
    x = np.random.default_rng(5).standard_normal((2, 3, 4))
    value, slope = value_and_grad(axes_moved_by_labels, backend="numba")(x)
    np.testing.assert_allclose(value, axes_moved_by_labels(x))
    np.testing.assert_allclose(slope, gradient(axes_moved_by_labels, (x,), (0,))[0], rtol=1e-6, atol=1e-8)


def shared_along_an_axis(x, w):
    return np.sum(np.einsum("mnd,mdo->mno", x, w) ** 2)


def diagonal_times(x, w):
    return np.sum(np.einsum("ii,ij->j", x, w) ** 2)


def dotted(x, w):
    return np.sum(np.dot(x, w) ** 2)


def over_two_axes(x, w):
    return np.sum(np.tensordot(x, w, axes=([1, 2], [0, 1])) ** 2)


@pytest.mark.parametrize(
    "shapes",
    [((1, 4, 2), (3, 2, 5)), ((3, 4, 2), (1, 2, 5)), ((3, 4, 1), (3, 2, 5)), ((3, 4, 2), (3, 1, 5)), ((3, 4, 2),) * 2],
)
def test_an_axis_of_length_one_under_the_letter_of_a_longer_one(shapes: tuple[tuple[int, ...], ...]) -> None:
    rng = np.random.default_rng(7)
    x, w = (rng.standard_normal(shape) for shape in shapes)
    compiled = value_and_grad(shared_along_an_axis, wrt=(0, 1), backend="numba")
    if shapes[0] == shapes[1]:  # 2 and 4 do not meet
        with pytest.raises(ValueError, match="broadcast together"):
            compiled(x, w)
        return
    value, slopes = compiled(x, w)
    np.testing.assert_allclose(value, shared_along_an_axis(x, w), rtol=1e-13)
    for slope, expected in zip(slopes, gradient(shared_along_an_axis, (x, w), (0, 1)), strict=True):
        assert slope.shape == expected.shape
        np.testing.assert_allclose(slope, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    "function, shapes",
    [
        (diagonal_times, ((2, 3), (3, 4))),
        (dotted, ((2, 3), (2, 4, 5))),
        (dotted, ((2, 1), (2, 4, 5))),
        (over_two_axes, ((5, 2, 6), (4, 3, 2))),
        (over_two_axes, ((5, 1, 3), (4, 3, 2))),
    ],
)
def test_axes_that_a_product_adds_up_over_are_as_long_as_each_other(
    function: Callable[..., Any], shapes: tuple[tuple[int, ...], ...]
) -> None:
    x, w = (np.ones(shape) for shape in shapes)
    for run in (function, value_and_grad(function, wrt=(0, 1), backend="numba")):
        with pytest.raises(ValueError):
            run(x, w)


def einsum_of(subscripts):
    """A program that adds up ``np.einsum`` of two arrays."""
    programs = {
        "nd,hde->hne": lambda x, y: np.sum(np.einsum("nd,hde->hne", x, y) ** 2),
        "bij,bjk->bik": lambda x, y: np.sum(np.einsum("bij,bjk->bik", x, y) ** 2),
        "bhnd,bhmd->bhnm": lambda x, y: np.sum(np.einsum("bhnd,bhmd->bhnm", x, y) ** 2),
        "ibj,kjb->kbi": lambda x, y: np.sum(np.einsum("ibj,kjb->kbi", x, y) ** 2),
        "ij,kj": lambda x, y: np.sum(np.einsum("ij,kj", x, y) ** 2),
        "ijk,jkl->li": lambda x, y: np.sum(np.einsum("ijk,jkl->li", x, y) ** 2),
        "bi,bi->b": lambda x, y: np.sum(np.einsum("bi,bi->b", x, y) ** 2),
        "bij,bj->bi": lambda x, y: np.sum(np.einsum("bij,bj->bi", x, y) ** 2),
        "ii,ij->ij": lambda x, y: np.sum(np.einsum("ii,ij->ij", x, y) ** 2),
        "ij,jk->k": lambda x, y: np.sum(np.einsum("ij,jk->k", x, y) ** 2),
        "...ij,...jk->...ik": lambda x, y: np.sum(np.einsum("...ij,...jk->...ik", x, y) ** 2),
    }
    return programs[subscripts]


EINSUMS = {
    "nd,hde->hne": ("nd", "hde"),
    "bij,bjk->bik": ("bij", "bjk"),
    "bhnd,bhmd->bhnm": ("bhnd", "bhmd"),
    "ibj,kjb->kbi": ("ibj", "kjb"),
    "ij,kj": ("ij", "kj"),
    "ijk,jkl->li": ("ijk", "jkl"),
    "bi,bi->b": ("bi", "bi"),
    "bij,bj->bi": ("bij", "bj"),
    "ii,ij->ij": ("ii", "ij"),
    "ij,jk->k": ("ij", "jk"),
    "...ij,...jk->...ik": ("bhij", "bhjk"),
}


def operands_of(subscripts: str, lengths: dict[str, int], order: str = "C") -> list[np.ndarray]:
    """Arrays for the labels of a program."""
    shapes = [[lengths.get(c, 3) for c in term] for term in EINSUMS[subscripts]]
    return [np.asarray(np.random.default_rng(k).normal(size=s), order=order) for k, s in enumerate(shapes)]


def agree_on(f: Callable[..., Any], args: list[np.ndarray], tolerance: float = 1e-13) -> None:
    """Both tiers agree in both modes."""
    moved = tuple(np.cos(a).astype(a.dtype) for a in args)
    found = value_and_grad(f, wrt=(0, 1), backend="numba")(*args), jvp(f, tuple(args), moved, backend="numba")
    expected = value_and_grad(f, wrt=(0, 1))(*args), jvp(f, tuple(args), moved)
    for a, e in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        assert np.asarray(a).dtype == np.asarray(e).dtype and np.shape(a) == np.shape(e)
        np.testing.assert_allclose(a, e, rtol=tolerance, atol=tolerance * np.max(np.abs(e), initial=1.0))


@pytest.mark.parametrize("subscripts", EINSUMS)
def test_contractions_of_two_arrays(subscripts: str) -> None:
    f = einsum_of(subscripts)
    labels = dict(zip("abcdefhijklmn", range(2, 15), strict=True))
    for lengths in ({}, labels, dict.fromkeys("bij", 1), dict.fromkeys("jd", 0), dict.fromkeys("bn", 0)):
        agree_on(f, operands_of(subscripts, {**lengths, "h": 2}))
    agree_on(f, [a[..., ::-1] for a in operands_of(subscripts, labels, "F")])


@pytest.mark.parametrize("subscripts", ["nd,hde->hne", "bij,bjk->bik", "ij,kj"])
def test_contractions_in_single_precision(subscripts: str) -> None:
    agree_on(einsum_of(subscripts), [a.astype(np.float32) for a in operands_of(subscripts, {"i": 9, "k": 8})], 2e-6)


def test_contractions_that_stretch_an_axis() -> None:
    x, y = operands_of("bij,bjk->bik", {"b": 4})
    agree_on(einsum_of("bij,bjk->bik"), [x[:1], y])
    agree_on(einsum_of("bij,bjk->bik"), [x, y[:, :1]])


def test_contractions_of_many_heads_call_blas() -> None:
    args = operands_of("bhnd,bhmd->bhnm", {})
    text = value_and_grad(einsum_of("bhnd,bhmd->bhnm"), wrt=(0, 1), backend="numba").source_for(*args)
    assert "_matmul_stacked(" in text
