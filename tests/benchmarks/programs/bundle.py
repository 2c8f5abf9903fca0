"""Bundle adjustment: the blocks of the residuals' sparse Jacobian, one for each observation.

Each observation sees one camera (11 numbers), one point (3) and its weight, so a block is 2 by 15. Users call the
Jacobian of one reprojection for each observation, or map it over all of them where the library can.
"""

from __future__ import annotations

import functools

import numpy as np

from examples.bundle_adjustment import make_problem, project, residuals
from tests.benchmarks.peers import by_casadi, by_numba, by_numpy, enable_jax
from tests.benchmarks.program import Program, jacobian

__all__ = ["BUNDLE"]


def reprojection(camera, point, weight, feature):
    """The weighted error of one observation."""
    return weight * (project(camera, point) - feature)


def empty_blocks(n):
    """Room for the blocks by cameras, points and weights."""
    return np.empty((n, 2, 11)), np.empty((n, 2, 3)), np.empty((n, 2))


@functools.cache
def block_by_block(backend):
    """The Jacobian of one reprojection, called for each observation; from a compiled loop if it is compiled, once."""
    derivative = jacobian(reprojection, (0, 1, 2), backend)
    if backend == "numba":
        return in_compiled_loop(derivative)

    def blocks(cameras, points, weights, observations, features):
        by_camera, by_point, by_weight = empty_blocks(len(observations))
        for k, (camera, point) in enumerate(observations):
            by_camera[k], by_point[k], by_weight[k] = derivative(
                cameras[camera], points[point], weights[k], features[k]
            )
        return by_camera, by_point, by_weight

    return blocks


def in_compiled_loop(derivative):
    """All blocks, in a function for Numba; the observations become an array the first time they are seen."""
    import numba

    @numba.njit
    def loop(cameras, points, weights, seen, features):
        n = len(seen)
        by_camera, by_point, by_weight = np.empty((n, 2, 11)), np.empty((n, 2, 3)), np.empty((n, 2))
        for k in range(n):
            camera, point = cameras[seen[k, 0]], points[seen[k, 1]]
            by_camera[k], by_point[k], by_weight[k] = derivative(camera, point, weights[k], features[k])
        return by_camera, by_point, by_weight

    known = {}

    def blocks(cameras, points, weights, observations, features):
        if id(observations) not in known:
            known[id(observations)] = observations, np.array(observations)
        return loop(cameras, points, weights, known[id(observations)][1], features)

    return blocks


# By hand, in array operations ---------------------------------------------------------------------------------------


def gathered(cameras, points, weights, observations, features):
    """The camera and the point of each observation, in rows."""
    seen = np.array(observations)
    return cameras[seen[:, 0]], points[seen[:, 1]], weights, features


def blocks_by_hand(cameras, points, weights, observations, features):
    """All blocks at once."""
    cameras, points, weights, features = gathered(cameras, points, weights, observations, features)
    n = len(cameras)
    turn, focal, kappa = cameras[:, :3], cameras[:, 6, np.newaxis], cameras[:, 9:]
    away = points - cameras[:, 3:6]
    angle = np.sqrt(np.sum(turn**2, axis=1))[:, np.newaxis]
    c, s = np.cos(angle), np.sin(angle)
    k = turn / angle
    crossed, along = np.cross(k, away), np.sum(k * away, axis=1, keepdims=True)
    local = away * c + crossed * s + k * (along * (1.0 - c))
    q = local[:, :2] / local[:, 2:]
    square = np.sum(q**2, axis=1, keepdims=True)
    stretch = 1.0 + kappa[:, :1] * square + kappa[:, 1:] * square**2

    w = weights[:, np.newaxis]
    by_q = (2.0 * kappa[:, :1] + 4.0 * kappa[:, 1:] * square)[..., np.newaxis] * q[:, :, np.newaxis] * q[:, np.newaxis]
    by_q[:, [0, 1], [0, 1]] += stretch
    by_q *= (w * focal / local[:, 2:])[..., np.newaxis]
    by_local = np.concatenate((by_q, -by_q @ q[..., np.newaxis]), axis=2)

    spin = np.zeros((n, 3, 3))
    spin[:, [2, 0, 1], [1, 2, 0]] = k[:, [0, 1, 2]]
    spin[:, [1, 2, 0], [2, 0, 1]] = -k[:, [0, 1, 2]]
    outer = k[:, :, np.newaxis] * k[:, np.newaxis]
    rotation = c[..., np.newaxis] * np.eye(3) + s[..., np.newaxis] * spin + (1.0 - c)[..., np.newaxis] * outer
    axes = (np.eye(3) - outer) / angle[..., np.newaxis]  # of k by the rotation vector, symmetric
    by_angle = -away * s + crossed * c + k * (along * s)
    by_axis = (1.0 - c)[..., np.newaxis] * (
        along[..., np.newaxis] * np.eye(3) + k[:, :, np.newaxis] * away[:, np.newaxis]
    )
    by_axis[:, [2, 0, 1], [1, 2, 0]] -= s * away[:, [0, 1, 2]]
    by_axis[:, [1, 2, 0], [2, 0, 1]] += s * away[:, [0, 1, 2]]
    by_turn = by_axis @ axes + by_angle[:, :, np.newaxis] * k[:, np.newaxis]

    by_camera, by_point, by_weight = np.zeros((n, 2, 11)), by_local @ rotation, np.empty((n, 2))
    image = q * stretch
    by_camera[:, :, :3] = by_local @ by_turn
    by_camera[:, :, 3:6] = -by_point
    by_camera[:, :, 6] = w * image
    by_camera[:, [0, 1], [7, 8]] = w
    by_camera[:, :, 9] = w * focal * q * square
    by_camera[:, :, 10] = w * focal * q * square**2
    by_weight[:] = image * focal + cameras[:, 7:9] - features
    return by_camera, by_point, by_weight


# By hand, in loops --------------------------------------------------------------------------------------------------


def residuals_loops(cameras, points, weights, seen, features):
    """The residuals."""
    errors = np.empty((len(seen), 2))
    for i in range(len(seen)):
        camera, point = cameras[seen[i, 0]], points[seen[i, 1]]
        angle = np.sqrt(camera[0] ** 2 + camera[1] ** 2 + camera[2] ** 2)
        c, s = np.cos(angle), np.sin(angle)
        kx, ky, kz = camera[0] / angle, camera[1] / angle, camera[2] / angle
        x, y, z = point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]
        along = (kx * x + ky * y + kz * z) * (1.0 - c)
        depth = z * c + (kx * y - ky * x) * s + kz * along
        qx = (x * c + (ky * z - kz * y) * s + kx * along) / depth
        qy = (y * c + (kz * x - kx * z) * s + ky * along) / depth
        square = qx * qx + qy * qy
        scale = camera[6] * (1.0 + camera[9] * square + camera[10] * square * square)
        errors[i, 0] = weights[i] * (scale * qx + camera[7] - features[i, 0])
        errors[i, 1] = weights[i] * (scale * qy + camera[8] - features[i, 1])
    return errors, 1.0 - weights**2


def blocks_loops(cameras, points, weights, seen, features):
    """The blocks, one after the other."""
    n = len(seen)
    by_camera, by_point, by_weight = np.zeros((n, 2, 11)), np.empty((n, 2, 3)), np.empty((n, 2))
    rotation, by_turn, by_local = np.empty((3, 3)), np.empty((3, 3)), np.empty((2, 3))
    k, away, crossed, by_angle, by_axis = np.empty((5, 3))
    q = np.empty(2)
    for i in range(n):
        camera, point, w = cameras[seen[i, 0]], points[seen[i, 1]], weights[i]
        angle = np.sqrt(camera[0] ** 2 + camera[1] ** 2 + camera[2] ** 2)
        c, s = np.cos(angle), np.sin(angle)
        along = 0.0
        for j in range(3):
            k[j] = camera[j] / angle
            away[j] = point[j] - camera[3 + j]
            along += k[j] * away[j]
        crossed[0] = k[1] * away[2] - k[2] * away[1]
        crossed[1] = k[2] * away[0] - k[0] * away[2]
        crossed[2] = k[0] * away[1] - k[1] * away[0]
        depth = away[2] * c + crossed[2] * s + k[2] * along * (1.0 - c)
        for r in range(2):
            q[r] = (away[r] * c + crossed[r] * s + k[r] * along * (1.0 - c)) / depth
        square = q[0] * q[0] + q[1] * q[1]
        focal, k1, k2 = camera[6], camera[9], camera[10]
        stretch = 1.0 + k1 * square + k2 * square * square
        slope, unit = 2.0 * k1 + 4.0 * k2 * square, w * focal / depth
        for r in range(2):
            by_local[r, 0] = unit * slope * q[r] * q[0]
            by_local[r, 1] = unit * slope * q[r] * q[1]
            by_local[r, r] += unit * stretch
            by_local[r, 2] = -(by_local[r, 0] * q[0] + by_local[r, 1] * q[1])
        for a in range(3):
            by_angle[a] = crossed[a] * c + (k[a] * along - away[a]) * s
            for b in range(3):
                rotation[a, b] = (1.0 - c) * k[a] * k[b]
            rotation[a, a] += c
        for a, b, e in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            rotation[b, a] += s * k[e]
            rotation[a, b] -= s * k[e]
        for a in range(3):
            after, last = (a + 1) % 3, (a + 2) % 3
            dot = 0.0
            for b in range(3):
                by_axis[b] = (1.0 - c) * k[a] * away[b]
            by_axis[a] += (1.0 - c) * along
            by_axis[after] += s * away[last]
            by_axis[last] -= s * away[after]
            for b in range(3):
                dot += by_axis[b] * k[b]
            for b in range(3):
                by_turn[a, b] = (by_axis[b] - dot * k[b]) / angle + by_angle[a] * k[b]
        for r in range(2):
            for b in range(3):
                by_camera[i, r, b] = (
                    by_local[r, 0] * by_turn[0, b] + by_local[r, 1] * by_turn[1, b] + by_local[r, 2] * by_turn[2, b]
                )
                by_point[i, r, b] = (
                    by_local[r, 0] * rotation[0, b] + by_local[r, 1] * rotation[1, b] + by_local[r, 2] * rotation[2, b]
                )
                by_camera[i, r, 3 + b] = -by_point[i, r, b]
            by_camera[i, r, 6] = w * q[r] * stretch
            by_camera[i, r, 7 + r] = w
            by_camera[i, r, 9] = w * focal * q[r] * square
            by_camera[i, r, 10] = w * focal * q[r] * square * square
            by_weight[i, r] = q[r] * stretch * focal + camera[7 + r] - features[i, r]
    return by_camera, by_point, by_weight


def _compiled(function):
    """A peer that takes the observations as an array."""

    def build(cameras, points, weights, observations, features):
        return by_numba(function)(cameras, points, weights, np.array(observations), features)

    return build


# Other libraries ----------------------------------------------------------------------------------------------------


def reprojected(xp, cross):
    """One weighted error, for a module of array functions; no rotation is so small as to need its limit."""

    def function(camera, point, weight, feature):
        turn = camera[:3]
        angle = xp.sqrt((turn**2).sum())
        k, away = turn / angle, point - camera[3:6]
        cosine, sine = xp.cos(angle), xp.sin(angle)
        local = away * cosine + cross(k, away) * sine + k * ((k * away).sum() * (1.0 - cosine))
        q = local[:2] / local[2]
        square = (q**2).sum()
        image = q * (1.0 + camera[9] * square + camera[10] * square**2)
        return weight * (image * camera[6] + camera[7:9] - feature)

    return function


def _jax(*args):
    """Mapped over all observations."""
    jax = enable_jax()
    one = jax.jacfwd(reprojected(jax.numpy, jax.numpy.cross), (0, 1, 2))
    blocks = jax.jit(jax.vmap(one))
    inputs = [jax.numpy.asarray(a) for a in gathered(*args)]
    return lambda: jax.block_until_ready(blocks(*inputs))


def _torch(*args):
    """Mapped over all observations."""
    import torch

    torch.set_num_threads(1)
    one = reprojected(torch, lambda a, b: torch.linalg.cross(a, b))
    blocks = torch.func.vmap(torch.func.jacfwd(one, (0, 1, 2)))
    inputs = [torch.tensor(a) for a in gathered(*args)]
    return lambda: blocks(*inputs)


def _autograd(*args):
    """One observation after the other, in reverse mode since two numbers come out."""
    import autograd
    import autograd.numpy as np

    def cross(a, b):
        return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])

    function = reprojected(np, cross)
    one = autograd.jacobian(lambda v, feature: function(v[:11], v[11:14], v[14], feature))
    cameras, points, weights, features = gathered(*args)
    rows = np.concatenate((cameras, points, weights[:, None]), axis=1)

    def run():
        blocks = np.array([one(row, feature) for row, feature in zip(rows, features)])
        return blocks[:, :, :11], blocks[:, :, 11:14], blocks[:, :, 14]

    return run


def _casadi(casadi, *args):
    """The Jacobian of one reprojection as scalar code, mapped."""
    cameras, points, weights, features = gathered(*args)
    camera, point = casadi.SX.sym("c", 11), casadi.SX.sym("p", 3)
    weight, feature = casadi.SX.sym("w"), casadi.SX.sym("f", 2)
    turn = camera[:3]
    angle = casadi.norm_2(turn)
    k, away = turn / angle, point - camera[3:6]
    cosine, sine = casadi.cos(angle), casadi.sin(angle)
    local = away * cosine + casadi.cross(k, away) * sine + k * (casadi.dot(k, away) * (1.0 - cosine))
    q = local[:2] / local[2]
    square = casadi.sumsqr(q)
    error = weight * (q * (1.0 + camera[9] * square + camera[10] * square**2) * camera[6] + camera[7:9] - feature)
    blocks = [casadi.densify(casadi.jacobian(error, x)).T for x in (camera, point, weight)]  # columns are rows here
    one = casadi.Function("block", [camera, point, weight, feature], blocks)
    return one.map(len(cameras)), [cameras, points, weights, features]


BUNDLE = Program(
    name="bundle adjustment",
    stresses="forward mode, small dense maths",
    function=residuals,
    make_args=make_problem,
    sizes=((3, 8), (10, 100)),
    tiny=(2, 3),
    kind="loop",
    mode="jacobian",
    derivative=block_by_block,
    peers={
        "hand": by_numpy(blocks_by_hand),
        "hand numba": _compiled(blocks_loops),
        "jax": _jax,
        "torch": _torch,
        "autograd": _autograd,
        "casadi": by_casadi(_casadi),
    },
    loops=_compiled(residuals_loops),
)
