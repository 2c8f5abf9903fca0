"""How loops end: by a test in front, in the middle, by a return, and with something to do before they do."""

from __future__ import annotations

import math

import numpy as np
from program import program

rng = np.random.default_rng(53)
B = rng.normal(size=(5, 5))
A = B @ B.T / 5 + np.eye(5)
b = rng.normal(size=5)


def by_a_call(a):
    x = a
    while abs(x * x - a) > 1e-9:
        x = 0.5 * (x + a / x)
    return x


def by_one_of_two(a, most):
    x = a
    n = 0
    while abs(x * x - a) > 1e-9 and n < most:
        x = 0.5 * (x + a / x)
        n += 1
    return x * n


def by_a_name_bound(a):
    x = a
    while (err := abs(x * x - a)) > 1e-2:
        x = 0.5 * (x + a / x)
    return x + err


def by_no_other(a):
    x = a
    while not math.isclose(x * x, a, rel_tol=1e-3):
        x = 0.5 * (x + a / x)
    return x


def in_the_middle(a):
    x = a
    while True:
        y = 0.5 * (x + a / x)
        if abs(y - x) < 1e-3:
            break
        x = y * math.cos(0.01 * y)
    return y


def in_the_middle_with_both(a):
    x = a
    while True:
        y = 0.5 * (x + a / x)
        if abs(y - x) < 1e-3:
            break
        x = y
    return y * x


def in_the_middle_of_some(a, most):
    x = y = a
    for _ in range(most):
        y = 0.5 * (x + a / x)
        if abs(y - x) < 1e-3:
            break
        x = y
    return y


def by_bisection(a):
    lo, hi = 0.0, 2.0
    while True:
        mid = 0.5 * (lo + hi)
        if abs(hi - lo) < 1e-3:
            return mid * a + math.sin(a * hi)
        if mid * mid > a:
            hi = mid
        else:
            lo = mid


def by_several_returns(x, bound):
    n = 0
    while True:
        n += 1
        if x > bound:
            return x * x
        x = x * 1.5
        if n > 6:
            return math.sin(x)


def by_a_return_or_else(x, bound):
    while abs(x) < bound:
        x = x * 1.7
        if x > 0.9 * bound:
            return x * 2.0
    else:
        x = x + 1.0
    return x


def with_arrays_at_the_end(x, bound):
    while True:
        y = np.tanh(x) + x
        if np.linalg.norm(y) > bound:
            z = y * 2.0
            return np.sum(z * x)
        x = y


def by_the_norm(B, b, x):
    A = np.eye(5) + B @ B.T / 5
    r = b - A @ x
    p = r
    while np.linalg.norm(r) > 0.2:
        Ap = A @ p
        alpha = (r @ r) / (p @ Ap)
        new = r - alpha * Ap
        x = x + alpha * p
        p = new + (new @ new) / (r @ r) * p
        r = new
    return x


def by_what_the_body_needs_too(A, b, x):
    while np.max(np.abs(b - A @ x)) > 1e-3:
        x = x + 0.2 * (b - A @ x)
    return x


def within_another(x, n):
    total = 0.0
    for k in range(n):
        y = x + k
        while True:
            y = 0.5 * (y + x / y)
            if abs(y * y - x) < 1e-6:
                total += y * (k + 1)
                break
    while True:
        inner = 0
        while abs(total) > 2.0 + inner:
            total = total * 0.7
            inner += 1
        if inner == 0:
            return total * x
        total = total * 1.1


def that_store_at_the_end(x):
    out = np.zeros(3)
    k = 0
    s = 1.0
    while True:
        s = s * x
        if s < 0.1:
            out[0] = s
            out[1] = s * k
            break
        k += 1
        out[2] += s
    return out


def of_work_lists(x):
    stack = [x]
    total = 0.0
    while len(stack) > 0:
        y = stack.pop()
        if abs(y) > 0.3:
            stack.append(0.5 * y)
            stack.append(0.3 * y * y)
        total += y * y
    return total


def by_a_number(x):
    k = 0
    while True:
        k += 1
        m = k % 3 // 2 * 2
        y = x * m + math.sin(x)
        if m:
            break
        x = y * math.cos(0.1 * y)
    return y


def by_a_number_in_some(x, most):
    y = x
    for k in range(most):
        m = k % 3 // 2 * 2
        y = x * m + math.sin(x)
        if m:
            break
        x = y
    return y * x


def by_a_number_carried(x):
    k, m = 4, 3
    while True:
        x = x * math.sin(x + m)
        k -= 1
        m = max(2 - k, 0) * 3
        if m:
            break
    return x * m


def that_end_at_once(x):
    while x > 10.0 or math.isnan(x):
        x = x / 2.0
    while True:
        y = x * 2.0
        if math.isfinite(y):
            break
        x = y
    return x + y


def with_keys_that_are_no_names(x, n):
    d = {True: x, 2: x * x, (0, 1): 1.0}
    for _ in range(n):
        d[True] = d[True] * x
        d[2] = d[2] + d[True]
    if n > 1:
        d[0, 1] = d[2] * 0.5
    return d[True] * d[2] + d[0, 1]


PROGRAMS = [
    program(with_keys_that_are_no_names, 0.7, 2),
    program(with_keys_that_are_no_names, 0.7, 1, name="with_such_keys_once"),
    program(by_a_call, 2.3),
    program(by_one_of_two, 2.3, 3),
    program(by_one_of_two, 2.3, 30, name="by_the_other_of_two"),
    program(by_a_name_bound, 2.3),
    program(by_no_other, 2.3),
    program(in_the_middle, 2.3),
    program(in_the_middle_with_both, 2.3),
    program(in_the_middle_of_some, 2.3, 3),
    program(in_the_middle_of_some, 2.3, 30, name="in_the_middle_of_many"),
    program(by_bisection, 1.3),
    program(by_several_returns, 0.4, 2.5),
    program(by_several_returns, 0.01, 2.5, name="by_the_other_return"),
    program(by_a_return_or_else, 0.4, 2.5),
    program(by_a_return_or_else, 3.4, 2.5, name="by_else"),
    program(with_arrays_at_the_end, b, 9.0),
    program(by_the_norm, B, b, np.zeros(5)),
    program(by_what_the_body_needs_too, A, b, np.zeros(5)),
    program(within_another, 2.3, 3),
    program(that_store_at_the_end, 0.6),
    program(of_work_lists, 1.3),
    program(by_a_number, 0.7),
    program(by_a_number_in_some, 0.7, 6),
    program(by_a_number_in_some, 0.7, 2, name="by_no_number_in_some"),
    program(by_a_number_carried, 0.7),
    program(that_end_at_once, 1.2),
]
