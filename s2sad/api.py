"""The operators: what the package is for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from s2sad.checks import GradientCheck
from s2sad.dispatch import Derivative
from s2sad.jacobians import Hessian, HessianProduct, Jacobian
from s2sad.runtime.stop import stop_gradient
from s2sad.sweeps import jvp, vjp

__all__ = [
    "check_grads",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]


def grad(f: Callable[..., Any] | None = None, *, wrt: Any = 0, backend: str = "python") -> Any:
    """The gradient of a function that returns a scalar.

    A decorator (``@grad`` or ``@grad(wrt="x")``) or a plain call.  ``wrt`` is a parameter's
    index or name, or a tuple of these; the gradient has the structure of the argument, and is
    a tuple for a tuple.  The result is called as ``f`` is; its ``source`` is the text of the
    derivative.

    >>> grad(lambda x: x**3)(2.0)
    12.0
    """
    if f is None:
        return functools.partial(grad, wrt=wrt, backend=backend)
    return Derivative(f, "grad", wrt, backend)


def value_and_grad(f: Callable[..., Any] | None = None, *, wrt: Any = 0, backend: str = "python") -> Any:
    """The value and the gradient of a function, as a pair: see :func:`grad`.

    >>> value_and_grad(lambda x, y: x * y, wrt=("x", "y"))(3.0, 2.0)
    (6.0, (2.0, 3.0))
    """
    if f is None:
        return functools.partial(value_and_grad, wrt=wrt, backend=backend)
    return Derivative(f, "value_and_grad", wrt, backend)


def jacobian(f: Callable[..., Any], *, wrt: Any = 0, mode: str = "auto") -> Derivative:
    """The Jacobian: for arrays, of the shape of the output followed by that of the input.

    Structures of outputs and inputs nest, outputs outside.  ``mode`` is ``"forward"`` (one
    sweep per element of the inputs), ``"reverse"`` (one per element of the outputs), or
    ``"auto"``: the one that takes fewer.
    """
    return Jacobian(f, mode, wrt)


def hessian(f: Callable[..., Any], *, wrt: Any = 0) -> Derivative:
    """The Hessian of a function that returns a scalar, forward over reverse.

    >>> hessian(lambda x: x**3)(2.0)
    12.0
    """
    return Hessian(f, wrt=wrt)


def hvp(f: Callable[..., Any], *, wrt: Any = 0) -> Derivative:
    """Products of the Hessian with a vector: ``hvp(f)(*args, v)``, at the cost of a few gradients.

    ``v`` is like the argument differentiated by, or a tuple if ``wrt`` is one.

    >>> hvp(lambda x: x**3)(2.0, 10.0)
    120.0
    """
    return HessianProduct(f, wrt=wrt)


def check_grads(f: Callable[..., Any], *, wrt: Any = 0) -> Derivative:
    """``check_grads(f)(*args)`` compares both modes with central differences at these arguments.

    Raises AssertionError that names the argument, the mode and both figures.
    """
    return GradientCheck(f, wrt=wrt)
