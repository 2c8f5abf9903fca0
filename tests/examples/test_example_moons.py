"""The scalar perceptron against an independent scalar autograd."""

from __future__ import annotations

import math
from typing import Any

import pytest
import scalar_autograd as oracle
from differences import to_vector
from references import assert_close

from examples import moons_mlp
from s2sad import value_and_grad

ACTIVATIONS = {"tanh": (math.tanh, oracle.tanh), "relu": (moons_mlp.relu, oracle.relu)}


def oracle_loss_gradient(layers: Any, points: Any, labels: Any, activation: Any) -> Any:
    """The gradient of the example's loss by the oracle, with its own statement of the loss."""

    def loss(network: Any) -> Any:
        total = oracle.Value(0.0)
        for point, label in zip(points, labels):
            values = list(point)
            for depth, (weights, biases) in enumerate(network):
                values = [bias + sum(w * x for w, x in zip(row, values)) for row, bias in zip(weights, biases)]
                values = values if depth == len(network) - 1 else [activation(v) for v in values]
            total = total + oracle.relu(1.0 - values[0] * label)
        squares = [w * w for weights, _ in network for row in weights for w in row]
        return total / len(points) + sum(squares) * 1e-4

    return oracle.oracle_gradient(loss, layers)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_gradient_equals_the_oracle(name: str) -> None:
    ours, theirs = ACTIVATIONS[name]
    points, labels = moons_mlp.make_moons(20, seed=3)
    layers = moons_mlp.make_network([2, 5, 4, 1], seed=1)
    value, gradient = value_and_grad(moons_mlp.loss)(layers, points, labels, ours)
    assert value == moons_mlp.loss(layers, points, labels, ours)
    expected = oracle_loss_gradient(layers, points, labels, theirs)
    assert [type(g) for g in gradient] == [tuple] * 3
    assert_close(to_vector(gradient), to_vector(expected), 1e-12)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_training_separates_the_moons(name: str) -> None:
    ours, theirs = ACTIVATIONS[name]
    points, labels = moons_mlp.make_moons(60)
    step = value_and_grad(moons_mlp.loss)
    checked = []

    def checking_step(layers: Any, points: Any, labels: Any, activation: Any) -> Any:
        value, gradient = step(layers, points, labels, activation)
        if len(checked) % 25 == 0:
            expected = oracle_loss_gradient(layers, points, labels, theirs)
            assert_close(to_vector(gradient), to_vector(expected), 1e-12)
        checked.append(value)
        return value, gradient

    layers, losses = moons_mlp.train(
        checking_step, moons_mlp.make_network([2, 8, 8, 1]), points, labels, ours, rate=RATES[name]
    )
    assert losses[-1] < 0.2 * losses[0]
    assert moons_mlp.accuracy(layers, points, labels, ours) > 0.95
    assert moons_mlp.accuracy(layers, *moons_mlp.make_moons(200, seed=9), ours) > 0.95


RATES = {"tanh": 0.2, "relu": 0.4}
