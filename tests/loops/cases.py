"""Statements and what they are lowered to, in ``statements.txt``: a title, the IR before, the IR after."""

from __future__ import annotations

from pathlib import Path

from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.loops import lower_to_loops
from tests.ir.reader import read

FILE = Path(__file__).with_name("statements.txt")


def cases() -> dict[str, tuple[str, str]]:
    """By title: before and after."""
    found = {}
    for part in FILE.read_text(encoding="utf-8").split("## ")[1:]:
        title, _, body = part.partition("\n")
        before, _, after = body.partition("-->\n")
        found[title] = (before.strip(), after.strip())
    return found


def lowered(before: str, title: str) -> str:
    """What the pass makes of a program."""
    return show(verify(lower_to_loops(read(before), equal_lengths="taken to be equal" in title)))
