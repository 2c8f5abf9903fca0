"""The before and after in the docstring of each pass are what the pass does."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable

import pytest

from s2sad.analysis.memory import Memory
from s2sad.compiled import (
    adjoint_sums,
    alike,
    asked,
    before,
    begun_in_single,
    carried,
    choices,
    classes,
    columns,
    either,
    elementary,
    first_rounds,
    growing,
    histories,
    idle_loops,
    indices,
    kept,
    lanes,
    layouts,
    lengths,
    lower,
    meant,
    measured,
    mirrors,
    narrow,
    new_axes,
    nothing,
    one_item,
    owned,
    packed,
    parts,
    pieces,
    points,
    powers,
    products,
    required,
    rerun,
    reused,
    routines,
    scatters,
    short_lists,
    single,
    slices,
    small,
    spelled,
    spread,
    squeezed,
    tapes,
    tests_inside,
    tiles,
    together,
    told,
    totals,
    turned_up,
    turning,
    unread,
    varied,
    vectors,
)
from s2sad.ir.nodes import For, Function, Stmt
from s2sad.ir.printer import show
from s2sad.ir.rewrite import definitions, map_stmts, walk, with_body
from s2sad.ir.verify import verify
from s2sad.optimise.dead import dead_code
from s2sad.optimise.simplify import simplify
from tests.ir.reader import read
from tests.optimise.test_docstrings import reversing_first


def totals_as_arrays(function: Function) -> Function:
    """Without what it says of variables."""
    return totals.totals_as_arrays(function)[0]


totals_as_arrays.__module__ = totals.__name__


def powers_as_floats(function: Function) -> Function:
    """Without what it says of variables."""
    return powers.powers_as_floats(function)[0]


powers_as_floats.__module__ = powers.__name__


def squeezed_by_axes(function: Function) -> Function:
    """Without what it says of variables."""
    return squeezed.squeezed_by_axes(function)[0]


squeezed_by_axes.__module__ = squeezed.__name__


def first_in_single(function: Function) -> Function:
    """Without what it says of variables."""
    return begun_in_single.begun_in_single(function)[0]


first_in_single.__module__ = begun_in_single.__name__


def classes_told(function: Function) -> Function:
    """Without what it says of variables."""
    return classes.classes_told(function)[0]


classes_told.__module__ = classes.__name__


def expand(function: Function) -> Function:
    """With the forms of all operations."""
    return lower.expand(function)  # the module that brings the forms


expand.__module__ = points.__name__


def lengths_as_given(function: Function) -> Function:
    """With what is then known, and without what is not needed any more."""
    return dead_code(simplify(measured.lengths_as_given(function)))


lengths_as_given.__module__ = measured.__name__


def sums_of_reversed(function: Function) -> Function:
    """Where the last loop says that it reverses the first."""
    return adjoint_sums.adjoint_sums(reversing_first(function))


sums_of_reversed.__module__ = adjoint_sums.__name__


def lists_apart(function: Function) -> Function:
    """Without what it says of variables."""
    return short_lists.lists_apart(function)[0]


lists_apart.__module__ = short_lists.__name__


def sums_in_rows(function: Function) -> Function:
    """Of loops that compute too much to do it in each."""
    return scatters.scatters_split(function)


sums_in_rows.__module__ = spread.__name__


def loops_turned_up(function: Function) -> Function:
    """Those within a loop over terms."""
    outer = next(s for s in walk(function) if isinstance(s, For) and s.independent)
    about, made = varied.Varied(outer, Memory(function)), definitions(function)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        if not isinstance(s, For) or s is outer:
            return s
        ends, loop = turned_up.turned_up(s, about, made)
        return [*ends, loop]

    return with_body(function, map_stmts(function.body, change))


loops_turned_up.__module__ = turned_up.__name__

PASSES: tuple[Callable[[Function], Function], ...] = (
    *(
        sums_of_reversed,
        sums_in_rows,
        loops_turned_up,
        lists_apart,
        histories.histories_as_arrays,
        alike.check_alike,
        asked.questions_first,
        before.integers_before,
        carried.say_carried_shapes,
        choices.choices_as_branches,
        classes_told,
        columns.by_columns,
        lanes.directions_side_by_side,
        layouts.rows_checked,
        lengths.lengths_of_records,
        lengths_as_given,
        meant.none_as_meant,
        mirrors.drop_indices,
        narrow.keep_narrow,
        nothing.flags_of_none,
    ),
    *(owned.sums_in_place, packed.lists_packed, parts.split_tapes, pieces.lists_of_pieces, single.keep_single),
    *(indices.indices_made_again, products.products_added, rerun.pullbacks_run_again, scatters.scatters_split, expand),
    routines.routines_called,
    *(either.numbers_apart, first_rounds.first_rounds_apart, idle_loops.drop_idle_loops),
    elementary.elementary_in_rows,
    *(growing.growing_kept, kept.tapes_kept, reused.memory_reused),
    *(one_item.numbers_as_vectors, powers_as_floats),
    *(slices.slices_of_one_type, small.small_as_numbers, spelled.spelt_out, tapes.tapes_as_arrays, totals_as_arrays),
    required.required_in_place,
    *(squeezed_by_axes, first_in_single),
    new_axes.axes_before_indices,
    tests_inside.tests_inside,
    tiles.tiles_as_broadcasts,
    together.results_together,
    told.errors_told,
    turning.turning_apart,
    unread.seeds_of_last_iterations,
    vectors.lists_as_arrays,
)


def example(run: Callable[[Function], Function], word: str) -> str:
    """A block of the docstring of the module."""
    doc = inspect.getdoc(inspect.getmodule(run)) or ""
    m = re.search(rf"^{word}.*::\n\n((?:    .*\n|\n)+)", doc, re.MULTILINE)
    assert m
    return textwrap.dedent(m[1]).strip()


@pytest.mark.parametrize("run", PASSES, ids=lambda f: f.__name__)
def test_the_example_in_the_docstring(run: Callable[[Function], Function]) -> None:
    assert show(verify(run(read(example(run, "Before"))))) == example(run, "After")
