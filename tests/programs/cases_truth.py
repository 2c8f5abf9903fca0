"""Truth of lists and arrays as a whole, masks of matrices, and arrays turned around."""

from __future__ import annotations

import numpy as np
from program import program


def while_all(x):
    numbers = [v * 1.0 for v in x]
    total = 0.0
    while numbers and all(v < 0.9 for v in numbers):
        total = total + numbers.pop() ** 2
    return total


def any_of_a_list(x, bound):
    numbers = [v * x[0] for v in x]
    if any([v > bound for v in numbers]):
        return sum(numbers)
    return numbers[0]


def of_a_mask(x, bound):
    large = x > bound
    if all(large):
        return np.sum(x)
    if any(large):
        return np.sum(x**2)
    return x[0] ** 3


def of_numbers(x):
    return np.sum(x * x) if all(x) and any(list(x)) else x[0]


def turned_around(A):
    B = A * 1.0
    np.flipud(B)[0] *= A[1]
    return (
        np.sum(np.flip(A, 0) * A[0])
        + np.sum(np.flip(B) * A)
        + np.sum(np.flipud(A) * np.fliplr(B))
        + np.sum(np.flip(A, axis=1)[0] * A[1])
    )


def masked_matrix(A):
    B = A * 1.0
    B[B > 0.5] = np.tanh(B[B > 0.5])
    low = B < 0.4
    B[low] *= 3.0
    return np.sum(B * B) + np.mean(A[~low])


def class_of_a_sum(x, bound):
    above = x[0] > bound
    for v in x:
        above = above + (v > bound)
    return x[0] * 2.0 if isinstance(above, np.bool_) else x[0] * above


x = np.linspace(0.1, 0.8, 4)
A = np.linspace(0.1, 0.8, 12).reshape(3, 4)

PROGRAMS = [
    program(while_all, x),
    program(any_of_a_list, x, 0.05),
    program(any_of_a_list, x, 0.5),
    program(of_a_mask, x, 0.05),
    program(of_a_mask, x, 0.5),
    program(of_a_mask, x, 0.9),
    program(of_numbers, x),
    program(turned_around, A),
    program(masked_matrix, A),
    program(class_of_a_sum, x, 0.3),
]
