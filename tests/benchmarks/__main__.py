"""Time every program of the suite against its peers: ``python -m tests.benchmarks``.

``--only NAME`` (a part of a program's name, as often as wanted) limits it to some programs, ``--quick`` to their small
sizes and less time. ``--write`` puts the tables and the chart of a full run into ``docs/``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.benchmarks import report
from tests.benchmarks.compiler import figures
from tests.benchmarks.document import write
from tests.benchmarks.memory import measure
from tests.benchmarks.program import Program
from tests.benchmarks.programs import PROGRAMS
from tests.benchmarks.race import Result, race


def chosen(names: Sequence[str]) -> list[Program]:
    """The programs with one of these in their names, or all."""
    return [p for p in PROGRAMS if not names or any(name.lower() in p.name.lower() for name in names)]


def run(programs: Sequence[Program], quick: bool) -> list[Result]:
    """The results of all programs, reported as they come."""
    results: list[Result] = []
    for program in programs:
        for size in program.sizes[:1] if quick else program.sizes:
            result = race(program, size, budget=0.1 if quick else 0.4)
            told = {absence for earlier in results for absence in earlier.absent.items()}
            results.append(result)
            print(f"{result.label}: ", end="")
            print(*(f"{name} {report.duration(seconds)}" for name, seconds in result.seconds.items()), sep=", ")
            for name, reason in result.absent.items():
                if (name, reason) not in told:
                    print(f"    {name}: {reason}")
            sys.stdout.flush()
    return results


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the status is 1 if a derivative was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="programs with this in their name")
    parser.add_argument("--quick", action="store_true", help="small sizes, and less time for each")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md and its chart")
    options = parser.parse_args(arguments)
    if options.write and (options.only or options.quick):
        parser.error("--write goes with a full run")
    programs = chosen(options.only)
    results = run(programs, options.quick)
    for table in (report.times(results), report.ratios(results), report.goals(results)):
        print("", report.text(table), sep="\n")
    if not options.quick:
        memories = [measure(program) for program in programs]
        print("", report.text(report.memory(memories)), sep="\n", flush=True)
    if not options.only and not options.quick:
        rows = []
        print()
        for row in figures():
            rows.append(row)
            print(f"{row[0]:60} {row[1]:>10}  {row[2]}".rstrip(), flush=True)
        if options.write:
            write(results, memories, rows)
    return int(any(reason.startswith("WRONG") for result in results for reason in result.absent.values()))


if __name__ == "__main__":
    sys.exit(main())
