"""Derivatives from elsewhere, for checking examples against: torch where installed, HIPS autograd otherwise.

A reference objective takes the module of array functions as its first argument and uses only what both have.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

HAS_TORCH = importlib.util.find_spec("torch") is not None


def reference_gradients(f: Callable[..., Any], *args: np.ndarray, wrt: int | None = None) -> list[np.ndarray]:
    """Gradients of ``f(xp, *args)`` with respect to its first ``wrt`` arguments (all, by default)."""
    count = len(args) if wrt is None else wrt
    return _by_torch(f, args, count) if HAS_TORCH else _by_autograd(f, args, count)


def _by_torch(f: Callable[..., Any], args: tuple[np.ndarray, ...], count: int) -> list[np.ndarray]:
    import torch

    tensors = [torch.tensor(a) for a in args]
    for tensor in tensors[:count]:
        tensor.requires_grad_(True)
    f(torch, *tensors).backward()
    return [tensor.grad.numpy() for tensor in tensors[:count]]


def _by_autograd(f: Callable[..., Any], args: tuple[np.ndarray, ...], count: int) -> list[np.ndarray]:
    import autograd
    import autograd.numpy as anp

    return list(autograd.grad(lambda *a: f(anp, *a), argnum=tuple(range(count)))(*args))


def assert_close(actual: Any, expected: Any, tolerance: float) -> None:
    """Fail unless two arrays agree to ``tolerance`` times the largest entry of ``expected``."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    scale = max(1e-8, float(np.max(np.abs(expected), initial=0.0)))
    error = float(np.max(np.abs(actual - expected), initial=0.0))
    assert error <= tolerance * scale, f"differ by {error:.3e}, where the largest entry is {scale:.3e}"
