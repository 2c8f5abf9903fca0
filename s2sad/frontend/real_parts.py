"""Functions that make a real number of a complex one, of what a power of Python's floats may have made complex.

``(-8.0) ** 0.5`` is complex, and its kind is that of a float. The derivative of what is real about it is not that of a
float, so it is refused where the run shows one.
"""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import numpy as np

from s2sad.frontend.interface import Lowering
from s2sad.frontend.tables import Handler, anything, builtin
from s2sad.frontend.values import AVal, kind_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const, Op, Var
from s2sad.runtime import helpers

__all__ = ["check_real"]

_POWERS = {operator.pow, builtins.pow}


def check_real(lo: Lowering, value: AVal) -> None:
    """Have the run refuse a number that a power made complex, where there was one."""
    if isinstance(value, Var) and _from_power(lo, value, set()):
        lo.effect(helpers.need_real, value)


def _from_power(lo: Lowering, v: Var, seen: set[Var]) -> bool:
    """Whether a number of Python is made of a power that may be complex, as far as its statements are at hand."""
    if v in seen or kind_of(v) not in (K.FLOAT, K.Scalar("any")):
        return False
    seen.add(v)
    made = lo.definitions.get(v)
    if not isinstance(made, Op):
        return False
    if made.fn in _POWERS and not _is_whole(made.args[1]):
        return True
    return made.fn is not math.fabs and any(isinstance(a, Var) and _from_power(lo, a, seen) for a in made.args)


def _is_whole(exponent: Any) -> bool:
    if isinstance(exponent, Const):
        return isinstance(exponent.value, int) or (isinstance(exponent.value, float) and exponent.value.is_integer())
    return bool(kind_of(exponent) == K.INT)


def _checked(fn: Any) -> Handler:
    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        if args:
            check_real(lo, args[0])
        return lo.primitive(fn, args, kwargs, hint)

    return handler


for _fn in (np.real, np.imag, np.angle, np.absolute):
    builtin(_fn, takes=anything)(_checked(_fn))
