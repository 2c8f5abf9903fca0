"""What derivatives call of densities that scipy estimates: loaded once the user has imported scipy.stats.

The emitter copies the source of those that a module uses into it.
"""

from __future__ import annotations

from typing import Any

from scipy import stats


def kernel_density(data: Any, bw_method: Any, weights: Any) -> Any:
    """A sum of normal distributions about samples."""
    return stats.gaussian_kde(data, bw_method, weights)


def density_parts(density: Any) -> Any:
    """Samples, the root of the covariance about each, and weights."""
    return density.dataset.astype(float), density.cho_cov, density.weights
