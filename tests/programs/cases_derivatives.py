"""Programs that take derivatives themselves: inner optimisation, sensitivities, curvature."""

from __future__ import annotations

import functools
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


def damped_sum(a, b, n):
    total = 0.0
    for k in range(n):
        total = total + a * b**k
    return total / n


ALONG = (0.5, -1.5, None)


def along_a_direction_from_outside(x, n):
    y, dy = jvp(damped_sum, (x * x, math.sin(x), n), ALONG)
    return y * dy


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


def table_of_products(w, a):
    rows = np.array([[a[0] * w * (k - q) for k in range(3)] for q in range(2)])
    spread = np.var(rows + a[1], axis=0, keepdims=True)
    return np.sum(spread * rows) + spread[0][1]


def slope_of_table(w, a):
    dw, da = grad(table_of_products, wrt=(0, 1))(w, a)
    return dw * np.sum(da * a)


def slope_of_ravelled(x):
    def inner(y):
        y[0, 0] *= y[1, 1]
        u, v = y.T.ravel(), y.ravel()
        y[1] += v[:2] * u[2:]
        return np.sum(np.tanh(u * v) * v)

    return np.sum(grad(inner)(x) ** 2)


def slope_of_popped_rows(x):
    def inner(y):
        rows = [[y[0] * y[1]], [y[1]]]
        rows.append([y[2] * y[0]])
        rows.pop()
        rows += rows
        return rows[0][0] * rows[3][0] + sum([2.0 * e for e in [y[0], y[2]] * 2])

    return np.sum(grad(inner)(x) ** 2)


def slope_of_doubled_rows(x):
    def inner(y):
        rows = [y * y[0]]
        both = rows + rows
        return np.tanh(np.sum(both[-1] * both[0])) + np.sum(rows[0] * both[1])

    return np.sum(grad(inner)(x) ** 2)


def slope_through_a_list(x):
    def inner(xs):
        return np.sum(np.sin(xs[0]) * xs[1])

    def middle(x):
        first, second = grad(inner)([x, x * x])
        return np.sum(np.sin(first) * second)

    return np.sum(grad(middle)(x) ** 2)


def pullback_of_a_store(x):
    def inner(x):
        x[0] = x[1] * x[0]
        return np.sum(x * x)

    y, pull = vjp(inner, x)
    return y * x[0] + pull(1.0)[0] @ x * x[1]


def pullback_of_a_stored_array(x, v):
    def inner(x):
        x[0] = x[1] ** 2
        return x * x

    y, pull = vjp(inner, x)
    return y @ x + pull(v)[0] @ x


def pullback_after_a_store(x, v):
    y, pull = vjp(lambda z: z * x[0], x.copy())
    x[0] = x[1] * 2.0
    return y @ v + pull(v)[0] @ x


def pullback_of_a_dict(x, v):
    y, pull = vjp(lambda z: {"square": z * z, "first": z[0]}, x)
    return y["first"] + pull({"first": y["first"] ** 2, "square": v})[0] @ x


def pushed_through_a_dict(x, v):
    y, dy = jvp(lambda p: {"out": p["a"] * p["b"]}, ({"a": x, "b": x[0]},), ({"b": 2.0, "a": v},))
    return dy["out"] @ y["out"]


def powered(x, p=2.0, q=3.0):
    return x**p * q


def by_name_past_a_default(x, q):
    value, slope = value_and_grad(powered)(x, q=q)
    return value + slope * grad(powered, wrt="q")(x, q=q * 2.0) + hessian(powered)(x, q=q) + jacobian(powered)(x, q=q)


def by_a_default(x, q):
    return grad(powered, wrt="p")(x) * q + grad(powered, wrt=-1)(x, q)


def weighed(x, *rest, scale=2.0, **named):
    total = np.sin(x) * scale
    for r in rest:
        total = total * r
    return total + scale**2 * x * named["tilt"] ** 3


def by_what_stars_gather(x, y):
    first, second = grad(weighed, wrt="rest")(x, y, x * y, tilt=y)
    named = grad(weighed, wrt="named")(x, y, tilt=y)
    return first * second + named["tilt"] + grad(weighed, wrt=2)(x, y, y, tilt=x)


def by_keyword_only(x, y):
    return grad(weighed, wrt=("scale", "x"))(x, scale=y, tilt=x)[0] + grad(weighed, wrt="scale")(x, y, tilt=y)


def curved_by_stars(x, y):
    along = hvp(weighed, wrt="rest")(x, y, x * y, (y, 1.0), tilt=x)
    named = hvp(weighed, wrt="named")(x, tilt=y, v={"tilt": x})
    return along[0] + named["tilt"] + hvp(weighed, wrt=(0, "tilt"))(x, y, (1.0, y), tilt=x)[1]


def of_bound_and_partial_functions(x, y):
    by_rest = grad(functools.partial(weighed, x, scale=y), wrt=1)

    def inside(a, /, b=3.0, *, c=2.0):
        return a * b**2 * c**3

    return by_rest(y, x, tilt=y) + grad(inside, wrt=("c", 1))(x)[0] + grad(functools.partial(inside, x), wrt="c")(c=y)


def of_as_many_as_a_list_has(x, y):
    return grad(inner_product, wrt=1)(*[[x, y], [y * y, x]][int(x)]) * y


def inner_product(a, b):
    return a * b**2


def taylor_terms(x, c):
    total = 0.0
    for k in range(len(c)):
        total += c[k] * x**k
    return total


def second_and_third_at_zero(x, c):
    slope = grad(taylor_terms)
    return grad(slope)(x * 0.0, c) * x + grad(grad(slope))(x * 0.0, c)


def of_powers_by_an_array(x, c):
    def total(v):
        return np.sum(c * v[0] ** np.arange(5) + v[1] ** np.arange(5.0) * v[2] ** 3.0)

    return np.sum(hessian(total)(x * np.array([0.0, 0.0, 1.0])) * np.outer(x, x))


def by_what_is_a_list(xs):
    return xs[0]["a"] ** 2 * xs[1] if isinstance(xs, list) else xs[1]


def gradient_by_a_list(xs, c):
    slopes = grad(by_what_is_a_list)(xs)
    back = vjp(by_what_is_a_list, xs)[1](1.0)[0]
    return slopes[0]["a"] * slopes[1] * c + back[1] * isinstance(slopes, list) * isinstance(back, list)


PROGRAMS = [
    program(second_and_third_at_zero, 0.7, np.array([1.0, 2.0, 3.0, 4.0, 5.0])),
    program(of_powers_by_an_array, np.array([0.7, 1.1, 0.4]), np.array([1.0, 2.0, 3.0, 4.0, 5.0])),
    program(by_name_past_a_default, 1.3, 0.7),
    program(by_a_default, 1.3, 0.7),
    program(along_a_direction_from_outside, 1.3, 4),
    program(by_what_stars_gather, 1.3, 0.7),
    program(by_keyword_only, 1.3, 0.7),
    program(curved_by_stars, 1.3, 0.7),
    program(of_bound_and_partial_functions, 1.3, 0.7),
    program(of_as_many_as_a_list_has, 1.3, 0.7),
    program(pullback_of_a_dict, np.array([0.4, 1.3, 0.8]), np.array([0.5, -0.2, 0.7])),
    program(pushed_through_a_dict, np.array([0.4, 1.3, 0.8]), np.array([0.5, -0.2, 0.7])),
    program(slope_through_a_list, np.array([0.4, 1.3, 0.8])),
    program(pullback_of_a_store, np.array([0.4, 1.3, 0.8])),
    program(pullback_of_a_stored_array, np.array([0.4, 1.3, 0.8]), np.array([0.5, -0.2, 0.7])),
    program(pullback_after_a_store, np.array([0.4, 1.3, 0.8]), np.array([0.5, -0.2, 0.7])),
    program(one_step_of_learning, rng.normal(size=2), 0.3, rng.normal(size=(4, 2)), rng.normal(size=4)),
    program(gradient_norm, rng.normal(size=2), rng.normal(size=(4, 2)), rng.normal(size=4)),
    program(symplectic_euler, 0.4, 0.7, 3),
    program(residual_of_ode, 0.8, 0.5),
    program(directional_slope, rng.normal(size=3), rng.normal(size=3)),
    program(pulled_back, rng.normal(size=2), rng.normal(size=2)),
    program(newton_direction, rng.normal(size=3)),
    program(slope_of_table, 0.7, rng.normal(size=2)),
    program(slope_of_ravelled, rng.normal(size=(2, 2))),
    program(slope_of_popped_rows, rng.normal(size=3)),
    program(slope_of_doubled_rows, rng.normal(size=3)),
    program(gradient_by_a_list, [{"a": 2.0}, 3.0], 1.5),
]
