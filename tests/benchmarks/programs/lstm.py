"""The LSTM language model of the examples."""

from __future__ import annotations

import functools

import numpy as np

from examples.lstm import Cell, Model, loss, make_model, make_tokens
from tests.benchmarks.peers import by_autograd, by_jax, by_numba, by_torch
from tests.benchmarks.program import Program

__all__ = ["LSTM"]

TEXT = "the quick brown fox jumps over the lazy dog and runs away. "

# By hand, in array operations ---------------------------------------------------------------------------------------


def sigmoid(x):
    """The logistic function."""
    return 0.5 * (np.tanh(0.5 * x) + 1.0)


def forward(cell, inputs):
    """One layer over all times, from inputs (T, B, w): what enters the gates, the gates, memories and their tanh."""
    length, batch, width = inputs.shape
    entering = np.empty((length, batch, 2 * width))
    entering[:, :, :width] = inputs
    gates = np.empty((length, batch, 4 * width))
    memories = np.zeros((length + 1, batch, width))
    squashed = np.empty((length, batch, width))
    outputs = np.empty((length, batch, width))
    hidden = np.zeros((batch, width))
    for t in range(length):
        entering[t, :, width:] = hidden
        gate = entering[t] @ cell.weights + cell.bias
        gate[:, : 3 * width] = sigmoid(gate[:, : 3 * width])
        gate[:, 3 * width :] = np.tanh(gate[:, 3 * width :])
        gates[t] = gate
        memories[t + 1] = gate[:, :width] * memories[t] + gate[:, width : 2 * width] * gate[:, 3 * width :]
        squashed[t] = np.tanh(memories[t + 1])
        hidden = outputs[t] = gate[:, 2 * width : 3 * width] * squashed[t]
    return entering, gates, memories, squashed, outputs


def backward(cell, entering, gates, memories, squashed, b_outputs):
    """The adjoints of a layer's weights, bias and inputs."""
    length, batch, width = b_outputs.shape
    forget, write, expose, change = np.split(gates, 4, axis=2)
    by_memory = expose * (1.0 - squashed**2)
    slopes = np.concatenate(
        (
            memories[:-1] * forget * (1.0 - forget),
            change * write * (1.0 - write),
            squashed * expose * (1.0 - expose),
            write * (1.0 - change**2),
        ),
        axis=2,
    )
    b_gates = np.empty_like(gates)
    b_entering = np.empty_like(entering)
    b_hidden, b_memory = np.zeros((batch, width)), np.zeros((batch, width))
    transposed = cell.weights.T.copy()
    for t in range(length - 1, -1, -1):
        b_hidden = b_hidden + b_outputs[t]
        b_memory = b_memory + b_hidden * by_memory[t]
        b_gates[t] = np.concatenate((b_memory, b_memory, b_hidden, b_memory), axis=1) * slopes[t]
        b_entering[t] = b_gates[t] @ transposed
        b_hidden = b_entering[t, :, width:]
        b_memory = b_memory * forget[t]
    flat = b_gates.reshape(-1, 4 * width)
    b_cell = Cell(entering.reshape(-1, 2 * width).T @ flat, flat.sum(axis=0))
    return b_cell, b_entering[:, :, :width]


def gradient_by_hand(model, tokens):
    """The gradient, layer by layer, so that products over all times are one."""
    length, batch = tokens.shape
    x = model.embedding[tokens[:-1]]
    records = []
    for cell in model.cells:
        *record, x = forward(cell, x)
        records.append(record)
    logits = x @ model.output + model.output_bias
    logits -= logits.max(axis=2, keepdims=True)
    b_logits = np.exp(logits)
    b_logits /= b_logits.sum(axis=2, keepdims=True)
    np.put_along_axis(
        b_logits, tokens[1:, :, np.newaxis], np.take_along_axis(b_logits, tokens[1:, :, None], 2) - 1.0, 2
    )
    b_logits /= (length - 1) * batch
    flat = b_logits.reshape(-1, b_logits.shape[2])
    b_output, b_bias = x.reshape(len(flat), -1).T @ flat, flat.sum(axis=0)
    bx = b_logits @ model.output.T
    b_cells = []
    for cell, record in zip(reversed(model.cells), reversed(records)):
        b_cell, bx = backward(cell, *record, bx)
        b_cells.insert(0, b_cell)
    b_embedding = np.zeros_like(model.embedding)
    np.add.at(b_embedding, tokens[:-1], bx)
    return Model(b_embedding, b_cells, b_output, b_bias)


# By hand, in loops --------------------------------------------------------------------------------------------------


def layer(weights, bias, entering, gates, memories, squashed, outputs):
    """One layer over all times, filling what it is given; inputs are in ``entering`` already."""
    length, batch, width = outputs.shape
    for t in range(length):
        if t > 0:
            entering[t, :, width:] = outputs[t - 1]
        np.dot(entering[t], weights, gates[t])
        for s in range(batch):
            for j in range(3 * width):
                gates[t, s, j] = 0.5 * (np.tanh(0.5 * (gates[t, s, j] + bias[j])) + 1.0)
            for j in range(3 * width, 4 * width):
                gates[t, s, j] = np.tanh(gates[t, s, j] + bias[j])
            for j in range(width):
                forget, write = gates[t, s, j], gates[t, s, width + j]
                memory = forget * memories[t, s, j] + write * gates[t, s, 3 * width + j]
                memories[t + 1, s, j] = memory
                squashed[t, s, j] = np.tanh(memory)
                outputs[t, s, j] = gates[t, s, 2 * width + j] * squashed[t, s, j]


def layer_reversed(transposed, gates, memories, squashed, b_outputs, b_gates, b_entering):
    """The adjoints of the gates' sums and of what enters."""
    length, batch, width = b_outputs.shape
    b_memory = np.zeros((batch, width))
    for t in range(length - 1, -1, -1):
        for s in range(batch):
            for j in range(width):
                forget, write = gates[t, s, j], gates[t, s, width + j]
                expose, change = gates[t, s, 2 * width + j], gates[t, s, 3 * width + j]
                q = squashed[t, s, j]
                b_hidden = b_outputs[t, s, j]
                if t + 1 < length:
                    b_hidden += b_entering[t + 1, s, width + j]
                b = b_memory[s, j] + b_hidden * expose * (1.0 - q * q)
                b_gates[t, s, j] = b * memories[t, s, j] * forget * (1.0 - forget)
                b_gates[t, s, width + j] = b * change * write * (1.0 - write)
                b_gates[t, s, 2 * width + j] = b_hidden * q * expose * (1.0 - expose)
                b_gates[t, s, 3 * width + j] = b * write * (1.0 - change * change)
                b_memory[s, j] = b * forget
        np.dot(b_gates[t], transposed, b_entering[t])


def run_layers(embedding, weights, bias, tokens, entering, gates, memories, squashed, outputs):
    """All layers over all times."""
    length, batch, width = outputs.shape[1:]
    for t in range(length):
        for s in range(batch):
            entering[0, t, s, :width] = embedding[tokens[t, s]]
    for k in range(len(weights)):
        if k > 0:
            entering[k, :, :, :width] = outputs[k - 1]
        layer(weights[k], bias[k], entering[k], gates[k], memories[k], squashed[k], outputs[k])


def softmax_rows(logits, bias, labels):
    """Turn rows into probabilities less one at the label, in place; return the sum of their cross-entropies."""
    total = 0.0
    for r in range(len(logits)):
        largest = logits[r, 0] + bias[0]
        for v in range(len(bias)):
            logits[r, v] += bias[v]
            largest = max(largest, logits[r, v])
        total -= logits[r, labels[r]] - largest
        denominator = 0.0
        for v in range(len(bias)):
            logits[r, v] = np.exp(logits[r, v] - largest)
            denominator += logits[r, v]
        total += np.log(denominator)
        logits[r] /= denominator
        logits[r, labels[r]] -= 1.0
    return total


def loss_loops(embedding, weights, bias, output, output_bias, tokens):
    """The loss itself."""
    length, batch, width = len(tokens) - 1, tokens.shape[1], embedding.shape[1]
    count = len(weights)
    entering = np.zeros((count, length, batch, 2 * width))
    gates = np.empty((count, length, batch, 4 * width))
    memories = np.zeros((count, length + 1, batch, width))
    squashed = np.empty((count, length, batch, width))
    outputs = np.empty((count, length, batch, width))
    run_layers(embedding, weights, bias, tokens, entering, gates, memories, squashed, outputs)
    rows = length * batch
    logits = np.dot(outputs[count - 1].reshape(rows, width), output)
    return softmax_rows(logits, output_bias, tokens[1:].copy().reshape(rows)) / rows


def gradient_loops(embedding, weights, bias, output, output_bias, tokens):
    """The gradient."""
    length, batch, width = len(tokens) - 1, tokens.shape[1], embedding.shape[1]
    count = len(weights)
    entering = np.zeros((count, length, batch, 2 * width))
    gates = np.empty((count, length, batch, 4 * width))
    memories = np.zeros((count, length + 1, batch, width))
    squashed = np.empty((count, length, batch, width))
    outputs = np.empty((count, length, batch, width))
    run_layers(embedding, weights, bias, tokens, entering, gates, memories, squashed, outputs)
    rows = length * batch
    last = outputs[count - 1].reshape(rows, width)
    b_logits = np.dot(last, output)
    softmax_rows(b_logits, output_bias, tokens[1:].copy().reshape(rows))
    b_logits /= rows
    b_output = np.dot(last.T, b_logits)
    b_output_bias = b_logits.sum(axis=0)
    b_outputs = np.dot(b_logits, output.T.copy()).reshape(length, batch, width)
    b_weights, b_bias = np.empty_like(weights), np.empty_like(bias)
    b_gates, b_entering = np.empty((length, batch, 4 * width)), np.empty((length, batch, 2 * width))
    for k in range(count - 1, -1, -1):
        layer_reversed(weights[k].T.copy(), gates[k], memories[k], squashed[k], b_outputs, b_gates, b_entering)
        flat = b_gates.reshape(rows, 4 * width)
        b_weights[k] = np.dot(entering[k].reshape(rows, 2 * width).T, flat)
        b_bias[k] = flat.sum(axis=0)
        b_outputs[:] = b_entering[:, :, :width]
    b_embedding = np.zeros_like(embedding)
    for t in range(length):
        for s in range(batch):
            b_embedding[tokens[t, s]] += b_outputs[t, s]
    return b_embedding, b_weights, b_bias, b_output, b_output_bias


def arrays(model, tokens):
    """The model with its cells stacked, for loops."""
    weights = np.stack([cell.weights for cell in model.cells])
    bias = np.stack([cell.bias for cell in model.cells])
    return model.embedding, weights, bias, model.output, model.output_bias, tokens


def _compiled_gradient(model, tokens):
    run = by_numba(gradient_loops)(*arrays(model, tokens))

    def in_order():
        embedding, weights, bias, output, output_bias = run()
        return Model(embedding, [Cell(w, b) for w, b in zip(weights, bias)], output, output_bias)

    return in_order


def _compiled_loss(model, tokens):
    return by_numba(loss_loops)(*arrays(model, tokens))


# Other libraries ----------------------------------------------------------------------------------------------------


def _jax():
    """A scan over time, with the output layer after it."""
    import jax
    import jax.numpy as jnp

    def function(model, tokens):
        width = model.embedding.shape[1]
        batch = tokens.shape[1]

        def advance(states, x):
            new = []
            for cell, (hidden, memory) in zip(model.cells, states):
                gates = jnp.concatenate((x, hidden), 1) @ cell.weights + cell.bias
                forget, write, expose = jnp.split(jax.nn.sigmoid(gates[:, : 3 * width]), 3, 1)
                memory = forget * memory + write * jnp.tanh(gates[:, 3 * width :])
                x = expose * jnp.tanh(memory)
                new.append((x, memory))
            return new, x

        start = [(jnp.zeros((batch, width)), jnp.zeros((batch, width))) for _ in model.cells]
        _, outputs = jax.lax.scan(advance, start, model.embedding[tokens[:-1]])
        log_probs = jax.nn.log_softmax(outputs @ model.output + model.output_bias)
        return -jnp.take_along_axis(log_probs, tokens[1:, :, None], 2).mean()

    return function


def _torch():
    """The library's own LSTM, its gates in its own order."""
    import torch

    def function(model, tokens):
        width = model.embedding.shape[1]
        order = torch.cat([torch.arange(width) + width * g for g in (1, 0, 3, 2)])
        parameters = []
        for cell in model.cells:
            weights, bias = cell.weights.T[order], cell.bias[order]
            parameters += [weights[:, :width], weights[:, width:], bias, torch.zeros_like(bias)]
        zero = torch.zeros((len(model.cells), tokens.shape[1], width), dtype=torch.float64)
        x = model.embedding[tokens[:-1]]
        outputs, _, _ = torch.lstm(x, (zero, zero), parameters, True, len(model.cells), 0.0, True, False, False)
        logits = outputs @ model.output + model.output_bias
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), tokens[1:].flatten())

    return function


def _autograd():
    import autograd.numpy as np

    def function(model, tokens):
        length, batch = tokens.shape
        width = model.embedding.shape[1]
        states = [(np.zeros((batch, width)), np.zeros((batch, width))) for _ in model.cells]
        outputs = []
        embedded = model.embedding[tokens[:-1]]
        for t in range(length - 1):
            x = embedded[t]
            for k, cell in enumerate(model.cells):
                hidden, memory = states[k]
                gates = np.dot(np.concatenate((x, hidden), axis=1), cell.weights) + cell.bias
                opened = 0.5 * (np.tanh(0.5 * gates[:, : 3 * width]) + 1.0)
                change = np.tanh(gates[:, 3 * width :])
                memory = opened[:, :width] * memory + opened[:, width : 2 * width] * change
                x = opened[:, 2 * width :] * np.tanh(memory)
                states[k] = (x, memory)
            outputs.append(x)
        logits = np.dot(np.concatenate(outputs), model.output) + model.output_bias
        logits = logits - np.max(logits, axis=1, keepdims=True)
        log_probs = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
        return -np.mean(log_probs[np.arange(len(logits)), tokens[1:].ravel()])

    return function


def _autograd_plain(model, tokens):
    """Autograd takes plain tuples, not named ones."""
    plain = (model.embedding, [tuple(cell) for cell in model.cells], model.output, model.output_bias)

    def make():
        function = _autograd()
        return lambda p, tokens: function(Model(p[0], [Cell(*cell) for cell in p[1]], p[2], p[3]), tokens)

    return by_autograd(make)(plain, tokens)


def make_args(length, batch, width):
    """Two layers over strips of a text."""
    tokens, alphabet = make_tokens(TEXT * (1 + length * batch // len(TEXT)), length, batch)
    return make_model(len(alphabet), width, 2), tokens


LSTM = Program(
    name="LSTM",
    stresses="small vectors in a long loop",
    function=loss,
    make_args=make_args,
    sizes=((64, 8, 16), (1_024, 1, 14)),
    tiny=(5, 2, 3),
    kind="loop",
    peers={
        "hand": lambda *args: functools.partial(gradient_by_hand, *args),
        "hand numba": _compiled_gradient,
        "jax": by_jax(_jax),
        "torch": by_torch(_torch),
        "autograd": _autograd_plain,
    },
    loops=_compiled_loss,
)
