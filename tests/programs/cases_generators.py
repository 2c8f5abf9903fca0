"""Generator functions and expressions: what they yield, when, and for how long."""

from __future__ import annotations

import collections
import itertools
import math

import numpy as np
from program import program


def pairs(xs):
    for i in range(len(xs)):
        for j in range(i):
            yield xs[i], xs[j]


def newton(x, a):
    while True:
        x = 0.5 * (x + a / x)
        yield x


class Chain:
    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        for v in self.xs:
            yield v * v


def states(y0, dt):
    y = y0
    t = 0.0
    while t < 1.0:
        y = y - dt * y * y
        t += dt
        yield t, y


def window(xs, n):
    d = collections.deque(maxlen=n)
    for x in xs:
        d.append(x)
        if len(d) == n:
            yield sum(d) / n


def blocks(x, n):
    for i in range(0, len(x), n):
        yield x[i : i + n]


def energy_of_pairs_yielded(x):
    e = 0.0
    for a, b in pairs(x):
        e += math.exp(-((a - b) ** 2))
    return e


def sum_over_pairs_yielded(x):
    return sum(a * b for a, b in pairs(x))


def lists_of_what_is_yielded(x):
    l = list(pairs(x))
    return sum(a * b * k for k, (a, b) in enumerate(l)) + np.sum(np.array([p for p, _ in pairs(x)]) ** 2)


def steps_without_end_left_by_break(a):
    prev = a
    for x in newton(a, a):
        if abs(x - prev) < 1e-14:
            break
        prev = x
    return x


def returned_out_of_a_generator(a):
    for k, x in enumerate(newton(a, a)):
        if k > 20:
            return x * k
    else:
        return 0.0


def beside_a_generator_without_end(a):
    t = 0.0
    for k, x in zip(range(7), newton(a, a)):
        t += k * x
    for x, k in zip(newton(a, a), range(5)):
        t += x**k
    return t


def first_of_a_generator_without_end(a):
    return sum(itertools.islice(newton(a, a), 6)) + [v for v in itertools.islice(newton(a, a), 3)][-1]


def several_yields_and_a_return(x):
    def g(n):
        yield x
        if x > 0.3:
            yield x * x
        for k in range(n):
            if k == 2:
                continue
            if k == 4:
                return
            yield k * x**3
        yield math.nan

    t = 0.0
    for v in g(6):
        t = t * 0.5 + v
    return t


def yielded_from_others(x):
    def a():
        yield x
        yield x**2

    def b():
        yield from a()
        yield from [x * k for k in range(3)]
        yield from (x + 1 for _ in range(2))

    return max(b()) * sum(b()) + min(a())


def generator_expression_kept(x):
    g = (v * x for v in [1.0, 2.0, 3.0] if v * x < 2.5)
    x = x * 2
    return sum(g) * x


def generator_expression_left(xs):
    g = (a * b for a in xs for b in xs if a < b)
    t = 0.0
    for v in g:
        t += v * v
        if t > 1.0:
            break
    return t


def generator_and_loop_change_one_list(x):
    log = []

    def g():
        for k in range(3):
            log.append(x * k)
            yield k

    t = 0.0
    for k in g():
        t += log[-1] * len(log)
        log.append(x)
    return t + sum(log)


def states_of_an_integration(y0):
    for t, y in states(y0, 0.1):
        pass
    return y


def first_that_passes(xs):
    return next(v * v for v in xs if v > 0.5) + next((v for v in xs if v > 50), 3.0) + next(iter(xs))


def generator_within_itself_in_a_loop(xs):
    t = 0.0
    for a, b in pairs(xs):
        for c, d in pairs(xs):
            t += a * b * c + d
            if t > 5:
                break
        else:
            t *= 1.1
    return t


def energy_like(p):
    t = 0.0
    for a, b in p:
        t += a * b * b
    return t


def generator_handed_on(xs):
    p = pairs(xs)
    return energy_like(p)


def object_that_yields(xs):
    c = Chain(xs)
    return sum(c) + sum(v for v in c)


def generator_taken_while_and_mapped(a):
    return (
        sum(itertools.takewhile(lambda v: v > a**0.5 + 1e-3, newton(a * 2, a)))
        + sum(map(lambda v: v * v, itertools.islice(newton(a, a), 2)))
        + sum(filter(lambda v: v > 0.4, (a * k for k in range(4))))
    )


def running_sums_of_what_is_yielded(xs):
    return sum(itertools.accumulate(p * q for p, q in pairs(xs))) + sum(
        itertools.accumulate((p * q for p, q in pairs(xs)), lambda u, v: u * 0.5 + v)
    )


def changed_while_it_is_yielded(x):
    y = x.copy()

    def g():
        for k in range(len(y)):
            yield y[k]

    for k, v in enumerate(g()):
        y[(k + 1) % 3] += v * v
    return np.sum(y)


def return_in_a_loop_over_a_generator(xs):
    for a, b in pairs(xs):
        if a * b > 0.3:
            return a * b * b
    return xs[0]


def windows_yielded(xs):
    return sum(v * v for v in window(xs, 2))


def generator_that_rebinds_a_name_outside(x):
    total = 0.0

    def g(n):
        nonlocal total
        for k in range(n):
            total += x * k
            yield total * x

    s = 0.0
    for v in g(4):
        s += v * total
        total *= 0.5
    return s + total


def generator_in_a_try(x):
    def g():
        for k in range(3):
            yield math.log(x - k * 0.3)

    s = 0.0
    try:
        s = sum(g())
    except ValueError:
        s = x**3
    return s


def try_in_a_loop_over_a_generator(xs):
    t = 0.0
    for a, b in pairs(xs):
        try:
            t += math.sqrt(a - b)
        except ValueError:
            t += a * b
    return t


def generator_made_anew_in_a_loop(xs):
    t = 0.0
    for k in range(3):
        for a, b in pairs(xs):
            t = t * 0.9 + a * b * k
            if t > 2:
                continue
            t += a
    return t


def names_bound_in_a_loop_over_a_generator(xs):
    for a, b in pairs(xs):
        c = a * b
        if c > 0.3:
            break
    return c * a * b


def closures_over_what_is_yielded(xs):
    fs = 0.0
    for a, b in pairs(xs):
        f = lambda t: t * a - b
        fs += f(f(1.0))
    return fs


def list_grows_before_it_is_asked_for(x):
    l = [x]
    g = (v * v for v in l)
    l.append(2 * x)
    return sum(g)


def name_rebound_before_it_is_asked_for(x):
    k = 2.0
    g = (v * k for v in [x, x * x])
    k = 5.0 * x
    return sum(g)


def dict_of_what_is_yielded(p):
    def g():
        for k, v in p.items():
            yield k, v * v

    d = dict(g())
    return sum(d.values()) + sum(v for k, v in g())


def first_of_a_count(x):
    return next(k * x for k in itertools.count() if k * x > 1.0)


def array_filled_from_a_generator(x):
    y = np.zeros(4)
    for k, v in enumerate(itertools.islice(newton(x, x), 4)):
        y[k] = v
    return np.sum(y * np.arange(4))


def blocks_yielded(x):
    return sum(np.sum(b) ** 2 for b in blocks(x, 2)) + np.prod([np.sum(b) for b in blocks(x, 2)])


def views_yielded(x):
    y = x * 1.0
    for b in blocks(y, 2):
        b *= b[0]
    return np.sum(y * x)


def one_array_yielded_each_time(xs):
    buf = np.zeros(2)

    def g():
        for v in xs:
            buf[0] = v
            buf[1] = v * v
            yield buf

    a = sum(float(b[0] * b[1]) for b in g())
    b = [b for b in g()]
    return a + b[0][0] * b[-1][1]


def functions_yielded(x):
    def g():
        yield from (math.sin, math.cos)

    return sum(f(x) for f in g()) * x


def list_extended_by_its_own_items(x):
    items = [x, x * x, 3.0]
    items.extend(v * x for v in items[:2])
    items.extend(v * x for v in items[1:] if v * x < 1.0)
    return sum(items)


XS = np.array([0.4, 0.9, 0.7])
YS = np.array([0.3, 0.6, 0.2, 0.7, 0.9])


def additions(a, b):
    while True:
        yield a
        a, b = b, 0.5 * a + b


def slices_of_what_has_no_end(x, n):
    total = sum(math.sin(v) for v in itertools.islice(additions(x, 1.0), 2, 5))
    for k, v in enumerate(itertools.islice(additions(1.0, x), 1, n, 2)):
        total = total * v + k
    numbers = additions(x, x * x)
    total += sum(itertools.islice(numbers, 4, 2))
    return total + sum(v * v for v in itertools.islice(additions(x, x), 3))


def items_dropped_are_asked_for(x, n):
    seen = []

    def noted():
        for k in range(9):
            seen.append(x * k)
            yield x + k

    total = sum(itertools.islice(noted(), 1, n, 3))
    return total * len(seen) + sum(seen)


PROGRAMS = [
    program(slices_of_what_has_no_end, 0.4, 6),
    program(items_dropped_are_asked_for, 0.4, 7),
    program(items_dropped_are_asked_for, 0.4, 6, name="items_dropped_at_the_end"),
    program(list_extended_by_its_own_items, 0.4),
    program(energy_of_pairs_yielded, XS),
    program(energy_of_pairs_yielded, [0.4, 0.9, 0.7], name="energy_of_pairs_yielded_2"),
    program(sum_over_pairs_yielded, XS),
    program(lists_of_what_is_yielded, XS),
    program(lists_of_what_is_yielded, [0.4, 0.9, 0.7], name="lists_of_what_is_yielded_2"),
    program(steps_without_end_left_by_break, 2.3),
    program(returned_out_of_a_generator, 2.3),
    program(beside_a_generator_without_end, 1.7),
    program(first_of_a_generator_without_end, 1.7),
    program(several_yields_and_a_return, 0.7),
    program(several_yields_and_a_return, 0.2, name="several_yields_and_a_return_2"),
    program(yielded_from_others, 0.7),
    program(generator_expression_kept, 0.6),
    program(generator_expression_left, XS),
    program(generator_and_loop_change_one_list, 0.7),
    program(states_of_an_integration, 0.8),
    program(first_that_passes, XS),
    program(generator_within_itself_in_a_loop, XS),
    program(generator_handed_on, XS),
    program(object_that_yields, XS),
    program(generator_taken_while_and_mapped, 1.3),
    program(running_sums_of_what_is_yielded, XS),
    program(changed_while_it_is_yielded, XS),
    program(return_in_a_loop_over_a_generator, XS),
    program(windows_yielded, XS),
    program(generator_that_rebinds_a_name_outside, 0.7),
    program(generator_in_a_try, 0.9),
    program(generator_in_a_try, 0.5, name="generator_in_a_try_2"),
    program(try_in_a_loop_over_a_generator, XS),
    program(generator_made_anew_in_a_loop, XS),
    program(names_bound_in_a_loop_over_a_generator, XS),
    program(closures_over_what_is_yielded, XS),
    program(list_grows_before_it_is_asked_for, 0.4),
    program(name_rebound_before_it_is_asked_for, 0.4),
    program(dict_of_what_is_yielded, {"a": 0.3, "b": 0.6}),
    program(first_of_a_count, 0.3),
    program(array_filled_from_a_generator, 1.2),
    program(blocks_yielded, YS),
    program(views_yielded, YS),
    program(one_array_yielded_each_time, XS),
    program(functions_yielded, 0.4),
]
