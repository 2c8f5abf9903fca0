"""Numba's passes without what Numba finds after each of them, and nobody asks for: which variables live where.

After each pass Numba goes over the function until nothing changes, twice: for the variables that must be there where a
block begins, and for those that are. The first is asked for where deletions are put in, once, and the second where code
is made that calls Python, or a generator. For long functions that is a good part of what Numba's passes take.

Requires: functions of derivatives: none is a generator, or has ``with`` or ``literal_unroll`` in it. Of a version of
Numba that does other things there, all is done.
Ensures: the IR that Numba makes.

>>> from numba import njit
>>> from s2sad.compiled.machine import DerivativeCompiler
>>> @njit(pipeline_class=DerivativeCompiler)
... def total(n):
...     s = 0
...     for i in range(n):
...         s += i
...     return s
...
>>> total(5)
10
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from typing import Any

from numba.core import postproc, transforms
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import IRLegalization, PreLowerStripPhis
from numba.core.untyped_passes import GenericRewrites, IRProcessing

__all__ = ["DerivativeDeletions", "DerivativeForms", "DerivativeProcessing", "DerivativeStrips", "without_lifetimes"]

_whole: Any = postproc.PostProcessor.run
#: What Numba's method calls and sets, as read from its code.
_NAMES = {"canonicalize_cfg", "VariableLifetime", "compute_live_variables", "_insert_var_dels"}


def _reduced(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """What Numba's method does, but for the variables that there are where a block begins."""
    function = self.func_ir
    if function.is_generator:
        _whole(self, emit_dels, extend_lifetimes)
        return
    function.blocks = transforms.canonicalize_cfg(function.blocks)
    function.variable_lifetime = _Lifetimes(function.blocks)  # finds what it is asked for
    function.generator_info = None
    if emit_dels:
        self._insert_var_dels(extend_lifetimes=extend_lifetimes)


class _Lifetimes(postproc.VariableLifetime):
    """Numba's, with the names that are needed where blocks begin found in integers."""

    @cached_property
    def livemap(self) -> dict[int, set[str]]:
        """The names that each block, or one after it, may read as they are where it begins."""
        return live_names(self.cfg, self._blocks, self.usedefs.usemap, self.usedefs.defmap)


def live_names(cfg: Any, blocks: Any, used: dict[int, set[str]], bound: dict[int, set[str]]) -> dict[int, set[str]]:
    """What ``numba.core.analysis.compute_live_map`` gives: for each block, the names to be there where it begins."""
    bits: dict[str, int] = {}

    def packed(names: set[str]) -> int:
        return sum(1 << bits.setdefault(name, len(bits)) for name in names)

    uses, binds = ({b: packed(names[b]) for b in blocks} for names in (used, bound))
    order = list(cfg.topo_order())
    after, before = ({b: [n for n, _ in ways(b)] for b in order} for ways in (cfg.successors, cfg.predecessors))
    #: what may be bound where a block ends: no name is needed before
    reached = _settled({b: uses[b] | binds[b] for b in blocks}, order, after, lambda own, _: own)
    live = _settled(uses, order[::-1], before, lambda own, b: own & reached[b] & ~binds[b])
    table = list(bits)
    return {b: {table[k] for k in _places(live[b])} for b in blocks}


def _settled(
    start: dict[int, int], order: list[int], ways: dict[int, list[int]], passed: Callable[[int, int], int]
) -> dict[int, int]:
    """The least sets with all that blocks start with, and what is passed on to those that their ways lead to."""
    found = dict(start)
    changed = True
    while changed:
        changed = False
        for b in order:
            for n in ways[b]:
                new = found[n] | passed(found[b], n)
                changed |= new != found[n]
                found[n] = new
    return found


def _places(number: int) -> Iterator[int]:
    """The bits that are set."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


@cache
def _is_known() -> bool:
    """Whether Numba's method is the one that is known here."""
    code = getattr(_whole, "__code__", None)
    return code is not None and set(code.co_names) >= _NAMES


@contextmanager
def without_lifetimes() -> Iterator[None]:
    """While one pass of Numba's runs, which compiles nothing else."""
    processor: Any = postproc.PostProcessor
    with global_compiler_lock:
        before = processor.run
        if _is_known():
            processor.run = _reduced
        try:
            yield
        finally:
            processor.run = before


@register_pass(mutates_CFG=True, analysis_only=False)
class DerivativeProcessing(IRProcessing):
    """Brings the blocks into order."""

    _name: Any = "s2sad_processing"

    def run_pass(self, state: Any) -> bool:
        """Do what Numba's does."""
        with without_lifetimes():
            return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class DerivativeForms(GenericRewrites):
    """Rewrites what is written before types are known."""

    _name: Any = "s2sad_forms"

    def run_pass(self, state: Any) -> bool:
        """Do what Numba's does."""
        with without_lifetimes():
            return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class DerivativeStrips(PreLowerStripPhis):
    """Makes assignments of what joins where paths meet."""

    _name: Any = "s2sad_strips"

    def run_pass(self, state: Any) -> bool:
        """Do what Numba's does."""
        with without_lifetimes():
            return bool(super().run_pass(state))


@register_pass(mutates_CFG=False, analysis_only=True)
class DerivativeDeletions(IRLegalization):
    """Puts in where variables are deleted."""

    _name: Any = "s2sad_deletions"

    def run_pass(self, state: Any) -> bool:
        """Do what Numba's does."""
        with without_lifetimes():
            return bool(super().run_pass(state))
