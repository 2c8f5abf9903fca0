"""What of the suite is run unless all of it is asked for, with ``--whole``.

Most of its time are compilations by Numba, random programs, and rules and programs that are looked at in many ways,
hundreds or thousands of each. A run of the suite takes a share of them, the same tests every time; a run of some files
takes all that is in them.
"""

from __future__ import annotations

import zlib

__all__ = ["SHARES", "is_in_share"]

#: Of the tests in a directory, one in so many.
SHARES = {"tests/compiled/": 12, "tests/fuzz/": 6, "tests/loops/": 5, "tests/programs/": 5, "tests/rules/": 5}

#: Of these none is left out, for they are cheap and tell of a rule that nobody tries.
ALWAYS = ("tests/rules/test_rules.py::test_has_samples", "tests/rules/test_rules.py::test_has_rule")


def is_in_share(nodeid: str) -> bool:
    """Whether a test is among those that are always run.

    >>> is_in_share("tests/frontend/test_lower.py::test_a_name")
    True
    >>> [is_in_share(f"tests/fuzz/test_fuzz.py::test[{k}]") for k in range(4)]
    [False, True, False, False]
    """
    if nodeid.startswith(ALWAYS):
        return True
    share = next((n for directory, n in SHARES.items() if nodeid.startswith(directory)), 1)
    return zlib.crc32(nodeid.encode()) % share == 0
