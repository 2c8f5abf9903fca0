"""Stacks of matrices, three axes each: what modules carry in the place of NumPy's functions of many matrices."""

from __future__ import annotations

from typing import Any

import numpy as np


def matmul_stacked(a: Any, b: Any, lengths: Any, first: Any, second: Any) -> Any:
    """The products of the matrices of two stacks, of these lengths (first and second), broadcast to lengths."""
    if a.shape[2] != b.shape[1]:
        raise ValueError("matmul: the operands have other lengths along the axis that is summed")
    n = 1
    for length in lengths:
        n *= length
    out = np.empty((n, a.shape[1], b.shape[2]), a.dtype)
    for i in range(n):
        rest, p, q, width, breadth = i, 0, 0, 1, 1
        for k in range(len(lengths) - 1, -1, -1):
            p += rest % lengths[k] % first[k] * width
            q += rest % lengths[k] % second[k] * breadth
            rest //= lengths[k]
            width *= first[k]
            breadth *= second[k]
        if a.shape[1] * a.shape[2] * b.shape[2] > 64:
            np.dot(a[p], b[q], out[i])
            continue
        for j in range(a.shape[1]):  # a call of BLAS takes longer
            for m in range(b.shape[2]):
                total = out.dtype.type(0)
                for k in range(a.shape[2]):
                    total += a[p, j, k] * b[q, k, m]
                out[i, j, m] = total
    return out


def place_in_stack(i: Any, lengths: Any, own: Any) -> Any:
    """Which matrix of a stack of lengths of its own is the one at i, once it is broadcast to lengths."""
    place, width = 0, 1
    for k in range(len(lengths) - 1, -1, -1):
        place += i % lengths[k] % own[k] * width
        i //= lengths[k]
        width *= own[k]
    return place


def put_matrix(out: Any, i: Any, x: Any) -> None:
    """out[i] = x, number by number: of whole arrays, Numba links in the text of an error about shapes."""
    for j in range(x.shape[0]):
        for k in range(x.shape[1]):
            out[i, j, k] = x[j, k]


def solve_stacked(a: Any, b: Any, lengths: Any, first: Any, second: Any) -> Any:
    """The solutions for the matrices of two stacks, of these lengths (first and second), broadcast to lengths."""
    n = 1
    for length in lengths:
        n *= length
    out = np.empty((n, a.shape[1], b.shape[2]), a.dtype)
    for i in range(n):
        x = np.linalg.solve(a[place_in_stack(i, lengths, first)], b[place_in_stack(i, lengths, second)])
        put_matrix(out, i, x)
    return out


def inv_stacked(a: Any) -> Any:
    """The inverses of the matrices of a stack."""
    out = np.empty_like(a)
    for i in range(len(a)):
        put_matrix(out, i, np.linalg.inv(a[i]))
    return out


def cholesky_stacked(a: Any) -> Any:
    """The lower factors of the matrices of a stack."""
    out = np.empty_like(a)
    for i in range(len(a)):
        put_matrix(out, i, np.linalg.cholesky(a[i]))
    return out


def pinv_stacked(a: Any) -> Any:
    """The pseudo-inverses of the matrices of a stack."""
    out = np.empty((a.shape[0], a.shape[2], a.shape[1]), a.dtype)
    for i in range(len(a)):
        put_matrix(out, i, np.linalg.pinv(a[i]))
    return out


def qr_stacked(a: Any) -> Any:
    """The factors of the matrices of a stack, the first with orthogonal columns and the second triangular."""
    n, m, k = a.shape
    least = min(m, k)
    q, r = np.empty((n, m, least), a.dtype), np.empty((n, least, k), a.dtype)
    for i in range(n):
        first, second = np.linalg.qr(a[i])
        put_matrix(q, i, first)
        put_matrix(r, i, second)
    return q, r


def eigh_stacked(a: Any) -> Any:
    """The eigenvalues and eigenvectors of the symmetric matrices of a stack."""
    values, vectors = np.empty(a.shape[:2], a.real.dtype), np.empty_like(a)
    for i in range(len(a)):
        w, v = np.linalg.eigh(a[i])
        for k in range(len(w)):
            values[i, k] = w[k]
        put_matrix(vectors, i, v)
    return values, vectors


def svd_stacked(a: Any, full: Any) -> Any:
    """The singular values and vectors of the matrices of a stack, of all vectors if the matrices are to be square."""
    n, m, k = a.shape
    least = min(m, k)
    left, right = (m, k) if full else (least, least)
    u, s, vt = np.empty((n, m, left), a.dtype), np.empty((n, least), a.real.dtype), np.empty((n, right, k), a.dtype)
    for i in range(n):
        first, values, last = np.linalg.svd(a[i], full)
        put_matrix(u, i, first)
        for j in range(least):
            s[i, j] = values[j]
        put_matrix(vt, i, last)
    return u, s, vt


def slogdet_stacked(a: Any) -> Any:
    """The signs and logarithms of the determinants of the matrices of a stack."""
    signs, logs = np.empty(len(a), a.dtype), np.empty(len(a), a.real.dtype)
    for i in range(len(a)):
        signs[i], logs[i] = np.linalg.slogdet(a[i])
    return signs, logs


def det_stacked(a: Any) -> Any:
    """The determinants of the matrices of a stack."""
    out = np.empty(len(a), a.dtype)
    for i in range(len(a)):
        out[i] = np.linalg.det(a[i])
    return out
