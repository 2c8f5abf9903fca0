"""The first things to try: a formula, its two modes, two outputs at once and an in-place sweep.

Run ``python -m examples.quickstart``, or ask for the source of a derivative from the shell::

    s2sad grad examples/quickstart.py:f --wrt x1 --wrt x2
"""

import math

import numpy as np


def f(x1, x2):
    """The textbook example of reverse accumulation."""
    return math.log(x1) + x1 * x2 - math.sin(x2)


def product_plus_sine(x, y):
    """A variable used twice: its two contributions add."""
    return x * y + math.sin(x)


def sigmoid(x):
    """The logistic function, one primitive to a line."""
    a = -x
    b = math.exp(a)
    c = 1.0 + b
    d = 1.0 / c
    return d


def polar(x, y):
    """Two outputs: radius and angle."""
    radius = math.sqrt(x * x + y * y)
    angle = math.atan2(y, x)
    return radius, angle


def seidel(A, steps):
    """An in-place sweep; linear, so its derivative records nothing."""
    n = A.shape[0]
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (A[i, j - 1] + A[i, j] + A[i - 1, j]) / 3.0
    return np.sum(A)


def pendulum(angle, damping, dt, steps):
    """A time-stepping loop: a damped pendulum, let go at an angle."""
    speed = 0.0
    for _ in range(steps):
        speed -= dt * (math.sin(angle) + damping * speed)
        angle += dt * speed
    return angle


def main():
    """Differentiate each function above and print what comes out."""
    from s2sad import grad, jvp, vjp

    gradient = grad(f, wrt=("x1", "x2"))
    print(gradient.source)
    print("gradient at (2, 5):", gradient(2.0, 5.0))
    print("value and tangent along x1:", jvp(f, (2.0, 5.0), (1.0, 0.0)))
    print("x * y + sin(x) at (0.5, 4.2):", grad(product_plus_sine, wrt=(0, 1))(0.5, 4.2))
    print("slope of the sigmoid at 0:", grad(sigmoid)(0.0))

    (radius, angle), pullback = vjp(polar, 3.0, 4.0)
    print("radius", radius, "with gradient", pullback((1.0, 0.0)))
    print("angle", angle, "with gradient", pullback((0.0, 1.0)))

    print(grad(seidel).source)
    print(grad(seidel)(np.arange(25.0).reshape(5, 5), 3))

    print(grad(pendulum, wrt="damping").source_for(1.0, 0.1, 0.01, 500))
    print("the last angle by the damping:", grad(pendulum, wrt="damping")(1.0, 0.1, 0.01, 500))


if __name__ == "__main__":
    main()
