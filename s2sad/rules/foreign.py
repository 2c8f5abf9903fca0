"""Arrays with an arithmetic of their own: matrices, masked arrays and sparse ones.

A product of theirs is another than that of arrays, and so is what leaves out what is masked. A derivative that took
them for arrays would be wrong, so their classes are kept apart in kinds, and few rules are for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.ir import kinds as K

__all__ = ["KNOW_FOREIGN", "foreign_class", "foreign_example", "is_foreign"]

#: Primitives that have rules for such an array among their arguments, which does not change.
KNOW_FOREIGN: set[Any] = set()
#: Told by name, as some of them are in modules that may not have been imported.
_CLASSES = (("numpy", "matrix"), ("numpy.ma", "MaskedArray"), ("scipy.sparse", "_spbase"))
_known: dict[Any, bool] = {np.ndarray: False}


def is_foreign(cls: Any) -> bool:
    """Whether an array of this class has an arithmetic of its own.

    >>> is_foreign(np.matrix), is_foreign(np.ndarray), is_foreign(str)
    (True, False, False)
    """
    found = _known.get(cls)
    if found is None:
        bases = [(base.__module__, base.__name__) for base in cls.__mro__]
        found = any(home.startswith(start) and own == name for home, own in bases for start, name in _CLASSES)
        _known[cls] = found
    return found


def foreign_class(kind: K.Kind) -> type | None:
    """The class of such an array, or of one that a value of this kind holds; None where there is none."""
    match kind:
        case K.Other(type() as cls) if is_foreign(cls):
            return cls
        case K.List(item) | K.Dict(item):
            return foreign_class(item)
        case K.Tuple(items):
            return next(filter(None, map(foreign_class, items)), None)
    return None


def foreign_example(cls: Any, size: int) -> Any:
    """A small array of such a class."""
    return np.eye(size).view(cls) if issubclass(cls, np.ndarray) else cls(np.eye(size))
