"""What a row of the tables is made of: a program, its sizes, and the others that differentiate it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import s2sad

__all__ = ["Builder", "Program", "Run", "Size"]

Size = tuple[int, ...]
Run = Callable[[], Any]  #: computes a derivative once, with everything ready for it
Builder = Callable[..., Run]  #: takes the arguments of the program, prepares, and returns what is timed


@dataclass(frozen=True)
class Program:
    """A function to differentiate, as its author wrote it, and peers that compute the same derivative.

    The derivative has the structure that ``s2sad`` gives it; a peer's may have another as long as
    the numbers come in the same order.
    """

    name: str
    stresses: str
    function: Callable[..., Any]
    make_args: Callable[..., tuple[Any, ...]]  #: from the numbers of a size
    sizes: tuple[Size, ...]  #: small and large, or the only one
    tiny: Size  #: for tests, which compare derivatives and take no times
    kind: Literal["scalar", "in place", "loop", "array"]  #: which of the figures to reach are meant
    wrt: int | tuple[int, ...] = 0
    mode: Literal["grad", "jacobian"] = "grad"
    peers: Mapping[str, Builder] = field(default_factory=dict)
    loops: Builder | None = (
        None  #: the primal for Numba, where it does not take the function or is slow with its arrays
    )
    changes: tuple[int, ...] = ()  #: positions of the arrays that the function updates
    derivative: Callable[[str], Callable[..., Any]] | None = None  #: from a backend, where one call is not all

    def differentiate(self, backend: str) -> Callable[..., Any]:
        """The derivative by ``s2sad``."""
        if self.derivative is not None:
            return self.derivative(backend)
        if self.mode == "grad":
            return s2sad.grad(self.function, wrt=self.wrt, backend=backend)
        return jacobian(self.function, self.wrt, backend)


def jacobian(function: Callable[..., Any], wrt: int | tuple[int, ...], backend: str) -> Callable[..., Any]:
    """The Jacobian for this backend, by columns or by rows as the library chooses."""
    options = {} if backend == "python" else {"backend": backend}
    return s2sad.jacobian(function, wrt=wrt, **options)
