"""The document ``docs/performance.md``: what its author wrote, and between two marks the tables of the latest run."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from tests.benchmarks import report
from tests.benchmarks.chart import draw
from tests.benchmarks.compiler import Row
from tests.benchmarks.memory import Memory
from tests.benchmarks.race import Result

__all__ = ["DOCUMENT", "write"]

DOCUMENT = Path(__file__).parents[2] / "docs" / "performance.md"
BEGIN, END = "<!-- measured: python -m tests.benchmarks --write -->", "<!-- end of what was measured -->"
LIBRARIES = ("numpy", "numba", "jax", "torch", "autograd", "casadi")


def write(results: Sequence[Result], memories: Sequence[Memory], compiler: Sequence[Row]) -> None:
    """Put the tables of a run into the document, and the chart next to it."""
    chart = DOCUMENT.with_suffix(".svg")
    draw(results, chart)
    parts = [
        machine(),
        f"![times of all contestants]({chart.name})",
        "### Figures to reach",
        report.markdown(report.goals(results)),
        "### Times",
        report.markdown(report.times(results)),
        *missing(results),
        "### Ratios",
        report.markdown(report.ratios(results)),
        "### Memory of a gradient, at the large size",
        report.markdown(report.memory(memories)),
        "### The compiler",
        report.markdown([["what", "figure", "wanted"], *(list(row) for row in compiler)]),
    ]
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    text = "\n\n".join((before + BEGIN, *parts, END)) + after
    DOCUMENT.write_text(text, encoding="utf-8")


def machine() -> str:
    """The class of machine and the versions, in a sentence."""
    versions = []
    for name in LIBRARIES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return (
        f"Measured on a virtual machine with {os.cpu_count()} cores ({platform.machine()}, {platform.system()}), one of"
        f" them used, under {python} with {', '.join(versions)}."
    )


def missing(results: Sequence[Result]) -> list[str]:
    """Why a contestant has a dash where it was meant to run, one line for each reason."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for result in results:
        for name, reason in result.absent.items():
            reasons.setdefault((name, reason), []).append(result.label)
    lines = [
        f"- {name}, {', '.join(rows) if len(rows) < len(results) / 3 else f'{len(rows)} rows'}: `{reason}`"
        for (name, reason), rows in reasons.items()
    ]
    return ["Not timed:", "\n".join(lines)] if lines else []
