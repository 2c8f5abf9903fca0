"""The digits network: every training step's gradients against torch, or autograd where torch is not installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from references import assert_close, reference_gradients

from examples import digits_net
from s2sad import value_and_grad

NAMES = ("W1", "b1", "W2", "b2")


def reference_loss(xp: Any, W1: Any, b1: Any, W2: Any, b2: Any, x: Any, one_hot: Any) -> Any:
    """The cross-entropy with one-hot targets."""
    hidden = x @ W1 + b1
    hidden = xp.where(hidden > 0.0, hidden, 0.0 * hidden)
    logits = hidden @ W2 + b2
    log_norm = xp.log(xp.sum(xp.exp(logits), axis=1))
    return xp.sum(log_norm - xp.sum(logits * one_hot, axis=1)) / len(x)


def check_steps(x: np.ndarray, labels: np.ndarray, epochs: int, rate: float) -> tuple[dict, list[float]]:
    """Train, and compare the gradients of every step with the reference's."""
    step = value_and_grad(digits_net.loss)

    def checking_step(params: dict, x: np.ndarray, labels: np.ndarray) -> tuple[float, dict]:
        value, gradient = step(params, x, labels)
        expected = reference_gradients(reference_loss, *(params[n] for n in NAMES), x, np.eye(10)[labels], wrt=4)
        assert list(gradient) == list(params)
        for name, reference in zip(NAMES, expected):
            assert_close(gradient[name], reference, 1e-10)
        return value, gradient

    return digits_net.train(checking_step, digits_net.make_network([64, 32, 10]), x, labels, epochs=epochs, rate=rate)


def test_every_step_on_random_images() -> None:
    rng = np.random.default_rng(0)
    _, losses = check_steps(rng.uniform(size=(256, 64)), rng.integers(0, 10, size=256), epochs=2, rate=0.05)
    assert len(losses) == 8


def test_every_step_on_handwritten_digits() -> None:
    pytest.importorskip("sklearn")
    x, labels = digits_net.load_digits()
    unseen = np.arange(len(x)) % 6 == 0
    params, losses = check_steps(x[~unseen], labels[~unseen], epochs=8, rate=0.05)
    assert np.mean(losses[-20:]) < 0.1 * losses[0]
    assert digits_net.accuracy(params, x[unseen], labels[unseen]) > 0.93
