"""Both tiers compared.

``python -m tests.compiled [NAME]...`` takes the corpus, or these of its programs, and
``python -m tests.compiled --random 100 --seed 7`` random programs, those of one profile with
``--profile``. What was refused or failed is printed, and a count of everything.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Iterator


def outcomes(options: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    """What came of each program in each mode: its name, the outcome, a message."""
    from tests.compiled import random_programs
    from tests.compiled.corpus import MODES, PROGRAMS, compare

    for seed in range(options.seed, options.seed + options.random):
        for mode in random_programs.MODES:
            found = random_programs.compare_random(seed, mode, options.size, options.profile)
            if found is not None:
                yield f"{mode} {seed}", found.what, found.message
    for name in options.names or ([] if options.random else PROGRAMS):
        for mode in MODES:
            outcome = compare(name, mode)
            yield f"{mode} {name}", outcome.what, outcome.message


def main() -> int:
    """Compare, and print; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.compiled", description=__doc__)
    parser.add_argument("names", nargs="*", help="programs of the corpus")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="take N random programs instead")
    parser.add_argument("--seed", type=int, default=0, help="the first of them")
    parser.add_argument("--size", type=int, default=10, help="about how many statements one has")
    parser.add_argument("--profile", help="random programs of one profile only (see tests.fuzz.generate)")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for name, what, message in outcomes(options):
        counts[what] += 1
        if what != "agreed":
            print(f"{what} {name}: {message}".replace("\n", " | ")[:600], flush=True)
    print(", ".join(f"{what}: {n}" for what, n in counts.items()))
    return int(counts["failed"] > 0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        os.environ.setdefault("S2SAD_CACHE_DIR", directory)
        raise SystemExit(main())
