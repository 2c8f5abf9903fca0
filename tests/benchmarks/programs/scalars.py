"""Scalar code: a formula of two variables, and Rosenbrock's valley as a loop."""

from __future__ import annotations

import math

import numpy as np

from examples.rosenbrock import rosenbrock
from tests.benchmarks.peers import by_autograd, by_casadi, by_jax, by_numba, by_numpy, by_torch
from tests.benchmarks.program import Program

__all__ = ["FORMULA", "VALLEY"]

# A formula of two variables ------------------------------------------------------------------------------------------


def formula(x1, x2):
    """The example of reverse accumulation."""
    return math.log(x1) + x1 * x2 - math.sin(x2)


def formula_by_hand(x1, x2):
    """Its gradient."""
    return 1.0 / x1 + x2, x1 - math.cos(x2)


def _formula(xp):
    """The formula for a module of array functions."""
    return lambda x1, x2: xp.log(x1) + x1 * x2 - xp.sin(x2)


def _formula_jax():
    import jax.numpy

    return _formula(jax.numpy)


def _formula_torch():
    import torch

    return lambda x1, x2: torch.log(x1) + x1 * x2 - torch.sin(x2)


def _formula_autograd():
    import autograd.numpy

    return _formula(autograd.numpy)


def _formula_casadi(casadi, x1, x2):
    x = casadi.SX.sym("x", 2)
    y = casadi.log(x[0]) + x[0] * x[1] - casadi.sin(x[1])
    return casadi.Function("gradient", [x], [casadi.gradient(y, x)]), [np.array([x1, x2])]


def _torch_scalars(*args):
    """Torch differentiates by tensors only."""
    return by_torch(_formula_torch, (0, 1))(*map(np.asarray, args))


FORMULA = Program(
    name="log-product-sine",
    stresses="call overhead",
    function=formula,
    make_args=lambda: (2.0, 5.0),
    sizes=((),),
    tiny=(),
    kind="scalar",
    wrt=(0, 1),
    peers={
        "hand": by_numpy(formula_by_hand),
        "hand numba": by_numba(formula_by_hand),
        "jax": by_jax(_formula_jax, (0, 1)),
        "torch": _torch_scalars,
        "autograd": by_autograd(_formula_autograd, (0, 1)),
        "casadi": by_casadi(_formula_casadi),
    },
)

# Rosenbrock ---------------------------------------------------------------------------------------------------------


def valley_by_hand(x):
    """The gradient in array operations."""
    away = x[1:] - x[:-1] ** 2
    g = np.zeros_like(x)
    g[1:] = 200.0 * away
    g[:-1] -= 400.0 * x[:-1] * away + 2.0 * (1.0 - x[:-1])
    return g


def valley_by_loop(x):
    """The gradient in one loop."""
    g = np.zeros_like(x)
    for i in range(len(x) - 1):
        away = x[i + 1] - x[i] * x[i]
        g[i] -= 400.0 * x[i] * away + 2.0 * (1.0 - x[i])
        g[i + 1] = 200.0 * away
    return g


def valley(x):
    """The valley in array operations, as users of array libraries write it."""
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def _valley_casadi(casadi, start):
    x = casadi.SX.sym("x", len(start))
    y = casadi.sum1(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
    return casadi.Function("gradient", [x], [casadi.gradient(y, x)]), [start]


def _start(n):
    return (np.random.default_rng(0).uniform(-1.5, 1.5, n),)


VALLEY = Program(
    name="Rosenbrock",
    stresses="scalar loop",
    function=rosenbrock,
    make_args=_start,
    sizes=((100,), (10_000,)),
    tiny=(7,),
    kind="scalar",
    peers={
        "hand": by_numpy(valley_by_hand),
        "hand numba": by_numba(valley_by_loop),
        "jax": by_jax(lambda: valley),
        "torch": by_torch(lambda: valley),
        "autograd": by_autograd(lambda: valley),
        "casadi": by_casadi(_valley_casadi),
    },
)
