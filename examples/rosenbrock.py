"""Rosenbrock's valley in many dimensions, handed to SciPy with its gradient.

Needs SciPy. Run ``python -m examples.rosenbrock``.
"""

import numpy as np


def rosenbrock(x):
    """The valley, written as a loop."""
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def start(n=50):
    """The customary starting point."""
    x = np.ones(n)
    x[::2] = -1.2
    return x


def main():
    """Minimise in fifty dimensions."""
    from scipy.optimize import minimize

    from s2sad import value_and_grad

    result = minimize(value_and_grad(rosenbrock), start(), jac=True, options={"gtol": 1e-8})
    print(f"{result.message} {result.nit} iterations, {result.nfev} evaluations")
    print(f"value {result.fun:.3e}, farthest coordinate from 1: {np.max(np.abs(result.x - 1.0)):.3e}")


if __name__ == "__main__":
    main()
