"""Programs on objects outside the function, and on dicts made of others."""

from __future__ import annotations

import copy
import functools
import math
import operator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from program import program


class Cell:
    def __init__(self):
        self.value = 1.0


CELL = Cell()


def store_in_an_object_outside(x):
    CELL.value = x[0] ** 2
    return CELL.value * x[1]


def union_of_dicts(p):
    q = p | {"b": p["a"] ** 2}
    r = q
    r |= {"c": q["a"] * q["b"]}
    return q["c"] * q["b"] * p["b"]


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __iadd__(self, other):
        self.a += other.a
        self.b += other.b
        return self


def sum_in_place(x):
    pair = Pair(x[0], x[1])
    same = pair
    pair += Pair(x[1] ** 2, x[0])
    return pair.a * same.b * same.a


def copies_deep_and_shallow(x):
    pair = Pair(x * 1.0, x[0])
    shallow, deep = copy.copy(pair), copy.deepcopy(pair)
    shallow.a[0] = x[1] ** 2
    deep.a[1] = x[0] * 3.0
    shallow.b *= 2.0
    d = {"w": x * 1.0, "items": [x[0]]}
    e = copy.copy(d)
    e["w"][0] = x[1]
    e["items"].append(x[1])
    return np.sum(pair.a) * pair.b * shallow.b * np.sum(deep.a) + np.sum(d["w"]) * d["items"][1]


def operators_as_functions(x):
    items = operator.mul(operator.add([x[0]], [x[1]]), 2)
    d = functools.reduce(operator.or_, [{"a": x[0] ** 2}], {"b": x[1]})
    return items[0] * items[3] * d["a"] * d["b"]


@dataclass(frozen=True)
class Point:
    x: float
    y: float

    def __sub__(self, other):
        return Point(self.x - other.x, self.y - other.y)

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __lt__(self, other):
        return abs(self) < abs(other)


def distances_of_points(points):
    s = 0.0
    for k, p in enumerate(points):
        for q in points[k + 1 :]:
            s += abs(p - q) * (p.x if p < q else p.y)
    return s


class Offset(NamedTuple):
    dx: float
    dy: float

    def __add__(self, other):
        return Offset(self.dx + other.dx, self.dy * other.dy)

    def __sub__(self, other):
        return Offset(self.dx - other.dx, self.dy / other.dy)

    def __neg__(self):
        return Offset(-self.dx, self.dy)


def operators_of_a_named_tuple(a, b):
    c = -(a + b) - a
    return c.dx * c.dy


class Counted:
    scale = 2.0

    def __init__(self):
        super().__init__()
        self.count = 1


class Weighed(Counted):
    def __init__(self, w):
        super().__init__()
        self.w = w

    def value(self, x):
        return self.w * self.scale * x + self.count


def initialised_up_to_object(w, x):
    return Weighed(w).value(x) * w


def diagonal_by_ranges(x):
    m = np.outer(x, x)
    m[range(3), range(3)] = x
    return np.sum(m[:, range(1, 3)] ** 2)


def rotated_rows(xs, x):
    xs.append([x])
    y = (x, [xs])
    y[1][0].insert(0, y[1][0].pop())
    xs[0][0] *= x
    return xs[0][0] * xs[1][0] + sum(xs[2])


def first_row_behind_the_last(rows, x):
    first = rows.pop(0)
    rows.append(first * x)
    del rows[1:3]
    rows.append(rows[0] * first)
    rows.append(np.sin(first))
    rows[0][0] *= x
    return sum((k + 1.0) * (r * r).sum() for k, r in enumerate(rows))


def product_of_a_list_that_grows(l, x):
    l[0] *= x
    l.append(l[0] * l[1])
    t = 1.0
    for v in l:
        t *= v
    return t


def changed_rows_returned(l, x):
    l[0][1] *= x
    l[1].append(x)
    return l, l[0], np.array(l[1]) * x


def changed_arrays_returned(rows, x):
    rows[0] *= x
    rows.append(rows[0] * rows[1])
    rows[1] = rows[0]
    rows[1][0] += x
    return rows, rows[2].sum()


def arrays_taken_in_turns(rows, x):
    a, b = rows
    for _ in range(2):
        a, b = b, a * x
        rows.append(b)
    rows[0][0] *= x
    return sum(r.sum() * r[0] for r in rows)


def slices_of_lists_replaced(a, b, x):
    c = a + b
    c[1:3] = [x, x * c[0], c[4]]
    a[:] = c[:2]
    return sum(a) * c[2] + len(a) * c[-1]


def rows_replaced_by_views(rows, c):
    buf = np.zeros((3, 2))
    for k, r in enumerate(rows):
        buf[k] = r * c
        rows[k] = buf[k]
    buf[2] = rows[0] + rows[1]
    rows[0][1] *= 3.0
    return (buf * buf).sum()


def lists_in_a_dict_grow(p, x):
    p["a"][0] *= x
    p["a"].append(x)
    p["b"].append(p["b"][0] * p["a"][0])
    return p["b"][1].sum() * sum(p["a"])


def arrays_turned_and_returned(rows, x):
    for k in range(len(rows)):
        rows[k] = rows[k] * x
    last = rows.pop()
    rows.insert(0, last)
    rows[1] *= last[0]
    return rows


class Tally:
    total = 0.0
    pair = (1.0, 2.0)
    best = None

    def count(self, x):
        self.total += x
        self.pair = (self.pair[1] * x, self.pair[0])
        self.last = x * self.total


def defaults_of_a_class_in_a_loop(x):
    tally = Tally()
    for v in x:
        tally.count(v)
        if tally.best is None or v > tally.best:
            tally.best = v * 1.5
    return tally.total * tally.pair[0] * tally.pair[1] * tally.last * tally.best


def defaults_of_a_class_in_a_branch(x):
    tally = Tally()
    if x[0] > 3.0:
        tally.count(x[0])
    return tally.total + tally.pair[1] * x[1]


def object_outside_in_a_loop(x):
    for v in x:
        if v > 0.0:
            CELL.value = CELL.value * v + v
    found = CELL.value
    CELL.value = 1.0
    return found


class Vec:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __rmul__(self, factor):
        return Vec(factor * self.x, factor * self.y)

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y


class Grid:
    """A matrix of lists, as an object that holds them."""

    def __init__(self, rows):
        self.rows = rows

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Grid([[sum([a * b for a, b in zip(row, column)]) for column in columns] for row in self.rows])

    def __pow__(self, n):
        power, square = Grid([[1.0, 0.0], [0.0, 1.0]]), self
        while n:
            if n & 1:
                power = power @ square
            square = square @ square
            n >>= 1
        return power


def objects_summed_in_a_loop(xs, steps):
    place, speed = Vec(xs[0], xs[1]), Vec(0.0, xs[2])
    for k in range(steps):
        pull = -1.0 / (place @ place) * place
        if k % 2:
            pull = pull + 0.1 * speed
        speed = speed + 0.1 * pull
        place = place + 0.1 * speed
    return place @ place + speed @ speed


def power_of_a_grid(rows, n):
    power = Grid(rows) ** n
    return power.rows[0][0] * power.rows[1][1]


def object_until_it_is_large(x):
    v = Vec(x, 1.0)
    while v @ v < 20.0:
        v = v + v.x * v
        v.y *= 1.1
    return v.x * v.y


def union_of_dicts_of_numbered_keys(x, n):
    terms = {k: x * k for k in range(n)}
    more = {2: x, 7: 1.0, **terms, n - 1: x * x, **{1: x**3}}
    terms[0] = 5.0 * x
    return sum(v * (k + 1) for k, v in more.items()) + sum(v * i for i, v in enumerate(more.values()))


class Powers:
    def __init__(self, scale):
        self.scale = scale

    def power(self, exponent, x):
        return self.scale * x**exponent

    square = functools.partialmethod(power, 2)
    cube = functools.partialmethod(power, exponent=3)


POWERS = Powers(0.4)


def methods_made_by_partial(x):
    powers = Powers(x)
    return powers.square(x) + powers.cube(x=x) * POWERS.square(x)


PROGRAMS = [
    program(objects_summed_in_a_loop, np.array([0.7, -0.4, 0.9]), 5),
    program(power_of_a_grid, [[0.5, 0.2], [-0.1, 0.9]], 5),
    program(object_until_it_is_large, 0.7),
    program(defaults_of_a_class_in_a_loop, np.array([0.5, 1.2, 0.7])),
    program(defaults_of_a_class_in_a_branch, np.array([0.5, 1.2])),
    program(object_outside_in_a_loop, np.array([0.5, 1.2, -0.7])),
    program(arrays_turned_and_returned, [np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])], 2.0),
    program(product_of_a_list_that_grows, [1.0, 2.0, 3.0], 2.0),
    program(changed_rows_returned, [[1.0, 2.0], [3.0]], 2.0),
    program(changed_arrays_returned, [np.array([1.0, 2.0]), np.array([3.0, 4.0])], 2.0),
    program(arrays_taken_in_turns, [np.array([1.0, 2.0]), np.array([3.0, 4.0])], 2.0),
    program(slices_of_lists_replaced, [1.0, 2.0, 3.0], [4.0, 5.0], 2.0),
    program(rows_replaced_by_views, [np.array([1.0, 2.0]), np.array([3.0, 4.0])], np.array([1.0, 1.5])),
    program(lists_in_a_dict_grow, {"a": [1.0, 2.0], "b": [np.array([1.0, 2.0])]}, 2.0),
    program(rotated_rows, [[0.7, 0.4], [1.0]], 0.6),
    program(first_row_behind_the_last, [np.array([0.3, 0.8]), np.array([1.1, 0.2]), np.array([0.4, 0.9])], 0.7),
    program(distances_of_points, [Point(0.3, 0.7), Point(1.0, 2.0), Point(-1.0, 0.2)]),
    program(operators_of_a_named_tuple, Offset(0.3, 0.7), Offset(1.1, 0.4)),
    program(initialised_up_to_object, 0.3, 0.7),
    program(diagonal_by_ranges, np.array([0.3, 0.7, -0.4])),
    program(copies_deep_and_shallow, np.array([0.5, 1.2])),
    program(operators_as_functions, np.array([0.5, 1.2])),
    program(sum_in_place, np.array([0.5, 1.2])),
    program(store_in_an_object_outside, np.array([0.5, 1.2])),
    program(union_of_dicts, {"a": 1.2, "b": 0.5}),
    program(union_of_dicts_of_numbered_keys, 0.7, 5),
    program(methods_made_by_partial, 0.7),
]
