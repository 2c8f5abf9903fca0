"""Single assignment for Numba's IR, in time that grows as the function does.

Numba goes over the whole function twice for each variable that is assigned more than once: of a function twice as long,
with twice as many of these, it makes four times the work. Here each of its steps is given the blocks that have the
variable, and those where several values of it may meet.

Requires: Numba's IR before types; the steps of Numba's own pass. Of a version that has other steps, the pass is taken.
Ensures: the IR that Numba makes.

>>> from numba import njit
>>> from s2sad.compiled.machine import DerivativeCompiler
>>> def steps(x):
...     for i in range(3):
...         x += i
...     for i in range(4):
...         x *= i + 1
...     return x
...
>>> njit(pipeline_class=DerivativeCompiler)(steps)(1.0)
96.0
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import cache
from typing import Any

from numba.core import ssa
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler_machinery import register_pass
from numba.core.ir_utils import build_definitions
from numba.core.postproc import PostProcessor
from numba.core.untyped_passes import ReconstructSSA

from s2sad.compiled.lifetimes import without_lifetimes

__all__ = ["DerivativeVersions"]

#: The steps of Numba's pass, and what they take.
_STEPS = {
    "_iterated_domfronts": ["cfg"],
    "_find_defs_violators": ["blocks", "cfg"],
    "_CacheListVars": [],
    "_fresh_vars": ["blocks", "varname"],
    "_fix_ssa_vars": ["blocks", "varname", "defmap", "cfg", "df_plus", "cache_list_vars"],
    "_compute_phi_locations": ["iterated_df", "defmap"],
}


@register_pass(mutates_CFG=False, analysis_only=False)
class DerivativeVersions(ReconstructSSA):
    """The pass that takes the place of Numba's."""

    _name: Any = "s2sad_versions"

    def run_pass(self, state: Any) -> bool:
        """Give each variable one assignment."""
        if not _are_there():
            return bool(super().run_pass(state))
        function = state.func_ir
        function.blocks = _of_one_assignment(function.blocks)
        self._patch_locals(state)
        function._definitions = build_definitions(function.blocks)
        with without_lifetimes():
            PostProcessor(function).run(emit_dels=False)
        return True


@cache
def _are_there() -> bool:
    """Whether this Numba has the steps."""
    steps = ((getattr(ssa, name, None), takes) for name, takes in _STEPS.items())
    return all(step is not None and list(inspect.signature(step).parameters) == takes for step, takes in steps)


def _of_one_assignment(blocks: dict[int, Any]) -> dict[int, Any]:
    steps: Any = ssa
    cfg = compute_cfg_from_blocks(blocks)
    meeting = steps._iterated_domfronts(cfg)
    known = steps._CacheListVars()
    wanted = steps._find_defs_violators(blocks, cfg)
    where = _where(blocks, wanted)
    order = {label: n for n, label in enumerate(blocks)}
    blocks = dict(blocks)
    for name in wanted:
        part, assigned = steps._fresh_vars({label: blocks[label] for label in where[name]}, name)
        part |= {label: blocks[label] for label in steps._compute_phi_locations(meeting, assigned) if label not in part}
        part = {label: part[label] for label in sorted(part, key=order.__getitem__)}
        blocks |= steps._fix_ssa_vars(part, name, assigned, cfg, meeting, known)
    return blocks


def _where(blocks: dict[int, Any], names: Iterable[str]) -> dict[str, dict[int, None]]:
    """The blocks that have each variable, in their order."""
    where: dict[str, dict[int, None]] = {name: {} for name in names}
    for label, block in blocks.items():
        for statement in block.body:
            for var in statement.list_vars():
                if var.name in where:
                    where[var.name][label] = None
    return where
