"""Programs that bind names with ``:=``, in whose scope that depends on what is around."""

from __future__ import annotations

import numpy as np
from program import program


def of_a_lambda_its_own(x, b):
    w = x * 3.0
    double = lambda z: (w := z * 2.0) * w
    squares = [(lambda q: (w := q * x) * w)(z) for z in b]
    within = lambda z: sum([(w := z * q) * w for q in b])
    return double(x) + sum(squares) + within(x) + w


def of_a_name_around(x, b):
    w = x * 3.0

    def last(z):
        nonlocal w
        first = [(w := q * z) for q in b][1]
        if (w := w + z) > 0.2:
            return first * w
        return first

    return last(x) * w + x + last(w)


def in_what_a_parameter_is_by_default(x, b):
    scaled = lambda z, c=sum([w * q for q in b if (w := q * 0.5) > 0.2]): z * c + x

    def shifted(z, c=(t := x * x), *, d=(u := x + 1.0)):
        return z * c * d

    return scaled(x) * w + shifted(x) * t * u


def of_several_lambdas(x, b):
    functions = [lambda q, k=k: q * k + (t := q * x) * t for k in range(3)]
    return sum(f(z) for f in functions for z in b)


X, B = 0.4, np.array([0.31, -0.42, 0.77, 0.15])

PROGRAMS = [
    program(of_a_lambda_its_own, X, B),
    program(of_a_name_around, X, B),
    program(in_what_a_parameter_is_by_default, X, B),
    program(of_several_lambdas, X, B),
]
