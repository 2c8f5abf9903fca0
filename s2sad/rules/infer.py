"""The kind of a primitive's result, from the kinds of its arguments.

Operators, ufuncs and the math module have closed forms; so do the array functions
whose result depends on more than ranks and dtypes (``ARRAY_FORMS``).  The rest are run once on
tiny arguments.  What cannot be told is ``Numeric`` or ``ANY``.

>>> result_kind(np.multiply, (Const(2.0), Var("x", K.Array("float32", 2))))
Array(dtype='float32', rank=2, shape=None)
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from s2sad.ir import kinds as K
from s2sad.ir.nodes import UNDEF, Const, Function, Ref
from s2sad.rules.draws import GENERATOR, draw_kind
from s2sad.rules.foreign import foreign_class, foreign_example, is_foreign
from s2sad.rules.forms import Arg, Form, as_numeric, broadcast_kind, dtype_name, elementwise_dtype
from s2sad.rules.infer_arrays import ARRAY_FORMS, RETURNS_ARRAY
from s2sad.rules.infer_helpers import HELPER_FORMS
from s2sad.rules.infer_linalg import LINALG_FORMS
from s2sad.rules.infer_scalars import SCALAR_FORMS
from s2sad.rules.standins import UNKNOWN, kind_by_running, literal_key, value_kind
from s2sad.rules.table import RULES

__all__ = ["arg_of", "by_running", "method_kind", "result_kind", "value_kind"]


#: The classes of dtypes that need nothing said to make them.
_PLAIN = {type(np.dtype(c)).__name__ for c in np.typecodes["AllInteger"] + np.typecodes["AllFloat"] + "?"}


def arg_of(atom: Any) -> Arg:
    """An atom as the forms see it."""
    if isinstance(atom, Const):
        return (K.BOTTOM, UNKNOWN) if atom == UNDEF else (value_kind(atom.value), atom.value)
    if isinstance(atom, Ref) and isinstance(atom.value, type | np.dtype):
        return (atom.kind, atom.value)
    match atom.kind:
        case K.Array("object", rank):  # of what the items are, nothing is known
            return (K.Array("any", rank), UNKNOWN)
        case K.Other(type() as cls) if cls.__name__ in _PLAIN and issubclass(cls, np.dtype):
            make: Any = cls
            return (atom.kind, make())
    return (atom.kind, UNKNOWN)


def result_kind(fn: Any, args: Iterable[Any], kwargs: Any = ()) -> K.Kind:
    """The kind of ``fn(*args, **kwargs)``; arguments are IR atoms, kwargs a mapping or pairs."""
    given = [arg_of(a) for a in args]
    named = {name: arg_of(a) for name, a in (kwargs.items() if isinstance(kwargs, dict) else kwargs)}
    if is_foreign(owner := type(getattr(fn, "__self__", None))):
        return method_kind(owner, fn.__name__, given, named)
    foreign = next(filter(None, (foreign_class(k) for k, _ in given)), None) or made_by(fn)
    if foreign is not None and _is_of_numpy(fn):
        return foreign_kind(fn, foreign, given, named)
    try:
        form = FORMS.get(fn)
    except TypeError:
        return K.ANY
    if form is not None:
        try:
            return form(*given, **named)
        except (TypeError, IndexError, ValueError):  # a call that will fail, or one the form does not know
            return fallback(fn, given, named)
    if isinstance(fn, np.ufunc):
        return ufunc_kind(fn, *given, **named)
    return fallback(fn, given, named)


def _is_of_numpy(fn: Any) -> bool:
    """Whether a function is an operator or one of NumPy's."""
    home = getattr(fn, "__module__", None) or ""
    return isinstance(fn, np.ufunc) or fn is abs or home.startswith(("numpy", "_operator"))


def made_by(fn: Any) -> type | None:
    """The class of the arrays with an arithmetic of their own that a function makes of others."""
    if isinstance(fn, type):
        return fn if is_foreign(fn) else None
    if fn in (np.asmatrix, np.bmat):
        return np.matrix
    masked = (getattr(fn, "__module__", None) or "").startswith("numpy.ma")
    return np.ma.MaskedArray if masked else None


def foreign_kind(fn: Any, cls: type, given: list[Arg], named: dict[str, Arg]) -> K.Kind:
    """What comes of arrays with an arithmetic of their own: of no known dtype, and such an array in case of doubt."""
    if cls in K.DERIVED:
        return _of_any_derived(fn, cls, given, named)
    match by_running(fn, given, named):
        case None | K.Other(None):
            return K.Other(cls)
        case K.Array(_, rank):
            return K.Array("any", rank)
        case K.Scalar() | K.Numeric():
            return K.NUMERIC
        case kind:
            return kind


def _of_any_derived(fn: Any, cls: type, given: list[Arg], named: dict[str, Arg]) -> K.Kind:
    """The one kind that comes of arrays of all derived classes; one with an arithmetic of its own in case of doubt."""
    own = getattr(cls, getattr(fn, "__name__", ""), None) is fn
    kinds = set()
    for each in K.DERIVED[cls]:
        these = [(K.Other(each), value) if kind == K.Other(cls) else (kind, value) for kind, value in given]
        kinds.add(foreign_kind(getattr(each, fn.__name__) if own else fn, each, these, named))
    found = [c for c in map(foreign_class, kinds) if c is not None]
    if len(kinds) == 1 and not found:
        return kinds.pop()
    return K.Other(next((c for c in found if not issubclass(c, cls)), cls))


def method_kind(cls: type, name: str, given: list[Arg], named: dict[str, Arg]) -> K.Kind:
    """The kind of what a method of such an array gives; of one that writes into files, nothing is known."""
    if name.startswith(("dump", "tofile")) or not hasattr(cls, name):
        return K.ANY
    return foreign_kind(getattr(cls, name), cls, [(K.Other(cls), UNKNOWN), *given], named)


def attribute_kind(kind: K.Kind, name: str) -> K.Kind:
    """The kind of an attribute of such an array that is one too, as its transpose is; nothing is known of others."""
    cls = foreign_class(kind) if isinstance(kind, K.Other) else None
    value = None if cls is None or cls in K.DERIVED else getattr(foreign_example(cls, 2), name, None)
    return K.Other(type(value)) if is_foreign(type(value)) else K.ANY


def by_running(fn: Any, given: list[Arg], named: dict[str, Arg]) -> K.Kind | None:
    """The kind of what a function gives of small arguments, with every flag of the run on and off; None where it cannot
    be run.

    >>> by_running(np.unique, [(K.Array("float64", 1), UNKNOWN)], {"return_index": (K.BOOL, UNKNOWN)})
    Other(type=None)
    """
    if any(map(_is_unknown_flag, (*given, *named.values()))):
        on, off = (
            by_running(fn, [_set(a, flag) for a in given], {name: _set(a, flag) for name, a in named.items()})
            for flag in (True, False)
        )
        return None if on is None or off is None else K.join(on, off)
    args = tuple((K.without_shape(k), literal_key(v)) for k, v in given)
    kwargs = tuple((n, (K.without_shape(k), literal_key(v))) for n, (k, v) in sorted(named.items()))
    try:
        return kind_by_running(fn, args, kwargs)
    except TypeError:  # a literal that cannot be hashed
        return None


def parts_of(fn: Any, given: list[Arg], named: dict[str, Arg]) -> K.Kind | None:
    """The parts that a matrix is taken into, where nothing is known of it: SciPy gives as many of any matrix.

    It may give others where a flag is set, which must be known.

    >>> from scipy import linalg
    >>> parts_of(linalg.eigh, [(K.NUMERIC, UNKNOWN)], {})
    Tuple(items=(Array(dtype='any', rank=None, shape=None), Array(dtype='any', rank=None, shape=None)), cls=None)
    >>> parts_of(linalg.eigh, [(K.NUMERIC, UNKNOWN)], {"eigvals_only": (K.BOOL, UNKNOWN)}) is None
    True
    """
    if not (getattr(fn, "__module__", None) or "").startswith("scipy.linalg"):
        return None
    if any(value is UNKNOWN and not _may_be_matrix(kind) for kind, value in (*given, *named.values())):
        return None
    kind = by_running(fn, list(map(_matrix, given)), {name: _matrix(x) for name, x in named.items()})
    return K.Tuple(tuple(map(_of_any, kind.items)), kind.cls) if isinstance(kind, K.Tuple) else None


def _may_be_matrix(kind: K.Kind) -> bool:
    return isinstance(kind, K.Array | K.Numeric)


def _matrix(arg: Arg) -> Arg:
    kind, value = arg
    return (K.Array("float64", 2), value) if value is UNKNOWN and _may_be_matrix(kind) else arg


def _of_any(part: K.Kind) -> K.Kind:
    if not isinstance(part, K.Array):
        return part
    return K.Array("any" if K.is_float(part) else part.dtype, None)


def _is_unknown_flag(arg: Arg) -> bool:
    return arg[1] is UNKNOWN and arg[0] == K.BOOL


def _set(arg: Arg, flag: bool) -> Arg:
    return (K.BOOL, flag) if _is_unknown_flag(arg) else arg


def fallback(fn: Any, given: list[Arg], named: dict[str, Arg]) -> K.Kind:
    """By running, where that is harmless."""
    if isinstance(fn, Function):
        return K.ANY
    if fn not in RULES and fn not in RETURNS_ARRAY:
        return _random_kind(fn, given, named)
    kind = by_running(fn, given, named) or parts_of(fn, given, named)
    if kind is not None:
        return kind
    if fn in RETURNS_ARRAY:
        return K.Array("any", None)
    return K.ANY if RULES[fn].form in ("zero", "composite") else K.NUMERIC


def _random_kind(fn: Any, given: list[Arg], named: dict[str, Arg]) -> K.Kind:
    """Random numbers come as a scalar or an array; nothing is known of other opaque calls."""
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.random.Generator | np.random.RandomState):
        return draw_kind(getattr(fn, "__name__", ""), given, named)
    return GENERATOR if fn is np.random.default_rng else K.ANY


def ufunc_kind(fn: np.ufunc, *args: Arg, out: Arg | None = None, dtype: Arg | None = None, **named: Arg) -> K.Kind:
    """A call of a ufunc."""
    if out is not None:
        return out[0]
    if fn.signature is not None:
        return fallback(fn, list(args), named)
    operands = [as_numeric(k) for k, _ in args[: fn.nin]]
    if len(args) > fn.nin:
        return args[fn.nin][0]
    if not all(map(K.is_numeric, operands)):
        return K.NUMERIC if fn.nout == 1 else K.ANY
    if dtype is not None:
        return broadcast_kind(dtype_name(dtype), operands)
    if fn.nout > 1:
        return fallback(fn, list(args), named)
    return broadcast_kind("bool" if fn in _BOOL_UFUNCS else elementwise_dtype(fn, operands), operands)


_BOOL_UFUNCS = {
    *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
    *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not),
    *(np.isnan, np.isinf, np.isfinite, np.signbit),
}


def matmul_form(a: Arg, b: Arg) -> K.Kind:
    """``@``"""
    return fallback(np.matmul, [(as_numeric(a[0]), UNKNOWN), (as_numeric(b[0]), UNKNOWN)], {})


#: The kinds of results, in closed form.
FORMS: dict[Any, Form] = {**SCALAR_FORMS, **ARRAY_FORMS, **LINALG_FORMS, **HELPER_FORMS, operator.matmul: matmul_form}
