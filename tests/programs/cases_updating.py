"""Recursive functions that update arrays, lists and dicts in place, and variables around them."""

from __future__ import annotations

import math

import numpy as np
from program import program

STEPS = 0


def put_in_order(a, low, high):
    if high - low < 2:
        return
    pivot, i = a[high - 1], low
    for j in range(low, high - 1):
        if a[j] < pivot:
            a[i], a[j] = a[j], a[i]
            i += 1
    a[i], a[high - 1] = a[high - 1], a[i]
    put_in_order(a, low, i)
    put_in_order(a, i + 1, high)


def quick_sort(x):
    a = x * 1.0
    put_in_order(a, 0, len(a))
    return np.sum(a * np.arange(len(a))) + a[0] * a[1]


def merge(a):
    n = len(a)
    if n < 2:
        return
    m = n // 2
    merge(a[:m])
    merge(a[m:])
    out, i, j = np.zeros(n), 0, m
    for k in range(n):
        if j >= n or (i < m and a[i] <= a[j]):
            out[k] = a[i]
            i += 1
        else:
            out[k] = a[j]
            j += 1
    a[:] = out


def merge_sort_of_views(x):
    a = x * 1.0
    merge(a)
    return np.sum(a * a * np.arange(len(a)))


def relax(u, f, h):
    for i in range(1, len(u) - 1):
        u[i] = 0.5 * (u[i - 1] + u[i + 1] + h * h * f[i])


def v_cycle(u, f, h):
    n = len(u)
    relax(u, f, h)
    if n <= 3:
        return
    r = np.zeros(n)
    for i in range(1, n - 1):
        r[i] = f[i] + (u[i - 1] - 2.0 * u[i] + u[i + 1]) / (h * h)
    e = np.zeros((n - 1) // 2 + 1)
    v_cycle(e, r[::2].copy(), 2.0 * h)
    for i in range(len(e)):
        u[2 * i] += e[i]
    for i in range(len(e) - 1):
        u[2 * i + 1] += 0.5 * (e[i] + e[i + 1])
    relax(u, f, h)


def multigrid(f):
    u = np.zeros(len(f))
    for _ in range(2):
        v_cycle(u, f, 1.0 / (len(f) - 1))
    return np.sum(u * u)


def transform(re, im):
    n = len(re)
    if n == 1:
        return
    a, b = re[::2].copy(), im[::2].copy()
    c, d = re[1::2].copy(), im[1::2].copy()
    transform(a, b)
    transform(c, d)
    for k in range(n // 2):
        cos, sin = math.cos(2 * math.pi * k / n), -math.sin(2 * math.pi * k / n)
        t, s = cos * c[k] - sin * d[k], cos * d[k] + sin * c[k]
        re[k], im[k] = a[k] + t, b[k] + s
        re[k + n // 2], im[k + n // 2] = a[k] - t, b[k] - s


def fourier_in_place(x):
    re, im = x * 1.0, np.zeros(len(x))
    transform(re, im)
    return np.sum(np.arange(len(x)) * (re**2 + im**2) ** 2)


def factorise(a):
    if len(a) == 0:
        return
    a[0, 0] = math.sqrt(a[0, 0])
    a[1:, 0] = a[1:, 0] / a[0, 0]
    a[1:, 1:] -= np.outer(a[1:, 0], a[1:, 0])
    factorise(a[1:, 1:])


def cholesky_of_blocks(x):
    a = np.outer(x, x) + 3.0 * np.eye(len(x))
    factorise(a)
    return np.sum(np.tril(a) ** 2 * np.arange(len(x)))


def scaled(a, depth):
    if depth == 0:
        return a
    a[depth % 2] = a[0] * a[depth % 2]
    return scaled(a, depth - 1)


def what_is_returned_is_the_argument(x):
    a = x * 1.0
    b = scaled(a, 15)
    b[1] = b[0] * 2.0
    return np.sum(a) * b[0]


def assigned_names(x, n):
    best, count, total = 0.0, 0, 0

    def visit(v, depth):
        nonlocal best, count, total
        count += 1
        total = total + v * v
        if v > best:
            best = v
        if depth > 0:
            visit(v * 1.3 - 0.2, depth - 1)
            visit(v * 0.7 + 0.1, depth - 1)

    visit(x, n)
    return best * total + count * x


def a_global_counter(x, n):
    global STEPS
    STEPS = 0

    def visit(v, depth):
        global STEPS
        STEPS += 1
        return v if depth == 0 else visit(v * 1.1, depth - 1) + STEPS * v

    return visit(x, n)


def leaves_in_a_list(x, n):
    found = []

    def visit(v, depth):
        if depth == 0:
            found.append(v * v)
            return 0
        return 1 + visit(v * 1.1, depth - 1) + visit(v * 0.9, depth - 1)

    return visit(x, n) * sum(found) * found[3]


def best_order(w):
    best, path, used = -1e9, [], [0] * len(w)

    def extend():
        nonlocal best
        if len(path) == len(w):
            cost = 0.0
            for k in range(len(w)):
                cost += w[path[k]] ** 2 * (k + 1)
            best = max(best, cost)
            return
        for i in range(len(w)):
            if not used[i]:
                used[i] = 1
                path.append(i)
                extend()
                path.pop()
                used[i] = 0

    extend()
    return best


def in_a_memo(x, n):
    memo = {}

    def term(k):
        if k < 2:
            return x * (k + 1)
        if k not in memo:
            memo[k] = term(k - 1) + 0.5 * term(k - 2) * x
        return memo[k]

    return term(n) * memo[3]


class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right


def put(node, value):
    if node is None:
        return Node(value)
    if value < node.value:
        node.left = put(node.left, value)
    else:
        node.right = put(node.right, value)
    return node


def grown(x, depth):
    return None if depth == 0 else Node(x * depth, grown(x + 1.0, depth - 1), grown(x * 2.0, depth - 1))


def weighed(node, depth):
    if node is None:
        return 0.0
    return node.value**2 * depth + weighed(node.left, depth + 1) + weighed(node.right, depth + 2)


def search_tree(xs):
    root = None
    for k in range(len(xs)):
        root = put(root, xs[k])
    return weighed(root, 1)


def tree_that_grows(x, n):
    return weighed(grown(x, n), 1)


VALUES = np.array([0.7, 1.9, 1.2, 0.3, 2.2])
PROGRAMS = [
    program(quick_sort, VALUES),
    program(merge_sort_of_views, VALUES),
    program(multigrid, np.array([0.1, 0.5, 0.3, 0.9, 0.2, 0.4, 0.8, 0.6, 0.2])),
    program(fourier_in_place, np.array([0.1, 0.5, 0.3, 0.9])),
    program(cholesky_of_blocks, VALUES[:3]),
    program(what_is_returned_is_the_argument, np.array([0.9, 1.1, 1.01])),
    program(assigned_names, 0.8, 5),
    program(a_global_counter, 0.8, 20),
    program(leaves_in_a_list, 0.8, 5),
    program(best_order, VALUES[:4]),
    program(in_a_memo, 0.8, 16),
    program(search_tree, VALUES),
    program(tree_that_grows, 0.8, 4),
]
