"""Lists whose items are of several kinds: weights beside biases, numbers beside arrays, lists in lists."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from program import program

W0 = np.array([[0.3, -0.2], [0.5, 0.1], [0.7, -0.4]])
W1 = np.array([[0.2, 0.3, -0.6], [0.4, 0.9, -0.1]])
b0, b1 = np.array([0.1, 0.2, 0.3]), np.array([0.3, -0.3])
x0 = np.array([0.4, -0.7])


@dataclass
class Net:
    params: list
    scale: float


def unpacked(params, x):
    V, b, W, c = params
    return np.sum((W @ np.tanh(V @ x + b) + c) ** 2)


def by_places(params, x):
    return np.sum((params[2] @ np.tanh(params[0] @ x + params[1]) + params[-1]) ** 2)


def pairs_in_turn(layers, x):
    for W, b in layers:
        x = np.tanh(W @ x + b)
    return np.sum(x)


def zipped_slices(params, x):
    for W, b in zip(params[::2], params[1::2]):
        x = np.tanh(W @ x + b)
    return np.sum(x) * len(params)


def decayed_one_by_one(params, x):
    return sum(np.sum(p**2) for p in params) * x[0] + sum([np.sum(p) * k for k, p in enumerate(params)])


def spread_over_parameters(params, x):
    def network(V, b, W, c):
        return np.sum(W @ np.tanh(V @ x + b) + c)

    return network(*params)


def of_a_dataclass(net, x):
    W, *rest = net.params
    return np.sum(W @ x + rest[0]) * net.scale


def pairs_under_keys(layers, x):
    total = 0.0
    for _, (W, b) in layers.items():
        total += np.sum(W @ x + b)
    return total


def lists_in_a_list(params, x):
    (V, b), (W, c), scale = params
    return np.sum(W @ np.tanh(V @ x + b) + c) * scale


def dict_in_a_list(params, x):
    return np.sum(params[1] @ x + params[0]["b"]) * params[0]["scale"]


def arrays_changed_in_a_list(params, x):
    params[0] *= 2.0
    params[1][0] = x[0]
    W, b = params
    return np.sum(W @ x + b)


def moved_against_the_gradient(params, slopes):
    return [p - 0.1 * s for p, s in zip(params, slopes)]


def scaled_and_returned(params, x):
    return [params[0] * x[0], params[1]], x * 2.0


def carried_by_a_loop(params, x, n):
    moved = params
    for _ in range(n):
        moved = [moved[0] * 1.5, moved[1] + 1.0]
    return np.sum(moved[0] @ x + moved[1])


def one_of_two_lists(params, x):
    taken = params if x[0] > 0 else [params[0] * 2.0, params[1]]
    return np.sum(taken[0] @ x + taken[1])


def written_down(x, a):
    total = np.sum(sum([0.5, x, a]))
    for v in [a, x, a * 2.0]:
        total = total + np.sum(v**2)
    return total


def written_down_and_joined(x):
    return np.sum(np.hstack([x[0], x, 2.0]) ** 2)


def changed_later_under_another_name(x):
    held = [x[0], x]
    other = held
    other.append(x * 2.0)
    return sum(np.sum(v) for v in held) * len(held)


params = [W0, b0, W1, b1]
PROGRAMS = [
    *(program(f, params, x0) for f in (unpacked, by_places, zipped_slices, decayed_one_by_one, spread_over_parameters)),
    program(pairs_in_turn, [[W0, b0], [W1, b1]], x0),
    program(of_a_dataclass, Net(params[:2], 0.4), x0),
    program(pairs_under_keys, {"first": [W0, b0], "second": [W1[:, :2], b1]}, x0),
    program(lists_in_a_list, [[W0, b0], [W1, b1], 0.4], x0),
    program(dict_in_a_list, [{"b": b0, "scale": 0.4}, W0], x0),
    program(arrays_changed_in_a_list, params[:2], x0),
    program(moved_against_the_gradient, params, [p * 0.5 for p in params]),
    program(scaled_and_returned, params[:2], x0),
    *(program(carried_by_a_loop, params[:2], x0, n, name=f"carried_by_{n}_iterations") for n in (0, 1, 3)),
    program(one_of_two_lists, params[:2], x0),
    program(one_of_two_lists, params[:2], -x0, name="the_other_of_two_lists"),
    program(written_down, x0, 0.4),
    *(program(f, x0) for f in (written_down_and_joined, changed_later_under_another_name)),
]
