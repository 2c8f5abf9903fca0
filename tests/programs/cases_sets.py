"""Programs with sets that grow and shrink while they run."""

from __future__ import annotations

from typing import Any

import numpy as np
from program import program


def each_once(x, n):
    seen, total = set(), 0.0
    for k in range(n):
        if k % 3 not in seen:
            seen.add(k % 3)
            total += x[k] ** 2
    return total * len(seen)


def cells_reached(x):
    seen, stack, total = set(), [(0, 0)], 0.0
    while stack:
        i, j = stack.pop()
        if (i, j) in seen or i > 1 or j > 1:
            continue
        seen.add((i, j))
        total += x[2 * i + j] ** 2 * len(seen)
        stack.append((i + 1, j))
        stack.append((i, j + 1))
    return total


def nearest_in_order(places):
    left, here, total = set(range(1, len(places))), 0, 0.0
    while left:
        best, least = -1, np.inf
        for k in range(len(places)):
            if k in left and (places[k] - places[here]) ** 2 < least:
                best, least = k, (places[k] - places[here]) ** 2
        left.remove(best)
        total += np.sqrt(least) * (len(left) + 1)
        here = best
    return total


def asked_and_changed(x):
    left = set()
    left.add(1)
    first = x[0] if left else x[1]
    left.discard(1)
    return first * (x[2] if left else x[3])


def asked_while_it_shrinks(x):
    left, total = set(range(2)), 0.0
    for k in range(len(x)):
        if left:
            total += x[k] * 2.0
            left.remove(k)
        else:
            total += x[k] * 3.0
    return total


def least_of_what_is_left(x):
    left, total = set(range(4)), 0.0
    for _ in range(2):
        k = min(left)
        left.remove(k)
        total += x[k] ** (k + 1)
    return total


def sets_by_number(x):
    held, total = [set(), set()], 0.0
    for k in range(len(x)):
        n = len(held[k % 2])
        held[k % 2].add(k)
        total += x[k] ** (n + 1)
    return total


def names_seen(x):
    names = set()
    for k in range(len(x)):
        names.add(f"part{k % 3}")
    return x[0] * len(names) + (x[1] if "part1" in names else x[2])


def parts_reached(x, start):
    links, total = [[1, 2], [3], [3], []], 0.0
    reached, todo = {start}, [start]
    while todo:
        k = todo.pop()
        total += x[k] ** 2
        for other in links[k]:
            if other not in reached:
                reached.add(other)
                todo.append(other)
    return total


def written_down_and_changed(x):
    places, total = {(0, 0)}, 0.0
    for k in range(len(x)):
        if (k, k) in places:
            total += x[k]
        places.add((k + 1, k + 1))
        places.update([(7, 7)])
    return total * len(places)


def joined_and_compared(x):
    held, total = {0}, 0.0
    for k in range(3):
        more = held | {k + 1}
        held.add(k + 1)
        total += x[k] * len(more - {0})
        if more == held:
            total += x[3] ** 2
    return total


_X = np.array([0.5, 1.2, 2.7, 0.9])

PROGRAMS: list[Any] = [
    program(each_once, _X, 4),
    program(cells_reached, _X),
    program(nearest_in_order, _X),
    program(asked_and_changed, _X),
    program(asked_while_it_shrinks, _X),
    program(least_of_what_is_left, _X),
    program(sets_by_number, _X),
    program(names_seen, _X),
    program(parts_reached, _X, 0),
    program(written_down_and_changed, _X),
    program(joined_and_compared, _X),
]
