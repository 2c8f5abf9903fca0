"""The operators: what the package is for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from s2sad.backends import PYTHON, backend_of
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


def grad(f: Callable[..., Any] | None = None, *, wrt: Any = 0, backend: str = PYTHON, fastmath: bool = False) -> Any:
    """The gradient of a function that returns a scalar.

    A decorator (``@grad`` or ``@grad(wrt="x")``) or a plain call.  ``wrt`` is a parameter's
    index or name, or a tuple of these; the gradient has the structure of the argument, and is
    a tuple for a tuple.  The result is called as ``f`` is; its ``source`` is the text of the
    derivative.  ``backend="numba"`` compiles it to machine code (functions decorated with
    ``numba.njit`` come back so without being asked for); ``fastmath=True`` then gives up the
    order of sums, NaN and infinities for speed.

    >>> grad(lambda x: x**3)(2.0)
    12.0
    """
    if f is None:
        return functools.partial(grad, wrt=wrt, backend=backend, fastmath=fastmath)
    return Derivative(f, "grad", wrt, backend_of(backend, fastmath, f))


def value_and_grad(
    f: Callable[..., Any] | None = None, *, wrt: Any = 0, backend: str = PYTHON, fastmath: bool = False
) -> Any:
    """The value and the gradient of a function, as a pair: see :func:`grad`.

    >>> value_and_grad(lambda x, y: x * y, wrt=("x", "y"))(3.0, 2.0)
    (6.0, (2.0, 3.0))
    """
    if f is None:
        return functools.partial(value_and_grad, wrt=wrt, backend=backend, fastmath=fastmath)
    return Derivative(f, "value_and_grad", wrt, backend_of(backend, fastmath, f))


def jacobian(
    f: Callable[..., Any], *, wrt: Any = 0, mode: str = "auto", backend: str = PYTHON, fastmath: bool = False
) -> Derivative:
    """The Jacobian: for arrays, of the shape of the output followed by that of the input.

    Structures of outputs and inputs nest, outputs outside.  ``mode`` is ``"forward"`` (one
    sweep per element of the inputs), ``"reverse"`` (one per element of the outputs), or
    ``"auto"``: the one that takes fewer.
    """
    return Jacobian(f, mode, wrt, backend_of(backend, fastmath, f))


def hessian(f: Callable[..., Any], *, wrt: Any = 0, backend: str = PYTHON, fastmath: bool = False) -> Derivative:
    """The Hessian of a function that returns a scalar, forward over reverse.

    >>> hessian(lambda x: x**3)(2.0)
    12.0
    """
    return Hessian(f, wrt=wrt, backend=backend_of(backend, fastmath, f))


def hvp(f: Callable[..., Any], *, wrt: Any = 0, backend: str = PYTHON, fastmath: bool = False) -> Derivative:
    """Products of the Hessian with a vector: ``hvp(f)(*args, v)``, at the cost of a few gradients.

    ``v`` is like the argument differentiated by, or a tuple if ``wrt`` is one.

    >>> hvp(lambda x: x**3)(2.0, 10.0)
    120.0
    """
    return HessianProduct(f, wrt=wrt, backend=backend_of(backend, fastmath, f))


def check_grads(f: Callable[..., Any], *, wrt: Any = 0, backend: str = PYTHON, fastmath: bool = False) -> Derivative:
    """``check_grads(f)(*args)`` compares both modes with central differences at these arguments.

    Raises AssertionError that names the argument, the mode and both figures.
    """
    return GradientCheck(f, wrt=wrt, backend=backend_of(backend, fastmath, f))
