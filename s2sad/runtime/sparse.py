"""What derivatives call of sparse matrices: loaded once the user has imported scipy.sparse.

The emitter copies the source of those that a module uses into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import linalg


def sparse_times(a: Any, x: Any) -> Any:
    """The product of a sparse matrix and an array."""
    return a @ x


def sparse_joined(a: Any, b: Any) -> Any:
    """The product of two sparse matrices, or of one and a number."""
    return a * b if np.ndim(b) == 0 else a @ b


def sparse_solved(a: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    """The solution of a @ x = b."""
    return linalg.spsolve(a.tocsc(), b, permc_spec, use_umfpack)


def factored_solved(factors: Any, b: Any, trans: Any = "N") -> Any:
    """The solution of an equation whose matrix has been factored by splu."""
    x = factors.solve(b, trans)
    if trans not in ("N", "T") or x.dtype.kind == "c":
        raise NotImplementedError("SuperLU.solve is differentiated of real matrices, and by trans='N' and 'T'")
    return x


def real_matrix(a: Any) -> Any:
    """A sparse matrix, of real numbers: of complex ones the product with a real array would be complex."""
    if a.dtype.kind == "c":
        raise NotImplementedError("a complex sparse matrix is differentiated for complex arrays: pass x + 0j")
    return a
