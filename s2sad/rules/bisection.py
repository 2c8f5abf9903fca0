"""Functions of the module bisect: read by the table once the user has imported that."""

from __future__ import annotations

import bisect
from typing import Any

from s2sad.rules.static import is_none
from s2sad.rules.table import composite

__all__: list[str] = []


@composite(bisect.bisect_left)
def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None) -> Any:
    low, high = lo, len(a) if is_none(hi) else hi
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@composite(bisect.bisect_right)
def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None) -> Any:
    low, high = lo, len(a) if is_none(hi) else hi
    while low < high:
        middle = (low + high) // 2
        if x < a[middle]:
            high = middle
        else:
            low = middle + 1
    return low
