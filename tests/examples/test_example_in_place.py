"""Programs that update arrays in place: against complex steps of the same program, closed forms, adjoints by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from differences import complex_gradient, identical, to_vector
from references import assert_close

from examples import adi, cavity_flow, convolution, factorisations, nbody, stencils
from s2sad import grad, jvp, value_and_grad

rng = np.random.default_rng(7)


def positive_definite(n: int) -> np.ndarray:
    """A well-conditioned random matrix."""
    M = rng.normal(size=(n, n))
    return M @ M.T + n * np.eye(n)


SQUARE = rng.normal(size=(5, 5)) + 4.0 * np.eye(5)
VECTOR = rng.normal(size=5)
MASS, POSITIONS, VELOCITIES = nbody.make_problem(3)
FLOW = [0.1 * rng.normal(size=(6, 7)) for _ in range(3)]

PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]]] = {
    "jacobi": (stencils.jacobi_energy, (rng.normal(size=(6, 5)), rng.normal(size=(6, 5)), 3), (0, 1)),
    "gauss_seidel": (stencils.gauss_seidel_energy, (rng.normal(size=(5, 6)), 3), (0,)),
    "heat": (stencils.heat_energy, (rng.normal(size=(4, 5, 4)), rng.normal(size=(4, 5, 4)), 2), (0, 1)),
    "cholesky": (factorisations.cholesky_weighted, (positive_definite(5), rng.normal(size=(5, 5))), (0, 1)),
    "log_determinant": (factorisations.log_determinant, (positive_definite(5),), (0,)),
    "lu": (factorisations.lu_weighted, (SQUARE, rng.normal(size=(5, 5))), (0, 1)),
    "lu_solve": (factorisations.lu_solve_weighted, (SQUARE, VECTOR, rng.normal(size=5)), (0, 1, 2)),
    "pivoted_solve": (
        factorisations.pivoted_solve_weighted,
        (rng.normal(size=(5, 5)), VECTOR, rng.normal(size=5)),
        (0, 1, 2),
    ),
    "gram_schmidt": (
        factorisations.gram_schmidt_weighted,
        (rng.normal(size=(5, 4)), rng.normal(size=(5, 4)), rng.normal(size=(4, 4))),
        (0, 1, 2),
    ),
    "adi": (adi.adi_energy, (rng.normal(size=(6, 6)), 3), (0,)),
    "cavity": (cavity_flow.kinetic_energy, (*FLOW, 0.1, 1.0, 3, 4), (0, 1, 2, 3, 4)),
    "nbody": (nbody.miss_distance, (MASS, POSITIONS, VELOCITIES, np.ones(3), 5), (0, 1, 2, 3)),
    "nbody_energy": (nbody.final_energy, (MASS, POSITIONS, VELOCITIES, 4), (0, 1, 2)),
    "convolution": (convolution.layer_loss, convolution.make_problem(), (1, 2)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradient_equals_complex_steps(name: str) -> None:
    program, args, wrt = PROGRAMS[name]
    before = np.array(to_vector(args))
    gradient = grad(program, wrt=wrt)(*args)
    assert identical(to_vector(args), before)
    for ours, theirs in zip(gradient, complex_gradient(program, args, wrt), strict=True):
        assert_close(ours, theirs, 1e-11)


@pytest.mark.parametrize("name", PROGRAMS)
def test_tangent_equals_complex_step(name: str) -> None:
    program, args, wrt = PROGRAMS[name]
    before = np.array(to_vector(args))
    directions = tuple(
        None if isinstance(a, int) else rng.normal(size=np.shape(a)) * (k in wrt) for k, a in enumerate(args)
    )
    directions = tuple(float(d) if isinstance(d, np.ndarray) and d.ndim == 0 else d for d in directions)
    moved = [a if d is None else a + 1e-30j * d for a, d in zip(args, directions)]
    expected = np.imag(program(*moved)) / 1e-30
    copies = [a if d is None else a + 0.0 for a, d in zip(args, directions)]
    value, tangent = jvp(program, args, directions)
    assert identical(to_vector(args), before)
    assert value == pytest.approx(float(program(*copies)), rel=1e-13)
    assert tangent == pytest.approx(float(expected), rel=1e-10)


def heat_adjoint(A: np.ndarray, B: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The adjoint of the heat kernel followed by a sum of squares, by hand."""

    def spread(b_new: np.ndarray, b_old: np.ndarray) -> None:
        b = b_new[1:-1, 1:-1, 1:-1].copy()
        b_new[1:-1, 1:-1, 1:-1] = 0.0
        b_old[1:-1, 1:-1, 1:-1] += 0.25 * b
        for axis in range(3):
            for shift in (slice(2, None), slice(None, -2)):
                where = [slice(1, -1)] * 3
                where[axis] = shift
                b_old[tuple(where)] += 0.125 * b

    A, B = A.copy(), B.copy()
    stencils.heat_3d(steps, A, B)
    bA, bB = 2.0 * A, np.zeros_like(B)
    for _ in range(steps):
        spread(bA, bB)
        spread(bB, bA)
    return bA, bB


def test_heat_equals_the_adjoint_by_hand() -> None:
    A, B = rng.normal(size=(5, 4, 5)), rng.normal(size=(5, 4, 5))
    ours = grad(stencils.heat_energy, wrt=(0, 1))(A, B, 3)
    for gradient, expected in zip(ours, heat_adjoint(A, B, 3)):
        assert_close(gradient, expected, 1e-13)


def test_cholesky_equals_the_closed_form() -> None:
    """The adjoint of ``A = L L'``: half of ``inv(L)' (phi(L' W) + its transpose) inv(L)``, folded onto the triangle."""
    A, W = positive_definite(5), rng.normal(size=(5, 5))
    L = np.linalg.cholesky(A)
    inner = np.tril(L.T @ np.tril(W))
    inner[np.diag_indices(5)] *= 0.5
    inverse = np.linalg.inv(L)
    full = 0.5 * inverse.T @ (inner + inner.T) @ inverse
    expected = np.tril(full + full.T)
    expected[np.diag_indices(5)] *= 0.5
    assert_close(np.tril(grad(factorisations.cholesky_weighted)(A, W)), expected, 1e-11)


def test_log_determinant_gradient_is_the_inverse() -> None:
    A = positive_definite(4)
    gradient = grad(factorisations.log_determinant)(A)
    assert np.all(np.triu(gradient, 1) == 0.0)
    assert_close(0.5 * (gradient + gradient.T), np.linalg.inv(A), 1e-12)


@pytest.mark.parametrize("solver", [factorisations.lu_solve_weighted, factorisations.pivoted_solve_weighted])
def test_solve_equals_the_closed_form(solver: Callable[..., Any]) -> None:
    A, b, w = rng.normal(size=(5, 5)) + 3.0 * np.eye(5), rng.normal(size=5), rng.normal(size=5)
    value, (d_A, d_b) = value_and_grad(solver, wrt=(0, 1))(A, b, w)
    x, adjoint = np.linalg.solve(A, b), np.linalg.solve(A.T, w)
    assert value == pytest.approx(w @ x, rel=1e-12)
    assert_close(d_b, adjoint, 1e-11)
    assert_close(d_A, -np.outer(adjoint, x), 1e-11)


def test_convolution_is_bilinear() -> None:
    images, weights, bias, target = convolution.make_problem()
    value, (d_images, d_weights, d_bias) = value_and_grad(convolution.layer_loss, wrt=(0, 1, 2))(
        images, weights, bias, target
    )
    windows = np.lib.stride_tricks.sliding_window_view(images, (3, 3), axis=(1, 2))
    error = np.einsum("nijcab,abco->nijo", windows, weights) + bias - target
    padded = np.lib.stride_tricks.sliding_window_view(np.pad(error, ((0, 0), (2, 2), (2, 2), (0, 0))), (3, 3), (1, 2))
    assert value == pytest.approx(0.5 * np.sum(error**2), rel=1e-13)
    assert_close(d_bias, error.sum(axis=(0, 1, 2)), 1e-12)
    assert_close(d_weights, np.einsum("nijcab,nijo->abco", windows, error), 1e-12)
    assert_close(d_images, np.einsum("nijoab,abco->nijc", padded, weights[::-1, ::-1]), 1e-12)


def test_pooling_and_relu_equal_a_mask() -> None:
    images, weights, bias, _ = convolution.make_problem()
    layer = convolution.conv2d_bias(images, weights, bias)
    blocks = layer[:, :4].reshape(2, 2, 2, 2, 2, 4)
    largest = blocks.max(axis=(2, 4), keepdims=True)
    b_layer = np.zeros_like(layer)
    b_layer[:, :4] = (2.0 * np.maximum(largest, 0.0) * (blocks == largest)).reshape(2, 4, 4, 4)
    expected = np.sum(b_layer, axis=(0, 1, 2))
    assert_close(grad(convolution.pooled_loss, wrt="bias")(images, weights, bias), expected, 1e-12)


def test_leapfrog_keeps_its_momentum() -> None:
    """The total momentum does not depend on the positions, and on the velocities by the masses alone."""

    def momentum(mass: np.ndarray, pos: np.ndarray, vel: np.ndarray) -> Any:
        nbody.leapfrog(mass, pos, vel, 5, 0.05, 1.0, 0.1)
        return np.sum(mass * vel[:, 0])

    d_pos, d_vel = grad(momentum, wrt=(1, 2))(MASS, POSITIONS, VELOCITIES)
    np.testing.assert_allclose(d_pos, 0.0, atol=1e-12)
    np.testing.assert_allclose(d_vel, MASS[:, np.newaxis] * np.array([1.0, 0.0, 0.0]), atol=1e-12)
