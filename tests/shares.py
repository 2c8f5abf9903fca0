"""What of the suite is run unless all of it is asked for, with ``--whole``.

Two thirds of its time are compilations by Numba and random programs, hundreds of each. A run of the suite takes a share
of them, the same tests every time; a run of some files takes all that is in them.
"""

from __future__ import annotations

import zlib

__all__ = ["SHARES", "is_in_share"]

#: Of the tests in a directory, one in so many.
SHARES = {"tests/compiled/": 8, "tests/fuzz/": 6}


def is_in_share(nodeid: str) -> bool:
    """Whether a test is among those that are always run.

    >>> is_in_share("tests/rules/test_table.py::test_every_rule_has_samples")
    True
    >>> [is_in_share(f"tests/fuzz/test_fuzz.py::test[{k}]") for k in range(4)]
    [False, True, False, False]
    """
    share = next((n for directory, n in SHARES.items() if nodeid.startswith(directory)), 1)
    return zlib.crc32(nodeid.encode()) % share == 0
