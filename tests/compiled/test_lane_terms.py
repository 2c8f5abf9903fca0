"""Sums over terms, many of them at a time: the same as one after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hvp, value_and_grad, vjp
from s2sad.compiled import lane_costs
from s2sad.structure import leaves

pytest.importorskip("numba")

#: No terms, one, fewer than are done side by side, as many, a few over 64 and over 128.
SIZES = (0, 1, 7, 8, 66, 131)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms are done side by side wherever they can be, whether that pays or not."""
    monkeypatch.setattr(lane_costs, "WORTH", -1.0)


def network(w, x):
    """Private arrays, and elementary functions in loops."""
    total = 0.0
    for i in range(len(x)):
        h = np.zeros(len(w))
        for k in range(len(w)):
            s = 0.1 * k
            for j in range(x.shape[1]):
                s += w[j] * x[i, j]
            h[k] = np.tanh(s)
        score = 0.0
        for k in range(len(w)):
            score += h[k] * w[k]
        total += (score - 1.0) ** 2
    return total


def paths(w, x):
    """A recurrence along each row, and a term for some of them."""
    total = 0.0
    for i in range(len(x)):
        s = 1.0
        for j in range(x.shape[1]):
            s = s * np.exp(w[0] * x[i, j] - 0.5 * w[1] ** 2)
        if s > 1.0:
            total += s - 1.0
    return total


def sums_of_sums(w, x):
    """Terms that are added one by one in a loop, to two sums, and taken off."""
    total = other = 0.0
    for i in range(len(x)):
        for j in range(x.shape[1]):
            s = np.tanh(w[j] * x[i, j])
            total += s * s
            other -= w[j] * s
    return total - 3.0 * other


def branches(w, x):
    """Branches that some terms take, with loops within, one in another, and terms left out."""
    total = 0.0
    for i in range(len(x)):
        s = 0.0
        for j in range(x.shape[1]):
            v = x[i, j] * w[j]
            if v > 0.3:
                if v > 0.9:
                    s += np.log(v)
                else:
                    s += v * v
            elif v < -0.3:
                for k in range(3):
                    s -= v * w[k % len(w)]
        if s < 0.0:
            continue
        total += np.sqrt(s + 1.0)
    return total


def nearest(w, x):
    """Numbers, integers and flags that branches choose, and items at places that differ."""
    total = 0.0
    for i in range(len(x)):
        best, at, found = 1e9, 0, False
        for k in range(len(w)):
            d = (x[i, 0] - w[k]) ** 2
            if d < best:
                best, at = d, k
            if not found and d < 0.5:
                found = True
                total += w[k]
        total += w[at] * np.exp(-best)
    return total


def pairs(w, x):
    """What terms add to rows of their own, and of others."""
    energy = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j:
                r = w[0] ** 2
                for k in range(x.shape[1]):
                    r += (x[i, k] - x[j, k]) ** 2
                energy += 1.0 / np.sqrt(r)
    return energy


def histories(w, x):
    """Lists of numbers, and of arrays, that each term makes."""
    total = 0.0
    for i in range(len(x)):
        row, seen, s = x[i].copy(), [], 1.0
        rows = [row]
        for j in range(x.shape[1]):
            s = np.tanh(s * w[j] + row[j])
            seen.append(s)
            rows.append(rows[-1] * s)
        for s in seen:
            total += s * s
        total += rows[2][0] * rows[-1][1]
    return total


def weights(w, x):
    """A softmax over classes, with the largest found first."""
    total = 0.0
    for i in range(len(x)):
        scores = np.zeros(3)
        for c in range(3):
            for j in range(x.shape[1]):
                scores[c] += (c + 1) * w[j] * x[i, j]
        top = np.max(scores)
        total += np.log(np.sum(np.exp(scores - top))) + top - scores[i % 3]
    return total


def from_the_third(w, x):
    """A loop that does not begin at zero, and uses its index."""
    total = 1.0
    for i in range(2, len(x)):
        s = 0.0
        for j in range(x.shape[1]):
            s += w[j] * x[i - 1, j] * np.exp(-x[i, j] ** 2)
        total += i * s
    return total


def one_in_a_hundred(w, x):
    """What is not there is not looked at where no term asks for it."""
    total = 0.0
    for i in range(len(x)):
        s = 0.0
        if x[i, 0] > 100.0:
            for j in range(len(w) + 3):
                s += w[j]
        for j in range(len(w)):
            s += w[j] * x[i, j]
        total += np.exp(-s * s)
    return total


def twice_around(w, x):
    """A loop that counts down past zero comes to each place twice, in an order that matters."""
    total, n = 0.0, len(w)
    for i in range(len(x)):
        h = np.zeros(n)
        for k in range(n - 1, -n - 1, -1):
            h[k] = h[k] * 0.5 + np.sin(w[k] * x[i, 0] * (k + 1))
        for k in range(n):
            total += h[k] ** 2
    return total


PROGRAMS = [
    network, paths, sums_of_sums, branches, nearest, pairs, histories, weights, from_the_third, one_in_a_hundred,
    twice_around,
]  # fmt: skip


def data(n: int, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    return rng.normal(size=d), rng.normal(size=(n, d))


def agree(actual: Any, expected: Any) -> None:
    for a, b in zip(leaves(actual), leaves(expected), strict=True):
        scale = np.max(np.abs(b), initial=1.0)
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13 * scale)


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_one_after_the_other(f: Any, always: None) -> None:
    compiled, plain = (value_and_grad(f, wrt=(0, 1), backend=b) for b in ("numba", "python"))
    assert "for lane in range(lanes)" in compiled.source_for(*data(9))
    for n in SIZES:
        agree(compiled(*data(n)), plain(*data(n)))


@pytest.mark.parametrize("f", [network, branches, histories])
def test_layouts_of_data(f: Any, always: None) -> None:
    w, x = data(70)
    compiled, plain = (grad(f, wrt=(0, 1), backend=b) for b in ("numba", "python"))
    for rows in (np.asfortranarray(x), x[::-1], np.repeat(x, 2, axis=1)[:, ::2]):
        agree(compiled(w, rows), plain(w, rows))


def test_nans_stay_in_their_terms(always: None) -> None:
    w, x = data(70)
    x[3], x[40, 1] = np.nan, np.inf
    with np.errstate(all="ignore"):
        here, there = (grad(network, wrt=1, backend=b)(w, x) for b in ("numba", "python"))
    np.testing.assert_array_equal(np.isnan(here), np.isnan(there))
    fine = ~np.isnan(there)
    np.testing.assert_allclose(here[fine], there[fine], rtol=1e-11)


def test_errors_of_terms_that_ask_for_what_is_not_there(always: None) -> None:
    w, x = data(20)
    x[15, 0] = 200.0
    with pytest.raises(IndexError):
        grad(one_in_a_hundred, backend="numba")(w, x)


def test_pullbacks_and_second_derivatives(always: None) -> None:
    w, x = data(70)
    (_, back), (_, plain) = (vjp(network, w, x, backend=b) for b in ("numba", "python"))
    agree(back(2.0), plain(2.0))
    v = np.linspace(-1.0, 1.0, 4)
    agree(hvp(network, backend="numba")(w, x, v), hvp(network)(w, x, v))


def test_lists_of_rows(always: None) -> None:
    def likelihood(w, rows, labels):
        total = 0.0
        for row, label in zip(rows, labels):
            score = sum(a * b for a, b in zip(w, row))
            total += np.log(1.0 + np.exp(-label * score))
        return total

    w, x = data(70)
    compiled, plain = (grad(likelihood, backend=b) for b in ("numba", "python"))
    labels = [1.0 if k % 3 else -1.0 for k in range(70)]
    for rows in (x.tolist(), [row[: 1 + k % 4] for k, row in enumerate(x.tolist())]):
        agree(compiled(w.tolist(), rows, labels), plain(w.tolist(), rows, labels))
    assert "for lane in range(lanes)" in compiled.source_for(w.tolist(), x.tolist(), labels)


def carried(w, x):
    """Each iteration goes on with what the one before has left."""
    total, h = 0.0, 0.1
    for i in range(len(x)):
        s = h
        for j in range(x.shape[1]):
            s += w[j] * np.tanh(x[i, j])
        h = 0.5 * s
        total += h
    return total


def of_many_steps(w, x):
    """How often a loop runs depends on the term."""
    total = 0.0
    for i in range(len(x)):
        s, k = abs(x[i, 0]), 0
        while s > 0.1 and k < 20:
            s, k = s * 0.5 * np.cos(w[0]), k + 1
        total += s * s
    return total


def read_again(w, x):
    """What an iteration stores is read by others."""
    total, out = 0.0, np.zeros(len(x) + 1)
    for i in range(len(x)):
        s = out[i]
        for j in range(x.shape[1]):
            s += w[j] * np.tanh(x[i, j])
        out[i + 1] = s
        total += s * s
    return total


def listed_by_some(w, x):
    """Lists are longer in some terms than in others."""
    total = 0.0
    for i in range(len(x)):
        seen = []
        for j in range(x.shape[1]):
            if x[i, j] > 0.0:
                s = 0.0
                for k in range(len(w)):
                    s += np.tanh(w[k] * x[i, j])
                seen.append(s)
        for s in seen:
            total += s * s
    return total


@pytest.mark.parametrize("f", [carried, of_many_steps, read_again, listed_by_some])
def test_what_stays_one_after_the_other(f: Any, always: None) -> None:
    compiled, plain = (value_and_grad(f, wrt=(0, 1), backend=b) for b in ("numba", "python"))
    assert "for lane in" not in compiled.source_for(*data(9))
    agree(compiled(*data(70)), plain(*data(70)))


def test_a_few_products_are_left_to_the_processor() -> None:
    def squares(w, x):
        total = 0.0
        for i in range(len(x)):
            s = 0.0
            for j in range(x.shape[1]):
                s += w[j] * x[i, j]
            total += s * s
        return total

    assert "for lane in" not in grad(squares, backend="numba").source_for(*data(9))
    assert "for lane in" in grad(network, backend="numba").source_for(*data(9))


def by_a_flag(w, x, flag):
    """The tape of the loop in a branch is made before the branch."""
    total = 0.0
    if flag:
        for i in range(len(x)):
            h = w[0]
            for _ in range(3):
                h = np.sin(h * x[i, 0])
            total += h
    else:
        for i in range(len(x)):
            total -= np.cos(w[1] * x[i, 1]) ** 2
    return total


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("n", SIZES)
def test_loops_in_branches(n: int, flag: bool, always: None) -> None:
    compiled, plain = (value_and_grad(by_a_flag, wrt=(0, 1), backend=b) for b in ("numba", "python"))
    assert "for lane in" in compiled.source_for(*data(9), flag)
    agree(compiled(*data(n), flag), plain(*data(n), flag))
