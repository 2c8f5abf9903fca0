"""The loss of a stacked LSTM language model over a batch of character sequences.

Run ``python -m examples.lstm``.
"""

from typing import NamedTuple

import numpy as np


class Cell(NamedTuple):
    """One layer: the four gates' weights side by side, and their biases."""

    weights: np.ndarray
    bias: np.ndarray


class Model(NamedTuple):
    """Character embeddings, the stack of cells, and the output layer."""

    embedding: np.ndarray
    cells: list
    output: np.ndarray
    output_bias: np.ndarray


def make_model(vocabulary, width, layers, seed=0):
    """Return a model with small random weights."""
    rng = np.random.default_rng(seed)
    cells = [
        Cell(rng.normal(size=(2 * width, 4 * width)) / np.sqrt(2 * width), 0.1 * rng.normal(size=4 * width))
        for _ in range(layers)
    ]
    output = rng.normal(size=(width, vocabulary)) / np.sqrt(width)
    return Model(rng.normal(size=(vocabulary, width)), cells, output, np.zeros(vocabulary))


def sigmoid(x):
    """The logistic function, by way of tanh."""
    return 0.5 * (np.tanh(0.5 * x) + 1.0)


def step(cell, x, hidden, memory):
    """Advance one layer by one character; return its new hidden state and memory."""
    width = hidden.shape[1]
    gates = np.concatenate((x, hidden), axis=1) @ cell.weights + cell.bias
    forget = sigmoid(gates[:, :width])
    write = sigmoid(gates[:, width : 2 * width])
    expose = sigmoid(gates[:, 2 * width : 3 * width])
    change = np.tanh(gates[:, 3 * width :])
    memory = forget * memory + write * change
    return expose * np.tanh(memory), memory


def loss(model, tokens):
    """Mean cross-entropy, per character, of predicting ``tokens[t + 1]`` from ``tokens[: t + 1]``; tokens is (T, B)."""
    length, batch = tokens.shape
    width = model.embedding.shape[1]
    states = [(np.zeros((batch, width)), np.zeros((batch, width))) for _ in model.cells]
    total = 0.0
    for t in range(length - 1):
        x = model.embedding[tokens[t]]
        for layer, cell in enumerate(model.cells):
            hidden, memory = states[layer]
            hidden, memory = step(cell, x, hidden, memory)
            states[layer] = (hidden, memory)
            x = hidden
        logits = x @ model.output + model.output_bias
        logits = logits - np.max(logits, axis=1, keepdims=True)
        log_probs = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
        total -= np.sum(log_probs[np.arange(batch), tokens[t + 1]])
    return total / ((length - 1) * batch)


def make_tokens(text, length, batch):
    """Cut ``text`` into ``batch`` strips of ``length`` characters; return (length, batch) indices and the alphabet."""
    alphabet = sorted(set(text))
    codes = np.array([alphabet.index(c) for c in text[: length * batch]])
    return codes.reshape(batch, length).T.copy(), alphabet


def descend(model, gradient, rate):
    """Return the model one gradient step further."""
    cells = [
        Cell(cell.weights - rate * d.weights, cell.bias - rate * d.bias) for cell, d in zip(model.cells, gradient.cells)
    ]
    return Model(
        model.embedding - rate * gradient.embedding,
        cells,
        model.output - rate * gradient.output,
        model.output_bias - rate * gradient.output_bias,
    )


def main():
    """Learn a sentence by heart."""
    from s2sad import value_and_grad

    tokens, alphabet = make_tokens("the quick brown fox jumps over the lazy dog and runs away. " * 4, 20, 8)
    model = make_model(len(alphabet), 16, 2)
    loss_and_gradient = value_and_grad(loss)
    for epoch in range(101):
        value, gradient = loss_and_gradient(model, tokens)
        model = descend(model, gradient, 3.0)
        if epoch % 20 == 0:
            print(f"epoch {epoch:3d}  loss {value:.4f}")


if __name__ == "__main__":
    main()
