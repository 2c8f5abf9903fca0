"""Programs that keep what is next in a heap of ``heapq``."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np
from program import program


def pushed_and_popped(xs):
    heap = []
    for x in xs:
        heapq.heappush(heap, math.sin(3.0 * x))
    total = sum((k + 1) * v for k, v in enumerate(heap))
    heapq.heappop(heap)
    total += heapq.heapreplace(heap, 0.3 * xs[0]) * heapq.heappushpop(heap, 0.2 * xs[1])
    for k, v in enumerate(heap):
        total += (k + 1) ** 2 * v
    k = 1
    while heap:
        total += k * heapq.heappop(heap)
        k += 1
    return total


def two_least_joined(xs):
    heap = list(xs)
    heapq.heapify(heap)
    cost = 0.0
    while len(heap) > 1:
        a = heapq.heappop(heap)
        b = heapq.heappop(heap)
        cost += a * b
        heapq.heappush(heap, a + b)
    return cost


def shortest_paths(lengths, edges, n):
    far = [math.inf] * n
    far[0] = 0.0
    heap = [(0.0, 0)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > far[u]:
            continue
        for k, (a, b) in enumerate(edges):
            if a == u and d + lengths[k] < far[b]:
                far[b] = d + lengths[k]
                heapq.heappush(heap, (far[b], b))
    return sum(d * d for d in far)


class Event:
    def __init__(self, time, kind):
        self.time, self.kind = time, kind

    def __lt__(self, other):
        return self.time < other.time


@dataclass(order=True)
class Told:
    time: float
    kind: int


def _run(times, make):
    heap = []
    for k, t in enumerate(times):
        heapq.heappush(heap, make(t * t, k))
    total, now = 0.0, 0.0
    while heap:
        event = heapq.heappop(heap)
        total += (event.time - now) * event.kind
        now = event.time
        if event.kind < 2:
            heapq.heappush(heap, make(event.time + 0.5 * times[0], event.kind + 2))
    return total


def events_by_their_word(times):
    return _run(times, Event)


def events_by_their_fields(times):
    return _run(times, Told)


def nearest_few(X, q, k):
    heap = []
    for i, x in enumerate(X):
        heapq.heappush(heap, (-np.sum((x - q) ** 2), i))
        if len(heap) > k:
            heapq.heappop(heap)
    return sum(-d * (i + 1) for d, i in heap)


class Weight:
    def __init__(self, w, left, right):
        self.w, self.left, self.right = w, left, right

    def __lt__(self, other):
        return self.w < other.w


def code_of_least_length(ws):
    def cost(t, depth):
        return t.w * depth if t.left is None else cost(t.left, depth + 1) + cost(t.right, depth + 1)

    heap = [Weight(w, None, None) for w in ws]
    heapq.heapify(heap)
    while len(heap) > 1:
        a, b = heapq.heappop(heap), heapq.heappop(heap)
        heapq.heappush(heap, Weight(a.w + b.w, a, b))
    return cost(heap[0], 0)


XS = [0.4, 0.7, 1.2, 0.9, 0.15, 0.33]
EDGES = [(0, 1), (0, 2), (1, 2), (2, 3)]

PROGRAMS = [
    program(pushed_and_popped, XS),
    program(two_least_joined, XS),
    program(shortest_paths, [0.3, 0.9, 0.4, 0.5], EDGES, 4),
    program(shortest_paths, np.array([0.3, 0.9, 0.4, 0.5]), EDGES, 4, name="shortest_paths_of_an_array"),
    program(events_by_their_word, XS),
    program(events_by_their_fields, XS),
    program(nearest_few, np.random.default_rng(0).normal(size=(6, 2)), np.array([0.1, 0.2]), 3),
    program(code_of_least_length, XS),
]
