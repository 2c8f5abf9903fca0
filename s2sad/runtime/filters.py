"""What derivatives of filters call: loaded once the user has imported scipy.ndimage.

The emitter copies the source of those that a module uses into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage


def gaussian_weights(sigma: Any, order: Any, truncate: Any, radius: Any) -> Any:
    """The weights by which gaussian_filter1d correlates: what it makes of a single one, turned round."""
    reach = int(truncate * float(sigma) + 0.5) if radius is None else radius
    single = np.zeros(2 * reach + 1)
    single[reach] = 1.0
    return ndimage.gaussian_filter1d(single, sigma, order=order, mode="constant", radius=reach)[::-1].copy()
