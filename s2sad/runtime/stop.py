"""What a user writes to keep a value out of differentiation."""

from __future__ import annotations

from typing import TypeVar, cast

from s2sad.runtime.helpers import constant

__all__ = ["stop_gradient"]

T = TypeVar("T")


def stop_gradient(x: T) -> T:
    """A copy of ``x``, to be taken as a constant: its derivative is zero.

    Arrays are copied, and what holds them, as derivatives do: a store into one is not seen in the other.
    """
    return cast(T, constant(x))
