"""Helpers that compiled modules have in common: each is compiled once in a process, whatever the module.

A module carries the helpers that it calls, so that its text is whole. Two modules define the same helper where the
definitions read alike, are compiled with the same options, and mean the same by every name. Which helper a name means
is only known when the module has been run, for they stand in alphabetical order.

Machine code that is kept on disk names the helpers in it and their modules, which Numba looks for when it reads the
code back; the module that brought a helper first may not be there then. So all are taken to be defined here, under
names that say what is in them: no two helpers have the same, in whatever process they were compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from s2sad.compiled import store
from s2sad.compiled.unmistaken import unmistaken

__all__ = ["Helpers"]

#: What was compiled for a definition, by the digest of all that it depends on.
_known: dict[str, Any] = {}


class Helpers:
    """The helpers of a module that is being loaded."""

    def __init__(self, namespace: dict[str, Any], text: str) -> None:
        self.namespace = namespace
        self.lines = text.splitlines()
        self.waiting: dict[str, tuple[FunctionType, dict[str, Any]]] = {}
        self.digests: dict[str, str | None] = {}

    def decorator(self, **options: Any) -> Callable[[FunctionType], FunctionType]:
        """Note a helper that is to be compiled by Numba with these options."""

        def note(function: FunctionType) -> FunctionType:
            self.waiting[function.__name__] = function, options
            return function

        return note

    def external(self, name: str, function: Any) -> Callable[[FunctionType], Any]:
        """Put a function of another library, known by this name, in the place of one that stands for it."""

        def replace(stands: FunctionType) -> Any:
            self.digests[stands.__name__] = f"{name}, a function outside"
            return function

        return replace

    def bind(self) -> None:
        """Put compiled helpers in the place of those noted, new ones where the process has none like them."""
        while self.waiting:
            self._bind(next(iter(self.waiting)))

    def _bind(self, name: str) -> None:
        """Do so for one helper, and before for those that it calls."""
        function, options = self.waiting.pop(name)
        meanings = [self._meaning(n) for n in sorted(set(_names(function.__code__)))]
        known = [m for m in meanings if m is not None]
        if len(known) < len(meanings):
            self.namespace[name], self.digests[name] = _compiled(function, options), None
            return
        digest = store.digest(self._definition(function.__code__), repr(sorted(options.items())), *known)
        if digest not in _known:
            function.__module__, function.__qualname__ = __name__, f"{name}_{digest}"
            _known[digest] = _compiled(function, options)
        self.namespace[name], self.digests[name] = _known[digest], digest

    def _meaning(self, name: str) -> str | None:
        """What a name of the module means, in words that are the same in all modules; None if there are none.

        There are none for a helper that calls one which calls it.
        """
        if name in self.waiting:
            self._bind(name)
        if name in self.digests:
            return self.digests[name]
        if name not in self.namespace:
            return f"{name}, a builtin or an attribute"
        value = self.namespace[name]
        return f"{name}, the module {value.__name__}" if isinstance(value, ModuleType) else None

    def _definition(self, code: CodeType) -> str:
        last = max(line for *_, line in code.co_lines() if line is not None)
        return "\n".join(self.lines[code.co_firstlineno - 1 : last])


def _compiled(function: FunctionType, options: dict[str, Any]) -> Any:
    import numba

    njit: Any = numba.njit
    return njit(no_cpython_wrapper=True, **options)(unmistaken(function))


def _names(code: CodeType) -> Iterator[str]:
    """The names that a function, or one within it, may read outside."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
