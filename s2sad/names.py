"""Names in emitted code: which a value may have, and which it gets.

A hint is what the user, or a transform, would call a value.  The empty hint and hints
that begin with an underscore belong to temporaries of the compiler: their values are
folded into the expression that uses them where that reads well, and where not they are
printed without the underscore (``"_b"`` as ``b``, the empty hint as ``t``). ``result`` is
what the value of a ``return`` goes by, and as good as none.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Callable, Container, Iterator

__all__ = ["ALIASES", "Namer", "candidates", "identifier", "is_temporary"]

_TEMPORARY = re.compile(r"t?\d*|_.+|result")
#: What modules are imported as, where that is not their own name.
ALIASES = {"numpy": "np"}
_FORBIDDEN = frozenset(keyword.kwlist) | {"__debug__"}


def is_temporary(hint: str) -> bool:
    """Whether a hint marks a temporary of the compiler rather than a name somebody chose.

    >>> [is_temporary(h) for h in ("", "t", "_b", "theta", "_")]
    [True, True, True, False, False]
    """
    return _TEMPORARY.fullmatch(hint) is not None


def identifier(hint: str) -> str:
    """The identifier nearest to a hint.

    >>> identifier("_b"), identifier(""), identifier("lambda"), identifier("2x.y")
    ('b', 't', 'lambda_', 'x_y')
    """
    name = hint if hint == "_" else hint.lstrip("_") or "t"
    if not name.isidentifier():
        name = re.sub(r"\W+", "_", name).strip("_").lstrip("0123456789_") or "t"
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name)
    return f"{name}_" if name in _FORBIDDEN else name


def candidates(base: str, joint: str = "_") -> Iterator[str]:
    """``base``, ``base_1``, ``base_2``, ...; with another ``joint``, or none, before the number."""
    yield base
    n = 1
    while True:
        yield f"{base}{joint}{n}"
        n += 1


class Namer:
    """Hands out names, each at most once, in the order it is asked.

    >>> namer = Namer({"x"})
    >>> namer.fresh("x"), namer.fresh("x"), namer.fresh("y")
    ('x_1', 'x_2', 'y')
    """

    def __init__(self, taken: Container[str] = ()) -> None:
        self._taken = taken
        self._given: set[str] = set()
        self._next: dict[str, int] = {}

    def fresh(self, hint: str, accept: Callable[[str], bool] = lambda name: True) -> str:
        """The first free name made from a hint that ``accept`` agrees to."""
        base = identifier(hint)
        n = self._next.get(base, 0)
        while True:
            name = f"{base}_{n}" if n else base
            n += 1
            if name not in self._given and name not in self._taken and accept(name):
                self._next[base] = n
                self._given.add(name)
                return name
