"""Hold the compiler against the reference on one program."""

from __future__ import annotations

import copy
import linecache
import re
import signal
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

import s2sad
from s2sad.errors import CompileError, SourceUnavailable

from . import parts
from .dual import STEP
from .generate import Program
from .parts import Disagreement, Unsteady
from .reference import IllConditioned, Reference, dot, random_tangent, shifted

__all__ = ["FAILURES", "MODES", "Outcome", "check", "normalised"]

#: Relative error allowed between the compiler's derivatives and the reference's.
TOLERANCE = 1e-8

#: Seconds of processor time for one program, compiled and run in every mode.
TIME_LIMIT = 20

#: Seconds for the program itself, on the reference.
REFERENCE_LIMIT = 2

#: Kinds of outcome that are defects of the compiler.
FAILURES = ("crashed", "disagreed")


#: The modes that are compared; ``check`` tries the later ones on some seeds only.
MODES = ("value_and_grad", "jvp", "grad", "vjp", "second", "twice", "forward", "alone")


class Outcome(NamedTuple):
    """What came of a program: accepted, refused, crashed, disagreed or skipped, and why."""

    kind: str
    message: str = ""
    detail: str = ""


class _Timeout(BaseException):
    """The program took too long."""


def check(program: Program, only: str | None = None) -> Outcome:
    """Compare every mode with the reference. ``only`` names a single mode to try."""
    try:
        with _time_limit(REFERENCE_LIMIT):
            return _checked(program, only)
    except _Timeout:
        return Outcome("skipped", "not a valid program: endless")


def _checked(program: Program, only: str | None) -> Outcome:
    try:
        if program.by_differences:
            with _function(program) as f:
                wanted = parts.expected(f, program.args, program.seed)
            return _outcome(program, lambda f: parts.compare(f, wanted, only, program.thorough))
        reference = Reference(program.source, "f", program.args)
        value = reference.value()
        rng = np.random.default_rng(program.seed)
        tangents = [tuple(random_tangent(x, rng) for x in program.args) for _ in range(2)]
        derivatives = [reference.derivative(t) for t in tangents]
        partials = reference.partials(tangents[0]) if program.thorough else {}
    except (IllConditioned, Unsteady) as error:
        return Outcome("skipped", re.sub(r" (is|by|on) .*", "", str(error)))
    except Exception as error:
        return Outcome("skipped", f"not a valid program: {type(error).__name__}")
    return _outcome(program, lambda f: _Modes(program, f, value, tangents, derivatives, partials).run(only))


def _outcome(program: Program, held: Callable[[Callable[..., Any]], None]) -> Outcome:
    """What comes of holding the program's function against what is expected of it."""
    try:
        with _time_limit(TIME_LIMIT), _function(program) as f:
            held(f)
    except Disagreement as error:
        return Outcome("disagreed", str(error).split(":")[0], str(error))
    except _Timeout:
        return Outcome("crashed", "timeout", traceback.format_exc())
    except (CompileError, SourceUnavailable) as error:
        return Outcome("crashed", f"{type(error).__name__}: {normalised(error.message)}", traceback.format_exc())
    except s2sad.S2sadError as error:
        return Outcome("refused", f"{type(error).__name__}: {normalised(error.message)}", str(error))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in where if "/s2sad/" in frame.filename] or list(where)
        last = f"{own[-1].filename.rpartition('/s2sad/')[2]}:{own[-1].name}"
        if where[-1].filename.startswith("<") and where[-1].line:
            last = f"generated code, {normalised(where[-1].line)}"
        return Outcome("crashed", f"{type(error).__name__} in {last}: {normalised(str(error))}", traceback.format_exc())
    return Outcome("accepted")


def normalised(message: str) -> str:
    """The first line of a message without the names and numbers of one program, for grouping."""
    line = message.strip().split("\n")[0]
    line = re.sub(r"`[^`]*`|'[^']*'|\"[^\"]*\"", "…", line)
    return re.sub(r"%?\b[\w.]*\d[\w.]*\b|%[\w.]+", "#", line)[:160]


class _Modes:
    """One method for each mode; each raises where a figure is wrong."""

    def __init__(
        self,
        program: Program,
        f: Callable[..., Any],
        value: float,
        tangents: list[tuple[Any, ...]],
        derivatives: list[float],
        partials: dict[int, float],
    ) -> None:
        self.program, self.f, self.value = program, f, value
        self.tangents, self.derivatives, self.partials = tangents, derivatives, partials
        self.wrt = program.wrt
        self.seed = program.seed

    def run(self, only: str | None) -> None:
        """The gradient and the tangent always, the rest by turns or where the program asks for it."""
        k, all_ = self.seed, self.program.thorough
        turns = (True, True, k % 4 == 0, all_ or k % 4 == 1, k % 8 == 2, k % 32 == 6, k % 8 == 7, all_)
        for name, turn in zip(MODES, turns, strict=True):
            if turn and only in (None, name):
                getattr(self, name)()

    def value_and_grad(self) -> None:
        """Value, gradient along each direction, and no side effects."""
        args = copy.deepcopy(self.program.args)
        value, gradient = s2sad.value_and_grad(self.f, wrt=self.wrt)(*args)
        self._near("value_and_grad value", value, self.value)
        self._untouched("value_and_grad", args)
        self._gradient("value_and_grad", gradient)
        leaves = [x for x in _arrays(gradient)]
        others = [*_arrays(args), *leaves]
        for k, x in enumerate(leaves):
            if any(np.shares_memory(x, y) for y in others[: len(others) - len(leaves) + k]):
                raise Disagreement("value_and_grad: results share memory")

    def grad(self) -> None:
        """The gradient with respect to one argument."""
        args = copy.deepcopy(self.program.args)
        k = self.wrt[self.seed // 4 % len(self.wrt)]
        gradient = s2sad.grad(self.f, wrt=k)(*args)
        self._untouched("grad", args)
        full = s2sad.grad(self.f, wrt=self.wrt)(*args)
        tangent = self.tangents[0][k]
        self._near("grad of one against grad of all", dot(gradient, tangent), dot(full[self.wrt.index(k)], tangent))
        self._gradient("grad", full)

    def alone(self) -> None:
        """Value and gradient by each argument while the others are constants, twice, and one column forward."""
        for k, expected in self.partials.items():
            function = s2sad.value_and_grad(self.f, wrt=k)
            for what in (f"grad by argument {k}", f"grad by argument {k} again"):
                args = copy.deepcopy(self.program.args)
                value, gradient = function(*args)
                self._near(f"{what} value", value, self.value)
                self._near(what, _along(what, gradient, self.tangents[0][k]), expected)
                self._untouched(what, args)
        k = self.wrt[self.seed % len(self.wrt)]
        args = copy.deepcopy(self.program.args)
        jacobian = s2sad.jacobian(self.f, wrt=k, mode="forward")(*args)
        self._near("forward by argument", _along("forward", jacobian, self.tangents[0][k]), self.partials[k])
        self._untouched("jacobian", args)

    def jvp(self) -> None:
        """The tangent along each direction."""
        for tangent, derivative in zip(self.tangents, self.derivatives, strict=True):
            args = copy.deepcopy(self.program.args)
            y, dy = s2sad.jvp(self.f, args, tangent)
            self._near("jvp value", y, self.value)
            self._near("jvp", dy, derivative)
            self._untouched("jvp", args)

    def vjp(self) -> None:
        """Value and pullback, called twice."""
        args = copy.deepcopy(self.program.args)
        y, pullback = s2sad.vjp(self.f, *args)
        self._near("vjp value", y, self.value)
        for ct in (1.0, -0.5):
            cotangents = pullback(ct)
            for tangent, derivative in zip(self.tangents, self.derivatives, strict=True):
                self._near("vjp", _along("vjp", cotangents, tangent), ct * derivative)
        self._untouched("vjp", args)

    def _directional(self) -> Callable[..., float]:
        gradient = s2sad.grad(self.f, wrt=self.wrt)
        direction = [self.tangents[1][k] for k in self.wrt]
        return lambda args: dot(gradient(*args), direction)

    def _difference(self) -> float | None:
        """The derivative of the gradient along both directions; None where two steps do not agree on it."""
        along = self._directional()
        near, far = (self._central(along, step) for step in (STEP, 10 * STEP))
        return near if abs(near - far) <= 1e-5 * (1 + abs(near)) else None

    def _central(self, along: Callable[..., float], step: float) -> float:
        ahead, behind = (
            along([shifted(x, d, h) for x, d in zip(self.program.args, self.tangents[0], strict=True)])
            for h in (step, -step)
        )
        return (ahead - behind) / (2 * step)

    def second(self) -> None:
        """Forward over reverse, against differences of the gradient."""
        args = copy.deepcopy(self.program.args)
        _, dg = s2sad.jvp(s2sad.grad(self.f, wrt=self.wrt), args, self.tangents[0])
        self._near_difference("jvp of grad", dot(dg, [self.tangents[1][k] for k in self.wrt]))

    def twice(self) -> None:
        """Reverse over reverse: the pullback of the gradient along one direction."""
        args = copy.deepcopy(self.program.args)
        _, pullback = s2sad.vjp(s2sad.grad(self.f, wrt=self.wrt), *args)
        back = pullback(tuple(self.tangents[1][k] for k in self.wrt))
        self._near_difference("vjp of grad", dot(back, self.tangents[0]))

    def forward(self) -> None:
        """Forward mode by one argument, against the gradient by it."""
        args = copy.deepcopy(self.program.args)
        k = self.wrt[self.seed // 8 % len(self.wrt)]
        jacobian = s2sad.jacobian(self.f, wrt=k, mode="forward")(*args)
        gradient = s2sad.grad(self.f, wrt=k)(*args)
        tangent = self.tangents[0][k]
        self._near("forward mode by one argument", dot(jacobian, tangent), dot(gradient, tangent))
        self._untouched("jacobian", args)

    def _near_difference(self, what: str, found: float) -> None:
        expected = self._difference()
        if expected is not None:
            self._near(what, found, expected, 3e-5)

    def _gradient(self, mode: str, gradient: Any) -> None:
        for tangent, derivative in zip(self.tangents, self.derivatives, strict=True):
            along = _along(mode, gradient, [tangent[k] for k in self.wrt])
            self._near(mode, along, derivative)

    def _near(self, what: str, found: Any, expected: float, tolerance: float = TOLERANCE) -> None:
        if not abs(float(found) - expected) <= tolerance * (1 + abs(expected)):
            raise Disagreement(f"{what}: {float(found)!r}, not {expected!r}")

    def _untouched(self, mode: str, args: Any) -> None:
        if repr(args) != repr(self.program.args):
            raise Disagreement(f"{mode} arguments changed: {args!r}"[:300])


def _along(mode: str, gradient: Any, direction: Any) -> float:
    try:
        return dot(gradient, direction)
    except (ValueError, TypeError, KeyError) as error:
        raise Disagreement(f"{mode} structure: {error}: {gradient!r}"[:300]) from None


def _arrays(x: Any) -> Iterator[np.ndarray]:
    match x:
        case np.ndarray():
            yield x
        case list() | tuple():
            for item in x:
                yield from _arrays(item)
        case dict():
            yield from _arrays(list(x.values()))


@contextmanager
def _function(program: Program) -> Iterator[Callable[..., Any]]:
    """The program's ``f``, its source where :mod:`inspect` finds it, for the time being."""
    name = f"fuzz_{program.seed}"
    filename = f"<{name}>"
    module = types.ModuleType(name)
    module.__file__ = filename
    linecache.cache[filename] = (len(program.source), None, program.source.splitlines(keepends=True), filename)
    sys.modules[name] = module
    try:
        exec(compile(program.source, filename, "exec", dont_inherit=True), module.__dict__)
        yield module.__dict__["f"]
    finally:
        linecache.cache.pop(filename, None)
        sys.modules.pop(name, None)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def alarm(*_: Any) -> None:
        raise _Timeout

    try:
        previous = signal.signal(signal.SIGPROF, alarm)
    except (ValueError, AttributeError):  # not in the main thread, or no such signal
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
