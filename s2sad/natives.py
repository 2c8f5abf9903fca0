"""Compiled derivatives: found in the cache, or derived and compiled.

What is in the cache needs nothing of what derives: :mod:`s2sad.pipeline` takes longer to import than machine code to
load, so it is imported where something is derived.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from s2sad import compiled, structure
from s2sad.apart import Watch, kept_apart
from s2sad.backends import Backend
from s2sad.errors import CompileError
from s2sad.frontend.specs import Items, Leaf, Spec, Struct, positions_of
from s2sad.guards import outside_reads
from s2sad.heap import collector_paused, keep_freed_memory, room_for_nesting
from s2sad.inlining import Read
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Function
from s2sad.remade import Loaded
from s2sad.retrying import retrying, retrying_pullback
from s2sad.runtime import helpers

if TYPE_CHECKING:
    from s2sad.frontend.lower import Lowered

__all__ = ["NativeVariant", "native_variant"]


@dataclass(frozen=True)
class NativeVariant:
    """A derivative that is compiled: ``derive`` gives what its module is made from, ``loaded`` is what that defines."""

    function: Any
    watch: Watch
    loaded: Loaded
    asked: _Asked
    derive: Callable[[], tuple[Function, str]]

    @property
    def reads(self) -> tuple[Read, ...]:
        """The outside values whose kinds it relies on."""
        return self.loaded.reads

    def text(self) -> str:
        """The derivative as a formatted module, which runs uncompiled."""
        from s2sad.backend.format import format_source

        return format_source(compiled.source(*self.derive()))

    def for_closure(self, fn: Any) -> NativeVariant | None:
        """That of a function made by the same code; None where it may be another."""
        loaded = self.loaded.for_closure(fn)
        if loaded is None:
            return None
        asked = replace(self.asked, fn=fn)
        return asked.variant(loaded, asked.derive)


def native_variant(
    fn: Any, mode: str, wrt: tuple[int | Items, ...], specs: tuple[Spec | None, ...] | None, backend: Backend
) -> NativeVariant:
    """A derivative as machine code for arguments of these specs.

    Raises :class:`~s2sad.errors.S2sadError` where the function cannot be differentiated or compiled.
    """
    keep_freed_memory()
    with collector_paused(), room_for_nesting():
        asked = _Asked(fn, mode, wrt, specs, backend)
        request = compiled.Request(fn, mode, wrt, specs, backend)
        if (stored := compiled.find(request)) is not None:
            loaded = Loaded(fn, stored.function, outside_reads(stored.refs), stored.apart)
            return asked.variant(loaded, asked.derive)
        return asked.made(request)


@dataclass(frozen=True)
class _Asked:
    """A compiled derivative that is asked for."""

    fn: Any
    mode: str
    wrt: tuple[int | Items, ...]
    specs: tuple[Spec | None, ...] | None
    backend: Backend

    def general(self) -> NativeVariant:
        """That for axes of any lengths."""
        return self.beside(equal_lengths=False, lengths=())

    def beside(self, **taken: Any) -> NativeVariant:
        """That which takes something else to be so."""
        return native_variant(self.fn, self.mode, self.wrt, self.specs, replace(self.backend, **taken))

    def with_lengths(self, pair: bool, small: bool, *args: Any) -> Any:
        """The function for arguments of which the same axes have length one as of these.

        ``small``: and for small matrices of the shapes of these, if there are any. None where there is no such axis,
        or a function that gives a pair, or gives none, as asked, cannot be had.
        """
        described = enumerate(zip(args, self.specs or (), strict=False))  # tangents come after what is described
        axes = [axis for n, (value, spec) in described for axis in _short_axes(value, spec, (n,))]
        small = small and any(axis.in_small_matrix for axis in axes)
        lengths = tuple((*axis.place, axis.length) for axis in axes if small or axis.length == 1)
        if not lengths:
            return None
        try:
            function = self.beside(lengths=lengths).function
        except CompileError:  # which says nothing of this one
            return None
        return function if compiled.gives_pair(function) == pair else None

    def for_any_lengths(self, pair: bool) -> Any:
        """The function of that, which gives a pair if this one does: where lengths differ, less is known of them."""
        function = self.general().function
        if compiled.gives_pair(function) == pair:
            return function
        return replace(self, mode="columns").general().function if not pair else lambda *args: (True, function(*args))

    def made(self, request: compiled.Request) -> NativeVariant:
        """Derived, compiled and put in the cache."""
        from s2sad.analysis.apart import to_be_apart
        from s2sad.analysis.effects import shows_effects
        from s2sad.frontend.parse import watched
        from s2sad.pipeline import definition_refs

        equal_lengths = self.backend.equal_lengths
        with watched() as parsed:
            ir, primal, doc = self.derived()
        if equal_lengths and shows_effects(ir):
            return self.general()
        parts = compiled.adapt(ir, equal_lengths)
        apart = to_be_apart(primal.function, primal.refs, primal.apart)
        codes = {function.__code__ for function in parsed}
        refs = *primal.refs, *definition_refs(parsed)
        native = compiled.build(parts, doc, refs, apart, request, codes)
        return self.variant(Loaded(self.fn, native, outside_reads(refs), apart), lambda: (parts.entry, doc))

    def derived(self) -> tuple[Function, Lowered, str]:
        """The IR of the derivative, what it was made from, and the docstring of its module."""
        from s2sad import pipeline

        base, equal_lengths = compiled.base_mode(self.mode), self.backend.equal_lengths
        prepare = functools.partial(
            compiled.prepare,
            equal_lengths=equal_lengths,
            lengths=self.backend.lengths,
            is_scalar=base not in ("jvp", "vjp"),
        )
        function, primal, doc = pipeline.derived(self.fn, base, self.wrt, self.specs, equal_lengths, True, prepare)
        mode = compiled.chosen(function, self.mode, positions_of(self.wrt))
        if compiled.base_mode(mode) != base:
            return replace(self, mode=mode).derived()
        return compiled.swept(function, mode, positions_of(self.wrt)), primal, doc

    def derive(self) -> tuple[Function, str]:
        """What the module is made from, and its docstring."""
        function, _, doc = self.derived()
        return compiled.adapt(function, self.backend.equal_lengths).entry, doc

    def variant(self, loaded: Loaded, derive: Callable[[], tuple[Function, str]]) -> NativeVariant:
        """The derivative, made of a compiled function; made again where it finds that lengths differ."""
        native, refs = loaded.function, loaded.refs
        is_last = not self.backend.equal_lengths or self.backend.lengths
        if not is_last and compiled.may_raise(native, helpers.LENGTHS_DIFFER):
            pair = compiled.gives_pair(native)
            general = functools.cache(functools.partial(self.for_any_lengths, pair))
            retry = functools.partial(retrying_pullback, refs=refs) if self.mode == "vjp" else retrying
            special = functools.partial(self.with_lengths, pair, compiled.calls_for_products(native))
            native = retry(native, lambda *args: general()(*args), special)
        watch = Watch(loaded.apart, refs)
        return NativeVariant(kept_apart(native, watch), watch, loaded, self, derive)


_SHORT, _SMALL = 3, 9  #: how long axes are, and how many numbers a matrix has, that are taken to be always so


@dataclass(frozen=True)
class _ShortAxis:
    """An axis that has few items: the place of the array in the arguments, with the number of the axis at the end."""

    place: tuple[Any, ...]
    length: int
    in_small_matrix: bool


def _short_axes(value: Any, spec: Spec | None, place: tuple[Any, ...]) -> Iterator[_ShortAxis]:
    """The axes of length one of the arrays in an argument, and those of small rows; not in lists."""
    match spec:
        case Leaf(Array()):
            small = [0 < math.prod(value.shape[k:]) <= _SMALL and n <= _SHORT for k, n in enumerate(value.shape)]
            matrix = value.ndim == 2 and all(small) and 1 not in value.shape
            yield from (_ShortAxis((*place, k), n, matrix) for k, n in enumerate(value.shape) if n == 1 or small[k])
        case Struct(keys=keys, items=items) if (found := structure.parts(value)) is not None:
            for key, item, inner in zip(keys, found[1], items, strict=True):
                yield from _short_axes(item, inner, (*place, key))
