"""Factorisations that overwrite their arguments: Cholesky, LU with and without pivoting, Gram-Schmidt.

The kernels are as an author of NumPy code writes them; the functions after them reduce what they leave behind to one
number, and are what is differentiated. Run ``python -m examples.factorisations``.
"""

import numpy as np


def cholesky(A):
    """Overwrite the lower triangle of a positive definite matrix with its Cholesky factor."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


def lu(A):
    """Overwrite a matrix with its factors, the unit diagonal of L left out."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]


def lu_solve(A, b):
    """Solve ``A x = b`` by LU, overwriting A with the factors; return x."""
    n = A.shape[0]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    lu(A)
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x


def pivoted_solve(A, b):
    """Solve ``A x = b`` by elimination with row swaps, overwriting both arguments; b ends as x."""
    n = A.shape[0]
    for k in range(n):
        p = k + np.argmax(np.abs(A[k:, k]))
        if p != k:
            A[[k, p]] = A[[p, k]]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i, k:] -= factor * A[k, k:]
            b[i] -= factor * b[k]
    for i in range(n - 1, -1, -1):
        b[i] -= A[i, i + 1 :] @ b[i + 1 :]
        b[i] /= A[i, i]


def gram_schmidt(A, Q, R):
    """Factor A into Q R by modified Gram-Schmidt, using up A."""
    n = A.shape[1]
    for k in range(n):
        norm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(norm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]


def log_determinant(A):
    """Twice the sum of the logarithms of the Cholesky factor's diagonal."""
    cholesky(A)
    return 2.0 * np.sum(np.log(np.diag(A)))


def cholesky_weighted(A, W):
    """The entries of the Cholesky factor, weighted by W."""
    cholesky(A)
    return np.sum(W * np.tril(A))


def lu_weighted(A, W):
    """The entries of both LU factors, weighted by W."""
    lu(A)
    return np.sum(W * A)


def lu_solve_weighted(A, b, w):
    """The solution of ``A x = b``, weighted by w."""
    x = lu_solve(A, b)
    return w @ x


def pivoted_solve_weighted(A, b, w):
    """The solution of ``A x = b``, weighted by w, by way of pivoting."""
    pivoted_solve(A, b)
    return np.sum(w * b)


def gram_schmidt_weighted(A, V, W):
    """The entries of Q weighted by V plus those of R weighted by W."""
    Q = np.zeros_like(A)
    R = np.zeros((A.shape[1], A.shape[1]), dtype=A.dtype)
    gram_schmidt(A, Q, R)
    return np.sum(V * Q) + np.sum(W * R)


def main():
    """The gradient of a log-determinant is the inverse: the lower triangle carries it."""
    from s2sad import grad

    rng = np.random.default_rng(0)
    M = rng.normal(size=(4, 4))
    A = M @ M.T + 4.0 * np.eye(4)
    gradient = grad(log_determinant)(A)
    np.set_printoptions(precision=6, suppress=True)
    print("from the kernel, made symmetric\n", 0.5 * (gradient + gradient.T))
    print("the inverse\n", np.linalg.inv(A))
    b, w = rng.normal(size=4), rng.normal(size=4)
    print("adjoint solution by LU    ", grad(lu_solve_weighted, wrt="b")(A, b, w))
    print("adjoint solution by NumPy ", np.linalg.solve(A.T, w))


if __name__ == "__main__":
    main()
