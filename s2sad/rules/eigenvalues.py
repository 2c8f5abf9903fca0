"""Eigenvalues and eigenvectors that may be complex, of general matrices.

With ``P = inv(V) @ da @ V`` the tangent of the values is the diagonal of P, and that of the vectors is
``V @ (P / gaps)``, less what would change how they are scaled (Giles 2008, section 3.1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.rules.linalg import transposed
from s2sad.rules.table import adjoint, composite, for_complex, tangent
from s2sad.runtime.helpers import cast, eigenvectors, inverse_gaps

__all__: list[str] = []


@tangent(np.linalg.eig)
def eig(a: Any, *, result: Any, da: Any) -> Any:
    w, v = result[0] + 0j, result[1] + 0j  # which may be real in a run
    inner = np.linalg.solve(v, da @ v)
    moved = v @ (inverse_gaps(w) * inner)
    own = v * rescaled(v, moved)[..., None, :]
    return cast(np.einsum("...ii->...i", inner), result[0]), cast(moved - own, result[1])


def rescaled(v: Any, moved: Any) -> Any:
    """How much of each vector a change has along it: LAPACK makes its length 1, and its largest part real."""
    largest = np.argmax(np.abs(v), axis=-2)[..., None, :]
    turned = np.imag(np.take_along_axis(moved, largest, -2)) / np.real(np.take_along_axis(v, largest, -2))
    return np.sum(np.real(np.conjugate(v) * moved), axis=-2) + 1j * turned[..., 0, :]


@tangent(np.linalg.eigvals)
def eigvals(a: Any, *, result: Any, da: Any) -> Any:
    v = eigenvectors(a, result)
    return cast(np.einsum("...ii->...i", np.linalg.solve(v, da @ v)), result)


@adjoint(np.linalg.eigvals, wrt="a")
def eigvals_adjoint(a: Any, *, result: Any, ct: Any) -> Any:
    v = transposed(eigenvectors(a, result))
    return np.linalg.solve(v, ct[..., None] * v)


@tangent(eigenvectors)
def eigenvectors_(a: Any, w: Any, *, result: Any, da: Any, dw: Any = 0.0) -> Any:
    """Of vectors that may have any length: what they are multiplied by makes no difference."""
    return result @ (inverse_gaps(w + 0j) * np.linalg.solve(result, da @ result))


@adjoint(eigenvectors, wrt=("a", "w"))
def eigenvectors_adjoint(a: Any, w: Any, *, result: Any, ct: Any) -> Any:
    v = transposed(result)
    return np.linalg.solve(v, (inverse_gaps(w + 0j) * (v @ ct)) @ v), None


@composite(np.roots)
def roots(p: Any) -> Any:
    p = np.asarray(p)
    if p[0] == 0.0 or p[-1] == 0.0:
        raise NotImplementedError("np.roots is differentiated where the first and the last coefficient are not zero")
    n = len(p) - 1
    companion = np.concatenate((np.reshape(-p[1:] / p[0], (1, n)), np.eye(n)[:-1]))
    found = np.linalg.eigvals(companion)
    return found if np.any(np.imag(found)) else np.real(found)  # eigvals does so itself before NumPy 2.5


for_complex(np.linalg.eig, np.linalg.eigvals, np.roots, inverse_gaps, eigenvectors)
