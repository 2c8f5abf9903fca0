"""Sums over points, whose iterations may be reversed as soon as they have run, and loops that only look like those."""

from __future__ import annotations

import math

import numpy as np
from program import program

rng = np.random.default_rng(23)
X, labels = rng.normal(size=(6, 3)), np.sign(rng.normal(size=6))
W, v = rng.normal(size=(4, 3)), rng.normal(size=4)
w, x = rng.normal(size=3), rng.uniform(0.2, 0.9, 7)
layers = [(rng.normal(size=(2, 3)).tolist(), rng.normal(size=2).tolist()), ([[0.3, -0.7]], [0.2])]


def network_of_lists(layers, X, labels):
    total = 0.0
    for point, label in zip(X, labels):
        values = point
        for weights, biases in layers:
            values = [math.tanh(sum(w * z for w, z in zip(row, values)) + b) for row, b in zip(weights, biases)]
        margin = 1.0 - label * values[0]
        if margin > 0.0:
            total += margin
    penalty = 0.0
    for weights, _ in layers:
        for row in weights:
            for w in row:
                penalty += w * w
    return total / len(labels) + 0.01 * penalty


def two_sums(a, b, x):
    total = 0.0
    for i in range(len(x)):
        h = math.tanh(a * x[i] + b)
        for _ in range(3):
            h = math.sin(h + a)
        total += h * h
    for i in range(len(x)):
        h = math.exp(-b * x[i])
        for _ in range(2):
            h = math.cos(h * a)
        total -= h * b
    return total / len(x)


def filled_in_each_iteration(w, x):
    terms = np.zeros(3)
    slopes = np.empty(3)
    total = 0.0
    for i in range(len(x)):
        slopes[:] = np.sin(w * x[i])
        terms[0] = w[0]
        for c in range(1, 3):
            terms[c] = terms[c - 1] * w[c] + x[i] ** c
            terms[c] *= slopes[c]
        total += np.log(np.sum(np.exp(terms))) * np.sum(slopes)
    return total


def filled_for_some_numbers(w, x):
    terms = np.zeros(3)
    total = 0.0
    for i in range(len(x)):
        for c in range(i % 3):
            terms[c] = w[c] * x[i]
        total += np.sum(np.exp(terms))
    return total


def filled_after_it_is_read(w, x):
    terms = np.ones(3)
    total = 0.0
    for i in range(len(x)):
        total += np.sum(np.exp(terms * x[i]))
        for c in range(3):
            terms[c] = w[c] * x[i]
    return total


def filled_where_positive(w, x):
    terms = np.ones(3)
    total = 0.0
    for i in range(len(x)):
        for c in range(3):
            if w[c] * x[i] > 0.1:
                terms[c] = w[c] * x[i]
        total += np.sum(np.exp(terms))
    return total


def kept_from_the_last(w, x):
    terms = np.ones(3)
    total = 0.0
    for i in range(len(x)):
        for c in range(3):
            terms[c] = w[c] * x[i]
        total += np.sum(np.exp(terms))
    return total * terms[1]


def scratch_seen_later(w, x):
    terms = np.ones(3)
    seen = []
    for i in range(len(x)):
        terms[:] = w * x[i]
        seen.append(terms)
    return np.sum(np.exp(seen[0])) * seen[1][2]


def batches(W, v, X):
    total = 0.0
    for start in range(0, len(X), 2):
        hidden = np.tanh(X[start : start + 2] @ W.T)
        for _ in range(2):
            hidden = np.maximum(hidden * 1.1 - 0.05, 0.0)
        total += np.sum((hidden @ v - 0.3) ** 2)
    return 0.5 * total + 0.1 * np.sum(W**2)


def with_counts(w, x):
    total, hits, last = 0.0, 0, -1
    seen = []
    for i in range(len(x) - 1, -1, -1):
        h = math.sin(w[0] * x[i])
        s = 0.0
        for j in range(3):
            s += h * w[j]
            if s > 0.4:
                hits += 1
                last = i
                continue
            s = s * s
        seen.append(s)
        total += s * hits
    return total + last


def squared(w, x):
    total = 0.0
    for i in range(len(x)):
        h = w[0]
        for j in range(3):
            h = math.sin(h * w[j] + x[i])
        total += h
    return total * total


def scaled_by_the_first(w, x):
    total = 0.0
    for i in range(len(x)):
        h = w[0]
        for j in range(3):
            h = math.sin(h * w[j] + x[i])
        total += h
    scaled = 0.0
    for i in range(len(x)):
        scaled += math.exp(total * x[i])
    return scaled


def of_running_sums(w, x):
    total, running = 0.0, 0.0
    for i in range(len(x)):
        h = w[0]
        for j in range(3):
            h = math.sin(h * w[j] + x[i])
        running += h
        total += running * x[i]
    return total


def of_sums_squared(w, x):
    total, running = 0.0, 0.0
    for i in range(len(x)):
        h = w[0]
        for j in range(3):
            h = math.sin(h * w[j] + x[i])
        running += h
        total += running**2
    return total


def of_an_array_that_changes(w, x):
    y = x * 1.0
    total = 0.0
    for i in range(len(x) - 1):
        h = y[i]
        for j in range(3):
            h = math.sin(h * w[j] + y[i + 1])
        total += h * y[i]
        y[i + 1] = h
    return total


def of_one_that_changes_first(w, x):
    y = x * 1.0
    total = 0.0
    for i in range(1, len(x)):
        y[i - 1] = w[1] * y[i]
        h = y[i]
        for j in range(3):
            h = math.sin(h * w[j] + y[0])
        total += h
    return total


def of_a_stack(w, x):
    stack = []
    total = 0.0
    for i in range(len(x)):
        h = math.sin(w[0] * x[i])
        stack.append(h)
        if h > 0.1:
            stack.append(h * w[1])
    for i in range(len(x) - 1, -1, -1):
        total += math.exp(stack.pop() * x[i])
    return total


def with_sums_read_behind(w, x):
    sums = np.zeros(3)
    for i in range(len(x)):
        h = w * x[i]
        for _ in range(2):
            h = np.sin(h)
        sums += h
    return np.sum(sums)


def with_the_greatest_behind(w, x):
    best = -1.0
    total = 0.0
    for i in range(len(x)):
        h = w[0]
        for j in range(3):
            h = math.sin(h * w[j] + x[i])
        if h > best:
            best = h
        total += h
    return total * 2.0 if best > 0.5 else total * w[1]


def sine_of(w, x):
    h = x
    for j in range(3):
        h = math.sin(h * w[j])
    return h


def sum_of_a_generator(w, x):
    return sum(sine_of(w, z) for z in x)


def sum_of_generators(w, x):
    total = 2.0  # no name of the sum's
    inner = sum(sum(w[j] ** i * z for j in range(3)) * total for i, z in enumerate(x) if z > 0.3)
    return inner * total + sum([math.sin(w[i] * w[j]) for i in range(3) for j in range(i)], 1.5)


def product_of_a_generator(w, x):
    return math.prod(w[j] + z for j, z in enumerate(x[:3])) * math.prod((z for z in w), start=w[0])


def sum_of_arrays_and_of_lists(w, x):
    return sum(np.sin(w) * z for z in x)[1] * sum([[w[0] * z, z] for z in x], [])[2]  # noqa: RUF017


def sum_that_binds_a_name(w, x):
    return sum((last := w[0] * z) for z in x) * last + sum(w[1] * z for z in x if z > 9.0) + sum(v for v in (w[0], 2.0))


def added_to(held, k, w):
    held[0] += k * w
    return held


def one_array_in_a_list_that_is_summed(w, x):
    held = np.zeros(2)
    return sum([added_to(held, z, w[0]) for z in x])[0] * w[1]


def one_array_that_a_generator_gives(w, x):
    held = np.zeros(2)
    return sum(added_to(held, z, w[0]) for z in x)[0] * sum(added_to(held, z, w[1]) for z in (x[0], x[1], 2.0))[0]


def sum_by_a_flag(a, b, x, flag):
    total = 0.0
    if flag:
        for i in range(len(x)):
            h = a
            for _ in range(3):
                h = math.sin(h * x[i])
            total += h
    else:
        for i in range(len(x)):
            total -= math.cos(b * x[i]) ** 2
    return total / len(x)


def sums_by_what_they_are_of(a, b, x):
    total = 0.0
    if a > b:
        if x[0] > 0.9:
            total = a
        else:
            for value in x:
                total += math.tanh(a * value)
    elif a > 0.2:
        for value in x:
            total += math.tanh(b * value) * a
    if len(x) > 2:
        for value in x:
            total += math.exp(-a * value)
    return total * 2.0


def squared_by_a_flag(a, x, flag):
    total = 0.0
    if flag:
        for value in x:
            total += math.sin(a * value)
    return total * total


def by_a_flag_and_changed_behind(a, x, flag):
    y = x * a
    total = 0.0
    if flag:
        for i in range(len(y)):
            total += math.sin(y[i] * a)
    y[1:] = y[1:] * y[:-1]
    return total + np.sum(y)


def by_a_flag_that_is_asked_again(a, x, flag):
    total = 0.0
    if flag:
        for value in x:
            total += math.sin(a * value)
    a = a + 0.5 * total
    if flag:
        for value in x:
            total += math.cos(a * value)
    return total


PROGRAMS = [
    program(sum_by_a_flag, 0.4, -0.7, x, True, wrt=(0, 1, 2)),
    program(sum_by_a_flag, 0.4, -0.7, x, False, wrt=(0, 1, 2), name="sum_by_no_flag"),
    program(sums_by_what_they_are_of, 0.5, 0.3, x),
    program(sums_by_what_they_are_of, 0.3, 0.5, x, name="sums_by_what_else_they_are_of"),
    program(squared_by_a_flag, 0.4, x, True, wrt=(0, 1)),
    program(by_a_flag_and_changed_behind, 0.4, x, True, wrt=(0, 1)),
    program(by_a_flag_that_is_asked_again, 0.4, x, True, wrt=(0, 1)),
    program(one_array_in_a_list_that_is_summed, w, x, wrt=(0, 1)),
    program(one_array_that_a_generator_gives, w, x, wrt=(0, 1)),
    program(sum_of_a_generator, w, x, wrt=(0, 1)),
    program(sum_of_generators, w, x, wrt=(0, 1)),
    program(product_of_a_generator, w, x, wrt=(0, 1)),
    program(sum_of_arrays_and_of_lists, w, x, wrt=(0, 1)),
    program(sum_that_binds_a_name, w, x, wrt=(0, 1)),
    program(network_of_lists, layers, X.tolist(), labels.tolist(), wrt=(0,)),
    program(two_sums, 0.4, -0.7, x, wrt=(0, 1, 2)),
    program(filled_in_each_iteration, w, x, wrt=(0, 1)),
    program(filled_for_some_numbers, w, x, wrt=(0, 1)),
    program(filled_after_it_is_read, w, x, wrt=(0, 1)),
    program(filled_where_positive, w, x, wrt=(0, 1)),
    program(kept_from_the_last, w, x, wrt=(0, 1)),
    program(scratch_seen_later, w, x, wrt=(0, 1)),
    program(batches, W, v, X, wrt=(0, 1)),
    program(with_counts, w, x, wrt=(0, 1)),
    program(squared, w, x, wrt=(0, 1)),
    program(scaled_by_the_first, w, x, wrt=(0, 1)),
    program(of_running_sums, w, x, wrt=(0, 1)),
    program(of_sums_squared, w, x, wrt=(0, 1)),
    program(of_an_array_that_changes, w, x, wrt=(0, 1)),
    program(of_one_that_changes_first, w, x, wrt=(0, 1)),
    program(of_a_stack, w, x, wrt=(0, 1)),
    program(with_sums_read_behind, w, x, wrt=(0, 1)),
    program(with_the_greatest_behind, w, x, wrt=(0, 1)),
]
