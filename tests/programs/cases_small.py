"""One construct at a time: the smallest program that uses it."""

from __future__ import annotations

import functools
import itertools
import math
from collections import namedtuple
from dataclasses import dataclass, replace

import numpy as np
from program import program

P = namedtuple("P", "a b")


@dataclass
class D:
    a: float
    b: float


def alias_into_loop(x, n):
    y = x
    for k in range(n):
        y = y * x
    return y + x


def alias_into_while(x):
    y = x
    while y < 10.0:
        y = y * 2.0
    return y + x


def alias_if(x, c):
    y = x
    if c > 0:
        y = y * x
    return y + x


def array_literal(t):
    return np.sum(np.array([1.0, t, t * t]))


def array_literal_2(t):
    return np.sum(np.array([[1.0, t], [t * t, 2.0]]) @ np.array([1.0, 2.0]))


def array_of_list_var(t):
    out = []
    for k in range(3):
        out.append(t * k)
    return np.sum(np.array(out) ** 2)


def array_of_rows(x):
    return np.sum(np.array([x, 2.0 * x]) ** 2)


def unpack_array(x):
    a, b = x
    return a * b


def unpack_array_star(x):
    a, *b = x
    return a * b[0]


def star_list(x, y):
    first, *rest = [x, x * y, y]
    return first + 2.0 * rest[0] * rest[1]


def nested_target(x, y):
    (a, b), c = (x, y), x * y
    return a * b * c


def tuple_arg(p):
    return p[0] * p[1]


def tuple_arg_unpack(p):
    a, b = p
    return a * b


def list_arg_loop(xs):
    t = 0.0
    for x in xs:
        t += x * x
    return t


def dict_arg(d):
    return d["a"] * d["b"]


def dict_values(d):
    return sum(d.values())


def dict_items(d):
    t = 0.0
    for k, v in d.items():
        t += v * v
    return t


def dict_const_iter(d):
    t = 0.0
    for k in ("a", "b"):
        t += d[k] ** 2
    return t


def dict_store(x):
    d = {"a": x}
    d["a"] = d["a"] * x
    d["b"] = d["a"] + x
    return d["b"]


def dict_copy(d):
    s = dict(d)
    s["a"] *= 2.0
    return s["a"] * s["b"]


def dict_rebind_loop(d, n):
    for _ in range(n):
        d = {"a": d["a"] * d["b"], "b": d["b"]}
    return d["a"]


def nt_arg(p):
    return p.a * p.b


def nt_build(x):
    p = P(x, x * x)
    return p.a * p.b


def nt_loop(p, n):
    for _ in range(n):
        p = P(p.a * p.b, p.b)
    return p.a


def nt_replace(p):
    q = p._replace(b=p.b * 2.0)
    return q.a * q.b


def dc_arg(d):
    return d.a * d.b


def dc_build(x):
    d = D(x, 2.0 * x)
    return d.a * d.b


def dict_of_dict(p):
    return p["l"]["W"] * p["l"]["b"]


def comp(x):
    return sum([x * k for k in range(3)])


def gen(x):
    return sum(x * k for k in range(3))


def comp_if(xs):
    return sum([x * x for x in xs if x > 0.0])


def list_store(x):
    v = [0.0] * 3
    v[0] = x
    v[1] = v[0] * x
    return v[1] + v[0]


def append_(x):
    o = []
    o.append(x)
    o.append(x * x)
    return o[0] * o[1]


def sum_list(x):
    return sum([x, x * x])


def max_builtin(x, y):
    return max(x, y) * min(x, y)


def fancy_store1(v):
    y = np.zeros(4)
    y[[3, 1]] = v
    return np.sum(y**2 * np.arange(4.0))


def fancy_store2(x):
    y = np.zeros(3)
    y[np.array([0, 2])] = x[np.array([1, 1])]
    return np.sum(y**2)


def add_at(x):
    y = np.zeros(3)
    np.add.at(y, [0, 0, 1], x)
    return np.sum(y**2)


def store_all(v, A):
    for _ in range(2):
        w = A @ v
        v[:] = w / np.sum(w)
    return v @ v


def norm(v):
    return np.linalg.norm(v)


def split2(a):
    l, r = np.split(a, 2)
    return np.sum(l * l * r)


def stack_(a, b):
    return np.sum(np.stack((a, b), axis=-1)[:, 0] * b)


def rev_concat(x, y):
    return np.sum(np.concatenate([x, y[::-1]]) * np.arange(4.0))


def tile_(x):
    return np.sum(np.tile(x, 2) * np.arange(4.0))


def outer_(x, y):
    return np.sum(np.outer(x, y) * np.arange(4.0).reshape(2, 2))


def vstack_(x, y):
    b = np.vstack((x, x * y))
    c = np.hstack((b, b[:, :1]))
    return np.sum(c**2)


def bTb(x):
    return np.sum(x.T @ x)


def closure(x):
    def g(y):
        return x * y

    return g(x)


def lam(x):
    f = lambda y: x * y
    return f(2.0) + f(x)


def rec(x, n):
    return x if n == 0 else x * rec(x, n - 1)


def walrus(x):
    t = 0.0
    while (x := x / 2.0) > 0.1:
        t += x * x
    return t


def walrus_if(x):
    if (y := x * x) > 1.0:
        return y * x
    return y


def for_rows(A):
    t = 0.0
    for r in A:
        t += r[0] * r[1]
    return t


def rhs_array(y):
    def rhs(t, y):
        return np.array([y[1], -y[0]])

    for _ in range(2):
        y = y + 0.1 * rhs(0.0, y)
    return np.sum(y)


def errst(x):
    with np.errstate(all="ignore"):
        y = x * x
        y = y * x
    return y


def deco(f):
    @functools.wraps(f)
    def w(*a, **k):
        return f(*a, **k)

    return w


@deco
def decorated(x):
    return x * x


def calls_decorated(x):
    return decorated(x) * x


def star_call(x, y):
    a = (x, y)
    return math.hypot(*a)


def kw(x, **k):
    return x * k["y"]


def kwcall(x):
    return kw(x, y=x)


def tuple_in_loop(x, n):
    a, b = x, 1.0
    for _ in range(n):
        a, b = b, a * b + x
    return a * b


def dict_in_loop(x):
    g = {"kp": x}
    t = 0.0
    for _ in range(3):
        t += g["kp"] ** 2
    return t


def row_loop_store(A, v):
    for r in A:
        r *= v
    return np.sum(A**2)


def enum_zip(xs, ys):
    t = 0.0
    for k, (x, y) in enumerate(zip(xs, ys)):
        t += k * x * y
    return t


def sum_gen_arrays(u):
    return np.sum(sum(np.roll(u, s) for s in (-1, 1)) * u)


def gen_unpack(x):
    a, b = (x * k for k in (1.0, 2.0))
    return a * b


def mean_ax(x):
    return np.sum(x.mean(axis=0) ** 2)


def adaptive(f, a, b, n):
    return (
        (b - a) * f(0.5 * (a + b))
        if n == 0
        else adaptive(f, a, 0.5 * (a + b), n - 1) + adaptive(f, 0.5 * (a + b), b, n - 1)
    )


def use_adaptive(a, b):
    return adaptive(lambda t: t * t, a, b, 2)


def rng_const(x, seed):
    z = np.random.default_rng(seed).normal(size=3)
    return np.mean(x * z)


def nonloc(x):
    t = 0.0

    def add(v):
        nonlocal t
        t += v * x

    add(2.0)
    add(x)
    return t


def inplace_helper_ret(v):
    def nrm(u):
        u /= np.sum(u)
        return u

    w = nrm(v[1:])
    w[0] += 1.0
    return np.sum(v**2)


def diag_log(A):
    return np.sum(np.log(np.diag(A)))


def colsplit(p):
    s, *b = p[0:3]
    return s * b[0] + b[1]


def power_arr(x):
    return np.sum(x**2) ** (-1.5)


def list_of_tuples(ls):
    t = 0.0
    for w, b in ls:
        t += w * b
    return t


def nested_lists(W):
    t = 0.0
    for row in W:
        for w in row:
            t += w * w
    return t


def deep_comp(W, xs):
    s = [sum(w * x for w, x in zip(row, xs)) for row in W]
    return sum(s)


def stackpop(x, y):
    st = []
    st.append(x)
    st.append(y)
    b = st.pop()
    a = st.pop()
    return a * b * b


def aug_in_loop(v, a, n):
    for _ in range(n):
        v += a * 0.1
    return np.sum(v * v)


def aug_in_loop2(v, n):
    acc = np.zeros_like(v)
    for _ in range(n):
        v += acc * 0.1
        acc[:] = 0.0
        acc[0] += v[1]
    return np.sum(v * v)


def fill(p, acc):
    n = p.shape[0]
    acc[:] = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            s = p[j] - p[i]
            acc[i] += s
            acc[j] -= s


def two_bufs(p, v, n):
    acc = np.zeros_like(p)
    fill(p, acc)
    for _ in range(n):
        v += acc * 0.1
        p += v * 0.1
        fill(p, acc)
    return np.sum(p * p)


def aug2(p, v, n):
    for _ in range(n):
        v += p * 0.1
        p += v * 0.1
    return np.sum(p * p)


def two_whole(u, v, n):
    un = np.empty_like(u)
    for _ in range(n):
        un[:] = u.copy()
        u[1:-1] = un[1:-1] * v[:-2]
        v[0] = 0
    return np.sum(u * v)


def rowstore(a, x):
    t = np.zeros((3, 2))
    for c in range(2):
        t[:, c] = a[c] + x[:, 0]
    return np.sum(t * t)


def rowstore2(a, ld, x):
    t = np.zeros((3, 2))
    for c in range(2):
        t[:, c] = a[c] + np.sum(ld[c]) - 0.5 * np.sum(x**2, axis=1)
    return np.sum(t * t)


def low(ld, be):
    d = ld.shape[0]
    Q = np.zeros((d, d))
    s = 0
    for j in range(d):
        Q[j, j] = np.exp(ld[j])
        Q[j + 1 :, j] = be[s : s + d - j - 1]
        s += d - j - 1
    return Q


def useq(l, x):
    t = np.zeros((3, 2))
    for c in range(2):
        Q = low(l[c], l[c])
        w = x @ Q.T
        t[:, c] = np.sum(w**2, axis=1)
    return np.sum(t * t)


def useq1(l, x):
    return np.sum((x @ low(l, l).T) ** 2)


def neuron(ws, b, xs):
    s = b
    for w, x in zip(ws, xs):
        s += w * x
    return s


def comp_call(W, bs, xs):
    return sum([neuron(r, b, xs) for r, b in zip(W, bs)])


def comp_call0(W, xs):
    v = xs
    for r in W:
        v = [a * v[0] for a in r]
    return v[0]


def layers(L, xs):
    v = xs
    for k, (W, bs) in enumerate(L):
        s = [neuron(r, b, v) for r, b in zip(W, bs)]
        v = s if k == len(L) - 1 else [math.tanh(q) for q in s]
    return v[0]


def nested_comp(xs, ys):
    return sum([x * y for x in xs for y in ys])


def comp2(W, xs):
    return sum([sum([w * x for w, x in zip(r, xs)]) for r in W])


def cross(v, p):
    x, y, z = v / 2.0
    return np.sum(np.array([y * p[2], z * p[0], x * p[1]]) ** 2)


def unpack_stack(p):
    a, b = p
    return np.sum(np.stack([a, b]) ** 2)


def arr_of_states(y):
    st = [y]
    for _ in range(2):
        y = y * 2.0
        st.append(y)
    return np.sum(np.array(st) ** 2)


def arr_lit_rhs(y, n):
    for _ in range(n):
        y = y + 0.1 * np.array([y[1] * y[0], -y[0]])
    return np.sum(y)


def conv(im, w):
    o = np.empty((2, 2))
    for i in range(2):
        for j in range(2):
            o[i, j] = np.sum(im[i : i + 2, j : j + 2] * w)
    return np.sum(o**2)


def conv2(im, w):
    K = w.shape[0]
    H = im.shape[0] - K + 1
    o = np.empty((H, H))
    for i in range(H):
        for j in range(H):
            o[i, j] = np.sum(im[i : i + K, j : j + K, np.newaxis] * w[:, :, np.newaxis])
    return np.sum(o**2)


def conv3(im, w):
    o = np.empty((1, 2, 2, 2))
    for i in range(2):
        for j in range(2):
            o[:, i, j, :] = np.sum(im[:, i : i + 2, j : j + 2, :, np.newaxis] * w[np.newaxis, :, :, :], axis=(1, 2, 3))
    return np.sum(o**2)


def newax(im, w):
    return np.sum(im[:, :, np.newaxis] * w[np.newaxis, :, :])


def newax2(im, w):
    return np.sum((im[:, 1:, :, np.newaxis] * w[np.newaxis, :, :, :]) ** 2)


def dct(p, x):
    return np.sum(np.maximum(x @ p["W"] + p["b"], 0.0))


def dct1(p):
    return np.sum(p["W"] ** 2)


def softm(p):
    e = np.exp(p - np.max(p, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def hm(p):
    return np.sum(softm(p["a"]) ** 2)


def alias_array_loop(x, n):
    y = x
    for k in range(n):
        y = y * x
    return np.sum(y + x)


def alias_array_two(x):
    y = x
    y = y * 2.0
    z = y
    z = z + x
    return np.sum(z * y)


def transpose_alias(A):
    B = A.T
    B = B * 2.0
    return np.sum(A * B)


def slice_shared(x, k):
    n = len(x)
    t = 0.0
    for i in range(n - k + 1):
        t = t + np.sum(x[i : i + k] ** 2) * np.prod(x[i : i + k])
    return t


def time_series_row(y0, k):
    y = np.zeros((3, 2))
    y[0] = y0
    for t in range(2):
        y[t + 1, 0] = y[t, 0] * k
        y[t + 1, 1] = y[t, 1] + y[t + 1, 0]
    return y[-1]


def time_series_sum(y0, k):
    return np.sum(time_series_row(y0, k))


def view_returned(x):
    y = np.zeros((3, 2))
    y[0] = x
    return y[0]


def view_of_fresh_returned(x):
    y = x * 2.0
    return y[1:]


def split_views(x):
    l, q = np.split(x, 2)
    l *= q
    return np.sum(x**2)


def split_views2(x):
    l, q = np.split(x, 2)
    l *= q
    q[:] = l[::-1] + q
    return np.sum(x**2)


def loop_over_views(x):
    l = x[:2]
    r = x[2:]
    l *= r
    r[:] = l[::-1] + r
    return np.sum(x**2)


def unpack_after_store(x):
    x[0] = x[1] ** 2
    a, b, *_ = x
    return np.sum(x**2) * a + b


def ravel_store(A):
    A.ravel()[0] = 3.0
    return np.sum(A**2)


def continue_and_break(x):
    t = 0.0
    for i in range(3):
        if i == 1:
            continue
        for j in range(i, -1, -1):
            if j > 1:
                break
            t += x * j
        t = t * 0.9
    return t


def continue_and_break_with_power(x):
    t = 0.0
    for i in range(4):
        for j in range(i, -1, -1):
            if (i + j) % 3 == 0:
                continue
            if j > 3:
                break
            t += math.sin(x * i) * x**j
    return t


def dc_replace(s, f):
    q = replace(s, a=s.a * f)
    return D(q.a + s.b, math.sin(q.b))


def dc_ret(s):
    return D(s.a * s.b, s.b)


def dict_out(x, y):
    return x * y, (np.sin(x), {"s": x + y, "y": y})


def dict_out2(x):
    return {"s": x * x, "y": x}


def rec_if(x, n):
    if n == 0:
        return x
    return x * rec_if(x, n - 1)


def use_if(m, t, x):
    if t > 0:
        x = m.a * x
    return x * m.b


def update_record(m, x):
    return m.a * x, x * m.b


def predict_record(m, x):
    return m.a * x


def rec_in_if(m, x, n):
    c = 0.0
    for t in range(n):
        if t > 0:
            x = predict_record(m, x)
        x, l = update_record(m, x)
        c += l
    return c


def dict_comprehension(xs):
    d = {f"k{k}": x**2 for k, x in enumerate(xs)}
    return d["k1"]


def zipstar(B):
    return sum([sum(c) for c in zip(*B)])


def carried_argument(x, n):
    v = x
    for k in range(n):
        v = k + x / v
    return v


def previous_value(x):
    p = x
    c = 0.0
    for _ in range(3):
        e = x * c + 1.0
        c += e - p
        p = e
    return c


x2 = np.array([0.3, 1.7])
x3 = np.array([0.5, -1.2, 2.0])
x4 = np.array([0.5, 1.2, 2.0, -0.4])
A22 = np.array([[1.0, 0.5], [0.3, 2.0]])
r = np.random.default_rng(0).normal
v3 = r(size=3)
p33 = r(size=(3, 2))
u4 = r(size=4)


# What a loop binds before it reads: nothing is carried from one iteration to the next.


def function_in_inner_loop(w):
    total = 0.0
    for k in range(3):
        for d in w:
            g = lambda u: u * d
            total += g(d) * k
    return total


def function_after_break(w):
    total = 0.0
    for d in w:
        if d > 0.8:
            break

        def h(u):
            return u * d

        total += h(d)
    return total


def tuple_in_one_branch(w):
    total = 0.0
    for d in w:
        if d > 0.3:
            p = (d, 2.0)
            total += p[0] * p[1]
        total += d
    return total


def number_then_tuple(w):
    p = w[0]
    total = p * 1.0
    for k in range(3):
        p = (w[k], k)
        total += p[0] * p[0]
    return total


def default_of_the_iteration(w):
    total = 0.0
    for k in range(3):
        g = lambda u, k=k: u * w[k]
        total += g(w[k])
    return total


def tuple_of_another_length(w):
    p = (1.0, 2.0)
    total = 0.0
    for k in range(2):
        p = (w[0], w[1], w[k])
        total += p[2] * p[0]
    return total


def dict_in_inner_branch(w):
    total = 0.0
    for k in range(2):
        for j in range(2):
            if w[j] > 0.0:
                q = {"a": w[j], "b": w[k]}
                total += q["a"] * q["b"]
    return total


def bound_in_loop_only(w, s):
    start = w[0]
    for jj in range(s):
        p, c = start, 0.24
    return p * c


def two_names_bound_in_loop(w):
    one = w[0] * w[1]
    for step in range(3):
        bt = g = one
    return g * bt


def bound_in_inner_loop(w):
    for k in range(2):
        for j in range(2):
            q = w[j]
    return q * q


def tuple_returned_from_a_loop(w):
    def update(u, v):
        for k in range(3):
            if v * k > 0.5:
                return u * v, k * u
        return u * u, 1.02

    total = 0.0
    for i in range(3):
        z, state = update(w[i], w[i - 1])
        total += z * state
    return total


# The truth of a list is its length at that time.


def truth_of_a_growing_list(x):
    v = []
    total = 0.0
    for k in range(3):
        if v:
            total += v[-1] * x
        v.append(x * k)
    return total


def truth_in_a_loop_test(x):
    stack = [x, x * x, 2.0]
    total = 0.0
    while stack:
        total += stack.pop() * x
    if not stack:
        total *= 2.0
    return total


def truth_of_a_dict(x):
    seen = {}
    total = 0.0
    for k in range(3):
        if not seen:
            total += x * x
        seen[k % 2] = x
    return total + seen[0]


def column_of_a_nested_list(w):
    rows = np.tanh(np.array([[w[q] * (k - q) for k in range(2)] for q in range(3)]))
    scale = rows.shape[1] * 0.5
    return np.sum(rows[0, -1] * rows) * scale


def truth_of_two(z, t):
    r = []
    for k in range(3):
        if r and k != 1:
            z[0] -= math.log1p(math.cos(t))
        if z[:1] or not r:
            z[1] *= t
        z[0] += 0.5
        r.append(t)
    return z[0] * z[1]


def list_that_grows_apart(xs, t):
    y = t
    for x in xs:
        if x > 0.35:
            y = y * t
    xs.append(t)
    return y


def factor_in_a_context(x, t):
    t += x[1]
    with np.errstate(all="ignore"):
        t *= math.sin(x[0])
    return t


def array_times_list(x, ys):
    return np.sum((x * ys - [x[0], 2.0, x[1]]) ** 2)


def list_times_array(x, ys):
    return np.sum(ys * x) + [1.0, x[0], 2.0] @ x + np.sum(x ** [1.0, x[1], 2.0])


def augmented_by_a_list(x):
    x = x + 0.0
    x += [1.0, x[1], 2.0]
    x *= [1.0, x[0], 3.0]
    return x @ x


def lists_as_matrices(x):
    m = [[3.0, x[0]], [x[2], x[1]]]
    return np.linalg.det(m) + np.trace(m) + np.sum(np.linalg.solve(m, [x[0], 2.0])) + np.linalg.norm(m)


def lists_as_vectors(x):
    ys = [x[0], x[1], x[2]]
    a = np.interp(0.5, [0.0, x[0] + 1.0, 3.0], ys) + np.var(ys) + np.average(ys, weights=[1.0, x[1], 2.0])
    return (
        a
        + np.sum(np.clip(ys, [0.0, 0.1, 0.2], 5.0) / np.sqrt(ys))
        + np.sum(np.sort(ys) * np.outer(ys, (x[0], 1.0, x[1])))
    )


def lists_as_tensors(x):
    ys = (x[0], x[1])
    return np.sum(np.kron(ys, ys)) + np.tensordot(ys, [x[1], x[2]], 1) + np.sum(np.maximum(ys, [0.5, 9.0]))


def unused_items(d, xs):
    return np.sum(d["a"]) * xs[0][1]


def last_of_other_shapes(weights, x):
    last = None
    for w in weights:
        last = x @ w
        x = np.sin(last)
    return np.sum(last**2)


def last_pair_of_other_shapes(weights, x):
    for w in weights:
        pair = (x @ w, np.cos(x))
        x = np.sin(pair[0])
    return np.sum(pair[0] ** 2) + np.sum(pair[1])


def last_of_shrinking_shapes(x, n):
    for k in range(n):
        z = x[k:] * x[k]
        y = z * 2.0
    return np.sum(y**2) + np.sum(z)


def isinstance_of_an_item(x, parts):
    s = 0.0
    for part in parts:
        if isinstance(part, (int, float)):
            s += x * x
        elif isinstance(part, (str, bytes)):
            s += x
    return s


def joined_by_subscripts(x):
    row = np.r_[x, 1.0, x[0], 0:2]
    table = np.c_[x, x * x, np.outer(x, x)[:, :2]]
    return np.sum(row**2) + np.sum(table @ np.arange(4.0)) + np.sum(np.r_[table, table] ** 3)


def uneven_parts(x, A):
    first, second, third = np.array_split(x, 3)
    left, right = np.array_split(A, 2, axis=1)
    third *= 2.0
    return np.sum(first) * np.sum(second**2) + np.sum(third) * np.sum(left @ right[:, :1]) + x @ x


def parts_of_ranges(x):
    s = 0.0
    for i in range(3)[::-1]:
        s = s * x[i] + x[0]
    for i in range(10)[1:9:3][:2]:
        s += x[i % 3] * i
    return s + x[range(3)[-1]] * range(5)[1]


def counted_without_end(x):
    for k in itertools.count():
        x = x * 0.5
        if x @ x < 0.1:
            break
    return np.sum(x) * k + sum(j * v for j, v in zip(itertools.count(1), x))


def open_meshes(x):
    A = np.outer(x, x + 1.0)
    A[np.ix_([0, 2], [0, 1])] += x[:2]
    B = A[np.ix_(np.array([True, False, True]), [1, 2])]
    A[np.ix_([0, 1], [1, 2])] = B * x[0]
    return np.sum(A**2)


def in_order_of_names(d, x):
    s = 0.0
    for k in sorted(d):
        s = s * x + d[k]
    for _, v in sorted(d.items(), reverse=True):
        s = s * x + v
    return s


PROGRAMS = [
    program(alias_into_loop, 1.3, 2, name="small_alias_into_loop"),
    program(alias_into_while, 1.3, name="small_alias_into_while"),
    program(alias_if, 1.3, 1, name="small_alias_if"),
    program(array_literal, 0.7, name="small_array_literal"),
    program(array_literal_2, 0.7, name="small_array_literal_2"),
    program(array_of_list_var, 0.7, name="small_array_of_list_var"),
    program(array_of_rows, x2, name="small_array_of_rows"),
    program(unpack_array, x2, name="small_unpack_array"),
    program(unpack_array_star, x2, name="small_unpack_array_star"),
    program(star_list, 0.7, 1.2, name="small_star_list"),
    program(nested_target, 0.7, 1.2, name="small_nested_target"),
    program(tuple_arg, (0.7, 1.2), name="small_tuple_arg"),
    program(tuple_arg_unpack, (0.7, 1.2), name="small_tuple_arg_unpack"),
    program(list_arg_loop, [0.7, 1.2], name="small_list_arg_loop"),
    program(dict_arg, {"a": 0.7, "b": 1.2}, name="small_dict_arg"),
    program(dict_values, {"a": 0.7, "b": 1.2}, name="small_dict_values"),
    program(dict_items, {"a": 0.7, "b": 1.2}, name="small_dict_items"),
    program(dict_const_iter, {"a": 0.7, "b": 1.2}, name="small_dict_const_iter"),
    program(dict_store, 0.7, name="small_dict_store"),
    program(dict_copy, {"a": 0.7, "b": 1.2}, name="small_dict_copy"),
    program(dict_rebind_loop, {"a": 0.7, "b": 1.2}, 2, name="small_dict_rebind_loop"),
    program(nt_arg, P(0.7, 1.2), name="small_nt_arg"),
    program(nt_build, 0.7, name="small_nt_build"),
    program(nt_loop, P(0.7, 1.2), 2, name="small_nt_loop"),
    program(nt_replace, P(0.7, 1.2), name="small_nt_replace"),
    program(dc_arg, D(0.7, 1.2), name="small_dc_arg"),
    program(dc_build, 0.7, name="small_dc_build"),
    program(dict_of_dict, {"l": {"W": 0.7, "b": 1.2}}, name="small_dict_of_dict"),
    program(comp, 0.7, name="small_comp"),
    program(gen, 0.7, name="small_gen"),
    program(comp_if, [0.7, 1.2], name="small_comp_if"),
    program(list_store, 0.7, name="small_list_store"),
    program(append_, 0.7, name="small_append"),
    program(sum_list, 0.7, name="small_sum_list"),
    program(max_builtin, 0.7, 1.2, name="small_max_builtin"),
    program(fancy_store1, x2, name="small_fancy_store1"),
    program(fancy_store2, x2, name="small_fancy_store2"),
    program(add_at, x3, name="small_add_at"),
    program(store_all, x2, A22, name="small_store_all"),
    program(norm, x2, name="small_norm"),
    program(split2, x4, name="small_split2"),
    program(stack_, x2, x2 * 2, name="small_stack"),
    program(rev_concat, x2, x2 * 3, name="small_rev_concat"),
    program(tile_, x2, name="small_tile"),
    program(outer_, x2, x2 * 3, name="small_outer"),
    program(vstack_, x2, x2 * 3, name="small_vstack"),
    program(bTb, A22, name="small_bTb"),
    program(closure, 0.7, name="small_closure"),
    program(lam, 0.7, name="small_lam"),
    program(rec, 0.7, 3, name="small_rec"),
    program(walrus, 1.9, name="small_walrus"),
    program(walrus_if, 1.9, name="small_walrus_if"),
    program(for_rows, A22, name="small_for_rows"),
    program(rhs_array, x2, name="small_rhs_array"),
    program(errst, 0.7, name="small_errst"),
    program(decorated, 0.7, name="small_decorated"),
    program(calls_decorated, 0.7, name="small_calls_decorated"),
    program(star_call, 0.7, 1.2, name="small_star_call"),
    program(kwcall, 0.7, name="small_kwcall"),
    program(tuple_in_loop, 0.7, 3, name="small_tuple_in_loop"),
    program(dict_in_loop, 0.7, name="small_dict_in_loop"),
    program(row_loop_store, A22, x2, name="small_row_loop_store"),
    program(enum_zip, [0.7, 1.2], [0.3, 0.4], name="small_enum_zip"),
    program(sum_gen_arrays, x3, name="small_sum_gen_arrays"),
    program(gen_unpack, 0.7, name="small_gen_unpack"),
    program(mean_ax, A22, name="small_mean_ax"),
    program(use_adaptive, 0.7, 1.2, name="small_use_adaptive"),
    program(rng_const, 0.7, 3, name="small_rng_const"),
    program(nonloc, 0.7, name="small_nonloc"),
    program(inplace_helper_ret, x3, name="small_inplace_helper_ret"),
    program(diag_log, A22, name="small_diag_log"),
    program(colsplit, x4, name="small_colsplit"),
    program(power_arr, x3, name="small_power_arr"),
    program(list_of_tuples, [(0.7, 1.2), (0.3, 0.4)], name="small_list_of_tuples"),
    program(nested_lists, [[0.7, 1.2], [0.3, 0.4]], name="small_nested_lists"),
    program(deep_comp, [[0.7, 1.2], [0.3, 0.4]], [0.5, 0.6], name="small_deep_comp"),
    program(stackpop, 0.7, 1.2, name="small_stackpop"),
    program(aug_in_loop, v3, v3 * 2, 2, name="small_aug_in_loop"),
    program(aug_in_loop2, v3, 3, name="small_aug_in_loop2"),
    program(two_bufs, p33, p33 * 2, 2, name="small_two_bufs"),
    program(aug2, p33, p33 * 2, 2, name="small_aug2"),
    program(two_whole, v3, v3 * 2, 2, name="small_two_whole"),
    program(rowstore, v3, p33, name="small_rowstore"),
    program(rowstore2, v3, p33, p33, name="small_rowstore2"),
    program(useq1, v3, r(size=(4, 3)), name="small_useq1"),
    program(useq, r(size=(2, 2)), p33, name="small_useq"),
    program(comp_call, [[0.1, 0.2], [0.3, 0.4]], [0.5, 0.6], [0.7, 0.8], name="small_comp_call"),
    program(comp_call0, [[0.1, 0.2], [0.3, 0.4]], [0.7, 0.8], name="small_comp_call0"),
    program(layers, [([[0.1, 0.2], [0.3, 0.4]], [0.5, 0.6]), ([[0.1, 0.2]], [0.3])], [0.7, 0.8], name="small_layers"),
    program(nested_comp, [0.1, 0.2], [0.3, 0.4], name="small_nested_comp"),
    program(comp2, [[0.1, 0.2], [0.3, 0.4]], [0.7, 0.8], name="small_comp2"),
    program(cross, v3, v3 * 2, name="small_cross"),
    program(unpack_stack, p33[:2], name="small_unpack_stack"),
    program(arr_of_states, v3, name="small_arr_of_states"),
    program(arr_lit_rhs, v3[:2].copy(), 2, name="small_arr_lit_rhs"),
    program(conv, r(size=(3, 3)), r(size=(2, 2)), name="small_conv"),
    program(conv2, r(size=(3, 3)), r(size=(2, 2)), name="small_conv2"),
    program(conv3, r(size=(1, 3, 3, 2)), r(size=(2, 2, 2, 2)), name="small_conv3"),
    program(newax, p33, r(size=(2, 3)), name="small_newax"),
    program(newax2, r(size=(2, 3, 2)), r(size=(2, 2, 3)), name="small_newax2"),
    program(dct, {"W": r(size=(2, 3)), "b": v3}, p33, name="small_dct"),
    program(dct1, {"W": v3}, name="small_dct1"),
    program(hm, {"a": p33}, name="small_hm"),
    program(alias_array_loop, v3, 2, name="small_alias_array_loop"),
    program(alias_array_two, v3, name="small_alias_array_two"),
    program(transpose_alias, A22, name="small_transpose_alias"),
    program(slice_shared, x4, 2, name="small_slice_shared"),
    program(time_series_sum, r(size=2), 1.3, name="small_time_series_sum"),
    program(time_series_row, r(size=2), 1.3, name="small_time_series_row"),
    program(view_returned, r(size=2), name="small_view_returned"),
    program(view_of_fresh_returned, r(size=3), name="small_view_of_fresh_returned"),
    program(split_views, u4, name="small_split_views"),
    program(split_views2, u4, name="small_split_views2"),
    program(loop_over_views, u4, name="small_loop_over_views"),
    program(unpack_after_store, u4, name="small_unpack_after_store"),
    program(ravel_store, r(size=(2, 2)), name="small_ravel_store"),
    program(continue_and_break, 0.7, name="small_continue_and_break"),
    program(continue_and_break_with_power, 0.7, name="small_continue_and_break_with_power"),
    program(dc_replace, D(0.4, 0.5), 0.3, name="small_dc_replace"),
    program(dc_ret, D(0.4, 0.5), name="small_dc_ret"),
    program(dict_out, 0.4, 0.5, name="small_dict_out"),
    program(dict_out2, 0.4, name="small_dict_out2"),
    program(rec_if, 0.7, 3, name="small_rec_if"),
    program(use_if, D(0.4, 0.5), 1, 0.6, name="small_use_if"),
    program(rec_in_if, D(0.4, 0.5), 0.6, 3, name="small_rec_in_if"),
    program(dict_comprehension, [0.3, 0.4], name="small_dict_comprehension"),
    program(zipstar, [[0.3, 0.4], [0.5, 0.6]], name="small_zipstar"),
    program(carried_argument, 1.3, 3, name="small_carried_argument"),
    program(previous_value, 0.7, name="small_previous_value"),
    program(function_in_inner_loop, v3, name="small_function_in_inner_loop"),
    program(function_after_break, v3, name="small_function_after_break"),
    program(tuple_in_one_branch, v3, name="small_tuple_in_one_branch"),
    program(number_then_tuple, v3, name="small_number_then_tuple"),
    program(default_of_the_iteration, v3, name="small_default_of_the_iteration"),
    program(tuple_of_another_length, v3, name="small_tuple_of_another_length"),
    program(dict_in_inner_branch, v3, name="small_dict_in_inner_branch"),
    program(bound_in_loop_only, v3, 2, name="small_bound_in_loop_only"),
    program(two_names_bound_in_loop, v3, name="small_two_names_bound_in_loop"),
    program(bound_in_inner_loop, v3, name="small_bound_in_inner_loop"),
    program(tuple_returned_from_a_loop, v3, name="small_tuple_returned_from_a_loop"),
    program(truth_of_a_growing_list, 0.7, name="small_truth_of_a_growing_list"),
    program(truth_in_a_loop_test, 0.7, name="small_truth_in_a_loop_test"),
    program(truth_of_a_dict, 0.7, name="small_truth_of_a_dict"),
    program(column_of_a_nested_list, v3, name="small_column_of_a_nested_list"),
    program(truth_of_two, v3, 0.7, name="small_truth_of_two"),
    program(factor_in_a_context, v3, 0.7, name="small_factor_in_a_context"),
    program(list_that_grows_apart, [0.3, 0.4], 0.7, name="small_list_that_grows_apart"),
    program(array_times_list, v3, [1.0, 2.0, 3.0], name="small_array_times_list"),
    program(list_times_array, np.array([0.4, 1.3, 0.8]), [1.0, 2.0, 3.0], name="small_list_times_array"),
    program(augmented_by_a_list, v3, name="small_augmented_by_a_list"),
    program(lists_as_matrices, v3, name="small_lists_as_matrices"),
    program(lists_as_vectors, np.array([0.4, 1.3, 0.8]), name="small_lists_as_vectors"),
    program(lists_as_tensors, v3, name="small_lists_as_tensors"),
    program(unused_items, {"a": v3, "unused": u4}, [(0.5, 0.4), (v3, 0.2)], name="small_unused_items"),
    program(last_of_other_shapes, [r(size=(4, 3)), r(size=(3, 2))], r(size=4), name="small_last_of_other_shapes"),
    program(
        last_pair_of_other_shapes, [r(size=(4, 3)), r(size=(3, 2))], r(size=4), name="small_last_pair_of_other_shapes"
    ),
    program(last_of_shrinking_shapes, u4, 3, name="small_last_of_shrinking_shapes"),
    program(isinstance_of_an_item, 0.7, [2, "a", None, 3], wrt=(0,), name="small_isinstance_of_an_item"),
    program(joined_by_subscripts, v3, name="small_joined_by_subscripts"),
    program(uneven_parts, np.array([0.4, 1.3, 0.8, 0.5]), r(size=(2, 3)), name="small_uneven_parts"),
    program(parts_of_ranges, v3, name="small_parts_of_ranges"),
    program(counted_without_end, v3, name="small_counted_without_end"),
    program(open_meshes, v3, name="small_open_meshes"),
    program(in_order_of_names, {"b": 0.4, "a": 1.3, "c": 0.2}, 0.7, name="small_in_order_of_names"),
]
