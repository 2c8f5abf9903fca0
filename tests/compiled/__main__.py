"""The whole corpus through both tiers: ``python -m tests.compiled [NAME]...`` prints what was refused, and a count."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter


def main(names: list[str]) -> int:
    """Compare the programs of these names, or all; 1 if any failed."""
    from tests.compiled.corpus import MODES, PROGRAMS, compare

    counts: Counter[str] = Counter()
    for name in names or PROGRAMS:
        for mode in MODES:
            outcome = compare(name, mode)
            counts[outcome.what] += 1
            if outcome.what != "agreed":
                print(f"{outcome.what} {mode} {name}: {outcome.message}".replace("\n", " | ")[:600], flush=True)
    print(", ".join(f"{what}: {n}" for what, n in counts.items()))
    return int(counts["failed"] > 0)


if __name__ == "__main__":
    import os

    with tempfile.TemporaryDirectory() as directory:
        os.environ.setdefault("S2SAD_CACHE_DIR", directory)
        raise SystemExit(main(sys.argv[1:]))
