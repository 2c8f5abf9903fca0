"""Functions of complex numbers that Numba computes otherwise than NumPy.

Near zero its ``expm1`` is a difference, of which few digits are left; on the cut of ``arccosh`` it takes one side for
the other; far from the imaginary axis its ``tanh`` is the ratio of two infinities.
"""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np

from s2sad.compiled import complexes
from s2sad.compiled.expand import Builder, form, kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Op
from s2sad.rules.lookup import is_complex_atom

__all__: list[str] = []

#: Each function, with what it is for numbers and for arrays.
_SPELT: dict[Any, tuple[Any, Any]] = {
    np.expm1: (complexes.complex_expm1_scalar, complexes.complex_expm1_array),
    **dict.fromkeys((np.arccosh, cmath.acosh), (complexes.complex_arccosh_scalar, complexes.complex_arccosh_array)),
    **dict.fromkeys((np.tanh, cmath.tanh), (complexes.complex_tanh_scalar, complexes.complex_tanh_array)),
}


@form(*_SPELT)
def spelt(b: Builder, op: Op) -> Atom | None:
    """The function spelt out."""
    if op.target is None or op.kwargs or len(op.args) != 1 or not is_complex_atom(op.target):
        return None
    match kind_of(op.args[0]):
        case K.Scalar():
            return b.emit(_SPELT[op.fn][0], *op.args, kind=op.target.kind)
        case K.Array():
            return b.emit(_SPELT[op.fn][1], *op.args, kind=op.target.kind)
    return None
