"""What the compiler itself costs: per statement, at import, and from decoration to the first result of a process.

Each figure is the best of several runs, those of a fresh process apart.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import s2sad
from tests.benchmarks.straight_line import straight_line

__all__ = ["Row", "figures"]

Row = tuple[str, str, str]  #: what, the figure, what it should be


def best(run: Callable[[], Any], times: int) -> float:
    """The least number of seconds by the clock that one of so many runs takes."""
    return min(_elapsed(run) for _ in range(times))


def _seconds(run: Callable[[], Any]) -> float:
    """Of the clock or of the processor, whichever are fewer, where the work is this process's."""
    began, worked = time.perf_counter(), time.process_time()
    run()
    return min(time.perf_counter() - began, time.process_time() - worked)


def _elapsed(run: Callable[[], Any]) -> float:
    """Of the clock."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def first_result(statements: int, seed: int) -> float:
    """Seconds from the decoration of a function the compiler has not seen to its first gradient."""
    f = straight_line(statements, seed)
    return _seconds(lambda: s2sad.grad(f, wrt=(0, 1))(0.3, 0.4))


def compile_time() -> Iterator[Row]:
    """A short function, once everything the compiler itself needs is loaded."""
    first_result(30, 0)
    seconds = min(first_result(30, seed) for seed in range(1, 21))
    yield "30-line scalar function, decoration to first gradient", f"{1e3 * seconds:.1f} ms", "< 30 ms"


def linear_cost() -> Iterator[Row]:
    """The compile time per statement of short and long functions."""
    short, long = (min(first_result(n, seed) for seed in range(k)) / n for n, k in ((500, 3), (5000, 2)))
    yield "compile time per statement, of 500", f"{1e6 * short:.0f} us", ""
    yield "compile time per statement, of 5,000", f"{1e6 * long:.0f} us", ""
    yield "    ratio", f"{long / short:.2f}", "< 2"


def import_time() -> Iterator[Row]:
    """The time to import in a fresh interpreter, less that of starting one."""

    def seconds(text: str) -> float:
        return best(lambda: subprocess.run([sys.executable, "-c", text], check=True), 5)

    nothing = seconds("pass")
    numpy, ours = seconds("import numpy") - nothing, seconds("import s2sad") - nothing
    yield "import numpy", f"{1e3 * numpy:.0f} ms", ""
    yield "import s2sad (and numpy)", f"{1e3 * ours:.0f} ms", ""
    yield "    ratio", f"{ours / numpy:.2f}", ""


#: Times a derivative in a process where everything is imported and no derivative has been compiled.
FRESH = """
import sys, time
from tests.benchmarks.programs import PROGRAMS
name, backend = sys.argv[1:]
if backend == "numba":
    import numba
program = next(p for p in PROGRAMS if p.name == name)
args = program.make_args(*program.sizes[0])
began = time.perf_counter()
program.differentiate(backend)(*args)
print(time.perf_counter() - began)
"""


#: Times a function of one line that Numba alone has compiled before: it imports what it needs at its first call.
ALONE = """
import sys, time
import numba
sys.path.insert(0, sys.argv[1])
began = time.perf_counter()
from one_line import twice
twice(1.0)
print(time.perf_counter() - began)
"""


def numba_alone() -> Iterator[Row]:
    """What a process pays for its first compiled function, whatever that is."""
    with tempfile.TemporaryDirectory() as folder:
        text = "import numba\n\n\n@numba.njit(cache=True)\ndef twice(x):\n    return 2.0 * x\n"
        Path(folder, "one_line.py").write_text(text, encoding="utf-8")
        runs = [_seconds_of_process(ALONE, folder, cache=folder) for _ in range(3)]
    if (seconds := runs[-1]) is not None:
        yield "Numba alone, one line, warm: first result of a process", f"{seconds:.2f} s", ""


def fresh_process() -> Iterator[Row]:
    """From decoration to the first result: with nothing cached, and with what that left on disk."""
    limits = {("numba", "cold"): 2.0, ("numba", "warm"): 0.3}
    for name in ("LSTM", "mixture, arrays"):
        for backend in ("python", "numba"):
            with tempfile.TemporaryDirectory() as cache:
                for state in ("cold", "warm"):
                    seconds = _seconds_of_process(FRESH, name, backend, cache=cache)
                    limit = limits.get((backend, state))
                    figure = "–" if seconds is None else f"{seconds:.2f} s"
                    yield f"{name}, {backend}, {state}: decoration to first gradient", figure, f"< {limit} s" * bool(
                        limit
                    )


def _seconds_of_process(text: str, *arguments: str, cache: str) -> float | None:
    """What a process prints whose caches are in a directory; None if it fails: there is no such backend."""
    environment = {**os.environ, "S2SAD_CACHE_DIR": cache, "NUMBA_CACHE_DIR": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # modules are compiled as they are for users: once
    command = [sys.executable, "-c", text, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    return float(done.stdout.split()[-1]) if done.returncode == 0 else None


def figures() -> Iterator[Row]:
    """All of them."""
    for benchmark in (compile_time, linear_cost, import_time, numba_alone, fresh_process):
        yield from benchmark()
