"""The error family: every refusal names the file, the line and the cause.

Each error renders as the place, the user's line with carets under the part meant,
one sentence of cause, and one of help::

    model.py:12
        y = yield x
            ^^^^^^^
    a generator has no derivative.
    help: return a list or an array of the values instead.
"""

from __future__ import annotations

import linecache
import os
import sys
import types
import unicodedata
from collections.abc import Callable
from typing import Any, Literal, Protocol, Self

__all__ = [
    "CompileError",
    "MissingRule",
    "NotDifferentiable",
    "NotScalar",
    "S2sadError",
    "SourceUnavailable",
    "UnsupportedSyntax",
    "qualified_name",
]


class Located(Protocol):
    """A place in the user's source, with columns as in :mod:`ast`: UTF-8 bytes from 0."""

    @property
    def filename(self) -> str: ...
    @property
    def lineno(self) -> int: ...
    @property
    def col_offset(self) -> int: ...
    @property
    def end_lineno(self) -> int | None: ...
    @property
    def end_col_offset(self) -> int | None: ...


class S2sadError(Exception):
    """Root of the errors that s2sad raises about the function it is given.

    ``message`` is one sentence of cause and ``help`` one of help. The place is given as
    ``origin`` (anything with the fields below) or field by field. Columns count UTF-8 bytes
    from 0, as in :mod:`ast`. ``line`` is the text of the line, looked up if not given.
    """

    filename: str | None = None
    lineno: int | None = None
    col_offset: int | None = None
    end_lineno: int | None = None
    end_col_offset: int | None = None
    line: str = ""

    def __init__(
        self,
        message: str,
        help: str = "",
        *,
        origin: Located | None = None,
        filename: str | None = None,
        lineno: int | None = None,
        col_offset: int | None = None,
        end_lineno: int | None = None,
        end_col_offset: int | None = None,
        line: str = "",
    ) -> None:
        super().__init__(message, help)
        self.message = message
        self.help = help
        if origin is not None:
            self.locate(origin)
        else:
            self._place(filename, lineno, col_offset, end_lineno, end_col_offset, line)

    def locate(self, origin: Located) -> S2sadError:
        """Say where it happened, unless that is known already; returns the error itself."""
        if self.filename is None:
            o = origin
            self._place(o.filename, o.lineno, o.col_offset, o.end_lineno, o.end_col_offset)
        return self

    def _place(
        self,
        filename: str | None,
        lineno: int | None,
        col_offset: int | None,
        end_lineno: int | None,
        end_col_offset: int | None,
        line: str = "",
    ) -> None:
        self.filename, self.lineno, self.col_offset = filename, lineno, col_offset
        self.end_lineno, self.end_col_offset = end_lineno, end_col_offset
        # Read now: the file may change, or the error travel to another process.
        if not line and filename is not None and lineno is not None:
            line = linecache.getline(filename, lineno)
        self.line = line.rstrip()

    def __str__(self) -> str:
        return self.render()

    def render(self) -> str:
        """The full text: file:line, the line, a caret, the cause, the help."""
        parts = []
        if self.filename is not None:
            # Relative to the working directory, as one would type it.
            filename = self.filename.removeprefix(os.getcwd() + os.sep)
            parts.append(filename if self.lineno is None else f"{filename}:{self.lineno}")
        if self.line.strip():
            parts.append("    " + self.line.strip())
            if self.col_offset is not None:
                parts.append("    " + self._carets(self.col_offset))
        parts.append(self.message)
        if self.help:
            parts.append(f"help: {self.help}")
        return "\n".join(parts)

    def _carets(self, col_offset: int) -> str:
        """Carets under the part of the (stripped) line that is meant, at least one."""
        raw = self.line.encode()
        ends_here = self.end_col_offset is not None and self.end_lineno in (None, self.lineno)
        start = raw[:col_offset].decode(errors="ignore").lstrip()
        meant = raw[col_offset : self.end_col_offset if ends_here else None].decode(errors="ignore")
        padding = "".join("\t" if c == "\t" else " " * _columns(c) for c in start)
        return padding + "^" * max(1, sum(map(_columns, meant)))


def _columns(char: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class UnsupportedSyntax(S2sadError):
    """A construct that s2sad does not handle yet."""


class NotDifferentiable(S2sadError):
    """A computation that has no derivative s2sad could ever give."""


class NeedsRows(S2sadError):
    """What may be handled if the objects of some ``classes`` are lowered as rows of lists, and not as records."""

    classes: frozenset[type] = frozenset()

    @classmethod
    def of(cls, classes: frozenset[type], message: str, help: str, origin: Located | None) -> Self:
        """The error for these classes."""
        error = cls(message, help, origin=origin)
        error.classes = classes
        return error


class ChangedInRecords(NeedsRows, NotDifferentiable):
    """An object that is changed in place, held by a record beside numbers."""


class NotScalar(TypeError):
    """A gradient is asked of a function that gives something else than a number; ``rank`` is that of an array."""

    def __init__(self, message: str, rank: int = 0) -> None:
        super().__init__(message)
        self.rank = rank


class MissingRule(S2sadError):
    """A primitive without a derivative rule in the mode asked for.

    ``primitive`` is its qualified name, ``mode`` is ``"forward"`` or ``"reverse"``; ``of`` says of what there is none,
    where there is a rule otherwise.
    """

    def __init__(
        self,
        primitive: Callable[..., Any] | str,
        mode: Literal["forward", "reverse"],
        help: str = "",
        of: str = "",
        **place: Any,
    ) -> None:
        self.primitive = primitive if isinstance(primitive, str) else qualified_name(primitive)
        self.mode = mode
        super().__init__(
            f"{self.primitive}{of and ' of '}{of} has no derivative rule for {mode} mode.",
            help or "declare one with s2sad.rules, or wrap the call in stop_gradient if it should count as constant.",
            **place,
        )
        self.args = (self.primitive, mode, help, of)


class CompileError(S2sadError):
    """What the compiled tier cannot make machine code of, or a broken invariant of the compiler: a defect in s2sad."""


class RecordsOfNone(NeedsRows, CompileError):
    """A record that is None at times, which machine code has no type for."""


class SourceUnavailable(S2sadError):
    """A function whose source text cannot be found, or is not what it was compiled from."""


def qualified_name(obj: Any) -> str:
    """How a callable is best named to a user: ``numpy.linalg.solve``, ``numpy.sin``, ``scipy.stats.norm.pdf``."""
    name: str = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None) or repr(obj)
    owner = _offered(getattr(obj, "__self__", None))
    if owner is not None:
        return f"{owner}.{obj.__name__}"
    module = getattr(obj, "__module__", None) or _home(obj, name)
    return name if module in (None, "builtins") else f"{module.removeprefix('_')}.{name}"


#: Modules that offer objects which do not say themselves where they are.
_HOMES = ("numpy", "scipy.special", "scipy.stats")


def _home(obj: Any, name: str) -> str | None:
    """The loaded module that offers a ufunc: ufuncs do not say themselves."""
    return next((m for m in _HOMES if m in sys.modules and getattr(sys.modules[m], name, None) is obj), None)


def _offered(owner: Any) -> str | None:
    """The name of the object that a method is of: a ufunc, or a distribution of scipy.stats."""
    if owner is None or isinstance(owner, types.ModuleType | type):
        return None
    modules = [sys.modules[m] for m in _HOMES if m in sys.modules]
    named = (f"{m.__name__}.{name}" for m in modules for name, value in vars(m).items() if value is owner)
    return next(named, None)
