"""The data outside a function that it reads."""

from __future__ import annotations

from types import ModuleType

from s2sad.frontend.callees import is_library_module
from s2sad.ir.nodes import Atom, Block, Function, Ref
from s2sad.ir.rewrite import map_atoms

__all__ = ["data_refs", "hint_of"]


def data_refs(node: Function | Block) -> dict[Ref, None]:
    """The values outside that a function reads, but for constants of libraries, in order of first mention."""
    found: dict[Ref, None] = {}

    def use(a: Atom) -> Atom:
        if type(a) is Ref and not _is_constant(a):
            found[a] = None
        return a

    map_atoms(node, use)
    return found


def hint_of(ref: Ref) -> str:
    """What a variable that holds the value may be called."""
    return ref.path[0] if ref.path[-1] == "cell_contents" else ref.path[-1]


def _is_constant(ref: Ref) -> bool:
    """Whether a reference is to a type, function or constant that emitted text may name."""
    library = isinstance(ref.root, ModuleType) and is_library_module(ref.root.__name__)
    return library or callable(ref.value) or isinstance(ref.value, ModuleType)
