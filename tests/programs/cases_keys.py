"""Parameters in a dict, by keys that loops put together."""

from __future__ import annotations

import itertools

import numpy as np
from program import program

rng = np.random.default_rng(17)
sizes = (4, 3, 3, 1)
numbered = {f"W{k}": rng.normal(size=(n, m)) for k, (n, m) in enumerate(itertools.pairwise(sizes))}
numbered |= {f"b{k}": rng.normal(size=m) for k, m in enumerate(sizes[1:])}
columns = {f"W{k}": rng.normal(size=(m, n)) for k, (n, m) in enumerate(itertools.pairwise(sizes), 1)}
columns |= {f"b{k}": rng.normal(size=(m, 1)) for k, m in enumerate(sizes[1:], 1)}
X = rng.normal(size=(5, 4))


def weights_by_number(params, X):
    h = X
    for i in range(3):
        h = np.tanh(h @ params[f"W{i}"] + params[f"b{i}"])
    return np.sum(h**2)


def weights_from_one(params, X):
    A = X.T
    L = len(params) // 2
    for l in range(1, L):
        W = params["W" + str(l)]
        A = np.maximum(0.0, W @ A + params["b%d" % l])  # noqa: UP031
    A = params["W" + str(L)] @ A + params["b{}".format(L)]  # noqa: UP032
    for l in range(1, L + 1):
        A = A + 0.1 * np.sum(params[f"W{l:d}"] ** 2)
    return np.mean(A**2)


def kept_by_number(params, X):
    cache = {"h0": X}
    for i in range(2):
        if i > 0 or X[0, 0] > 10.0:
            cache[f"h{i}"] = cache[f"h{i}"] * 2.0
        cache[f"h{i + 1}"] = np.sin(cache[f"h{i}"] @ params[f"W{i}"])
    return np.sum(cache["h2"]) + np.sum(cache["h1"] ** 2) + i


def weights_in_a_list(params, X):
    weights = [params[f"W{i}"] for i in range(3)]
    squares = {f"W{i}": np.sum(params[f"W{i}"] ** 2) for i in range(3) if i != 1}
    for W in weights:
        X = np.tanh(X @ W)
    return np.sum(X) + squares["W0"] * squares["W2"]


def layers_in_a_list(params, X):
    layers = [(params[f"W{i}"], params[f"b{i}"], f) for i, f in enumerate((np.tanh, np.sin, lambda z: z * z))]
    for W, b, f in layers:
        X = f(X @ W + b)
    return np.sum(X)


def weights_of_pairs(params, X):
    total = sum(np.sum(params[f"W{i}"]) * np.sum(params[f"b{j}"]) for i in range(3) for j in range(i))
    first, *rest = (params[f"b{i}"] for i in range(3))
    return total * np.sum(first) + sum(np.sum(b * b) for b in rest) + np.mean(X)


def chosen_at_run_time(params, X):
    kept = [params[f"b{i}"] for i in range(3) if i < 2 or X[0, 0] > -10.0]
    kept.append(X[0])
    return sum((k + 1) * np.sum(b**2) for k, b in enumerate(kept))


def renamed(params, X):
    return {f"V{i}": params[f"W{i}"] * X[0, i] for i in range(3)}["V1"]


def made_of_keys(x, words):
    known = dict.fromkeys(["a", "b"], x)
    known["a"] *= x
    counted = dict.fromkeys(words, 1.0)
    for k, word in enumerate(words):
        counted[word] *= x + k
    shared = dict.fromkeys("xy", [x])  # noqa: RUF024  (one list)
    shared["x"].append(x * x)
    numbered = dict.fromkeys(range(2), 0.5 * x)
    return known["a"] * known["b"] + sum(counted.values()) * len(dict.fromkeys(words)) + sum(shared["y"]) * numbered[1]


def used_up_from_the_end(x):
    left = {"a": x, "b": x * x, "c": 2.0}
    last, value = left.popitem()
    total = value * len(last)
    while left:
        key, value = left.popitem()
        total = total * value + "ab".index(key)
    return total


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __getitem__(self, k):
        return getattr(self, "xy"[k])

    def __setitem__(self, k, value):
        setattr(self, "xy"[k], value)


def fields_by_number(x):
    point = Point(x, x * x)
    point[0], point[-1] = point[1], point[0] * 2.0
    return point.x * point[1] ** 2


PROGRAMS = [
    program(made_of_keys, 0.7, ["u", "v", "u"]),
    program(used_up_from_the_end, 0.7),
    program(fields_by_number, 0.7),
    program(weights_in_a_list, numbered, X, wrt=(0, 1)),
    program(layers_in_a_list, numbered, X, wrt=(0, 1)),
    program(weights_of_pairs, numbered, X, wrt=(0, 1)),
    program(chosen_at_run_time, numbered, X, wrt=(0, 1)),
    program(renamed, numbered, X, wrt=(0, 1)),
    program(weights_by_number, numbered, X, wrt=(0, 1)),
    program(weights_from_one, columns, X, wrt=(0, 1)),
    program(kept_by_number, numbered, X, wrt=(0, 1)),
]
