"""Lists of losses that are summed up, and lists that only look like those."""

from __future__ import annotations

import math

import numpy as np
from program import program

rng = np.random.default_rng(37)
x = rng.uniform(0.2, 0.9, 5)
xs = x.tolist()


def loss(w, x):
    h = w
    for _ in range(3):
        h = math.tanh(h * x + w)
    return h * h


def mean_of_losses(w, xs):
    losses = [loss(w, x) for x in xs]
    return sum(losses) / len(losses)


def mean_of_a_list_of_losses(w, xs):
    return np.mean([loss(w, x) for x in xs])


def sum_of_an_array_of_losses(w, xs):
    return np.sum(np.array([loss(w, x) for x in xs])) * w


def mean_of_appended_losses(w, xs):
    losses = []
    for x in xs:
        losses.append(loss(w, x))
    return np.mean(losses) + 0.1 * w**2


def losses_added_by_hand(w, xs, n):
    losses = []
    for i in range(1, n, 2):
        losses.append(loss(w, xs[i]))
    total = 0.0
    for value in losses:
        total += 0.5 * w * value
    return total / len(losses)


def losses_by_a_while_loop(w, xs):
    losses, i = [], len(xs)
    while i > 0:
        i -= 1
        losses.append(loss(w, xs[i]))
    return math.fsum(losses) / len(losses)


def losses_of_batches(w, xs, n):
    means = []
    for k in range(n):
        batch = []
        for x in xs:
            batch.append(loss(w + 0.1 * k, x))
        means.append(sum(batch) / len(batch))
    return sum(means) / len(means)


def losses_above_a_level(w, xs):
    losses = []
    for x in xs:
        value = loss(w, x)
        if value > 0.3:
            losses.append(value)
    return sum(losses) / len(losses)


def losses_read_again(w, xs):
    losses = [loss(w, x) for x in xs]
    return np.mean(losses) * losses[-1] + losses[0]


def losses_with_a_first(w, xs):
    losses = [w * w]
    for x in xs:
        losses.append(loss(w, x))
    return sum(losses) / len(losses)


def losses_by_another_name(w, xs):
    losses = []
    for x in xs:
        losses.append(loss(w, x))
    others = losses
    others.append(w)
    return sum(losses) / len(losses)


def losses_that_follow(w, xs):
    losses = []
    for x in xs:
        w = 0.9 * w + 0.1 * loss(w, x)
        losses.append(w * x)
    return sum(losses)


def losses_of_two_sums(w, xs):
    losses = [loss(w, x) for x in xs]
    return np.sum(losses) * 0.1 + sum(losses[1:]) + sum(v * x for v, x in zip(losses, xs))


def losses_until_one_is_small(w, xs):
    losses = []
    for x in xs:
        losses.append(loss(w, x))
        if losses[-1] < 0.1:
            break
    return sum(losses) / len(losses)


def losses_measured_before_and_after(w, xs):
    losses = []
    early = np.array(losses)
    for x in xs:
        losses.append(loss(w, x))
    return np.sum(losses) / (1.0 + np.size(early)) + len(losses) * w


PROGRAMS = [
    program(mean_of_losses, 0.4, x),
    program(mean_of_losses, 0.4, xs, name="mean_of_losses_of_a_list"),
    program(mean_of_a_list_of_losses, 0.4, x),
    program(mean_of_a_list_of_losses, 0.4, xs, name="mean_of_a_list_of_losses_of_a_list"),
    program(sum_of_an_array_of_losses, 0.4, x),
    program(mean_of_appended_losses, 0.4, x),
    program(losses_added_by_hand, 0.4, x, 5),
    program(losses_by_a_while_loop, 0.4, x),
    program(losses_of_batches, 0.4, x, 3),
    program(losses_above_a_level, 0.6, x),
    program(losses_read_again, 0.4, x),
    program(losses_with_a_first, 0.4, x),
    program(losses_by_another_name, 0.4, x),
    program(losses_that_follow, 0.4, x),
    program(losses_of_two_sums, 0.4, x),
    program(losses_until_one_is_small, 0.4, np.array([0.5, 0.8, 0.01, 0.7])),
    program(losses_measured_before_and_after, 0.4, x),
]
