"""Numba's compiler as derivatives use it: with :mod:`s2sad.compiled.instructions` at its end.

What that takes is imported when something is compiled: machine code that is read from disk needs nothing of it.
"""

from __future__ import annotations

from typing import Any

from numba.core.compiler import CompilerBase, DefaultPassBuilder

__all__ = ["DerivativeCompiler"]


class DerivativeCompiler(CompilerBase):
    """Numba's pipeline with another last pass; where code for debuggers is asked for, as it is."""

    def define_pipelines(self) -> list[Any]:
        """The only pipeline."""
        from numba.core.typed_passes import NativeLowering, NopythonTypeInference

        from s2sad.compiled.instructions import DerivativeLowering, DerivativeTypes

        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        if not self.state.flags.debuginfo:
            own = {NopythonTypeInference: DerivativeTypes, NativeLowering: DerivativeLowering}
            manager.passes = [(own.get(p, p), what) for p, what in manager.passes]
            manager.finalize()
        return [manager]
