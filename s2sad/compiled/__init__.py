"""The compiled tier: derivatives as machine code, through Numba.

::

    request = Request(fn, mode, wrt, specs, backend)
    found = find(request)                              # in the cache, by what it depends on
    parts = adapt(function)                            # the derivative IR, made ready for Numba
    compiled = build(parts, doc, refs, apart, request, seen)  # a file in the cache, and the function it defines

What is found in the cache needs none of what derives, and does not import it.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from s2sad.analysis.held import Apart
from s2sad.compiled import entries, loading
from s2sad.compiled.entries import Request, find
from s2sad.compiled.errors import IF_FEWER, NotWhole
from s2sad.ir.nodes import Function, Ref

if TYPE_CHECKING:
    from s2sad.compiled.boundary import Split
    from s2sad.frontend.lower import Lowered

__all__ = [
    "NotWhole",
    "Request",
    "adapt",
    "base_mode",
    "build",
    "calls_for_products",
    "chosen",
    "find",
    "gives_pair",
    "may_raise",
    "prepare",
    "source",
    "swept",
]

#: The modes that are Jacobians in one call, and those that they are made of. Of "either" the result is a pair:
#: whether the columns are no more than the rows, and the Jacobian if so. Where that is known for any arguments, it is
#: the Jacobian; the name of the function tells.
_SWEEPS = {"columns": "jvp", "either": "jvp", "rows": "vjp"}


def base_mode(mode: str) -> str:
    """The mode of the derivative that one is made of."""
    return _SWEEPS.get(mode, mode)


def swept(function: Function, mode: str, wrt: tuple[int, ...]) -> Function:
    """The derivative for a mode, of that for its base mode; raises :class:`NotWhole`."""
    if mode not in _SWEEPS:
        return function
    from s2sad.compiled.sweeps import swept

    return swept(function, mode, wrt)


def chosen(function: Function, mode: str, wrt: tuple[int, ...]) -> str:
    """The mode for "either" where it is known which, of a derivative for its base mode; raises :class:`NotWhole`."""
    if mode not in _SWEEPS:
        return mode
    from s2sad.compiled.sweeps import chosen

    return chosen(function, mode, wrt)


def gives_pair(function: Callable[..., Any]) -> bool:
    """Whether a compiled function for "either" gives a pair."""
    return function.__name__.endswith(IF_FEWER)


def prepare(
    lowered: Lowered, equal_lengths: bool, lengths: Iterable[tuple[Any, ...]] = (), is_scalar: bool = False
) -> Lowered:
    """A function made ready to be differentiated for this tier; ``equal_lengths`` as for :func:`adapt`.

    ``is_scalar``: it is to give a number. ``lengths`` as in :class:`~s2sad.backends.Backend`; an axis of something in a
    list is let be.
    """
    from s2sad.analysis.memory import Memory
    from s2sad.compiled.absent import flags_of_items
    from s2sad.compiled.axes_by_cases import axes_by_cases
    from s2sad.compiled.begun_in_single import tell_begun_in_single
    from s2sad.compiled.called import prepare_called
    from s2sad.compiled.choices import choices_as_branches
    from s2sad.compiled.classes import tell_classes
    from s2sad.compiled.convolved import tell_convolved
    from s2sad.compiled.dtypes import tell_dtypes
    from s2sad.compiled.either import tell_apart
    from s2sad.compiled.histories import histories_as_arrays
    from s2sad.compiled.keyed import dicts_as_tuples
    from s2sad.compiled.layouts import need_rows, orders_checked, orders_dropped
    from s2sad.compiled.lists_given import given_lists_as_arrays
    from s2sad.compiled.meant import none_as_meant
    from s2sad.compiled.missing_axes import refuse_missing_axes
    from s2sad.compiled.mixed_widths import refuse_mixed_widths
    from s2sad.compiled.narrow import refuse_half
    from s2sad.compiled.new_axes import tell_new_axes
    from s2sad.compiled.nothing import refuse_records_of_none
    from s2sad.compiled.one_item import tell_numbers
    from s2sad.compiled.parted import tell_parted
    from s2sad.compiled.pooled import dicts_of_places
    from s2sad.compiled.powers import tell_powers
    from s2sad.compiled.short_lists import short_lists_as_numbers
    from s2sad.compiled.squeezed import tell_squeezed
    from s2sad.compiled.there import result_there
    from s2sad.compiled.tiles import tell_tiles
    from s2sad.compiled.totals import begin_as_arrays
    from s2sad.compiled.within import check_places
    from s2sad.optimise.first_lengths import take_lengths
    from s2sad.transform.overlaps import settle_overlaps

    lowered = replace(lowered, function=given_lists_as_arrays(lowered.function))
    lowered = replace(lowered, function=result_there(lowered.function, lowered.derived, is_scalar))
    refuse_half(lowered.function)
    refuse_mixed_widths(lowered.function)
    refuse_missing_axes(lowered.function)
    axes = [(p, k, n) for *place, k, n in lengths if (p := lowered.at(place)) is not None]
    lowered = dicts_of_places(dicts_as_tuples(tell_classes(short_lists_as_numbers(lowered))))
    lowered = flags_of_items(replace(lowered, function=none_as_meant(lowered.function)))
    refuse_records_of_none(lowered.function)
    if equal_lengths:
        lowered = replace(lowered, function=histories_as_arrays(lowered.function))
    lowered = replace(lowered, function=take_lengths(axes_by_cases(lowered.function), axes))
    lowered = replace(lowered, function=prepare_called(lowered.function))
    lowered = need_rows(tell_squeezed(lowered, equal_lengths))
    lowered = tell_powers(tell_tiles(tell_parted(tell_numbers(tell_new_axes(tell_dtypes(tell_convolved(lowered)))))))
    lowered = tell_begun_in_single(tell_apart(begin_as_arrays(lowered, equal_lengths)))
    function = choices_as_branches(lowered.function)
    function = orders_dropped(orders_checked(settle_overlaps(function, Memory(function))))
    return replace(lowered, function=check_places(function))


def adapt(function: Function, equal_lengths: bool = False) -> Split:
    """The derivative, parted and made ready for Numba."""
    from s2sad.compiled.lower import lower

    return lower(function, equal_lengths)


def build(
    parts: Split,
    doc: str,
    refs: tuple[Ref, ...],
    apart: Apart,
    request: Request,
    parsed: Collection[types.CodeType],
) -> Callable[..., Any]:
    """The compiled function, kept in the cache; ``parsed`` is the code that the derivation has read."""
    from s2sad.compiled import module
    from s2sad.compiled.lower import link_libraries

    emitted = module.emitted(link_libraries(parts), doc)
    path = loading.keep(emitted, request.backend)
    entries.record(request, emitted, path, refs, apart, parsed)
    return loading.load(path, emitted.name, emitted.bindings, emitted.line_map, request.backend)


def may_raise(function: Callable[..., Any], message: str) -> bool:
    """Whether the module of a compiled function has an error with this message in it."""
    return message in loading.text_of(function)


def calls_for_products(function: Callable[..., Any]) -> bool:
    """Whether the module of a compiled function calls a library for products of matrices, or for linear algebra."""
    text = loading.text_of(function)
    return any(mark in text for mark in (" @ ", "np.linalg."))


def source(entry: Function, doc: str) -> str:
    """The text of the module, to be formatted."""
    from s2sad.compiled import module

    return module.text(entry, doc).text
