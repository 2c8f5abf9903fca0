"""Compare the compiler with the reference on any number of random programs.

python -m tests.fuzz.run --count 1000 --seed 0 --jobs 2 --save failures
python -m tests.fuzz.run --shrink 4711

Exit status 1 where the compiler crashed or disagreed.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from .check import FAILURES, MODES, Outcome, check
from .generate import PROFILES, Program, generate
from .shrink import shrink

__all__ = ["Report", "main", "run"]

CHUNK = 100


@dataclass
class Report:
    """What came of a number of programs."""

    counts: Counter[str] = field(default_factory=Counter)
    messages: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    failures: list[tuple[int, Outcome]] = field(default_factory=list)

    def add(self, seed: int, outcome: Outcome) -> None:
        """Count one."""
        self.counts[outcome.kind] += 1
        if outcome.kind != "accepted":
            key = (outcome.kind, outcome.message)
            self.messages[key] += 1
            self.examples.setdefault(key, []).append(seed)
            del self.examples[key][8:]
        if outcome.kind in FAILURES:
            self.failures.append((seed, outcome))

    def merge(self, other: Report) -> None:
        """Add the counts of another."""
        self.counts += other.counts
        self.messages += other.messages
        for key, seeds in other.examples.items():
            self.examples[key] = (self.examples.get(key, []) + seeds)[:8]
        self.failures += other.failures

    @property
    def refused(self) -> float:
        """The share refused of the programs that counted."""
        counted = sum(self.counts.values()) - self.counts["skipped"]
        return self.counts["refused"] / counted if counted else 0.0

    def text(self) -> str:
        """The figures, then every reason with its count and a few seeds."""
        kinds = ("accepted", "refused", "crashed", "disagreed", "skipped")
        lines = ["  ".join(f"{kind} {self.counts[kind]}" for kind in kinds) + f"  (refused {self.refused:.1%})"]
        for (kind, message), n in sorted(self.messages.items(), key=lambda item: (kinds.index(item[0][0]), -item[1])):
            lines.append(f"{n:7} {kind}: {message}  seeds {', '.join(map(str, self.examples[kind, message][:4]))}")
        return "\n".join(lines)


def run(seeds: Iterable[int], size: int = 10, save: str | None = None, profile: str | None = None) -> Report:
    """Check the programs of these seeds, in this process."""
    report = Report()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for seed in seeds:
            program = generate(seed, size, profile)
            outcome = check(program)
            report.add(seed, outcome)
            if save and outcome.kind in FAILURES:
                write(Path(save) / f"{outcome.kind}_{seed}.py", program, outcome)
    return report


def write(path: Path, program: Program, outcome: Outcome) -> None:
    """A failing program as a file that shows the failure when run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    detail = "\n".join("# " + line for line in (outcome.detail or outcome.message).splitlines())
    with np.printoptions(precision=17, floatmode="unique"):
        args = repr(program.args)
    tail = f"""
if __name__ == "__main__":
    import s2sad
    from numpy import array

    args = {args}
    print(f(*args))
    print(s2sad.grad(f, wrt={program.wrt})(*{args}))
"""
    path.write_text(f"# seed {program.seed}, {outcome.kind}\n{detail}\n\n{program.source}\n{tail}")


def _batches(seeds: range, size: int) -> Iterator[range]:
    for start in range(seeds.start, seeds.stop, size):
        yield range(start, min(start + size, seeds.stop))


def _progress(report: Report, began: float, total: int) -> None:
    done = sum(report.counts.values())
    rate = 1000 * (time.monotonic() - began) / max(done, 1)
    counts = "  ".join(f"{kind} {n}" for kind, n in report.counts.items())
    print(f"{done}/{total}  {rate:.1f} ms each  {counts}", file=sys.stderr, flush=True)


def run_many(seeds: range, size: int, jobs: int, save: str | None, profile: str | None) -> Report:
    """Check the programs of these seeds, in ``jobs`` processes."""
    report, began, last = Report(), time.monotonic(), time.monotonic()
    context = multiprocessing.get_context("spawn")
    work = partial(run, size=size, save=save, profile=profile)
    # Fresh processes now and then: no leak of the compiler's can add up unseen. A pool's own
    # `max_tasks_per_child` may wait for ever (github.com/python/cpython/issues/115634).
    for batch in _batches(seeds, 50 * CHUNK * jobs):
        with ProcessPoolExecutor(jobs, mp_context=context) as pool:
            for part in pool.map(work, _batches(batch, CHUNK)):
                report.merge(part)
                if time.monotonic() - last > 30:
                    last = time.monotonic()
                    _progress(report, began, len(seeds))
    _progress(report, began, len(seeds))
    return report


def shrunk(seed: int, size: int, profile: str | None = None) -> tuple[Program, Outcome]:
    """The program of a seed, made as small as its failure allows."""
    program = generate(seed, size, profile)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        outcome = check(program)
        if outcome.kind in ("accepted", "skipped"):
            return program, outcome

        only = next((mode for mode in MODES if check(program, mode)[:2] == outcome[:2]), None)

        def same(found: Outcome) -> bool:
            # Not where it crashed: generated code differs from program to program.
            return found.kind == outcome.kind and found.message.split(" in ")[0] == outcome.message.split(" in ")[0]

        def fails(candidate: Program) -> bool:
            return same(check(candidate, only))

        small = shrink(program, fails)
        return small, check(small, only)


def _print_shrunk(seed: int, size: int, profile: str | None) -> bool:
    program, outcome = shrunk(seed, size, profile)
    reason = "\n".join(f"# {line}" for line in (outcome.detail or outcome.message).splitlines())
    print(f"# seed {seed}, {outcome.kind}\n{reason}\n")
    print(f"{ast.unparse(ast.parse(program.source))}\n\n# f{program.args}\n", flush=True)
    return outcome.kind in FAILURES


def main(argv: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--size", type=int, default=10, help="about how many statements a program has")
    parser.add_argument("--profile", choices=[*PROFILES], help="programs of one profile only")
    parser.add_argument("--save", metavar="DIR", help="where to write the programs that fail")
    parser.add_argument(
        "--shrink", type=int, nargs="+", metavar="SEED", help="make these programs small and print them"
    )
    parser.add_argument("--show", type=int, metavar="SEED", help="print the program of this seed")
    options = parser.parse_args(argv)
    if options.show is not None:
        program = generate(options.show, options.size, options.profile)
        print(f"{program.source}\n# f{program.args}")
        return 0
    if options.shrink is not None:
        return max([_print_shrunk(seed, options.size, options.profile) for seed in options.shrink])
    seeds = range(options.seed, options.seed + options.count)
    report = run_many(seeds, options.size, options.jobs, options.save, options.profile)
    print(report.text())
    return any(report.counts[kind] for kind in FAILURES)


if __name__ == "__main__":
    sys.exit(main())
