"""Compiled derivatives that are compiled again, for axes of any lengths, where they find lengths that differ."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from s2sad.frontend.places import value_at
from s2sad.ir.nodes import Ref
from s2sad.runtime import helpers

__all__ = ["retrying", "retrying_pullback"]


def retrying(native: Callable[..., Any], general: Callable[..., Any]) -> Callable[..., Any]:
    """``native``; where it finds lengths that differ, ``general``, called with the same arguments."""

    @functools.wraps(native)
    def run(*args: Any) -> Any:
        try:
            return native(*args)
        except ValueError as error:
            if error.args != (helpers.LENGTHS_DIFFER,):
                raise
        return general(*args)

    return run


def retrying_pullback(
    native: Callable[..., Any], general: Callable[..., Any], refs: Sequence[Ref]
) -> Callable[..., Any]:
    """``native``, which gives a value and a pullback; where this finds lengths that differ, that of ``general``.

    The arguments must be as they were by then. So must be what is read from outside, ``refs``: where that cannot be
    told, the pullback raises ValueError.
    """
    forward = retrying(native, general)

    @functools.wraps(native)
    def run(*args: Any) -> Any:
        outside = [value_at(r.root, r.path) for r in refs]
        y, pullback = forward(*args)

        @functools.cache
        def again() -> Callable[..., Any]:
            now = [value_at(r.root, r.path) for r in refs]
            if not all(a is b and _lasts(a) for a, b in zip(outside, now, strict=True)):
                raise ValueError(helpers.LENGTHS_DIFFER)
            return general(*args)[1]  # type: ignore[no-any-return]

        return y, retrying(pullback, lambda ct: again()(ct))

    return run


def _lasts(value: Any) -> bool:
    """Whether a value stays what it is for as long as it is the same object."""
    return value is None or callable(value) or isinstance(value, int | float | str | np.generic | ModuleType)
