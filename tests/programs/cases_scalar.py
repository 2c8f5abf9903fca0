"""Scalar programs: branches, loops, early returns, rebinding, unpacking."""

from __future__ import annotations

import math
from math import exp, log, sqrt

import numpy as np
from program import program


def piecewise(x):
    if x < -1.0:
        return -x
    elif x < 1.0:
        y = x * x
    else:
        y = 2.0 * x - 1.0
    return y + 0.5 * x


def early_returns(x, y):
    if x > y:
        if x > 2.0 * y:
            return x * y
        z = x / y
        if z < 1.5:
            return math.sin(z) * x
    for k in range(3):
        x = x * y
        if x > 10.0:
            return x + k
    return x - y


def bisect_like(a, lo, hi):
    while hi - lo > 1e-3:
        mid = 0.5 * (lo + hi)
        if mid * mid > a:
            hi = mid
        else:
            lo = mid
    root = lo
    for _ in range(4):
        root = 0.5 * (root + a / root)
    return root


def collatz_like(x, n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n //= 2
            x = math.sin(x) + 0.1 * n
        else:
            n = 3 * n + 1
            x = x * 1.1
        steps += 1
        if steps > 12:
            break
    else:
        x = -x
    return x * steps


def while_else(x):
    k = 0
    while k < 5:
        x = x + math.cos(x)
        if x > 100.0:
            break
        k += 1
    else:
        x = x * 2.0
    return x


def for_else(x, limit):
    for k in range(1, 8):
        x = x * 1.3
        if x > limit:
            y = x / k
            break
    else:
        y = x**2
    return y + x


def continue_in_nested_loops(x):
    total = 0.0
    for i in range(5):
        if i == 2:
            continue
        for j in range(i, -1, -1):
            if (i + j) % 3 == 0:
                continue
            if j > 3:
                break
            total += math.sin(x * i) * x**j
        total = total * 0.9
    return total


def fibonacci_swap(a, b, n):
    for _ in range(n):
        a, b = b, a + 0.5 * b
    return a * b


def zero_trip_loop(x, n):
    y = x
    for k in range(n):
        y = y * x + k
    return y + x


def walrus_in_conditions(x):
    total = 0.0
    while (x := x / 2.0) > 0.1:
        total += x * x
        if (y := math.sin(x)) > 0.3:
            total += y
    return total + x


def chained_comparison(x, y):
    a = b = x * y
    if 0.0 < a < 1.0 <= y + 1.0:
        b = a**3
    if not (x > 5.0 or y > 5.0) and x != y:
        a += b
    return a - 2.0 * b


def conditional_expressions(x, y):
    u = x if x > y else y
    v = (x - y) if (x > 0.0 and y > 0.0) else (y if y > 3.0 else x * y)
    return u * v + (u or v)


def star_unpacking(x, y, z):
    first, *rest = [x, x * y, y * z, z]
    *front, last = rest
    (a, b), c = (front[0], front[1]), last
    total = first + 2.0 * a - b * c
    head, (u, v), *tail = x, (y, z), x * y, y * z
    return total + head * u + v * tail[0] - tail[-1]


def rebinding_types(x):
    y = 3
    y = y * x
    x = [x, y]
    x = x[0] * x[1]
    y = (x, y)
    return y[0] + y[1]


def deleted_names(x):
    y = x * x
    z = y + x
    del y
    y = z * 2.0
    del z
    return y


def norm_cdf(d):
    return 0.5 * (1.0 + math.erf(d / sqrt(2.0)))


def black_scholes(spot, strike, rate, volatility, maturity):
    d1 = (log(spot / strike) + (rate + 0.5 * volatility**2) * maturity) / (volatility * sqrt(maturity))
    d2 = d1 - volatility * sqrt(maturity)
    return spot * norm_cdf(d1) - strike * exp(-rate * maturity) * norm_cdf(d2)


def implied_volatility(price, spot, strike, maturity):
    volatility = 0.3
    for _ in range(8):
        d1 = (math.log(spot / strike) + 0.5 * volatility**2 * maturity) / (volatility * math.sqrt(maturity))
        value = spot * norm_cdf(d1) - strike * norm_cdf(d1 - volatility * math.sqrt(maturity))
        vega = spot * math.sqrt(maturity) * math.exp(-0.5 * d1**2) / math.sqrt(2.0 * math.pi)
        volatility -= (value - price) / vega
    return volatility


def horner(x, coefficients):
    y = 0.0
    for c in reversed(coefficients):
        y = y * x + c
    return y


def continued_fraction(x, depth):
    value = x
    for k in range(depth, 0, -1):
        value = k + x / value
    return value


def arithmetic_geometric_mean(a, b):
    while abs(a - b) > 1e-10 * a:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


def printing_and_asserting(x):
    assert x > 0.0, "x must be positive"
    y = math.log(x)
    message = f"log is {y:.2f}"
    if len(message) < 3:
        raise ValueError(message)
    return y * x


def shadowing_names(bx, dx, d, ct, result, np):
    x_1 = bx * dx
    sum = x_1 + d
    bx = sum * ct
    for d in range(2):
        bx = bx * dx + d
    y = result * np
    return bx + y * x_1


def greek_names(α, β):
    γ = α * β
    δ = math.sin(γ) + β
    return γ * δ


def loop_variable_reuse(x):
    s = 0.0
    for i in range(3):
        s += x * i
        i = i * x
        s += i * i
    x = s * x
    for x_new in (x, 2.0 * x):
        s += x_new
    return s


def int_counts_as_float(x, n):
    return x**n + n * x


def many_math_functions(x, y):
    a = math.tanh(x) + math.atan2(y, x) + math.hypot(x, y)
    b = math.log1p(x) * math.expm1(y) + math.asinh(x)
    c = math.pow(x, y) + math.fabs(x - y) + math.gamma(x + 1.0) + math.lgamma(y + 2.0)
    return a * b + c + max(x, y) * min(x, y, 3.0) + abs(x - 2.0)


def powers_of_integers(x, n, k):
    total = x / 2**n + k**n * x**n
    for i in range(-2, 3):
        total += x * 10**-i + x * pow(3, i) + k**-2 * x**2
        if x > 3**i:
            total += 2**i * x
    return total


def scaled_and_squared(A, n):
    B = A / 2**n
    E = np.eye(len(B)) + B
    T = B
    for k in range(2, 5):
        T = T @ B / k
        E += T
    for _ in range(n):
        E = E @ E
    return np.sum(E)


def rebounds(height, loss, gravity):
    time, speed, bounces = 0.0, 0.0, 0
    while True:
        flight = (speed + math.sqrt(speed * speed + 2.0 * gravity * height)) / gravity
        if time + flight >= 3.0:
            rest = 3.0 - time
            return height + speed * rest - 0.5 * gravity * rest * rest
        time += flight
        speed = -loss * (speed - gravity * flight)
        height = 0.0
        bounces += 1
        assert bounces < 100


def one_of_two_endless_loops(x, y):
    if y > 0.1:
        while True:
            for _ in range(3):
                x = x * 1.2
                if x > 2.0:
                    break
            else:
                continue
            return x * y
    return x


def signs_by_parity(x, n):
    total = 0.0
    for k in range(-2, n):
        total = total * x + (-1) ** bin(k).count("1") * x**2 / len(bin(k))
        for digit in bin(k)[3:]:
            total += 0.5 * x if digit == "1" else 1.0
    return total


PROGRAMS = [
    program(rebounds, 2.0, 0.8, 9.81),
    program(one_of_two_endless_loops, 0.3, 0.2),
    program(one_of_two_endless_loops, 0.3, 0.0, name="none_of_two_endless_loops"),
    program(powers_of_integers, 1.4, -2, 3, wrt=(0,)),
    program(powers_of_integers, 1.4, 3, 3, wrt=(0,), name="powers_of_integers_above"),
    program(scaled_and_squared, np.array([[0.3, 1.2], [-0.4, 0.7]]), 2),
    program(piecewise, -2.0, name="piecewise_first"),
    program(piecewise, 0.3, name="piecewise_second"),
    program(piecewise, 3.0, name="piecewise_third"),
    program(early_returns, 5.0, 2.0, name="early_returns_first"),
    program(early_returns, 2.2, 2.0, name="early_returns_second"),
    program(early_returns, 3.3, 2.0, name="early_returns_in_loop"),
    program(early_returns, 0.4, 1.1, name="early_returns_last"),
    program(bisect_like, 2.0, 1.0, 2.0, wrt=(0,)),
    program(collatz_like, 0.7, 6, name="collatz_to_the_end"),
    program(collatz_like, 0.7, 27, name="collatz_broken_off"),
    program(while_else, 0.5),
    program(for_else, 1.0, 3.0, name="for_else_broken"),
    program(for_else, 1.0, 300.0, name="for_else_exhausted"),
    program(continue_in_nested_loops, 0.8),
    program(fibonacci_swap, 0.3, 0.7, 6),
    program(zero_trip_loop, 1.5, 0, name="zero_trips"),
    program(zero_trip_loop, 1.5, 3, name="three_trips"),
    program(walrus_in_conditions, 2.3),
    program(chained_comparison, 0.5, 1.4),
    program(conditional_expressions, 0.5, 1.4),
    program(star_unpacking, 0.5, 1.4, -0.3),
    program(rebinding_types, 1.2),
    program(deleted_names, 1.2),
    program(black_scholes, 100.0, 95.0, 0.02, 0.25, 0.75),
    program(implied_volatility, 12.0, 100.0, 95.0, 0.75),
    program(horner, 0.7, [1.0, -2.0, 0.5, 3.0]),
    program(continued_fraction, 1.3, 6),
    program(arithmetic_geometric_mean, 1.0, 3.0),
    program(printing_and_asserting, 1.7),
    program(shadowing_names, 0.5, 1.1, -0.4, 0.9, 1.3, 0.2),
    program(greek_names, 0.5, 1.1),
    program(loop_variable_reuse, 0.6),
    program(int_counts_as_float, 1.3, 3, wrt=(0,)),
    program(many_math_functions, 0.8, 1.7),
    program(signs_by_parity, 0.8, 6),
]
