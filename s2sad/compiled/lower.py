"""The passes from the IR of a derivative to functions that Numba compiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from s2sad.compiled import (  # noqa: F401  (these fill the table of forms)
    forms_adjoint,
    forms_batches,
    forms_complex,
    forms_conversions,
    forms_drawn,
    forms_math,
    forms_more,
    forms_order,
    forms_padding,
    forms_points,
    forms_products,
    forms_reductions,
    forms_rolled,
    forms_running,
    forms_shape,
    forms_taken,
)
from s2sad.compiled.adjoint_sums import adjoint_sums
from s2sad.compiled.aliases import forget
from s2sad.compiled.alike import check_alike
from s2sad.compiled.asked import questions_first
from s2sad.compiled.axisless import refuse_axisless_views_of_what_changes
from s2sad.compiled.before import integers_before
from s2sad.compiled.blanks import fill_blanks
from s2sad.compiled.boundary import Split, split
from s2sad.compiled.carried import say_carried_shapes
from s2sad.compiled.caught import caught_as_numbers
from s2sad.compiled.check import check, refuse_flags_among_integers
from s2sad.compiled.choices import numbers_unpacked
from s2sad.compiled.columns import by_columns
from s2sad.compiled.copied_parts import copies_of_parts
from s2sad.compiled.dict_keys import refuse_keys_of_several_types
from s2sad.compiled.elementary import elementary_in_rows
from s2sad.compiled.expand import expand
from s2sad.compiled.growing import growing_kept
from s2sad.compiled.identities import refuse_identities_of_views
from s2sad.compiled.indices import indices_made_again
from s2sad.compiled.items import items_as_their_lists
from s2sad.compiled.joined import handed_on_as_complex
from s2sad.compiled.kept import tapes_kept
from s2sad.compiled.lanes import directions_side_by_side
from s2sad.compiled.lengths import lengths_of_records
from s2sad.compiled.live import outside_as_arguments
from s2sad.compiled.masks import masks_checked
from s2sad.compiled.measured import lengths_as_given
from s2sad.compiled.mirrors import drop_indices
from s2sad.compiled.narrow import keep_narrow
from s2sad.compiled.nothing import flags_of_none, refuse_results_of_none
from s2sad.compiled.one_layout import given_in_one_layout
from s2sad.compiled.owned import sums_in_place
from s2sad.compiled.packed import lists_packed
from s2sad.compiled.parts import split_tapes
from s2sad.compiled.pieces import lists_of_pieces
from s2sad.compiled.plain import plain_contexts, plain_layouts
from s2sad.compiled.products import products_added
from s2sad.compiled.recorded import pullbacks_as_records
from s2sad.compiled.records import records_as_tuples
from s2sad.compiled.required import required_in_place
from s2sad.compiled.rerun import pullbacks_run_again
from s2sad.compiled.reused import memory_reused
from s2sad.compiled.routines import routines_called
from s2sad.compiled.scatters import scatters_split
from s2sad.compiled.settle import settle_kinds
from s2sad.compiled.single import keep_single
from s2sad.compiled.slices import slices_of_one_type
from s2sad.compiled.small import small_as_numbers
from s2sad.compiled.spelled import spelt_out
from s2sad.compiled.tapes import tapes_as_arrays
from s2sad.compiled.tests_inside import tests_inside
from s2sad.compiled.together import results_together
from s2sad.compiled.told import errors_told
from s2sad.compiled.truths import refuse_mistaken_truths
from s2sad.compiled.unread import seeds_of_last_iterations
from s2sad.compiled.vectors import lists_as_arrays
from s2sad.errors import CompileError
from s2sad.ir.nodes import Function, Op
from s2sad.ir.rewrite import map_stmts, walk, with_body
from s2sad.loops import lower_to_loops
from s2sad.optimise.cse import merge_common
from s2sad.optimise.dead import dead_code
from s2sad.optimise.simplify import simplify
from s2sad.optimise.tapes import merge_tapes

__all__ = ["link_libraries", "lower"]

Pass = Callable[[Function], Function]


def lower(function: Function, equal_lengths: bool = False) -> Split:
    """Part the derivative from what stays Python, and adapt each compiled function.

    ``equal_lengths`` as in :func:`s2sad.loops.lower_to_loops`. A refusal names the function where no line is known,
    as in a reverse sweep that begins with what a rule says.
    """
    try:
        return _lower(function, equal_lengths)
    except CompileError as error:
        if function.origin is not None:
            error.locate(function.origin)
        raise


def _lower(function: Function, equal_lengths: bool) -> Split:
    refuse_mistaken_truths(function)
    function = pullbacks_as_records(outside_as_arguments(caught_as_numbers(function)))
    refuse_results_of_none(function)
    refuse_identities_of_views(function)
    refuse_axisless_views_of_what_changes(function)
    refuse_flags_among_integers(function)
    refuse_keys_of_several_types(function)
    function = indices_made_again(errors_told(function))
    recorded = tapes_as_arrays(drop_indices(split_tapes(function)))
    recorded = merge_tapes(tapes_as_arrays(lengths_of_records(recorded)))  # lengths are numbers
    parts = split(copies_of_parts(pullbacks_run_again(check_alike(recorded))))
    passes: tuple[Pass, ...] = (
        tests_inside,
        required_in_place,
        say_carried_shapes,
        plain_contexts,
        plain_layouts,
        spelt_out,
        records_as_tuples,
        seeds_of_last_iterations,
        settle_kinds,
        handed_on_as_complex,
        numbers_unpacked,
        flags_of_none,
        small_as_numbers,
        fill_blanks,
        slices_of_one_type,
        items_as_their_lists,
        lists_packed,
        *([lists_as_arrays] if equal_lengths and len(parts.natives) == 1 else []),
        lists_of_pieces,
        masks_checked,
        sums_in_place,
        products_added,
        integers_before,
        partial(lower_to_loops, equal_lengths=equal_lengths),
        adjoint_sums,
        scatters_split,
        simplify,  # lengths and items that lowering has spelt out twice
        merge_common,
        dead_code,
        partial(expand, equal_lengths=equal_lengths),
        lengths_as_given,
        simplify,
        merge_common,
        dead_code,
        questions_first,
        directions_side_by_side,
        by_columns,
        elementary_in_rows,
        keep_single,
        keep_narrow,
        forget,
        growing_kept,
        memory_reused,
        tapes_kept,
        _checked,
    )
    return _rewritten(parts, passes)


def link_libraries(parts: Split) -> Split:
    """What is adapted, calling libraries directly where their functions take Numba long: for machine code only.

    Results that are small are made together, and what is called has arrays of one layout.
    """
    return _rewritten(parts, (routines_called, results_together, given_in_one_layout(parts.natives)))


def _rewritten(parts: Split, passes: Sequence[Pass]) -> Split:
    """The parts of a derivative, each compiled function after some passes."""
    adapted: dict[Function, Function] = {}
    for native in parts.natives:
        _adapt(native, adapted, passes)
    return Split(adapted.get(parts.entry) or _relinked(parts.entry, adapted), tuple(adapted.values()))


def _checked(function: Function) -> Function:
    check(function)
    return function


def _adapt(function: Function, adapted: dict[Function, Function], passes: Sequence[Pass]) -> Function:
    """A compiled function adapted, with those that it calls."""
    if function in adapted:
        return adapted[function]
    shell = adapted[function] = Function(function.name, function.params, function.body, function.doc, function.origin)
    for s in walk(function):
        if isinstance(s, Op) and isinstance(s.fn, Function):
            _adapt(s.fn, adapted, passes)
    new = _relinked(function, adapted)
    for run in passes:
        new = run(new)
    object.__setattr__(shell, "body", new.body)  # a function may call itself
    return shell


def _relinked(function: Function, adapted: dict[Function, Function]) -> Function:
    """The function, calling adapted functions."""

    def change(s: object) -> object:
        if isinstance(s, Op) and isinstance(s.fn, Function) and s.fn in adapted:
            return Op(s.target, adapted[s.fn], s.args, s.kwargs, s.origin)
        return s

    return with_body(function, map_stmts(function.body, change))  # type: ignore[arg-type]
