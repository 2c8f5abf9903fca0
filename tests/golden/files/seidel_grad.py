"""grad of seidel, from programs.py:201."""

import numpy as np


def seidel_grad(A, steps):
    n = A.shape[0]
    # return np.sum(A)
    bA = np.ones_like(A)
    for t in range(steps):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                # A[i, j] = (A[i, j - 1] + A[i, j] + A[i - 1, j]) / 3.0
                b = bA[i, j] / 3.0
                bA[i, j] = b
                bA[i - 1, j] += b
                bA[i, j - 1] += b
    return bA
