"""Iterations that append their states to a list: a fixed point, and a tabulated logistic map.

Run ``python -m examples.fixed_point``.
"""

import math

import numpy as np


def cosine_iterates(a, x, tolerance=1e-10, limit=200):
    """Iterate ``x = cos(a x)`` until it settles; return every iterate as an array."""
    history = [x]
    while len(history) < limit:
        history.append(math.cos(a * history[-1]))
        if abs(history[-1] - history[-2]) < tolerance:
            break
    return np.array(history)


def settled(a, x):
    """The last iterate."""
    return cosine_iterates(a, x)[-1]


def logistic_orbit(r, x, count):
    """The first states of the logistic map."""
    orbit = []
    for _ in range(count):
        x = r * x * (1.0 - x)
        orbit.append(x)
    return np.array(orbit)


def orbit_spread(r, x, count=12):
    """The variance of the orbit."""
    orbit = logistic_orbit(r, x, count)
    return np.mean((orbit - orbit.mean()) ** 2)


def main():
    """Compare with the derivative of the fixed point itself."""
    from s2sad import value_and_grad

    x, slope = value_and_grad(settled)(0.8, 1.0)
    print(f"fixed point {x:.10f}, slope {slope:.8f}")
    print(f"implicitly              {-x * math.sin(0.8 * x) / (1.0 + 0.8 * math.sin(0.8 * x)):.8f}")
    print("spread of an orbit and its gradient", value_and_grad(orbit_spread, wrt=(0, 1))(3.2, 0.3))


if __name__ == "__main__":
    main()
