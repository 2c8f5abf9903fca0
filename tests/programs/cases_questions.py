"""Questions about what a value is: its rank, its dtype, its class."""

from __future__ import annotations

import numpy as np
from program import program

vector = np.array([0.3, 0.4, 0.5, 0.6])
matrix = np.linspace(0.2, 1.4, 8).reshape(2, 4)


def of_any_rank(q):
    if q.ndim > 1:
        q /= np.linalg.norm(q, axis=1)[:, None]
        first = np.zeros((q.shape[0], 2))
        first[:, 0] = 1.0 - 2.0 * (q[:, 2] ** 2 + q[:, 3] ** 2)
        return first
    q /= np.linalg.norm(q)
    return np.array([1.0 - 2.0 * (q[2] ** 2 + q[3] ** 2), q[1] * q[2]])


def rank_by_function(q):
    if np.ndim(q) == 1:
        q = q[None, :]
    q[0] *= 2.0
    return q.sum(axis=1)


def axes_by_rank(q):
    for axis in range(q.ndim):
        q = np.cumsum(q * q, axis=axis)
    return q.reshape((-1,) + (1,) * (q.ndim - 1))


def shape_by_rank(q):
    n, m = q.shape if q.ndim == 2 else (q.shape[0], 1)
    return q.sum() * n + m


def of_a_dtype(q):
    if q.dtype != np.float64 or q.dtype.kind != "f" or not np.issubdtype(q.dtype, np.floating):
        return q[:, 1]
    q *= 2.0
    return q[2] * q[1]


def of_a_class(q):
    if type(q) is not np.ndarray or np.isscalar(q) or not hasattr(q, "__len__"):
        return q
    if np.iscomplexobj(q) or not np.isrealobj(q):
        return q.real
    q *= 2.0
    return q[2] * q[1]


def number_or_sequence(q):
    if not np.iterable(q):
        q = np.array([q, 1.0])
    q[0] *= 2.0
    return q.sum()


def integer_on_one_path(x):
    y = 1
    if x > 0:
        y = x
    return x * 2.0 if isinstance(y, int) else y * x


def integer_without_iterations(x, n):
    y = 1
    for _ in range(n):
        y = y * x
    return x * 2.0 if isinstance(y, int) else y * x


def truth_or_integer(x, n):
    y = True
    if n > 3:
        y = 2
    return x * 2.0 if isinstance(y, bool) else y * x


def largest_of_both(x):
    y = max(2, x)
    return x * 3.0 if type(y) is int else y * x


def float_of_an_integer(x):
    y = 7
    if x > 0:
        y = x
    y = float(y)
    return x * 2.0 if isinstance(y, float) else x


def integer_in_a_list(x):
    total = 0.0
    for y in [2, x, 3]:
        total += x * 5.0 if isinstance(y, int) else y * x
    return total


def classes_by_pattern(x):
    y = 3
    if x > 0:
        y = x
    match y:
        case int():
            return x * 4.0
        case float():
            return y * x


def numbers_with_new_axes(q):
    t = q[0] * q[1]
    return np.sum(q)[None] * t[..., None] + q[2] * t[...][()]


def axes_on_another_path(q, n):
    t = np.sum(q)
    if n > 1:
        return t[:, None] * np.ones((2, 2)) * t[0]
    return np.array([[1.0 - 2.0 * (q[2] ** 2 + t * q[3] ** 2)]])


def converted(q):
    a = np.array(q, dtype=np.float64, copy=True)
    a /= np.linalg.norm(a)
    b = np.array(q, float, copy=True)
    b[0] = a[1]
    c = np.asarray(q, dtype="float64")
    d = np.ascontiguousarray(c, float)
    return a * b + np.array(c, copy=True) * d


def diagonal_then_stored(q):
    R = np.diag([q[0], q[1] * q[1], q[2]])
    R[0, 1] = q[1] * q[2]
    S = np.diag(q[1:])
    S[1, 0] = q[0]
    return R @ S


def matrix_unpacked(M):
    a, b, c, d, e, f, g, h = M.flat
    first, second, *others = M.T.flat
    return a * b - c * d + e * f * g - h * first * second + sum(others)


def of_objects_or_numbers(x):
    c, s = np.cos(x), np.sin(x)
    R = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    n = R.shape[0] + 1
    if R.dtype == "O":
        T = np.zeros((n, n), dtype="O")
    else:
        T = np.zeros((n, n))
    T[:3, :3] = R
    return T


def dtype_of_what_grows(x, n):
    numbers = [1, 2]
    if n > 3:
        numbers.append(x)
    a = np.array(numbers)
    return a * x if a.dtype == float else a * x * 3.0


class Base:
    factor = 2.0

    def __init__(self, x):
        self.x = x

    def scaled(self):
        return self.__class__(self.x * self.__class__.factor)


class Derived(Base):
    factor = 3.0


def class_by_its_attribute(x):
    a, weights = Derived(x), {"Base": 1.5, "Derived": 2.5, "float": 0.5, "list": 0.25}
    total = a.x * 2 if a.__class__ is Derived else a.x
    total = total + weights[a.__class__.__name__] * a.scaled().x
    return total * (weights[[x].__class__.__name__] + weights[Base(x).__class__.__name__])


def class_of_each_by_its_attribute(xs):
    weights = {"Base": 1.5, "Derived": 2.5}
    objects = []
    for x in xs:
        objects.append(Base(x))
        objects.append(Derived(x))
    return sum(weights[o.__class__.__name__] * o.x + weights[type(o).__name__] * o.scaled().x ** 2 for o in objects)


def converted_without_a_copy(x):
    """What ``copy`` says: the first two are the argument itself, which is stored into."""
    same = np.array(x, dtype=np.float64, copy=False)
    same[0] *= 3.0
    again = np.array(x, np.float64, copy=None)[1:]
    again[0] = same[0] * same[2]
    return np.sum(np.array(x, copy=True) * np.array(2.0 * x, copy=None)) + np.sin(x[1])


def _array_or_its_only_item(means, eccentricity):
    anomalies = means + eccentricity * np.sin(means)
    for _ in range(4):
        errors = anomalies - eccentricity * np.sin(anomalies) - means
        far = np.abs(errors) > 1e-3
        anomalies[far] = anomalies[far] - errors[far] / (1.0 - eccentricity * np.cos(anomalies[far]))
    if anomalies.size > 1:
        return anomalies
    else:
        return anomalies[0]


def array_or_its_only_item(x, eccentricity):
    """An array that is changed in place, until a function gives it or an item of it."""
    return np.sum(np.cos(_array_or_its_only_item(x, eccentricity))) + _array_or_its_only_item(x[:1], eccentricity)


class Fluid:
    """Of which some know how it is compressed."""

    def __init__(self, slope):
        self.slope = slope


def _viscosity(density, temperature, fluid=None, slope=None):
    if density and fluid and slope:
        correction = fluid.slope * density + slope
    elif temperature < 0.1 or slope is None:
        correction = np.exp(-temperature)
    else:
        correction = slope.real
    return density * correction


def asked_for_what_is_not_given(density, temperature):
    """Conditions that what is known decides, whatever the rest is; the other branch has no meaning."""
    return _viscosity(density, temperature) + _viscosity(density, temperature, Fluid(2.0), 0.3) ** 2


PROGRAMS = [
    program(asked_for_what_is_not_given, 0.7, 1.3),
    program(converted_without_a_copy, vector),
    program(array_or_its_only_item, vector, 0.3),
    program(class_by_its_attribute, 1.5),
    program(class_of_each_by_its_attribute, [0.5, 1.5, -0.3]),
    program(of_any_rank, vector),
    program(of_any_rank, matrix, name="of_any_rank_of_a_matrix"),
    program(rank_by_function, vector),
    program(rank_by_function, matrix, name="rank_by_function_of_a_matrix"),
    program(axes_by_rank, vector),
    program(axes_by_rank, matrix, name="axes_by_rank_of_a_matrix"),
    program(shape_by_rank, vector),
    program(shape_by_rank, matrix, name="shape_by_rank_of_a_matrix"),
    program(of_a_dtype, vector),
    program(of_a_class, vector),
    program(number_or_sequence, 0.7),
    program(integer_on_one_path, -1.5),
    program(integer_without_iterations, 1.5, 0),
    program(integer_without_iterations, 1.5, 2, name="integer_with_iterations"),
    program(truth_or_integer, 1.5, 0),
    program(largest_of_both, 1.5),
    program(largest_of_both, 2.5, name="largest_is_a_float"),
    program(float_of_an_integer, -1.5),
    program(integer_in_a_list, 1.5),
    program(classes_by_pattern, -1.5),
    program(classes_by_pattern, 1.5, name="classes_by_pattern_of_a_float"),
    program(numbers_with_new_axes, vector),
    program(axes_on_another_path, vector, 1),
    program(converted, vector),
    program(diagonal_then_stored, vector),
    program(matrix_unpacked, matrix),
    program(of_objects_or_numbers, 0.4),
    program(dtype_of_what_grows, 0.4, 1),
    program(dtype_of_what_grows, 0.4, 4, name="dtype_of_what_has_grown"),
]
