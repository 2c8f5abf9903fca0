"""Numba's compiler as derivatives use it: with passes in the place of some of Numba's own.

What that takes is imported when something is compiled: machine code that is read from disk needs nothing of it.
"""

from __future__ import annotations

from typing import Any

from numba.core.compiler import CompilerBase, DefaultPassBuilder

__all__ = ["DerivativeCompiler"]


class DerivativeCompiler(CompilerBase):
    """Numba's pipeline with other passes; where code for debuggers is asked for, as it is."""

    def define_pipelines(self) -> list[Any]:
        """The only pipeline."""
        from numba.core.typed_passes import (
            IRLegalization,
            NativeLowering,
            NopythonRewrites,
            NopythonTypeInference,
            PreLowerStripPhis,
        )
        from numba.core.untyped_passes import GenericRewrites, InlineClosureLikes, IRProcessing, ReconstructSSA

        from s2sad.compiled.instructions import DerivativeLowering, DerivativeTypes
        from s2sad.compiled.lifetimes import (
            DerivativeDeletions,
            DerivativeForms,
            DerivativeProcessing,
            DerivativeStrips,
        )
        from s2sad.compiled.omitting import DerivativeClosures, DerivativeRewrites
        from s2sad.compiled.versions import DerivativeVersions

        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        if not self.state.flags.debuginfo:
            own = {
                IRProcessing: DerivativeProcessing,
                GenericRewrites: DerivativeForms,
                PreLowerStripPhis: DerivativeStrips,
                IRLegalization: DerivativeDeletions,
                InlineClosureLikes: DerivativeClosures,
                ReconstructSSA: DerivativeVersions,
                NopythonTypeInference: DerivativeTypes,
                NopythonRewrites: DerivativeRewrites,
                NativeLowering: DerivativeLowering,
            }
            manager.passes = [(own.get(p, p), what) for p, what in manager.passes]
            manager.finalize()
        return [manager]
