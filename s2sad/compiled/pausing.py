"""No garbage collection while Numba compiles: it makes millions of objects, most of which live to its end."""

from __future__ import annotations

import functools
import gc
from typing import Any

from numba.core import event

__all__ = ["MODULE_PREFIX", "pause_collector"]

#: What the names of the modules of compiled derivatives begin with.
MODULE_PREFIX = "s2sad_compiled_"


class _Pause(event.Listener):
    """Pauses the collector from the start to the end of compiling a function of ours, with all that it calls.

    Numba compiles, and tells of it, under one lock: starts and ends are nested.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.enabled = False

    def on_start(self, event: Any) -> None:
        """Something is going to be compiled: a derivative, or what one calls."""
        if not self.depth:
            module = event.data["dispatcher"].py_func.__module__  # None for what a user's exec defines
            if module is None or not module.startswith(MODULE_PREFIX):
                return
            self.enabled = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        """It has been compiled, or has failed to."""
        if self.depth:
            self.depth -= 1
            if not self.depth and self.enabled:
                gc.enable()


@functools.cache
def pause_collector() -> None:
    """Collect no garbage while derivatives are compiled, from now on."""
    register: Any = event.register
    register("numba:compile", _Pause())
