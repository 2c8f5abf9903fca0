"""Compiled derivatives that are compiled again, for axes of any lengths, where they find lengths that differ."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from s2sad.compiled.errors import translated
from s2sad.frontend.places import DEFINITION, HELD, value_at
from s2sad.ir.nodes import Ref
from s2sad.runtime import helpers

__all__ = ["retrying", "retrying_pullback"]


def retrying(
    native: Callable[..., Any],
    general: Callable[..., Any],
    special: Callable[..., Callable[..., Any] | None] = lambda *args: None,
) -> Callable[..., Any]:
    """``native``; where it finds lengths that differ, ``general``, called with the same arguments.

    From then on it is ``general`` that is called, unless it raises too: what broadcasts once does so each time, mostly.
    ``special`` is asked at the first call for what is to be tried before ``native``; where machine code cannot be had
    of that, it is as if there were none.
    """
    tried: list[Callable[..., Any]] | None = None  # what is called, the last of them without a look at its errors

    @functools.wraps(native)
    def run(*args: Any) -> Any:
        nonlocal tried
        if tried is None:
            first = special(*args)
            tried = [native, general] if first is None else [first, native, general]
        left = tried
        while len(left) > 1:
            try:
                found = left[0](*args)
                break
            except Exception as error:
                of_compiling = len(left) > 2 and translated(error) is not None
                if not of_compiling and not (isinstance(error, ValueError) and error.args == (helpers.LENGTHS_DIFFER,)):
                    raise
            left = left[1:]
        else:
            found = general(*args)
        tried = left
        return found

    return run


def retrying_pullback(
    native: Callable[..., Any],
    general: Callable[..., Any],
    special: Callable[..., Callable[..., Any] | None],
    refs: Sequence[Ref],
) -> Callable[..., Any]:
    """``native``, which gives a value and a pullback; where this finds lengths that differ, that of ``general``.

    ``special`` as for :func:`retrying`. The arguments must be as they were by then. So must be what is read from
    outside, ``refs``: where it is not, or cannot be told to be, the pullback raises ValueError.
    """
    forward = retrying(native, general, special)

    @functools.wraps(native)
    def run(*args: Any) -> Any:
        outside = [_Outside(r) for r in refs]
        y, pullback = forward(*args)

        @functools.cache
        def again() -> Callable[..., Any]:
            if not all(value.lasts() for value in outside):
                raise ValueError(helpers.LENGTHS_DIFFER)
            return general(*args)[1]  # type: ignore[no-any-return]

        return y, retrying(pullback, lambda ct: again()(ct))

    return run


class _Outside:
    """A value from outside, as it is found."""

    def __init__(self, ref: Ref) -> None:
        self.ref = ref
        self.value = value_at(ref.root, ref.path)
        self.kept = self.value.copy() if isinstance(self.value, np.ndarray) else None

    def lasts(self) -> bool:
        """Whether it is still the same, and holds the same."""
        now = value_at(self.ref.root, self.ref.path)
        if self.ref.path[-1] == HELD:
            return bool(now == self.value)
        if now is not self.value:
            return False
        if self.kept is not None:
            return bool(now.shape == self.kept.shape and now.tobytes() == self.kept.tobytes())
        if self.ref.path[-1] in DEFINITION:
            return True
        return now is None or callable(now) or isinstance(now, int | float | str | np.generic | ModuleType)
