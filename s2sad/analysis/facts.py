"""What the passes ask of one function, found when first asked and kept while the function stays as it is."""

from __future__ import annotations

from functools import cached_property

from s2sad.analysis.effects import only_computes
from s2sad.analysis.light import asked_for_metadata
from s2sad.analysis.memory import Memory
from s2sad.analysis.sections import Sections
from s2sad.analysis.whole import Whole
from s2sad.ir.nodes import Function, Op, Store, Var
from s2sad.ir.rewrite import use_counts, walk

__all__ = ["Facts"]


class Facts:
    """The facts of one function.

    They may be shared by passes that leave the function as it is. A pass that changes it may
    tell ``memory`` what it equates, as the facts end with it; it copies ``uses`` to change them.
    """

    def __init__(self, function: Function) -> None:
        self.function = function

    @cached_property
    def memory(self) -> Memory:
        """Who shares memory with whom."""
        return Memory(self.function, lambda: self.uses)

    @cached_property
    def sections(self) -> Sections:
        """Which elements of arrays are touched where."""
        return Sections(self.function)

    @cached_property
    def uses(self) -> dict[Var, int]:
        """How often each variable is read."""
        return use_counts(self.function)

    @cached_property
    def light(self) -> frozenset[Var]:
        """The variables of which only metadata is asked."""
        return asked_for_metadata(self.function)

    @cached_property
    def whole(self) -> Whole:
        """The indices that pick all of an array."""
        return Whole(walk(self.function))

    @cached_property
    def stores(self) -> bool:
        """Whether there is a store."""
        return any(type(s) is Store for s in walk(self.function))

    @cached_property
    def still(self) -> bool:
        """Whether nothing is written, and nothing unknown is called, as far as a glance at each operation tells."""
        for s in walk(self.function):
            if type(s) is Op:
                if not only_computes(s.fn) or (s.kwargs and any(k == "out" for k, _ in s.kwargs)):
                    return False
            elif type(s) is Store:
                return False
        return True
