"""What Numba refuses, told in terms of the user's program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType

from s2sad.errors import CompileError
from s2sad.ir.nodes import Origin

__all__ = ["HELP", "know_lines", "translated"]

HELP = "use backend='python' for this function, or write the statement in a form that Numba compiles."
_PLACE = re.compile(r'File "([^"]+)", line (\d+)|\bat (\S+\.py) \((\d+)\)|Raised from (\S+\.py) \((\d+)\)')
_NOISE = re.compile(
    r"^(Failed in nopython|During: |File \"|Raised from|\[\d+\]|Rejected as|There are \d+ candidate|- |>>>|\s*$)"
)

_PACKAGE = str(Path(__file__).parents[1])  # where rules are, which are no part of the user's program

_origins: dict[str, Mapping[int, Origin]] = {}


def know_lines(path: Path, origins: Mapping[int, Origin]) -> None:
    """Remember where the lines of a loaded module come from."""
    _origins[str(path)] = origins


def translated(error: BaseException) -> CompileError | None:
    """The error for a function that Numba could not compile; None if that is not what happened."""
    if not _origins or isinstance(error, CompileError) or not _while_compiling(error.__traceback__):
        return None
    text = str(error)
    refusal = CompileError(f"Numba cannot compile what the derivative does here: {_gist(error, text)}", HELP)
    origin = next(_origins_in(text), None) or _origin_of_call(error.__traceback__)
    return refusal if origin is None else refusal.locate(origin)  # type: ignore[return-value]


def _while_compiling(traceback: TracebackType | None) -> bool:
    """Whether an exception passed through Numba's compiler."""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_name == "_compile_for_args" and "numba" in code.co_filename:
            return True
        traceback = traceback.tb_next
    return False


def _origin_of_call(traceback: TracebackType | None) -> Origin | None:
    """The user's first line behind the function that was being compiled."""
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_name == "_compile_for_args":
            compiled = getattr(frame.f_locals.get("self"), "py_func", None)
            known = _origins.get(compiled.__code__.co_filename) if compiled is not None else None
            return next(iter(known.values()), None) if known else None
        traceback = traceback.tb_next
    return None


def _origins_in(text: str) -> Iterator[Origin]:
    """The user's lines that a message of Numba's leads to, the innermost first."""
    for match in reversed(list(_PLACE.finditer(text))):
        filename, line = next((match[i], int(match[i + 1])) for i in (1, 3, 5) if match[i])
        known = _origins.get(filename)
        if known:
            near = [n for n, origin in known.items() if n <= line and not origin.filename.startswith(_PACKAGE)]
            if near and max(near) > line - 8:
                yield known[max(near)]


def _gist(error: BaseException, text: str) -> str:
    """The line of a message that says what is wrong."""
    lines = [line.strip() for line in text.splitlines() if not _NOISE.match(line.strip())]
    said = lines[0] if lines else type(error).__name__
    return said.rstrip(".: ") + "."
