"""The rules of what scipy does with functions, through the public interface."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.harness import floats
from rules.samples import arr
from rules.through import along, check, gradient_of, random_like

import s2sad
from s2sad import CompileError, MissingRule, NotDifferentiable, S2sadError, UnsupportedSyntax, grad

integrate = pytest.importorskip("scipy.integrate")
special = pytest.importorskip("scipy.special")
quad = integrate.quad

TABLE = np.array([1.0, 2.0, 3.0])


class Rate:
    """A number in an object."""

    def __init__(self, rate: Any) -> None:
        self.rate = rate


def gaussian(k: Any, b: Any) -> Any:
    return quad(lambda t: math.exp(-k * t * t), 0.0, b)[0]


def of_elliptic_integrals(a: Any, m: Any) -> Any:
    """The slope in m calls Carlson's integrals, which have no rule."""
    return quad(lambda t: special.ellipeinc(t, m) + float(special.ellipkinc(t, m)), 0.1, a)[0]


def both_ends(a: Any, b: Any) -> Any:
    return quad(np.sin, a, b)[0]


def of_arguments(w: Any) -> Any:
    def integrand(t: Any, p: Any, q: Any) -> Any:
        return np.sum(np.sin(p * t)) * q

    value, _ = quad(integrand, 0, 2, args=(w, 3.0))
    return value**2


def one_argument(a: Any) -> Any:
    return quad(lambda t, b: b * t, 0, 1, args=a)[0]


def within(c: Any) -> Any:
    return quad(lambda s: quad(lambda t: np.exp(-c * s * t), 0, s)[0], 0, 1.0)[0]


def without_end(c: Any) -> Any:
    return quad(lambda t: np.exp(-c * t), 0, np.inf)[0]


def distribution(x: Any, m: Any, s: Any) -> Any:
    def density(t: Any) -> Any:
        return np.exp(-0.5 * ((t - m) / s) ** 2) / (s * np.sqrt(2 * np.pi))

    return quad(density, -np.inf, x)[0]


def in_an_object(a: Any) -> Any:
    p = Rate(a)
    return quad(lambda t: math.cos(p.rate * t), 0, a)[0]


def of_a_table(a: Any) -> Any:
    return quad(lambda t: np.interp(t, TABLE, a * TABLE**2), 1, 3, points=[2.0])[0]


def of_a_matrix(m: Any) -> Any:
    return quad(lambda t: np.sum(np.linalg.solve(m + t * np.eye(2), np.ones(2))), 0, 1)[0]


def changed_later(c: Any) -> Any:
    powers = [1, 2]
    value = quad(lambda t: t * c ** powers[1], 0.0, 1.0)[0]
    powers[1] = 5
    return value * c


def in_a_loop(w: Any) -> Any:
    w = 1.0 * w
    total = 0.0
    for k in range(3):
        w[k] = w[k] * 2.0
        total += quad(lambda t: np.exp(-w[k] * t) * w[0], 0.0, w[k])[0]
        w[0] = w[0] * 1.5
    return total


def of_a_branch(a: Any) -> Any:
    return quad(lambda t: np.exp(-a * t) if t < 0.5 else a, 0, 1, points=[0.5])[0] if a > 0 else a


def derived_inside(a: Any) -> Any:
    return grad(lambda u: quad(lambda t: np.sin(u * t), 0, 1)[0])(a) * a


def to_one_part_in_ten(a: Any) -> Any:
    return quad(lambda t: np.exp(a * t), 0, 1, epsabs=1e-3, epsrel=1e-1, limit=20)[0]


def one_by_one(xs: Any, k: Any) -> Any:
    each = np.vectorize(lambda x: quad(lambda t: np.exp(-k * x * t), 0, 1)[0])
    return np.sum(each(xs) ** 2) + sum([quad(lambda t, x=x: np.sin(k * x * t), 0, 1)[0] for x in xs])


def until_it_is_small(p: Any) -> Any:
    x = p[0]
    while quad(lambda t: t * x, 0, 1)[0] > 0.3:
        x = x * 0.9 * p[1]
    return x * x


def over_a_square(c: Any) -> Any:
    return integrate.dblquad(lambda y, x: np.sin(c * y * x**2), 0.0, 1.0, 0.0, 2.0)[0]


def between_curves(c: Any, k: Any) -> Any:
    value, error = integrate.dblquad(
        lambda y, x, k: np.exp(-k * y * x), 0.0, c, lambda x: c * x, lambda x: x**2 + k, args=(k,)
    )
    return value if error < 1e-6 else 0.0


INTEGRALS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (gaussian, (1.3, 0.7)),
    (of_elliptic_integrals, (0.7, 0.3)),
    (both_ends, (0.2, 1.1)),
    (of_arguments, (arr(2),)),
    (one_argument, (0.6,)),
    (within, (1.3,)),
    (without_end, (1.3,)),
    (distribution, (0.3, 0.1, 1.2)),
    (in_an_object, (1.2,)),
    (of_a_table, (2.0,)),
    (of_a_matrix, (np.array([[3.0, 1.0], [0.5, 2.0]]),)),
    (changed_later, (1.2,)),
    (in_a_loop, (np.array([1.0, 0.5, 0.2]),)),
    (of_a_branch, (0.4,)),
    (of_a_branch, (-0.4,)),
    (derived_inside, (0.3,)),
    (one_by_one, (arr(2), 0.7)),
    (until_it_is_small, (np.array([1.2, 0.9]),)),
    (to_one_part_in_ten, (0.3,)),
    (over_a_square, (0.7,)),
    (between_curves, (0.8, 1.2)),
]


@pytest.mark.parametrize(("f", "args"), INTEGRALS, ids=lambda p: getattr(p, "__name__", ""))
def test_integrals(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


def of_a_pole(c: Any) -> Any:
    try:
        return quad(lambda t: 1 / (c - t), 0, 1)[0]
    except ZeroDivisionError:
        return c * c


def test_the_error_of_a_double_integral_is_that_of_scipy() -> None:
    def reported(c: Any) -> Any:
        value, error = integrate.dblquad(lambda y, x: np.sqrt(c * y + x), 0.0, c, lambda x: x, 2.0, (), 1e-6, 1e-4)
        return value, s2sad.stop_gradient(error)

    assert s2sad.vjp(reported, 1.2)[0] == reported(1.2)


def test_what_integrands_raise_is_caught() -> None:
    check(of_a_pole, 2.0)
    assert s2sad.value_and_grad(of_a_pole)(0.5) == (0.25, 1.0)


def test_what_is_not_handled_is_not_caught() -> None:
    def value(c: Any) -> Any:
        try:
            return quad(lambda t: c * t, 0, 1, full_output=1)[0]
        except Exception:
            return c

    with pytest.raises(NotDifferentiable, match="full_output"):
        grad(value)(2.0)


def test_third_derivative() -> None:
    third = grad(grad(grad(without_end)))
    np.testing.assert_allclose(third(1.3), -6 / 1.3**4, rtol=1e-8)


@pytest.mark.parametrize("size", [1e-12, 1e12])
def test_derivatives_of_any_size(size: float) -> None:
    """Tolerances of the solver are for numbers of the size of one."""
    want = np.array(s2sad.jvp(of_arguments, (arr(3),), (arr(3, seed=5),))[1])
    np.testing.assert_allclose(s2sad.jvp(of_arguments, (arr(3),), (size * arr(3, seed=5),))[1], size * want, rtol=1e-9)
    scaled = grad(lambda w: size * of_arguments(w))
    np.testing.assert_allclose(scaled(arr(3)), size * grad(of_arguments)(arr(3)), rtol=1e-9)


def test_text_stands_alone() -> None:
    text = grad(gaussian).source_for(1.3, 0.7)
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    assert "s2sad" not in text and namespace["gaussian_grad"](1.3, 0.7) == grad(gaussian)(1.3, 0.7)


def jumps(c: Any) -> Any:
    return quad(lambda t: 1.0 if t > c else 0.0, 0, 1)[0]


def jumps_by_a_mask(c: Any) -> Any:
    return quad(lambda t: np.where(t > c, t, 0.0), 0, 1)[0]


def jumps_by_remainder(c: Any) -> Any:
    return quad(lambda t: (t * c) % 1.0, 0, 1)[0]


def jumps_in_its_derivative(c: Any) -> Any:
    return grad(lambda a: quad(lambda t: abs(t - a), 0, 1)[0])(c)


def jumps_by_a_count(c: Any) -> Any:
    return quad(lambda t: float(sorted([t, c, 0.5]).index(c)), 0, 1)[0]


def jumps_by_a_conversion(c: Any) -> Any:
    return quad(lambda t: np.float64(t - c).astype(int) * 1.0, 0, 3)[0]


def jumps_as_a_slope(c: Any) -> Any:
    return quad(lambda t: grad(lambda s: np.maximum(s, c))(t), 0, 1)[0]


def of_the_larger(c: Any) -> Any:
    return grad(lambda a: quad(lambda t: np.maximum(t, a), 0, 1)[0])(c)


def of_the_largest(c: Any) -> Any:
    return grad(lambda a: quad(lambda t: np.max(np.array([t, a])), 0, 1)[0])(c)


def of_what_is_clipped(c: Any) -> Any:
    return grad(lambda a: quad(lambda t: np.clip(t, a, 1.0), 0, 1)[0])(c)


def effects(c: Any) -> Any:
    seen = []

    def integrand(t: Any) -> Any:
        seen.append(t)
        return c * t

    return quad(integrand, 0, 1)[0]


def counts(c: Any) -> Any:
    n = 0

    def integrand(t: Any) -> Any:
        nonlocal n
        n += 1
        return c * t

    return quad(integrand, 0, 1)[0] + n


def prints(c: Any) -> Any:
    return quad(lambda t: [print(t), c * t][1], 0, 1)[0]


def of_lists(c: Any) -> Any:
    both = [c, 2 * c]
    return quad(lambda t: both[0] * t + both[1], 0, 1)[0]


def estimate(c: Any) -> Any:
    return quad(lambda t: np.exp(-c * t), 0, 1)[1]


def arrays(c: Any) -> Any:
    return quad(lambda t: c * t * np.ones(2), 0, 1)[0]


def all_output(c: Any) -> Any:
    return quad(lambda t: c * t, 0, 1, full_output=1)[0]


def weighted(c: Any) -> Any:
    return quad(lambda t: c * t, 0, 1, weight="cos", wvar=2.0)[0]


REFUSED: list[tuple[Callable[..., Any], type[S2sadError], str]] = [
    (jumps, NotDifferentiable, "may jump"),
    (jumps_by_a_mask, NotDifferentiable, "may jump"),
    (jumps_by_remainder, NotDifferentiable, "may jump"),
    (jumps_in_its_derivative, NotDifferentiable, "may jump"),
    (jumps_by_a_count, NotDifferentiable, "may jump"),
    (jumps_by_a_conversion, NotDifferentiable, "may jump"),
    (jumps_as_a_slope, NotDifferentiable, "may jump"),
    (of_the_larger, NotDifferentiable, "may jump"),
    (of_the_largest, NotDifferentiable, "may jump"),
    (of_what_is_clipped, NotDifferentiable, "may jump"),
    (effects, UnsupportedSyntax, "updates"),
    (counts, UnsupportedSyntax, "changes `n`"),
    (prints, UnsupportedSyntax, "effect"),
    (of_lists, MissingRule, "integral"),
    (estimate, MissingRule, "integral_error"),
    (arrays, UnsupportedSyntax, "no real number"),
    (all_output, NotDifferentiable, "full_output"),
    (weighted, UnsupportedSyntax, "weight"),
]


@pytest.mark.parametrize(("f", "error", "text"), REFUSED, ids=lambda p: getattr(p, "__name__", ""))
@pytest.mark.parametrize("mode", ["grad", "jvp"])
def test_refused(f: Callable[..., Any], error: type[S2sadError], text: str, mode: str) -> None:
    with pytest.raises(error, match=text) as info:
        _ = grad(f)(0.3) if mode == "grad" else s2sad.jvp(f, (0.3,), (1.0,))
    assert "test_scipy_solvers.py" in str(info.value)


# -- differential equations -----------------------------------------------------------------


def decay(k: Any, y0: Any) -> Any:
    return integrate.odeint(lambda y, t: -k * y, y0, np.linspace(0.0, 2.0, 5), rtol=1e-11, atol=1e-11)


def predators(p: Any) -> Any:
    def slope(y: Any, t: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        x, z = y
        return [a * x - b * x * z, c * x * z - d * z]

    start = [p[4], p[5]]
    y = integrate.odeint(slope, start, np.linspace(0, 2, 5), (p[0], p[1], p[2], p[3]), rtol=1e-11, atol=1e-11)
    return np.sum(np.log(y))


def of_a_system(a: Any, y0: Any) -> Any:
    return integrate.odeint(lambda t, y: a @ y, y0, np.linspace(0, 1, 4), tfirst=True, rtol=1e-11, atol=1e-11)


def at_moving_times(ts: Any, a: Any) -> Any:
    return integrate.odeint(lambda y, t: -a * y * t + np.sin(t), [1.0], ts, rtol=1e-11, atol=1e-11, hmax=0.5)


def oscillator(mu: Any, y0: Any) -> Any:
    def slope(t: Any, y: Any) -> Any:
        return np.array([y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]])

    out = integrate.solve_ivp(slope, (0, 3.0), y0, method="Radau", t_eval=[1.0, 3.0], rtol=1e-10, atol=1e-10)
    return out.y


def from_a_moving_start(t0: Any, ts: Any, a: Any) -> Any:
    out = integrate.solve_ivp(
        lambda t, y, b: -b * y * t + np.sin(t), (t0, 5.0), [1.0], t_eval=ts, args=(a,), rtol=1e-11, atol=1e-11
    )
    assert out.success
    return out.y[0] * out.t


def of_layers(w: Any, v: Any, y0: Any) -> Any:
    out = integrate.solve_ivp(
        lambda t, y: np.tanh(v @ np.tanh(w @ y)), (0, 1), y0, "DOP853", [0.5, 1.0], rtol=1e-11, atol=1e-11
    )
    return out.y[:, -1]


def driven(a: Any, us: Any) -> Any:
    """By a force that jumps by time alone."""
    knots = np.linspace(0.0, 1.0, 4)

    def slope(t: Any, y: Any) -> Any:
        return -a * y + np.interp(t, knots, us) * (1.0 if t < 0.5 else 2.0)

    return integrate.solve_ivp(slope, (0, 1), [0.3], t_eval=[1.0], max_step=0.02, rtol=1e-11, atol=1e-11).y[0, 0]


def driven_exactly(a: Any, us: Any) -> Any:
    """The same in closed form, but for an integral."""

    def force(t: Any) -> Any:
        return np.exp(-a * (1 - t)) * np.interp(t, np.linspace(0.0, 1.0, 4), us) * (1.0 if t < 0.5 else 2.0)

    return 0.3 * np.exp(-a) + quad(force, 0.0, 1.0, points=[1 / 3, 0.5, 2 / 3], epsabs=1e-13)[0]


def backwards(k: Any) -> Any:
    return integrate.solve_ivp(lambda t, y: -k * y, (1.0, 0.0), [1.0], t_eval=[0.5, 0.0], rtol=1e-11, atol=1e-11).y


class Cooling:
    """A right-hand side with numbers of its own."""

    def __init__(self, rate: Any) -> None:
        self.rate = rate

    def __call__(self, t: Any, y: Any) -> Any:
        return -self.rate * y


def of_an_object(k: Any) -> Any:
    return integrate.solve_ivp(Cooling(k), (0, 1), [1.0], t_eval=[1.0], rtol=1e-11, atol=1e-11).y[0, 0]


def of_a_dict(k: Any, y0: Any) -> Any:
    given = {"rate": k, "start": y0}
    y = integrate.odeint(lambda y, t, p: -p["rate"] * y**2, given["start"], [0, 1.0], (given,), rtol=1e-11, atol=1e-11)
    return np.sum(y)


def within_an_integral(k: Any) -> Any:
    def inner(t: Any) -> Any:
        return integrate.odeint(lambda y, s: -k * y, 1.0, [0.0, t], rtol=1e-12, atol=1e-12)[-1, 0]

    return quad(inner, 0.1, 1.0)[0]


def changed_before_and_after(k: Any) -> Any:
    y0 = np.array([1.0, k])
    ys = integrate.odeint(lambda y, t: -k * y, y0, [0.0, 1.0], rtol=1e-11, atol=1e-11)
    y0[1] = 7.0
    ys[1, 0] = 0.0
    return np.sum(ys**2) + y0[1] * k


EQUATIONS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (decay, (0.5, 1.2)),
    (predators, (np.array([1.1, 0.4, 0.1, 0.4, 3.0, 2.0]),)),
    (of_a_system, (np.array([[-1.0, 0.4], [0.3, -0.2]]), np.array([1.0, 2.0]))),
    (at_moving_times, (np.array([0.5, 1.0, 2.0]), 0.7)),
    (at_moving_times, (np.array([2.0, 1.0, 0.5]), 0.7)),
    (oscillator, (1.3, np.array([1.0, 0.2]))),
    (from_a_moving_start, (0.3, np.array([0.5, 1.0, 2.0]), 0.7)),
    (of_layers, (arr(4, 2), arr(2, 4, seed=3), arr(2))),
    (backwards, (0.8,)),
    (of_an_object, (0.7,)),
    (of_a_dict, (0.5, np.array([1.0, 2.0]))),
    (within_an_integral, (0.6,)),
    (changed_before_and_after, (0.6,)),
]


@pytest.mark.parametrize(("f", "args"), EQUATIONS, ids=lambda p: getattr(p, "__name__", ""))
def test_equations(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args, again=False, rtol=2e-5)


@pytest.mark.parametrize(("f", "args"), EQUATIONS, ids=lambda p: getattr(p, "__name__", ""))
def test_second_derivatives_of_equations(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """To what solvers come to: a gradient that is computed along with its tangent differs by that."""
    gradient = gradient_of(f, [np.sin(1.0 + np.arange(np.size(f(*args))))])
    ds = tuple(random_like(x, k) for k, x in enumerate(args))
    g, dg = s2sad.jvp(gradient, args, ds)
    want = along(gradient, args, ds, 1e-4)
    np.testing.assert_allclose(floats(g), floats(gradient(*args)), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(floats(dg), want, rtol=1e-5, atol=1e-5 * np.abs(want).max())
    ct = random_like(g, 9)
    back = s2sad.vjp(gradient, *args)[1](ct)
    got = sum(np.dot(floats(d), floats(b)) for d, b in zip(ds, back, strict=True))
    np.testing.assert_allclose(got, np.dot(floats(ct), floats(dg)), rtol=1e-6, atol=1e-6)


def test_a_force_that_jumps_by_time() -> None:
    ours, exact = (s2sad.grad(f, wrt=(0, 1))(0.8, arr(4)) for f in (driven, driven_exactly))
    np.testing.assert_allclose(ours[0], exact[0], rtol=1e-7)
    np.testing.assert_allclose(ours[1], exact[1], rtol=1e-7)


def test_a_solution_that_is_known() -> None:
    """Of ``y0 exp(-k t)``, to third order, where the solver is asked for little."""

    def value(k: Any) -> Any:
        out = integrate.solve_ivp(lambda t, y: -k * y, (0, 2.0), [1.2], t_eval=[2.0])
        return out.y[0, 0]

    derivative, y = value, 1.2 * np.exp(-2.0 * 0.5)
    for factor in (-2.0, 4.0, -8.0):
        derivative = grad(derivative)
        np.testing.assert_allclose(derivative(0.5), factor * y, rtol=1e-7)


def test_stiff_equations() -> None:
    def robertson(k: Any) -> Any:
        def slope(t: Any, y: Any) -> Any:
            forth, back = k * y[0], 1e4 * y[1] * y[2]
            return [back - forth, forth - back - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2]

        times = [0.4, 4.0, 40.0]
        return integrate.solve_ivp(slope, (0, 40.0), [1.0, 0.0, 0.0], "LSODA", times, rtol=1e-11, atol=1e-13).y[0]

    check(robertson, 0.04, again=False, rtol=1e-5)


def test_a_fast_decay() -> None:
    """Backwards in time it grows by e**100: the adjoint goes along the solution, and does not integrate it back."""

    def value(k: Any, y0: Any) -> Any:
        y = integrate.odeint(lambda y, t: -k * (y - np.cos(t)), y0, np.array([0.0, 1.0]), rtol=1e-11, atol=1e-11)
        return y[-1, 0]

    check(value, 100.0, 0.3, rtol=1e-5)


def test_times_that_repeat() -> None:
    ts = np.array([0.5, 0.5, 1.0, 1.0])
    once = s2sad.jacobian(lambda a: at_moving_times(ts[1:3], a))(0.7)
    np.testing.assert_allclose(s2sad.jacobian(lambda a: at_moving_times(ts, a))(0.7), once[[0, 0, 1, 1]], rtol=1e-8)


def test_where_the_solver_comes_to_an_end() -> None:
    def value(a: Any) -> Any:
        out = integrate.solve_ivp(lambda t, y: a * y**2, (0, 3.0), [1.0], t_eval=[0.5, 1.5, 3.0], rtol=1e-8)
        return out.y[0, 0] if out.success else 7.0 * a + out.y.shape[1]

    assert s2sad.value_and_grad(value)(1.0) == (value(1.0), 7.0)
    assert s2sad.jvp(value, (1.0,), (1.0,)) == (value(1.0), 7.0)
    np.testing.assert_allclose(grad(value)(0.1), 0.5 / (1.0 - 0.05) ** 2, rtol=1e-7)


def test_text_of_an_equation_stands_alone() -> None:
    text = grad(predators).source_for(np.ones(6))
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    p = np.array([1.1, 0.4, 0.1, 0.4, 3.0, 2.0])
    np.testing.assert_array_equal(namespace["predators_grad"](p), grad(predators)(p))
    assert "s2sad" not in text


def thrown(c: Any) -> Any:
    return integrate.odeint(lambda y, t: -y if y[0] > c else y, 1.0, [0.0, 1.0])[-1, 0]


def switched(c: Any) -> Any:
    return integrate.solve_ivp(lambda t, y: -y if t > c else y, (0, 1), [1.0], t_eval=[1.0]).y[0, 0]


def events(c: Any) -> Any:
    out = integrate.solve_ivp(lambda t, y: -c * y, (0, 1), [1.0], t_eval=[1.0], events=lambda t, y: y[0] - 0.5)
    return out.y[0, 0]


def dense(c: Any) -> Any:
    return integrate.solve_ivp(lambda t, y: -c * y, (0, 1), [1.0], dense_output=True).sol(0.5)[0]


def own_times(c: Any) -> Any:
    return integrate.solve_ivp(lambda t, y: -c * y, (0, 1), [1.0]).y[0, -1]


def rotating(c: Any) -> Any:
    return integrate.solve_ivp(lambda t, y: 1j * c * y, (0, 1), [1.0 + 0j], t_eval=[1.0]).y[0, 0].real


def grids(c: Any) -> Any:
    return integrate.odeint(lambda y, t: np.ones((2, 2)) * c, np.ones(4), [0.0, 1.0])[-1, 0]


def in_place(c: Any) -> Any:
    def slope(t: Any, y: Any) -> Any:
        y[0] = c
        return y

    return integrate.solve_ivp(slope, (0, 1), [1.0], t_eval=[1.0]).y[0, 0]


REFUSED_EQUATIONS: list[tuple[Callable[..., Any], type[S2sadError], str]] = [
    (thrown, NotDifferentiable, "may jump"),
    (switched, NotDifferentiable, "may jump"),
    (events, UnsupportedSyntax, "events"),
    (dense, S2sadError, "dense_output"),
    (own_times, NotDifferentiable, "t_eval"),
    (rotating, UnsupportedSyntax, "rotating|only while compiling"),
    (grids, UnsupportedSyntax, "vectors"),
    (in_place, UnsupportedSyntax, "updates"),
]


@pytest.mark.parametrize(("f", "error", "text"), REFUSED_EQUATIONS, ids=lambda p: getattr(p, "__name__", ""))
@pytest.mark.parametrize("mode", ["grad", "jvp"])
def test_refused_equations(f: Callable[..., Any], error: type[S2sadError], text: str, mode: str) -> None:
    with pytest.raises(error, match=text) as info:
        _ = grad(f)(0.3) if mode == "grad" else s2sad.jvp(f, (0.3,), (1.0,))
    assert "test_scipy_solvers.py" in str(info.value)


@pytest.mark.parametrize(("f", "args"), [(gaussian, (1.3, 0.7)), (decay, (0.5, 1.2))])
def test_refused_in_machine_code(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    with pytest.raises(CompileError):
        s2sad.jvp(f, args, args, backend="numba")
