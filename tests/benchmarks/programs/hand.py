"""The hand pose: a forward Jacobian of many residuals by 26 numbers.

By hand: turning a joint moves all that hangs on it like a rigid body, so a column of the Jacobian is a cross product
with the joint's axis, or here the product with ``dR R'``, of what hangs there seen from the joint.
"""

from __future__ import annotations

import numpy as np

from examples.hand_pose import FINGERS, JOINTS, POSE_SIZE, Hand, bone_rotations, make_hand, pose_vertices, residual
from tests.benchmarks.peers import by_casadi, by_jax, by_numba, by_numpy
from tests.benchmarks.program import Program

__all__ = ["HAND"]


def make_args(copies, observations):
    """A hand with so many times the vertices of the example, and points seen of some of them."""
    rng = np.random.default_rng(0)
    hand = make_hand()
    vertices = np.concatenate([hand.vertices + 0.05 * rng.normal(size=hand.vertices.shape) for _ in range(copies)])
    hand = Hand(hand.parents, hand.offsets, hand.anchors, vertices, np.concatenate([hand.weights] * copies))
    target = 0.3 * rng.normal(size=POSE_SIZE)
    seen = rng.integers(0, len(vertices), size=observations)
    points = pose_vertices(target, hand)[seen] + 0.01 * rng.normal(size=(observations, 3))
    return target + 0.2 * rng.normal(size=POSE_SIZE), hand, seen, points


# By hand, in array operations ---------------------------------------------------------------------------------------


def wrist_slopes(v):
    """The derivatives of the rotation matrix of a rotation vector by its three numbers."""
    angle = np.sqrt(np.sum(v**2))
    k = v / angle
    c, s = np.cos(angle), np.sin(angle)
    spin = np.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
    square = spin @ spin
    slopes = np.empty((3, 3, 3))
    for i in range(3):
        d = -k * k[i] / angle
        d[i] += 1.0 / angle
        turn = np.array([[0.0, -d[2], d[1]], [d[2], 0.0, -d[0]], [-d[1], d[0], 0.0]])
        slopes[i] = k[i] * (c * spin + s * square) + s * turn + (1.0 - c) * (turn @ spin + spin @ turn)
    return slopes


def joint_slopes(sideways, bend):
    """The derivatives of a joint's rotation by its two angles."""
    cs, ss, cb, sb = np.cos(sideways), np.sin(sideways), np.cos(bend), np.sin(bend)
    by_sideways = np.array([[-ss, -cs * cb, cs * sb], [cs, -ss * cb, ss * sb], [0.0, 0.0, 0.0]])
    by_bend = np.array([[0.0, ss * sb, ss * cb], [0.0, -cs * sb, -cs * cb], [0.0, cb, -sb]])
    return by_sideways, by_bend


def jacobian_by_hand(pose, hand, seen, points):
    """The Jacobian, a column of all observations at a time."""
    relative = bone_rotations(pose)
    rotations, origins = [relative[0]], [pose[3:6] + hand.offsets[0]]
    for bone in range(1, len(relative)):
        parent = hand.parents[bone]
        rotations.append(rotations[parent] @ relative[bone])
        origins.append(origins[parent] + rotations[parent] @ hand.offsets[bone])
    weights, vertices = hand.weights[seen], hand.vertices[seen]
    parts = np.empty((len(rotations), len(seen), 3))
    for bone, (rotation, origin) in enumerate(zip(rotations, origins)):
        moved = (vertices - hand.anchors[bone]) @ rotation.T + origin
        parts[bone] = weights[:, bone, np.newaxis] * moved
    J = np.zeros((len(seen), 3, POSE_SIZE))
    shares = weights.sum(axis=1)[:, np.newaxis]
    from_wrist = parts.sum(axis=0) - shares * origins[0]
    for i, slope in enumerate(wrist_slopes(pose[:3])):
        J[:, :, i] = -from_wrist @ (slope @ rotations[0].T).T
        J[:, i, 3 + i] = -shares[:, 0]
    for finger in range(FINGERS):
        hanging, share = 0.0, 0.0
        for joint in range(JOINTS - 1, -1, -1):
            bone, first = 1 + JOINTS * finger + joint, 6 + (JOINTS + 1) * finger
            hanging = hanging + parts[bone]
            share = share + weights[:, bone, np.newaxis]
            before = rotations[hand.parents[bone]]
            from_joint = hanging - share * origins[bone]
            slopes = joint_slopes(pose[first] if joint == 0 else 0.0, pose[first + 1 + joint])
            J[:, :, first + 1 + joint] = -from_joint @ (before @ slopes[1] @ rotations[bone].T).T
            if joint == 0:
                J[:, :, first] = -from_joint @ (before @ slopes[0] @ rotations[bone].T).T
    return J


# By hand, in loops --------------------------------------------------------------------------------------------------


def wrist_rotation(v):
    """The rotation of the wrist; no vector is so small as to need its limit."""
    angle = np.sqrt(np.sum(v**2))
    x, y, z = v / angle
    spin = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * spin + (1.0 - np.cos(angle)) * (spin @ spin)


def joint_rotation(sideways, bend):
    """The rotation of a joint."""
    cs, ss, cb, sb = np.cos(sideways), np.sin(sideways), np.cos(bend), np.sin(bend)
    return np.array([[cs, -ss * cb, ss * sb], [ss, cs * cb, -cs * sb], [0.0, sb, cb]])


def skeleton(pose, parents, offsets):
    """Rotations and origins of all bones."""
    count = len(parents)
    rotations, origins = np.empty((count, 3, 3)), np.empty((count, 3))
    rotations[0], origins[0] = wrist_rotation(pose[:3]), pose[3:6] + offsets[0]
    for bone in range(1, count):
        finger, joint = (bone - 1) // 3, (bone - 1) % 3
        before = rotations[parents[bone]]
        sideways = pose[6 + 4 * finger] if joint == 0 else 0.0
        rotations[bone] = before @ joint_rotation(sideways, pose[7 + 4 * finger + joint])
        origins[bone] = origins[parents[bone]] + before @ offsets[bone]
    return rotations, origins


def place(out, vertex, anchor, rotation, origin):
    """Where a bone moves a vertex."""
    x, y, z = vertex[0] - anchor[0], vertex[1] - anchor[1], vertex[2] - anchor[2]
    for c in range(3):
        out[c] = rotation[c, 0] * x + rotation[c, 1] * y + rotation[c, 2] * z + origin[c]


def residual_loops(pose, parents, offsets, anchors, vertices, weights, seen, points):
    """The residuals; bones that do not move a vertex are skipped."""
    rotations, origins = skeleton(pose, parents, offsets)
    out, moved = points.copy(), np.empty(3)
    for i in range(len(seen)):
        for bone in range(len(parents)):
            w = weights[seen[i], bone]
            if w != 0.0:
                place(moved, vertices[seen[i]], anchors[bone], rotations[bone], origins[bone])
                for c in range(3):
                    out[i, c] -= w * moved[c]
    return out


def generators(pose, parents, rotations):
    """For each number of the pose but the position, ``dR R'`` of the rotation it turns."""
    found = np.zeros((len(pose), 3, 3))
    slopes = wrist_slopes(pose[:3])
    for i in range(3):
        found[i] = slopes[i] @ rotations[0].T
    for bone in range(1, len(parents)):
        finger, joint = (bone - 1) // 3, (bone - 1) % 3
        first = 6 + 4 * finger
        before = rotations[parents[bone]]
        by_sideways, by_bend = joint_slopes(pose[first] if joint == 0 else 0.0, pose[first + 1 + joint])
        found[first + 1 + joint] = before @ by_bend @ rotations[bone].T
        if joint == 0:
            found[first] = before @ by_sideways @ rotations[bone].T
    return found


def turn(J, i, column, generator, w, moved, origin):
    """Add to a column what turning a joint does to a part of a vertex."""
    x, y, z = moved[0] - origin[0], moved[1] - origin[1], moved[2] - origin[2]
    for c in range(3):
        J[i, c, column] -= w * (generator[c, 0] * x + generator[c, 1] * y + generator[c, 2] * z)


def jacobian_loops(pose, parents, offsets, anchors, vertices, weights, seen, points):
    """The Jacobian, an observation at a time."""
    rotations, origins = skeleton(pose, parents, offsets)
    G = generators(pose, parents, rotations)
    J, moved = np.zeros((len(seen), 3, len(pose))), np.empty(3)
    for i in range(len(seen)):
        for bone in range(len(parents)):
            w = weights[seen[i], bone]
            if w == 0.0:
                continue
            place(moved, vertices[seen[i]], anchors[bone], rotations[bone], origins[bone])
            for c in range(3):
                turn(J, i, c, G[c], w, moved, origins[0])
                J[i, c, 3 + c] -= w
            if bone > 0:
                first, joint = 6 + 4 * ((bone - 1) // 3), (bone - 1) % 3
                turn(J, i, first, G[first], w, moved, origins[bone - joint])
                for above in range(joint + 1):
                    turn(J, i, first + 1 + above, G[first + 1 + above], w, moved, origins[bone - joint + above])
    return J


def _compiled(function):
    """A peer that takes the hand as arrays."""

    def build(pose, hand, seen, points):
        arrays = np.array(hand.parents), hand.offsets, hand.anchors, hand.vertices, hand.weights
        return by_numba(function)(pose, *arrays, seen, points)

    return build


# Other libraries ----------------------------------------------------------------------------------------------------


def posed(xp, matrix, hand, seen, points):
    """The residual by functions of whole arrays; ``matrix`` makes one of nine numbers."""
    weights, vertices = hand.weights[seen], hand.vertices[seen]
    away = vertices[:, None] - hand.anchors  # (n, bones, 3)

    def function(pose):
        v = pose[:3]
        angle = xp.sqrt((v**2).sum())
        x, y, z = (v[i] / angle for i in range(3))
        zero = 0.0 * x
        spin = matrix([zero, -z, y, z, zero, -x, -y, x, zero])
        first = xp.array(np.eye(3)) + xp.sin(angle) * spin + (1.0 - xp.cos(angle)) * (spin @ spin)
        rotations, origins = [first], [pose[3:6] + hand.offsets[0]]
        cosines, sines = xp.cos(pose[6:]), xp.sin(pose[6:])
        for bone in range(1, len(hand.parents)):
            finger, joint = divmod(bone - 1, JOINTS)
            at = 4 * finger
            cs, ss = (cosines[at], sines[at]) if joint == 0 else (1.0 + zero, zero)
            cb, sb = cosines[at + 1 + joint], sines[at + 1 + joint]
            parent = hand.parents[bone]
            turn = matrix([cs, -ss * cb, ss * sb, ss, cs * cb, -cs * sb, zero, sb, cb])
            rotations.append(rotations[parent] @ turn)
            origins.append(origins[parent] + rotations[parent] @ hand.offsets[bone])
        moved = xp.einsum("bij,nbj->nbi", xp.stack(rotations), away) + xp.stack(origins)
        return points - xp.einsum("nb,nbi->ni", weights, moved)

    return function


def _jax(pose, hand, seen, points):
    def make():
        import jax.numpy as jnp

        return posed(jnp, lambda entries: jnp.stack(entries).reshape(3, 3), hand, seen, points)

    return by_jax(make, (0,), "jacfwd")(pose)


def _torch(pose, hand, seen, points):
    import torch

    torch.set_num_threads(1)
    arrays = (hand.offsets, hand.anchors, hand.vertices, hand.weights)
    hand = Hand(hand.parents, *map(torch.tensor, arrays))

    class Named:
        """Torch's functions by the names of the others."""

        sqrt, sin, cos, einsum, stack, array = torch.sqrt, torch.sin, torch.cos, torch.einsum, torch.stack, torch.tensor

    function = posed(Named, lambda entries: torch.stack(entries).reshape(3, 3), hand, seen, torch.tensor(points))
    derivative, start = torch.func.jacfwd(function), torch.tensor(pose)
    return lambda: derivative(start)


def _autograd(pose, hand, seen, points):
    """In forward mode, a direction at a time: there are fewer numbers in the pose than residuals."""
    import autograd
    import autograd.numpy as np

    function = posed(np, lambda entries: np.reshape(np.stack(entries), (3, 3)), hand, seen, points)
    along = autograd.make_jvp(function)(pose)
    return lambda: np.stack([along(direction)[1] for direction in np.eye(POSE_SIZE)], axis=-1)


def _casadi(casadi, pose, hand, seen, points):
    """Scalar code, with the bones that move no vertex left out."""
    p = casadi.SX.sym("pose", POSE_SIZE)

    def matrix(entries):
        return casadi.reshape(casadi.vertcat(*entries), 3, 3).T

    angle = casadi.norm_2(p[:3])
    x, y, z = (p[i] / angle for i in range(3))
    spin = matrix([0.0, -z, y, z, 0.0, -x, -y, x, 0.0])
    rotations = [casadi.SX.eye(3) + casadi.sin(angle) * spin + (1.0 - casadi.cos(angle)) * (spin @ spin)]
    origins = [p[3:6] + hand.offsets[0]]
    for bone in range(1, len(hand.parents)):
        finger, joint = divmod(bone - 1, JOINTS)
        s, b, parent = p[6 + 4 * finger] if joint == 0 else 0.0, p[7 + 4 * finger + joint], hand.parents[bone]
        cs, ss, cb, sb = casadi.cos(s), casadi.sin(s), casadi.cos(b), casadi.sin(b)
        rotations.append(rotations[parent] @ matrix([cs, -ss * cb, ss * sb, ss, cs * cb, -cs * sb, 0.0, sb, cb]))
        origins.append(origins[parent] + rotations[parent] @ hand.offsets[bone])
    errors = []
    for v, point in zip(seen, points):
        total = casadi.SX(point)
        for bone in np.flatnonzero(hand.weights[v]):
            moved = rotations[bone] @ (hand.vertices[v] - hand.anchors[bone]) + origins[bone]
            total = total - hand.weights[v, bone] * moved
        errors.append(total)
    J = casadi.densify(casadi.jacobian(casadi.vertcat(*errors), p))
    return casadi.Function("jacobian", [p], [J.T]), [pose]  # columns are rows here


HAND = Program(
    name="hand pose",
    stresses="forward mode, small dense maths",
    function=residual,
    make_args=make_args,
    sizes=((1, 40), (15, 500)),
    tiny=(1, 10),
    kind="loop",
    mode="jacobian",
    peers={
        "hand": by_numpy(jacobian_by_hand),
        "hand numba": _compiled(jacobian_loops),
        "jax": _jax,
        "torch": _torch,
        "autograd": _autograd,
        "casadi": by_casadi(_casadi),
    },
    loops=_compiled(residual_loops),
)
