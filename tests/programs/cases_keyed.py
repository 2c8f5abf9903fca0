"""Lists of dicts: layers by name, springs, particles, as arguments and made on the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from program import program

layers = [
    {"W": np.array([[0.3, -0.2], [0.5, 0.1], [0.7, -0.4]]), "b": np.array([0.1, 0.2, 0.3])},
    {"W": np.array([[0.2, 0.3, -0.6], [0.4, 0.9, -0.1]]), "b": np.array([0.3, -0.3])},
]
numbers = [{"a": 0.3, "b": 0.2}, {"a": 0.5, "b": 1.0}, {"a": -0.4, "b": 0.7}]
x0 = np.array([0.4, -0.7])


@dataclass
class Model:
    encoder: list
    scale: float


def layers_in_turn(params, x):
    for p in params:
        x = np.tanh(p["W"] @ x + p["b"])
    return np.sum(x**2)


def layers_but_the_last(params, x):
    for i, p in enumerate(params):
        x = p["W"] @ x + p["b"]
        if i < len(params) - 1:
            x = np.tanh(x)
    return np.sum(x * params[-1]["b"])


def layers_of_a_model(model, x):
    for p in model.encoder:
        x = np.tanh(p["W"] @ x + p["b"])
    return np.sum(x) * model.scale


def layers_by_their_places(model, x):
    for name in ("encoder", "decoder"):
        for p in model[name]:
            x = np.tanh(p["W"] @ x + p["b"])
    return np.sum(x)


def decayed(params):
    return sum(np.sum(v**2) for p in params for v in p.values())


def decayed_but_for_the_biases(params):
    total = 0.0
    for p in params:
        for name, v in p.items():
            if name != "b":
                total += np.sum(v**2)
    return total


def what_a_layer_has(params, x):
    for p in params:
        x = p["W"] @ x * p.get("scale", 2.0) * len(p)
        if "b" in p:
            x = x + p["b"]
        if "c" in p:
            x = x + p["c"]
    return np.sum(x)


def layer(W, b, x):
    return np.tanh(W @ x + b)


def spread_over_a_call(params, x):
    for p in params:
        x = layer(**p, x=x)
    return np.sum(x)


def dicts_in_dicts(params, x):
    for p in params:
        x = np.tanh(p["linear"]["W"] @ x + p["linear"]["b"]) * p["gain"]
    return np.sum(x)


def rows_of_dicts(rows, x):
    total = 0.0
    for row in rows:
        for p in row:
            total += p["a"] * x * p["b"]
    return total


def numbers_in_turn(params, x):
    for p in reversed(params):
        x = x * p["a"] + p["b"]
    return x


def two_lists_of_dicts(these, those):
    return sum(p["a"] * q["b"] ** 2 for p, q in zip(these, those))


def made_of_others(params, x):
    new = [{name: v * x for name, v in p.items()} for p in params]
    more = [{**p, "c": x - p["a"]} for p in new]
    return sum(p["a"] * p["b"] + p["c"] ** 2 for p in more)


def moved_ahead(particles, steps):
    for _ in range(steps):
        particles = [{"x": p["x"] + 0.1 * p["v"], "v": p["v"] - 0.1 * p["x"] ** 3} for p in particles]
    return particles


def one_of_them(params, x):
    best = params[0]
    for p in params:
        if p["a"] > best["a"]:
            best = p
    return best["a"] * x, best


def taken_until_none_is_left(params, x):
    left = list(params)
    total = 0.0
    while left:
        p = left.pop()
        total += p["a"] * x + total * p["b"]
        if total > 10.0:
            break
    return total


def sorted_by_one_key(params, x):
    return sum((i + 1) * p["b"] * x for i, p in enumerate(sorted(params, key=lambda p: p["a"])))


def arrays_changed_in_dicts(params, x):
    for p in params:
        p["W"] *= 2.0
        p["b"][0] = x[0]
    for p in params:
        x = p["W"] @ x + p["b"]
    return np.sum(x)


def put_with_numbers_and_arrays(x, n):
    held = []
    for i in range(n):
        held.append({"v": x * i, "w": np.array([x, x * x])})
    total = 0.0
    for p in held:
        total += p["v"] * np.sum(p["w"])
    return total


def others_where_one_changes(params, x):
    for p in params:
        p["a"] = p["a"] * x
    return sum(p["a"] * p["b"] for p in params)


def trained(params, x, steps):
    """Parameters by name, which each step replaces by others in a dict of its own."""
    mean = {name: np.zeros_like(value) for name, value in params.items()}
    for step in range(1, steps + 1):
        hidden = np.tanh(params["W"] @ x + params["b"])
        slopes = {}
        slopes["b"] = hidden * (1.0 - hidden**2)
        slopes["W"] = np.outer(slopes["b"], x)
        new = {}
        for name in params:
            mean[name] = 0.9 * mean[name] + 0.1 * slopes[name]
            new[name] = params[name] - 0.2 * mean[name] / (1.0 - 0.9**step)
        params = new
    return np.sum(params["W"] ** 2) + np.sum(params["b"])


def left_before_it_is_taken_over(params, steps):
    for step in range(steps):
        if step == 1:
            continue
        new = {}
        for name in params:
            new[name] = 0.9 * params[name] + 1.0
        if new["b"][0] > 2.5:
            break
        params = new
        new["b"] = new["b"] * params["b"]
    return np.sum(params["W"] ** 2) + np.sum(params["b"])


def kept_beside_the_next(params, steps):
    step = 0
    while np.sum(params["b"]) < 20.0 + steps:
        step += 1
        before = params
        new = {}
        for name in params:
            new[name] = 0.9 * params[name] + 1.0
        if step % 2:
            params = new
        else:
            params = new
            params["b"] = before["b"] + 1.0
    return np.sum(params["W"] ** 2) + np.sum(params["b"])


particles = [{"x": 1.0, "v": 0.3}, {"x": -0.5, "v": 0.8}]
PROGRAMS = [
    *(program(f, layers, x0) for f in (layers_in_turn, layers_but_the_last, what_a_layer_has, spread_over_a_call)),
    program(arrays_changed_in_dicts, layers, x0),
    program(layers_in_turn, layers[:1], x0, name="one_layer"),
    program(layers_of_a_model, Model(layers, 0.4), x0),
    program(layers_by_their_places, {"encoder": layers[:1], "decoder": layers[1:]}, x0),
    program(decayed, layers),
    program(decayed_but_for_the_biases, layers),
    program(dicts_in_dicts, [{"linear": p, "gain": 0.5 + k} for k, p in enumerate(layers)], x0),
    program(rows_of_dicts, [numbers, numbers[:1], []], 0.7),
    program(two_lists_of_dicts, numbers, numbers[::-1]),
    *(program(f, numbers, 0.7) for f in (numbers_in_turn, made_of_others, one_of_them, taken_until_none_is_left)),
    *(program(f, numbers, 0.7) for f in (sorted_by_one_key, others_where_one_changes)),
    *(program(moved_ahead, particles, n, name=f"moved_ahead_{n}_times") for n in (0, 1, 3)),
    *(program(trained, layers[0], x0, n, name=f"trained_{n}_times") for n in (0, 1, 3)),
    *(
        program(f, layers[0], n, name=f"{f.__name__}_{n}")
        for f in (left_before_it_is_taken_over, kept_beside_the_next)
        for n in (0, 3)
    ),
    *(program(put_with_numbers_and_arrays, 0.7, n, name=f"put_{n}_times") for n in (0, 1, 3)),
]
