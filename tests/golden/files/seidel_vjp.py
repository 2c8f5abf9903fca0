"""vjp of seidel, from programs.py:201."""

import numpy as np


def seidel_vjp(A, steps):
    A = A.copy()
    n = A.shape[0]
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (A[i, j - 1] + A[i, j] + A[i - 1, j]) / 3.0

    def seidel_pullback(by):
        # return np.sum(A)
        bA = np.full_like(A, by)
        for t in range(steps):
            for i in range(n - 2, 0, -1):
                for j in range(n - 2, 0, -1):
                    # A[i, j] = (A[i, j - 1] + A[i, j] + A[i - 1, j]) / 3.0
                    b = bA[i, j] / 3.0
                    bA[i, j] = b
                    bA[i - 1, j] += b
                    bA[i, j - 1] += b
        return (bA,)

    return np.sum(A), seidel_pullback
