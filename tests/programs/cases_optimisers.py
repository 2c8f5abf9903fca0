"""Programs that train, and are differentiated through it: with a state in a dict that is None, or empty, at first."""

from __future__ import annotations

import numpy as np
from program import program


def adam_of_a_config(w, g, config=None):
    if config is None:
        config = {}
    config.setdefault("rate", 0.05)
    config.setdefault("m", np.zeros_like(w))
    config.setdefault("v", np.zeros_like(w))
    config.setdefault("t", 0)
    config["t"] += 1
    config["m"] = 0.9 * config["m"] + 0.1 * g
    config["v"] = 0.99 * config["v"] + 0.01 * g * g
    m, v = config["m"] / (1 - 0.9 ** config["t"]), config["v"] / (1 - 0.99 ** config["t"])
    return w - config["rate"] * m / (np.sqrt(v) + 1e-6), config


def config_that_is_none(a, w, n):
    config = None
    for _ in range(n):
        w, config = adam_of_a_config(w, a @ w - 1.0, config)
    return np.sum(w**2) + np.sum(config["m"])


def state_that_is_none(a, w, rate, n):
    state = None
    for _ in range(n):
        g = a @ w - 1.0
        if state is None:
            state = {"m": np.zeros_like(w), "t": 0}
        state["t"] += 1
        state["m"] = 0.9 * state["m"] + g
        w = w - rate * state["m"] / state["t"]
    return np.sum(w**2) * state["t"]


class Scaling:
    def __init__(self, rate):
        self.rate, self.squares = rate, None

    def update(self, params, grads):
        if self.squares is None:
            self.squares = {}
            for key, value in params.items():
                self.squares[key] = np.zeros_like(value)
        for key in params:
            self.squares[key] *= 0.9
            self.squares[key] += 0.1 * grads[key] * grads[key]
            params[key] -= self.rate * grads[key] / (np.sqrt(self.squares[key]) + 1e-3)


def squares_that_are_none(a, w, rate, n):
    optimiser, params = Scaling(rate), {"w": w.copy(), "b": 2 * w}
    for _ in range(n):
        grads = {"w": a @ params["w"] - 1.0, "b": 0.5 * params["b"] + params["w"]}
        optimiser.update(params, grads)
    return np.sum(params["w"] * params["b"])


def optimisers_in_a_list(w, rate, n):
    optimisers = [Scaling(rate * (k + 1)) for k in range(2)]
    params = {"w": w.copy()}
    for _ in range(n):
        for optimiser in optimisers:
            optimiser.update(params, {"w": np.sin(params["w"])})
    return np.sum(params["w"])


def best_of_all(w, rate, n):
    best, candidates = None, []
    for t in range(n):
        candidate = {"loss": np.sum((w - rate * t) ** 2), "w": w * (t + 1)}
        candidates.append(candidate)
        if best is None or candidate["loss"] < best["loss"]:
            best = candidate
    best["w"] = best["w"] * 7
    return best["loss"] + sum(np.sum(c["w"]) for c in candidates)


def one_dict_by_two_names(w, n):
    state = first = None
    for _ in range(n):
        if not state:
            state = {"a": w**2}
            first = state
        state["a"] = state["a"] * w
    return np.sum(first["a"])


def read_while_it_is_none(w, n):
    state = None
    for _ in range(n):
        state = {"a": w * w}
    try:
        return np.sum(state["a"])
    except TypeError:
        return np.sum(w)


A = np.array([[2.0, 0.3], [0.3, 1.0]])
W = np.array([0.4, -0.7])

PROGRAMS = [
    program(config_that_is_none, A, W, 18),
    program(state_that_is_none, A, W, 0.05, 18),
    program(squares_that_are_none, A, W, 0.05, 18),
    program(optimisers_in_a_list, W, 0.05, 18),
    program(best_of_all, W, 0.3, 4),
    program(one_dict_by_two_names, W, 3),
    program(read_while_it_is_none, W, 0),
    program(read_while_it_is_none, W, 2, name="read_when_it_is_none_no_more"),
]
