"""What the command prints: a derivative for arguments of any kinds, or for those of an example."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from s2sad import structure
from s2sad.frontend.specs import Spec

__all__ = ["Example", "Printed", "example_of"]


@dataclass(frozen=True)
class Example:
    """The arguments of a call."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


def example_of(text: str, names: Mapping[str, Any]) -> Example:
    """The arguments that ``text`` writes as a call does, evaluated among ``names``.

    Raises SyntaxError where no call could be written so, and whatever evaluating raises.

    >>> example_of("2.0, [1, 2], steps=n", {"n": 3})
    Example(args=(2.0, [1, 2]), kwargs={'steps': 3})
    """
    tree = ast.parse(f"_(\n{text}\n)", "--for", "eval")
    if not isinstance(tree.body, ast.Call) or not isinstance(tree.body.func, ast.Name):
        raise SyntaxError("this is not what stands between the brackets of a call")
    collect = {"_": lambda *args, **kwargs: Example(args, kwargs)}
    example: Example = eval(compile(tree, "--for", "eval"), {**names, **collect})
    return example


@dataclass(frozen=True)
class Printed:
    """A derivative of ``fn`` as it is asked for on the command line.

    ``wrt`` is None for all parameters that have derivatives; without an ``example`` the arguments are of any kinds.
    """

    fn: Callable[..., Any]
    mode: str
    wrt: Any = None
    backend: str = "python"
    example: Example | None = None

    def source(self) -> str:
        """The text of the derivative's module, or the three-address form.

        Raises :class:`~s2sad.errors.S2sadError` for what cannot be differentiated or compiled, TypeError where the
        example is no call of the function.
        """
        from s2sad import pipeline

        described = self._described()
        if self.mode == "lower":
            return pipeline.lowered_source(self.fn, *described)
        if self.example is not None:
            return str(self._derivative(described).source_for(*self.example.args, **self.example.kwargs))
        if self.backend != "python" or described:
            return str(self._derivative(described).source)
        return pipeline.derivative_source(self.fn, self.mode, self.wrt)

    def stages(self, stop_after: str | None) -> Iterator[tuple[str, str]]:
        """The program after each stage of the Python tier, by name; ends after ``stop_after``."""
        from s2sad import pipeline

        described = self._described()
        if self.example is None or self.mode == "lower":
            return pipeline.dump(self.fn, self.mode, self.wrt, stop_after, *described)
        derivative = self._derivative(described)
        specs = derivative.specs_for(*self.example.args, **self.example.kwargs)
        return pipeline.dump(derivative.fn, self.mode, derivative.positions, stop_after, specs)

    def untold(self) -> tuple[str, ...]:
        """The parameters of which nothing tells whether they are numbers or arrays, or of how many axes."""
        from s2sad.ir.kinds import Array, Numeric, Other
        from s2sad.lowerings import lowered
        from s2sad.use import told_by_use

        if self.example is not None or self.mode == "lower":
            return ()
        found = []
        for p in lowered(self.fn, told_by_use(self.fn, self.mode).specs).params:
            match p.kind:
                case Numeric() | Other(None) | Array(rank=None):
                    found.append(p.hint)
        return tuple(found)

    def _derivative(self, described: list[tuple[Spec | None, ...]]) -> Any:
        """The derivative as the operators have it."""
        from s2sad import pipeline
        from s2sad.dispatch import Derivative
        from s2sad.targets import target_of

        wrt = self.wrt
        if wrt is None:
            parameters = target_of(self.fn).parameters  # by name: the object of a method is not counted by operators
            wrt = tuple(parameters[k].name for k in pipeline.positions(self.fn, self.mode, None, *described))
        return Derivative(self.fn, self.mode, wrt, self.backend)

    def _described(self) -> list[tuple[Spec | None, ...]]:
        """The specs of the parameters in the example; without one that of the object whose method this is, if any.

        Raises TypeError where the example is no call.
        """
        from s2sad.sweeps import Caller
        from s2sad.targets import target_of

        if self.example is None:
            if not isinstance(self.fn, types.MethodType):
                return []
            target = target_of(self.fn)
            known = {n: structure.describe(value) for n, value in target.bound.items()}
            return [tuple(known.get(p.name) for p in target.parameters)] if known else []
        try:
            values = Caller(self.fn).binder.values(*self.example.args, **self.example.kwargs)
        except TypeError as error:
            raise TypeError(f"{error}; its arguments in --for are those of a call") from error
        return [tuple(map(structure.describe, values))]
