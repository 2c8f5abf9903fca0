"""Programs that take derivatives themselves: inner optimisation, sensitivities, curvature."""

from __future__ import annotations

import math

import numpy as np
from program import program

from s2sad import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

rng = np.random.default_rng(15)


def inner_loss(w, x, y):
    return np.mean((np.tanh(x @ w) - y) ** 2)


def one_step_of_learning(w, rate, x, y):
    for _ in range(2):
        w = w - rate * grad(inner_loss)(w, x, y)
    return inner_loss(w, x, y)


def gradient_norm(w, x, y):
    g = grad(inner_loss)(w, x, y)
    return g @ g


def hamiltonian(q, p):
    return 0.5 * p**2 + math.cos(q) * q


def symplectic_euler(q, p, n):
    slope = grad(hamiltonian, wrt=(0, 1))
    for _ in range(n):
        dq, _ = slope(q, p)
        p = p - 0.1 * dq
        _, dp = slope(q, p)
        q = q + 0.1 * dp
    return q * p


def residual_of_ode(t, a):
    def solution(s):
        return math.exp(-a * s) * math.sin(s)

    value, slope = value_and_grad(solution)(t)
    return (slope + a * value) ** 2 + grad(grad(solution))(t)


def directional_slope(x, v):
    def inner(u):
        return np.sum(np.sin(u) * u)

    _, dy = jvp(inner, (x,), (v,))
    return dy**2


def pulled_back(x, ct):
    _, pullback = vjp(lambda u: np.array([u[0] * u[1], math.exp(u[0])]), x)
    (bx,) = pullback(ct)
    return bx @ bx


def cubic(x):
    return np.sum(x**3) + x[0] * x[1] ** 2


def newton_direction(x):
    return np.trace(hessian(cubic)(x)) + np.sum(hvp(cubic)(x, x)) + np.sum(jacobian(np.sin)(x))


PROGRAMS = [
    program(one_step_of_learning, rng.normal(size=2), 0.3, rng.normal(size=(4, 2)), rng.normal(size=4)),
    program(gradient_norm, rng.normal(size=2), rng.normal(size=(4, 2)), rng.normal(size=4)),
    program(symplectic_euler, 0.4, 0.7, 3),
    program(residual_of_ode, 0.8, 0.5),
    program(directional_slope, rng.normal(size=3), rng.normal(size=3)),
    program(pulled_back, rng.normal(size=2), rng.normal(size=2)),
    program(newton_direction, rng.normal(size=3)),
]
