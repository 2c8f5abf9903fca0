"""Distributions of ``scipy.stats``, and those that hold parameters: which of the module's it is that such a one is of.

>>> from scipy import stats
>>> distribution_in_stats(stats.norm(0.0, 2.0).dist) is stats.norm, is_frozen(type(stats.norm(0.0, 2.0)))
(True, True)
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["distribution_in_stats", "is_distribution", "is_frozen"]


def is_distribution(cls: type) -> bool:
    """Whether this is the class of a distribution, like ``norm``: one that is called to hold parameters."""
    return any(base.__name__ == "rv_generic" for base in cls.__mro__)


def is_frozen(cls: type) -> bool:
    """Whether this is the class of a distribution with its parameters, ``norm(mu, sd)``."""
    return any(base.__name__ == "rv_frozen" for base in cls.__mro__)


def distribution_in_stats(value: Any) -> Any:
    """The distribution of which this is a copy, or which it is; None of anything else.

    One with parameters has a copy, and it is what the module has that there are rules for.
    """
    if not is_distribution(type(value)):
        return None
    known: Any = getattr(sys.modules["scipy.stats"], value.name or "", None)
    if known is value:
        return known
    alike = type(known) is type(value) and known._updated_ctor_param() == value._updated_ctor_param()
    return known if alike else None
