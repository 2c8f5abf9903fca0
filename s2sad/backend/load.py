"""Load: emitted text becomes a function whose lines show in tracebacks and the debugger."""

from __future__ import annotations

import linecache
import weakref
from collections.abc import Callable
from itertools import count
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from s2sad.errors import CompileError
from s2sad.ir.nodes import Origin

if TYPE_CHECKING:
    from s2sad.backend.emit import Emitted

__all__ = ["ORIGINS", "annotate", "load", "origin_of"]

#: The name that a loaded module has its lines' origins under.
ORIGINS = "__s2sad_origins__"
_numbers = count(1)


def load(emitted: Emitted, name: str | None = None, filename: str | None = None) -> Callable[..., Any]:
    """Run the module and return the function it defines.

    Its source is kept in :mod:`linecache` for as long as the code of the function lives: the module, and
    closures that the function returned, keep it alive.

    Raises:
        CompileError: Python does not take the text, as blocks are in too many others.
    """
    name = name or emitted.name
    filename = filename or f"<s2sad {name} {next(_numbers)}>"
    namespace: dict[str, Any] = {"__name__": f"s2sad.generated.{name}", **emitted.bindings}
    namespace[ORIGINS] = emitted.line_map
    exec(_code(emitted, filename), namespace)
    function: FunctionType = namespace[name]
    linecache.cache[filename] = (len(emitted.text), None, emitted.text.splitlines(True), filename)
    weakref.finalize(function.__code__, linecache.cache.pop, filename, None).atexit = False
    return function


def _code(emitted: Emitted, filename: str) -> CodeType:
    """The text, compiled."""
    try:
        return compile(emitted.text, filename, "exec", dont_inherit=True)
    except SyntaxError as error:
        lines = [n for n in emitted.line_map if n <= (error.lineno or 0)]
        raise CompileError(
            f"Python does not take the derivative of this: {error.msg}.",
            "Choose among so many cases in a loop over a table of them, or in several functions.",
            origin=emitted.line_map[max(lines)] if lines else None,
        ) from None


def origin_of(error: BaseException) -> Origin | None:
    """The user's statement that an exception raised in generated code comes from."""
    origin: Origin | None = None
    traceback = error.__traceback__
    while traceback is not None:
        origins = traceback.tb_frame.f_globals.get(ORIGINS)
        if origins is not None:
            origin = origins.get(traceback.tb_lineno, origin)
        traceback = traceback.tb_next
    return origin


def annotate(error: BaseException) -> None:
    """Add a note to an exception raised in generated code: the user's file, line and statement."""
    origin = origin_of(error)
    if origin is None:
        return
    note = f'in the derivative of: File "{origin.filename}", line {origin.lineno}'
    if origin.text:
        note += f"\n    {origin.text}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)
