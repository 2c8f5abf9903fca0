"""What is asked of distributions of ``scipy.stats`` that hold parameters, made by the function or outside of it."""

from __future__ import annotations

import types
from typing import Any

from s2sad.frontend.frozen import distribution_in_stats, is_distribution, is_frozen
from s2sad.frontend.interface import Lowering
from s2sad.frontend.objects import kind_of_object
from s2sad.frontend.values import AVal, DictV, FrozenV, ObjectV, PyFunc, TupleV
from s2sad.ir.nodes import Ref

__all__ = ["OF_FROZEN", "distribution_of", "method_of_frozen"]

#: What is asked of a distribution that holds its parameters, and of itself with them after the arguments.
OF_FROZEN = frozenset(("mean", "std", "var", "ppf", "isf"))
OF_FROZEN |= {log + name for log in ("", "log") for name in ("pdf", "pmf", "cdf", "sf")}


def distribution_of(function: PyFunc) -> PyFunc | None:
    """The distribution of ``scipy.stats`` that is called to hold its parameters, if one is.

    It holds them as they are given. Those of several variables compute with them at once: what is changed later counts
    for some of them and not for others.
    """
    fn, ref = function.fn, function.ref
    own: Any = fn.__self__ if isinstance(fn, types.MethodType) and fn.__name__ == "__call__" else None
    if not is_distribution(type(own)):
        return None
    return PyFunc.of(own, None if ref is None else Ref(ref.path[:-1], ref.root, own, kind_of_object(own)))


def method_of_frozen(lo: Lowering, obj: ObjectV, attr: str) -> AVal | None:
    """A method of a distribution that was made outside the function, which reads the parameters as they are then."""
    if attr not in OF_FROZEN or not is_frozen(obj.cls):
        return None
    held, args, kwargs = (lo.attribute(obj, name) for name in ("dist", "args", "kwds"))
    live = held.live if isinstance(held, ObjectV) else None
    known = None if live is None else distribution_in_stats(live.value)
    if live is None or known is None or not (isinstance(args, TupleV) and isinstance(kwargs, DictV)):
        return None
    lo.rely_on(live)
    named = tuple((key, lo.value_at((kwargs, key))) for key in lo.dict_keys(kwargs))
    return FrozenV(PyFunc.of(known), args.items, named, attr)
