"""Memory that is kept between calls."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import resource
import numpy as np
from s2sad import grad


def f(x):
    for _ in range(100):
        x = np.sin(x) * 1.5
    return np.sum(x)


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


slope, x = grad(f), np.linspace(0.0, 1.0, 10_000)
slope(x)
slope(x)
before = faults()
for _ in range(10):
    slope(x)
print((faults() - before) // 10)
"""


def faults(tmp_path: Path) -> int:
    """How many pages a call gets anew, in a process of its own."""
    (tmp_path / "program.py").write_text(PROGRAM)
    told = ("MALLOC_", "GLIBC_TUNABLES")
    env = {k: v for k, v in os.environ.items() if not k.startswith(told)}
    command = [sys.executable, str(tmp_path / "program.py")]
    return int(subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the threshold is that of glibc")
def test_a_derivative_does_not_get_its_memory_anew_at_each_call(tmp_path: Path) -> None:
    """The tape holds 8 MB, 2,000 pages."""
    assert faults(tmp_path) < 100
