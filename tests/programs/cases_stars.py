"""Programs that call functions with a star before a sequence of which the length is known at run time only."""

from __future__ import annotations

import functools
import math

import numpy as np
from program import program

rng = np.random.default_rng(61)
x0 = np.array([0.3, 0.7, 0.4])


def weighted_squares(*values):
    total = 0.0
    for k, v in enumerate(values):
        total = total + v * v * (k + 1)
    return total


def horner(x, *coefficients):
    total = 0.0
    for c in coefficients:
        total = total * x + c
    return total


def to_any_number(x, n):
    values = [math.sin(x * k) for k in range(n)]
    return weighted_squares(*values) + max(*values) * min(x, *values, 2.0)


def rows_of_an_array(x):
    return horner(x[0], *x) + weighted_squares(*(v * v for v in x), *map(math.sin, x), 2.0)


def some_items_to_names(x, n):
    def of_first(first, second=2.0, *rest):
        return first * second + sum(rest) * len(rest)

    values = [x * k + 1.0 for k in range(n)]
    return of_first(*values) + of_first(*values[:1]) ** 2 + of_first(x, *values)


def to_defaults(x, n):
    def scaled(a, b=2.0, c=3.0):
        return a * b**2 + c

    return scaled(*x[:n]) + scaled(*x[:1], c=x[0]) + scaled(x[0], *x[: n - 1])


def twice(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2.0 * f(*args, **kwargs)

    return wrapper


@twice
def product_of_three(a, b, c, scale=1.0):
    return a * b * c * scale


def through_a_decorator(x):
    return product_of_three(*x, scale=x[1]) + twice(weighted_squares)(*x)


class Scaled:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, *values):
        return self.scale * sum(values)


def to_objects_and_partials(x):
    cubic = functools.partial(horner, x[1], 1.0)
    scaled = Scaled(x[0])
    values = [v * x[2] for v in x]
    return scaled(*values) * cubic(*[v * v for v in x if v > 0.35])


def changed_as_a_list(*args):
    args = list(args)
    args[0] = args[1] * 2.0
    args.append(args[0])
    return sum(a * a for a in args)


def arguments_that_change(x):
    values = [v * 1.0 for v in x]
    return changed_as_a_list(*values) + values[0]


def doubled_in_place(*arrays):
    for a in arrays:
        a *= 2.0
    return sum(np.sum(a) for a in arrays)


def arrays_that_change(x, n):
    arrays = [x * k for k in range(n)]
    return doubled_in_place(*arrays) * np.sum(arrays[1])


def first_and_others(*values):
    if len(values) == 0:
        return 0.0
    return values[0] ** 2 + 0.5 * first_and_others(*values[1:])


def again_with_fewer(x, n):
    return first_and_others(*[x * k for k in range(n)])


def log_sum_exp(*terms):
    top = max(terms)
    return top + math.log(sum(math.exp(t - top) for t in terms))


def forward_algorithm(x, steps):
    a = [x[0], 0.0]
    for k in range(steps):
        a = [log_sum_exp(*[b + x[j] * k for j, b in enumerate(a)]) for _ in range(3)]
    return log_sum_exp(*a)


def hamilton_product(p, q):
    a, b, c, d = p
    t, x, y, z = q
    return (a * t - b * x - c * y - d * z, a * x + b * t, a * y + c * t - d * x, a * z + d * t + c * x)


def turned_by_rates(rates):
    q = (1.0, 0.0, 0.0, 0.0)
    for rate in rates.reshape(-1, 3):
        angle = np.linalg.norm(rate)
        q = hamilton_product(q, (math.cos(angle), *(rate * math.sin(angle))))
        q = tuple(c / math.sqrt(sum(c * c for c in q)) for c in q)
    return q[0] * q[1] + q[2] * q[3]


def tuple_with_an_array_in_it(x, n):
    padded = (0.5, *x[:n], x[0] * 2.0, *(k * x[1] for k in range(n)))
    total = padded[-1] * len(padded)
    for left, right in zip(padded, padded[2:]):
        total += left * right
    return total + sum(padded) + max(padded)


def array_of_a_tuple_with_stars(x, n):
    ends = np.array((0.0, *x, 1.0))
    return np.sum(np.diff(ends) ** n)


class Polynomial:
    def __init__(self, *coefficients, scale=1.0):
        self.coefficients = list(coefficients)
        self.scale = scale

    def __call__(self, x):
        total = 0.0
        for c in reversed(self.coefficients):
            total = total * x + c
        return total * self.scale

    def __mul__(self, other):
        out = [0.0] * (len(self.coefficients) + len(other.coefficients) - 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                out[i + j] += a * b
        return Polynomial(*out, scale=self.scale * other.scale)

    def slope(self):
        return Polynomial(*[k * c for k, c in enumerate(self.coefficients)][1:], scale=self.scale)


def to_a_constructor(x):
    p, q = Polynomial(*x, scale=x[0]), Polynomial(1.0, *x[1:])
    return (p * q)(0.7) * q.slope()(x[1])


def of_a_display_with_a_star(x, n):
    first, *among, last = [x[0], *x[1:n], x[0] * x[2]]
    both = (x[1], *[v * v for v in x])
    return first * sum(among, 1.0) * last + both[-1] * len(both)


def spaced(n, a, b=1.0):
    return a + (b - a) * np.linspace(0.0, 1.0, n) ** 2


def along_each_axis(function, n, *args):
    given = list(args)
    n, args = np.atleast_1d(n), list(map(np.atleast_1d, given))
    if all([x.size == 1 for x in [n, *args]]):
        return function(n[0], *given)
    return np.concatenate([function(n[k], *[x[k] for x in args]) for k in range(n.size)])


def nodes_along_axes(a, b):
    return np.sum(along_each_axis(spaced, 3, a, b) ** 2) * np.hypot(*[a, b])


PROGRAMS = [
    program(to_a_constructor, x0),
    program(of_a_display_with_a_star, x0, 3),
    program(of_a_display_with_a_star, x0, 1, name="of_a_display_with_an_empty_star"),
    program(to_any_number, 0.7, 4),
    program(rows_of_an_array, x0),
    program(some_items_to_names, 0.7, 5),
    program(some_items_to_names, 0.7, 2, name="two_items_to_names"),
    program(to_defaults, x0, 3),
    program(to_defaults, x0, 2, name="to_one_default"),
    program(through_a_decorator, x0),
    program(to_objects_and_partials, x0),
    program(arguments_that_change, x0),
    program(arrays_that_change, x0, 4),
    program(again_with_fewer, 0.7, 5),
    program(forward_algorithm, x0, 3),
    program(turned_by_rates, np.array([0.1, -0.2, 0.3, 0.25, 0.4, -0.15])),
    program(tuple_with_an_array_in_it, x0, 2),
    program(tuple_with_an_array_in_it, x0, 1, name="tuple_with_one_item_in_it"),
    program(array_of_a_tuple_with_stars, x0, 3),
    program(nodes_along_axes, 0.5, 2.0),
]
