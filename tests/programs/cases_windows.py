"""Sliding windows, running extrema, diagonals of stacked matrices, arrays joined in depth, and parts deleted."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from program import program

rng = np.random.default_rng(83)


def windows_turned(x, h):
    return np.sum(np.tanh(sliding_window_view(x, 3)[:, ::-1] @ h)) + np.sum(
        sliding_window_view(x, 2)[::-1] ** 2 * x[:2]
    )


def moments_of_windows(x, k):
    w = sliding_window_view(x, k)
    return np.sum(w.mean(axis=1) ** 2) + np.sum(w.std(axis=-1) * np.arange(len(w)))


def correlated_with_windows(image, kernel):
    w = sliding_window_view(image, kernel.shape)
    return np.sum(np.einsum("ijkl,kl->ij", w, kernel) ** 2) + np.sum(np.sum(w * kernel, axis=(2, 3)) ** 3)


def columns_of_windows(images, kernels):
    f, c = kernels.shape[:2]
    w = sliding_window_view(images, (2, 2), axis=(1, 2)).transpose(1, 2, 0, 3, 4).reshape(-1, c * 4)
    return np.sum(np.tanh(w @ kernels.reshape(f, -1).T))


def largest_of_windows(image):
    pooled = sliding_window_view(image, (2, 2))[::2, ::2].max(axis=(2, 3))
    return np.sum(pooled**2) + np.sum(sliding_window_view(image, 2, axis=1) ** 2 * np.arange(2))


def drawdown(prices):
    peak = np.maximum.accumulate(prices)
    return np.max(1.0 - prices / peak) + np.sum(peak * np.arange(len(prices)))


def running_extrema(a):
    return np.sum(np.maximum.accumulate(a, axis=-1) * np.minimum.accumulate(a, axis=0)) + np.sum(
        np.maximum.accumulate(a[:, None] * np.ones((2, 1)), axis=1) ** 2
    )


def traces(a, b):
    stacked = np.trace(b, axis1=-2, axis2=-1) * np.trace(b, 1, 1, 2)
    return np.trace(a, 1) * np.trace(a, offset=-1) + np.sum(stacked**2) + np.sum(np.trace(b[:, :, :3]) ** 2)


def diagonals_of_stacked(b):
    return np.sum(np.diagonal(b, axis1=-2, axis2=-1) ** 2) + np.sum(np.diagonal(b, 1, 0, 2) ** 3 * np.arange(1, 4))


def joined_in_depth(a, b, n):
    written = (
        np.dstack((a, 2.0 * b, a * b)) ** 2 * np.arange(3)
        + np.dstack((a[:, :, None] * b[0, :3], 2.0 * b[:, :, None] ** 2))[..., 1:]
    )
    vectors = np.dstack([a[0], b[0] ** 2, a[1]]) ** 2 * np.arange(3)
    made = np.dstack([a * k + b for k in range(n)]) ** 2 * np.arange(n)
    lines = np.dstack([np.sin(a[k]) for k in range(n)]) ** 3 * np.arange(n)
    return np.sum(written) + np.sum(vectors) + np.sum(made) + np.sum(lines)


def cofactors(a):
    total = 0.0
    for k in range(a.shape[0]):
        total += np.linalg.det(np.delete(np.delete(a, k, axis=0), k, 1)) * a[k, k]
    return total


def deleted_along_axes(a, mask, k):
    last = np.delete(a, -1, axis=-1) ** 2
    some = np.delete(a, [0, -2], 1) ** 3
    others = np.delete(a, slice(None, None, 2), axis=0) * np.delete(a, k, axis=0)[:2]
    masked = np.sum(np.delete(a, mask, axis=0) ** 2) + np.sum(np.delete(a[:, 0], mask) ** 3)
    return np.sum(last) + np.sum(some) + np.sum(others) + masked + np.sum(np.delete(a, 3) ** 2)


def without_what_is_no_number(a, b):
    rates = np.nan_to_num(a / b, nan=0.5, posinf=2.0, neginf=-3.0)
    return np.sum(rates * a) + np.sum(np.nan_to_num(np.sqrt(a)) ** 2)


def maxima_along_axes(a, b):
    kept = a - a.max(axis=1, keepdims=True) * np.min(a, axis=0)
    ties = np.max(np.where(a > 0.0, 1.5, a), axis=0) * np.amax(b, axis=(0, 1, 2), keepdims=True)[0, 0]
    pooled = b[:2, :4, :4].reshape(2, 2, 2, 2, 2).max(axis=(2, 4))
    return np.sum(kept**2) + np.sum(ties) + np.sum(pooled**2) * np.max(a) * np.min(b)


A, B, X = rng.normal(size=(5, 6)), rng.normal(size=(3, 4, 5)), rng.normal(size=9)

PROGRAMS = [
    program(windows_turned, X, X[:3]),
    program(moments_of_windows, X, 4),
    program(correlated_with_windows, A, A[:3, :2]),
    program(columns_of_windows, B, rng.normal(size=(2, 3, 2, 2))),
    program(largest_of_windows, A),
    program(drawdown, np.exp(X)),
    program(running_extrema, A),
    program(maxima_along_axes, A, B),
    program(traces, A, B),
    program(diagonals_of_stacked, B),
    program(joined_in_depth, A, rng.normal(size=(5, 6)), 3),
    program(cofactors, A[:4, :4]),
    program(deleted_along_axes, A, np.array([True, False, False, True, False]), 2),
    program(without_what_is_no_number, A[:3], np.abs(A[:3]) + 0.5, wrt=(0,)),
]
