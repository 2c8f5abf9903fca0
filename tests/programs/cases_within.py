"""Programs on lists that hold records, tuples and dicts which hold lists, records and tuples themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from program import program


@dataclass
class Layer:
    weights: Any
    scale: Any = 1.0


class Edge(NamedTuple):
    ends: Any
    length: Any


@dataclass
class Box:
    value: Any


def records_of_lists(x, n):
    layers = []
    for k in range(n):
        layers.append(Layer([x * (k + 1), np.sin(x)]))
    total = 0.0
    for layer in layers:
        total += layer.weights[0] * layer.weights[1] * layer.scale
    return total


def named_tuples_of_lists(x, n):
    edges = [Edge([x * k, x * x], x + k) for k in range(n)]
    total = 0.0
    while edges:
        edge = edges.pop()
        total += edge.ends[0] * edge.ends[1] / edge.length
    return total


def tuples_of_boxes(x, n):
    held = []
    for k in range(n):
        held.append((Box([x * x, x * (k + 1)]),))
    total = 0.0
    for o in held:
        total += (o[0].value[1] + 0.5) * (o[0].value[0] + 0.5)
    return total


def boxes_in_boxes(x, v, n):
    held = [Box(Box([v[:2], v * x])) for _ in range(n)]
    total = 0.0
    for o in held:
        total += (np.sum(o.value.value[0]) + 0.5) * (o.value.value[1][0] + 0.5)
    return total


def tuples_three_deep(x, n):
    held = []
    for k in range(n):
        held.append((([np.sin(x), x * (k + 1)],),))
    total = 0.0
    for o in held:
        total += o[0][0][0] * o[0][0][1]
    return total


def records_in_lists_in_lists(x, n):
    rows = []
    for k in range(n):
        rows.append([Layer([x * k], x), Layer([x], 2.0)])
    total = 0.0
    for row in rows:
        for layer in row:
            total += layer.weights[0] * layer.scale
    return total


PROGRAMS = [
    program(records_of_lists, 0.7, 3),
    program(named_tuples_of_lists, 0.7, 3),
    program(tuples_of_boxes, 0.7, 3),
    program(boxes_in_boxes, 0.7, np.array([0.3, -0.4, 0.9]), 3),
    program(tuples_three_deep, 0.7, 3),
    program(records_in_lists_in_lists, 0.7, 3),
]
