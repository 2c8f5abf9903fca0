"""Functions of matrices that derivatives call: loaded once the user has imported scipy.linalg.

The emitter copies the source of those that a module uses into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg


def real_sqrtm(a: Any) -> Any:
    """The square root of a real matrix, which must be real."""
    root = linalg.sqrtm(a)
    if np.iscomplexobj(root):
        raise NotImplementedError("the square root of this matrix is complex")
    return root


def real_logm(a: Any) -> Any:
    """The logarithm of a real matrix, which must be real."""
    log = linalg.logm(a)
    if np.iscomplexobj(log):
        raise NotImplementedError("the logarithm of this matrix is complex")
    return log
