"""grad of cholesky, from programs.py:226."""

import math
import numpy as np


def cholesky_grad(A):
    tape = []
    tape_1 = []
    n = len(A)
    L = np.zeros_like(A)
    for j in range(n):
        t = L[j, :j]
        t_1 = math.sqrt(A[j, j] - t @ t)
        L_old = L[j, j]
        L[j, j] = t_1
        for i in range(j + 1, n):
            L_j_j = L[j, j]
            t_2 = (A[i, j] - L[i, :j] @ t) / L_j_j
            L_old_1 = L[i, j]
            L[i, j] = t_2
            tape.append((L_j_j, t_2, L_old_1))
        tape_1.append((t_1, L_old))
    t = L[n - 1, 0]
    # return L[n - 1, n - 1] * L[n - 1, 0]
    bL = np.zeros_like(L)
    bL[n - 1, 0] = L[n - 1, n - 1]
    bL[n - 1, n - 1] += t
    bA = np.zeros_like(A)
    for j in range(n - 1, -1, -1):
        t, L_old = tape_1.pop()
        t_1 = L[j, :j]
        for i in range(n - 1, j, -1):
            t_2, t_3, L_old_1 = tape.pop()
            t_4 = L[i, :j]
            # L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
            bL_i_j = bL[i, j]
            bL[i, j] = 0.0
            L[i, j] = L_old_1
            b = bL_i_j / t_2
            bL[j, j] -= bL_i_j * (t_3 / t_2)
            b_1 = -b
            b_2 = b_1 * t_4
            bL[i, :j] += b_1 * t_1
            bL[j, :j] += b_2
            bA[i, j] += b
        # L[j, j] = math.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        bL_j_j = bL[j, j]
        bL[j, j] = 0.0
        L[j, j] = L_old
        b = bL_j_j * (0.5 / t)
        b_1 = b * t_1
        bL[j, :j] -= b_1
        bL[j, :j] -= b_1
        bA[j, j] += b
    return bA
