"""Arguments of library functions that say what these do without them.

Rules, what computes the kinds of results, and compiled code tell calls apart by what is given.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from s2sad.frontend.values import AVal
from s2sad.ir.nodes import Const
from s2sad.rules.table import Rule

__all__ = ["without_defaults"]


def without_defaults(
    fn: Any, rule: Rule | None, args: list[AVal], kwargs: dict[str, AVal]
) -> tuple[list[AVal], dict[str, AVal]]:
    """The arguments of a call but the last ones that are None or False by default, and defaults that rules do not know.

    >>> args, kwargs = [Const(1.0), Const(0), Const(None)], {"order": Const("C")}
    >>> without_defaults(np.cumsum, None, args, kwargs)
    ([Const(value=1.0), Const(value=0)], {'order': Const(value='C')})
    """
    unknown = _unknown(rule, kwargs) if kwargs else set()
    if not (unknown or (args and _says_nothing(args[-1]))) or not isinstance(fn, Hashable):
        return args, kwargs
    defaults = _defaults(fn)
    by_place = [d for d, may_be_placed in defaults.values() if may_be_placed]
    n = len(args)
    while 0 < n <= len(by_place) and _says_nothing(args[n - 1]) and _is_default(args[n - 1], by_place[n - 1]):
        n -= 1
    dropped = {k for k in unknown if k in defaults and _is_default(kwargs[k], defaults[k][0])}
    return args[:n], {k: v for k, v in kwargs.items() if k not in dropped}


def _says_nothing(value: AVal) -> bool:
    return isinstance(value, Const) and (value.value is None or value.value is False)


def _is_default(value: AVal, default: Any) -> bool:
    return isinstance(value, Const) and type(value.value) is type(default) and value.value == default


def _unknown(rule: Rule | None, names: Iterable[str]) -> set[str]:
    """Those names that a rule has for no argument in any of its forms, if it has one that is written down."""
    forms = () if rule is None else (rule.function, rule.tangent_rule, rule.adjoint_rule, rule.spelt_out)
    known = [_parameters(form) for form in forms if form is not None]
    return set(names).difference(*known) if known else set()


@functools.lru_cache(maxsize=512)
def _parameters(form: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(form).parameters)


@functools.lru_cache(maxsize=256)
def _defaults(fn: Any) -> dict[str, tuple[Any, bool]]:
    """What parameters are by default, in their order, and whether they may be given by place."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return {}
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return {p.name: (_meant(p.name, p.default), p.kind in by_place) for p in parameters}


def _meant(name: str, default: Any) -> Any:
    """What a default stands for: axes are not kept unless something is said of them."""
    return False if name == "keepdims" and default is np._NoValue else default
