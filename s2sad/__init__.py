"""Derivatives of Python and NumPy functions, as Python source."""

from s2sad.api import check_grads, grad, hessian, hvp, jacobian, jvp, stop_gradient, value_and_grad, vjp
from s2sad.errors import CompileError, MissingRule, NotDifferentiable, S2sadError, UnsupportedSyntax

__all__ = [
    "CompileError",
    "MissingRule",
    "NotDifferentiable",
    "S2sadError",
    "UnsupportedSyntax",
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

__version__ = "0.1.0"
