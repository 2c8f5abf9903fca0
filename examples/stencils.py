"""Stencil sweeps that update their arrays in place: 2-D Jacobi, 2-D Gauss-Seidel and 3-D heat.

The kernels are as an author of NumPy code writes them; the ``*_energy`` functions reduce what they leave behind to one
number, and are what is differentiated. Run ``python -m examples.stencils``.
"""

import numpy as np


def jacobi_2d(steps, A, B):
    """Average five neighbours from A into B and back again, ``steps`` times."""
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


def gauss_seidel_2d(steps, A):
    """Average nine neighbours into each interior point, using the new values as soon as they are there."""
    n, m = A.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:]
            A[i, 1:-1] += A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            for j in range(1, m - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0


def heat_3d(steps, A, B):
    """Explicit steps of the 3-D heat equation, A to B and back."""
    for _ in range(steps):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2])
            + A[1:-1, 1:-1, 1:-1]
        )
        A[1:-1, 1:-1, 1:-1] = (
            0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, :-2])
            + B[1:-1, 1:-1, 1:-1]
        )


def jacobi_energy(A, B, steps):
    """Sum of squares of both arrays after the sweeps."""
    jacobi_2d(steps, A, B)
    return np.sum(A * A) + np.sum(B * B)


def gauss_seidel_energy(A, steps):
    """Sum of squares after the sweeps."""
    gauss_seidel_2d(steps, A)
    return np.sum(A * A)


def heat_energy(A, B, steps):
    """Sum of squares after the steps."""
    heat_3d(steps, A, B)
    return np.sum(A * A)


def main():
    """Print how the final energy depends on the start, for each kernel."""
    from s2sad import grad

    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    np.set_printoptions(precision=4, suppress=True)
    print("Jacobi\n", grad(jacobi_energy)(A, A.copy(), 3))
    print("Gauss-Seidel\n", grad(gauss_seidel_energy)(A, 3))
    C = rng.normal(size=(5, 5, 5))
    print("heat, the middle plane\n", grad(heat_energy)(C, C.copy(), 3)[2])


if __name__ == "__main__":
    main()
