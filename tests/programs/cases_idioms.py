"""Idioms of programs as their authors write them: what a state, a stencil or a set of parameters is put into."""

from __future__ import annotations

import math
import time

import numpy as np
from program import program

G = 9.81


def tendencies(h, u, damping):
    slope = np.roll(h, -1) - np.roll(h, 1)
    return -0.5 * (np.roll(u * h, -1) - np.roll(u * h, 1)), -0.5 * G * slope - damping * u


def a_tuple_of_arrays_stepped_by_generators(h, steps, dt):
    state = (h, np.zeros_like(h))
    for _ in range(steps):
        k1 = tendencies(*state, 0.1)
        k2 = tendencies(*[s + 0.5 * dt * k for s, k in zip(state, k1)], 0.1)
        state = tuple(s + dt * (a + b) / 2 for s, a, b in zip(state, k1, k2))
    h, u = state
    return np.sum(0.5 * h * u**2 + 0.5 * G * h**2)


def reconstructed(a, b, c, weight=0.25):
    left, right = (b - a) ** 2, (c - b) ** 2
    return (left * c + right * a + weight * b) / (left + right + weight)


def a_stencil_of_shifts(u, steps):
    for _ in range(steps):
        u = u - 0.1 * (reconstructed(*[np.roll(u, k) for k in (1, 0, -1)]) - u)
        a, b, c = [np.roll(u, k) for k in range(3)]
        u = u + 0.05 * tuple(w * v for w, v in zip((1.0, -2.0, 1.0), (a, b, c)))[1]
    return np.sum(u**3)


def weights_by_their_names(params, x):
    h = x
    for k in range(2):
        h = np.tanh(h @ params[f"W{k}"] + params[f"b{k}"])
    penalty = sum(np.sum(params[k] ** 2) for k in params if k.startswith("W"))
    return np.sum(h**2) + 0.1 * penalty


def transport_in_logarithms(cost, a, b, eps, rounds):
    f, g = np.zeros(len(a)), np.zeros(len(b))

    def of_exponentials(m, axis):
        top = m.max(axis=axis)
        return top + np.log(np.exp(m - np.expand_dims(top, axis)).sum(axis=axis))

    for k in range(rounds):
        before = f
        f = eps * (np.log(a) - of_exponentials((g[None, :] - cost) / eps, 1))
        g = eps * (np.log(b) - of_exponentials((f[:, None] - cost) / eps, 0))
        if k > 0 and np.abs(f - before).max() < 1e-9:
            break
    return f @ a + g @ b


def conjugate_gradients_of_a_grid(rhs, kappa, rounds):
    def apply(x):
        y = 4.0 * kappa * x
        y[1:, :] -= x[:-1, :]
        y[:-1, :] -= x[1:, :]
        return y

    x = np.zeros_like(rhs)
    r = rhs - apply(x)
    p = r.copy()
    rs = np.vdot(r, r)
    for _ in range(rounds):
        image = apply(p)
        alpha = rs / np.vdot(p, image)
        x += alpha * p
        r -= alpha * image
        new = np.vdot(r, r)
        p = r + (new / rs) * p
        rs = new
    return np.sum(x**2) + np.vdot(rhs, rhs.T.reshape(-1))


def neighbours_rolled_in_two_directions(img, k):
    total = np.zeros_like(img)
    for di in (-1, 0, 1):
        for dj in (-1, 0, 1):
            total += np.roll(img, (di, dj), axis=(0, 1)) ** 2
    return np.sum(np.maximum(total - k, 0.0) * img)


def red_and_black_points(f, sweeps):
    n = f.shape[0]
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    inner = (i > 0) & (i < n - 1) & (j > 0) & (j < n - 1)
    u = np.zeros((n, n))
    for _ in range(sweeps):
        for mask in (inner & ((i + j) % 2 == 0), inner & ((i + j) % 2 == 1)):
            mean = np.zeros_like(u)
            mean[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - f[1:-1, 1:-1])
            u[mask] = mean[mask]
    return np.sum(u * u)


def a_surface_over_a_grid(x, y):
    along, across = np.meshgrid(x, y)
    return np.sum(np.sin(along * across) * across**2)


def noise_on_the_diagonal(theta, x, y):
    scale, noise = np.exp(theta)
    k = np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2 / scale**2)
    k[np.diag_indices_from(k)] += noise**2
    k[np.diag_indices(len(x))] *= 1.0 + 0.1 * scale
    return y @ np.linalg.solve(k, y)


def products_along_listed_axes(x, w):
    y = np.zeros((x.shape[0], x.shape[1], w.shape[2]))
    for i in range(w.shape[0]):
        y += np.tensordot(x * (i + 1.0), w[i], axes=([2], [0]))
    return np.sum(np.maximum(y, 0.0) ** 2)


def numbers_and_lists_joined_with_arrays(v, q):
    first = np.hstack([0.0, v])
    second = np.concatenate([[1.0], v, [v[0]]])
    third = np.concatenate((v, [2.0, 0.5]))
    alone = np.concatenate(([q[0], 2.0],))
    rows = np.vstack([v, [1.0, q[1], 2.0, 0.5]])
    return np.sum(first[1:] * first[:-1]) + second @ third[:6] + np.sum(rows**2) * alone[0] + np.sum(first**2)


def quaternions_turned(q, rates, dt):
    def product(a, b):
        w, x, y, z = a
        s, i, j, k = b
        scalar = w * s - x * i - y * j - z * k
        return np.array([scalar, w * i + x * s + y * k - z * j, w * j - x * k + y * s + z * i, w * k + x * j - y * i])

    total = 0.0
    for rate in rates:
        q = q + 0.5 * dt * product(q, np.hstack([0.0, rate]))
        q /= np.sqrt((q**2).sum())
        turned = product(product(q, np.concatenate(([0.0], rate))), q * np.array([1, -1, -1, -1]))
        total += np.sum((turned[1:] - rate) ** 2)
    return total


def frames_under_a_window(x, k):
    frames = np.stack([x[i : i + 4] * np.hamming(4) for i in range(0, len(x) - 3, k)])
    angles = np.outer(np.arange(4), np.arange(3)) * np.pi / 2
    power = (frames @ np.cos(angles)) ** 2 + (frames @ np.sin(angles)) ** 2
    return np.sum(np.log(power + 0.1)[:, 1:] ** 2)


def means_until_they_meet(a, b):
    while True:
        s, g = (a + b) / 2.0, math.sqrt(a * b)
        a, b = s, g
        if abs(a - b) < 1e-12:
            break
    return a


def both_moved_before_the_test(a, b, n):
    k = 0
    while True:
        t = a * b
        a, b = a - 0.1 * t, b + 0.2 * t
        k += 1
        if k >= n or b > 100.0:
            break
    return a * b


def the_larger_moves(a, b):
    k = 0
    while True:
        k += 1
        if a > 2.0:
            a = a * b
            b = a + b
            break
        a = a + 0.3 * b
        b = b * a**0.1
    return a + b * k


def a_loop_that_locks_its_phase(speed, gain, noise):
    phase, held, rate, total = 0.0, 0.1, 0.9, 0.0
    for k in range(len(noise)):
        phase = math.fmod(phase + speed, 2.0 * math.pi)
        error = math.sin(phase - held) + noise[k]
        rate += 0.1 * gain * error
        held += rate + gain * error
        total += error * error
    return total


def counts_under_a_prior(alpha, counts):
    total, whole = 0.0, alpha.sum()
    for row in counts:
        total += math.lgamma(whole) - math.lgamma(whole + row.sum())
        for a, c in zip(alpha, row):
            total += math.lgamma(a + c) - math.lgamma(a)
    return total


def the_largest_by_row_and_column(x):
    a = np.outer(x, x)
    place = np.unravel_index(np.argmax(a), a.shape)
    i, j = np.unravel_index(np.argmin(a), (len(x), len(x)))
    cube = np.multiply.outer(a, x)
    k, l, m = np.unravel_index(cube.argmax(), cube.shape)
    (n,) = np.unravel_index(x.argmax(), x.shape)
    return a[place] * x[i] + x[j] ** 2 + cube[k, l, m] * x[n]


def truth_values_as_numbers(x):
    return float(np.any(x > 1.2)) * x[0] + float(x[0] > 0.0) * x[1] + np.float64(x[2] > 0.9) * x[0]


def longest_in_common(i, j, gain):
    if i == 0 or j == 0:
        return 0.0
    return (
        gain * longest_in_common(i - 1, j - 1, gain)
        + max(longest_in_common(i - 1, j, gain), longest_in_common(i, j - 1, gain))
        + gain
    )


def larger_of_calls(gain, n):
    return longest_in_common(n, n, gain)


rng = np.random.default_rng(17)
v = np.array([0.3, 1.4, 0.8, 1.1])
M = rng.uniform(0.2, 1.2, (4, 4))
PARAMETERS = {"W0": rng.normal(size=(3, 4)), "b0": rng.normal(size=4), "W1": rng.normal(size=(4, 2)), "b1": np.ones(2)}


def ranges_for_arrays(x):
    """NumPy makes an array of a range, wherever it takes one."""
    columns, rows = np.meshgrid(range(4), range(1, 4))
    waves = np.sum(np.sin(x[0] * columns) * rows)
    return (
        waves + np.sum(np.multiply(range(0, 8, 2), x)) + np.sum(np.power(x[1], range(3)) * np.add(range(3, 0, -1), 1))
    )


TOO_SMALL = "mean motion {0:f} is too small"


def _mean_motion(x, drag):
    message = None
    motion = x - drag * x**2
    if motion <= 0.1:
        message = TOO_SMALL.format(motion).strip()
        motion = 0.1
    return message, motion


def explained(x, drag):
    """A function that says what is wrong, and is not asked."""
    return sum([_mean_motion(x, k * drag)[1] ** 2 for k in range(4)])


def timed(x, guess, verbose):
    """A solver that measures how long it takes, which nobody asks of it here."""
    elapsed, started = 0.0, time.time()
    for k in range(20):
        tic = time.perf_counter()
        step = (guess**3 + guess - x) / (3.0 * guess**2 + 1.0)
        guess = guess - step
        elapsed += time.perf_counter() - tic
        if abs(step) < 1e-9:
            break
    report = (guess, k, elapsed / (k + 1), time.time() - started)
    return report[0] if verbose is None else report[0] * report[1]


PROGRAMS = [
    program(ranges_for_arrays, rng.uniform(0.5, 1.5, size=4)),
    program(explained, 0.7, 0.4),
    program(timed, 1.3, 0.5, None),
    program(larger_of_calls, 1.1, 3),
    program(a_tuple_of_arrays_stepped_by_generators, v, 3, 0.05),
    program(a_stencil_of_shifts, v, 3),
    program(weights_by_their_names, PARAMETERS, rng.normal(size=(2, 3))),
    program(transport_in_logarithms, M, v / v.sum(), np.array([0.1, 0.2, 0.3, 0.4]), 0.3, 40),
    program(transport_in_logarithms, M[:3], v[:3], v, 0.3, 3, name="transport_between_other_numbers"),
    program(conjugate_gradients_of_a_grid, M[:3], 1.3, 2),
    program(neighbours_rolled_in_two_directions, M, 3.0),
    program(red_and_black_points, np.resize(M, (5, 5)), 2),
    program(a_surface_over_a_grid, v, v[:3]),
    program(noise_on_the_diagonal, np.array([0.1, -0.4]), v, v[::-1].copy()),
    program(numbers_and_lists_joined_with_arrays, v, v[:2] ** 2),
    program(quaternions_turned, v, rng.normal(size=(3, 3)), 0.1),
    program(frames_under_a_window, rng.normal(size=10), 2, wrt=(0,)),
    program(the_largest_by_row_and_column, v),
    program(truth_values_as_numbers, v),
    program(means_until_they_meet, 1.3, 2.1),
    program(both_moved_before_the_test, 0.3, 0.4, 7),
    program(the_larger_moves, 0.7, 1.1),
    program(a_loop_that_locks_its_phase, 0.8, 0.2, 0.05 * rng.normal(size=6)),
    program(counts_under_a_prior, v, rng.integers(0, 6, (3, 4)), wrt=(0,)),
    program(products_along_listed_axes, rng.normal(size=(2, 2, 3)), rng.normal(size=(2, 3, 2))),
]
