"""Programs with complex numbers through both tiers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, jvp, value_and_grad

X = np.array([0.7, 0.4, 0.3])


def split_steps(x):
    n = 16
    grid = np.linspace(-3.0, 3.0, n)
    psi = np.exp(-(grid**2)) * np.exp(1j * x[0] * grid)
    V = x[1] * grid**2
    half = np.exp(-0.5j * 0.01 * V)
    for k in range(5):
        psi = half * psi
        lap = np.zeros(n, dtype=complex)
        lap[1:-1] = psi[2:] - 2.0 * psi[1:-1] + psi[:-2]
        psi = psi + 0.5j * 0.01 * lap * x[2]
        psi = half * psi
    return np.sum(np.abs(psi) ** 2 * grid)


def fourier_series(x):
    t = np.linspace(0.0, 1.0, 8)
    total = np.zeros(8, dtype=complex)
    for k in range(3):
        total += x[k] * np.exp(2j * np.pi * k * t)
    return np.sum(np.real(total) ** 2 + np.imag(total))


def expected_energy(x):
    psi = np.array([x[0] + 1j * x[1], x[2] - 0.5j, 1.0])
    psi = psi / np.linalg.norm(psi)
    H = np.array([[1.0, 0.5j, 0.0], [-0.5j, 2.0, 1.0], [0.0, 1.0, 3.0]])
    return np.real(np.vdot(psi, H @ psi))


def two_spins(x):
    X = np.array([[0, 1], [1, 0]], dtype=complex)
    Z = np.array([[1, 0], [0, -1]], dtype=complex)
    H = x[0] * np.kron(X, X) + x[1] * np.kron(Z, np.eye(2)) + x[2] * np.kron(np.eye(2), Z)
    psi = np.ones(4, dtype=complex) / 2.0
    for _ in range(4):
        psi = psi - 0.1j * (H @ psi)
        psi = psi / np.sqrt(np.real(np.vdot(psi, psi)))
    return np.real(psi[0] * np.conj(psi[3]))


def adaptive_weights(x):
    n = np.arange(5)
    v = np.exp(1j * np.pi * n * np.sin(x[0]))
    w = np.exp(1j * np.pi * n * np.sin(x[1]))
    R = np.outer(v, v.conj()) + x[2] * np.eye(5)
    y = np.linalg.solve(R, w)
    return 1.0 / np.real(w.conj() @ y)


def least_eigenvalue(x):
    A = np.array([[x[0], x[1] + 1j * x[2]], [x[1] - 1j * x[2], 2.0]])
    return np.linalg.eigvalsh(A)[0]


def transfer_matrices(x):
    M = np.eye(2, dtype=complex)
    for k in range(3):
        d = x[k] * (1.0 + 0.1j)
        M = M @ np.array([[np.cos(d), 1j * np.sin(d)], [1j * np.sin(d), np.cos(d)]])
    t = 1.0 / M[0, 0]
    return np.abs(t) ** 2 + np.abs(M[1, 0]) ** 2


def sums_of_products(x):
    z = np.exp(1j * np.outer(x, x))
    return np.real(np.einsum("ij,ij->", z, np.conj(z) * x)) + np.real(np.einsum("ij,j->i", z, x)[0])


def recorded_states(x):
    states = []
    psi = np.array([1.0 + 0j, 0j])
    H = np.array([[0.0, x[0]], [x[0], x[1]]])
    for k in range(4):
        states.append(psi)
        psi = psi - 1j * 0.1 * (H @ psi)
    return sum(abs(s[1]) ** 2 for s in states) * x[2]


def filled_in_place(x):
    z = np.empty(3, dtype=complex)
    for i in range(3):
        z[i] = x[i] * (1 + 2j) ** i
    z[1:] *= 1j
    z -= z.mean()
    return np.sum(z.real**2) + np.sum(np.abs(z))


def determinants(x):
    A = np.array([[x[0] + 1j, x[1]], [1j * x[2], 2.0 - 1j]])
    return np.abs(np.linalg.det(A)) + np.real(np.linalg.inv(A)[0, 1]) + np.real(np.trace(np.linalg.matrix_power(A, 2)))


PROGRAMS: tuple[Callable[[Any], Any], ...] = (
    *(split_steps, fourier_series, expected_energy, two_spins, adaptive_weights, least_eigenvalue),
    *(transfer_matrices, sums_of_products, recorded_states, filled_in_place, determinants),
)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_both_tiers_agree(f: Callable[[Any], Any]) -> None:
    value, gradient = value_and_grad(f)(X)
    assert value == pytest.approx(f(X))
    found = value_and_grad(f, backend="numba")(X)
    np.testing.assert_allclose(found[0], value, rtol=1e-12)
    np.testing.assert_allclose(found[1], gradient, rtol=1e-10, atol=1e-13)
    dx = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(jvp(f, (X,), (dx,), backend="numba"), jvp(f, (X,), (dx,)), rtol=1e-10)


def test_what_numba_lacks_is_said_at_its_line() -> None:
    def f(x):
        return np.sum(np.abs(np.linalg.eigvals(np.outer(x, x) + 1j * np.eye(3))) ** 2) + np.sum(np.poly(x))

    with pytest.raises(CompileError, match="poly") as caught:
        value_and_grad(f, backend="numba")(X)
    assert caught.value.lineno == f.__code__.co_firstlineno + 1


def test_complex_eigenvalues_of_a_real_matrix_are_right_or_refused_at_their_line() -> None:
    def f(a):
        values, _ = np.linalg.eig(a)
        return np.sum(np.imag(values) ** 2)

    turn = np.array([[0.0, 1.0], [-1.0, 0.2]])
    if np.iscomplexobj(np.linalg.eigvals(np.eye(2))):  # since NumPy 2.5, in what Numba makes of it as well
        np.testing.assert_allclose(grad(f, backend="numba")(turn), grad(f)(turn), rtol=1e-12)
        return
    with pytest.raises(CompileError, match="eigenvalues of a matrix of real numbers may be complex") as caught:
        value_and_grad(f, backend="numba")(turn)
    assert caught.value.lineno == f.__code__.co_firstlineno + 1


def test_complex_numbers_of_single_precision_come_back_in_double() -> None:
    z = np.array([1 + 2j, 0.5 - 1j], np.complex64)
    plain, compiled = grad(intensity)(z), grad(intensity, backend="numba")(z)
    assert plain.dtype == np.complex64 and compiled.dtype == np.complex128  # as docs/compiled.md says
    np.testing.assert_allclose(compiled, plain, rtol=1e-6)


def intensity(z):
    """What a detector sees."""
    return np.sum(np.abs(0.5 * z) ** 2)


def in_place_of_single(M, z):
    y = np.empty_like(z)
    y[:] = np.reshape(M @ np.reshape(z, (2, -1)), z.shape)
    return intensity(y)


def solved_with_single(M, z):
    T = np.zeros(M.shape, dtype=np.complex128)
    T += M
    return intensity(np.linalg.solve(T, z[:2])) + intensity(np.linalg.solve(M.real, z[:2]))


@pytest.mark.parametrize("f", [in_place_of_single, solved_with_single])
def test_double_precision_meets_single(f: Callable[..., Any]) -> None:
    z, M = np.array([1 + 2j, 0.5 - 1j, 2j, 1.5], np.complex64), np.array([[2 + 1j, 0.3], [-0.4j, 1.5 - 1j]])
    plain, compiled = (grad(f, wrt=(0, 1), **tier)(M, z) for tier in ({}, {"backend": "numba"}))
    for ours, theirs in zip(compiled, plain, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def on_a_grid_of_powers(x, n, k):
    i, j = np.mgrid[0:n, 1 : n**k]
    return np.sum(np.sin(x[:, None] * i[:, 0] * j[0, -1])) + np.sum(x[0] ** 2 * j) + np.sum(np.mgrid[: n**k] * x[1])


def test_a_grid_up_to_a_power_of_integers() -> None:
    x = np.array([0.5, 0.3])
    plain = grad(on_a_grid_of_powers)
    np.testing.assert_allclose(grad(on_a_grid_of_powers, backend="numba")(x, 2, 2), plain(x, 2, 2), rtol=1e-12)
    h = 1e-6
    for k, e in enumerate(np.eye(2) * h):
        for n, power in ((2, 2), (2.5, 2), (3, 1)):
            rise = on_a_grid_of_powers(x + e, n, power) - on_a_grid_of_powers(x - e, n, power)
            np.testing.assert_allclose(plain(x, n, power)[k], rise / (2.0 * h), rtol=1e-7)
