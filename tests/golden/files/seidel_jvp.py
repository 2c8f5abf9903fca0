"""jvp of seidel, from programs.py:201."""

import numpy as np


def seidel_jvp(A, steps, dA):
    A = A.copy()
    dA = dA.copy()
    n = A.shape[0]
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                d = (dA[i, j - 1] + dA[i, j] + dA[i - 1, j]) / 3.0
                A[i, j] = (A[i, j - 1] + A[i, j] + A[i - 1, j]) / 3.0
                dA[i, j] = d
    dresult = np.sum(dA)
    return np.sum(A), dresult
