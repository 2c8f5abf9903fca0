"""The passes from the IR of a derivative to functions that Numba compiles."""

from __future__ import annotations

from s2sad.compiled.boundary import Split, split
from s2sad.ir.nodes import Function

__all__ = ["lower"]


def lower(function: Function) -> Split:
    """Part the derivative from what stays Python, and adapt each compiled function."""
    return split(function)
