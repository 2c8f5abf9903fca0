"""The pass list of each mode: from a Python function to a compiled derivative."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, is_dataclass, replace
from inspect import Signature
from pathlib import Path
from types import FunctionType
from typing import Any, TypeAlias

from s2sad.analysis.apart import to_be_apart
from s2sad.apart import Watch, kept_apart
from s2sad.backend.callables import is_library
from s2sad.backend.emit import emit
from s2sad.backend.format import format_source
from s2sad.backend.load import load
from s2sad.draws import generators_in
from s2sad.frontend.derivatives import register_operators
from s2sad.frontend.lower import Lowered
from s2sad.frontend.parse import watched
from s2sad.frontend.places import DEFINITION, HELD, HeldItems
from s2sad.frontend.specs import Items, Spec
from s2sad.guards import outside_reads
from s2sad.heap import collector_paused, keep_freed_memory, room_for_nesting
from s2sad.inlining import Read
from s2sad.ir.kinds import Other
from s2sad.ir.nodes import Function, Origin, Ref
from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.lowerings import lowered, with_rows
from s2sad.optimise import optimise, stages
from s2sad.optimise.early import record_early
from s2sad.optimise.known_arrays import call_by_arrays
from s2sad.optimise.outer import sum_outer_products
from s2sad.optimise.taken import go_by_what_is_there
from s2sad.optimise.trips import count_rounds
from s2sad.optimise.updates import augment_items
from s2sad.remade import Loaded
from s2sad.transform.assemble import derivative
from s2sad.transform.callees import link
from s2sad.transform.protect import protect
from s2sad.use import Told, told_by_use

__all__ = [
    "Variant",
    "compile_variant",
    "definition_refs",
    "derivative_source",
    "derived",
    "dump",
    "lowered_source",
    "positions",
]

#: The last passes where Python runs the text.
_AS_PYTHON = {
    "outer": sum_outer_products,
    "arrays": call_by_arrays,
    "updates": augment_items,
    "taken": go_by_what_is_there,
    "rounds": count_rounds,
    "early": record_early,
}

Specs: TypeAlias = tuple[Spec | None, ...] | None


@dataclass(frozen=True)
class Variant:
    """A compiled derivative for one signature.

    ``function`` is the callable, ``asked`` what was asked for, and ``derive`` gives the IR, and the docstring of the
    module; ``watch`` looks at arguments before they are passed or copied, and ``loaded`` is the function without that.
    ``drawing`` are the generators, if they are known.
    """

    function: Any
    watch: Watch
    loaded: Loaded
    asked: _Asked
    derive: Callable[[], tuple[Function, str]]
    drawing: tuple[Any, ...] | None = None

    @property
    def reads(self) -> tuple[Read, ...]:
        """The outside values whose kinds it relies on."""
        return self.loaded.reads

    @property
    def ir(self) -> Function:
        """What it was made from."""
        return self.derive()[0]

    @property
    def generators(self) -> tuple[Any, ...]:
        """The generators of random numbers outside that it draws from (:func:`~s2sad.draws.generators_in`)."""
        return generators_in(self.ir) if self.drawing is None else self.drawing

    def text(self) -> str:
        """The derivative as a formatted module."""
        function, doc = self.derive()
        signature = _signature(self.loaded.fn, function)
        return format_source(emit([function], doc=doc, style="text", signature=signature).text)

    def for_closure(self, fn: Any) -> Variant | None:
        """That of a function made by the same code; None where it may be another."""
        loaded = self.loaded.for_closure(fn)
        if loaded is None:
            return None
        asked, drawing = replace(self.asked, fn=fn), self.generators
        found = asked.variant(loaded, functools.cache(asked.derive))
        return found if any(isinstance(g, Ref) for g in drawing) else replace(found, drawing=drawing)


@dataclass(frozen=True)
class _Asked:
    """A derivative that is asked for."""

    fn: Any
    mode: str
    wrt: tuple[int | Items, ...]
    specs: Specs

    def derive(self) -> tuple[Function, str]:
        """The IR, and the docstring of the module."""
        function, _, doc = derived(self.fn, self.mode, self.wrt, self.specs)
        return function, doc

    def variant(self, loaded: Loaded, derive: Callable[[], tuple[Function, str]]) -> Variant:
        """The variant, of the function of a module."""
        watch = Watch(loaded.apart, loaded.refs)
        return Variant(kept_apart(loaded.function, watch), watch, loaded, self, derive)


@functools.cache
def _know_operators() -> None:
    from s2sad import api

    register_operators(api)


def compile_variant(fn: Any, mode: str, wrt: tuple[int | Items, ...], specs: Specs) -> Variant:
    """Compile a derivative for arguments of these specs.

    Raises :class:`~s2sad.errors.S2sadError` where the function cannot be differentiated.
    """
    keep_freed_memory()
    with collector_paused(), room_for_nesting():
        with watched() as parsed:
            function, primal, doc = derived(fn, mode, wrt, specs)
        reads = outside_reads((*primal.refs, *definition_refs(parsed)))
        apart = to_be_apart(primal.function, primal.refs, primal.apart)
        loaded = Loaded(fn, load(emit([function], doc=doc), function.name), reads, apart)
        return _Asked(fn, mode, wrt, specs).variant(loaded, lambda: (function, doc))


def _signature(fn: Any, derivative: Function) -> Signature | None:
    """How a function takes its arguments, if its derivative takes the same."""
    signature = inspect.signature(fn, follow_wrapped=False)
    return signature if len(signature.parameters) == len(derivative.params) else None


def definition_refs(functions: Iterable[FunctionType]) -> tuple[Ref, ...]:
    """The code and defaults of functions, as what a derivative relies on: none of this package or a library.

    Tools that load a module again as its file changes assign new ones to the functions that there are.
    """
    packages = ((f, (f.__module__ or "").partition(".")[0]) for f in functions)
    own = (f for f, package in packages if package != "s2sad" and not is_library(package))
    named = sorted(own, key=lambda f: (f.__code__.co_filename, f.__code__.co_firstlineno, f.__qualname__))
    parts: list[tuple[tuple[str, ...], FunctionType, Any]]
    parts = [((name,), f, getattr(f, name)) for f in named for name in DEFINITION]
    parts += [(("__kwdefaults__", HELD), f, HeldItems(f.__kwdefaults__)) for f in named if f.__kwdefaults__]
    return tuple(Ref((f.__name__, *at), f, part, Other(type(part))) for at, f, part in parts if part is not None)


def derived(
    fn: Any,
    mode: str,
    wrt: tuple[int | Items, ...],
    specs: Specs,
    equal_lengths: bool = False,
    fuses: bool = False,
    prepare: Callable[[Lowered], Lowered] = lambda lowered: lowered,
) -> tuple[Function, Lowered, str]:
    """The IR of a derivative, ready to be emitted, what it was made from, and the docstring of its module."""
    _know_operators()
    told = Told(specs) if fuses else told_by_use(fn, mode, specs)

    def derive(rows: frozenset[type]) -> tuple[Lowered, Function]:
        primal = prepare(lowered(fn, told.specs, rows))
        return primal, derivative(primal, mode, wrt, equal_lengths, fuses, told.on_trust)

    prepared, function = with_rows(derive)
    function = optimise(function)
    for last in () if fuses else _AS_PYTHON.values():
        function = last(function)
    function = link(protect(function))
    return function, prepared, describe(prepared, mode)


def describe(primal: Lowered, mode: str) -> str:
    """The docstring of a derivative module."""
    origin = primal.function.origin
    where = "" if origin is None or origin.filename.startswith("<s2sad") else f", from {_shown(origin)}"
    return f"{mode} of {primal.function.name}{where}."


def _shown(origin: Origin) -> str:
    """A place as its package would have it: the text of a module is the same on every machine."""
    path = Path(origin.filename)
    if not path.is_file():  # a prompt, a notebook
        return f"{origin.filename}:{origin.lineno}"
    path = path.resolve()
    root = path.parent
    while (root / "__init__.py").is_file():
        root = root.parent
    return f"{path.relative_to(root).as_posix()}:{origin.lineno}"


def _positions(fn: Any, wrt: Any, primal: Lowered, mode: str) -> tuple[int, ...]:
    """Parameter positions from a ``wrt`` as given to the command or API."""
    from s2sad.analysis.activity import carries_derivative
    from s2sad.transform.assemble import leaves_of

    names = [p.hint for p in primal.params]
    if wrt is None:
        taken = [None if _is_plain_object(t) else t for t in primal.templates]
        return tuple(k for k, t in enumerate(taken) if any(carries_derivative(v.kind) for v in leaves_of(t)))
    found = []
    for w in wrt if isinstance(wrt, tuple | list) else (wrt,):
        if isinstance(w, str) and w not in names:
            raise ValueError(f"{getattr(fn, '__name__', fn)} has no parameter {w!r}")
        found.append(names.index(w) if isinstance(w, str) else w)
    for template in [primal.templates[k] for k in found if k < len(names)]:
        if _is_plain_object(template):
            raise TypeError(f"a {template[0].__name__} has no float to differentiate by; name another with --wrt")
    return tuple(found)


def _is_plain_object(template: Any) -> bool:
    """Whether an argument is an object of an ordinary class, which derivatives have no structure for."""
    if not isinstance(template, tuple):
        return False
    cls = template[0]
    return not (issubclass(cls, tuple | list | dict) or is_dataclass(cls))


def derivative_source(fn: Any, mode: str, wrt: Any, specs: Specs = None) -> str:
    """The text of a derivative module; without specs for arguments of kinds known from annotations and use."""
    return compile_variant(fn, mode, positions(fn, mode, wrt, specs), specs).text()


def positions(fn: Any, mode: str, wrt: Any, specs: Specs = None) -> tuple[int, ...]:
    """Parameter positions from a ``wrt`` as given to the command; for None, those of all that have derivatives."""
    _know_operators()
    return _positions(fn, wrt, lowered(fn, specs), mode)


def lowered_source(fn: Any, specs: Specs = None) -> str:
    """The three-address form of a function."""
    _know_operators()
    return show(lowered(fn, told_by_use(fn, "lower", specs).specs).function)


def dump(fn: Any, mode: str, wrt: Any, stop_after: str | None = None, specs: Specs = None) -> Iterator[tuple[str, str]]:
    """Each stage of the compilation by name, with what it produced as text; ends after ``stop_after``."""
    for name, text in _stages(fn, mode, wrt, specs):
        yield name, text
        if name == stop_after:
            return


def _stages(fn: Any, mode: str, wrt: Any, specs: Specs) -> Iterator[tuple[str, str]]:
    _know_operators()
    told = told_by_use(fn, mode, specs)
    primal = lowered(fn, told.specs)
    verify(primal.function)
    yield "lower", show(primal.function)
    if mode == "lower":
        return

    def derive(rows: frozenset[type]) -> tuple[Lowered, Function]:
        primal = lowered(fn, told.specs, rows)
        verify(primal.function)
        return primal, derivative(primal, mode, _positions(fn, wrt, primal, mode), on_trust=told.on_trust)

    first, (primal, function) = primal, with_rows(derive)
    if primal is not first:
        yield "rows", show(primal.function)
    yield "differentiate", show(function)
    seen: dict[str, int] = {}
    for name, stage in stages(function):
        function = stage
        seen[name] = seen.get(name, 0) + 1
        yield f"{name}-{seen[name]}" if seen[name] > 1 else name, show(function)
    for name, last in _AS_PYTHON.items():
        function = last(function)
        yield name, show(function)
    function = protect(function)
    yield "protect", show(function)
    function = link(function)
    emitted = emit([function], doc=describe(primal, mode), style="text", signature=_signature(fn, function))
    yield "emit", emitted.text
    yield "format", format_source(emitted.text)
