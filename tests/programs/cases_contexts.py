"""What ``with`` gives its body, and what comes of unknown rank, read again by the derivative."""

from __future__ import annotations

import contextlib
import math

import numpy as np
from program import program


class Budget:
    """A context that is an object, and gives a number."""

    def __init__(self, share):
        self.share = share

    def __enter__(self):
        return self.share

    def __exit__(self, *exception):
        return False


budget = Budget(3.0)


def shared_out(x):
    with np.errstate(divide="ignore"), contextlib.nullcontext(2.0) as weight, budget as share:
        y = np.log(x**2) * weight
        z = np.exp(y) * share
    return np.sum(z * y)


def contexts_in_a_loop(x, n):
    y = x
    for k in range(n):
        with contextlib.nullcontext(1.0 + k) as outer:
            y = np.sin(y) * outer
            if k % 2:
                with contextlib.nullcontext(2.0 * outer) as inner:
                    y = y * inner + y**2
    return np.sum(y)


class Scale:
    """A context that the function makes."""

    def __init__(self, by):
        self.by, self.depth = by, 0.0

    def __enter__(self):
        self.depth += self.by
        return 2.0 * self.by

    def __exit__(self, *exception):
        self.depth *= 0.5


def left_early(scale, y):
    with scale as by:
        if y > 1.0:
            return by * y
        y = 3.0 * y
    return y


def contexts_of_its_own(y, n):
    scale = Scale(y)
    for k in range(n):
        with scale as by, Scale(by) as more:
            if k == 1:
                continue
            y = y * more
            if k == 2:
                break
    return left_early(scale, y) * left_early(scale, 0.1 * y) * scale.depth


def values_for_contexts(y):
    with contextlib.nullcontext(), contextlib.nullcontext((y, 2.0 * y)) as (a, b):
        return a * b * y


def suppressed_behind_another(y):
    with np.errstate(divide="ignore"), contextlib.suppress(ValueError):
        return math.log(-y)
    return y * y


def solved_for_the_rest(stiffness, load, fixed):
    free = np.setdiff1d(np.arange(load.size), fixed)
    return load[free] @ np.linalg.solve(stiffness[np.ix_(free, free)], load[free])


def of_unknown_rank(xs):
    return [x * 1.0 for x in xs][-1]


def solved_for_what_comes(a, xs):
    return np.sum(np.linalg.solve(a, of_unknown_rank(xs)) ** 2)


class Holder:
    def __init__(self, a):
        self.a = a

    @contextlib.contextmanager
    def times(self, factor):
        old = self.a
        self.a = old * factor
        try:
            yield self.a
        finally:
            self.a = old


@contextlib.contextmanager
def scaled(holder, factor=2.0):
    old = holder.a
    holder.a = old * factor
    yield holder
    holder.a = old * holder.a


@contextlib.contextmanager
def borrowed(buffer, change):
    kept = buffer.copy()
    buffer += change
    yield buffer
    buffer[:] = kept


def by_a_generator(x, factor):
    holder = Holder(x)
    with scaled(holder, factor) as held:
        total = np.sum(held.a**2)
    return total + np.sum(holder.a**3)


def by_a_method(x, factor):
    holder = Holder(x)
    with holder.times(factor) as a, scaled(holder, a[0]):
        total = np.sum(holder.a**2) * a[1]
    return total + holder.a[1]


def generators_left_early(x, factor):
    holder, total = Holder(x), 0.0

    def once():
        with scaled(holder, factor=factor):
            if holder.a[0] > 0.1:
                return np.sum(holder.a**2)
            holder.a = holder.a * 3.0
        return 1.0

    for k in range(3):
        with scaled(holder):
            if k == 1:
                continue
            total += holder.a[k] ** 2
            if total > 30.0 * factor:
                break
        total *= 1.5
    return total * once() * np.sum(holder.a)


def buffer_put_back(x, factor):
    buffer = x.copy()
    with borrowed(buffer, factor * x) as changed:
        changed *= 2.0
        total = np.sum(changed * buffer)
    return total + buffer @ buffer


x = np.array([0.7, -1.2, 0.4])
a = np.array([[2.0, 0.1, 0.3, 0.2], [0.4, 3.0, 0.1, 0.6], [0.2, 0.1, 2.5, 0.3], [0.1, 0.5, 0.4, 2.2]])

PROGRAMS = [
    program(by_a_generator, x, 1.7, name="context by a generator"),
    program(by_a_method, x, 1.7, name="context by a method"),
    program(generators_left_early, x, 1.7, name="generators left early"),
    program(buffer_put_back, x, 1.7, name="buffer put back"),
    program(shared_out, x),
    program(contexts_in_a_loop, x, 4),
    program(contexts_of_its_own, 0.8, 4),
    program(values_for_contexts, 0.8),
    program(suppressed_behind_another, 0.8),
    program(solved_for_the_rest, a, np.array([1.0, -0.5, 2.0, 0.3]), [1]),
    program(solved_for_what_comes, a[:3, :3], [x, np.outer(x, x)]),
    program(solved_for_what_comes, a[:3, :3], [np.outer(x, x), x], name="solved_for_a_vector_that_comes"),
]
