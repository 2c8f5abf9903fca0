"""The compiled tier: derivatives as machine code, through Numba.

::

    parts = lower(function)                    # the derivative IR, made ready for Numba
    compiled = build(parts, doc, backend)      # a file in the cache, and the function it defines
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.backends import Backend
from s2sad.compiled import module
from s2sad.compiled.boundary import Split
from s2sad.compiled.lower import lower

__all__ = ["build", "lower", "source"]


def build(parts: Split, doc: str, backend: Backend) -> Callable[..., Any]:
    """The compiled function, its module kept in the cache."""
    emitted = module.emitted(parts, doc)
    path = module.keep(emitted, backend)
    return module.load(path, emitted.name, emitted.bindings, emitted.line_map, backend)


def source(parts: Split, doc: str) -> str:
    """The text of the module, to be formatted."""
    return module.text(parts, doc).text
