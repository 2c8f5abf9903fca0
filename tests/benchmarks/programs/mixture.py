"""The log-posterior of a Gaussian mixture: in array operations as in the examples, and in loops over floats."""

from __future__ import annotations

import numpy as np

from examples.gmm import log_posterior, log_wishart_prior, lower_factor, make_problem
from tests.benchmarks.peers import by_autograd, by_jax, by_numba, by_numpy, by_torch
from tests.benchmarks.program import Program

__all__ = ["ARRAYS", "LOOPS"]


def log_posterior_loops(alphas, means, factors, x):
    """The same number in loops, entry by entry."""
    n, d = x.shape
    k = len(alphas)
    diagonals = np.exp(factors[:, :d])
    log_determinants = np.sum(factors[:, :d], axis=1)
    terms = np.zeros(k)
    total = 0.0
    for i in range(n):
        for c in range(k):
            whitened = np.zeros(d)
            p = d
            for j in range(d):
                away = x[i, j] - means[c, j]
                whitened[j] += diagonals[c, j] * away
                for r in range(j + 1, d):
                    whitened[r] += factors[c, p] * away
                    p += 1
            squares = 0.0
            for j in range(d):
                squares += whitened[j] * whitened[j]
            terms[c] = alphas[c] + log_determinants[c] - 0.5 * squares
        largest = np.max(terms)
        total += largest + np.log(np.sum(np.exp(terms - largest)))
    largest = np.max(alphas)
    total -= n * (largest + np.log(np.sum(np.exp(alphas - largest))))
    return total - 0.5 * n * d * np.log(2.0 * np.pi) + log_wishart_prior(factors[:, :d], factors[:, d:], 1.0, 0)


# By hand ------------------------------------------------------------------------------------------------------------
#
# With r the responsibilities and S the scatter of the points about a mean weighted by r, the gradient by the factor Q
# is -Q S, and that by the mean is Q' Q times the weighted sum of differences.


def gradient_by_hand(alphas, means, factors, x):
    """The gradient in array operations, a component at a time."""
    n, d = x.shape
    k = len(alphas)
    Qs = [lower_factor(factors[c, :d], factors[c, d:]) for c in range(k)]
    terms = np.empty((n, k))
    for c, Q in enumerate(Qs):
        whitened = (x - means[c]) @ Q.T
        terms[:, c] = alphas[c] + np.sum(factors[c, :d]) - 0.5 * np.einsum("ij,ij->i", whitened, whitened)
    terms -= np.max(terms, axis=1, keepdims=True)
    r = np.exp(terms)
    r /= np.sum(r, axis=1, keepdims=True)

    totals = np.sum(r, axis=0)
    weights = np.exp(alphas - np.max(alphas))
    b_means = np.empty_like(means)
    b_factors = -factors
    b_factors[:, :d] = totals[:, np.newaxis] - np.exp(2.0 * factors[:, :d])
    columns, rows = np.triu_indices(d, 1)  # the packed order: column by column
    for c, Q in enumerate(Qs):
        away = x - means[c]
        weighted = r[:, c, np.newaxis] * away
        bQ = -Q @ (weighted.T @ away)
        b_means[c] = Q.T @ (Q @ np.sum(weighted, axis=0))
        b_factors[c, :d] += np.diag(bQ) * np.diag(Q)
        b_factors[c, d:] += bQ[rows, columns]
    return totals - n * weights / np.sum(weights), b_means, b_factors


def unpacked(factors, d):
    """The lower factors of all components."""
    k = len(factors)
    Q = np.zeros((k, d, d))
    for c in range(k):
        p = d
        for j in range(d):
            Q[c, j, j] = np.exp(factors[c, j])
            for i in range(j + 1, d):
                Q[c, i, j] = factors[c, p]
                p += 1
    return Q


def log_densities(alphas, means, factors, Q, xt):
    """The logarithm of each component's weighted density at each point (columns of xt), (k, n); constants left out."""
    d, n = xt.shape
    k = len(alphas)
    r = np.empty((k, n))
    row = np.empty(n)
    for c in range(k):
        r[c] = alphas[c] + np.sum(factors[c, :d])
        for i in range(d):
            row[:] = 0.0
            for j in range(i + 1):
                q, mean = Q[c, i, j], means[c, j]
                for s in range(n):
                    row[s] += q * (xt[j, s] - mean)
            for s in range(n):
                r[c, s] -= 0.5 * row[s] * row[s]
    return r


def normalise(r):
    """Turn logarithms into responsibilities, in place; return the logarithm of each point's sum."""
    k, n = r.shape
    largest, total = r[0].copy(), np.zeros(n)
    for c in range(1, k):
        for s in range(n):
            largest[s] = max(largest[s], r[c, s])
    for c in range(k):
        for s in range(n):
            r[c, s] = np.exp(r[c, s] - largest[s])
            total[s] += r[c, s]
    for c in range(k):
        for s in range(n):
            r[c, s] /= total[s]
    return largest + np.log(total)


def log_posterior_compiled(alphas, means, factors, x):
    """The number itself, so arranged."""
    n, d = x.shape
    r = log_densities(alphas, means, factors, unpacked(factors, d), np.ascontiguousarray(x.T))
    largest = np.max(alphas)
    total = np.sum(normalise(r)) - n * (largest + np.log(np.sum(np.exp(alphas - largest))))
    return total - 0.5 * n * d * np.log(2.0 * np.pi) + log_wishart_prior(factors[:, :d], factors[:, d:], 1.0, 0)


def gradient_loops(alphas, means, factors, x):
    """The gradient in loops, the points along the innermost; moments by one matrix product a component."""
    n, d = x.shape
    k = len(alphas)
    xt = np.ascontiguousarray(x.T)
    Q = unpacked(factors, d)
    r = log_densities(alphas, means, factors, Q, xt)
    normalise(r)
    weights = np.exp(alphas - np.max(alphas))
    b_alphas = -n * weights / np.sum(weights)
    b_means = np.zeros_like(means)
    b_factors = -factors
    away = np.empty((d, n))
    weighted = np.empty((d, n))
    ones = np.ones(n)  # sums as products, which add several numbers at a time
    for c in range(k):
        total = np.dot(r[c], ones)
        b_alphas[c] += total
        for j in range(d):
            mean = means[c, j]
            for s in range(n):
                away[j, s] = xt[j, s] - mean
                weighted[j, s] = away[j, s] * r[c, s]
        sums = np.dot(weighted, ones)
        bQ = np.dot(Q[c], np.dot(weighted, away.T))
        b_means[c] = np.dot(Q[c].T, np.dot(Q[c], sums))
        p = d
        for j in range(d):
            diagonal = Q[c, j, j]
            b_factors[c, j] = total - diagonal * diagonal - bQ[j, j] * diagonal
            for i in range(j + 1, d):
                b_factors[c, p] -= bQ[i, j]
                p += 1
    return b_alphas, b_means, b_factors


def gradient_by_point(alphas, means, factors, x):
    """The gradient of the loops as they stand, a point at a time."""
    n, d = x.shape
    k = len(alphas)
    diagonals = np.exp(factors[:, :d])
    constants = alphas + np.sum(factors[:, :d], axis=1)
    weights = np.exp(alphas - np.max(alphas))
    b_alphas = -n * weights / np.sum(weights)
    b_constants = np.zeros(k)
    b_means, b_factors, b_diagonals = np.zeros_like(means), -factors, np.zeros((k, d))
    terms, whitened = np.empty(k), np.empty((k, d))
    for i in range(n):
        for c in range(k):
            whitened[c] = 0.0
            p = d
            for j in range(d):
                away = x[i, j] - means[c, j]
                whitened[c, j] += diagonals[c, j] * away
                for r in range(j + 1, d):
                    whitened[c, r] += factors[c, p] * away
                    p += 1
            squares = 0.0
            for j in range(d):
                squares += whitened[c, j] * whitened[c, j]
            terms[c] = constants[c] - 0.5 * squares
        largest = np.max(terms)
        total = 0.0
        for c in range(k):
            terms[c] = np.exp(terms[c] - largest)
            total += terms[c]
        for c in range(k):
            explained = terms[c] / total
            b_constants[c] += explained
            p = d
            for j in range(d):
                away = x[i, j] - means[c, j]
                b_away = whitened[c, j] * diagonals[c, j]
                b_diagonals[c, j] -= explained * whitened[c, j] * away
                for r in range(j + 1, d):
                    b_away += whitened[c, r] * factors[c, p]
                    b_factors[c, p] -= explained * whitened[c, r] * away
                    p += 1
                b_means[c, j] += explained * b_away
    for c in range(k):
        b_alphas[c] += b_constants[c]
        for j in range(d):
            q = diagonals[c, j]
            b_factors[c, j] = b_constants[c] + (b_diagonals[c, j] - q) * q
    return b_alphas, b_means, b_factors


# Other libraries ----------------------------------------------------------------------------------------------------


def positions(d):
    """Rows and columns of the packed entries."""
    columns, rows = np.triu_indices(d, 1)
    return np.concatenate((np.arange(d), rows)), np.concatenate((np.arange(d), columns))


def objective(xp, unpack, logsumexp):
    """The log-posterior with one matrix product for all components and points."""

    def function(alphas, means, factors, x):
        n, d = x.shape
        log_diagonals, below = factors[:, :d], factors[:, d:]
        Q = unpack(xp.concatenate((xp.exp(log_diagonals), below), 1), d)
        centres = xp.einsum("kij,kj->ki", Q, means)
        whitened = xp.tensordot(Q, x, ([2], [1])) - centres[:, :, None]
        terms = (alphas + log_diagonals.sum(1))[:, None] - 0.5 * (whitened**2).sum(1)
        likelihood = logsumexp(terms, 0).sum() - n * logsumexp(alphas, 0)
        prior = -0.5 * ((xp.exp(log_diagonals) ** 2).sum() + (below**2).sum())
        return likelihood + prior

    return function


def _jax():
    import jax
    import jax.numpy as jnp

    def unpack(packed, d):
        return jnp.zeros((len(packed), d, d)).at[:, *positions(d)].set(packed)

    return objective(jnp, unpack, jax.scipy.special.logsumexp)


def _torch():
    import torch

    def unpack(packed, d):
        Q = torch.zeros((len(packed), d, d), dtype=packed.dtype)
        rows, columns = map(torch.tensor, positions(d))
        Q[:, rows, columns] = packed
        return Q

    return objective(torch, unpack, torch.logsumexp)


def _autograd():
    import autograd.numpy as np
    from autograd.scipy.special import logsumexp

    def unpack(packed, d):
        rows, columns = positions(d)
        place = np.zeros((len(rows), d * d))
        place[np.arange(len(rows)), rows * d + columns] = 1.0
        return np.reshape(np.dot(packed, place), (len(packed), d, d))

    return objective(np, unpack, logsumexp)


WRT = (0, 1, 2)

PEERS = {
    "hand": by_numpy(gradient_by_hand),
    "hand numba": by_numba(gradient_loops),
    "jax": by_jax(_jax, WRT),
    "torch": by_torch(_torch, WRT),
    "autograd": by_autograd(_autograd, WRT),
}

ARRAYS = Program(
    name="mixture, arrays",
    stresses="broadcasting, reductions, exp",
    function=log_posterior,
    make_args=make_problem,
    sizes=((100, 2, 5), (1_000, 10, 25)),
    tiny=(6, 3, 2),
    kind="array",
    wrt=WRT,
    peers=PEERS,
    loops=by_numba(log_posterior_compiled),
)

LOOPS = Program(
    name="mixture, loops",
    stresses="scalar code, small arrays, exp",
    function=log_posterior_loops,
    make_args=make_problem,
    sizes=((100, 2, 5), (1_000, 10, 25)),
    tiny=(6, 3, 2),
    kind="loop",
    wrt=WRT,
    peers={**PEERS, "hand numba": by_numba(gradient_by_point)},
)
