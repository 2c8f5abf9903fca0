"""The source of the derivatives that are kept as golden files."""

from __future__ import annotations

from pathlib import Path

from s2sad import pipeline, structure
from s2sad.dispatch import variants_of
from tests.golden.programs import CASES

FILES = Path(__file__).parent / "files"


def source(name: str) -> str:
    """What is printed now for a case."""
    golden, mode = CASES[name]
    if golden.general:
        return pipeline.derivative_source(golden.function, mode, golden.wrt)
    specs = tuple(map(structure.describe, golden.args))
    text: str = variants_of(golden.function, mode).get(golden.wrt, specs).text()
    return text
