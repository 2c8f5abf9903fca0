"""Classes of records, and what calling one of them does."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

__all__ = ["keeps_what_it_is_given"]


@functools.lru_cache(maxsize=256)
def keeps_what_it_is_given(cls: Any) -> bool:
    """Whether ``cls(name=value, ...)``, with all fields by name, does nothing but store these: of most dataclasses.

    A ``__post_init__`` may do more, and a field with ``init=False`` is none to give.
    """
    if not dataclasses.is_dataclass(cls):
        return True
    kind: Any = cls
    code = getattr(kind.__init__, "__code__", None)
    written = getattr(code, "co_filename", "") == "<string>"  # by the decorator
    plain = kind.__new__ is object.__new__ and type(kind).__call__ is type.__call__
    stored = kind.__dataclass_params__.frozen or kind.__setattr__ is object.__setattr__
    given = all(f.init for f in dataclasses.fields(kind)) and not hasattr(kind, "__post_init__")
    return written and plain and stored and given
