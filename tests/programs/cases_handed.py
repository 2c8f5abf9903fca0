"""Dicts and objects that lists take, and that go by a name beside."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from program import program


@dataclass
class Point:
    x: float
    y: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __call__(self, t):
        return self.x * t + self.y


class Line(NamedTuple):
    slope: float
    at: float

    def __call__(self, t):
        return self.slope * t + self.at


def picked_by_number(xs):
    totals = [{"sum": 0.0}, {"sum": 1.0}]
    for i, x in enumerate(xs):
        totals[i % 2]["sum"] += x * x
    return totals[0]["sum"] * totals[1]["sum"]


def picked_among_two_names(xs):
    odd, even = {"sum": 0.0}, {"sum": 1.0}
    both = (even, odd)
    for i, x in enumerate(xs):
        both[i % 2]["sum"] += x * x
    return odd["sum"] * even["sum"]


def changed_as_an_item(xs):
    d = {"a": xs[0]}
    held = []
    held.append(d)
    held[0]["a"] *= xs[1]
    return d["a"]


def changed_after_it_was_put(xs):
    d = {"a": xs[0], "b": 1.0}
    held = []
    for x in xs:
        held.append(d)
        d["a"] += x
    return sum(h["a"] ** (1 + i) * h["b"] for i, h in enumerate(held))


def changed_before_the_next_is_put(xs):
    d = {"a": xs[0], "b": 1.0}
    held = []
    for x in xs:
        d["a"] *= x
        held.append(d)
    return sum(h["a"] * (1 + i) for i, h in enumerate(held))


def one_under_all_keys(xs):
    shared = {"m": 1.0}
    table = {}
    for i, x in enumerate(xs):
        table[i] = shared
        shared["m"] += x
    return sum(table[i]["m"] * (i + 1) for i in table)


def changed_and_put_anew(xs):
    held = []
    for x in xs:
        d = {"a": x, "b": 1.0}
        d["a"] *= x
        held.append(d)
    for h, x in zip(held, xs):
        h["b"] += x
    return sum(h["a"] * h["b"] for h in held)


def copied_and_put(xs):
    held = []
    state = {"x": xs[0], "y": 1.0}
    for x in xs:
        state = dict(state)
        state["x"] *= x
        state["y"] += x
        held.append(state)
    return sum(h["x"] * h["y"] for h in held)


def other_keys_of_items_changed(xs):
    nodes = []

    def added(a, b):
        node = {"v": a["v"] + b["v"], "g": 0.0}
        nodes.append(node)
        return node

    last = {"v": 0.0, "g": 0.0}
    for x in xs:
        last = added(last, {"v": x * x, "g": 0.0})
    for node in nodes:
        node["g"] += node["v"]
    return last["v"] * sum(node["g"] for node in nodes)


def the_best_of_some(xs):
    best = None
    for x in xs:
        candidate = {"x": x, "f": math.sin(x)}
        if best is None or candidate["f"] > best["f"]:
            best = candidate
    best["f"] *= best["x"]
    return best["f"]


def the_best_is_changed_by_its_other_name(xs):
    best = {"x": 0.0, "f": -1e9}
    for x in xs:
        candidate = {"x": x * x, "f": math.sin(x)}
        if candidate["f"] > best["f"]:
            best = candidate
        candidate["x"] += 1.0
    return best["f"] * best["x"]


def one_of_two_is_changed(xs):
    a, b = {"v": xs[0]}, {"v": xs[1]}
    c = a if xs[2] > 0.0 else b
    c["v"] *= 3.0
    return a["v"] + b["v"] ** 2


def the_one_before(xs):
    last = {"x": xs[0], "y": 0.0}
    current = last
    for x in xs:
        last = current
        current = {"x": x, "y": last["x"] * x}
        last["y"] += x
    return current["x"] * current["y"] + last["y"]


def objects_put_and_bound_anew(xs):
    held = []
    p = Point(xs[0], 1.0)
    for x in xs:
        held.append(p)
        p = Point(p.x * x, p.y + x)
    return sum(q.x * q.y for q in held)


def repeated_objects(points):
    sums = len(points) * [Point(0.0, 0.0)]
    for i in range(len(points)):
        sums[i] = sums[i] + points[i] + points[0]
    return sum(s.x * s.y for s in sums)


def repeated_dicts(points):
    sums = [{"a": 0.0, "b": 1.0}] * len(points)
    for i, p in enumerate(points):
        sums[i]["a"] += p.x
        sums[i - 1] = {"a": p.y, "b": sums[i]["a"]}
    return sum(s["a"] * s["b"] for s in sums)


def called_items(points):
    return sum(p(2.0) for p in points) * points[0](1.0)


def called_tuples(lines):
    return sum(line(1.5) ** 2 for line in lines) + lines[-1](2.0)


def called_tuple(line):
    return line(1.5) ** 2


def moments_by_name(start):
    params = {k: np.copy(v) for k, v in start.items()}
    state = {k: {"m": np.zeros_like(v), "v": np.zeros_like(v)} for k, v in params.items()}
    for t in range(1, 4):
        slopes = {"a": 2.0 * params["a"] * params["b"].sum(), "b": np.sum(params["a"] ** 2) * params["b"]}
        for k in params:
            s = state[k]
            s["m"] = 0.9 * s["m"] + 0.1 * slopes[k]
            s["v"] = 0.99 * s["v"] + 0.01 * slopes[k] ** 2
            params[k] -= 0.1 * (s["m"] / (1.0 - 0.9**t)) / (np.sqrt(s["v"] / (1.0 - 0.99**t)) + 1e-8)
    return sum(np.sum(v**2) for v in params.values())


def intervals_that_wait(xs):
    waiting = [{"low": 0.0, "high": xs[2], "depth": 0.0}]
    total = 0.0
    while waiting:
        s = waiting.pop()
        middle = 0.5 * (s["low"] + s["high"])
        if s["depth"] >= 3:
            total += math.exp(-xs[0] * middle) * xs[1] * (s["high"] - s["low"])
        else:
            waiting.append({"low": s["low"], "high": middle, "depth": s["depth"] + 1})
            waiting.append({"low": middle, "high": s["high"], "depth": s["depth"] + 1})
    return total


def a_path_of_points(xs):
    path = [Point(xs[0], xs[1])]
    while path[-1].y < 4.0:
        last = path[-1]
        path.append(Point(last.y, last.y + xs[2] * (1.5 + last.x)))
    return sum(p(0.5) * p.x for p in path) + path[0].y


def a_list_of_dicts_that_grows(xs, n):
    held = [{"x": xs[0], "w": 1.0}, {"x": xs[1], "w": 2.0}]
    for _ in range(n):
        held.append({"x": held[-1]["x"] * held[-2]["x"] + xs[2], "w": 1.0})
        held[0]["w"] += 0.5 * held[-1]["x"]
    return sum(h["x"] * h["w"] for h in held)


def points_replaced_on_one_path(xs, n):
    held = [Point(xs[0], 1.0), Point(xs[1], 2.0)]
    for _ in range(n):
        if held[-1].x > -5.0:
            held.append(Point(held[-1].x * held[-2].x + xs[2], 1.0))
        held[0] = Point(held[0].x, held[0].y + 1.0)
    held.sort(key=lambda p: p.x)
    return sum(p.x * p.y * k for k, p in enumerate(held))


def dicts_in_a_queue(xs):
    first = {"x": xs[0], "depth": 1.0}
    queue = deque([first])
    total = 0.0
    while queue:
        s = queue.popleft()
        total += s["x"] ** 2
        s["x"] *= 2.0
        if s["depth"] < 3:
            queue.append({"x": s["x"] * xs[1], "depth": s["depth"] + 1})
            queue.appendleft({"x": s["x"] + xs[2], "depth": s["depth"] + 1})
    return total * first["x"]


def taken_out_and_changed(xs):
    d = {"a": xs[0]}
    held = []
    for _ in xs:
        held.append(d)
    for i, h in enumerate(held[1:]):
        h["a"] += i * xs[1]
    for h, x in zip(reversed(held), xs):
        h["a"] *= x
    sorted(held, key=lambda h: h["a"])[0]["a"] += 1.0
    held.pop()["a"] *= 2.0
    return d["a"] ** 2


numbers = [0.3, -0.7, 1.1]
points = [Point(0.3, 0.4), Point(1.0, -0.2), Point(-0.5, 0.7)]
PROGRAMS = [
    *(
        program(function, numbers)
        for function in (
            picked_by_number,
            picked_among_two_names,
            changed_as_an_item,
            changed_after_it_was_put,
            changed_before_the_next_is_put,
            one_under_all_keys,
            changed_and_put_anew,
            copied_and_put,
            other_keys_of_items_changed,
            taken_out_and_changed,
            intervals_that_wait,
            a_path_of_points,
            dicts_in_a_queue,
            the_best_of_some,
            the_best_is_changed_by_its_other_name,
            one_of_two_is_changed,
            the_one_before,
            objects_put_and_bound_anew,
        )
    ),
    *(program(function, points) for function in (repeated_objects, repeated_dicts, called_items)),
    program(called_tuples, [Line(1.0, 2.0), Line(3.0, 4.0)]),
    program(a_list_of_dicts_that_grows, numbers, 4),
    program(points_replaced_on_one_path, numbers, 4),
    program(called_tuple, Line(1.0, 2.0)),
    program(moments_by_name, {"a": np.array([0.4, -1.2]), "b": np.array([0.7, 0.2, 1.5])}, step=1e-4),
]
