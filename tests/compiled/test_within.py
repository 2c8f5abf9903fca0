"""Subscripts of compiled functions: checked once before loops, where they are used, or known to be in range."""

import numpy as np
import pytest

import s2sad
from s2sad import grad, jvp, value_and_grad

pytest.importorskip("numba")


def compiled(f, *args, **options):
    return grad(f, backend="numba", **options)(*args)


def text(f, *args):
    whole = grad(f, backend="numba").source_for(*args)
    return whole.split("\ndef _")[0]


def checks(f, *args):
    """The checks of a text, with the indentation of each."""
    lines = text(f, *args).splitlines()
    return [(len(line) - len(line.lstrip())) // 4 for line in lines if "_need_places(" in line]


def second_differences(x, n):
    total = 0.0
    for i in range(1, n - 1):
        total += (x[i - 1] - 2 * x[i] + x[i + 1]) ** 2
    return total


def swept(x, y, n):
    u = x.copy()
    for _ in range(3):
        for i in range(1, n - 1):
            for j in range(n - 2, 0, -1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) * y[i, j]
    return np.sum(u**2)


def triangular(x, n):
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            total += x[i] * x[j]
    return total


def gathered(x, places):
    total = 0.0
    for k in places:
        total += x[k] ** 2
    return total


def by_arrays(x, places):
    y = x.copy()
    y[places] *= 2.0
    return np.sum(x[places] ** 2) + np.sum(y**2)


def every_third(x, n):
    total = 0.0
    for i in range(0, n, 3):
        total += x[i] ** 2
    return total


def of_a_list(x, n):
    xs = [x[0], x[1], x[2]]
    total = 0.0
    for i in range(n):
        total += xs[i] ** 2
    return total


def of_a_list_that_grows(x, n):
    xs = [x[0], x[1]]
    xs.append(xs[0] * xs[1])
    total = xs[2] * xs[0]
    xs.pop()
    return total * xs[n]


def shrinks_within(x, n):
    values = [a**2 for a in x]
    total = 0.0
    for i in range(len(values)):
        total += values[i]
        if i < n:
            values.pop()
    return total


def shrinks_by_another_name(x, n):
    values = [a**2 for a in x]
    rest = values if n > 0 else [x[0]]
    total = 0.0
    for i in range(len(values)):
        total += values[i]
        rest.pop()
    return total


def while_it_lasts(x, n):
    total, i = 0.0, 0
    while i < n:
        total += x[i] ** 2
        i += 1 + (i > 3)
    return total


def by_a_written_list(x, n):
    return np.sum(x[[0, 3, 5]] ** 2) * n


def until_a_carried_one(x, n):
    while x[len(x) - n] < 50.0:
        x = x * 2.0
    return np.sum(x)


def added_at(x, places):
    counts = np.zeros(4)
    np.add.at(counts, places, x[: len(places)])
    return np.sum(counts**2)


def along(x, places):
    return np.sum(np.take_along_axis(x, places, 0) ** 2)


def stored(x, n):
    y = np.zeros(4)
    for i in range(n):
        y[i] = x[0] * i
    return np.sum(y**2)


VECTOR = np.linspace(0.3, 1.7, 6)
MATRIX = np.linspace(0.3, 1.7, 36).reshape(6, 6)
CASES = [
    (second_differences, (VECTOR, 6), (VECTOR, 8)),
    (swept, (MATRIX, MATRIX, 6), (MATRIX, MATRIX, 8)),
    (swept, (MATRIX, MATRIX, 5), (MATRIX, MATRIX[:3], 6)),
    (triangular, (VECTOR, 6), (VECTOR, 7)),
    (gathered, (VECTOR, np.array([0, 3, -6])), (VECTOR, np.array([0, 6]))),
    (gathered, (VECTOR, np.array([5])), (VECTOR, np.array([0, -7]))),
    (by_arrays, (VECTOR, np.array([0, 3, -6])), (VECTOR, np.array([0, 6]))),
    (by_arrays, (VECTOR, np.array([[0, 3], [1, 1]])), (VECTOR, np.array([[0, 3], [-7, 1]]))),
    (every_third, (VECTOR, 6), (VECTOR, 7)),
    (of_a_list, (VECTOR, 3), (VECTOR, 4)),
    (of_a_list_that_grows, (VECTOR, 1), (VECTOR, 2)),
    (shrinks_within, (VECTOR, 0), (VECTOR, 3)),
    (shrinks_by_another_name, (VECTOR[:1], 0), (VECTOR, 1)),
    (while_it_lasts, (VECTOR, 6), (VECTOR, 7)),
    (by_a_written_list, (VECTOR, 1), (VECTOR[:5], 1)),
    (until_a_carried_one, (VECTOR, 6), (VECTOR, 13)),
    (added_at, (VECTOR, np.array([0, 3, 3])), (VECTOR, np.array([0, 4]))),
    (along, (VECTOR, np.array([0, 3])), (VECTOR, np.array([0, 6]))),
    (stored, (VECTOR, 4), (VECTOR, 5)),
]
IDS = [f"{f.__name__}-{k}" for k, (f, _, _) in enumerate(CASES)]


@pytest.mark.parametrize(("f", "inside", "outside"), CASES, ids=IDS)
def test_what_is_not_there_raises(f, inside, outside):
    np.testing.assert_allclose(compiled(f, *inside), grad(f)(*inside), rtol=1e-13)
    with pytest.raises(IndexError):
        f(*outside)
    with pytest.raises(IndexError):
        compiled(f, *outside)
    with pytest.raises(IndexError):
        tangents = (np.ones(a.shape) if np.asarray(a).dtype.kind == "f" else None for a in outside)
        jvp(f, outside, tuple(tangents), backend="numba")


def test_checks_go_before_loops():
    assert checks(second_differences, VECTOR, 6) == [2]  # where there is an iteration at all
    assert checks(triangular, VECTOR, 6) == [1]
    assert all(depth <= 2 for depth in checks(swept, MATRIX, MATRIX, 6))


def of_its_length(x):
    total = 0.0
    for i in range(1, len(x)):
        total += x[i] * x[i - 1] * x[(i + 1) % len(x)] * x[min(i + 1, len(x) - 1)] * x[max(i - 2, 0)]
    return total


def of_its_shape(x):
    n, m = x.shape
    u = np.zeros((n, m))
    for i in range(1, n - 1):
        for j in range(m):
            if j > 0:
                u[i, j] = x[i - 1, j - 1] * x[i + 1, j]
    return np.sum(u**2)


def halves(x):
    total = 0.0
    for i in range(len(x) // 2):
        total += x[2 * i] * x[2 * i + 1] * x[i] * x[len(x) - 1 - i]
    return total


def pairs(x):
    total = 0.0
    for a, b in zip(x[1:], x, strict=False):
        total += a * b
    for i, a in enumerate(x):
        total += a * x[i]
    return total


def lists_that_are_made_anew(x):
    values = [2 * a for a in x]
    for scale in range(3):
        sums = []
        for i in range(len(values)):
            sums.append(values[i] ** 2 * (scale + 1))
        values = [a * b for a, b in zip(sums, sums[1:] + sums[:1], strict=False)]
    return sum(values)


def lists_that_swap(x, n):
    shorter, longer = [x[0], x[1]], [x[2]]
    total = 0.0
    for _ in range(n):
        length = len(longer)
        longer.append(x[0] * x[1])
        for i in range(length):
            total += longer[i] ** 2
        shorter, longer = longer, shorter
    return total


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (of_its_length, VECTOR),
        (of_its_shape, MATRIX),
        (halves, VECTOR),
        (pairs, VECTOR),
        (lists_that_are_made_anew, VECTOR),
    ],
)
def test_what_is_known_to_be_there_is_not_checked(f, x):
    assert checks(f, x) == []
    np.testing.assert_allclose(compiled(f, x), grad(f)(x), rtol=1e-13)


def test_a_list_is_checked_that_may_have_got_longer():
    np.testing.assert_allclose(compiled(lists_that_swap, VECTOR, 5), grad(lists_that_swap)(VECTOR, 5), rtol=1e-13)
    assert len(checks(lists_that_swap, VECTOR, 5)) > 0


def never_begun(x, n):
    total = np.sum(x)
    for i in range(3, n):
        for _ in range(1, n - 1):
            total += x[i + 90] * x[95] + x[94]
    return total


def guarded(x, n):
    total = 0.0
    for i in range(n):
        if i < len(x):
            total += x[i] ** 2
        if i > 0 and i - 1 < len(x):
            total += x[i - 1]
    return total


def left_early(x, n):
    total = 0.0
    for i in range(n):
        if i >= len(x):
            break
        total += x[i] ** 2
    return total


def inner_loops_of_other_lengths(x, n):
    total = 0.0
    for i in range(n):
        for j in range(2 * i, 5):
            total += x[i + j]
    return total


@pytest.mark.parametrize(
    ("f", "n"),
    [(never_begun, 3), (never_begun, 0), (guarded, 9), (left_early, 9), (inner_loops_of_other_lengths, 9)],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_what_does_not_run_does_not_raise(f, n):
    x = np.linspace(0.3, 1.7, 7)
    np.testing.assert_allclose(compiled(f, x, n), grad(f)(x, n), rtol=1e-13)


def asks_first(x, n):
    if n > len(x):
        raise ValueError("too many")
    return second_differences(x, n)


def asks_within(x, n):
    total = 0.0
    for i in range(n):
        if i == len(x):
            raise KeyError("no more")
        total += x[i] ** 2
    return total


def test_the_functions_own_errors_come_first():
    with pytest.raises(ValueError, match="too many"):
        compiled(asks_first, VECTOR, 9)
    with pytest.raises(KeyError):
        compiled(asks_within, VECTOR, 9)


def caught(x, n):
    try:
        return x[n] * 2.0
    except IndexError:
        return x[0] * 3.0


def test_what_is_caught_is_not_raised():
    for n in (1, 9):
        np.testing.assert_array_equal(compiled(caught, VECTOR, n), grad(caught)(VECTOR, n))


def test_second_derivatives_check_too():
    h = s2sad.hessian(second_differences, backend="numba")
    np.testing.assert_allclose(h(VECTOR, 6), s2sad.hessian(second_differences)(VECTOR, 6), rtol=1e-12)
    with pytest.raises(IndexError):
        h(VECTOR, 7)


def the_same_places(x, places):
    return np.sum(x[places] ** 2) + np.sum(np.sin(x[places]))


def test_places_of_an_array_that_stays_are_checked_once():
    assert text(the_same_places, VECTOR, np.array([0, 3])).count("_need_all_places(") == 1
    with pytest.raises(IndexError):
        compiled(the_same_places, VECTOR, np.array([0, 6]))


def summed(x, n):
    total = 0.0
    for i in range(n):
        total += 3.0 * x[i]
    return total


def test_a_loop_that_only_the_checks_need_is_gone():
    assert text(summed, VECTOR, 6).count("for ") == 1
    value, slope = value_and_grad(summed, backend="numba")(VECTOR, 6)
    assert value == pytest.approx(3 * VECTOR.sum())
    np.testing.assert_array_equal(slope, np.full(6, 3.0))
