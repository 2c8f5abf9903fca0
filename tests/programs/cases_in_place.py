"""Programs that store into arrays: views, aliases, swaps, scratch, masks."""

from __future__ import annotations

import numpy as np
from program import program

rng = np.random.default_rng(13)


def fill_by_index(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] ** 2
    y[0] = y[1] * x[0]
    return np.sum(y * x)


def prefix_products(x):
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = y[i - 1] * x[i]
    return y.sum()


def overwrite_argument(x):
    for i in range(1, len(x)):
        x[i] = np.sin(x[i - 1]) * x[i]
    x[::2] *= 2.0
    return x @ x


def augmented_stores(x, y):
    x += y
    x[1:] -= y[:-1]
    x[0] *= y[0]
    x[-2:] /= y[:2]
    x **= 2
    return np.sum(np.sqrt(x + 1.0))


def stored_after_a_power(x):
    y = x**2.0
    x[0] = y[1] * y[2]
    return np.sum(x * y)


def stored_after_a_norm(x, k):
    y = np.linalg.norm(x, ord=k) + np.prod(x[:2])
    x[1] = y
    return np.sum(x * y)


def row_view(A):
    row = A[1]
    row[:] = row * 2.0 + A[0]
    row[0] = 0.0
    column = A[:, 1]
    column += A[:, 0]
    return np.sum(A**2)


def view_of_view(A):
    block = A[1:, 1:]
    corner = block[:, ::2]
    corner *= corner
    block[0] = block[1]
    return np.sum(A * A)


def transpose_store(A, v):
    A.T[0] = v * A.T[1]
    B = A.T
    B[1:, 0] += v[0]
    return np.sum(A**3)


def reshape_view(A):
    flat = A.reshape(-1)
    flat[1:] = flat[:-1] * flat[1:]
    A.ravel()[0] = 3.0
    return np.sum(np.sin(A))


def two_names(x):
    y = x
    y[0] = x[1] ** 2
    x[1] = y[0] * x[2]
    z = x.copy()
    z[2] = 0.0
    return np.sum(x * y) + np.sum(z)


def swap_rows(A, b):
    A[[0, 2]] = A[[2, 0]]
    b[0], b[2] = b[2], b[0] * b[1]
    tmp = A[1].copy()
    A[1] = A[0]
    A[0] = tmp
    return np.sum(A[0] * A[1]) + A[2] @ b


def masked_store(x):
    y = x.copy()
    y[x < 0.0] = 0.1 * x[x < 0.0]
    y[y > 1.0] = 1.0
    y[y > 0.0] *= 2.0
    return np.sum(y * x)


def fancy_store(x, v):
    y = np.zeros(6)
    y[[4, 1, 3]] = v
    y[np.array([0, 2])] = x[np.array([1, 1])]
    np.add.at(y, [0, 0, 1], x[:3])
    return np.sum(y**2 * x)


def histogram_scatter(weights, bins):
    counts = np.zeros(4)
    for k, b in enumerate(bins):
        counts[b] += weights[k] ** 2
    return np.prod(counts)


def scratch_reused(x, n):
    scratch = np.empty_like(x)
    for _ in range(n):
        scratch[:] = np.roll(x, 1)
        scratch *= x
        x = x + 0.1 * scratch
    return np.sum(x**2)


def double_buffer(A, B, steps):
    for _ in range(steps):
        B[1:-1] = 0.5 * (A[:-2] + A[2:]) * A[1:-1]
        A, B = B, A
    return np.sum(A) + 2.0 * np.sum(B * B)


def set_edges(u, value):
    u[0] = value
    u[-1] = value * u[1]


def normalise(v):
    v /= np.sqrt(np.sum(v * v))
    return v


def helper_updates(u, value):
    set_edges(u, value)
    w = normalise(u[1:])
    w[0] += 1.0
    set_edges(w, u[0])
    return np.sum(u * np.arange(1.0, len(u) + 1.0))


def nonlinear_diffusion(u, kappa, steps):
    for _ in range(steps):
        g = np.diff(u)
        flux = g / (1.0 + (g / kappa) ** 2)
        u[1:-1] += 0.2 * (flux[1:] - flux[:-1])
    return np.sum(u**2)


def upwind_advection(u, speed, steps):
    for _ in range(steps):
        if speed > 0.0:
            u[1:] -= 0.3 * speed * (u[1:] - u[:-1])
        else:
            u[:-1] -= 0.3 * speed * (u[1:] - u[:-1])
        u[0] = 0.5 * u[-1]
    return np.dot(u, u)


def red_black(u, f, sweeps):
    n = u.shape[0]
    for _ in range(sweeps):
        for colour in (0, 1):
            for i in range(1, n - 1):
                start = 1 + (i + colour) % 2
                u[i, start:-1:2] = 0.25 * (
                    u[i - 1, start:-1:2]
                    + u[i + 1, start:-1:2]
                    + u[i, start - 1 : -2 : 2]
                    + u[i, start + 1 :: 2]
                    - f[i, start:-1:2]
                )
    return np.sum(u**2)


def thomas(a, b, c, d):
    n = len(d)
    cp = np.zeros(n)
    x = np.zeros(n)
    cp[0] = c[0] / b[0]
    x[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        x[i] = (d[i] - a[i] * x[i - 1]) / m
    for i in range(n - 2, -1, -1):
        x[i] -= cp[i] * x[i + 1]
    return np.sum(x**2)


def csr_matvec(data, indices, indptr, x, steps):
    for _ in range(steps):
        y = np.zeros_like(x)
        for row in range(len(indptr) - 1):
            for k in range(indptr[row], indptr[row + 1]):
                y[row] += data[k] * x[indices[k]]
        x = y / np.sqrt(y @ y)
    return np.sum(x**3)


def iir_filter(b, a, x):
    y = np.zeros_like(x)
    for n in range(len(x)):
        for k in range(len(b)):
            if n - k >= 0:
                y[n] += b[k] * x[n - k]
        for k in range(1, len(a)):
            if n - k >= 0:
                y[n] -= a[k] * y[n - k]
    return np.mean(y**2)


def fir_filter(h, x):
    n = len(x) - len(h) + 1
    y = np.zeros(n)
    for k in range(len(h)):
        y += h[k] * x[k : k + n]
    return np.sum(np.abs(y))


def edit_distance_soft(cost, gap):
    n, m = cost.shape
    D = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        D[i, 0] = i * gap
    for j in range(1, m + 1):
        D[0, j] = j * gap
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            D[i, j] = min(D[i - 1, j - 1] + cost[i - 1, j - 1], D[i - 1, j] + gap, D[i, j - 1] + gap)
    return D[n, m]


def dynamic_time_warping(x, y):
    D = np.full((len(x) + 1, len(y) + 1), 1e3)
    D[0, 0] = 0.0
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            best = -np.log(np.exp(-D[i, j]) + np.exp(-D[i + 1, j]) + np.exp(-D[i, j + 1]))
            D[i + 1, j + 1] = (a - b) ** 2 + best
    return D[-1, -1]


def gauss_jordan(A):
    n = A.shape[0]
    inverse = np.eye(n)
    for k in range(n):
        pivot = A[k, k]
        A[k] /= pivot
        inverse[k] /= pivot
        for i in range(n):
            if i != k:
                factor = A[i, k]
                A[i] -= factor * A[k]
                inverse[i] -= factor * inverse[k]
    return np.sum(inverse**2)


def power_iteration(A, v, n):
    for _ in range(n):
        w = A @ v
        v[:] = w / np.linalg.norm(w)
    return v @ A @ v


def givens(A):
    m, n = A.shape
    for j in range(n):
        for i in range(m - 1, j, -1):
            a, b = A[i - 1, j], A[i, j]
            r = np.hypot(a, b)
            c, s = a / r, b / r
            upper = c * A[i - 1] + s * A[i]
            A[i] = c * A[i] - s * A[i - 1]
            A[i - 1] = upper
    return np.sum(np.triu(A[:n]) ** 3)


def bubble_sort(x, w):
    n = len(x)
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return w @ x


def out_arguments(x, y):
    z = np.empty_like(x)
    np.multiply(x, y, out=z)
    np.add(z, x, out=z)
    np.exp(z, out=x)
    return np.sum(x) + np.sum(z * y)


def accumulate_into_slices(x, kernel):
    out = np.zeros(len(x) + len(kernel) - 1)
    for i in range(len(x)):
        out[i : i + len(kernel)] += x[i] * kernel
    return np.sum(out**2)


def conditional_store(x, threshold):
    for i in range(len(x)):
        if x[i] > threshold:
            x[i] = threshold + 0.1 * (x[i] - threshold)
        elif x[i] < -threshold:
            x[i] = 0.0
            continue
        x[i] *= x[i - 1]
    return np.sum(x)


def array_rows_loop(A, v):
    total = 0.0
    for row in A:
        row *= v
        total += np.sum(row) * row[0]
    for k, row in enumerate(A[::-1]):
        v[k % len(v)] += row[1]
    return total + np.sum(A * v)


def broadcast_store(A, v, s):
    A[:] = v
    A[0] = s
    A[:, 1] = A[:, 0] * s
    A[..., -1] += v[0]
    return np.sum(A**2)


def ring_buffer(x, memory):
    buffer = np.zeros(3)
    total = 0.0
    for t in range(len(x)):
        slot = t % 3
        total += buffer[slot] * x[t]
        buffer[slot] = np.tanh(x[t] + memory * buffer[slot - 1])
    return total


def early_return_after_store(x, limit):
    for i in range(len(x)):
        x[i] = x[i] ** 2 + (x[i - 1] if i > 0 else 0.0)
        if x[i] > limit:
            return x[i] * x[0]
    return np.sum(x)


def time_series_store(y0, k, n):
    y = np.zeros((n, 2))
    y[0] = y0
    for t in range(n - 1):
        y[t + 1, 0] = y[t, 0] + 0.1 * y[t, 1]
        y[t + 1, 1] = y[t, 1] - 0.1 * k * y[t + 1, 0]
    return y[-1]


def views_by_split(x):
    left, right = np.split(x, 2)
    left *= right
    right[:] = left[::-1] + right
    a, b, *_ = x
    return np.sum(x**2) * a + b


def x(n):
    return rng.normal(size=n)


def row_from_column(A):
    A[1] = A[:, 2]
    A.T[3] = A[1]
    A[2,] = np.diagonal(A)
    return np.sum(A * A * A)


def strided_in_place(v):
    v[::2] = v[1:5]
    v[1:5] = v[6:2:-1]
    v[:4] = v[::2]
    return np.sum(v**3)


def masked_from_row(A):
    A[A > 0.0] = A[1, ::-1]
    return np.sum(A * A * A)


def exchanged_strides(A):
    a, b = A[0] * 1.0, A[1] * 2.0
    for _ in range(3):
        a[1:] = b[:-1]
        b[:] = a
        a[::2] = b[:2]
        a, b = b, a
    return np.sum(a * a * b)


def scatter_what_was_read(x):
    A = x * x
    u = A * x
    np.add.at(A, [0, 0, 1], u[1:])
    return np.sum(A * u)


def stretched_then_changed(C):
    y = np.broadcast_to(C[1], (2, 3)) * C[0, 0]
    z = np.einsum("ij,j->i", C, C[0]) * np.diag(C)
    w = np.diag(C[:, ::-1]) ** 2
    C += np.sum(y) * w
    for k in range(2):
        C[k] *= np.sum(np.broadcast_to(C[k + 1], (2, 3)) ** 2)
    return np.sum(C * C) + np.sum(y * y[0]) * np.sum(z)


def scatter_stretched(x):
    y = x[0] * 1.0
    s = x[0, 0] * x[1, 1]
    np.add.at(y, ([[0, 0], [1, 2]],), s)
    np.subtract.at(y, slice(1, 3), x[1, 1:2])
    A = x * 1.0
    np.add.at(A, [0, 0, 1], y * s)
    return np.sum(A * y)


def diagonal_then_changed(A):
    y = np.diagonal(A) ** 2
    A[0, 0] *= y[1]
    return np.sum(y * A)


def table_of_lists_updated(x):
    table = np.concatenate([np.array([[x[0] * (k - q) for k in range(2)] for q in range(1)]), np.outer(x, x)])
    first = table[0]
    table *= np.tanh(x[1])
    first += np.sum(np.array([]))
    return np.sum(first * table[1]) + table[2, 0]


def copies_put_back(x, rows):
    part = x[1:3].copy()
    part[0] = part[1] * x[0]
    x[1:3] = part
    picked = x[[3, 0]]
    picked *= x[1]
    x[[3, 0]] = picked
    for k in range(2):
        row = np.array(rows[k])
        row[1] += row[0] ** 2
        rows[k] = row
    return np.sum(x * rows)


def copies_to_restore(x):
    before = x[:2].copy()
    x[:2] *= x[2:]
    y = np.sum(np.sin(x))
    x[:2] = before
    return y * np.sum(x**2)


def stored_into_copies(b, z, rows):
    picked, kept, some, part = z[np.array([1, 1])], z[z > 0.0], z[[1, 0]], z[1:].copy()
    lists, inner, first = rows[1:], rows[0][:], rows[:1]
    picked[0] = kept[0] = some[1] = part[0] = inner[0] = b
    lists[0] = [b * b]
    for _ in range(2):
        first[0] = first[0] + [b]
    return picked @ some + np.sum(kept) * part[0] + sum(inner) * lists[0][0] + sum(first[0])


def copies_that_might_be_views(a):
    b = a * 1.0
    for _ in range(2):
        b += np.sin(np.transpose(b.reshape(2, 2)).ravel())
        b *= np.cos(b.reshape(2, 2).T.ravel()) + b.reshape(2, 2).ravel()
    return np.sum(b * b)


def scratch_of_an_iteration(x, n):
    total = 0.0
    for k in range(n):
        away = np.zeros(len(x))
        for i in range(len(x)):
            away[i] += x[i] * x[k]
            for j in range(i + 1, len(x)):
                away[j] += x[i] * x[j]
        for i in range(len(x)):
            total += away[i] ** 2 * np.sin(x[k])
    return total


def scratch_stored_after_reads(x, n):
    total = 0.0
    for k in range(n):
        away = x * x[k]
        total += away[0] ** 2
        away[0] = np.sin(away[1])
        for i in range(1, len(x)):
            total += away[i - 1] ** 2 * away[i]
            away[i] = total * x[i]
            away[0] *= away[i]
        total += np.sum(away**3)
    return total


def scratch_stored_by_the_next_iteration(x, n):
    total, last = 0.0, np.ones(len(x))
    for k in range(n):
        away = x * x[k]
        total += away[0] ** 2 * last[1]
        last[1] = total * x[1]
        last[0] += last[1]
        total += last[0] ** 2 + np.sum(last * away)
        if k % 2 == 0:
            last = away
    return total


def scratch_kept_in_a_list(x, n):
    kept, total = [], 0.0
    for k in range(n):
        away = x * x[k]
        kept.append(away)
        total += away[0] ** 2 * kept[0][1] ** 2
        kept[k // 2][1] *= x[1]
        kept[0][0] += total
    return total + sum(np.sum(a**2) for a in kept)


def changed_column_by_column(x):
    y = np.outer(x, x[:2])
    columns = y.ravel("F")
    columns[1] *= 3.0
    folded = y.reshape((2, -1), order="F")
    folded[0, 1] = x[0]
    y[0] *= 2.0
    return columns @ y.ravel() + np.sum(folded * y.T[:, ::-1])


def whole_changed_three_times(x, y):
    b = np.zeros(())
    b[...] = x * y
    b += x
    c = b
    c *= 2
    return np.sum(b)


PROGRAMS = [
    program(whole_changed_three_times, np.array(1.7), 0.3),
    program(changed_column_by_column, np.array([0.4, 1.1, -0.7])),
    program(scratch_of_an_iteration, 0.5 * x(4), 3),
    program(scratch_stored_after_reads, 0.5 * x(4), 3),
    program(scratch_stored_by_the_next_iteration, 0.5 * x(4), 4),
    program(scratch_kept_in_a_list, 0.5 * x(4), 4),
    program(copies_that_might_be_views, np.array([-0.1, 0.95, 0.3, -0.6])),
    program(copies_put_back, x(4), x((2, 4))),
    program(copies_to_restore, x(4)),
    program(stored_into_copies, 2.0, np.array([0.5, 0.7]), [[0.5, 0.7], [1.0, 2.0]]),
    program(stored_after_a_power, np.array([0.4, 1.3, 0.8])),
    program(stored_after_a_norm, np.array([0.4, 1.3, 0.8]), 3),
    program(fill_by_index, x(5)),
    program(prefix_products, x(5)),
    program(overwrite_argument, x(5)),
    program(augmented_stores, 3.0 + x(4) * 0.1, 1.0 + 0.1 * x(4)),
    program(row_view, x((3, 3))),
    program(view_of_view, x((4, 4))),
    program(transpose_store, x((3, 4)), x(3)),
    program(reshape_view, x((2, 3))),
    program(two_names, x(4)),
    program(swap_rows, x((3, 3)), x(3)),
    program(masked_store, np.array([-1.0, 0.3, 2.0, -0.2, 1.5])),
    program(fancy_store, x(6), x(3)),
    program(histogram_scatter, x(7), np.array([0, 1, 2, 3, 1, 1, 0])),
    program(scratch_reused, x(5), 3),
    program(double_buffer, x(6), x(6), 3),
    program(helper_updates, x(5), 0.7),
    program(nonlinear_diffusion, x(7), 0.8, 3),
    program(upwind_advection, x(6), 0.9, 3),
    program(upwind_advection, x(6), -0.9, 3, name="downwind_advection"),
    program(red_black, x((5, 6)), x((5, 6)), 2),
    program(thomas, x(5), 4.0 + 0.1 * x(5), x(5), x(5)),
    program(csr_matvec, 1.0 + 0.3 * x(6), np.array([0, 2, 1, 0, 2, 3]), np.array([0, 2, 3, 5, 6]), 1.0 + 0.3 * x(4), 3),
    program(iir_filter, x(3), 0.3 * x(3), x(8)),
    program(fir_filter, x(3), x(8)),
    program(edit_distance_soft, np.abs(x((3, 4))), 0.6),
    program(dynamic_time_warping, x(4), x(3)),
    program(gauss_jordan, 4.0 * np.eye(3) + x((3, 3))),
    program(power_iteration, np.diag([3.0, 2.0, 1.0]) + 0.1 * x((3, 3)), x(3), 4),
    program(givens, x((4, 3))),
    program(bubble_sort, x(5), x(5)),
    program(out_arguments, 0.3 * x(4), x(4)),
    program(accumulate_into_slices, x(5), x(3)),
    program(conditional_store, np.array([0.5, 1.5, -2.0, 0.8, 1.2]), 1.0),
    program(array_rows_loop, x((3, 4)), x(4)),
    program(broadcast_store, x((3, 4)), x(4), 1.3),
    program(ring_buffer, x(8), 0.4),
    program(early_return_after_store, np.array([0.5, 1.1, 1.3, 0.2]), 2.0, wrt=(0,)),
    program(time_series_store, x(2), 1.7, 6),
    program(views_by_split, x(6)),
    program(table_of_lists_updated, x(2)),
    program(row_from_column, x((4, 4))),
    program(strided_in_place, x(8)),
    program(masked_from_row, np.array([[0.3, -0.5, -0.7], [-0.2, 0.8, -0.4], [-0.6, -0.9, 0.5]])),
    program(exchanged_strides, x((2, 4))),
    program(scatter_what_was_read, x(4)),
    program(scatter_stretched, x((3, 3))),
    program(diagonal_then_changed, x((3, 3))),
    program(stretched_then_changed, 0.5 * x((3, 3))),
]
