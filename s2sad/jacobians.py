"""Jacobians, Hessians and Hessian-vector products, made of forward and reverse sweeps.

A Jacobian block of an output and an input, both arrays, has the shape of the output followed
by that of the input; structures of outputs and inputs nest, outputs outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial, wraps
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from s2sad import structure
from s2sad.backends import Backend
from s2sad.dispatch import Derivative, Variants, guarded, variants_of
from s2sad.draws import Draws
from s2sad.errors import CompileError
from s2sad.frontend.signatures import vector_name
from s2sad.frontend.specs import Spec
from s2sad.guards import Case
from s2sad.tangents import is_float_leaf, is_whole, like, naming, units, zero
from s2sad.targets import Target, plain_target

__all__ = ["Hessian", "HessianProduct", "Jacobian"]

_SWEEPS = ("auto", "forward", "reverse")
_IN_ONE_CALL = {"auto": "either", "forward": "columns", "reverse": "rows"}
Arguments = tuple[Any, ...]


class _Swept(Derivative):
    """A derivative that calls compiled ones several times."""

    def _slots(self, arguments: Arguments) -> list[tuple[int, tuple[Any, ...], Any]]:
        """For each thing asked for: which of the positions it is in, the way there, and the value."""
        slots = []
        for i, key in self._wrt.picks:
            value = arguments[self.positions[i]]
            slots.append((i, (), value) if key is None else (i, (key,), value[key]))
        return slots

    def _compiled(self, specs: tuple[Spec, ...], backend: Backend) -> tuple[Any, ...]:
        return ()

    def _zeros(self, arguments: Arguments) -> list[Any]:
        """Zero tangents of the arguments differentiated by."""
        return [structure.map_leaves(zero, arguments[p]) for p in self.positions]


def _either(columns: Callable[..., Any], make_rows: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
    """A Jacobian by columns, or by rows where they are fewer."""
    rows: list[Callable[..., Any]] = []

    @wraps(columns)
    def run(*args: Any) -> Any:
        enough, jacobian = columns(*args)
        if enough:
            return jacobian
        if not rows:
            rows.append(make_rows())
        return rows[0](*args)

    return run


class Jacobian(_Swept):
    """All first derivatives, by columns (forward) or by rows (reverse)."""

    def __init__(self, f: Callable[..., Any], sweep: str = "auto", wrt: Any = 0, backend: Any = "python") -> None:
        if sweep not in _SWEEPS:
            raise ValueError(f"mode={sweep!r} is not one of {', '.join(map(repr, _SWEEPS))}")
        self.sweep = sweep
        self._apart: set[tuple[Spec | None, ...]] = set()  # arguments for which one call does not do it all
        self._chosen: dict[Callable[..., Any], Callable[..., Any]] = {}
        self._outside: dict[Any, tuple[Any, ...]] = {}
        super().__init__(f, "jacobian", wrt, backend)

    def _options(self) -> tuple[Any, ...]:
        return self.sweep, self.wrt, self._backend

    def _make_variants(self) -> Variants:
        return variants_of(self._target.fn, "vjp" if self.sweep == "reverse" else "jvp", self._backend)

    def dispatch(self, values: Arguments) -> Any:
        """The Jacobian for these values of the parameters of ``fn``."""
        arguments, specs = self._prepared(values)
        if (whole := self._whole(specs, arguments)) is not None:
            self._learn(values, arguments, whole)
            return guarded(whole.function, *arguments)
        sweep = _Sweep(self._slots(arguments))
        if self.sweep != "reverse":
            specs, variant = self._variants.fitting(self.positions, specs, arguments)
            draws = Draws(arguments, self._generators(variant))
            columns = self._columns(variant.function, arguments, sweep, draws)
            first = next(columns)
            if self.sweep == "forward" or sweep.outputs >= sweep.inputs or sweep.is_complex:
                return sweep.from_columns([first, *columns], self._wrt.single)
            draws.again()
        return self._row_by_row(specs, *arguments)

    def _generators(self, variant: Any) -> tuple[Any, ...]:
        """The generators of random numbers that a variant finds outside; a compiled one is refused such."""
        function = variant.function
        if function not in self._outside:
            self._outside[function] = getattr(variant, "generators", ())
        return self._outside[function]

    def _row_by_row(self, specs: tuple[Spec, ...], *arguments: Any) -> Any:
        """The Jacobian by single calls of a pullback."""
        sweep = _Sweep(self._slots(arguments))
        variants = variants_of(self._target.fn, "vjp", self._backend)
        reverse = variants.fitting(self.positions, specs, arguments)[1].function
        return sweep.from_rows(self._rows(reverse, arguments, sweep), self._wrt.single)

    def _whole(self, specs: tuple[Spec, ...] | None, values: Arguments | None = None) -> Case | None:
        """What computes all of the Jacobian in one call of compiled code; None for no such thing."""
        if not self._backend.compiled or not self._wrt.plain or specs is None or specs in self._apart:
            return None
        from s2sad.compiled import NotWhole, gives_pair

        variants = variants_of(self._variants.fn, _IN_ONE_CALL[self.sweep], self._backend)
        try:
            if values is None:
                variant = variants.get(self.positions, specs)
            else:
                specs, variant = variants.fitting(self.positions, specs, values)
        except (NotWhole, CompileError):  # which single sweeps, compiled as well, meet too if nothing helps
            self._apart.add(specs)
            return None
        function = variant.function
        if gives_pair(function):
            function = self._chosen.setdefault(function, _either(function, partial(self._by_rows, specs)))
        return Case(specs, function, reads=variant.reads, compiled=True)

    def _compiled(self, specs: tuple[Spec, ...], backend: Backend) -> tuple[Any, ...]:
        from s2sad.compiled import NotWhole, gives_pair

        def of(mode: str) -> Any:
            return variants_of(self._variants.fn, mode, backend).get(self.positions, specs).function

        try:
            first = of(_IN_ONE_CALL[self.sweep])
            return (first, of("rows")) if gives_pair(first) else (first,)
        except NotWhole:
            return ()

    def _text(self, specs: tuple[Spec | None, ...] | None) -> str:
        known = () if specs is None else tuple(s for s in specs if s is not None)
        if specs is None or len(known) < len(specs) or self._whole(known) is None:
            return super()._text(specs)
        text: str = (
            variants_of(self._variants.fn, _IN_ONE_CALL[self.sweep], self._backend).get(self.positions, known).text()
        )
        return text

    def _by_rows(self, specs: tuple[Spec, ...]) -> Any:
        """The function that computes the Jacobian by rows, where that by columns can be computed in one call."""
        from s2sad.compiled import NotWhole

        try:
            return variants_of(self._variants.fn, "rows", self._backend).get(self.positions, specs).function
        except (NotWhole, CompileError):
            return partial(self._row_by_row, specs)

    def _columns(
        self, forward: Callable[..., Any], arguments: Arguments, sweep: _Sweep, draws: Draws
    ) -> Iterator[list[Any]]:
        """The tangents of the output leaves for each element of the inputs in turn."""
        zeros = self._zeros(arguments)
        directions = ((i, path, unit) for i, path, leaf in sweep.sources for unit in units(leaf))
        for i, path, unit in directions if sweep.inputs else [(0, None, None)]:
            tangents = list(zeros)
            if path is not None:
                tangents[i] = structure.replaced(zeros[i], path, unit)
            draws.again()
            y, dy = guarded(forward, *arguments, *tangents)
            sweep.see(y)
            yield [leaf for _, leaf in _matching(dy, sweep.targets)]

    def _rows(self, reverse: Callable[..., Any], arguments: Arguments, sweep: _Sweep) -> list[list[Any]]:
        """The cotangents of the input leaves for each element of the outputs in turn."""
        y, pullback = guarded(reverse, *arguments)
        sweep.see(y)
        if sweep.is_complex:
            raise TypeError('the function gives complex numbers, whose derivatives come by columns: use mode="forward"')
        zeros = structure.map_leaves(zero, y)
        rows = []
        for path, leaf in sweep.targets:
            for unit in units(leaf):
                cotangents = guarded(pullback, structure.replaced(zeros, path, unit))
                rows.append([_at(cotangents[i], path) for i, path, _ in sweep.sources])
        return rows


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key] if isinstance(value, tuple | list | dict) else getattr(value, key)
    return value


def _matching(value: Any, targets: Sequence[tuple[tuple[Any, ...], Any]]) -> list[tuple[tuple[Any, ...], Any]]:
    return [(path, _at(value, path)) for path, _ in targets]


class _Sweep:
    """What a Jacobian is taken of: the float leaves of inputs and outputs, and how results are put together."""

    def __init__(self, slots: list[tuple[int, tuple[Any, ...], Any]]) -> None:
        self.slots = slots
        self.sources = [
            (i, (*way, *path), leaf)
            for i, way, value in slots
            for path, leaf in structure.paths(value)
            if is_float_leaf(leaf)
        ]
        if any(np.iscomplexobj(leaf) for _, _, leaf in self.sources):
            raise TypeError("a function of complex numbers has no matrix of derivatives in general: use jvp or vjp")
        self.inputs = sum(np.size(leaf) for _, _, leaf in self.sources)
        self.output: Any = None
        self.targets: list[tuple[tuple[Any, ...], Any]] = []

    @property
    def outputs(self) -> int:
        """The number of floats in the output."""
        return sum(np.size(leaf) for _, leaf in self.targets)

    @property
    def is_complex(self) -> bool:
        """Whether there are complex numbers in the output: their derivatives come by columns only."""
        return any(np.iscomplexobj(leaf) for _, leaf in self.targets)

    def see(self, output: Any) -> None:
        """Take note of the structure of the output."""
        if not self.targets:
            self.output = output
            self.targets = [(p, leaf) for p, leaf in structure.paths(output) if is_float_leaf(leaf)]
            if not self.targets:
                raise TypeError(f"the function returns {naming(output)}, which has no float to differentiate")

    def from_columns(self, columns: list[list[Any]], single: bool) -> Any:
        """The Jacobian from tangents of outputs."""
        blocks: dict[tuple[int, int], Any] = {}
        start = 0
        for s, (_, _, source) in enumerate(self.sources):
            stop = start + np.size(source)
            for t, (_, target) in enumerate(self.targets):
                blocks[t, s] = _block([column[t] for column in columns[start:stop]], target, source, -1)
            start = stop
        return self._assembled(blocks, single)

    def from_rows(self, rows: list[list[Any]], single: bool) -> Any:
        """The Jacobian from cotangents of inputs."""
        blocks: dict[tuple[int, int], Any] = {}
        start = 0
        for t, (_, target) in enumerate(self.targets):
            stop = start + np.size(target)
            for s, (_, _, source) in enumerate(self.sources):
                blocks[t, s] = _block([row[s] for row in rows[start:stop]], target, source, 0)
            start = stop
        return self._assembled(blocks, single)

    def _assembled(self, blocks: dict[tuple[int, int], Any], single: bool) -> Any:
        """Blocks nested as outputs of inputs."""
        t = iter(range(len(self.targets)))

        def of_output(leaf: Any) -> Any:
            return self._of_inputs(blocks, next(t), single) if is_float_leaf(leaf) else None

        return structure.map_leaves(of_output, self.output)

    def _of_inputs(self, blocks: dict[tuple[int, int], Any], t: int, single: bool) -> Any:
        s = iter(range(len(self.sources)))

        def of_input(leaf: Any) -> Any:
            if is_float_leaf(leaf):
                return blocks[t, next(s)]
            return _zero_block(self.targets[t][1]) if is_whole(leaf) else None

        values = tuple(structure.map_leaves(of_input, value) for _, _, value in self.slots)
        return values[0] if single else values


def _zero_block(target: Any) -> Any:
    """The block of an output and an integer."""
    return np.zeros_like(target) if isinstance(target, np.ndarray) else 0.0


def _block(pieces: list[Any], target: Any, source: Any, axis: int) -> Any:
    """One block of a Jacobian, from its columns (axis -1) or rows (axis 0)."""
    shape = np.shape(target) + np.shape(source)
    if not isinstance(target, np.ndarray) and not isinstance(source, np.ndarray):
        return pieces[0]
    if not pieces:
        return np.zeros(shape, dtype=np.result_type(target, source))
    return np.stack(pieces, axis=axis).reshape(shape)


class _Second(_Swept):
    """A derivative of the gradient: what it compiles is the forward derivative of that."""

    def _make_variants(self) -> Variants:
        if self._target.primitive:  # each call of which is differentiated for itself
            return super()._make_variants()
        names = tuple(self._target.parameters[p].name for p in self.positions)
        return variants_of(_gradient(structure.canonical(self.fn), names), "jvp", self._backend)


class _Gradient(Derivative):
    """The gradient of a function as it is compiled, by whole parameters, bare if by one."""

    by_own_parameters = True

    def _aim(self, f: Callable[..., Any]) -> Target:
        return plain_target(f)


@lru_cache(maxsize=16)  # each holds what is in the cells of a closure
def _gradient(fn: Callable[..., Any], names: tuple[str, ...]) -> Derivative:
    return _Gradient(fn, "grad", names[0] if len(names) == 1 else names)


class Hessian(_Second, Jacobian):
    """The second derivatives of a function that returns a scalar: forward over reverse."""

    def __init__(self, f: Callable[..., Any], sweep: str = "forward", wrt: Any = 0, backend: Any = "python") -> None:
        super().__init__(f, sweep, wrt, backend)
        self.mode = "hessian"

    def dispatch(self, values: Arguments) -> Any:
        """The Hessian for these values of the parameters of ``fn``."""
        return self._wrt.select(super().dispatch(values))


class HessianProduct(_Second):
    """The product of the Hessian with a vector: the tangent of the gradient along it."""

    def __init__(self, f: Callable[..., Any], mode: str = "hvp", wrt: Any = 0, backend: Any = "python") -> None:
        super().__init__(f, mode, wrt, backend)

    def _signature(self) -> Signature:
        """That of the function, and the vector last of what is given by position."""
        parameters = list(self._target.signature.parameters.values())
        self._vector = vector_name(self._target.signature.parameters)
        if any(p.kind is Parameter.VAR_POSITIONAL for p in parameters):
            return self._target.signature
        ahead = [p.replace(default=p.empty) for p in parameters if p.kind <= Parameter.POSITIONAL_OR_KEYWORD]
        kind = Parameter.POSITIONAL_ONLY if ahead and ahead[-1].kind == 0 else Parameter.POSITIONAL_OR_KEYWORD
        return Signature([*ahead, Parameter(self._vector, kind), *parameters[len(ahead) :]])

    def _install(self) -> None:
        def entry(*args: Any, **kwargs: Any) -> Any:
            args, vector = self._split(args, kwargs)
            if self._target.primitive:
                derivative, values = self._for_call(args, kwargs)
                return derivative(*values, vector)
            return self._product(self._binder.values(*args, **kwargs), vector)

        type(self).__call__ = staticmethod(entry)  # type: ignore[method-assign]

    def _split(self, args: Arguments, kwargs: dict[str, Any]) -> tuple[Arguments, Any]:
        """The arguments of the function, and the vector."""
        if self._vector in kwargs:
            return args, kwargs.pop(self._vector)
        if not args:
            raise TypeError(f"the Hessian-vector product of {self.__name__} takes the vector as its last argument")
        return args[:-1], args[-1]

    def source_for(self, *args: Any, **kwargs: Any) -> str:
        """The source specialised to arguments (and a vector) like these."""
        args, _ = self._split(args, kwargs)
        return super().source_for(*args, **kwargs)

    def _product(self, values: Arguments, vector: Any) -> Any:
        arguments, specs = self._prepared(values)
        tangents = self._zeros(arguments)
        for (i, way, value), v in zip(self._slots(arguments), self._vectors(vector), strict=True):
            tangents[i] = structure.replaced(tangents[i], way, like(value, v, "the vector"))
        forward = self._variants.fitting(self.positions, specs, arguments)[1].function
        _, product = guarded(forward, *arguments, *tangents)
        return self._wrt.select(structure.detached(product, (arguments, tangents)))

    def _vectors(self, vector: Any) -> Sequence[Any]:
        if self._wrt.single:
            return (vector,)
        if not isinstance(vector, tuple | list) or len(vector) != len(self._wrt.picks):
            raise TypeError(f"the vector must be a tuple of {len(self._wrt.picks)}, as wrt is")
        return vector
