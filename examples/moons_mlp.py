"""A multi-layer perceptron of plain Python floats, trained on two interleaved half-moons.

There is no array in sight: a layer is a list of rows of weights and a list of biases, and the loss is loops
over them. Run ``python -m examples.moons_mlp``.
"""

import math
import random


def make_moons(count, noise=0.1, seed=0):
    """Return ``count`` points on two interleaved half circles and their labels, -1 and +1."""
    rng = random.Random(seed)
    points, labels = [], []
    for k in range(count):
        angle = math.pi * (k // 2) / max(1, count // 2 - 1)
        if k % 2 == 0:
            x, y, label = math.cos(angle), math.sin(angle), -1.0
        else:
            x, y, label = 1.0 - math.cos(angle), 0.5 - math.sin(angle), 1.0
        points.append([x + rng.gauss(0.0, noise), y + rng.gauss(0.0, noise)])
        labels.append(label)
    return points, labels


def make_network(sizes, seed=0):
    """Return one ``(weights, biases)`` pair per layer, drawn at random."""
    rng = random.Random(seed)
    layers = []
    for fan_in, fan_out in zip(sizes, sizes[1:]):
        scale = 1.0 / math.sqrt(fan_in)
        weights = [[rng.uniform(-scale, scale) for _ in range(fan_in)] for _ in range(fan_out)]
        biases = [rng.uniform(-0.1, 0.1) for _ in range(fan_out)]
        layers.append((weights, biases))
    return layers


def relu(s):
    """The positive part."""
    return s if s > 0.0 else 0.0


def neuron(weights, bias, inputs):
    """The weighted sum of the inputs plus the bias."""
    s = bias
    for w, x in zip(weights, inputs):
        s += w * x
    return s


def score(layers, point, activation=math.tanh):
    """The network's output for one point: hidden layers are activated, the last is linear."""
    values = point
    for k, (weights, biases) in enumerate(layers):
        sums = [neuron(row, bias, values) for row, bias in zip(weights, biases)]
        values = sums if k == len(layers) - 1 else [activation(s) for s in sums]
    return values[0]


def loss(layers, points, labels, activation=math.tanh, decay=1e-4):
    """The mean hinge loss plus ``decay`` times the sum of the squared weights."""
    total = 0.0
    for point, label in zip(points, labels):
        margin = 1.0 - label * score(layers, point, activation)
        if margin > 0.0:
            total += margin
    penalty = 0.0
    for weights, _ in layers:
        for row in weights:
            for w in row:
                penalty += w * w
    return total / len(points) + decay * penalty


def accuracy(layers, points, labels, activation=math.tanh):
    """The fraction of points on the right side."""
    hits = sum(1 for point, label in zip(points, labels) if score(layers, point, activation) * label > 0.0)
    return hits / len(points)


def combine(f, a, b):
    """Apply ``f`` to matching floats of two networks."""
    return [
        (
            [[f(v, w) for v, w in zip(row_a, row_b)] for row_a, row_b in zip(weights_a, weights_b)],
            [f(v, w) for v, w in zip(biases_a, biases_b)],
        )
        for (weights_a, biases_a), (weights_b, biases_b) in zip(a, b)
    ]


def train(loss_and_gradient, layers, points, labels, activation=math.tanh, steps=80, rate=0.2, momentum=0.9):
    """Gradient descent with momentum on all points at once; return the trained network and the losses on the way."""
    velocity = combine(lambda v, w: 0.0, layers, layers)
    losses = []
    for _ in range(steps):
        value, gradient = loss_and_gradient(layers, points, labels, activation)
        velocity = combine(lambda v, d: momentum * v - rate * d, velocity, gradient)
        layers = combine(lambda w, v: w + v, layers, velocity)
        losses.append(value)
    return layers, losses


def main():
    """Train a 2-8-8-1 network and print how it does."""
    from s2sad import value_and_grad

    points, labels = make_moons(60)
    layers, losses = train(value_and_grad(loss), make_network([2, 8, 8, 1]), points, labels)
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.4f}")
    print(f"accuracy {accuracy(layers, points, labels):.1%}")


if __name__ == "__main__":
    main()
