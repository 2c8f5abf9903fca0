"""grad of cholesky, from programs.py:226."""

import math
import numpy as np


def cholesky_grad(A):
    n = len(A)
    L = np.zeros_like(A)
    for j in range(n):
        t = L[j, :j]
        L[j, j] = math.sqrt(A[j, j] - t @ t)
        for i in range(j + 1, n):
            L[i, j] = (A[i, j] - L[i, :j] @ t) / L[j, j]
    t = L[n - 1, 0]
    # return L[n - 1, n - 1] * L[n - 1, 0]
    bL = np.zeros_like(L)
    bL[n - 1, 0] = L[n - 1, n - 1]
    bL[n - 1, n - 1] += t
    bA = np.zeros_like(A)
    for j in range(n - 1, -1, -1):
        t = L[j, :j]
        L_j_j = L[j, j]
        for i in range(n - 1, j, -1):
            t_1 = L[i, :j]
            # L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
            b = bL[i, j] / L_j_j
            bL[j, j] -= b * L[i, j]
            b_1 = -b
            b_2 = b_1 * t_1
            bL[i, :j] += b_1 * t
            bL[j, :j] += b_2
            bA[i, j] += b
        # L[j, j] = math.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        b = bL[j, j] * (0.5 / L_j_j)
        b_1 = b * t
        bL[j, :j] -= b_1
        bL[j, :j] -= b_1
        bA[j, j] += b
    return bA
