"""Checks of a function of arrays through the public interface: values, both modes, forward over reverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from rules.harness import floats, is_float_leaf, leaves, like, shifted

import s2sad


def along(f: Callable[..., Any], args: tuple[Any, ...], ds: tuple[Any, ...], h: float = 1e-6) -> np.ndarray:
    """The derivative of f in a direction, by differences."""
    up, down = (floats(f(*(shifted(x, d, s) for x, d in zip(args, ds, strict=True)))) for s in (h, -h))
    return (up - down) / (2 * h)


def random_like(x: Any, seed: int) -> Any:
    """Random numbers in the structure of x."""
    rng = np.random.default_rng(seed)
    return like(x, lambda shape: rng.uniform(-1.0, 1.0, shape))


def check(f: Callable[..., Any], *args: Any, again: bool = True, rtol: float = 1e-6) -> None:
    """Compare both modes with differences and with each other, and with ``again`` a second derivative too."""
    ds = tuple(random_like(x, k) for k, x in enumerate(args))
    y, dy = s2sad.jvp(f, args, ds)
    np.testing.assert_allclose(floats(y), floats(f(*args)), rtol=1e-12, atol=1e-12)
    want = along(f, args, ds)
    bound = rtol * max(1.0, np.abs(want).max(initial=0.0))
    np.testing.assert_allclose(floats(dy), want, rtol=rtol, atol=bound)
    ct = random_like(y, 9)
    _, pullback = s2sad.vjp(f, *args)
    bxs = pullback(ct)
    for x, bx in zip(args, bxs, strict=True):
        for a, ba in zip(leaves(x), leaves(bx), strict=True):
            assert not is_float_leaf(a) or np.shape(ba) == np.shape(a)
    moved = [(d, bx) for x, d, bx in zip(args, ds, bxs, strict=True) if any(map(is_float_leaf, leaves(x)))]
    got = sum(np.dot(floats(d), floats(bx)) for d, bx in moved)
    np.testing.assert_allclose(got, np.dot(floats(ct), floats(dy)), rtol=1e-9, atol=1e-9)
    if again:
        weights = [np.sin(1.0 + k + np.arange(np.size(part))) for k, part in enumerate(leaves(y))]
        check(gradient_of(f, weights), *args, again=False, rtol=2e-5)


def gradient_of(f: Callable[..., Any], weights: list[np.ndarray]) -> Callable[..., Any]:
    """The gradient, by its first argument, of a sum of what f returns."""
    if len(weights) == 1:

        def total(*xs: Any) -> Any:
            return np.sum(np.sin(np.ravel(f(*xs))) * weights[0])

    else:

        def total(*xs: Any) -> Any:
            parts = f(*xs)
            return sum(np.sum(np.sin(np.ravel(parts[k])) * weights[k]) for k in range(len(weights)))

    return s2sad.grad(total)
