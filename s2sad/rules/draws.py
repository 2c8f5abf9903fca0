"""Kinds of random numbers: what a generator gives, by the name of its method and the size that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from s2sad.ir import kinds as K
from s2sad.rules.forms import Arg

__all__ = ["GENERATOR", "draw_kind"]

#: The kind of NumPy's generators.
GENERATOR = K.Other(np.random.Generator)

_FLOAT, _INT = ("float", "float64"), ("int", "int64")
#: How many parameters come before the size, and the dtypes of one number and of arrays.
_DRAWS: dict[str, tuple[int, tuple[str, str]]] = {
    **dict.fromkeys(("random", "random_sample", "standard_normal", "standard_exponential"), (0, _FLOAT)),
    **dict.fromkeys(("exponential",), (1, _FLOAT)),
    **dict.fromkeys(("normal", "uniform", "gamma", "beta", "laplace", "lognormal"), (2, _FLOAT)),
    "poisson": (1, _INT),
    "binomial": (2, _INT),
    "integers": (2, ("int64", "int64")),
    "randint": (2, _INT),
}
#: Methods that take lengths one by one.
_BY_LENGTHS = {"rand": "float64", "randn": "float64"}


def draw_kind(name: str, given: Sequence[Arg], named: Mapping[str, Arg]) -> K.Kind:
    """The kind of what the method of this name gives.

    >>> from s2sad.rules.infer import arg_of
    >>> from s2sad.ir.nodes import Const
    >>> draw_kind("normal", [arg_of(Const(0.0)), arg_of(Const(1.0)), arg_of(Const(3))], {})
    Array(dtype='float64', rank=1, shape=None)
    >>> draw_kind("integers", [arg_of(Const(9))], {}), draw_kind("shuffle", [], {})
    (Scalar(dtype='int64'), Other(type=None))
    """
    if name in _BY_LENGTHS:
        return K.Numeric(_BY_LENGTHS[name])
    if name == "permutation" and len(given) == 1 and not named:
        match given[0][0]:
            case K.Scalar() as kind if K.is_integer(kind):
                return K.Array("int64", 1)
            case K.Array(dtype, rank):
                return K.Array(dtype, rank)
    if name not in _DRAWS:
        return K.ANY
    before, (one, many) = _DRAWS[name]
    if len(given) > before + 1 or named.keys() & {"dtype", "out", "method"}:
        return K.Numeric("int64" if many == "int64" else "any")
    size = given[before] if len(given) > before else named.get("size")
    parameters = [*given[:before], *(arg for key, arg in named.items() if key not in ("size", "endpoint"))]
    match None if size is None else size[0]:
        case None | K.NONE:
            alone = all(isinstance(kind, K.Scalar) or kind == K.NONE for kind, _ in parameters)
            return K.Scalar(one) if alone else K.Numeric(many)
        case K.Scalar() as kind if K.is_integer(kind):
            return K.Array(many, 1)
        case K.Tuple(items) if items:
            return K.Array(many, len(items))
    return K.Numeric(many)
