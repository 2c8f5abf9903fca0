"""What Numba refuses, told in terms of the user's program."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from traceback import walk_tb
from types import TracebackType
from typing import Any

from s2sad.compiled.messages import told
from s2sad.errors import CompileError
from s2sad.ir.nodes import Origin

__all__ = ["HELP", "IF_FEWER", "NotWhole", "know_lines", "place_of_check", "translated"]

HELP = "use backend='python' for this function, or write the statement in a form that Numba compiles."
_PLACE = re.compile(r'File "([^"]+)", line (\d+)|\bat (\S+\.py) \((\d+)\)|Raised from (\S+\.py) \((\d+)\)')
_NOISE = re.compile(
    r"^(Failed in nopython|During: |File \"|Raised from|\[\d+\]|Rejected as|There are \d+ candidate|- |>>>|\s*$)"
)

_PACKAGE = str(Path(__file__).parents[1])  # where rules are, which are no part of the user's program

#: What Numba finds out only when a function is called.
_AT_RUN_TIME = (
    "can't unbox heterogeneous list",
    "incompatible shape for array",
    "cannot compute fingerprint of empty list",
    "must not cause a domain change",  # complex eigenvalues of a matrix of real numbers
)

_origins: dict[str, Mapping[int, Origin]] = {}


#: How the names of Jacobians end that are there only if columns are no more than rows.
IF_FEWER = "_if_fewer"


class NotWhole(Exception):
    """A Jacobian that is put together in Python, of several calls."""


def know_lines(path: Path, origins: Mapping[int, Origin]) -> None:
    """Remember where the lines of a loaded module come from."""
    _origins[str(path)] = origins


def translated(error: BaseException, function: Any = None) -> CompileError | None:
    """The error for a function that Numba could not compile; None if that is not what happened.

    ``function`` is the one that was called.
    """
    text = str(error)
    if not _origins or isinstance(error, CompileError):
        return None
    if any(known in text for known in _AT_RUN_TIME):
        return _located(_refusal(error, text, " for these arguments"), _first_origin(function))
    if not _while_compiling(error.__traceback__):
        return None
    return _located(_refusal(error, text), next(_origins_in(text), None) or _origin_of_call(error.__traceback__))


def _refusal(error: BaseException, text: str, when: str = "") -> CompileError:
    """What Numba says, in terms of the program where that is known."""
    gist = _gist(error, text)
    known = told(gist)
    if known is not None:
        return CompileError(f"the derivative cannot be compiled{when}: {known.cause}.", known.help)
    return CompileError(f"Numba cannot compile what the derivative does{when or ' here'}: {gist}", HELP)


def place_of_check(error: BaseException, function: Any = None) -> Origin | None:
    """The user's statement for which a helper of a compiled module looked, and raised; None unless there is one such.

    Numba says where an exception is raised, and not what called the function that raises it. That may be in another
    module which has the same helper; ``function`` is the one that was called.
    """
    places = [
        (f.f_code.co_filename, line) for f, line in walk_tb(error.__traceback__) if f.f_code.co_filename in _origins
    ]
    if not places:
        return None
    raised, line = places[-1]
    called = getattr(getattr(inspect.unwrap(function), "__code__", None), "co_filename", None)
    module = next(m for m in (*(path for path, _ in places[:-1]), called, raised) if m in _origins)
    found = set(_callers(_lines_of(module), _function_at(_lines_of(raised), line), _origins[module]))
    return found.pop() if len(found) == 1 else None


def _lines_of(module: str) -> list[str]:
    return Path(module).read_text().splitlines()


def _function_at(lines: list[str], line: int) -> str:
    """The name of the function that a line of a module is in."""
    return next((m[1] for above in reversed(lines[:line]) if (m := re.match(r"def (\w+)\(", above))), "")


def _callers(lines: list[str], called: str, known: Mapping[int, Origin]) -> Iterator[Origin | None]:
    """The user's statements for which a function is called; None for a call that is of no statement.

    A helper is called for that for which what calls it is.
    """
    todo, seen = [called], {called}
    while todo:
        call = re.compile(rf"(?<!def )\b{todo.pop()}\(")
        sites = [k for k, text in enumerate(lines, 1) if call.search(text)]
        yield from (known[k] for k in sites if k in known)
        others = {_function_at(lines, k) for k in sites if k not in known}
        yield from (None for name in others if not name.startswith("_"))
        todo += [name for name in others - seen if name.startswith("_")]
        seen |= others


def _located(refusal: CompileError, origin: Origin | None) -> CompileError:
    if origin is not None:
        refusal.locate(origin)
    return refusal


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
            return _first_origin(frame.f_locals.get("self"))
        traceback = traceback.tb_next
    return None


def _first_origin(function: Any) -> Origin | None:
    """The first of the user's lines that a compiled function comes from."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    known = _origins.get(code.co_filename) if code is not None else None
    return next((o for o in known.values() if not o.filename.startswith(_PACKAGE)), None) if known else None


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
