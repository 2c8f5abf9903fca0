"""Programs made of functions: closures, recursion, partials, methods, function arguments, decorators."""

from __future__ import annotations

import functools
import math
from functools import partial

import numpy as np
from program import program

rng = np.random.default_rng(14)
GRAVITY = 9.81
TABLE = np.array([0.5, -1.0, 2.0])


def pendulum(theta, omega, length, steps):
    def acceleration(angle):
        return -GRAVITY / length * math.sin(angle)

    h = 0.05
    for _ in range(steps):
        omega += 0.5 * h * acceleration(theta)
        theta += h * omega
        omega += 0.5 * h * acceleration(theta)
    return theta


def euler(f, y, t, h, n):
    for _ in range(n):
        y = y + h * f(t, y)
        t += h
    return y


def lotka_volterra(y0, alpha, beta, gamma, delta):
    def rhs(t, y):
        prey, predator = y
        return np.array([alpha * prey - beta * prey * predator, delta * prey * predator - gamma * predator])

    return np.sum(euler(rhs, y0, 0.0, 0.1, 5) ** 2)


def van_der_pol(mu, y0):
    return euler(lambda t, y: np.array([y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0]]), y0, 0.0, 0.1, 6)[0]


def oregonator_adaptive(y, k):
    t, h = 0.0, 0.3
    while t < 1.0:
        slope = -k * y + math.sin(t)
        trial = y + h * slope
        middle = y + 0.5 * h * slope
        better = middle + 0.5 * h * (-k * middle + math.sin(t + 0.5 * h))
        if abs(better - trial) > 0.05:
            h *= 0.5
            continue
        y = better
        t += h
        h *= 1.2
    return y


def factorial_like(x, n):
    return x if n == 0 else (x + n) * factorial_like(x * 0.9, n - 1)


def even_step(x, n):
    return x if n <= 0 else odd_step(math.sin(x) + x, n - 1)


def odd_step(x, n):
    return 2.0 * x if n <= 0 else even_step(x * x, n - 1)


def tree_sum(node):
    if not isinstance(node, tuple):
        return node * node
    left, right = node
    return tree_sum(left) * 0.5 + math.tanh(tree_sum(right))


def adaptive_simpson(f, a, b, tolerance):
    middle = 0.5 * (a + b)
    whole = (b - a) / 6.0 * (f(a) + 4.0 * f(middle) + f(b))
    left = (middle - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + middle)) + f(middle))
    right = (b - middle) / 6.0 * (f(middle) + 4.0 * f(0.5 * (middle + b)) + f(b))
    if abs(left + right - whole) < tolerance:
        return left + right
    return adaptive_simpson(f, a, middle, 0.5 * tolerance) + adaptive_simpson(f, middle, b, 0.5 * tolerance)


def integral(a, b, scale):
    return adaptive_simpson(lambda x: math.exp(-scale * x * x), a, b, 1e-3)


def scaled_power(x, exponent=2.0, *, scale=1.0):
    return scale * x**exponent


def one_letter_short_of_keywords(el, ef, reak):
    """With a letter before them, as derivatives have, these names are ``del``, ``def`` and ``break``."""
    for _ in range(2):
        el = el * ef + reak
    return el * reak


def defaults_and_keywords(x, y):
    return scaled_power(x) + scaled_power(y, 3.0, scale=x) - scaled_power(scale=y, x=2.0)


def total(*values, weight=1.0, **named):
    result = 0.0
    for value in values:
        result += weight * value
    for name, value in named.items():
        result += len(name) * value
    return result


def var_arguments(x, y):
    pieces = (x * y, x - y)
    return total(x, *pieces, weight=y, extra=x * x, **{"more": math.sin(y)})


def partials(x, y):
    cube = partial(scaled_power, exponent=3.0)
    scaled = partial(cube, scale=y)
    return cube(x) * scaled(y) + partial(total, x)(y)


def compose(*functions):
    def composed(x):
        for function in functions:
            x = function(x)
        return x

    return composed


def composition(x):
    f = compose(math.sin, lambda v: v * x, math.exp)
    return f(x) + compose(f, f)(0.3 * x)


def two_lambdas_on_a_line(x, y):
    f, g = lambda a: a * y, lambda a: a + math.sin(y)
    return f(g(x)) + g(f(x))


def function_table(x):
    table = {"square": lambda v: v * v, "sine": math.sin}
    total = 0.0
    for name in ("square", "sine", "square"):
        total = total + table[name](x + total)
    return total


def counter(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * x
        return total

    return add(2.0) * add(x)


class Layer:
    def __init__(self, weights, bias):
        self.weights = weights
        self.bias = bias

    def __call__(self, x):
        return np.tanh(self.linear(x))

    def linear(self, x):
        return x @ self.weights + self.bias

    @property
    def size(self):
        return np.sum(self.weights**2)

    @staticmethod
    def squash(x):
        return x / (1.0 + np.abs(x))

    @classmethod
    def describe(cls, x):
        return cls.squash(2.0 * x)


FIRST = Layer(rng.normal(size=(3, 4)), rng.normal(size=4))
SECOND = Layer(rng.normal(size=(4, 2)), rng.normal(size=2))


def layers(x):
    h = SECOND(FIRST(x))
    return np.sum(Layer.squash(h) + FIRST.describe(h)) * SECOND.size


class Oscillator:
    def __init__(self, frequency):
        self.frequency = frequency

    def energy(self, x, v):
        return 0.5 * v**2 + 0.5 * self.frequency**2 * x**2


def new_object(x, v, frequency):
    oscillator = Oscillator(frequency)
    return oscillator.energy(x, v) + oscillator.frequency


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@logged
def decorated_callee(x):
    return x * math.cos(x)


def calls_decorated(x):
    return decorated_callee(x) ** 2


def as_floats(function):
    @functools.wraps(function)
    def wrapper(x, *args, **kwargs):
        return function(np.asarray(x, dtype=float), *args, **kwargs)

    return wrapper


root_of, total_of = as_floats(np.sqrt), as_floats(np.sum)  # they go by the module of NumPy's


def calls_decorated_library_functions(x):
    return total_of(root_of(x) * x, axis=0)


def make_scaled(scale):
    def scaled(x):
        return np.sum(scale * x**2)

    return scaled


def reads_globals(x):
    return np.sum(x * TABLE) * GRAVITY


def gradient_descent(f_slope, x, rate, n):
    for _ in range(n):
        x = x - rate * f_slope(x)
    return x


def learned_rate(x0, rate, target):
    return (gradient_descent(lambda x: 4.0 * x**3 + 2.0 * (x - target), x0, rate, 6) - target) ** 2


def secant(f, a, b):
    fa, fb = f(a), f(b)
    while abs(fb) > 1e-12:
        a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
        fb = f(b)
    return b


def secant_root(c):
    return secant(lambda v: math.cos(v) - c * v, 0.5, 0.8)


def simulated_regulator(gains, target):
    class_like = {"kp": gains[0], "ki": gains[1], "kd": gains[2]}
    position, velocity, integral, previous = 0.0, 0.0, 0.0, target
    cost = 0.0
    for _ in range(10):
        error = target - position
        integral += 0.1 * error
        push = class_like["kp"] * error + class_like["ki"] * integral + class_like["kd"] * (error - previous) / 0.1
        previous = error
        velocity += 0.1 * (push - 0.5 * velocity)
        position += 0.1 * velocity
        cost += error**2 + 0.01 * push**2
    return cost


def monte_carlo(mu, sigma, seed):
    noise = np.random.default_rng(seed).normal(size=20)
    price = 100.0 * np.exp((mu - 0.5 * sigma**2) + sigma * noise)
    return np.mean(np.maximum(price - 105.0, 0.0))


def match_statement(x, kind):
    match kind:
        case "square":
            return x * x
        case "sine" | "sin":
            return math.sin(x)
        case _:
            return -x


OPTIONS = {"axis": 0, "keepdims": True}
SETTINGS = {"inner": {"gain": 1.5, "offset": TABLE}, "steps": 3, "activation": np.tanh, "bias": None}


def options_from_outside(A):
    def spread(**options):
        return np.sum(A) * options["axis"] + options.get("scale", 2.0)

    return np.sum((A - np.mean(A, **OPTIONS)) ** 2) * spread(**{**OPTIONS, "axis": 0.5})


def settings_from_outside(x, name):
    for _ in range(SETTINGS["steps"]):
        x = SETTINGS["activation"](SETTINGS["inner"]["gain"] * x + SETTINGS["inner"]["offset"])
    if SETTINGS["bias"] is not None:
        x = x + SETTINGS["bias"]
    if name in OPTIONS:
        x = x * (1.0 + OPTIONS[name])
    return np.sum(x)


def made_by_its_class(x):
    y, z = np.ndarray(3), np.ndarray((2, 3), dtype=x.dtype)
    y[:] = x * x
    z[:] = y
    return np.sum(z**2)


def comprehensions_over_their_own_names(m):
    k = 1
    rows = [np.array([sum(r * k for k, r in enumerate(m[k]))]) for k in range(2)]
    total = sum(k * k for k in m[k] if k > m[0, 0]) + {k: v for k, v in enumerate(m[k])}[1]
    nested = sum([x * y for x in m for y in x for x in [y, 2 * y]])
    deep = m
    return np.sum(rows[0] * rows[-1]) * total + nested + sum(sum(deep for deep in deep) for deep in deep)


def names_bound_in_comprehensions(x, l):
    scaled = [(y := v * x) for v in l]
    d = {k: (w := v * x) for k, v in enumerate(l)}
    large = [u for v in l if (u := v * x) > 0.5]
    a, b, c = (v * x for v in l)
    return sum(scaled) * y + d[1] * w + sum(large) * u + a * b * c + sum([*(v * x for v in l)])


def powers(x):
    fs = [lambda x, k=k: x**k for k in range(4)]
    last = [lambda x: x**k for k in range(4)]  # of all of them k is 3
    return sum(f(x) for f in fs) * last[0](x) + fs[2](x) * fs[-1](2.0 * x)


def wave(k):
    def f(x):
        return math.sin(k * x)

    return f


def waves(x, n):
    fs, named = tuple(wave(k) for k in range(1, 4)), {k: wave(k) for k in range(3) if k != 1}
    total = named[2](x)
    for k in range(n):
        total = total * fs[k % 3](x + k)
    return total + functools.reduce(lambda value, f: f(value), fs, x)


def basis_in_a_matrix(x, c):
    basis = [lambda t, n=n: np.cos(n * t) for n in range(4)]
    return np.sum((np.stack([b(x) for b in basis], axis=1) @ c) ** 2)


SHAPES = {"sin": np.sin, "square": lambda t: t * t, "soft": lambda t: np.log1p(np.exp(t))}


def shape_by_name(x, name):
    return np.sum(SHAPES[name](x) * x)


def shapes_in_order(x, names=("square", "sin", "soft")):
    for name in names:
        x = SHAPES[name](x) + 0.1
    return np.sum(x)


PROGRAMS = [
    program(powers, 1.3),
    program(waves, 0.7, 5),
    program(basis_in_a_matrix, np.array([0.3, 0.9, 1.4]), np.array([0.5, -0.2, 0.7, 1.1])),
    program(shape_by_name, np.array([0.3, 0.9, 1.4]), "soft"),
    program(shapes_in_order, np.array([0.3, 0.9, 1.4])),
    program(names_bound_in_comprehensions, 0.7, [0.3, 0.9, 1.1]),
    program(comprehensions_over_their_own_names, np.array([[0.1, 0.3], [0.4, 0.6]])),
    program(pendulum, 0.5, 0.1, 1.2, 6),
    program(lotka_volterra, np.array([1.0, 0.5]), 1.1, 0.4, 0.4, 0.1),
    program(van_der_pol, 0.8, np.array([1.0, 0.2])),
    program(oregonator_adaptive, 1.0, 2.5),
    program(factorial_like, 0.7, 4),
    program(even_step, 0.4, 5, name="mutual_recursion"),
    program(tree_sum, ((0.3, 0.5), (1.1, (0.2, -0.4)))),
    program(integral, -0.3, 1.2, 0.9),
    program(one_letter_short_of_keywords, 0.8, 1.3, 0.4),
    program(defaults_and_keywords, 0.8, 1.3),
    program(var_arguments, 0.8, 1.3),
    program(partials, 0.8, 1.3),
    program(composition, 0.7),
    program(two_lambdas_on_a_line, 0.8, 1.3),
    program(function_table, 0.6),
    program(counter, 1.4),
    program(layers, rng.normal(size=(2, 3))),
    program(FIRST.linear, rng.normal(size=3), name="bound_method"),
    program(SECOND, rng.normal(size=4), name="callable_object"),
    program(new_object, 0.4, 0.9, 1.7),
    program(calls_decorated, 0.9),
    program(decorated_callee, 0.9),
    program(calls_decorated_library_functions, np.array([0.4, 1.3])),
    program(make_scaled(1.5), rng.normal(size=3), name="closure_over_float"),
    program(make_scaled(TABLE), rng.normal(size=3), name="closure_over_array"),
    program(partial(scaled_power, exponent=3.0), 1.2, name="partial_itself"),
    program(lambda x, y: x * math.exp(-x * y), 0.5, 1.1, name="lambda_itself"),
    program(reads_globals, rng.normal(size=3)),
    program(learned_rate, 0.5, 0.05, 1.2),
    program(secant_root, 1.3),
    program(simulated_regulator, np.array([2.0, 0.3, 0.2]), 1.0),
    program(monte_carlo, 0.05, 0.2, 3, step=1e-5, tolerance=1e-7),
    program(options_from_outside, rng.normal(size=(2, 3))),
    program(settings_from_outside, rng.normal(size=3), "axis"),
    program(made_by_its_class, rng.normal(size=3)),
    program(match_statement, 0.5, "sin"),
    program(euler, lambda t, y: -t * y, 1.5, 0.2, 0.1, 4, wrt=(1, 2, 3), name="function_argument"),
]
