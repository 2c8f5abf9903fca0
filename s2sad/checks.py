"""Numerical checks of derivatives: both modes against central differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from s2sad import structure
from s2sad.dispatch import Derivative, guarded, variants_of
from s2sad.tangents import is_float_leaf, units, zero
from s2sad.targets import Target

__all__ = ["GradientCheck"]

_EACH = 24  # an argument with so few floats is checked one by one


class GradientCheck(Derivative):
    """Called with arguments, compares derivatives of the function there with central differences."""

    def __init__(self, f: Callable[..., Any], mode: str = "check_grads", wrt: Any = 0, backend: Any = "python") -> None:
        super().__init__(f, mode, wrt, backend)

    def _entry(self) -> Callable[..., Any]:
        def entry(*args: Any, **kwargs: Any) -> None:
            self.dispatch(self._binder.values(*args, **kwargs))

        return entry

    def dispatch(self, values: tuple[Any, ...]) -> None:
        """Check at these values of the parameters of ``fn``."""
        arguments, specs = self._prepared(values)
        forward, reverse = (
            variants_of(self.fn, mode, self._backend).fitting(self._wrt.independents, specs, arguments)[1].function
            for mode in ("jvp", "vjp")
        )
        y, pullback = guarded(reverse, *map(structure.copied, arguments))
        random = np.random.default_rng(0)
        ct = structure.map_leaves(lambda leaf: _draw(leaf, random), y)
        cotangents = guarded(pullback, ct)
        for i, key in self._wrt.picks:
            position = self.positions[i]
            argument = arguments[position] if key is None else arguments[position][key]
            name = _argument_name(self._target, position, key)
            for direction in _directions(argument, random):
                tangents = [structure.map_leaves(zero, arguments[p]) for p in self.positions]
                tangents[i] = direction if key is None else structure.replaced(tangents[i], (key,), direction)
                moved = {position: tangents[i]}
                expected = _difference(lambda a: _dot(ct, self._value(a)), arguments, moved)
                _, dy = guarded(forward, *map(structure.copied, arguments), *tangents)
                cotangent = cotangents[i] if key is None else cotangents[i][key]
                self._compare(name, "forward", _dot(ct, dy), expected)
                self._compare(name, "reverse", _dot(cotangent, direction), expected)

    def _value(self, arguments: tuple[Any, ...]) -> Any:
        """The function itself, called on arguments of its own."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for p, value in zip(self._target.parameters, map(structure.copied, arguments), strict=True):
            match p.kind:
                case p.VAR_POSITIONAL:
                    args += value
                case p.VAR_KEYWORD:
                    kwargs |= value
                case p.KEYWORD_ONLY:
                    kwargs[p.name] = value
                case _:
                    args.append(value)
        return self.fn(*args, **kwargs)

    def _compare(self, name: str, mode: str, found: float, expected: tuple[float, float]) -> None:
        value, tolerance = expected
        if not abs(found - value) <= tolerance and not (math.isnan(found) and math.isnan(value)):
            raise AssertionError(
                f"the derivative of {self.__name__} by {name} in {mode} mode is {found!r}, "
                f"but central differences give {value!r} (tolerance {tolerance:.1e})"
            )


def _argument_name(target: Target, position: int, key: Any) -> str:
    name = target.parameters[position].name
    return f"argument {name!r}" if key is None else f"argument {name}[{key!r}]"


def _draw(leaf: Any, random: np.random.Generator) -> Any:
    """A random tangent of a leaf, None where it has none."""
    if not is_float_leaf(leaf):
        return None
    drawn = random.uniform(-1.0, 1.0, np.shape(leaf))
    if np.iscomplexobj(leaf):
        drawn = drawn + 1j * random.uniform(-1.0, 1.0, np.shape(leaf))
    return np.asarray(drawn, dtype=leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(drawn)


def _directions(argument: Any, random: np.random.Generator) -> Iterator[Any]:
    """Tangents to check along: a random one, and each coordinate if there are few."""
    yield structure.map_leaves(lambda leaf: _draw(leaf, random), argument)
    floats = [(path, leaf) for path, leaf in structure.paths(argument) if is_float_leaf(leaf)]
    if sum(np.size(leaf) for _, leaf in floats) <= _EACH:
        zeros = structure.map_leaves(zero, argument)
        for path, leaf in floats:
            for unit in units(leaf):
                yield structure.replaced(zeros, path, unit)
                if np.iscomplexobj(leaf):
                    yield structure.replaced(
                        zeros, path, unit * leaf.dtype.type(1j) if hasattr(leaf, "dtype") else unit * 1j
                    )


def _dot(a: Any, b: Any) -> float:
    """A cotangent on a tangent, over the leaves that are floats in both: the real part, without a conjugate."""
    pairs = zip(structure.leaves(a), structure.leaves(b), strict=True)
    return float(sum(np.dot(np.ravel(x), np.ravel(y)).real for x, y in pairs if is_float_leaf(x) and is_float_leaf(y)))


def _difference(
    f: Callable[[tuple[Any, ...]], float], arguments: tuple[Any, ...], moved: dict[int, Any]
) -> tuple[float, float]:
    """The derivative of ``f`` along a direction by central differences, and how far it may be trusted."""
    leaves = [(a, d) for i, v in moved.items() for a, d in zip(*map(structure.leaves, (arguments[i], v)), strict=True)]
    floats = [(a, d) for a, d in leaves if is_float_leaf(a)]
    epsilon = max(float(np.finfo(np.asarray(a).dtype).eps) for a, _ in floats)
    scale = max(float(np.max(np.abs(a), initial=0.0)) for a, _ in floats) or 1.0
    step = epsilon ** (1 / 4) * scale
    coarse, fine = (_slope(f, arguments, moved, h) for h in (step, step / 2))
    value = (4.0 * fine - coarse) / 3.0
    rounding = epsilon * (abs(f(arguments)) + 1.0) / step
    return value, 100.0 * rounding + abs(fine - coarse) / 3.0 + epsilon**0.5 * (1.0 + abs(value))


def _slope(f: Callable[[tuple[Any, ...]], float], arguments: tuple[Any, ...], moved: dict[int, Any], h: float) -> float:
    ahead, behind = (f(_moved(arguments, moved, s)) for s in (h, -h))
    return (ahead - behind) / (2.0 * h)


def _moved(arguments: tuple[Any, ...], moved: dict[int, Any], step: float) -> tuple[Any, ...]:
    return tuple(_added(a, moved[i], step) if i in moved else a for i, a in enumerate(arguments))


def _added(value: Any, direction: Any, step: float) -> Any:
    found = structure.parts(value)
    if found is None:
        return _step(value, direction, step) if is_float_leaf(value) else value
    ways = structure.parts(direction)
    assert ways is not None
    return structure.rebuilt(value, [_added(v, d, step) for v, d in zip(found[1], ways[1], strict=True)])


def _step(leaf: Any, direction: Any, step: float) -> Any:
    return leaf + type(leaf)(step) * direction if isinstance(leaf, np.generic) else leaf + step * direction
