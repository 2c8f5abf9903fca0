"""Networks: the perceptron of plain floats on moons, the dense one on digits, and a convolution by loops."""

from __future__ import annotations

import numpy as np

from examples import convolution, digits_net, moons_mlp
from tests.benchmarks.peers import by_autograd, by_casadi, by_jax, by_numba, by_numpy, by_torch
from tests.benchmarks.program import Program

__all__ = ["CONVOLUTION", "DIGITS", "MOONS"]

DECAY = 1e-4

# Moons --------------------------------------------------------------------------------------------------------------
#
# For all but us the network is arrays: W1 (h, 2), b1, W2 (h, h), b2, W3 (1, h), b3.


def in_arrays(layers, points, labels):
    """The arguments of the program as arrays."""
    return [(np.array(w), np.array(b)) for w, b in layers], np.array(points), np.array(labels)


def moons_by_hand(layers, points, labels):
    """The gradient in array operations, all points at once."""
    (W1, b1), (W2, b2), (W3, b3) = layers
    h1 = np.tanh(points @ W1.T + b1)
    h2 = np.tanh(h1 @ W2.T + b2)
    margins = 1.0 - labels * (h2 @ W3[0] + b3)
    b_scores = np.where(margins > 0.0, -labels / len(points), 0.0)
    g2 = np.outer(b_scores, W3[0]) * (1.0 - h2 * h2)
    g1 = g2 @ W2 * (1.0 - h1 * h1)
    return [
        (g1.T @ points + 2.0 * DECAY * W1, g1.sum(axis=0)),
        (g2.T @ h1 + 2.0 * DECAY * W2, g2.sum(axis=0)),
        ((b_scores @ h2)[np.newaxis] + 2.0 * DECAY * W3, np.array([b_scores.sum()])),
    ]


def hidden_layer(values, W, b, inputs):
    """Fill the activations of a layer."""
    for i in range(len(b)):
        total = b[i]
        for j in range(len(inputs)):
            total += W[i, j] * inputs[j]
        values[i] = np.tanh(total)


def hidden_layer_reversed(b_inputs, bW, bb, W, inputs, values, b_values):
    """Add to the adjoints of weights, biases and inputs."""
    for i in range(len(values)):
        slope = b_values[i] * (1.0 - values[i] * values[i])
        bb[i] += slope
        for j in range(len(inputs)):
            bW[i, j] += slope * inputs[j]
            b_inputs[j] += slope * W[i, j]


def moons_loss_loops(W1, b1, W2, b2, W3, b3, points, labels):
    """The loss, point by point."""
    h1, h2 = np.empty(len(b1)), np.empty(len(b2))
    total = 0.0
    for point, label in zip(points, labels):
        hidden_layer(h1, W1, b1, point)
        hidden_layer(h2, W2, b2, h1)
        score = b3[0]
        for j in range(len(h2)):
            score += W3[0, j] * h2[j]
        total += max(0.0, 1.0 - label * score)
    return total / len(points) + DECAY * (np.sum(W1 * W1) + np.sum(W2 * W2) + np.sum(W3 * W3))


def moons_gradient_loops(W1, b1, W2, b2, W3, b3, points, labels):
    """The gradient, point by point."""
    h1, h2 = np.empty(len(b1)), np.empty(len(b2))
    c0, c1, c2 = np.empty(2), np.empty(len(b1)), np.empty(len(b2))
    g1, g2, g3 = 2.0 * DECAY * W1, 2.0 * DECAY * W2, 2.0 * DECAY * W3
    d1, d2, d3 = np.zeros_like(b1), np.zeros_like(b2), np.zeros_like(b3)
    for point, label in zip(points, labels):
        hidden_layer(h1, W1, b1, point)
        hidden_layer(h2, W2, b2, h1)
        score = b3[0]
        for j in range(len(h2)):
            score += W3[0, j] * h2[j]
        if 1.0 - label * score > 0.0:
            by_score = -label / len(points)
            d3[0] += by_score
            for j in range(len(h2)):
                g3[0, j] += by_score * h2[j]
                c2[j] = by_score * W3[0, j]
            c1[:] = 0.0
            hidden_layer_reversed(c1, g2, d2, W2, h1, h2, c2)
            hidden_layer_reversed(c0, g1, d1, W1, point, h1, c1)
    return g1, d1, g2, d2, g3, d3


def _compiled(function):
    """A peer that takes the network's arrays one by one."""

    def build(*args):
        layers, points, labels = in_arrays(*args)
        return by_numba(function)(*(a for layer in layers for a in layer), points, labels)

    return build


def _moons(xp):
    """The loss in array operations, for a module of array functions."""

    def function(layers, points, labels):
        values = points
        for W, b in layers[:-1]:
            values = xp.tanh(values @ W.T + b)
        W, b = layers[-1]
        margins = 1.0 - labels * (values @ W.T + b)[:, 0]
        return xp.maximum(margins, 0.0 * margins).mean() + DECAY * sum((W * W).sum() for W, _ in layers)

    return function


def _moons_jax():
    import jax.numpy

    return _moons(jax.numpy)


def _moons_torch():
    import torch

    return _moons(torch)


def _moons_autograd():
    import autograd.numpy

    return _moons(autograd.numpy)


def _moons_casadi(casadi, layers, points, labels):
    """The gradient of one point's loss as scalar code, summed by ``map`` over all points."""
    layers, points, labels = in_arrays(layers, points, labels)
    numbers = [a for layer in layers for a in layer]
    symbols = [casadi.SX.sym("p", *a.T.shape) for a in numbers]  # columns there are rows here
    point, label = casadi.SX.sym("x", 2), casadi.SX.sym("y")
    values = point
    for k in range(3):
        values = symbols[2 * k].T @ values + symbols[2 * k + 1]
        values = casadi.tanh(values) if k < 2 else values
    one = casadi.fmax(1.0 - label * values, 0.0) / len(points)
    slopes = casadi.Function("slopes", [*symbols, point, label], [casadi.gradient(one, s) for s in symbols])
    variables = [casadi.MX.sym("p", *a.T.shape) for a in numbers]
    count = len(points)
    found = slopes.map("all", "serial", count, list(range(6)), [])(*variables, casadi.DM(points.T), casadi.DM(labels).T)
    gradients = []
    for k, (variable, total) in enumerate(zip(variables, found)):
        columns = variable.shape[1]
        summed = casadi.reshape(total, variable.numel(), -1) if total.shape[1] != columns else casadi.vec(total)
        summed = casadi.reshape(casadi.sum2(summed), *variable.shape)
        gradients.append(summed + (2.0 * DECAY * variable if k % 2 == 0 else 0.0))
    return casadi.Function("gradient", variables, gradients), numbers


def _with_arrays(build):
    """A peer for arrays, given the lists of the program."""
    return lambda *args: build(*in_arrays(*args))


def _moons_args(count, width):
    points, labels = moons_mlp.make_moons(count)
    return moons_mlp.make_network([2, width, width, 1]), points, labels


MOONS = Program(
    name="moons, scalar MLP",
    stresses="lists of floats, scalar code",
    function=moons_mlp.loss,
    make_args=_moons_args,
    sizes=((60, 8), (500, 16)),
    tiny=(6, 3),
    kind="scalar",
    peers={
        "hand": _with_arrays(by_numpy(moons_by_hand)),
        "hand numba": _compiled(moons_gradient_loops),
        "jax": _with_arrays(by_jax(_moons_jax)),
        "torch": _with_arrays(by_torch(_moons_torch)),
        "autograd": _with_arrays(by_autograd(_moons_autograd)),
        "casadi": by_casadi(_moons_casadi),
    },
    loops=_compiled(moons_loss_loops),
)

# Digits -------------------------------------------------------------------------------------------------------------


def digits_by_hand(params, x, labels):
    """The gradient in array operations."""
    W2 = params["W2"]
    hidden = np.maximum(x @ params["W1"] + params["b1"], 0.0)
    b_logits = hidden @ W2 + params["b2"]
    b_logits -= b_logits.max(axis=1, keepdims=True)
    np.exp(b_logits, out=b_logits)
    b_logits /= b_logits.sum(axis=1, keepdims=True)
    b_logits[np.arange(len(labels)), labels] -= 1.0
    b_logits /= len(labels)
    b_hidden = b_logits @ W2.T
    b_hidden[hidden <= 0.0] = 0.0
    return {
        "W1": x.T @ b_hidden,
        "b1": b_hidden.sum(axis=0),
        "W2": hidden.T @ b_logits,
        "b2": b_logits.sum(axis=0),
    }


def digits_forward(W1, b1, W2, b2, x, labels):
    """Hidden values, probabilities less one at the label, and the loss."""
    hidden = np.dot(x, W1)
    for i in range(len(hidden)):
        for j in range(len(b1)):
            hidden[i, j] = max(hidden[i, j] + b1[j], 0.0)
    slopes = np.dot(hidden, W2)
    total = 0.0
    for i in range(len(slopes)):
        largest = -np.inf
        for j in range(len(b2)):
            slopes[i, j] += b2[j]
            largest = max(largest, slopes[i, j])
        denominator = 0.0
        total -= slopes[i, labels[i]] - largest
        for j in range(len(b2)):
            slopes[i, j] = np.exp(slopes[i, j] - largest)
            denominator += slopes[i, j]
        total += np.log(denominator)
        for j in range(len(b2)):
            slopes[i, j] /= denominator * len(labels)
        slopes[i, labels[i]] -= 1.0 / len(labels)
    return hidden, slopes, total / len(labels)


def digits_loss_loops(W1, b1, W2, b2, x, labels):
    """The loss."""
    return digits_forward(W1, b1, W2, b2, x, labels)[2]


def digits_gradient_loops(W1, b1, W2, b2, x, labels):
    """The gradient: products and sums by BLAS, the rest in loops."""
    hidden, slopes, _ = digits_forward(W1, b1, W2, b2, x, labels)
    b_hidden = np.dot(slopes, W2.T)
    for i in range(len(hidden)):
        for j in range(len(b1)):
            b_hidden[i, j] = b_hidden[i, j] if hidden[i, j] > 0.0 else 0.0
    ones = np.ones(len(x))
    return np.dot(x.T, b_hidden), np.dot(ones, b_hidden), np.dot(hidden.T, slopes), np.dot(ones, slopes)


def _digits_compiled(function):
    return lambda params, x, labels: by_numba(function)(*params.values(), x, labels)


def _digits_jax():
    import jax
    import jax.numpy as jnp

    def function(params, x, labels):
        hidden = jax.nn.relu(x @ params["W1"] + params["b1"])
        log_probs = jax.nn.log_softmax(hidden @ params["W2"] + params["b2"])
        return -log_probs[jnp.arange(len(labels)), labels].mean()

    return function


def _digits_torch():
    import torch

    def function(params, x, labels):
        hidden = torch.relu(torch.addmm(params["b1"], x, params["W1"]))
        return torch.nn.functional.cross_entropy(torch.addmm(params["b2"], hidden, params["W2"]), labels)

    return function


def _digits_autograd():
    import autograd.numpy as np
    from autograd.scipy.special import logsumexp

    def function(params, x, labels):
        hidden = np.maximum(np.dot(x, params["W1"]) + params["b1"], 0.0)
        logits = np.dot(hidden, params["W2"]) + params["b2"]
        log_probs = logits - logsumexp(logits, axis=1, keepdims=True)
        return -np.mean(log_probs[np.arange(len(labels)), labels])

    return function


def _digits_args(count, width):
    """Images like the digits: 64 grey values; the digits themselves would need scikit-learn and run no differently."""
    rng = np.random.default_rng(0)
    params = digits_net.make_network([64, width, 10])
    return params, rng.uniform(size=(count, 64)) * (rng.uniform(size=(count, 64)) < 0.5), rng.integers(0, 10, count)


def _in_order(build):
    """A peer whose dict comes back sorted, put in the order of the program's."""

    def ordered(params, *args):
        run = build(params, *args)

        def in_order():
            gradient = run()
            gradient = gradient[0] if isinstance(gradient, tuple) else gradient
            return {key: gradient[key] for key in params}

        return in_order

    return ordered


DIGITS = Program(
    name="digits, dense MLP",
    stresses="BLAS-bound",
    function=digits_net.loss,
    make_args=_digits_args,
    sizes=((64, 32), (512, 256)),
    tiny=(5, 4),
    kind="array",
    peers={
        "hand": by_numpy(digits_by_hand),
        "hand numba": _digits_compiled(digits_gradient_loops),
        "jax": _in_order(by_jax(_digits_jax)),
        "torch": by_torch(_digits_torch),
        "autograd": _in_order(by_autograd(_digits_autograd)),
    },
    loops=_digits_compiled(digits_loss_loops),
)

# Convolution --------------------------------------------------------------------------------------------------------


def convolution_by_hand(images, weights, bias, target):
    """The gradient in array operations: windows, and a product for each of the two contractions."""
    K, _, C, out = weights.shape
    windows = np.lib.stride_tricks.sliding_window_view(images, (K, K), axis=(1, 2))  # (n, i, j, C, K, K)
    rows = windows.transpose(0, 1, 2, 4, 5, 3).reshape(-1, K * K * C)
    errors = rows @ weights.reshape(-1, out) + bias - target.reshape(-1, out)
    return (rows.T @ errors).reshape(weights.shape), errors.sum(axis=0)


def convolution_errors(images, weights, bias, target):
    """The layer's output less the target, in loops."""
    K, _, C, out = weights.shape
    errors = bias - target
    for n in range(target.shape[0]):
        for i in range(target.shape[1]):
            for j in range(target.shape[2]):
                for p in range(K):
                    for q in range(K):
                        for c in range(C):
                            pixel = images[n, i + p, j + q, c]
                            for o in range(out):
                                errors[n, i, j, o] += pixel * weights[p, q, c, o]
    return errors


def convolution_loss_loops(images, weights, bias, target):
    """The program in loops."""
    errors = convolution_errors(images, weights, bias, target)
    return 0.5 * np.sum(errors * errors)


def convolution_gradient_loops(images, weights, bias, target):
    """The gradient in loops."""
    K, _, C, out = weights.shape
    errors = convolution_errors(images, weights, bias, target)
    b_weights, b_bias = np.zeros_like(weights), np.zeros_like(bias)
    for n in range(target.shape[0]):
        for i in range(target.shape[1]):
            for j in range(target.shape[2]):
                for o in range(out):
                    b_bias[o] += errors[n, i, j, o]
                for p in range(K):
                    for q in range(K):
                        for c in range(C):
                            pixel = images[n, i + p, j + q, c]
                            for o in range(out):
                                b_weights[p, q, c, o] += pixel * errors[n, i, j, o]
    return b_weights, b_bias


def _convolution_jax():
    import jax

    def function(images, weights, bias, target):
        dimensions = ("NHWC", "HWIO", "NHWC")
        output = jax.lax.conv_general_dilated(images, weights, (1, 1), "VALID", dimension_numbers=dimensions)
        return 0.5 * ((output + bias - target) ** 2).sum()

    return function


def _convolution_torch():
    import torch

    def function(images, weights, bias, target):
        output = torch.nn.functional.conv2d(images.permute(0, 3, 1, 2), weights.permute(3, 2, 0, 1), bias)
        return 0.5 * ((output - target.permute(0, 3, 1, 2)) ** 2).sum()

    return function


def _convolution_autograd():
    import autograd.numpy as np

    def function(images, weights, bias, target):
        K = weights.shape[0]
        _, height, width, _ = target.shape
        output = bias
        for p in range(K):
            for q in range(K):
                output = output + np.dot(images[:, p : p + height, q : q + width], weights[p, q])
        return 0.5 * np.sum((output - target) ** 2)

    return function


def _convolution_args(count, side, channels, out):
    rng = np.random.default_rng(0)
    images, weights = rng.normal(size=(count, side, side, channels)), rng.normal(size=(3, 3, channels, out))
    return images, weights, rng.normal(size=out), rng.normal(size=(count, side - 2, side - 2, out))


CONVOLUTION = Program(
    name="convolution",
    stresses="loops over slices",
    function=convolution.layer_loss,
    make_args=_convolution_args,
    sizes=((2, 8, 3, 4), (8, 32, 3, 16)),
    tiny=(2, 5, 2, 3),
    kind="loop",
    wrt=(1, 2),
    peers={
        "hand": by_numpy(convolution_by_hand),
        "hand numba": by_numba(convolution_gradient_loops),
        "jax": by_jax(_convolution_jax, (1, 2)),
        "torch": by_torch(_convolution_torch, (1, 2)),
        "autograd": by_autograd(_convolution_autograd, (1, 2)),
    },
    loops=by_numba(convolution_loss_loops),
)
