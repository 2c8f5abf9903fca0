"""Builders for the peers: each turns a program written for one library into what is timed.

A library is imported when its contestant is built. One that is not installed raises ImportError, and its column has
a dash. Every peer gets its inputs in its own form beforehand, and its outputs stay in that form.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from tests.benchmarks.program import Builder, Run

__all__ = ["by_autograd", "by_casadi", "by_jax", "by_numba", "by_numpy", "by_torch", "compiled", "enable_jax"]

Make = Callable[[], Callable[..., Any]]  #: returns a function of the program's arguments, written for the library


def by_numpy(derivative: Callable[..., Any]) -> Builder:
    """A derivative written by hand, run as it stands."""
    return lambda *args: functools.partial(derivative, *args)


def by_numba(derivative: Callable[..., Any]) -> Builder:
    """A derivative written by hand for Numba: plain Python that is compiled here, with what it calls."""

    def build(*args: Any) -> Run:
        run = compiled(derivative)
        args = tuple(compiled(a) if isinstance(a, FunctionType) else a for a in args)
        return functools.partial(run, *args)

    return build


@functools.cache
def compiled(function: FunctionType) -> Any:
    """The function under ``numba.njit``, and the Python functions it calls likewise.

    Division follows IEEE (``error_model``), as in NumPy: Numba's users ask for it since loops with a test for zero do
    not become vector code.
    """
    from numba import njit

    found = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    callees = {name: compiled(f) for name, f in found.items() if isinstance(f, FunctionType)}
    namespace = {**function.__globals__, **callees}
    copy = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__)
    return njit(error_model="numpy")(copy)


def enable_jax() -> Any:
    """The module, in 64 bits, running what it is asked to where it is asked: handing work to a thread takes longer."""
    import jax

    jax.config.update("jax_cpu_enable_async_dispatch", False)
    jax.config.update("jax_enable_x64", True)
    return jax


def by_jax(make: Make, wrt: tuple[int, ...] = (0,), operator: str = "grad") -> Builder:
    """A gradient (or ``jacfwd``) under ``jit``, of arrays on the device; numbers and functions are constants to it."""

    def build(*args: Any) -> Run:
        jax = enable_jax()
        function = make()
        traced = [i for i, a in enumerate(args) if i in wrt or not isinstance(a, int | float | FunctionType)]

        def of_traced(*values: Any) -> Any:
            full = list(args)
            for i, value in zip(traced, values, strict=True):
                full[i] = value
            return function(*full)

        derivative = jax.jit(getattr(jax, operator)(of_traced, tuple(traced.index(i) for i in wrt)))
        inputs = jax.tree.map(jax.numpy.asarray, [args[i] for i in traced])
        return lambda: jax.block_until_ready(derivative(*inputs))

    return build


def by_torch(make: Make, wrt: tuple[int, ...] = (0,)) -> Builder:
    """A gradient by ``torch.autograd``."""

    def build(*args: Any) -> Run:
        import torch

        torch.set_num_threads(1)
        function = make()
        inputs = [_mapped(lambda a: torch.tensor(np.asarray(a)), a) for a in args]
        leaves = [leaf for i in wrt for leaf in _leaves(inputs[i])]
        for leaf in leaves:
            leaf.requires_grad_(True)
        return lambda: torch.autograd.grad(function(*inputs), leaves)

    return build


def by_autograd(make: Make, wrt: tuple[int, ...] = (0,)) -> Builder:
    """A gradient by HIPS autograd."""

    def build(*args: Any) -> Run:
        import autograd

        return functools.partial(autograd.grad(make(), wrt), *args)

    return build


def by_casadi(make: Callable[..., Any]) -> Builder:
    """A derivative by CasADi: ``make(casadi, *args)`` gives the function of it and its inputs.

    It is called through its buffers, which skips the conversion of arguments and results.
    """

    def build(*args: Any) -> Run:
        import casadi

        function, inputs = make(casadi, *args)
        buffer, trigger = function.buffer()
        inputs = [np.ascontiguousarray(a, dtype=float) for a in inputs]
        outputs = [np.zeros(function.size_out(i)[::-1]) for i in range(function.n_out())]  # columns are contiguous
        for i, a in enumerate(inputs):
            buffer.set_arg(i, memoryview(a))
        for i, a in enumerate(outputs):
            buffer.set_res(i, memoryview(a))

        keep = buffer, inputs, outputs  # the trigger has but addresses

        def run() -> Any:
            trigger()
            return keep[2]

        return run

    return build


def _mapped(f: Callable[[Any], Any], value: Any) -> Any:
    """A structure of arrays with each array mapped; numbers and functions are left."""
    match value:
        case dict():
            return {key: _mapped(f, item) for key, item in value.items()}
        case tuple() if hasattr(value, "_fields"):
            return type(value)(*(_mapped(f, item) for item in value))
        case list() | tuple():
            return type(value)(_mapped(f, item) for item in value)
        case np.ndarray():
            return f(value)
    return value


def _leaves(value: Any) -> list[Any]:
    """The tensors of a structure, in order."""
    match value:
        case dict():
            return [leaf for item in value.values() for leaf in _leaves(item)]
        case list() | tuple():
            return [leaf for item in value for leaf in _leaves(item)]
    return [value]
