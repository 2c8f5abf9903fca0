"""Items of lists that are None at times, tests for it, and names that are None until there is something."""

from __future__ import annotations

import numpy as np
from program import program

numbers = [0.3, 0.9, 0.5]
vectors = [np.array([0.3, -0.4]), np.array([0.9, 0.1]), np.array([-0.2, 0.6])]


def beside_a_number(x):
    total = 0.0
    for v in [None, x]:
        if v is not None:
            total += v**2
    return total


def filled_when_asked_for(x, n):
    memo = [None] * (n + 1)
    for i in range(n + 1):
        if memo[i // 2] is None:
            memo[i // 2] = x * (i // 2 + 1)
        memo[i] = memo[i // 2] * x
    total = 0.0
    for m in memo:
        total += m
    return total


def every_other(x, n):
    held = [None] * n
    for i in range(0, n, 2):
        held[i] = x * (i + 1)
    total = 0.0
    for v in held:
        total += x if v is None else v * v
    return total


def every_other_vector(x, n):
    held = [None] * n
    for i in range(0, n, 2):
        held[i] = x * (i + 1)
    total = 0.0
    for v in held:
        if v is None:
            total += x[0]
        else:
            total += np.sum(v * v)
    return total


def largest(xs, x):
    best = None
    for v in xs:
        if best is None or v > best:
            best = v
    return best * x


def longest(rows, x):
    best = None
    for row in rows:
        if best is None or np.sum(row * row) > np.sum(best * best):
            best = row
    return np.sum(best * x)


def best_record(records, x):
    best = None
    for r in records:
        if best is None or r["score"] > best["score"]:
            best = r
    return best["score"] * x + best["at"]


def best_pair(pairs, x):
    best = None
    for pair in pairs:
        if best is None or pair[0] > best[0]:
            best = pair
    return best[0] * x + best[1]


def differences(rows):
    before, total = None, 0.0
    for row in rows:
        if before is not None:
            total += np.sum((row - before) ** 2)
        before = row
    return total


def appended_none(x, n):
    held = []
    for i in range(n):
        held.append(None if i % 2 else x * (i + 1))
    total = x * 0.0
    for v in held:
        if v is not None:
            total = total + v * v
    return total


def taken_from_the_end(x, n):
    stack, total, k = [x], 0.0, 0
    while stack:
        v = stack.pop()
        k += 1
        if v is None:
            total += x
        else:
            total += v * v
            if k < n:
                stack.append(None)
                stack.append(v * x)
    return total


def what_was_before(x, n):
    held, before = [], None
    for i in range(n):
        held.append(before)
        before = x * i
    total = 0.0
    for v in held:
        total += 2.0 * x if v is None else v * v
    return total


def under_two_names(x, n):
    these = [None] * n
    those = these
    for i in range(n):
        if i % 2 == 0:
            those[i] = x * (i + 1)
    return sum(v * v for v in these if v is not None)


def one_list_from_another(x, n):
    these, those = [None] * n, [None] * n
    for i in range(n):
        if i % 2 == 0:
            these[i] = x * (i + 1)
        those[i] = these[i]
    total = 0.0
    for u, v in zip(these, those):
        if u is not None and v is not None:
            total += u * v
    return total


def joined_and_turned(x):
    first = [x, None]
    more = first + [None, x * x]
    more.reverse()
    more.insert(1, None)
    more.extend([x, x**3])
    total = 0.0
    for i, v in enumerate(more[1:]):
        total += x if v is None else v * (i + 1)
    return total


def picked(value, other):
    return other if value is None else value


def handed_to_a_helper(x, n):
    held = [None] * n
    for i in range(0, n, 2):
        held[i] = x * (i + 1)
    return sum(picked(held[i], x) * (i + 1) for i in range(n))


def none_that_counts_as_false(x, n):
    held = [None] * n
    for i in range(0, n, 2):
        held[i] = x * i
    total = 0.0
    for v in held:
        if v:
            total += v * v
        if v is None:
            total += x
    return total


def table_by_diagonals(x, n):
    table = [[None] * n for _ in range(n)]
    for length in range(n):
        for i in range(n - length):
            j = i + length
            table[i][j] = x[i] if length == 0 else table[i + 1][j] * x[i] + table[i][j - 1]
    return table[0][n - 1]


def rows_handed_on(x, n):
    before = [None] * n
    for j in range(n):
        before[j] = x[j]
    for i in range(1, n):
        row = [None] * n
        row[0] = x[i]
        for j in range(1, n):
            row[j] = before[j - 1] * x[j] + row[j - 1]
        before = row
    return before[n - 1]


def memo_of_two(x, n):
    memo = [[None for _ in range(n)] for _ in range(n)]
    total = 0.0
    for a in range(n):
        for b in range(n):
            i, j = (a * b) % n, (a + b) % n
            if memo[i][j] is None:
                memo[i][j] = x[i] * x[j]
            total = total + memo[i][j] * (a + 1)
    return total


def pairs_in_a_table(x, n):
    best = [None] * n
    best[0] = (x[0], 0)
    for i in range(1, n):
        for j in range(i):
            cost = best[j][0] + (x[i] - x[j]) ** 2
            if best[i] is None or cost < best[i][0]:
                best[i] = (cost, j)
    return best[n - 1][0] * (1.0 + best[n - 1][1])


def rows_of_a_list(x, n):
    rows = [None] * n
    for i in range(n):
        rows[i] = [x[i] * k for k in range(3)]
    return rows[n - 1][2] * rows[0][1]


def arrays_in_a_table(x, n):
    table = [[None] * n for _ in range(2)]
    for i in range(n):
        table[0][n - 1 - i] = x * i
        table[1][i] = table[0][n - 1 - i] * x
    return np.sum(table[1][n - 1] * table[0][1])


def rows_copied(x, n):
    rows = [[None] * n]
    while len(rows) < n:
        row = rows[-1][:]
        row[len(rows) - 1] = x[len(rows)]
        rows.append(row)
    total = 0.0
    while rows:
        for v in rows.pop():
            total += x[0] * total if v is None else v * v
    return total


def in_all(x, n):
    table = [[None] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            table[j][i] = x[i] * x[j] ** 2
    return np.sum(np.array(table)) + sum(sum(row) for row in table)


def best_of_each_interval(x, n):
    cost = [[None] * (n + 1) for _ in range(n + 1)]
    for i in range(n + 1):
        cost[i][i] = 0.0
    for length in range(1, n + 1):
        for i in range(n - length + 1):
            j = i + length
            best = None
            for r in range(i, j):
                c = cost[i][r] + cost[r + 1][j] + sum(x[i:j])
                if best is None or c < best:
                    best = c
            cost[i][j] = best
    return cost[0][n]


tables = (table_by_diagonals, rows_handed_on, memo_of_two, pairs_in_a_table, rows_of_a_list)
tables = (*tables, rows_copied, arrays_in_a_table, in_all, best_of_each_interval)
records = [{"score": 0.3, "at": 0.2}, {"score": 0.5, "at": 1.0}]
by_length = (filled_when_asked_for, every_other, taken_from_the_end, what_was_before, under_two_names)
PROGRAMS = [
    program(beside_a_number, 0.7),
    program(joined_and_turned, 0.7),
    *(program(f, 0.7, n, name=f"{f.__name__}_{n}") for f in by_length for n in (1, 2, 3)),
    *(
        program(f, 0.7, 4)
        for f in (appended_none, one_list_from_another, handed_to_a_helper, none_that_counts_as_false)
    ),
    *(program(every_other_vector, np.array([0.7, -0.3]), n, name=f"every_other_vector_{n}") for n in (1, 2, 3)),
    program(largest, numbers, 0.7),
    program(largest, numbers[:1], 0.7, name="largest_of_one"),
    program(longest, vectors, np.array([0.5, 0.4])),
    program(best_record, records, 0.7),
    program(best_pair, [(0.3, 0.2), (0.5, 1.0)], 0.7),
    program(differences, vectors),
    *(program(f, np.array([0.5, 1.2, 0.7, 0.3]), 4) for f in tables),
    program(differences, vectors[:1], name="differences_of_one"),
]
