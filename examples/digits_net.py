"""A two-layer network on 8x8 handwritten digits: batches, broadcast biases, ReLU, log-softmax.

Needs scikit-learn for the digits themselves. Run ``python -m examples.digits_net``.
"""

import numpy as np


def load_digits():
    """Return the images as rows in [0, 1], and their labels."""
    from sklearn import datasets

    images, labels = datasets.load_digits(return_X_y=True)
    return images / 16.0, labels


def make_network(sizes, seed=0):
    """Return ``{"W1": ..., "b1": ..., "W2": ...}`` with He-scaled weights."""
    rng = np.random.default_rng(seed)
    params = {}
    for k, (fan_in, fan_out) in enumerate(zip(sizes, sizes[1:]), start=1):
        params[f"W{k}"] = rng.normal(size=(fan_in, fan_out)) * np.sqrt(2.0 / fan_in)
        params[f"b{k}"] = np.zeros(fan_out)
    return params


def log_softmax(logits):
    """The logarithm of the softmax over the last axis, shifted so that nothing overflows."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))


def predict(params, x):
    """Log-probabilities of the ten digits for each row of ``x``."""
    hidden = np.maximum(x @ params["W1"] + params["b1"], 0.0)
    return log_softmax(hidden @ params["W2"] + params["b2"])


def loss(params, x, labels):
    """The mean cross-entropy of the labels."""
    log_probs = predict(params, x)
    return -np.mean(log_probs[np.arange(len(labels)), labels])


def accuracy(params, x, labels):
    """The fraction of rows whose most probable digit is the label."""
    return np.mean(np.argmax(predict(params, x), axis=1) == labels)


def train(loss_and_gradient, params, x, labels, epochs=8, batch=64, rate=0.05, momentum=0.9):
    """Stochastic gradient descent with momentum; return the parameters and the loss of each step."""
    velocity = {name: np.zeros_like(value) for name, value in params.items()}
    losses = []
    for _ in range(epochs):
        for start in range(0, len(x) - batch + 1, batch):
            value, gradient = loss_and_gradient(params, x[start : start + batch], labels[start : start + batch])
            velocity = {name: momentum * velocity[name] - rate * gradient[name] for name in params}
            params = {name: params[name] + velocity[name] for name in params}
            losses.append(value)
    return params, losses


def main():
    """Train on five digits of six, and test on the others."""
    from s2sad import value_and_grad

    x, labels = load_digits()
    unseen = np.arange(len(x)) % 6 == 0
    params, losses = train(value_and_grad(loss), make_network([64, 32, 10]), x[~unseen], labels[~unseen])
    print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}")
    print(f"accuracy on unseen digits {accuracy(params, x[unseen], labels[unseen]):.1%}")


if __name__ == "__main__":
    main()
