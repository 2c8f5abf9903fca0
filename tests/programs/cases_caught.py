"""Programs that catch exceptions: what a body raises decides which way they go."""

from __future__ import annotations

import contextlib
import math
import statistics
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from program import program

from s2sad import grad

CAUGHT = (ZeroDivisionError, ValueError)


class Rejected(Exception):
    pass


class RejectedFor(Rejected):
    def __init__(self, reason="far"):
        super().__init__(reason)
        self.reason = reason


def minus_infinity_or_density(K, y):
    try:
        L = np.linalg.cholesky(K)
    except np.linalg.LinAlgError:
        return -1e3 * np.sum(y**2)
    z = np.linalg.solve(L, y)
    return -0.5 * z @ z - np.sum(np.log(np.diag(L)))


def jitter_until_it_factors(K, y):
    jitter = 0.25
    n = len(y)
    for _ in range(6):
        try:
            L = np.linalg.cholesky(K + jitter * np.eye(n))
            break
        except np.linalg.LinAlgError:
            jitter *= 2.0
    else:
        raise np.linalg.LinAlgError("no jitter is enough")
    z = np.linalg.solve(L, y)
    return -0.5 * z @ z - np.sum(np.log(np.diag(L))) + jitter


def steps_cut_until_they_fit(x, y):
    step, cuts = 4.0 * y, 0
    while True:
        try:
            z = math.log(x - step)
            break
        except ValueError:
            step *= 0.5
            cuts += 1
        if cuts > 30:
            raise RuntimeError("no step fits")
    return z * step + cuts * x


def a_root_or_a_line(x, y):
    try:
        return math.sqrt(x) * y
    except ValueError:
        return 0.5 * x * y * y


def as_many_as_there_are(x, y):
    z = y * y
    try:
        for a, b in zip((x - 0.3, x * y), (y, 0.5), strict=True):
            z = z + b / a
        z = z + sum(math.log(a) * b for a, b in zip([x, x - 2.0], [y, z], strict=True))
    except ValueError:
        z = x * y
    return z


def what_is_raised_in_order(x, y):
    try:
        a = 1.0 / (y - 1.0)
        b = math.log(x - 2.0)
        z = b * a + x
    except ZeroDivisionError:
        z = x * x
    except ValueError:
        z = y * y * x
    return z * y


def one_of_several_classes(x, y):
    try:
        z = x / y
        w = math.exp(100.0 * z)
    except (ZeroDivisionError, OverflowError) as e:
        w = x * 3.0
        if y > 5.0:
            raise RuntimeError(f"neither {x} nor {y}") from e
    else:
        w = z * 2.0 + y
    finally:
        x = x * x
    return w * x


def raised_by_the_body_itself(x, y):
    try:
        if x > 3.0:
            raise Rejected("far")
        if y > 3.0:
            raise RejectedFor(y)
        assert x * y > 0.1
        z = x * y
    except RejectedFor:
        z = x * x
    except Rejected:
        z = y * y
    except AssertionError:
        z = x + y
    return z * x


def one_within_another(x, y):
    try:
        try:
            z = 1.0 / (x - 2.0)
        except ZeroDivisionError:
            z = math.log(y - 1.0)
        w = math.sqrt(z)
    except ValueError:
        return x * 7.0 + y
    return w * x


def raised_on_the_way_out(x, y):
    try:
        try:
            z = math.sqrt(x - 2.5)
        except ValueError as e:
            if y > 2.0:
                raise
            raise Rejected(f"it was {e}") from e
    except Rejected:
        z = x * y
    except ValueError:
        z = x * y * y
    return z * z


def left_and_gone_on_with(x, y):
    s = 0.0
    for i in range(3):
        for j in range(4):
            try:
                s += math.sqrt(x - i) / (y - j)
            except CAUGHT:
                if i == 1:
                    break
                continue
            if s > 9.0:
                return s * x
        else:
            s *= 1.1
    return s


def a_finally_that_counts(x, y):
    n = 0
    for k in range(4):
        try:
            z = math.sqrt(x - 3.55 + k)
            if z > 1.0:
                return z * n * y
        except ValueError:
            z = y
            continue
        finally:
            n += 1
            y = y * 1.1
    return z * y + n


def a_loop_in_the_body(x, y):
    total = 0.0
    try:
        for k in range(4):
            total = total + math.sqrt(x - k) * y
    except ValueError:
        total = x * y
    return total


def what_the_body_makes_it_may_change(x, y):
    try:
        terms, a = [], np.zeros(3)
        for k in range(3):
            terms.append(math.log(x - k) * y)
            a[k] += terms[-1]
        s = sum(terms) + np.sum(a * a)
    except ValueError:
        s = y * x
    return s * x


def stored_or_stored_otherwise(x, y):
    out, seen, table = np.zeros(4), [], {}
    for k in range(4):
        try:
            out[k] = math.log(x - k) * y
        except ValueError:
            out[k] = y
        try:
            seen.append(math.sqrt(y - k))
        except ValueError:
            seen.append(x)
        try:
            table[k] = 1.0 / (k - 1)
        except ZeroDivisionError:
            table[k] = y
        try:
            out[k] *= math.acos(x - 1.5)
        except ValueError:
            pass
    return np.sum(out * out) + sum(seen) * table[1]


@dataclass
class Well:
    depth: float
    width: float

    def energy(self, t):
        try:
            return math.log(self.depth - t) * self.width
        except ValueError:
            return self.width * self.depth

    def widen(self, t):
        try:
            self.width = math.sqrt(t - self.depth)
        except ValueError:
            self.width *= t


def methods_that_catch(x, y):
    well = Well(x, y)
    first = well.energy(1.0) * well.energy(2.5)
    well.widen(y)
    return first * well.width


def tried(f, x):
    try:
        return f(x)
    except CAUGHT:
        return x * 0.25


def helpers_that_catch(x, y):
    return tried(lambda t: math.log(t - 2), x) * tried(lambda t: 1.0 / (t - 1.0), y) + tried(math.asin, x * y)


def a_default_that_stays(x, y):
    z = 2.0 * x
    u, v = x, y
    try:
        z = math.log(x - 2.0)
    except ValueError:
        pass
    try:
        u, v = math.sqrt(v - 1.5), u * u
    except ValueError:
        u = x * v
    return z * u * v


def floating_point_errors(x, y):
    a = np.array([x, y, x * y])
    with np.errstate(all="raise"):
        try:
            z = np.log(a - 1.0)
        except FloatingPointError:
            z = a * a
    return np.sum(z * a)


def numbers_of_arrays_do_not_raise(x, y):
    a = np.array([x, y])
    with np.errstate(all="ignore"):
        try:
            z = a[0] / (a[1] - a[1])
        except ZeroDivisionError:
            z = 3.0 * a[0]
    return x * y if np.isinf(z) else x


def nothing_to_choose_from(x, y):
    large = [v for v in [x, y] if v > 2.0]
    try:
        a = min(large)
    except ValueError:
        a = x * y
    try:
        b = statistics.mean(large)
    except statistics.StatisticsError:
        b = x + y
    try:
        c, d = large
    except ValueError:
        c, d = x, 2.0 * y
    return a * b + c * d


def keys_and_places(x, y):
    table, row = {1: x, 2: y}, [x, y, x * y]
    k = round(x)
    try:
        v = table[k]
    except KeyError:
        v = x * y
    try:
        w = row[k]
    except IndexError:
        w = y * y
    return v * v * w


def a_derivative_in_the_body(x, y):
    def f(t):
        return math.log(t - 2.0) * y

    try:
        step = f(x) / grad(f)(x)
    except ValueError:
        step = x * y
    return (x - step) * y


def suppressed(x, y):
    z = 2.0 * x
    for k in range(3):
        with contextlib.suppress(ValueError, ZeroDivisionError):
            z = z * y + math.log(x - k) / (k - 1)
        with suppress(OverflowError), np.errstate(all="ignore"):
            if z > 40.0:
                return x
            z += math.exp(2000.0 * (x - 0.65))
    with suppress(ValueError):
        return z * math.acos(y)
    return z * y


def whatever_it_is(x, y):
    try:
        z = math.acos(x - 2.0)
    except:  # noqa: E722
        z = y * y
    try:
        w = np.linalg.solve(np.array([[x, y], [0.0, max(y - 1.0, 0.0)]]), np.array([1.0, y]))
    except Exception:
        w = np.array([x, x * y])
    return z * (w @ w)


def everywhere(*functions):
    """What several functions give at some points, added up."""

    def total(xs, ys):
        s = 0.0
        for x, y in zip(xs, ys):
            for f in functions:
                s += f(x, y)
        return s

    return total


def of_either(K, M, y):
    return (
        *(minus_infinity_or_density(K, y), minus_infinity_or_density(M, y)),
        *(jitter_until_it_factors(K, y), jitter_until_it_factors(M, y)),
    )


def of_one_at_a_time(x, y):
    return (a_root_or_a_line(-x, y), one_of_several_classes(2.0 * x, 0.1 * y), what_is_raised_in_order(x, y))


def _not_far(x):
    if x > 3.0:
        raise RejectedFor
    if x > 2.0:
        raise Rejected
    return math.sin(x)


class RejectedAsSuch(Rejected):
    """It is made of nothing."""


def raised_by_class(x, y):
    """What is raised is a class, in the body itself, in what that calls, and in any case."""
    total = 0.0
    for k in range(4):
        try:
            if x * k > 2.5:
                raise StopIteration
            if y > 2.0:
                raise RejectedAsSuch from None
            total += x * y
        except (StopIteration, Rejected):
            total += k * x
    try:
        raise KeyError
    except LookupError:
        total *= y
    return total


def raised_by_class_in_a_helper(x, y):
    try:
        z = _not_far(x)
    except Rejected:
        z = x * y
    with suppress(ValueError):
        if y > 1.0:
            raise ValueError
        z *= y
    return z


A = np.array([[2.0, 0.3], [0.3, 1.0]])
ORDERS = {"xyz": (0, 1, 2, 0), "zyx": (2, 1, 0, 1)}
ORDER_NAMES = {order: name for name, order in ORDERS.items()}


def _turned(angles, order):
    try:
        i, j, k, reversed_ = ORDERS[order]
    except (AttributeError, KeyError):
        ORDER_NAMES[order]
        i, j, k, reversed_ = order
    total = np.sin(angles[i]) * angles[j] + angles[k] ** 2
    return -total if reversed_ else total


def parts_of_what_is_known(angles):
    """A body that cannot raise: the key is there, and as many parts as names."""
    return _turned(angles, "xyz") * _turned(angles, "zyx")


#: Of two eigenvalues one is negative.
B = np.array([[1.0, 1.4], [1.4, 1.0]])
y2 = np.array([1.0, -2.0])

#: At each point some of the functions raise, and others do not.
XS, YS = [3.7, 1.2, 2.3, 0.6], [2.3, 0.7, 3.4, 0.05]
GROUPS = {
    "caught_in_loops": (
        *(steps_cut_until_they_fit, left_and_gone_on_with, a_finally_that_counts, a_loop_in_the_body),
        *(what_the_body_makes_it_may_change, stored_or_stored_otherwise),
    ),
    "caught_by_class": (
        *(
            a_root_or_a_line,
            as_many_as_there_are,
            what_is_raised_in_order,
            raised_by_the_body_itself,
            one_within_another,
        ),
        *(raised_on_the_way_out, floating_point_errors, whatever_it_is),
    ),
    "caught_by_helpers": (
        methods_that_catch,
        helpers_that_catch,
        a_default_that_stays,
        a_derivative_in_the_body,
        suppressed,
    ),
    "caught_as_classes": (raised_by_class, raised_by_class_in_a_helper),
    "caught_of_python": (numbers_of_arrays_do_not_raise, nothing_to_choose_from, keys_and_places),
}

PROGRAMS = [
    program(parts_of_what_is_known, np.array([0.3, 0.7, 1.1])),
    program(of_either, A, B, y2, name="caught_where_it_does_not_factor", tolerance=1e-7),
    program(of_one_at_a_time, 1.3, 0.8, name="caught_one_at_a_time"),
    *(program(everywhere(*functions), XS, YS, name=name) for name, functions in GROUPS.items()),
]
