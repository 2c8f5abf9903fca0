"""Whether the derivatives of a call are those of what NumPy makes of it: its value, type and dtype included."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from rules.harness import as_float64, floats, leaves, shifted
from rules.walk import random_like

import s2sad

__all__ = ["agrees"]


def types_of(x: Any) -> list[Any]:
    """What tells two results apart but for their numbers."""
    return [(type(leaf), np.asarray(leaf).dtype, np.shape(leaf)) for leaf in leaves(x)]


def agrees(f: Any, *args: Any, step: float = 1e-6, tolerance: float = 1e-6) -> None:
    """Fail unless value, tangent and cotangents are what calls of f and central differences say."""
    want = f(*copy.deepcopy(args))
    ds = tuple(random_like(x, k) for k, x in enumerate(args))
    y, dy = s2sad.jvp(f, args, ds)
    assert types_of(y) == types_of(want)
    assert [t[1:] for t in types_of(dy)] == [t[1:] for t in types_of(want)]
    np.testing.assert_allclose(floats(y), floats(want), rtol=1e-12 if tolerance < 1e-5 else 1e-6)
    wide, h = [as_float64(x) for x in args], step / 2
    up, down = (floats(f(*(shifted(x, d, s) for x, d in zip(wide, ds, strict=True)))) for s in (h, -h))
    np.testing.assert_allclose(floats(dy), (up - down) / (2 * h), rtol=tolerance, atol=tolerance)
    ct = random_like(want, 9)
    _, pullback = s2sad.vjp(f, *args)
    bxs = pullback(ct)
    np.testing.assert_allclose(
        sum(floats(bx) @ floats(d) for bx, d in zip(bxs, ds, strict=True)), floats(ct) @ floats(dy), rtol=tolerance
    )
    assert [np.shape(leaf) for leaf in leaves(list(bxs))] == [np.shape(leaf) for leaf in leaves(list(args))]
