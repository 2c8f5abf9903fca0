"""Derivatives by complex numbers, and what is refused of them. A cotangent and a tangent pair as ``real(ct * dy)``."""

from __future__ import annotations

import cmath
import pickle
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

import s2sad
from s2sad import check_grads, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

Z = np.array([1.0 + 2.0j, 3.0 - 1.0j])


def power(z):
    return np.sum(np.abs(z) ** 2)


def wave(x):
    return np.exp(1j * x)


def test_the_gradient_is_that_by_the_real_part_less_i_times_that_by_the_imaginary_part() -> None:
    def f(z):
        return z.real**2 * 3.0 + z.imag * 5.0

    assert grad(f)(2.0 + 1.0j) == 12.0 - 5.0j
    assert np.allclose(grad(power)(Z), 2.0 * np.conj(Z))


def test_a_pullback_multiplies_by_a_complex_derivative() -> None:
    y, pullback = vjp(lambda z: z**3, 1.0 + 1.0j)
    assert y == (1.0 + 1.0j) ** 3
    assert pullback(2.0j) == (pytest.approx(2.0j * 3.0 * (1.0 + 1.0j) ** 2),)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_dtypes_are_kept(dtype: Any) -> None:
    z = Z.astype(dtype)
    assert grad(power)(z).dtype == dtype
    assert jvp(lambda z: z * z, (z,), (z,))[1].dtype == dtype
    assert grad(lambda x: np.sum(np.abs(np.fft.fft(x))))(z.real.copy()).dtype == z.real.dtype


class State(NamedTuple):
    mass: float
    psi: Any


@dataclass
class Circuit:
    r: float
    z: complex
    name: str


def test_structures_of_both_sorts() -> None:
    def energy(s):
        return s.mass * np.sum(np.abs(s.psi) ** 2)

    found = grad(energy)(State(2.0, Z))
    assert found.mass == pytest.approx(15.0)
    assert np.allclose(found.psi, 4.0 * np.conj(Z))

    def loss(c):
        return abs(c.z * c.r) ** 2

    found = grad(loss)(Circuit(2.0, 1.0 + 1.0j, "a"))
    assert found.r == pytest.approx(8.0)
    assert found.z == pytest.approx(8.0 - 8.0j)

    def mixed(d):
        return abs(d["z"][0] * d["x"])

    found = grad(mixed)({"z": [1j, 2.0 + 0j], "x": 3.0})
    assert found["z"][0] == pytest.approx(-3j)
    assert found["z"][1] == 0j
    assert isinstance(found["z"][1], complex)
    assert found["x"] == pytest.approx(1.0)


def test_what_does_not_matter_has_a_complex_zero() -> None:
    assert repr(grad(lambda z, x: x * 2.0)(1j, 1.0)) == "0j"
    assert grad(lambda z, x: x * 2.0)(Z, 1.0).dtype == complex


def test_a_real_gradient_through_complex_numbers_is_real() -> None:
    def f(x):
        return np.sum(np.real(wave(x) * (1.0 + 2.0j)))

    x = np.array([0.3, 1.2])
    assert grad(f)(x).dtype == float
    assert np.allclose(grad(f)(x), -np.sin(x) - 2.0 * np.cos(x))
    assert isinstance(grad(lambda y: cmath.exp(1j * y).real)(0.5), float)


def test_jacobians_of_complex_results_come_by_columns() -> None:
    x = np.array([0.3, 1.2])
    assert np.allclose(jacobian(wave)(x), np.diag(1j * wave(x)))
    assert np.allclose(jacobian(lambda x: np.sum(wave(x)))(x), 1j * wave(x))
    with pytest.raises(TypeError, match='mode="forward"'):
        jacobian(wave, mode="reverse")(x)


def test_second_derivatives() -> None:
    v = np.array([1j, 2.0])
    assert np.allclose(hvp(power)(Z, v), 2.0 * np.conj(v))
    x = np.array([0.3, 1.2])

    def f(x):
        return np.abs(np.sum(wave(x))) ** 2

    expected = 2.0 * np.cos(x[:, None] - x) - np.diag(2.0 * np.cos(x[:, None] - x).sum(axis=1))
    assert np.allclose(hessian(f)(x), expected)


@pytest.mark.parametrize("f", [power, lambda z: np.linalg.norm(z * z), lambda z: np.real(np.prod(z)) + abs(z[0] - 1.0)])
def test_check_grads_goes_along_both_axes(f: Any) -> None:
    check_grads(f)(Z)


def test_check_grads_finds_a_missing_conjugate() -> None:
    from s2sad.rules.table import COMPLEX, RULES, elementwise, of_complex

    def size(z):
        return float(abs(z) ** 2)

    elementwise(size)(lambda z: 2.0 * z)
    of_complex.elementwise(size)(wrong_rule)
    try:
        with pytest.raises(AssertionError, match="central differences"):
            check_grads(size)(1.0 + 2.0j)
    finally:
        del RULES[size], COMPLEX[size]


def wrong_rule(z: Any) -> Any:
    return 2.0 * z


def test_a_rule_of_real_numbers_is_not_taken_for_complex_ones() -> None:
    with pytest.raises(s2sad.MissingRule, match=r"numpy\.sort of complex numbers has no derivative rule"):
        grad(lambda x: np.real(np.sort(x * (1.0 + 0j))[0]))(np.ones(2))
    with pytest.raises(s2sad.MissingRule, match=r"maximum of complex numbers"):
        grad(lambda z: np.abs(np.maximum(z[0], z[1])))(Z)


def stored_into_real(x):
    y = np.zeros(2)
    y[:] = x * 1j
    return np.sum(y)


def stored_by_imaginary_parts(x):
    z = np.zeros(2, dtype=complex)
    z.imag[:] = x
    return np.sum(np.abs(z) ** 2)


def real_or_complex(x, n):
    y = np.zeros(2)
    y[0] = x[0]
    for _ in range(n):
        y = y * 1j
    return np.sum(np.abs(y))


def held_beside_complex_ones(x):
    arrays = [x * 1j, x]
    arrays[1][0] *= 2.0
    return np.sum(np.abs(arrays[0])) + np.sum(x**2)


def held_by_name(x):
    arrays = {"a": x * 1j}
    arrays["b"] = x
    x[0] *= 2.0
    return np.sum(np.abs(arrays["b"]) ** 2 + np.abs(arrays["a"]))


@pytest.mark.parametrize(
    ("f", "rest", "cause"),
    [
        (held_beside_complex_ones, (), "an array that is updated in place is one of real numbers or one of complex"),
        (stored_into_real, (), "a complex number is put where real numbers are"),
        (stored_by_imaginary_parts, (), "imaginary parts of an array that is updated in place are a view"),
        (real_or_complex, (2,), "an array that is updated in place is one of real numbers or one of complex ones"),
        (lambda x: np.sum(np.sum(x * 1j, dtype=float)), (), "imaginary parts are dropped"),
    ],
)
def test_what_is_refused_has_a_place(f: Any, rest: tuple[Any, ...], cause: str) -> None:
    for derivative in (lambda x: grad(f)(x, *rest), lambda x: jvp(f, (x, *rest), (x, *[None for _ in rest]))):
        with pytest.raises(s2sad.UnsupportedSyntax, match=cause) as caught:
            derivative(np.array([1.0, 2.0]))
        assert caught.value.lineno is not None


def test_names_of_a_dict_hold_arrays_of_both_sorts() -> None:
    check_grads(held_by_name)(np.array([1.0, 2.0]))


def test_imaginary_parts_are_read_of_what_is_stored_into() -> None:
    def f(x):
        z = np.zeros(2, dtype=complex)
        z[:] = x * (1.0 + 2.0j)
        before = z.imag.sum()
        z *= 2.0
        return np.sum(z.imag**2) + before

    check_grads(f)(np.array([1.0, 2.0]))


def test_results_and_tangents_of_the_other_sort_are_type_errors() -> None:
    with pytest.raises(TypeError, match="real result"):
        grad(lambda z: z * z)(1j)
    with pytest.raises(TypeError, match="no matrix of derivatives"):
        jacobian(lambda z: z * z)(Z)
    with pytest.raises(TypeError, match="no matrix of derivatives"):
        hessian(power)(Z)
    with pytest.raises(TypeError, match="not a complex"):
        jvp(lambda x: x * 1j, (1.0,), (1j,))
    with pytest.raises(TypeError, match=r"\.astype\(complex\)"):
        vjp(wave, np.ones(2))[1](np.ones(2))


def annotated(z: complex, a: npt.NDArray[np.complex128]) -> float:
    return abs(z) + float(np.sum(np.abs(a)))


def test_annotations_tell_of_complex_numbers() -> None:
    namespace: dict[str, Any] = {}
    exec(grad(annotated, wrt=("z", "a")).source, namespace)
    bz, ba = namespace["annotated_grad"](3.0 + 4.0j, Z)
    assert bz == pytest.approx(0.6 - 0.8j)
    assert np.allclose(ba, np.conj(Z) / np.abs(Z))


def test_the_text_is_for_real_arguments_where_nothing_is_told() -> None:
    def spectrum(x):
        return np.sum(np.abs(np.fft.fft(x * 1j)) ** 2)

    namespace: dict[str, Any] = {}
    exec(grad(spectrum).source, namespace)
    x = np.array([1.0, 2.0, 0.5])
    assert np.allclose(namespace["spectrum_grad"](x), 6.0 * x)


def test_complex_numbers_inside_a_derivative_inside() -> None:
    def f(x):
        value, slope = value_and_grad(lambda u: np.abs(cmath.exp((1.0 + 2.0j) * u) + 1.0))(x)
        y, pullback = vjp(lambda u: u * (1.0 + 1.0j), x)
        (back,) = pullback(2.0 - 1j)
        _, along = jvp(lambda u: u * u * 1j, (x,), (slope,))
        return value * slope + back + along.imag + abs(y)

    check_grads(f)(0.3)


def test_a_cotangent_of_the_other_sort_inside_is_refused() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="of real numbers is complex"):
        grad(lambda x: np.real(vjp(lambda u: u * u, x)[1](1j)[0]))(1.0)


def test_a_conjugate_of_what_is_not_known_is_refused() -> None:
    def f(a):
        b = a.conj()
        b[0] = 0.0
        return np.sum(np.abs(a) ** 2)

    with pytest.raises(s2sad.UnsupportedSyntax, match="the array itself"):
        grad(f).source
    assert np.allclose(grad(f)(np.array([1.0, 2.0])), [0.0, 4.0])
    assert np.allclose(grad(f)(Z), 2.0 * np.conj(Z))


def clear_conjugate(a, b):
    b[0] = 0.0


def scale_part(a, b):
    rest = b[1:]
    rest *= 2.0


def with_conjugate(change, conjugate):
    """A function of which an array, complex on one path and real on the other, is conjugated, and that stores then."""

    def f(x):
        a = x * 2.0
        if x[0] > 0.5:
            a = x * 1j
        b = conjugate(a)
        change(a, b)
        return np.sum(np.abs(a) ** 2) + np.sum(np.abs(b))

    return f


@pytest.mark.parametrize("change", [clear_conjugate, scale_part])
def test_a_conjugate_of_what_may_be_real_is_refused_where_it_is_stored_into(change: Any) -> None:
    """NumPy gives an array of real numbers itself."""
    x = np.array([0.7, 2.0])
    with pytest.raises(s2sad.UnsupportedSyntax, match="of real numbers itself, which is stored into"):
        grad(with_conjugate(change, lambda a: a.conj()))(x)
    found = grad(with_conjugate(change, lambda a: (a + 0j).conj()))(x)
    assert found.dtype == float
    assert np.allclose(found, grad(with_conjugate(change, lambda a: np.conj(a)))(x))
    unchanged = with_conjugate(lambda a, b: None, lambda a: a.conj())
    assert np.allclose(grad(unchanged)(np.array([0.3, 2.0])), [4.4, 18.0])


def lifted(y):
    return [(-0.3) ** y, y]


def test_parts_of_lists_and_arrays_of_powers_that_are_complex_are_refused() -> None:
    def by_branch(y):
        r = 0.0
        if y > 0.1:
            r = r + lifted(y)[0]
        return abs(r)

    def by_loop(y):
        r, s = 0.0, 0.0
        for _ in range(2):
            s = s + np.real(r)
            r = lifted(y)[0]
        return s

    def by_append(y):
        xs = []
        xs.append(lifted(y)[0])
        return np.sum(np.abs(np.array(xs)))

    def whole(y):
        return np.sum(np.real(lifted(y)))

    for f in (by_branch, by_loop, by_append, whole, lambda y: lifted(y)[0].conjugate() * 1.0):
        with pytest.raises(s2sad.NotDifferentiable, match="a power of a negative number is complex"):
            jvp(f, (0.258,), (1.0,))


def test_what_is_replaced_has_a_zero_of_its_own_sort() -> None:
    def f(rows, b):
        rows[1] = b
        return rows[1:]

    brows, bb = vjp(f, [1.0 + 2.0j, 2.0j, 0.5], 0.49)[1]([1.0, 3.0])
    assert (brows, bb) == ([0j, 0j, 3.0], 1.0)
    assert [type(x) for x in brows] == [complex, complex, float]


@pytest.mark.parametrize(
    "made",
    [
        lambda x: np.array([x, 2.0], dtype=complex),
        lambda x: np.array([[x, 2.0], [1.0, x]], dtype=complex)[0],
        lambda x: np.array([np.ones(2) * x, np.ones(2)], dtype=complex)[:, 0],
        lambda x: np.asarray([v * x for v in (1.0, 2.0)], dtype=np.complex128),
        lambda x: np.concatenate(([x], [2.0]), dtype=complex),
        lambda x: np.sum([[x, 2.0], [1.0, x]], axis=0, dtype=complex),
        lambda x: sum([x, 2.0], 1j) * np.ones(2),
        lambda x: np.concatenate(([x], [x * 1j])),
        lambda x: np.concatenate(((x,), np.array([1j]))),
    ],
)
def test_the_gradient_by_real_numbers_of_a_list_that_becomes_a_complex_array_is_real(made: Any) -> None:
    def f(x):
        return np.sum(np.abs(made(x) * Z + 1j) ** 2)

    assert isinstance(grad(f)(0.7), float)
    assert not isinstance(grad(f)(0.7), complex)
    check_grads(f)(0.7)


def test_a_list_of_which_it_cannot_be_told_what_is_complex_is_refused() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="which items of this are complex"):
        grad(lambda x: np.sum(np.abs(np.array([[x, 2.0], (1.0, x)], dtype=complex) + 1j)))(0.7)


def test_a_cotangent_of_what_is_real_in_a_run_takes_complex_ones() -> None:
    def f(l, xs):
        res = xs[1]
        for _, _ in zip(xs, l, strict=False):
            xs = [u_ * v_ for u_, v_ in zip(xs, np.asarray([res, res]), strict=False)] * 2
        return sum([abs(v) ** 2 for v in xs])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, pullback = s2sad.vjp(grad(f, wrt=1), np.ones(3), [1.0 + 1.0j, 0.4, 0.9])
        _, moved = pullback([1.0 + 0.5j, 1.0, 1.0])
        step = 1e-6
        up, down = (grad(f, wrt=1)(np.ones(3), [1.0 + 1.0j, 0.4 + h, 0.9]) for h in (step, -step))
    change = [(a - b) / (2 * step) for a, b in zip(up, down, strict=True)]
    assert moved[1] == pytest.approx(np.real(change[0] * (1.0 + 0.5j)) + change[1] + change[2])


def test_a_padding_that_carries_a_derivative() -> None:
    def f(a, x, y):
        return np.sum(np.abs(np.pad(a, 1, constant_values=x)) ** 3) + np.real(
            np.sum(np.pad(a, ((1, 2),), constant_values=((x, y),)) ** 2)
        )

    for k, args in enumerate([(Z, 0.3, 0.4j), (Z, 0.3, 0.4), (np.real(Z), 0.5, 0.2)]):
        for wrt in range(3):
            check_grads(f, wrt=wrt)(*args)


@pytest.mark.parametrize(
    "picked",
    [
        lambda v: np.pad(v, 1, mode="wrap"),
        lambda v: np.take(v, [1, 1]),
        lambda v: np.take_along_axis(v, np.array([1]), 0),
    ],
    ids=["pad", "take", "take_along_axis"],
)
def test_what_is_real_among_complex_arrays_gets_real_parts(picked: Any) -> None:
    def f(arrays):
        w = picked(arrays[0])
        return np.real(np.vdot(w, w * (1.0 + 0.5j)) * arrays[1][0])

    check_grads(f)([np.array([0.518, 0.68]), np.array([-0.971 + 1.118j, 0.211 + 0.392j])])


def test_what_is_real_of_several_results_has_a_real_adjoint() -> None:
    def f(a):
        return sum([np.sum(np.cos(np.real(x)) + np.imag(x) * np.real(x)) for x in np.linalg.slogdet(a)])

    def apart(a):
        sign, size = np.linalg.slogdet(a)
        return np.cos(np.real(sign)) + np.imag(sign) * np.real(sign) + np.cos(size)

    a = np.outer(Z, Z) + np.eye(2)
    assert np.allclose(grad(f)(a), grad(apart)(a))


def test_constant_eigenvectors_and_singular_vectors_are_complex() -> None:
    h = np.array([[2.0, 1j], [-1j, 1.0]])

    def f(x):
        return np.sum(np.abs(np.linalg.eigh(h)[1] @ x) ** 3 + np.abs(x @ np.linalg.svd(h)[0]) ** 3)

    check_grads(f)(np.array([0.3, 1.2]))


def test_a_list_of_real_numbers_that_becomes_one_of_complex_ones_is_refused() -> None:
    def f(xs):
        ys = xs[::1]
        ys[-1] += 2j
        return abs(ys[-1])

    with pytest.raises(s2sad.UnsupportedSyntax, match="a container of real numbers becomes one of complex numbers"):
        grad(f)([-1.123])


def test_pickles() -> None:
    assert np.allclose(pickle.loads(pickle.dumps(grad(power)))(Z), 2.0 * np.conj(Z))


def real_before_it_is_stored_into(x):
    z = x + 0j
    z += x
    z *= 1j
    z /= x + 2j
    return np.sum(np.abs(z))


def stored_into_what_a_constant_makes_complex(x):
    z = 1j - x
    z *= 1j * x
    w = np.where(x > 0, x, 1j)
    w[1:] *= 1j + x[1:]
    joined = np.concatenate([x, np.array([1j])])
    every_other = joined[::2]
    every_other *= 1j
    return np.sum(np.abs(z) ** 2) + np.sum(np.abs(w)) + np.sum(np.abs(joined) * np.arange(7))


def carried_and_stored_into(x):
    z = x
    for k in range(3):
        z = z + 0.0 * 1j
        z[k] *= 1j * x[k]
        z = z * np.exp(1j * x)
    return np.sum(z.real * x)


def turned_round_in_place(x):
    z = np.empty(6, complex)
    z[...] = x
    z[1:3] *= x[:2] * 1j
    z[:] = z[::-1]
    return np.sum(np.abs(z * x + 1))


def real_in_the_first_iteration(x):
    state, total = x, 0.0
    for _ in range(3):
        for k in range(3):
            total = total + np.sum(np.abs(state * 1j * k + x) ** 2)
        state = state * np.exp(1j * x)
    return total


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "f",
    [
        real_in_the_first_iteration,
        real_before_it_is_stored_into,
        stored_into_what_a_constant_makes_complex,
        carried_and_stored_into,
        turned_round_in_place,
    ],
)
def test_tangents_of_complex_arrays_have_imaginary_parts(f: Any) -> None:
    check_grads(f)(np.array([1.6, 0.4, -0.8, -2.1, -0.3, 0.9]))


def derived_by_what_may_be_real(items):
    slope = grad(lambda t: np.real(np.exp(1j * t) * items[1]))(items[0])
    return np.abs(slope) ** 2 + np.real(items[0] * items[1])


def test_a_gradient_inside_by_what_may_be_real_is_refused() -> None:
    items = [1.076, -0.62 + 0.543j]
    with pytest.raises(s2sad.UnsupportedSyntax, match="by a complex number or by a real one"):
        grad(derived_by_what_may_be_real)(items)

    def made_complex(items):
        slope = grad(lambda t: np.real(np.exp(1j * t) * items[1]))(items[0] + 0j)
        return np.abs(slope) ** 2 + np.real(items[0] * items[1])

    check_grads(made_complex)(items)


def test_a_gradient_inside_by_what_is_complex() -> None:
    def f(z, x):
        slope = grad(lambda t: np.abs(np.sin(t)) ** 2)(z * x)
        return np.real(slope * z) + x

    check_grads(f, wrt=(0, 1))(0.3 + 0.4j, 0.7)


def refracted(n):
    return np.abs(np.arcsin(n + 0j) - 0.3j)


def by_arcsine(x):
    return abs(cmath.asin(x) - 0.3j)


def by_arccosine(x):
    return abs(cmath.acos(x) - 0.3j)


def by_arcsinh(x):
    return np.abs(np.arcsinh(1j * x) - 0.3 - 0.1j)


def by_arccosh(x):
    return abs(cmath.acosh(x) - 0.3j)


def below_the_cut(x):
    return np.abs(np.arccosh(np.conj(-x + 0j)) - 0.3 - 0.1j) + np.abs(np.arcsin(np.conj(-x + 0j)) - 0.3j)


@pytest.mark.parametrize("f", [refracted, by_arcsine, by_arccosine, by_arcsinh, by_arccosh, below_the_cut])
@pytest.mark.parametrize("x", [2.0, -2.0, 0.4, 3.5])
def test_the_sign_of_a_zero_tells_the_side_of_a_cut(f: Any, x: float) -> None:
    h = 1e-6
    assert grad(f)(x) == pytest.approx((f(x + h) - f(x - h)) / (2.0 * h), rel=1e-6)
    assert jvp(f, (x,), (1.0,))[1] == pytest.approx(grad(f)(x), rel=1e-13)
