"""Lists that are copied, sliced, joined and changed by position, with items that are shared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from program import program


def extended_through_names(a):
    l = [a, a * a]
    q = [2 * a]
    l.extend(q)
    for k in range(2):
        t = l if k else q
        t.extend([a * a * a, 1.0])
        t[0] = t[0] * t[-1] * t[-2]
    return sum(l) * sum(q)


def nested_extended(a):
    l = [[a, a * a]]
    q = [[2 * a], [a, a]]
    l.extend(q)
    l[1][0] = a * a * l[1][0]
    q[1].append(3 * a)
    return sum(sum(x) for x in l) * q[0][0]


def repeated_rows(a):
    l = [[a, 1.0]] * 2 + [[a * a]]
    l[0][0] = l[0][0] * a
    return sum(sum(x) ** 2 for x in l)


def slices_of_nested_lists(a):
    l = [[a, 1.0] for k in range(3)]
    m = l[1:] + l[:1]
    m += [[a * a, a]]
    m[0][0] *= a
    r = m[::-1]
    r[0][1] = r[1][0] * a
    return sum(x * y for x, y in l) + sum(x * y for x, y in r)


def slices_of_arrays(a):
    l = [np.array([a, 1.0]) for k in range(3)]
    m = l[1:]
    m[0][0] *= a
    m.extend(l[:1])
    m[-1][1] = a
    return sum(np.prod(x) for x in l) + m[-1] @ m[0]


def rows_as_views(a):
    A = np.array([[a, 2.0], [3.0, a * a]])
    rows = list(A)
    rows[0][:] *= a
    rows[1] = rows[1] * 2
    return A.sum() + rows[1].sum() * rows[0][1]


def list_of_a_tuple_of_lists(a):
    t = ([a, 2.0], [a * a, 1.0])
    l = list(t)
    l[0][1] = a
    return t[0][1] * l[1][0] + sum(t[0])


def values_of_a_dict(a):
    d = {"x": [a, 1.0], "y": [2 * a]}
    l = [v for v in d.values()]
    l[0].append(a * a)
    return sum(d["x"]) * d["y"][0]


def copies_of_rows(a):
    l = [[a, 1.0] for k in range(3)]
    m = [x[:] for x in l]
    m[0][0] = 3 * a
    n = [list(x) for x in l]
    n[1].pop()
    return sum(x * y for x, y in l) + sum(x * y for x, y in m) * n[1][0]


def moves_of_rows(a):
    l = [[a, 1.0] for k in range(4)]
    del l[0]
    l.insert(0, [a * a, a])
    x = l.pop(1)
    x[0] = x[0] * x[1]
    l.reverse()
    return sum(x * y for x, y in l) * x[0]


def loops_over_slices(a):
    l = [[a, 1.0] for k in range(4)]
    for row in l[1:3]:
        row[1] = a * row[0]
    for i, row in enumerate(l[:-1]):
        row[0] += l[i + 1][1]
    return sum(x * y for x, y in l)


def slice_stored(a):
    l = [a, 2.0, a * a]
    l[0:2] = [a * 3, a]
    return l[0] * l[1] * l[2]


def slices_stored_with_steps(a):
    l = [a, 2.0, a * a]
    l[:] = [v * v for v in l]
    l[::2] = [l[1], a]
    return l[0] * l[1] * l[2]


def inserted_by_slice(a):
    l = [a, 2.0, a * a]
    l[1:1] = [a, a * a * a]
    return sum(i * v for i, v in enumerate(l))


def cleared_and_searched(a):
    l = [a, 2.0, a * a]
    l.clear()
    l.append(a)
    l += [a * a]
    return l[0] * l[1] + l.index(a) + l.count(a)


def ends_counted_from_the_end(a):
    l = [a, 2.0, a * a, 1.5]
    l.insert(-1, a * a * a)
    l.insert(100, 3.0 * a)
    x = l.pop(-2)
    del l[1:3]
    l.remove(a)
    return sum(k * v for k, v in enumerate(l, 1)) * x


def grown_by_sums(a):
    m = [a]
    for k in range(3):
        m = m + [a * k, m[-1] * a]
    return sum(m) * m[2]


def model(x, scale, rate, shift):
    return scale * np.exp(-rate * x) + shift


def star_of_parameters(p):
    x = np.arange(3.0)
    return np.sum(model(x, *p) ** 2) + np.hypot(*p[:2]) + sum(model(0.5, *p[:-1], shift=p[0]) for _ in range(2))


def ordered_by_keys(p):
    pairs = [(p[0] * p[1], p[2]), (p[1], p[0]), (p[2], p[2] * p[0])]
    first, *rest = sorted(pairs)
    falling = sorted(pairs, key=lambda pair: pair[1], reverse=True)
    best = max(pairs, key=lambda pair: pair[0] * pair[1])
    worst = min(p, key=abs)
    return first[1] * falling[0][0] + best[1] ** 2 * worst + rest[0][0] + sum(sorted(p, reverse=True)[:2])


def filled_in_place_of_zeros(a):
    out, flags = [0] * 3, [True] * 2
    rows = [[0] * 2 for _ in range(3)]
    for k in range(3):
        out[k] = a * k
        rows[k][1] = a * a * k
    flags[1] = a
    return sum(out) * sum(flags) + sum(sum(row) for row in rows)


def slices_emptied_in_loops(s, b):
    for k in range(2):
        rest = s[:]
        while len(rest) > 1:
            b.append(s[-1 - k] + rest.pop(0) * s[0])
    return sum(v * v for v in b)


def becomes_a_list_of_numbers(xs):
    tape = xs[:]
    while tape:
        tape.pop()
    tape.append(xs[0][0])
    return tape[0] * 2.0


def numbers_among_arrays(xs):
    tape = xs + [xs[0][0]]
    tape.append(tape[0] * tape[2])
    last = tape.pop(1)
    return sum(np.sum(v * v) for v in tape) * np.sum(last)


class Pair(NamedTuple):
    """What a dict may hold."""

    rows: np.ndarray
    factor: float


def items_of_another_shape(x, n):
    rows = [x[:1] * 1.0, x]
    for _ in range(n):
        h = rows[0]
        rows[0] = h * rows[1] + np.sin(h)
    return np.sum(rows[0] ** 3)


def tuples_of_other_shapes(x, n):
    states = [(x[:1] * 1.0, x[1]), (x, x[0])]
    for _ in range(n):
        h, s = states[0]
        states[0] = h * states[1][0] + np.sin(h), s * h[0]
    return np.sum(states[0][0] ** 3)


def other_shapes_by_two_names(x, n):
    rows = [x[:1] * 1.0, x * 2.0]
    other = rows
    for k in range(n):
        if k % 2:
            other = [x * 1.0, x[:1]]
        other[0] = other[0] * rows[1]
        rows = other
    return np.sum(rows[0] ** 2) + np.sum(other[1])


def other_shapes_in_nested_lists(x, n):
    rows = [[x[:1] * 1.0], [x * 2.0]]
    for k in range(n):
        r = rows[k % 2]
        r[0] = r[0] * rows[1 - k % 2][0]
        if k == 1:
            rows[0] = [x[0] * x]
    return np.sum(rows[0][0] ** 2) + np.sum(rows[1][0])


def other_shapes_in_a_dict(x, keys):
    d, pairs = {}, {k: Pair(x[:1] * 1.0, x[1]) for k in keys}
    for k in keys:
        d[k] = x[:1] * 1.0
    for k in keys:
        p = pairs[k]
        d[k] = np.concatenate((d[k], x * d[k]))
        pairs[k] = Pair(np.concatenate((p.rows, x * p.factor)), p.factor * p.rows[0])
    return sum(np.sum(d[k] ** 2) + np.sum(pairs[k].rows ** 2) * pairs[k].factor for k in keys)


def arguments_of_another_shape(rows):
    rows[0] = rows[0] * rows[1]
    rows[1] = rows[0][:2]
    return np.sum(rows[0] ** 2) * np.sum(rows[1])


def matrices_in_a_stack(Ws, x):
    made = []
    for W in Ws:
        made.append(np.outer(W @ x, x) + W)
    stack = np.stack(Ws)
    return np.sum(np.sin(stack * np.array(made)[::-1])) + np.sum(np.stack(made, axis=1)[0] ** 2)


def lags_that_do_not_move(weights, values):
    lags, total = [1.0, 2.0], 0.0
    for value in values:
        error = sum([w * lag for w, lag in zip(weights, lags)])
        total += error * error
        lags.insert(0, value)
        lags.pop()
    return total


def repeated_after_a_star(x, times):
    n = x.shape[0]
    count = 2
    joined = np.concatenate((*[x] * count, *[2.0 * x] * 0, x * x))
    row = [*[x[0]] * times, x[1]]
    first, _, *rest = *[x[0] * x[1]] * 4, x[0]
    return np.sum(joined[n:] * joined[:-n]) + row[-1] * sum(row) + first * len(rest) * max(*[x[0]] * 2, 0.1)


def made_in_one_statement(x):
    least = min(enumerate(x), key=lambda pair: pair[1])[1] * max(x, key=lambda v: v * v)
    pairs = list(zip(x, x[::-1])) if x[0] > 5.0 else sorted(enumerate(x)) + [(k, v) for k, v in enumerate(sorted(x))]
    return least + sum(k * v * v for k, v in pairs)


WITHOUT_PARAMETERS: list[np.ndarray] = []


def parameters_of_layers_of_which_one_has_none(a, b):
    parameters = [p for layer in ([a, b], WITHOUT_PARAMETERS, []) for p in layer]
    means = [np.zeros_like(p) for p in parameters]
    for k, p in enumerate(parameters):
        means[k] = 0.9 * means[k] + p * p
    return np.sum(means[0]) * np.sum(means[1] ** 2)


def loops_over_what_is_filled_later(x, n):
    waiting, done, rows = [], [], [[] for _ in range(n)]
    for k in range(n):
        for w in waiting:
            done.append(w * x)
        for row in rows:
            done.extend([x * v for v in row])
        waiting.append(x + k)
        rows[k].append(x * k)
    return sum(done)


def momentum_by_places(a, b, n):
    parameters = [a, b]
    state = {"steps": 0, "means": [np.zeros_like(p) for p in parameters]}
    for _ in range(n):
        state["steps"] += 1
        for k, p in enumerate(parameters):
            state["means"][k] = 0.9 * state["means"][k] + 0.1 * p * p
            parameters[k] = p - state["means"][k] / (1 - 0.9 ** state["steps"])
    return np.sum(parameters[0]) * np.sum(parameters[1] ** 2)


def uneven_by_a_range(a, b, n):
    parts = [a.copy(), b.copy()]
    sums = [0.0 * p for p in parts]
    same = sums
    for _ in range(n):
        for k in range(len(parts)):
            same[k] = 0.9 * sums[k] + 0.1 * parts[k] ** 2
            parts[k] *= np.sum(sums[k])
    return np.sum(parts[0]) + np.sum(sums[1] ** 2)


def uneven_changed_while_gone_over(a, b):
    parts = [a, b, 2.0 * b]
    total = 0.0
    for k, p in enumerate(parts):
        total = total + (k + 1) * np.sum(p * p)
        if k < 2:
            parts[k + 1] = parts[k + 1] * 1.5 + total
    return total


def number_and_array_until_large(b, n):
    state = [0.0, b]
    k = 0
    while state[0] < 3.0 and k < n:
        state[0] += np.sum(state[1] ** 2)
        state[1] = np.cos(state[1]) if k % 2 else state[1] * state[0]
        k += 1
    return state[0] * np.sum(state[1])


def uneven_that_grow(a, b, n):
    parts = [a, b]
    for _ in range(n):
        parts.append(parts[-1] * 2.0)
    return np.sum(parts[0]) + np.sum(parts[1] ** 2) * np.sum(parts[-1])


def uneven_in_a_list(a, b):
    parts = [a, b]
    kept = [parts]
    parts[0] = parts[0] * 1.1
    kept.append(parts)
    parts[1] = parts[1] * parts[0][0, 1]
    return np.sum(kept[0][0] ** 2) * np.sum(kept[1][1])


def arrays_added_to_lists(x, w):
    items = [x, 2.0 * x, 3.0 * x]
    other = items
    items += w
    items[1:] += w[:2] * x
    other[1:] += w[:2] * x
    other[::2] += w[1:]
    other *= w
    return np.sum(items * 2) * np.sum(other)


def slices_of_lists_that_grow(x):
    items = [x, 2.0 * x, 3.0 * x]
    items[1:] += [x * x, 5.0]
    items[:2] *= 2
    return items[1] * items[3] * items[-2] * len(items)


def tuples_repeated_so_often(x, n):
    many = (x, x * x) * n
    return sum(many) * len(many) + sum(n * (x,)) * many[-1] + np.sum((x, 2.0 * x) * np.array([n, 1.0]))


def romberg(x, n):
    """Integers to begin with, and what is divided by powers of integers, in one table."""
    table = [[0] * (n + 1) for _ in range(n + 1)]
    table[0][0] = 0.5 * (1.0 + np.exp(x))
    for i in range(1, n + 1):
        h = 1.0 / 2**i
        table[i][0] = 0.5 * table[i - 1][0] + h * sum(np.exp(x * (2 * k - 1) * h) for k in range(1, 2 ** (i - 1) + 1))
        for j in range(1, i + 1):
            table[i][j] = table[i][j - 1] + (table[i][j - 1] - table[i - 1][j - 1]) / (4**j - 1)
    return table[n][n]


PROGRAMS = [
    program(repeated_after_a_star, np.array([0.5, 1.2]), 3),
    program(lags_that_do_not_move, [0.3, 0.5], [1.0, 2.0, 3.0], wrt=(0,)),
    program(
        matrices_in_a_stack, [np.sin(np.arange(9.0) + k).reshape(3, 3) for k in range(3)], np.array([0.3, -0.7, 1.1])
    ),
    program(becomes_a_list_of_numbers, [np.array([0.3, 0.5]), np.array([0.7, 0.2])]),
    program(numbers_among_arrays, [np.array([0.3, 0.5]), np.array([0.7, 0.2])]),
    program(slices_emptied_in_loops, [0.27, -0.814], [-1.3, 0.8]),
    program(items_of_another_shape, np.array([0.3, 0.5, 0.7]), 2),
    program(tuples_of_other_shapes, np.array([0.3, 0.5, 0.7]), 2),
    program(other_shapes_by_two_names, np.array([0.3, 0.5, 0.7]), 3),
    program(other_shapes_in_nested_lists, np.array([0.3, 0.5, 0.7]), 4),
    program(other_shapes_in_a_dict, np.array([0.3, 0.5, 0.7]), ["p", "q"]),
    program(arguments_of_another_shape, [np.array([2.0]), np.array([0.3, 0.5, 0.7])]),
    program(filled_in_place_of_zeros, 0.7),
    program(extended_through_names, 0.7),
    program(nested_extended, 0.7),
    program(repeated_rows, 0.7),
    program(slices_of_nested_lists, 0.7),
    program(slices_of_arrays, 0.7),
    program(rows_as_views, 0.7),
    program(list_of_a_tuple_of_lists, 0.7),
    program(values_of_a_dict, 0.7),
    program(copies_of_rows, 0.7),
    program(moves_of_rows, 0.7),
    program(loops_over_slices, 0.7),
    program(slice_stored, 0.7),
    program(slices_stored_with_steps, 0.7),
    program(inserted_by_slice, 0.7),
    program(cleared_and_searched, 0.7),
    program(ends_counted_from_the_end, 0.7),
    program(grown_by_sums, 0.7),
    program(star_of_parameters, np.array([1.2, 0.7, -0.4])),
    program(star_of_parameters, [1.2, 0.7, -0.4], name="star_of_listed_parameters"),
    program(ordered_by_keys, [1.2, 0.7, -0.4]),
    program(made_in_one_statement, np.array([1.2, 0.7, -0.4])),
    program(parameters_of_layers_of_which_one_has_none, np.array([[0.3, 0.5], [0.7, 0.2]]), np.array([0.4, 0.9])),
    program(loops_over_what_is_filled_later, 0.7, 3),
    program(momentum_by_places, np.array([[0.3, 0.5], [0.7, 0.2]]), np.array([0.4, 0.9]), 3),
    program(uneven_by_a_range, np.array([[0.3, 0.5], [0.7, 0.2]]), np.array([0.4, 0.9]), 2),
    program(uneven_changed_while_gone_over, np.array([[0.3, 0.5], [0.7, 0.2]]), np.array([0.4, 0.9])),
    program(number_and_array_until_large, np.array([0.4, 0.9]), 4),
    program(uneven_that_grow, np.array([[0.3, 0.5], [0.7, 0.2]]), np.array([0.4, 0.9]), 2),
    program(uneven_in_a_list, np.array([[0.3, 0.5], [0.7, 0.2]]), np.array([0.4, 0.9])),
    program(arrays_added_to_lists, 0.7, np.array([0.3, 1.1, -0.4])),
    program(slices_of_lists_that_grow, 0.7),
    program(tuples_repeated_so_often, 0.7, 3, wrt=(0,)),
    program(romberg, 0.7, 3, wrt=(0,)),
]
