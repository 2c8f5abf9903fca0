"""The compiled tier: results as the Python tier's, refusals that name the place, options."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from s2sad.compiled.boundary import split
from s2sad.ir.nodes import Op
from s2sad.ir.rewrite import walk
from s2sad.runtime import helpers
from tests.ir.reader import read

pytest.importorskip("numba")

RATE = 2.0


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def wave(x, n):
    y = 0.5
    for k in range(n):
        y = y + x * math.sin(y) / (k + 1.0)
    return y


def nested(p, n):
    a, (b, c) = p["a"], p["rest"]
    for _ in range(n):
        a = a * b + c
    return a


def scaled(x):
    return RATE * x * x


def test_every_operator() -> None:
    assert grad(wave, backend="numba")(0.3, 5) == pytest.approx(grad(wave)(0.3, 5), rel=1e-14)
    assert value_and_grad(wave, backend="numba")(0.3, 5) == pytest.approx(value_and_grad(wave)(0.3, 5), rel=1e-14)
    assert jvp(wave, (0.3, 4), (1.0, None), backend="numba") == pytest.approx(jvp(wave, (0.3, 4), (1.0, None)))
    y, pullback = vjp(wave, 0.3, 4, backend="numba")
    assert (y, pullback(1.0)[0], pullback(2.0)[0]) == pytest.approx((y, grad(wave)(0.3, 4), 2.0 * grad(wave)(0.3, 4)))
    assert hessian(wave, backend="numba")(0.3, 4) == pytest.approx(hessian(wave)(0.3, 4))
    assert hvp(wave, backend="numba")(0.3, 4, 2.0) == pytest.approx(hvp(wave)(0.3, 4, 2.0))
    assert jacobian(wave, backend="numba")(0.3, 4) == pytest.approx(jacobian(wave)(0.3, 4))
    s2sad.check_grads(wave, backend="numba")(0.3, 4)


def test_structures_keep_their_shape() -> None:
    p = {"a": 0.5, "rest": (1.5, -1.0)}
    assert grad(nested, backend="numba")(p, 3) == grad(nested)(p, 3)


def test_keys_may_be_words_of_python() -> None:
    def f(p: Any) -> Any:
        return p["lambda"] ** 2 * p["in"] + p["1a"] * p["__debug__"] + p["x y"] * p["_in"]

    p = {"lambda": 2.0, "in": 3.0, "1a": 1.5, "__debug__": -1.0, "x y": 0.5, "_in": 4.0}
    assert grad(f, backend="numba")(p) == grad(f)(p)
    assert s2sad.jvp(f, (p,), (p,), backend="numba") == s2sad.jvp(f, (p,), (p,))
    assert s2sad.vjp(f, p, backend="numba")[1](1.0) == (grad(f)(p),)


def test_globals_are_read_live(monkeypatch: pytest.MonkeyPatch) -> None:
    g = grad(scaled, backend="numba")
    assert g(3.0) == 12.0
    monkeypatch.setitem(globals(), "RATE", 5.0)
    assert g(3.0) == 30.0


def test_what_numba_cannot_do_is_refused_with_its_place() -> None:
    def printed(x: float) -> float:
        y = x * x
        print(f"{y:.3f}")
        return y

    with pytest.raises(s2sad.CompileError) as caught:
        grad(printed, backend="numba")(2.0)
    assert caught.value.line.strip() == 'print(f"{y:.3f}")'


def test_refusals_of_pullbacks_have_a_place() -> None:
    def f(x, a, k):
        items = [x, a]
        return np.sum(items[k]) + np.sum(items[1] ** 2)

    with pytest.raises(s2sad.CompileError) as caught:
        s2sad.vjp(f, np.ones(2), np.ones((2, 2)), 0, backend="numba")
    assert caught.value.filename == __file__
    assert caught.value.lineno is not None


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32])
def test_small_integers_wrap_around(dtype: Any) -> None:
    def f(x, a):
        return x * np.sum(a * 3 - 7) + x * np.sum(-a) + x**2 * float(a[0] + a[1]) + np.sum(x * (a + 1))

    top = np.iinfo(dtype).max
    a = np.array([top - 2, 4, 1], dtype)
    with np.errstate(over="ignore"):
        expected = value_and_grad(f)(1.7, a)
    assert value_and_grad(f, backend="numba")(1.7, a) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda x: x * round(x, 2), (2.675,)),
        (lambda x, n: x * np.fmod(n, 3), (2.0, -7)),
        (lambda x, a: x * (a[0] + a[1]), (2.0, np.array([True, True]))),
    ],
)
def test_what_numba_does_otherwise_is_refused(f: Any, args: tuple[Any, ...]) -> None:
    with pytest.raises(s2sad.CompileError) as caught:
        grad(f, backend="numba")(*args)
    assert caught.value.lineno is not None


def test_a_negative_power_of_an_integer_is_no_integer() -> None:
    def f(x, n):
        total = x
        for _ in range(2**n):
            total = total * x
        return total

    g = grad(f, backend="numba")
    assert g(1.5, 2) == grad(f)(1.5, 2)
    with pytest.raises(s2sad.NotDifferentiable, match="an integer to a negative power"):
        g(1.5, -1)


def test_the_source_runs_as_it_is() -> None:
    text = grad(nested, backend="numba").source_for({"a": 0.5, "rest": (1.5, -1.0)}, 3)
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    p = {"a": 0.5, "rest": (1.5, -1.0)}
    assert namespace["nested_grad"](p, 3) == grad(nested)(p, 3)
    assert "numba" not in text


def test_functions_of_numba_come_back_compiled() -> None:
    import numba

    @numba.njit
    def f(x):
        return x * np.sin(x)

    assert grad(f).backend == "numba"
    assert grad(f)(0.5) == pytest.approx(math.sin(0.5) + 0.5 * math.cos(0.5))


def test_integers_are_not_divided_by_zero() -> None:
    def f(x: float, n: int) -> float:
        return x * (7 // n) + x * (7 % n)

    g = grad(f, backend="numba")
    assert g(1.0, 2) == 4.0
    with pytest.raises(ZeroDivisionError):
        g(1.0, 0)


def test_a_list_that_changes_is_no_constant() -> None:
    def f(y: np.ndarray) -> float:
        rows = [y]
        for _ in range(2):
            rows.append(2.0 * rows[-1])
        return np.sum(np.stack(rows) ** 2)

    y = np.arange(1.0, 4.0)
    assert jvp(f, (y,), (y,), backend="numba") == pytest.approx(jvp(f, (y,), (y,)))


def test_long_lists_of_several_kinds_are_refused() -> None:
    def f(x, options):
        return x * options[0]

    assert grad(f, backend="numba")(2.0, [1.5, "fast"]) == 1.5
    with pytest.raises(s2sad.CompileError):
        grad(f, backend="numba")(2.0, [1.5, "fast"] * 40)


def test_new_layouts_are_compiled_for() -> None:
    g = grad(lambda A: np.sum(A[0] * A[1]), backend="numba")
    A = np.arange(12.0).reshape(3, 4)
    for view in (A, np.asfortranarray(A), A[:, ::2], A.T):
        expected = np.zeros(view.shape)
        expected[0], expected[1] = view[1], view[0]
        assert np.array_equal(g(view), expected)


def test_a_list_is_copied_when_it_is() -> None:
    def f(p):
        p[0][0] = p[1][0] * p[1][1]
        copy = list(p[0])
        return copy[0] * copy[1]

    p = ([0.5, 2.0], np.array([3.0, 4.0]))
    assert value_and_grad(f, backend="numba")(p)[0] == f(([0.5, 2.0], np.array([3.0, 4.0])))


def test_lists_in_lists_cross_whole() -> None:
    """Numba corrupts memory when it is passed a list of tuples of lists: they cross as arrays."""

    def f(layers, counts):
        total = 0.0
        for (weights, biases), tags in zip(layers, counts):
            for row, b in zip(weights, biases):
                total += b * sum(row) * sum(tags)
        return total

    layers = [([[0.5 * k, 1.0, 2.0], [1.5]], [0.25, k * 1.0]) for k in range(4)]
    counts = [[1, 2], [3], [], [1]]
    python, compiled = grad(f), grad(f, backend="numba")
    for _ in range(200):
        assert compiled(layers, counts) == python(layers, counts)


def test_lists_that_are_changed_are_the_callees_own() -> None:
    def f(rows, factors, scale):
        rows[0].append(2.0 * scale)
        rows[1][0] = rows[0][-1]
        factors.append(scale)
        return sum(sum(row) * factor for row, factor in zip(rows, factors)) * len(rows[0])

    rows, factors = [[1.0], [2.0, 3.0], []], [0.5, 1.5]
    assert grad(f, wrt=2, backend="numba")(rows, factors, 0.7) == pytest.approx(grad(f, wrt=2)(rows, factors, 0.7))
    assert (rows, factors) == ([[1.0], [2.0, 3.0], []], [0.5, 1.5])


def test_prints_once_where_lengths_differ(capfd: pytest.CaptureFixture[str]) -> None:
    def f(x, y):
        print("once")
        return np.sum(x * y)

    x, y = np.array([1.0, 2.0, 3.0]), np.array([2.0])
    assert np.array_equal(grad(f, backend="numba")(x, y), [2.0, 2.0, 2.0])
    assert capfd.readouterr().out.count("once") == 1


SCALE = np.array([1.0, 2.0, 3.0])


def _products_of_neighbours(a, scale):
    last, total = None, 0.0
    for k in range(3):
        row = a * (scale[k] + k)
        if last is not None:
            total += (last * row).sum()
        last = row
    return total


def test_pullbacks_find_lengths_that_differ() -> None:
    """The adjoint of what was None has no items, and that of what it becomes has some."""
    a, scale = np.array([1.0, 2.0, 3.0]), SCALE.copy()
    y, pullback = vjp(_products_of_neighbours, a, scale, backend="numba")
    wanted, reference = vjp(_products_of_neighbours, a, scale)
    a *= 2.0
    scale += 1.0
    assert y == pytest.approx(wanted)
    for _ in range(2):
        for found, expected in zip(pullback(1.5), reference(1.5), strict=True):
            assert found == pytest.approx(expected, rel=1e-13)


def test_pullbacks_find_lengths_that_differ_when_something_outside_has_changed() -> None:
    scale = SCALE.copy()

    def f(a):
        products = np.outer(a, a)
        return np.sum(np.expand_dims(products[0], 1) * products * scale[0])

    a = np.array([1.0, 2.0, 3.0])
    (_, pullback), (_, late), (_, reference) = (vjp(f, a, backend=b) for b in ("numba", "numba", "python"))
    assert pullback(1.5)[0] == pytest.approx(reference(1.5)[0], rel=1e-13)
    scale[0] = 2.0
    assert pullback(1.0)[0] == pytest.approx(reference(1.5)[0] / 1.5, rel=1e-13)
    with pytest.raises(ValueError, match="lengths that were taken to be equal differ"):
        late(1.0)


def test_pullbacks_are_handed_lists_without_items() -> None:
    """Numba asks the items of a list for their type."""

    def f(a, n):
        b, pairs = a * 2.0, []
        for k in range(n):
            b = np.sin(b[: k + 2])
            pairs.append((k, b * k))
        return b[0] + sum(k * (r * r).sum() for k, r in pairs)

    a = np.array([1.0, 2.0, 3.0])
    for n in (0, 2, 0):
        found, expected = (vjp(f, a, n, backend=backend)[1] for backend in ("numba", "python"))
        assert found(1.5)[0] == pytest.approx(expected(1.5)[0], rel=1e-13)


def _lists_that_change_places(l, x):
    m = l[0]
    l[1].append(x * m[0])
    l.append(l[1])
    l[2][0] *= m[1]
    m[0] = l[1][0]
    l[0], l[1] = l[1], l[0]
    return l[0][0] * l[1][0] + sum(l[2])


FACTORS = np.array([2.0, 0.5])
ROWS = [[1.0, 2.0], [3.0]]


def test_pullbacks_change_lists_that_are_held_twice() -> None:
    """Lists cross between compiled functions as copies: both sweeps are in one."""
    factors = FACTORS.copy()

    def f(l, x):
        return _lists_that_change_places(l, x * factors[0]) * factors[1]

    rows = [[1.0, 2.0], [3.0]]
    y, pullback = vjp(f, rows, 2.0, backend="numba")
    wanted, reference = vjp(f, rows, 2.0)
    expected = [reference(ct) for ct in (1.0, 2.5)]
    rows[0][0] = 7.0
    factors[:] = 9.0
    assert y == wanted
    assert [pullback(ct) for ct in (1.0, 2.5)] == expected


def test_pullbacks_hand_out_the_lists_that_they_change() -> None:
    def f(l, x):
        l.append(l[0])
        l[0][0] *= x
        l[1] = l[2]
        return l[1][0] * x

    _, pullback = vjp(f, [[1.0, 2.0], [3.0]], 2.0, backend="numba")
    assert [pullback(1.0), pullback(3.0)] == [([[4.0, 0.0], [0.0]], 4.0), ([[12.0, 0.0], [0.0]], 12.0)]


def test_pullbacks_do_not_do_twice_what_may_be_seen() -> None:
    def prints(l, x):
        print(x)
        return _lists_that_change_places(l, x)

    def reads(x):
        return _lists_that_change_places(ROWS[:], x)

    with pytest.raises(s2sad.CompileError, match="does more than compute"):
        vjp(prints, [[1.0, 2.0], [3.0]], 2.0, backend="numba")
    with pytest.raises(s2sad.CompileError, match="reads `ROWS` from outside"):
        vjp(reads, 2.0, backend="numba")


def test_what_a_pullback_copies_is_copied_outside() -> None:
    """Constants among it, which stand for what a path does not define, are no reason to copy in compiled code."""
    text = """
def f_vjp(x: float64[1]):
    y: float = np.sum(x)
    def f_pullback(by: float):
        t: (float64[1], int) = (x, 0)
        state: (float64[1], int) = copy_state(t)
        a: float64[1] = state[0]
        a[0] += by
        r = (a,)
        return r
    s = (y, f_pullback)
    return s
"""
    natives = split(read(text.strip())).natives
    assert len(natives) == 2
    assert not any(isinstance(s, Op) and s.fn is helpers.copy_state for native in natives for s in walk(native))


def test_slices_of_branches_reach_pullbacks() -> None:
    def f(a, n, c):
        b = a * 1.0
        if c:
            m = n + 1
            b[m::2] = np.sin(a[m::2]) * a[0]
            b[..., :n] *= a[..., 1 : n + 1]
        return (b * a).sum() + b[..., 0] * a[1]

    a = np.linspace(0.5, 2.0, 6)
    for c in (True, False):
        found, expected = (vjp(f, a, 2, c, backend=backend)[1] for backend in ("numba", "python"))
        for ct in (1.0, 0.5):
            assert found(ct)[0] == pytest.approx(expected(ct)[0], rel=1e-13)


def test_lengths_are_taken_to_be_equal() -> None:
    """A check of lengths raises, and nothing else: it is no reason to compile for any lengths."""

    def f(x, y):
        for _ in range(3):
            x = x * y
        return np.sum(x)

    x, y = np.array([1.0, 2.0, 3.0]), np.array([2.0, 0.5, 1.5])
    g = grad(f, backend="numba")
    assert g(x, y) == pytest.approx(grad(f)(x, y), rel=1e-14)
    assert "_joint" not in g.source_for(x, y)


@pytest.mark.parametrize("lengths", [(4, 3, 3), (4, 1, 3), (4, 3, 1), (1, 3, 3), (1, 1, 3), (0, 3, 3), (4, 0, 1)])
def test_the_last_axis_of_a_matrix_and_a_vector(lengths: tuple[int, int, int]) -> None:
    """They are taken to be as long as each other, and right if not."""

    def f(A, b):
        for _ in range(2):
            A = np.tanh(A + b) * b
        return np.sum(A * np.where(b > 0.0, A, b))

    rows, columns, length = lengths
    A, b = np.linspace(-1.0, 2.0, rows * columns).reshape(rows, columns), np.linspace(0.5, -0.7, length)
    both = {"wrt": (0, 1)}
    for found, expected in zip(grad(f, **both, backend="numba")(A, b), grad(f, **both)(A, b), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(x * np.sum(x > 0.5, axis=0, keepdims=True)),
        lambda x: np.sum(x * np.mean(x > 0.5, axis=0)),
        lambda x: np.sum(x * np.cumsum(x > 0.5, axis=1)),
        lambda x: np.sum(x * np.prod(x > 0.5, axis=1, keepdims=True)),
        lambda x: np.nanvar(x, ddof=1),
        lambda x: np.sum(np.nanvar(x, axis=0)),
    ],
)
def test_sums_of_truth_values(f: Callable[..., Any]) -> None:
    x = np.array([[1.0, 0.6, 2.0], [0.7, 0.9, -1.0], [0.3, math.nan, 3.0]])
    for a in (x, x[:2]):
        (value, slope), (expected, slopes) = value_and_grad(f, backend="numba")(a), value_and_grad(f)(a)
        np.testing.assert_allclose(value, f(a), rtol=1e-13)
        np.testing.assert_allclose(slope, slopes, rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(expected, f(a), rtol=1e-13)


def test_items_have_the_type_of_their_list() -> None:
    """A list that begins with integers loses no fractions of what is stored into it."""

    def f(a, n):
        out, later = [0] * 3, []
        for k in range(n):
            later.append(k)
        for k in range(n):
            out[k] = a * k + 0.25
            later[k] = a * a
        return sum(out) * sum(later)

    assert value_and_grad(f, backend="numba")(0.7, 3) == pytest.approx(value_and_grad(f)(0.7, 3), rel=1e-14)
    assert f(0.7, 3) == pytest.approx(value_and_grad(f, backend="numba")(0.7, 3)[0], rel=1e-14)


@pytest.mark.parametrize("x", [2.3, 0.0, -0.0, 1e-320, 1e300, math.inf, -math.inf, -2.0, math.nan])
def test_half_powers_are_powers(x: float) -> None:
    def f(x):
        return x**1.5, x**0.5, x**-1.5, x**-0.5, (2.0 * x) ** 1.5

    def power(a, b):
        try:
            return math.pow(a, b)
        except OverflowError:
            return math.inf
        except ValueError:  # of zero, or a negative number
            return math.nan if a < 0.0 else math.inf

    values, slopes = jvp(f, (x,), (1.0,), backend="numba")
    np.testing.assert_allclose(values[:4], [power(x, b) for b in (1.5, 0.5, -1.5, -0.5)], rtol=1e-14)
    np.testing.assert_allclose(slopes[:3:2], [1.5 * power(x, 0.5), -1.5 * power(x, -2.5)], rtol=1e-14)
    np.testing.assert_allclose(values[4], power(2.0 * x, 1.5), rtol=1e-14)


def test_evenly_spaced_between_numbers_that_change() -> None:
    """Tangents of ``np.linspace`` name all of its arguments, of which Numba knows three."""

    def f(low, high):
        return np.linspace(low, high, 5) ** 2 + np.sum(np.linspace(low * high, 3.0))

    args, along = (0.5, 2.0), (1.0, -0.7)
    for a, e in zip(jvp(f, args, along, backend="numba"), jvp(f, args, along), strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-13)

    def g(low, high):
        return np.sum(f(low, high))

    expected = grad(g, wrt=(0, 1))(*args)
    np.testing.assert_allclose(grad(g, wrt=(0, 1), backend="numba")(*args), expected, rtol=1e-13)


def test_what_a_loop_around_has_not_made_yet_is_refused() -> None:
    def marched(origin, n):
        total = 0.0
        for i in range(n):
            for k in range(5):
                p = origin * (k + i)
                if np.sum(p) > 2.0:
                    break
            if i % 2:
                total += p @ p
        return total

    with pytest.raises(s2sad.CompileError, match="a number or an array") as caught:
        grad(marched, backend="numba")(np.array([0.3, 0.4]), 3)
    assert caught.value.lineno is not None


def test_what_has_axes_or_not_by_an_argument_is_refused() -> None:
    def spread_out(m, kept):
        return np.sum(np.mean(m, axis=1, keepdims=kept).ravel() ** 2) * (1 + kept)

    with pytest.raises(s2sad.CompileError, match="a number or an array") as caught:
        grad(spread_out, backend="numba")(np.ones((2, 3)), False)
    assert caught.value.lineno is not None


def test_truth_values_in_lists_of_integers() -> None:
    """They select as a mask in the end, where integers would be indices."""

    def stored(x):
        mask = [0] * len(x)
        for i in range(len(x)):
            mask[i] = x[i] > 0.5
        return np.sum(x[mask] ** 2)

    def appended(x):
        found = [2]
        for v in x:
            found.append(v > 0.5)
        found.pop(0)
        return np.sum(x[found] ** 2)

    def in_one_branch(x):
        return np.sum(x[[0 if v > 5.0 else v > 0.5 for v in x]] ** 2)

    x = np.array([0.2, 0.7, 0.9])
    for f in (stored, appended, in_one_branch):
        np.testing.assert_allclose(grad(f)(x), [0.0, 1.4, 1.8], rtol=1e-14)
        with pytest.raises(s2sad.CompileError, match="a truth value in a list of integers") as caught:
            grad(f, backend="numba")(x)
        assert caught.value.lineno is not None


def of_columns(x, y):
    first, second = np.hsplit(np.hstack((x @ y, x)), 2)
    return np.sum((first @ y[:, :2]) ** 2) + np.sum(second)


def test_advice_of_numbas_on_speed_is_kept_back(recwarn: pytest.WarningsRecorder) -> None:
    x, y = np.arange(6.0).reshape(2, 3), np.ones((3, 3))
    ours = grad(of_columns, backend="numba")(x, y)
    np.testing.assert_allclose(ours, grad(of_columns)(x, y), rtol=1e-13)
    assert [str(w.message) for w in recwarn] == []


def precision_of_one_path(x):
    y = np.asarray(x, dtype=np.float32) if x[0] > 0.0 else 2.0 * x
    return y


def number_on_one_path(x):
    y = 2.0 * x
    if x[0] > 0.0:
        y = np.sum(y)
    return y


def matrix_on_one_path(x):
    y = 2.0 * x
    if x[0] > 0.0:
        y = np.outer(y, y)
    return y


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (precision_of_one_path, "float32 with 1 axis in one branch that is an array of float64"),
        (number_on_one_path, "a number in one branch that is an array of float64 with 1 axis in the other"),
        (matrix_on_one_path, "float64 with 2 axes in one branch that is an array of float64 with 1 axis"),
    ],
)
def test_values_of_two_types_are_refused_where_paths_meet(f: Callable[..., Any], message: str) -> None:
    for derivative in (lambda x: vjp(f, x, backend="numba"), lambda x: jvp(f, (x,), (x,), backend="numba")):
        with pytest.raises(s2sad.S2sadError, match=message) as found:
            derivative(np.array([1.5, 2.5, 3.5]))
        assert found.value.lineno is not None
