"""The log-likelihood of a Gaussian mixture with a Wishart prior on its precisions.

The precision of each component is ``Q.T @ Q`` for a lower triangular ``Q`` whose diagonal is stored as logarithms,
followed by the entries below it, column by column. Run ``python -m examples.gmm``.
"""

import math

import numpy as np


def logsumexp(x):
    """The logarithm of the sum of exponentials along the last axis."""
    largest = np.max(x, axis=-1, keepdims=True)
    return np.squeeze(largest, axis=-1) + np.log(np.sum(np.exp(x - largest), axis=-1))


def log_multivariate_gamma(a, p):
    """The logarithm of the multivariate gamma function of order ``p``."""
    total = 0.25 * p * (p - 1) * math.log(math.pi)
    for j in range(p):
        total += math.lgamma(a - 0.5 * j)
    return total


def lower_factor(log_diagonal, below):
    """Assemble the triangular factor from its packed form."""
    d = log_diagonal.shape[0]
    Q = np.zeros((d, d))
    start = 0
    for j in range(d):
        Q[j, j] = np.exp(log_diagonal[j])
        Q[j + 1 :, j] = below[start : start + d - j - 1]
        start += d - j - 1
    return Q


def log_wishart_prior(log_diagonals, belows, gamma, m):
    """The log-density of all precisions under the prior, up to what does not depend on them."""
    k, d = log_diagonals.shape
    n = d + m + 1
    constant = n * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_multivariate_gamma(0.5 * n, d)
    frobenius = np.sum(np.exp(2.0 * log_diagonals)) + np.sum(belows**2)
    return k * constant - 0.5 * gamma**2 * frobenius + m * np.sum(log_diagonals)


def log_posterior(alphas, means, factors, x, gamma=1.0, m=0):
    """Log-likelihood of the rows of ``x`` plus the log-prior.

    ``alphas`` (k) are unnormalised log-weights, ``means`` is (k, d), and ``factors`` is (k, d * (d + 1) / 2).
    """
    n, d = x.shape
    k = alphas.shape[0]
    log_diagonals = factors[:, :d]
    belows = factors[:, d:]
    terms = np.zeros((n, k))
    for c in range(k):
        Q = lower_factor(log_diagonals[c], belows[c])
        whitened = (x - means[c]) @ Q.T
        terms[:, c] = alphas[c] + np.sum(log_diagonals[c]) - 0.5 * np.sum(whitened**2, axis=1)
    likelihood = np.sum(logsumexp(terms)) - n * logsumexp(alphas) - 0.5 * n * d * math.log(2.0 * math.pi)
    return likelihood + log_wishart_prior(log_diagonals, belows, gamma, m)


def make_problem(n=60, d=3, k=4, seed=0):
    """Return ``(alphas, means, factors, x)`` at random."""
    rng = np.random.default_rng(seed)
    alphas = rng.normal(size=k)
    means = rng.normal(size=(k, d))
    factors = 0.3 * rng.normal(size=(k, d * (d + 1) // 2))
    return alphas, means, factors, rng.normal(size=(n, d))


def main():
    """Climb the log-posterior by plain gradient ascent."""
    from s2sad import value_and_grad

    alphas, means, factors, x = make_problem()
    objective = value_and_grad(log_posterior, wrt=("alphas", "means", "factors"))
    for step in range(50):
        value, (d_alphas, d_means, d_factors) = objective(alphas, means, factors, x)
        alphas, means, factors = alphas + 0.005 * d_alphas, means + 0.005 * d_means, factors + 0.005 * d_factors
        if step % 10 == 0:
            print(f"step {step:2d}  log-posterior {value:.4f}")


if __name__ == "__main__":
    main()
