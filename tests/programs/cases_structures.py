"""Programs on lists, tuples, dicts, named tuples and dataclasses."""

from __future__ import annotations

import math
from collections import namedtuple
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from program import program

rng = np.random.default_rng(12)

Particle = namedtuple("Particle", ["position", "velocity"])


class Rates(NamedTuple):
    infection: float
    recovery: float


@dataclass
class Spring:
    stiffness: float
    rest: float = 1.0

    def force(self, stretch):
        return -self.stiffness * (stretch - self.rest)


@dataclass(frozen=True)
class Network:
    weights: list
    biases: list
    scale: float = field(default=1.0)


def sir(state, rates, days):
    for _ in range(days):
        infected = rates["beta"] * state["S"] * state["I"]
        recovered = rates["gamma"] * state["I"]
        state = {
            "S": state["S"] - infected,
            "I": state["I"] + infected - recovered,
            "R": state["R"] + recovered,
        }
    return state["I"] + 2.0 * state["R"] ** 2


def sir_in_place(population, rates, days):
    s = dict(population)
    for _ in range(days):
        new = rates.infection * s["S"] * s["I"]
        s["S"] -= new
        s["I"] += new - rates.recovery * s["I"]
    return s["I"] * s["S"]


def dict_of_arrays(params, x):
    h = x
    for name in ("first", "second"):
        h = np.tanh(h @ params[name]["W"] + params[name]["b"])
    penalty = 0.0
    for name, layer in params.items():
        penalty += len(name) * np.sum(layer["W"] ** 2)
    return np.sum(h) + 1e-2 * penalty


def dict_iteration(prices, amounts):
    total = 0.0
    for name, price in prices.items():
        if name in amounts:
            total += price**2 * amounts[name]
    for name in amounts:
        total += amounts[name] * prices.get(name, 0.0)
    return total + sum(prices.values()) / len(prices)


def verlet(particle, dt, steps):
    for _ in range(steps):
        half = particle.velocity - 0.5 * dt * np.sin(particle.position)
        position = particle.position + dt * half
        particle = Particle(position, half - 0.5 * dt * np.sin(position))
    x, v = particle
    return np.sum(x * v)


def named_tuple_replace(p, s):
    q = p._replace(velocity=p.velocity * s)
    return np.sum(q.position * q.velocity) + p.velocity[0]


def spring_energy(spring, x0, steps):
    x, v = x0, 0.0
    for _ in range(steps):
        v += 0.1 * spring.force(x)
        x += 0.1 * v
    return 0.5 * v**2 + 0.5 * spring.stiffness * (x - spring.rest) ** 2


def dataclass_result(spring, factor):
    stiffer = replace(spring, stiffness=spring.stiffness * factor)
    return Spring(stiffer.stiffness + spring.rest, math.sin(stiffer.rest))


def network_score(network, x):
    for W, b in zip(network.weights, network.biases):
        x = np.maximum(W @ x + b, 0.1 * (W @ x + b))
    return network.scale * np.sum(x)


def list_append(x, n):
    out = []
    for k in range(n):
        out.append(np.sin(k * x))
        if k % 2:
            out.extend([x, x * k])
    return np.array(out) @ np.arange(float(len(out)))


def list_stores(x, y):
    values = [0.0] * 5
    values[0] = x
    values[1] = y
    for k in range(2, 5):
        values[k] = values[k - 1] * values[k - 2] + k
    values[1], values[3] = values[3], values[1]
    values[-1] += values[1] * x
    return values[4] - values[3] + sum(values[:3])


def comprehension(xs, ys):
    products = [x * y for x in xs for y in ys if x > y]
    table = [[x + k * y for k, y in enumerate(ys)] for x in xs]
    named = {f"k{k}": x**2 for k, x in enumerate(xs)}
    largest = max(p for p in products)
    return sum(products) + sum(math.sin(v) for row in table for v in row) + named["k1"] + largest


def pure_python_matmul(A, B):
    C = [[sum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]
    return sum(C[i][j] * (i + 1) * (j + 2) for i in range(len(C)) for j in range(len(C[0])))


def nested_pairs(state):
    (x, (y, z)), w = state
    return x * y + z * w[0] - w[1] ** 2


def tuple_output(x, y):
    return x * y, (np.sin(x), {"sum": x + y, "y": y})


def list_output(x, n):
    return [x**k for k in range(1, n)]


def array_output(x, A):
    return A @ np.exp(x)


def viterbi_score(emission, transition):
    best = [e for e in emission[0]]
    for t in range(1, len(emission)):
        best = [max(best[i] + transition[i][j] for i in range(len(best))) + emission[t][j] for j in range(len(best))]
    return max(best)


def stack_machine(x, y, code):
    stack = []
    for op in code:
        if op == "x":
            stack.append(x)
        elif op == "y":
            stack.append(y)
        elif op == "+":
            b = stack.pop()
            a = stack.pop()
            stack.append(a + b)
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(a * b)
    return stack[-1]


def enumerate_zip_reversed(xs, ys):
    total = 0.0
    for k, (x, y) in enumerate(zip(xs, reversed(ys)), start=1):
        total += k * x * y
    for x in sorted(xs)[1:]:
        total *= 1.0 + 0.1 * x
    return total


def moving_window(xs, width):
    window, out = [], []
    for x in xs:
        window = [*window, x][-width:]
        out.append(sum(window) / len(window))
    return sum(v * v for v in out)


def decay_while_read(levels):
    total = 0.0
    for name, level in levels.items():
        levels["sink"] += 0.5 * level
        total += level * level * len(name)
    for level in levels.values():
        levels["source"] *= 0.9
        total += math.sin(level)
    return total


def replaced_after_stacking(x):
    rows = [x * 1.0, x * x]
    s = np.sum(np.stack(rows) * x)
    for k in range(3):
        rows[k % 2] = x[k] * rows[(k + 1) % 2]
        rows[k % 2][1:] += s
        s = s + 0.1 * np.sum(np.stack(rows) * x[0])
    rows[0], rows[1] = rows[1], rows[0]
    return s + np.sum(np.array(rows) * x) * np.sum(rows[0])


def layers_as_dicts(layers, x):
    for layer in layers[:-1]:
        x = np.tanh(layer["w"] @ x + layer["b"])
    return np.sum(layers[-1]["w"] @ x) + sum(np.sum(v) for layer in layers for v in layer.values())


def dicts_of_a_list_changed(model):
    for part in model["parts"]:
        part["b"] *= part["w"]
        part["w"] = part["b"] * model["scale"]
    return model["parts"][0]["w"] * model["parts"][1]["w"] * model["parts"][1]["b"]


def dicts_by_number(layers, x):
    for k in range(2):
        x = layers[k]["w"] * x + layers[k]["b"]
    return np.sum(x)


def numbers_beside_none(xs):
    s = 0.0
    for x in xs:
        if x is not None:
            s += x * x
    return s


def dicts_made_of_dicts(rows, x):
    twice = [{k: v * 2.0 for k, v in row.items()} for row in rows]
    return twice[0]["w"] * twice[1]["b"] * x


def arrays_beside_none(xs):
    return sum(np.sum(x * x) for x in xs if x is not None)


W, V = np.array([[0.5, 1.2], [-0.3, 0.4]]), np.array([0.7, -0.2])


def dict_that_grows_and_is_read_whole(x):
    table = {0: x[0] * 1.0}
    s = 0.0
    for i in range(3):
        table[i] = table[0] * x[i]
        s += sum(v**2 for v in table.values())
    return s


def dict_made_in_each_round(x):
    parts = list(x)
    s = 0.0
    for i in range(3):
        named = {k: v * 2.0 for k, v in zip(range(2), parts, strict=False)}
        named[1] = named[0] * x[i]
        named[2] = named[1] ** 2
        parts[1:1] = [named[2]]
        s += named[2] * named[1]
    return s + sum(parts)


def arrays_replaced_in_a_dict(x):
    rows = {}
    s = 0.0
    for i in range(3):
        rows[i % 2] = x * x[i]
        for k in rows:
            s += np.sum(rows[k] ** 2) * len(rows)
    return s


def dict_of_pairs(x):
    names, values = ["a", "b"], [x, x * 2.0]
    d = dict(zip(names, values), c=x * x)
    e = dict([("u", d["a"]), ("v", d["b"])])
    return d["a"] * d["b"] * d["c"] * sum(e.values())


def copies_of_dicts(x, n):
    d = {k: x * k for k in range(n)}
    e, f = dict(d), d.copy()
    e[1] = x
    f[2] *= x
    d.update({5: x * x})
    return sum(d.values()) + e[1] * e[2] + sum(f.values())


def dicts_updated(x, n):
    d, e = {"a": x}, {k: x for k in range(n)}
    d.update([("a", x * x), ("b", x)])
    e.update(zip([0, 7], [x * x, 3.0 * x]))
    return d["a"] * d["b"] + e[0] * e[7] * e[1]


def dict_of_enumerated(x):
    d = dict(enumerate(x))
    d.update({k + 10: v * v for k, v in d.items()})
    return sum(v * k for k, v in d.items())


def arrays_replaced_in_dict(x):
    d = {k: x * (k + 1.0) for k in range(2)}
    for k in [0, 1, 0]:
        d[k] = d[k] * d[1 - k]
    d[2] = d[0][:2]
    d[0] = d[2][:1] * d[1]
    return np.sum(d[0] * d[1]) + np.sum(d[2] ** 2)


def springs_picked(x):
    springs = [Spring(x), Spring(2.0 * x, x)]
    pairs = ((springs[0], Spring(x)), (springs[1], Spring(3.0, x)))
    total = 0.0
    for k in range(2):
        a, b = pairs[k]
        total += springs[k].stiffness * springs[k].rest + a.stiffness * b.rest
    return total


def springs_popped(x, n):
    springs = [Spring(x * k, x) for k in range(n)]
    total = 0.0
    while springs:
        spring = springs.pop()
        total += spring.stiffness * spring.rest
    return total


def force_far_down(spring, n):
    return spring.rest if n == 0 else force_far_down(spring, n - 1) * spring.stiffness


def spring_handed_down(x):
    return force_far_down(Spring(x, 2.0 * x), 20)


def springs_change_places(x, n):
    a, b = Spring(x), Spring(2.0 * x)
    for _ in range(n):
        a, b = b, a
        a.stiffness += b.stiffness * x
    return a.stiffness - b.stiffness * 2.0


def loaded(stiffness, rest):
    spring = Spring(stiffness)
    spring.rest = rest
    return spring


def springs_made_by_a_function(x, n):
    spring = loaded(x, 2.0)
    state = {"a": x}

    def further(old):
        new = dict(old)
        new["a"] = old["a"] * x
        return new

    for k in range(n):
        spring = loaded(spring.stiffness * x, spring.rest + x)
        state = further(state) if k % 2 else further(further(state))
    return spring.stiffness * spring.rest * state["a"]


PROGRAMS = [
    program(springs_made_by_a_function, 0.7, 3),
    program(springs_picked, 0.7),
    program(springs_popped, 0.7, 3),
    program(spring_handed_down, 0.7),
    program(springs_change_places, 0.7, 3),
    program(arrays_replaced_in_dict, np.array([0.3, 0.7, 1.1])),
    program(dict_of_pairs, 0.7),
    program(copies_of_dicts, 0.7, 3),
    program(dicts_updated, 0.7, 2),
    program(dict_of_enumerated, np.array([0.5, 0.7, 0.9])),
    program(dict_that_grows_and_is_read_whole, np.array([0.5, 0.7, 0.9])),
    program(dict_made_in_each_round, [0.5, 0.7, 0.9]),
    program(arrays_replaced_in_a_dict, np.array([0.5, 0.7, 0.9])),
    program(layers_as_dicts, [{"w": W, "b": V}, {"w": W.T, "b": V * 2.0}], np.array([0.3, 0.8])),
    program(dicts_of_a_list_changed, {"parts": [{"w": 0.5, "b": 0.7}, {"w": 1.2, "b": 0.4}], "scale": 1.1}),
    program(dicts_by_number, {0: {"w": V, "b": V}, 1: {"w": V * 2.0, "b": V}}, np.array([0.3, 0.8])),
    program(dicts_made_of_dicts, [{"w": 0.3, "b": 0.4}, {"w": 1.2, "b": 2.0}], 0.5),
    program(arrays_beside_none, [np.array([0.5, 1.2]), None, np.array([0.7, -0.2])]),
    program(numbers_beside_none, [0.5, None, 0.7]),
    program(sir, {"S": 0.9, "I": 0.1, "R": 0.0}, {"beta": 0.5, "gamma": 0.2}, 6),
    program(sir_in_place, {"S": 0.9, "I": 0.1}, Rates(0.5, 0.2), 6),
    program(
        dict_of_arrays,
        {n: {"W": rng.normal(size=(3, 3)), "b": rng.normal(size=3)} for n in ("first", "second")},
        rng.normal(size=(2, 3)),
    ),
    program(dict_iteration, {"tea": 1.5, "milk": 0.8, "salt": 0.2}, {"milk": 2.0, "tea": 0.5}),
    program(verlet, Particle(rng.normal(size=2), rng.normal(size=2)), 0.1, 5),
    program(named_tuple_replace, Particle(rng.normal(size=2), rng.normal(size=2)), 1.7),
    program(spring_energy, Spring(2.0, 0.7), 1.4, 6),
    program(dataclass_result, Spring(2.0, 0.7), 1.4),
    program(network_score, Network([*rng.normal(size=(2, 3, 3))], [*rng.normal(size=(2, 3))], 0.5), rng.normal(size=3)),
    program(list_append, 0.4, 5),
    program(list_stores, 0.4, 1.3),
    program(comprehension, [0.3, 1.5, 0.9], [0.7, 0.2]),
    program(pure_python_matmul, [[0.1, 0.2], [0.3, -0.4]], [[1.1, 0.5, 0.6], [0.2, -0.3, 0.9]]),
    program(nested_pairs, ((0.5, (1.5, -0.3)), [0.2, 2.0])),
    program(tuple_output, 0.5, 1.5),
    program(decay_while_read, {"source": 1.3, "sink": 0.4}),
    program(list_output, 1.2, 5),
    program(array_output, rng.normal(size=3), rng.normal(size=(2, 3))),
    program(viterbi_score, rng.normal(size=(4, 3)).tolist(), rng.normal(size=(3, 3)).tolist()),
    program(stack_machine, 0.6, 1.4, "xy*x+y*"),
    program(enumerate_zip_reversed, [0.5, -0.2, 1.1], [0.3, 0.9, 2.0]),
    program(moving_window, [0.5, -0.2, 1.1, 0.7], 3),
    program(replaced_after_stacking, np.array([0.3, 0.5, 0.7])),
]
