"""Programs with lists of which each item is of its own kind, in arguments and in results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from program import program


def walked(node, x):
    """A tree of dicts."""
    if "value" in node:
        return node["value"]
    share = 1.0 / (1.0 + np.exp(-x * node["slope"]))
    return share * walked(node["right"], x) + (1.0 - share) * walked(node["left"], x)


def forest(trees, x):
    return np.mean([walked(tree, x) for tree in trees])


def frames_along_links(links, q):
    frame = np.eye(3)
    for link, angle in zip(links, q):
        c, s = np.cos(angle), np.sin(angle)
        frame = frame @ np.array([[c, -s, link["a"]], [s, c, link.get("b", 0.0)], [0.0, 0.0, 1.0]])
        if link.get("tool") is not None:
            frame = frame @ link["tool"]
    return frame[:2, 2]


def sum_of_nested(nested, x):
    if isinstance(nested, (int, float)):
        return nested * x
    return sum(sum_of_nested(part, x) for part in nested)


@dataclass
class Dense:
    W: np.ndarray
    b: np.ndarray

    def __call__(self, x):
        return np.tanh(self.W @ x + self.b)


@dataclass
class Scaled:
    by: float

    def __call__(self, x):
        return self.by * x


def called_in_order(layers, x):
    for layer in layers:
        x = layer(x)
    return x


def called_functions(x, functions):
    for f in functions:
        x = f(x) * 1.1
    return x


def first_beside_the_rest(xs):
    first, *rest = xs
    total = first * rest[0]["a"].sum()
    for place, item in enumerate(xs):
        if isinstance(item, dict):
            total = total + place * np.sum(item["a"] ** 2)
    return total * len(rest)


def changed_items(xs, k):
    xs[0] = xs[0] * k
    xs.append(k)
    xs[1]["a"] *= xs[-1]
    return xs[0] * np.sum(xs[1]["a"])


def handed_back(xs, k):
    return xs, [k * 2.0, {"b": k}]


def records_returned(x):
    return [{"a": x, "b": np.ones(2) * x}, {"a": 2.0 * x, "b": x * np.arange(2.0)}]


def records_returned_in_a_dict(x):
    layers = [Scaled(x), Scaled(x * x)]
    layers.append(Scaled(3.0 * x))
    return {"layers": layers, "x": x}


def rest_returned(x):
    first, *rest = (x, 2.0 * x, x * x)
    return rest, first


def rest_lengthened(x):
    first, *rest = (x, 2.0 * x, x * x)
    rest = rest + [first * 3.0]
    return rest[0] * rest[-1]


def rest_changed(xs):
    first, *rest = xs
    rest.append(first)
    rest[0] = rest[0] * first
    return rest


def rest_used_up(xs):
    first, *rest = xs
    while len(rest) > 1:
        rest[0] = rest[0] * rest.pop()
    return rest[0] * first


def nested_beside_numbers(x):
    return [x, [x * 2.0, x], (x * x,)], {"none": [], "one": [[x * 3.0]]}


class Pair(NamedTuple):
    a: float
    b: float


def pairs_made_of_items(x):
    return Pair._make([x, x * x]), Pair._make((2.0 * x, x)).a * 3.0


def joined_tuples(points, x):
    total = 0.0
    for point in points:
        a, b, c = point + (x,)
        twice = point * 2
        total = total + a * b * c + twice[0] * twice[3]
    return total, points[0] + points[1] + (x,)


def whole_on_one_path(x, whole):
    y = np.arange(3) if whole else x * 2.0
    total = 0.0
    for i in range(3):
        total += y[i] * x[i] ** 2
    for _ in range(2):
        total += np.sum(y * x)
    return total


def whole_in_a_list(x, whole):
    rows = [np.arange(3), np.arange(3)]
    if not whole:
        rows[0] = x * 2.0
    total = 0.0
    for row in rows:
        for _ in range(2):
            total += np.sum(row * x**2)
        product = row * x
        for i in range(3):
            total += product[i] * row[i]
    return total


TREE = {
    "slope": 0.4,
    "left": {"value": 1.0},
    "right": {"slope": -0.7, "left": {"value": 2.0}, "right": {"value": -1.0}},
}
DENSE = Dense(np.array([[0.3, -0.2], [0.5, 0.1]]), np.array([0.1, -0.4]))

PROGRAMS = [
    program(forest, [TREE, {"value": 0.5}], 0.8),
    program(forest, [TREE, TREE], 0.8, name="forest_of_equals"),
    program(
        frames_along_links,
        [{"a": 1.0}, {"a": 0.5, "b": 0.2}, {"a": 0.7, "tool": None}, {"a": 0.7, "tool": np.diag([1.0, 2.0, 1.0])}],
        np.array([0.3, -0.5, 0.9, 0.2]),
    ),
    program(sum_of_nested, [1.0, [2.0, [3.0, 4.0]], [5.0]], 0.3),
    program(called_in_order, [DENSE, Scaled(1.5), DENSE], np.array([0.4, -0.6])),
    program(called_functions, 0.7, [np.sin, np.cos, lambda t: t * t]),
    program(first_beside_the_rest, [2.0, {"a": np.array([0.5, 1.5])}, {"a": np.array([0.3])}]),
    program(changed_items, [2.0, {"a": np.array([0.5, 1.5])}], 1.3),
    program(handed_back, [2.0, {"a": np.array([0.5, 1.5])}], 1.3),
    program(records_returned, 0.7),
    program(records_returned_in_a_dict, 0.7),
    program(rest_returned, 0.7),
    program(rest_lengthened, 0.7),
    program(rest_changed, (0.7, 1.2, 0.4)),
    program(rest_used_up, (0.7, 1.2, 0.4, 1.1)),
    program(nested_beside_numbers, 0.7),
    program(pairs_made_of_items, 0.7),
    program(joined_tuples, [(1.0, 2.0), (3.0, 4.0)], 0.7),
    program(joined_tuples, [Pair(1.0, 2.0), Pair(3.0, 4.0)], 0.7, name="joined_named_tuples"),
    program(joined_tuples, (Pair(1.0, 2.0), (3.0, 4.0)), 0.7, name="joined_tuples_of_two_sorts"),
    *(
        program(f, np.array([0.3, 0.7, 1.1]), whole, name=f"{f.__name__}_{whole}".lower())
        for f in (whole_on_one_path, whole_in_a_list)
        for whole in (True, False)
    ),
]
