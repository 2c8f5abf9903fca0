"""Sample calls of the functions of numpy.polynomial."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial, polyutils
from rules.samples import SAMPLES, A, T, arr, call, v, w, x32

_OF_COEFFICIENTS = {
    "add": [call(v, w[:2]), call(v[:1], w), call(v, w), call(x32[0], x32[1])],
    "sub": [call(v, w[:2]), call(v[:2], w), call(v, w[:1])],
    "mul": [call(v[:3], w[:2]), call(v[:2], w[:3]), call(v[:1], w), call(x32[0], x32[1])],
    "mulx": [call(v), call(v[:1]), call(x32[0])],
    "pow": [call(v[:3], 2), call(v, 1), call(v, 0), call(v[:2], 3, 4)],
    "der": [call(v), call(v, 2), call(x32[0]), call(v[:1]), call(v, 0), call(A, axis=1)],
    "int": [call(v), call(v, 2, wrt=("c",)), call(x32[0]), call(v[:1]), call(v, 0), call(T, 2, axis=-1)],
    "fromroots": [call(v), call(v[:1])],
}
_AT_POINTS = {
    "val": [call(v, w), call(0.5, w), call(A, arr(5)), call(v, w[:1]), call(v, w[:2]), call(x32, x32[0])],
    "val2d": [call(v, w, A), call(0.5, 0.7, A), call(v, w, T)],
    "val3d": [call(v, w, v * w, T)],
    "grid2d": [call(v, w[:2], A), call(0.5, w, A), call(v, [0.2, 0.4], T)],
    "grid3d": [call(v[:2], w, 0.4, T)],
    "vander": [call(v, 3), call(A, 2), call(v, 0), call(0.5, 1)],
    "vander2d": [call(v, w, [2, 1]), call(0.5, 0.3, (0, 2))],
    "vander3d": [call(v, w, v * w, [1, 2, 1])],
    "fit": [call(v, w, 2), call(v, arr(4, 2), 1), call(v, w, 2, w=arr(4, seed=2)), call(v, w, 0, 1e-12)],
}
_AT_POINTS["val"] += [call([0.3, 0.4], w), call(v, A), call(0.5, A), call(w[:3], A.T, False), call(A, T)]


def _declare(module: Any, start: str) -> None:
    for name, calls in (_OF_COEFFICIENTS | _AT_POINTS).items():
        SAMPLES[getattr(module, f"{start}{name}")] = calls
    if start != "poly":
        for name in (f"{start}2poly", f"poly2{start}"):
            SAMPLES[getattr(module, name)] = [call(v), call(v[:1]), call(arr(5)), call(x32[0])]
        SAMPLES[getattr(module, f"{start}weight")] = [call(0.3), call(0.5 * v)]


for _module, _start in (
    *((polynomial, "poly"), (chebyshev, "cheb"), (legendre, "leg")),
    *((hermite, "herm"), (hermite_e, "herme"), (laguerre, "lag")),
):
    _declare(_module, _start)
SAMPLES[polynomial.polyval] = [*SAMPLES[polynomial.polyval], call(A, [0.5, 0.7])]
SAMPLES[polynomial.polyvalfromroots] = [call(v, w), call(0.5, w), call(A, w[:1])]
SAMPLES[polyutils.mapparms] = [call(np.array([0.2, 1.7]), [-1.0, 1.0])]
SAMPLES[polyutils.mapdomain] = [call(v, np.array([0.2, 1.7]), [-1.0, 1.0]), call(0.5, [0.2, 1.7], w[:2])]
