"""The peak memory of a gradient, in a process of its own: what the process holds at most, less what it held before."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

from tests.benchmarks.program import Program
from tests.benchmarks.timing import flat

__all__ = ["Memory", "measure"]

#: Prints the bytes that a derivative needs at its peak. It has run on the small size before, and all is loaded.
SCRIPT = """
import gc, sys
from tests.benchmarks.programs import PROGRAMS
name, contestant = sys.argv[1:]
program = next(p for p in PROGRAMS if p.name == name)

def prepared(size):
    args = program.make_args(*size)
    if contestant in program.peers:
        return program.peers[contestant](*args), ()
    return program.differentiate(contestant), args

def status(field):
    with open("/proc/self/status") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))

for size in (program.sizes[0], program.sizes[-1]):
    derivative, args = prepared(size)
    gc.collect()
    with open("/proc/self/clear_refs", "w") as marks:
        marks.write("5")  # the peak starts anew
    before = status("VmRSS")
    derivative(*args)
    peak = status("VmHWM")
print(peak - before)
"""


@dataclass(frozen=True)
class Memory:
    """Bytes of the arguments, and at the peak of a derivative on top of them; None where it cannot be told."""

    program: Program
    arguments: int
    peaks: dict[str, int | None]


def measure(program: Program) -> Memory:
    """Ours on both tiers, and the one by hand, whose tape is as small as its author could make it; the large size."""
    arguments = sum(flat(a).nbytes for a in program.make_args(*program.sizes[-1]) if not callable(a) and _is_data(a))
    return Memory(program, arguments, {name: _peak(program, name) for name in ("python", "numba", "hand")})


def _is_data(value: object) -> bool:
    """Whether a value is numbers, and lists and arrays of them."""
    try:
        flat(value)
    except (TypeError, ValueError):
        return False
    return True


def _peak(program: Program, contestant: str) -> int | None:
    """Bytes at the peak; None if the contestant is not there, or the system does not tell."""
    command = [sys.executable, "-c", SCRIPT, program.name, contestant]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ), check=False)
    return int(done.stdout.split()[-1]) if done.returncode == 0 else None
