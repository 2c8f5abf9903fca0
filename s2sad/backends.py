"""Backends: what runs a derivative, as the operators are asked for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["INTERPRETED", "PYTHON", "Backend", "Unsaid", "backend_of"]


class Unsaid(str):
    """The name of a backend that nobody asked for by name."""

    __slots__ = ()


#: What the operators take where no backend is given.
PYTHON = Unsaid("python")


@dataclass(frozen=True, slots=True)
class Backend:
    """What runs a derivative.

    ``name`` is ``"python"`` or ``"numba"``; ``fastmath`` lets the compiler reorder sums and
    take it that there is no NaN and no infinity. ``equal_lengths`` takes it that axes which meet
    in an operation are as long as each other; where they are not, the derivative is compiled once more without.
    ``lengths`` are places in the arguments, each with the number of an axis and the length at the end that it is taken
    to have.
    """

    name: str = "python"
    fastmath: bool = False
    equal_lengths: bool = True
    lengths: tuple[tuple[Any, ...], ...] = ()

    @property
    def compiled(self) -> bool:
        """Whether derivatives become machine code."""
        return self.name == "numba"


INTERPRETED = Backend()


def backend_of(asked: Any, fastmath: bool = False, function: Any = None) -> Backend:
    """The backend that was asked for; where none was, functions that Numba compiled come back compiled.

    >>> backend_of("numba")
    Backend(name='numba', fastmath=False, equal_lengths=True, lengths=())
    """
    if isinstance(asked, Backend):
        return asked
    if isinstance(asked, Unsaid) and hasattr(function, "py_func"):
        asked = "numba"
    match asked:
        case "python" if fastmath:
            raise ValueError("fastmath=True is an option of backend='numba'")
        case "python" | "numba":
            return Backend(str(asked), bool(fastmath))
    raise ValueError(f"backend={asked!r} is unknown: the backends are 'python' and 'numba'")
