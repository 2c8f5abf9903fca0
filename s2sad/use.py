"""What the way a function uses its parameters tells of them, for a text that is printed before any call.

Syntax tells a little (:func:`~s2sad.frontend.parameters.specs_from_source`). Once the function is lowered for that,
what becomes of its parameters tells which can only be numbers (:mod:`s2sad.analysis.numbers`): it is lowered again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from s2sad.analysis.counting import counting
from s2sad.analysis.numbers import only_numbers
from s2sad.errors import S2sadError
from s2sad.frontend.lower import Lowered
from s2sad.frontend.specs import Leaf, Spec
from s2sad.ir.kinds import FLOAT, NUMERIC, Scalar
from s2sad.ir.nodes import kind_of
from s2sad.lowerings import lowered

__all__ = ["Told", "told_by_use"]

_SCALAR_RESULTS = ("grad", "value_and_grad")


@dataclass(frozen=True)
class Told:
    """The specs of parameters, None for those that syntax has to tell of, or of all.

    ``on_trust``: some were taken for numbers since the result has to be one, which is to be checked.
    """

    specs: tuple[Spec | None, ...] | None
    on_trust: bool = False


def told_by_use(fn: Any, mode: str) -> Told:
    """What is known of the arguments of a function of which a mode is asked for."""
    told = _numbers_told(fn, lowered(fn, None), False)
    if mode not in _SCALAR_RESULTS:
        return told
    primal = lowered(fn, told.specs)
    return told if isinstance(kind_of(primal.function.result), Scalar) else _numbers_told(fn, primal, True, told)


def _numbers_told(fn: Any, primal: Lowered, by_result: bool, before: Told = Told(None)) -> Told:
    """The parameters told to be numbers, those before among them; the ``before`` where there are no more of them."""
    found = only_numbers(primal.function, by_result)
    whole = counting(primal.function)
    new = [p in found and p.kind == NUMERIC and (k,) not in whole for k, p in enumerate(primal.function.params)]
    if not any(new):
        return before
    old = before.specs or (None,) * len(new)
    specs = tuple(Leaf(FLOAT) if n else s for n, s in zip(new, old, strict=True))
    return Told(specs, by_result) if _can_be(fn, specs) else before


def _can_be(fn: Any, specs: tuple[Spec | None, ...]) -> bool:
    """Whether a function can be lowered for arguments of these specs: it may need integers."""
    try:
        lowered(fn, specs)
    except S2sadError:
        return False
    return True
