"""Which values are complex whatever path a run takes: others that count as complex may be real in a run.

The gradient by a real number is real, and that by a complex one is not. So a derivative inside a function is taken by
values of which it is known which they are.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.analysis.memory import Memory
from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.interface import Lowering
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Function, Op, Origin, Ref, Var
from s2sad.rules.lookup import is_complex_atom
from s2sad.runtime import helpers

__all__ = ["is_surely_complex", "refuse_perhaps_complex", "refuse_perhaps_same"]

_MAKE_COMPLEX: set[Any] = {
    *(complex, np.complex128, np.complex64, helpers.astype),
    *(np.fft.fft, np.fft.ifft, np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn, np.fft.rfft),
}


def refuse_perhaps_complex(lo: Lowering, value: Atom) -> None:
    """Refuse to differentiate backwards by what counts as complex, and may be real in a run."""
    is_number = isinstance(getattr(value, "kind", None), K.Scalar | K.Array | K.Numeric)
    if is_number and is_complex_atom(value) and not is_surely_complex(lo, value):
        raise lo.unsupported(
            "it cannot be told whether this derivative is by a complex number or by a real one.",
            "Make it complex: z + 0j.",
        )


def refuse_perhaps_same(function: Function, conjugates: dict[Var, tuple[Atom, Origin | None]]) -> None:
    """Refuse stores into what may be the conjugate of an array, or the array itself: as it is of a real one.

    ``conjugates`` gives by the conjugate what it is of.
    """
    memory = Memory(function) if conjugates else None
    for new, (old, origin) in conjugates.items():
        if memory is not None and not memory.written.isdisjoint({memory.of(new), memory.of(old)}):
            raise UnsupportedSyntax(
                "this is a copy of an array of complex numbers, and one of real numbers itself, which is stored into.",
                help="Use np.conj, which copies both, or make it complex first: z + 0j.",
                origin=origin,
            )


def is_surely_complex(lo: Lowering, value: Atom) -> bool:
    """Whether one of the numbers that a value is made of is complex in any run, and makes the value complex."""
    return _is_complex(lo, value, {})


def _is_complex(lo: Lowering, value: Atom, known: dict[Atom, bool]) -> bool:
    """The same, where it is ``known`` of some."""
    work, seen = [value], set()
    while work:
        a = work.pop()
        if not is_complex_atom(a) or a in seen:
            continue
        seen.add(a)
        made = lo.definitions.get(a) if isinstance(a, Var) else None
        match made:
            case None if isinstance(a, Const) or a in lo.parameters or a in lo.leaves:
                return isinstance(a, Const) or isinstance(a.kind, K.Scalar | K.Array)
            case None if isinstance(a, Var) and a in lo.merges:
                if a not in known:
                    known[a] = all(_is_complex(lo, b, known) for b in lo.merges[a])
                if known[a]:
                    return True
            case Op(fn=fn) if fn in _MAKE_COMPLEX:
                return True
            case Op(args=args, kwargs=kwargs) if any(_is_complex_type(b) for b in (*args, *(v for _, v in kwargs))):
                return True
            case Op(fn=operator.getitem, args=(base, *_)):
                if isinstance(base, Var) and isinstance(base.kind, K.Tuple) and base in lo.parameters:
                    return True
                work += [base] if isinstance(getattr(base, "kind", None), K.Array) else []
            case Op(fn=fn, args=args) if isinstance(fn, np.ufunc) or _module(fn) in ("numpy", "_operator", "cmath"):
                work += args
    return False


def _is_complex_type(a: Atom) -> bool:
    return isinstance(a, Const | Ref) and a.value in (complex, np.complex128, np.complex64)


def _module(fn: Any) -> str:
    return (getattr(fn, "__module__", None) or "").partition(".")[0]
