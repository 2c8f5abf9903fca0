"""Newton's method: a ``while`` loop that stops on a tolerance, for Kepler's equation and for a system.

Run ``python -m examples.newton``.
"""

import math

import numpy as np


def kepler(mean_anomaly, eccentricity, tolerance=1e-12):
    """Solve ``E - e sin(E) = M`` for the eccentric anomaly E."""
    E = mean_anomaly if eccentricity < 0.8 else math.pi
    change = 1.0
    while abs(change) > tolerance:
        change = (E - eccentricity * math.sin(E) - mean_anomaly) / (1.0 - eccentricity * math.cos(E))
        E -= change
    return E


def newton(residual, slope, x, tolerance=1e-12, limit=50):
    """Find a root of ``residual`` from x, given its slope; give up after ``limit`` steps."""
    steps = 0
    while True:
        change = residual(x) / slope(x)
        x = x - change
        steps += 1
        if abs(change) < tolerance:
            break
        if steps == limit:
            raise ArithmeticError("Newton's method did not converge")
    return x


def cube_root(a):
    """The cube root, as a root of ``x**3 - a``; both functions close over a."""
    return newton(lambda x: x**3 - a, lambda x: 3.0 * x**2, 1.0 + a / 3.0)


def circle_and_line(radius, slope):
    """Where the circle of this radius meets the line ``y = slope * x``, by Newton on two equations."""
    p = np.array([radius, 0.0])
    size = 1.0
    while size > 1e-13:
        residual = np.array([p[0] ** 2 + p[1] ** 2 - radius**2, p[1] - slope * p[0]])
        jacobian = np.array([[2.0 * p[0], 2.0 * p[1]], [-slope, 1.0]])
        change = np.linalg.solve(jacobian, residual)
        p = p - change
        size = np.max(np.abs(change))
    return p


def main():
    """Print solutions and their sensitivities."""
    from s2sad import jacobian, value_and_grad

    E, (d_mean, d_eccentricity) = value_and_grad(kepler, wrt=(0, 1))(1.2, 0.5)
    print(f"E = {E:.12f}, dE/dM = {d_mean:.12f}, dE/de = {d_eccentricity:.12f}")
    print(
        "by the implicit function theorem  ", 1.0 / (1.0 - 0.5 * math.cos(E)), math.sin(E) / (1.0 - 0.5 * math.cos(E))
    )
    print("cube root of 8 and its slope", value_and_grad(cube_root)(8.0))
    print("how the crossing moves with the slope", jacobian(circle_and_line, wrt="slope")(2.0, 0.75))


if __name__ == "__main__":
    main()
