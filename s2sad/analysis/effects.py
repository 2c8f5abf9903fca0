"""What an operation does besides giving a value: effects, writes, and how much it reads.

The tables speak of Python's, NumPy's and the compiler's own callables. What is not in
them is the user's own, and is taken to do anything.
"""

from __future__ import annotations

import builtins
import logging
import math
import operator
import time
import warnings
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import STR
from s2sad.ir.nodes import Atom, Callee, Function, Op, Stmt, Store, kind_of
from s2sad.ir.rewrite import walk
from s2sad.rules.table import RULES
from s2sad.runtime import helpers

__all__ = [
    "ASKS_IDENTITY",
    "BLIND",
    "TRANSPARENT",
    "allocates",
    "has_effect",
    "is_of_text",
    "is_pure",
    "leaves_arguments",
    "metadata_positions",
    "only_computes",
    "only_gives",
    "only_raises",
    "only_shows",
    "read_atoms",
    "shows_effects",
    "spares_arguments",
    "writes_of",
]

AnyCallable = Callable[..., Any]


def _named(module: Any, names: str) -> set[AnyCallable]:
    return {getattr(module, n) for n in names.split() if hasattr(module, n)}


def _likes() -> Iterator[tuple[AnyCallable, int]]:
    """The helpers with a parameter ``like``, of which they look at the shape and dtype, and its position."""
    for f in vars(helpers).values():
        if isinstance(f, FunctionType) and f.__module__ in helpers.MODULES:
            names = f.__code__.co_varnames[: f.__code__.co_argcount]
            if "like" in names:
                yield f, names.index("like")


#: Structural primitives through which derivatives pass although no rule is written for them.
TRANSPARENT: set[Any] = {
    operator.getitem,
    prims.make_tuple,
    prims.make_list,
    prims.make_dict,
    prims.make_instance,
    prims.getattr_,
    prims.list_append,
    prims.list_extend,
    prims.list_insert,
    prims.list_pop,
    prims.list_copy,
    prims.list_repeat,
    prims.identity,
    helpers.kept_item,
}
#: Primitives whose result never depends differentiably on their arguments.
BLIND: set[Any] = {
    prims.dict_items,
    len,
    print,
    prims.show,
    prims.contains,
    prims.join_str,
    prims.format_value,
    prims.assert_,
    prims.raise_,
    prims.need_there,
}

#: Changes made to an argument, by position; np.add.at and the like included.
WRITES: dict[AnyCallable, int] = {
    **prims.WRITES,
    **dict.fromkeys(_named(np, "copyto fill_diagonal place put put_along_axis putmask"), 0),
    **{u.at: 0 for u in (np.add, np.subtract, np.multiply, np.maximum, np.minimum)},
    **dict.fromkeys(_named(helpers, "add_at add_to_rows add_items add_nested add_repeats add_back add_product"), 0),
    **dict.fromkeys(_named(helpers, "put_back take_tail copied_to"), 0),
}

#: Those that change what the argument holds, too.
WRITES_DEEP: set[AnyCallable] = _named(helpers, "add_items add_nested add_repeats")

#: Arguments of which only shape, dtype, length or structure are read: by position and by name.
METADATA: dict[AnyCallable, tuple[int | str, ...]] = {
    **dict.fromkeys(prims.READS_METADATA, (0,)),
    **dict.fromkeys(_named(np, "shape ndim size iscomplexobj isrealobj"), (0, "a", "x")),
    **dict.fromkeys(_named(np, "zeros_like ones_like empty_like"), (0, "a", "prototype")),
    helpers.same_axes: (0, 1),
    **dict.fromkeys(_named(helpers, "zeros_like complex_zeros ones_like zero_leaf zero_item zero_items count"), (0,)),
    **{helper: (position, "like") for helper, position in _likes()},
    **dict.fromkeys(_named(helpers, "as_result"), (1, "x")),
    **dict.fromkeys(_named(helpers, "split_like unstack"), (1, "arrays")),
    np.full_like: (0, "a"),
    isinstance: (0,),
    type: (0,),
}

_PURE_BUILTINS = _named(
    builtins,
    "abs all any bool bytes chr complex dict divmod enumerate float format frozenset getattr hasattr hash id int "
    "isinstance issubclass len list max min ord pow range repr reversed round set slice sorted str sum tuple type zip "
    "callable",
)
_IMPURE_NUMPY = {
    "save", "savez", "savez_compressed", "savetxt", "load", "loadtxt", "genfromtxt", "fromfile", "memmap", "seterr",
    "seterrcall", "setbufsize", "set_printoptions", "vectorize", "frompyfunc", "apply_along_axis", "apply_over_axes",
    "piecewise", "fromfunction", "fromiter", "fromstring", "frombuffer",
}  # fmt: skip
_IMPURE_PRIMS = {
    *(prims.raise_, prims.need_there, prims.assert_, prims.leave, prims.show, prims.call_value, prims.call_method),
}
_RAISES = (
    "unit_seed need_apart need_array need_items need_rows need_rounds at_least same_length same_axes same_sharing "
    "need_square need_fractions need_variables need_real need_number need_places need_all_places need_several "
    "need_filled need_values need_more_values need_regular need_positive"
)
_IMPURE_HELPERS = _named(helpers, _RAISES)
#: What does nothing but raise, at times.
ONLY_RAISES: frozenset[AnyCallable] = frozenset((prims.raise_, prims.assert_, prims.need_there, *_IMPURE_HELPERS))
#: What may be seen outside: it must not happen twice.
SHOWS: tuple[AnyCallable, ...] = (print, prims.show)
#: What gives another value each time, and need not be called where nobody asks for it.
_CLOCKS = _named(
    time,
    "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns thread_time",
)
#: Effects that neither change their arguments nor hold on to them.
KEEPS_NOTHING: tuple[AnyCallable, ...] = (
    *SHOWS,
    *(prims.assert_, prims.raise_, prims.need_there, prims.leave),
    *_IMPURE_HELPERS,
    *_CLOCKS,
)
#: What tells whether two arrays are one: a copy is not as good as the array itself then.
ASKS_IDENTITY: tuple[AnyCallable, ...] = (
    *(operator.is_, operator.is_not, np.shares_memory, np.may_share_memory, id),
    *_named(helpers, "need_apart"),
)
#: What of libraries puts its arguments into text, and gives nothing.
_SHOWN: set[AnyCallable] = {
    warnings.warn,
    *_named(logging, "debug info warning error critical exception log"),
    *_named(logging.Logger, "debug info warning error critical exception log"),
}
_ALLOCATES = prims.ALLOCATES | _named(
    np,
    "errstate zeros ones empty full zeros_like ones_like empty_like full_like array copy arange linspace eye identity",
)
_IN_PLACE = {getattr(operator, n) for n in dir(operator) if n.startswith("i") and hasattr(operator, f"__{n}__")} - {
    operator.index,
    operator.inv,
    operator.invert,
    operator.is_,
    operator.is_not,
}
_IMPURE_OPERATOR = _IN_PLACE | {operator.setitem, operator.delitem, operator.call}

#: All functions of these, but for what is named above; three have helpers of compiled code.
_PURE_MODULES = (
    *(
        math.__name__,
        *sorted(helpers.MODULES),
        *(f"s2sad.compiled.{name}" for name in ("factors", "triangular", "viewing")),
    ),
    *(f"s2sad.runtime.{name}" for name in ("filters", "fitted", "matrices", "roots", "solvers", "sparse", "tabulated")),
)

#: Libraries that put what they are given into text or arrays.
_LEAVES_ALONE = frozenset(
    ("numpy", "dataclasses", "copy", "logging", "warnings", "json", "pprint", "pickle", "reprlib")
)

_pure: dict[Any, bool] = {}


def is_pure(fn: AnyCallable | Function) -> bool:
    """Whether calling ``fn`` does nothing but give a value and change the arguments :data:`WRITES` names.

    >>> is_pure(np.sin), is_pure(prims.list_append), is_pure(print), is_pure(np.random.rand)
    (True, True, False, False)
    """
    try:
        known = _pure.get(fn)
    except TypeError:  # unhashable: the user's
        return False
    if known is None:
        if isinstance(fn, Callee):
            return fn.pure
        known = _judge(fn)
        if not isinstance(fn, Function):
            _pure[fn] = known
    return known


def only_raises(fn: AnyCallable | Function) -> bool:
    """Whether a call does nothing, unless it raises."""
    return any(fn is f for f in KEEPS_NOTHING) and fn not in SHOWS and fn not in _CLOCKS


def spares_arguments(fn: AnyCallable | Function) -> bool:
    """Whether a call changes no argument, and keeps none but in its result: it may raise, or show something."""
    return fn.spares if isinstance(fn, Callee) else any(fn is f for f in KEEPS_NOTHING)


def leaves_arguments(op: Op) -> bool:
    """Whether an operation is known to change no argument but what :data:`WRITES` says, nor to keep one elsewhere."""
    return is_pure(op.fn) or spares_arguments(op.fn) or is_of_text(op) or op.fn in BLIND


_computes: dict[Any, bool] = {}


def only_computes(fn: AnyCallable | Function) -> bool:
    """Whether calling ``fn`` gives a value and does nothing else, an ``out=`` apart.

    >>> only_computes(np.sin), only_computes(prims.list_append), only_computes(print)
    (True, False, False)
    """
    try:
        known = _computes.get(fn)
    except TypeError:  # unhashable: the user's
        return False
    if known is None:
        if isinstance(fn, Function):
            return False
        known = is_pure(fn) and fn not in WRITES
        if not isinstance(fn, Callee):
            _computes[fn] = known
    return known


def only_gives(s: Stmt) -> bool:
    """Whether a statement is an operation that gives a value and changes nothing, no ``out=`` either."""
    return isinstance(s, Op) and s.target is not None and only_computes(s.fn) and all(k != "out" for k, _ in s.kwargs)


def _judge(fn: AnyCallable | Function) -> bool:
    if isinstance(fn, Function):
        return all(
            is_pure(s.fn) or s.fn is prims.leave
            for f in called(fn)
            for s in walk(f)
            if isinstance(s, Op) and not isinstance(s.fn, Function)
        )
    if fn in _PURE_BUILTINS or fn in WRITES or isinstance(fn, np.ufunc):
        return True
    if isinstance(fn, type):
        return issubclass(fn, BaseException | np.generic | np.dtype) or fn in (np.errstate, np.finfo, np.iinfo)
    module = getattr(fn, "__module__", None) or ""
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):
        return fn.__name__ != "at"
    if module.startswith("numpy.random") or type(owner).__module__.startswith("numpy.random"):
        return False
    if module == prims.__name__:
        return fn not in _IMPURE_PRIMS
    if module in ("operator", "_operator"):
        return fn not in _IMPURE_OPERATOR
    if module.split(".")[0] == "numpy":
        return fn.__name__ not in _IMPURE_NUMPY
    if module == builtins.__name__ or fn in _IMPURE_HELPERS:
        return False
    return module in _PURE_MODULES or fn in RULES


def changes_nothing(fn: AnyCallable) -> bool:
    """Whether a function that is not looked into is known to leave dicts and objects that it is given as they are."""
    module = getattr(fn, "__module__", None) or ""
    return is_pure(fn) or module.partition(".")[0] in _LEAVES_ALONE


def only_shows(fn: AnyCallable) -> bool:
    """Whether a function, or a method of an object, only puts what it is given into text.

    >>> only_shows(logging.getLogger("s2sad").info), only_shows(print), only_shows(np.save)
    (True, False, False)
    """
    try:
        return getattr(fn, "__func__", fn) in _SHOWN
    except TypeError:  # unhashable: the user's
        return False


def called(function: Function) -> list[Function]:
    """A function and all that it calls, itself perhaps among them, each once."""
    found: dict[int, Function] = {id(function): function}
    work = [function]
    while work:
        for s in walk(work.pop()):
            if isinstance(s, Op) and isinstance(s.fn, Function) and id(s.fn) not in found:
                found[id(s.fn)] = s.fn
                work.append(s.fn)
    return list(found.values())


def shows_effects(function: Function) -> bool:
    """Whether a call does more than give a value or raise: printing, say, which must not happen twice."""
    raising = [fn for fn in KEEPS_NOTHING if fn not in SHOWS]
    return any(
        isinstance(s, Op) and not isinstance(s.fn, Function) and s.fn not in raising and not is_pure(s.fn)
        for f in called(function)
        for s in walk(f)
    )


def has_effect(fn: AnyCallable | Function) -> bool:
    """Whether a call of ``fn`` must happen even if nobody uses its value: the default of :func:`dead_code`."""
    return not (is_pure(fn) or any(fn is f for f in _CLOCKS))


def is_of_text(op: Op) -> bool:
    """Whether an operation is a method of text, which gives a value and does nothing else."""
    return op.fn is prims.call_method and kind_of(op.args[0]) == STR


def allocates(fn: AnyCallable | Function) -> bool:
    """Whether each call makes an object that its owner means to fill: never merged with an equal one.

    Nor is what tells of exceptions: what is one under ``np.errstate`` is none elsewhere.
    """
    return isinstance(fn, Function) or fn in _ALLOCATES or (isinstance(fn, Callee) and fn.catches)


def writes_of(stmt: Op | Store) -> tuple[Atom, ...]:
    """The objects whose contents a statement changes.

    A call of an opaque or IR function that is not pure may change any argument; a method of text changes none.
    """
    if isinstance(stmt, Store):
        return (stmt.obj,)
    if is_of_text(stmt):
        return ()
    fn = stmt.fn
    written: tuple[Atom, ...] = ()
    if isinstance(fn, Function):
        changes = any(
            isinstance(s, Store) or writes_of(s)
            for f in called(fn)
            for s in walk(f)
            if isinstance(s, Store) or (isinstance(s, Op) and not isinstance(s.fn, Function))
        )
        return stmt.args if changes or not is_pure(fn) else ()
    if is_pure(fn):
        position = WRITES.get(fn)
        if position is not None and position < len(stmt.args):
            written = (stmt.args[position],)
    elif not spares_arguments(fn):
        return stmt.args + tuple(a for _, a in stmt.kwargs)
    if stmt.kwargs:
        written += tuple(a for k, a in stmt.kwargs if k == "out")
    return written


def metadata_positions(fn: AnyCallable | Function) -> tuple[int | str, ...]:
    """The arguments, by position or keyword, of which ``fn`` reads no numbers."""
    try:
        return METADATA.get(fn, ())  # type: ignore[arg-type]
    except TypeError:
        return ()


def read_atoms(op: Op) -> Iterator[tuple[Atom, bool]]:
    """The operands of an operation, each with whether only its metadata is read."""
    light = metadata_positions(op.fn)
    for i, a in enumerate(op.args):
        yield a, i in light
    for k, a in op.kwargs:
        yield a, k in light
