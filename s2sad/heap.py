"""Memory that the process keeps between calls of a derivative, and what a compilation has of it.

The C library of most Linux systems hands the end of its heap back to the system whenever more than a *trim threshold*
is free there. It begins with 128 KiB, so a derivative with tapes of some megabytes gets them anew at each call, page by
page, which may take longer than all that it computes. The threshold is twice the size of the largest block that was
ever freed, blocks of more than 32 MiB left out (mallopt(3), M_MMAP_THRESHOLD). So one such block is freed, which is
never written to and takes no memory. Processes that work with large arrays have done so already.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import sys
from collections.abc import Iterator

import numpy as np

__all__ = ["KEPT", "collector_paused", "keep_freed_memory", "room_for_nesting"]

#: Bytes of the block: a little less than the 32 MiB that count.
KEPT = 31 << 20
#: Calls within calls that a compilation may take: some for each level at which an expression is nested.
LEVELS = 4000


@functools.cache
def keep_freed_memory() -> None:
    """Have the process keep up to 62 MiB at the end of its heap, where the C library is glibc and not told otherwise.

    Settings of the user's (``MALLOC_TRIM_THRESHOLD_``, ``MALLOC_MMAP_THRESHOLD_``, ``GLIBC_TUNABLES``) prevail.
    """
    np.empty(KEPT, np.uint8)


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """No garbage collection meanwhile: a compilation makes many small objects that all live to its end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextlib.contextmanager
def room_for_nesting() -> Iterator[None]:
    """Room on the stack meanwhile: a sum of hundreds of terms is as deep as it is long, and is read level by level."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, LEVELS))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
