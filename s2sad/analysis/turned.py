"""Matrices that are each other's transpose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Op, Var

__all__ = ["Maker", "each_others_transpose"]

Maker = Callable[[Atom], Op | None]  #: the operation that gave a value, where it is in sight


def each_others_transpose(a: Any, b: Any, maker: Maker) -> tuple[Var, bool] | None:
    """The matrix that one of two is, or is a view of, and whether the first is it transposed; else None.

    Both show one memory, so it does not matter what is stored there.

    >>> x, y = Var("x", K.Array("float64", 2)), Var("y", K.Array("float64", 2))
    >>> made = {y: Op(y, np.transpose, (x,))}
    >>> each_others_transpose(y, x, made.get) == (x, True), each_others_transpose(y, y, made.get)
    (True, None)
    """
    first, second = _untransposed(a, maker), _untransposed(b, maker)
    if first is None or second is None or first[0] != second[0] or first[1] == second[1]:
        return None
    return first


def _untransposed(a: Any, maker: Maker) -> tuple[Var, bool] | None:
    """The matrix that this is a view of, and whether it is so transposed; None of what is no matrix."""
    turned = False
    while isinstance(a, Var) and K.is_array(a.kind) and K.rank_of(a.kind) == 2:
        made = maker(a)
        if made is None or made.fn is not np.transpose or len(made.args) != 1 or made.kwargs:
            return a, turned
        a, turned = made.args[0], not turned
    return None
