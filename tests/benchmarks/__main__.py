"""Time every program of the suite against its peers: ``python -m tests.benchmarks``.

``--only NAME`` (a part of a program's name, as often as wanted) limits it to some programs, ``--quick`` to their small
sizes and less time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.benchmarks import report
from tests.benchmarks.compiler import figures
from tests.benchmarks.programs import PROGRAMS
from tests.benchmarks.race import Result, race


def run(names: Sequence[str], quick: bool) -> list[Result]:
    """Results of the programs that match, reported as they come."""
    results, reasons = [], set()
    for program in PROGRAMS:
        if names and not any(name.lower() in program.name.lower() for name in names):
            continue
        for size in program.sizes[:1] if quick else program.sizes:
            result = race(program, size, budget=0.1 if quick else 0.4)
            results.append(result)
            print(f"{result.label}: ", end="")
            print(*(f"{name} {report.duration(seconds)}" for name, seconds in result.seconds.items()), sep=", ")
            for absence in set(result.absent.items()) - reasons:
                print("   ", *absence)
                reasons.add(absence)
            sys.stdout.flush()
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the status is 1 if a derivative was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="programs with this in their name")
    parser.add_argument("--quick", action="store_true", help="small sizes, and less time for each")
    options = parser.parse_args(arguments)
    results = run(options.only, options.quick)
    for table in (report.times(results), report.ratios(results), report.goals(results)):
        print("", report.text(table), sep="\n")
    if not options.only:
        print()
        for what, figure, wanted in figures():
            print(f"{what:60} {figure:>10}  {wanted}".rstrip(), flush=True)
    return int(any(reason.startswith("WRONG") for result in results for reason in result.absent.values()))


if __name__ == "__main__":
    sys.exit(main())
