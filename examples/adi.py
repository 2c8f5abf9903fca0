"""Alternating-direction implicit steps of the 2-D heat equation: tridiagonal sweeps along columns, then rows.

Run ``python -m examples.adi``.
"""

import numpy as np


def adi(steps, u):
    """Advance u in place; its edges are kept at one."""
    n = u.shape[0]
    v = np.empty_like(u)
    p = np.empty_like(u)
    q = np.empty_like(u)

    dx = 1.0 / n
    dt = 1.0 / steps
    mu_x = 2.0 * dt / dx**2
    mu_y = 1.0 * dt / dx**2
    a = -mu_x / 2.0
    b = 1.0 + mu_x
    c = a
    d = -mu_y / 2.0
    e = 1.0 + mu_y
    f = d

    for _ in range(steps):
        v[0, 1 : n - 1] = 1.0
        p[1 : n - 1, 0] = 0.0
        q[1 : n - 1, 0] = v[0, 1 : n - 1]
        for j in range(1, n - 1):
            p[1 : n - 1, j] = -c / (a * p[1 : n - 1, j - 1] + b)
            q[1 : n - 1, j] = (
                -d * u[j, 0 : n - 2] + (1.0 + 2.0 * d) * u[j, 1 : n - 1] - f * u[j, 2:n] - a * q[1 : n - 1, j - 1]
            ) / (a * p[1 : n - 1, j - 1] + b)
        v[n - 1, 1 : n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1 : n - 1] = p[1 : n - 1, j] * v[j + 1, 1 : n - 1] + q[1 : n - 1, j]

        u[1 : n - 1, 0] = 1.0
        p[1 : n - 1, 0] = 0.0
        q[1 : n - 1, 0] = u[1 : n - 1, 0]
        for j in range(1, n - 1):
            p[1 : n - 1, j] = -f / (d * p[1 : n - 1, j - 1] + e)
            q[1 : n - 1, j] = (
                -a * v[0 : n - 2, j] + (1.0 + 2.0 * a) * v[1 : n - 1, j] - c * v[2:n, j] - d * q[1 : n - 1, j - 1]
            ) / (d * p[1 : n - 1, j - 1] + e)
        u[1 : n - 1, n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1 : n - 1, j] = p[1 : n - 1, j] * u[1 : n - 1, j + 1] + q[1 : n - 1, j]


def adi_energy(u, steps):
    """Sum of squares of the interior after the steps."""
    adi(steps, u)
    return np.sum(u[1:-1, 1:-1] ** 2)


def main():
    """Print how the final energy depends on the start."""
    from s2sad import value_and_grad

    u = np.random.default_rng(0).normal(size=(7, 7))
    energy, gradient = value_and_grad(adi_energy)(u, 4)
    np.set_printoptions(precision=3)
    print("energy", energy)
    print(gradient)


if __name__ == "__main__":
    main()
