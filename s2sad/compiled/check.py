"""What cannot be compiled, found before Numba is asked: the error names the user's line and construct.

Requires: native functions whose operations are expanded.
Ensures: nothing but what is listed here was found; Numba may still refuse.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from s2sad.backend.callables import is_library, locate
from s2sad.compiled.errors import HELP
from s2sad.compiled.expand import kind_of, rank_of
from s2sad.compiled.items import FIRST_ITEM
from s2sad.errors import CompileError, qualified_name
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Closure, Const, Function, If, Op, Origin, Stmt, Store, Var, With
from s2sad.ir.rewrite import definitions, uses_of, walk
from s2sad.rules.draws import GENERATOR
from s2sad.runtime.helpers import AS_THEY_STAND, MODULES, astype, need_filled

__all__ = ["check", "refuse_flags_among_integers"]

_PACKAGE = str(Path(__file__).parents[1])  # where rules are, which are no part of the user's program

_CANNOT: dict[Any, str] = {
    tuple: "a tuple whose length is known only at run time",
    prims.make_dict: "a dict made at run time",
    prims.dict_items: "iteration over a dict made at run time",
    prims.make_instance: "an object made at run time",
    prims.getattr_: "an attribute that is looked up at run time",
    prims.call_value: "a call of a function that is only known at run time",
    prims.show: "a call of a logger, or of `warnings.warn`,",
    prims.call_method: "a method of a value that is no array",
    prims.format_value: "a value formatted as text",
    prims.join_str: "text put together at run time",
    need_filled: "a list that may hold None where numbers are meant",
    prims.pull_back: "the reverse sweep of a function that calls itself",
    np.issubdtype: "a question about the dtype of an array that may have several",
}


#: Methods of generators of random numbers that Numba has, giving the numbers that NumPy does.
_DRAWN = (
    *("random", "standard_normal", "standard_exponential", "exponential", "normal", "uniform", "gamma", "beta"),
    *("laplace", "lognormal", "poisson", "integers", "permutation"),
)

#: Methods of text that Numba has, of texts.
_OF_TEXT = (
    *("lower", "upper", "strip", "lstrip", "rstrip", "startswith", "endswith", "count", "find", "rfind", "replace"),
    *("isdigit", "isalpha", "isupper", "islower"),
)

_SET = K.Other(set)
#: Methods of sets that Numba has, and what is asked of a set that does not depend on the order of its items.
_OF_SETS = ("add", "discard", "remove", "update", "clear")
_ASKED_OF_SETS = (
    *(set, len, bool, operator.not_, operator.truth, prims.contains, prims.identity),
    *(operator.or_, operator.and_, operator.sub, operator.xor, operator.eq, operator.ne, operator.le, operator.lt),
)


def check(function: Function) -> None:
    """Refuse what compiled code cannot do."""
    last = function.origin
    for s in walk(function):
        here = getattr(s, "origin", None)
        if here is not None and not here.filename.startswith(_PACKAGE):
            last = here
        match s:
            case Closure():
                refuse("a function made at run time", last)
            case With():
                refuse("a `with` block", last)
            case If():
                check_branches(s, last)
            case Op():
                check_op(s, last)


def check_branches(branch: If, origin: Origin | None) -> None:
    """Refuse a value that is an array of one type in one branch and something else in the other."""
    for outs in zip(branch.then.outs, branch.orelse.outs, strict=True):
        if not all(isinstance(a, Var) for a in outs):
            continue
        first, second = map(kind_of, outs)
        if _never_unite(first, second):
            refuse(f"{_in_words(first)} in one branch that is {_in_words(second)} in the other", origin)


def _never_unite(a: K.Kind, b: K.Kind) -> bool:
    """Whether Numba has no type for values of both kinds, one of them an array."""
    match a, b:
        case K.Array(s, int(m)), K.Array(t, int(n)) if m and n:
            return m != n or ("any" not in (s, t) and s != t)
        case (K.Array(_, int(m)), K.Scalar()) | (K.Scalar(), K.Array(_, int(m))):
            return m > 0
    return False


def _in_words(kind: K.Kind) -> str:
    match kind:
        case K.Array(dtype, rank):
            return f"an array of {dtype} with {rank} {'axis' if rank == 1 else 'axes'}"
    return "a number"


def refuse_flags_among_integers(function: Function) -> None:
    """Refuse truth values put into lists of integers: they would be integers there, which select as indices.

    Requires: the IR of a derivative, in which lists are lists still.
    """
    made = definitions(function)
    for s in walk(function):
        match s:
            case Store(obj=held, value=value):
                items: tuple[Atom, ...] = (value,)
            case Op(fn=fn, target=target, args=args) if fn in tuple(FIRST_ITEM):
                first = FIRST_ITEM[fn]
                held, items = args[0] if first else target or args[0], args[first:]
            case _:
                continue
        kind = kind_of(held)
        if isinstance(kind, K.List) and kind.item == K.INT and any(_may_be_flag(a, made) for a in items):
            refuse("a truth value in a list of integers", s.origin or function.origin)


def _may_be_flag(a: Atom, made: Mapping[Var, Stmt]) -> bool:
    """Whether a value is a truth value, in one branch at least."""
    if not isinstance(a, Var) or not isinstance(s := made.get(a), If):
        return kind_of(a) == K.BOOL
    k = s.results.index(a)
    return any(_may_be_flag(b.outs[k], made) for b in (s.then, s.orelse))


def check_op(op: Op, origin: Origin | None) -> None:
    """Refuse an operation that has no compiled form."""
    fn: Any = op.fn
    if isinstance(fn, Function):
        return
    if _has_form(op):
        return
    if (differs := _differs(op)) is not None:
        refuse(differs, origin)
    if (what := _CANNOT.get(fn)) is not None:
        refuse(what, origin)
    module = getattr(fn, "__module__", None) or ""
    if (
        fn in AS_THEY_STAND
        or fn is astype  # emitted as a method of arrays
        or module.startswith("s2sad.compiled.")
        or module in ("s2sad.ir.prims", "operator", "_operator")
    ):
        return
    if module in MODULES:
        unknown = [a for a in op.args if isinstance(kind_of(a), K.Numeric) or kind_of(a) == K.ANY]
        if unknown:
            refuse("a value that may be a number or an array, of which machine code is for one,", origin)
        refuse(f"the derivative of this statement (its `{fn.__name__}`)", origin)
    found = locate(fn)
    if found is None or not is_library(found[0].__name__):
        refuse(f"the call of `{qualified_name(fn)}`, which is no function of NumPy or Python's `math`,", origin)
    if _has_late_option(op, found[0].__name__.partition(".")[0]):
        refuse(f"a call of `{qualified_name(fn)}` with an option that only a run tells", origin)


def _differs(op: Op) -> str | None:
    """What it is that Numba has, but with other values than Python or NumPy."""
    dtypes = [kind.dtype if isinstance(kind := kind_of(a), K.Scalar | K.Array) else "" for a in op.args]
    if op.fn is round and len(dtypes) == 2 and dtypes[0].startswith("float"):
        return "rounding of a number to decimals, which Python does by its exact value,"
    if op.fn in (isinstance, type, hasattr) and isinstance(kind_of(op.args[0]), K.Scalar | K.Numeric):
        array = getattr(op.args[-1], "value", None) is np.ndarray  # which what may be a number is for Numba, or is not
        return None if array else "the class of a number, where it may be of several,"
    if op.fn in (str, repr, ascii) and not _is_plain_integer(kind_of(op.args[0])):
        return "a number as text, other than an integer,"
    if op.fn in (int, float) and len(op.args) == 1 and kind_of(op.args[0]) == K.STR:
        return "a number that is read from text"
    if op.fn is np.fmod and all(d.startswith(("int", "uint")) for d in dtypes):
        return "`np.fmod` of integers"
    if _SET in map(kind_of, op.args) and op.fn not in _ASKED_OF_SETS:
        return "what is asked of a set here, other than what it holds and how many,"
    if op.fn is operator.add and dtypes == ["bool", "bool"] and rank_of(op.args[0]) == rank_of(op.args[1]) == 0:
        return "the sum of two truth values, which is one for NumPy's and an integer for Python's,"
    return None


def _has_late_option(op: Op, library: str) -> bool:
    """Whether a function of NumPy or SciPy is given text that is not written down, or one of SciPy such a truth value.

    That chooses what it computes. Of arguments that do a function is compiled for those at hand, if it is refused.
    """
    options = {"numpy": (K.STR,), "scipy": (K.STR, K.BOOL)}.get(library, ())
    return any(isinstance(a, Var) and a.kind in options for a in uses_of(op))


def _is_plain_integer(kind: K.Kind) -> bool:
    """Whether its text is that of Python's integers; a text is its own."""
    return kind in (K.INT, K.STR)


def _is_text(a: Atom) -> bool:
    return type(a.value) is str if isinstance(a, Const) else kind_of(a) == K.STR


def _has_form(op: Op) -> bool:
    """Whether Numba has this one of what it lacks in general: ends of ranges, draws, sets, dicts of one type."""
    if op.fn is prims.getattr_:
        return kind_of(op.args[0]) == K.Other(range)
    if op.fn is prims.call_method:
        known = dict[K.Kind, tuple[str, ...]]({GENERATOR: _DRAWN, _SET: _OF_SETS, K.STR: _OF_TEXT})
        kind, rest = kind_of(op.args[0]), op.args[2:]
        of_texts = kind != K.STR or (not op.kwargs and all(map(_is_text, rest)))
        return of_texts and getattr(op.args[1], "value", None) in known.get(kind, ())
    if op.fn is not prims.make_dict or op.target is None or not isinstance(kind := op.target.kind, K.Dict):
        return False
    match kind.item:
        case K.Scalar(dtype):
            return dtype != "any"
        case K.Array(dtype, rank):
            return dtype != "any" and rank is not None
    return False


def refuse(what: str, origin: Origin | None) -> NoReturn:
    """Raise the error."""
    error = CompileError(f"{what} cannot be compiled.", HELP)
    if origin is not None:
        error.locate(origin)
    raise error
