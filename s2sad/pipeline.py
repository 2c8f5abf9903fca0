"""The pass list of each mode: from a Python function to a compiled derivative."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from s2sad.analysis.activity import Activity, carries_derivative
from s2sad.errors import S2sadError
from s2sad.frontend.lower import Lowered, Lowerer, lower
from s2sad.frontend.specs import Spec
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Block, Closure, Const, Function, Op, Var
from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.memory import Memory
from s2sad.optimise.pipeline import optimise
from s2sad.transform.assemble import derivative

__all__ = ["Variant", "compile_variant", "derivative_source", "dump", "lowered_source"]


@dataclass
class Variant:
    """A compiled derivative for one signature."""

    function: Any
    ir: Function
    emitted: Any
    refs: tuple[Any, ...] = ()

    def text(self) -> str:
        """The derivative as a formatted module."""
        from s2sad.backend import format_source

        return format_source(self.emitted.text)


def derive(fn: Any, mode: str, wrt: tuple[int, ...], specs: tuple[Spec, ...] | None) -> tuple[Function, Lowered]:
    """The optimised IR of a derivative, and the primal it came from."""
    lowered = lower(fn, specs)
    function = derivative(lowered, mode, wrt)
    return optimise(function), lowered


def compile_variant(fn: Any, mode: str, wrt: tuple[int, ...], specs: tuple[Spec, ...] | None) -> Variant:
    """Compile a derivative for arguments of these specs."""
    from s2sad.backend import emit, load

    function, lowered = derive(fn, mode, wrt, specs)
    emitted = emit([function], doc=doc_of(lowered, mode))
    loaded = load(emitted, function.name)
    return Variant(loaded, function, emitted, lowered.refs)


def doc_of(lowered: Lowered, mode: str) -> str:
    """The docstring of a derivative module."""
    origin = lowered.function.origin
    where = f"{origin.filename}:{origin.lineno}" if origin is not None else "an unknown place"
    return f"{mode} of {lowered.function.name}, from {where}."
