"""Lowering: from the syntax tree of a function to the three-address form.

Lowering interprets the function abstractly, statement by statement, for arguments of given
specs: it knows the kind of each value, follows calls into the functions they name, and keeps
tuples, records and functions as compile-time values.  What it puts down is structured single
assignment (:mod:`s2sad.ir.nodes`).

Requires: a parsed function and one spec per parameter (or None: kinds from annotations and use).
Ensures: a verified :class:`~s2sad.ir.nodes.Function` with the same values and effects as the
call, in which every value has one definition.
"""

from __future__ import annotations

import functools
import inspect
import keyword
import linecache
import types
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import s2sad.frontend.builtin_calls
import s2sad.frontend.deques
import s2sad.frontend.handing
import s2sad.frontend.heaps
import s2sad.frontend.iterator_calls
import s2sad.frontend.methods
import s2sad.frontend.numpy_calls
import s2sad.frontend.numpy_forms
import s2sad.frontend.questions
import s2sad.frontend.sequence_calls  # noqa: F401  (these fill the tables of calls)
from s2sad.analysis.held import Held
from s2sad.errors import NeedsRows
from s2sad.frontend.apart import noted
from s2sad.frontend.arithmetic import Arithmetic
from s2sad.frontend.attributes import Attributes
from s2sad.frontend.binding import Binding, frame_of
from s2sad.frontend.builder import Restart
from s2sad.frontend.calls import Calls
from s2sad.frontend.catching import Catching
from s2sad.frontend.comprehensions import Comprehensions
from s2sad.frontend.conflicts import refuse_conflict, refuse_either
from s2sad.frontend.constructing import Constructing
from s2sad.frontend.contexts import Contexts
from s2sad.frontend.early import refuse_early
from s2sad.frontend.expressions import Expressions
from s2sad.frontend.flats import refuse_overlapping
from s2sad.frontend.growth import refuse_growth
from s2sad.frontend.iteration import Iteration
from s2sad.frontend.kept import refuse_changed_kept
from s2sad.frontend.leaves import may_be_held
from s2sad.frontend.literals import Literals
from s2sad.frontend.loop_statements import LoopStatements
from s2sad.frontend.matching import Matching
from s2sad.frontend.mixed import refuse_mixed
from s2sad.frontend.object_lists import ObjectList
from s2sad.frontend.outside import Outside
from s2sad.frontend.parameters import bind_parameters
from s2sad.frontend.parse import FunctionSource, parse_function
from s2sad.frontend.places import PRIMITIVES
from s2sad.frontend.real_parts import check_real_parts
from s2sad.frontend.rebound import refuse_rebound
from s2sad.frontend.recursion import Recursion
from s2sad.frontend.row_places import without_rows
from s2sad.frontend.rows import Rows, of_the_user
from s2sad.frontend.specs import Spec
from s2sad.frontend.statements import Statements
from s2sad.frontend.streams import Streams
from s2sad.frontend.subscripts import Subscripts
from s2sad.frontend.surely import refuse_perhaps_same
from s2sad.frontend.unpacking import Unpacking
from s2sad.frontend.updating import refuse_shared
from s2sad.frontend.values import AVal, DictV, ObjectV, TupleV, fields_of
from s2sad.ir.nodes import Block, Function, Ref, Var

__all__ = ["Lowered", "Lowerer", "frame_of", "lower", "source_of"]


@dataclass(frozen=True)
class Lowered:
    """A lowered function.

    ``arguments`` are the abstract values of the parameters; ``templates`` and ``result`` say how
    the structure of arguments and result is made of IR values (:func:`template`). ``refs`` are the outside values whose
    kinds the lowering relied on; ``apart`` is what derivatives taken in the function need apart. ``derived`` are their
    variables, of which none is read without a value.
    """

    function: Function
    arguments: tuple[AVal, ...]
    templates: tuple[Any, ...]
    params: tuple[Var, ...]
    result: Any
    refs: tuple[Ref, ...] = field(default=())
    apart: tuple[Held, ...] = field(default=())
    derived: frozenset[Var] = field(default=frozenset())

    def at(self, place: Iterable[Any]) -> Var | None:
        """The variable that holds what is at a place in the arguments; None for no such one."""
        position, *keys = place
        found = self.templates[position]
        for key in keys:
            if not isinstance(found, tuple) or key not in found[1]:
                return None
            found = found[2][list(found[1]).index(key)]
        return found if isinstance(found, Var) else None


class Lowerer(
    Expressions,
    Arithmetic,
    Outside,
    Attributes,
    Subscripts,
    Literals,
    Comprehensions,
    Statements,
    LoopStatements,
    Catching,
    Contexts,
    Matching,
    Calls,
    Constructing,
    Binding,
    Iteration,
    Unpacking,
    Streams,
    Rows,
    Recursion,
):
    """Lowers one function, and what it calls, into one body."""


def lower(
    fn: Any, specs: tuple[Spec | None, ...] | None, name: str | None = None, rows: frozenset[type] = frozenset()
) -> Lowered:
    """Lower ``fn`` for arguments of these specs, with objects of the classes ``rows`` as rows of lists.

    Raises :class:`~s2sad.errors.UnsupportedSyntax` where the function uses what s2sad does not
    handle.
    """
    source = source_of(fn, specs)
    lowerer = Lowerer({}, set())
    lowerer.rows.classes |= of_the_user(rows)
    passes = 0
    failed: Exception | None = None
    # a pass may settle no more than one list, and objects that are rows from then on unsettle all
    while passes < 20 + 2 * len(lowerer.containers.items) + 20 * len(lowerer.rows.classes) + len(lowerer.not_spelt_out):
        passes += 1
        try:
            lowered = lower_once(lowerer, source, specs, name)
        except Restart:
            lowerer.is_final()
        except Exception as error:  # what is refused, or fails, for kinds that were not final may yet be handled
            if lowerer.is_final():
                if isinstance(error, NeedsRows):
                    lowerer.may_be_rows(*error.classes)
                if lowerer.spell_out_counted():
                    pass
                elif lowerer.packed_any:
                    lowerer.packs, failed = False, error
                elif lowerer.outlined_early:
                    lowerer.unroll_more()
                    failed = failed or error
                elif not lowerer.keep_uneven() and not lowerer.begin_rows():
                    failed = failed or error  # that of the try that knew more
                    if (more := lowerer.knowing_more()) is None:
                        raise failed from None
                    passes, lowerer = 0, more
                    lowerer.rows.classes |= of_the_user(rows)
                    continue
        else:
            if lowerer.is_final():
                return lowered
        lowerer = lowerer.again()
    raise lowerer.unsupported(
        "the kinds of the items put into the lists of this function do not settle.",
        "Put items of one kind into each list.",
    )


def source_of(fn: Any, specs: tuple[Spec | None, ...] | None) -> FunctionSource:
    """The source of a function; of a primitive or a derivative, that of a function that calls it."""
    if is_python_function(fn):
        return parse_function(fn)
    names = call_names(fn, None if specs is None else len(specs))
    starred = [n.lstrip("*").partition("=")[0] for n in names]
    text = f"def {call_name(fn)}({', '.join(starred)}):\n    return _called({', '.join(names)})\n"
    namespace = {"_called": fn, "__name__": PRIMITIVES}
    filename = f"<s2sad {call_name(fn)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), namespace)
    try:
        return parse_function(namespace[call_name(fn)])
    finally:
        linecache.cache.pop(filename, None)


def is_python_function(fn: Any) -> bool:
    """Whether a callable is Python code, itself or under a wrapper that changes nothing."""
    return isinstance(fn, types.FunctionType | types.MethodType | functools._lru_cache_wrapper) or hasattr(
        fn, "py_func"
    )


def identifier(name: str) -> str:
    """A name for emitted code."""
    return name if name.isidentifier() else "function"


def call_name(fn: Any) -> str:
    name = getattr(fn, "__name__", "primitive")
    return name if name.isidentifier() and not keyword.iskeyword(name) else "primitive"


def call_names(fn: Any, count: int | None) -> list[str]:
    """Argument names for a call of a callable, stars for what is packed."""
    if isinstance(fn, np.ufunc):
        return ["x"] if fn.nin == 1 else [f"x{k}" for k in range(1, fn.nin + 1)]
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        return ["x"] if count in (None, 1) else [f"x{k}" for k in range(1, (count or 1) + 1)]
    stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else stars.get(p.kind, "") + p.name for p in parameters]


def lower_once(
    lowerer: Lowerer, source: FunctionSource, specs: tuple[Spec | None, ...] | None, name: str | None
) -> Lowered:
    """One pass of lowering, with what is known of container items so far."""
    frame = frame_of(source)
    params, arguments = bind_parameters(lowerer, source, frame, specs)
    templates = tuple(template(lowerer, v) for v in arguments)
    lowerer.parameters = frozenset(params)
    lowerer.active_calls.append(source.node)
    value = lowerer.run_body(frame, source.node)
    refuse_conflict(lowerer, value, "the result")
    value = returned(lowerer, value)
    result_template = template(lowerer, value)
    result = lowerer.as_atom(value)
    lowerer.refuse_late_tuples(result)
    body = check_real_parts(Block((*lowerer.prologue, *lowerer.fields_made, *lowerer.stmts), (result,)))
    lowerer.check_missed()
    refuse_growth(lowerer, body)
    lowerer.rely_on_names()
    refuse_mixed(body)
    function = Function(name or identifier(frame.name), tuple(params), body, origin=source.origin(source.node))
    refuse_rebound(function, lowerer.rebound)
    refuse_perhaps_same(function, lowerer.conjugates)
    refuse_overlapping(function, lowerer.flat_stores)
    refuse_shared(function)
    refuse_early(function, lowerer.early, lowerer.definitions)
    refuse_changed_kept(function, lowerer.kept)
    if lowerer.rows.classes:
        function = without_rows(function, lowerer.origin)
    refs, apart = tuple(lowerer.refs), noted(lowerer, params)
    derived = frozenset(lowerer.derived)
    return Lowered(function, tuple(arguments), templates, tuple(params), result_template, refs, apart, derived)


def returned(lowerer: Lowerer, value: AVal) -> AVal:
    """A result, with each list in it that was a tuple so far made at run time."""
    refuse_either(lowerer, value)
    match value:
        case TupleV(is_list=True):
            return lowerer.as_atom(value)
        case ObjectV(cls=cls) if cls is ObjectList and all(map(may_be_held, held := lowerer.held_by(value).items)):
            return lowerer.as_atom(TupleV(held, listed=True))
        case TupleV(items):
            return replace(value, items=tuple(returned(lowerer, i) for i in items))
        case DictV():
            return hold_returned(lowerer, value, lowerer.dict_keys(value))
        case ObjectV(cls=cls, live=None):
            return hold_returned(lowerer, value, fields_of(cls))
    return value


def hold_returned(lowerer: Lowerer, record: DictV | ObjectV, keys: Iterable[Any]) -> AVal:
    for k in keys:
        lowerer.write((record, k), returned(lowerer, lowerer.value_at((record, k))))
    return record


def template(lowerer: Lowerer, value: AVal) -> Any:
    """How an argument is made of variables: a variable, (class, keys, parts), or None."""
    match value:
        case Var():
            return value
        case TupleV(items, cls):
            keys = tuple(range(len(items))) if cls is None else fields_of(cls)
            return cls or (list if value.is_list else tuple), keys, tuple(template(lowerer, i) for i in items)
        case DictV():
            names = tuple(lowerer.dict_keys(value))
            return dict, names, tuple(template(lowerer, lowerer.value_at((value, k))) for k in names)
        case ObjectV(cls=cls) if cls is ObjectList:
            return template(lowerer, replace(lowerer.held_by(value), listed=True))
        case ObjectV(cls=cls, live=None):
            names = fields_of(cls)
            return cls, names, tuple(template(lowerer, lowerer.value_at((value, k))) for k in names)
    return None
