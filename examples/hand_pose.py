"""The residual between a posed hand and observed points.

A skeleton of bones, each with a rotation relative to its parent, moves the vertices of a mesh by linear blend
skinning. The pose is 26 numbers: rotation (3) and position (3) of the wrist, then for each of five fingers a sideways
angle and three bends. Run ``python -m examples.hand_pose``.
"""

from dataclasses import dataclass

import numpy as np

FINGERS = 5
JOINTS = 3
POSE_SIZE = 6 + FINGERS * (1 + JOINTS)


@dataclass(frozen=True)
class Hand:
    """The hand at rest."""

    parents: list  # of each bone; -1 for the wrist
    offsets: np.ndarray  # (bones, 3): where each bone begins, seen from its parent
    anchors: np.ndarray  # (bones, 3): where each bone begins, seen from the wrist, at rest
    vertices: np.ndarray  # (n, 3): the mesh at rest
    weights: np.ndarray  # (n, bones): how much each vertex follows each bone; rows add to one


def make_hand(seed=0):
    """Return a hand with straight fingers and a few vertices around each bone."""
    rng = np.random.default_rng(seed)
    parents, offsets = [-1], [np.zeros(3)]
    for finger in range(FINGERS):
        for joint in range(JOINTS):
            parents.append(0 if joint == 0 else len(parents) - 1)
            offsets.append(np.array([0.4 * (finger - 2), 1.0, 0.0]) if joint == 0 else np.array([0.0, 0.45, 0.0]))
    anchors = []
    for parent, offset in zip(parents, offsets):
        anchors.append(offset if parent < 0 else anchors[parent] + offset)
    vertices, weights = [], []
    for bone, parent in enumerate(parents):
        for _ in range(2):
            row = np.zeros(len(parents))
            row[bone] = 0.75
            row[max(parent, 0)] += 0.25
            vertices.append(anchors[bone] + 0.1 * rng.normal(size=3) + np.array([0.0, 0.2, 0.0]))
            weights.append(row)
    return Hand(parents, np.array(offsets), np.array(anchors), np.array(vertices), np.array(weights))


def rotation_from_vector(v):
    """The rotation matrix of a rotation vector."""
    angle = np.sqrt(np.sum(v**2))
    if angle < 1e-8:
        return np.eye(3)
    x, y, z = v / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)


def rotation_from_angles(sideways, bend):
    """Turn about z by ``sideways``, after a turn about x by ``bend``."""
    cs, ss, cb, sb = np.cos(sideways), np.sin(sideways), np.cos(bend), np.sin(bend)
    return np.array([[cs, -ss * cb, ss * sb], [ss, cs * cb, -cs * sb], [0.0, sb, cb]])


def bone_rotations(pose):
    """The rotation of each bone relative to its parent, wrist first."""
    rotations = [rotation_from_vector(pose[:3])]
    for finger in range(FINGERS):
        sideways, *bends = pose[6 + 4 * finger : 10 + 4 * finger]
        for joint, bend in enumerate(bends):
            rotations.append(rotation_from_angles(sideways if joint == 0 else 0.0, bend))
    return rotations


def pose_vertices(pose, hand):
    """Where the vertices of the mesh are in this pose."""
    rotations, origins = [], []
    for bone, rotation in enumerate(bone_rotations(pose)):
        parent = hand.parents[bone]
        if parent < 0:
            rotations.append(rotation)
            origins.append(pose[3:6] + hand.offsets[bone])
        else:
            rotations.append(rotations[parent] @ rotation)
            origins.append(origins[parent] + rotations[parent] @ hand.offsets[bone])
    posed = np.zeros_like(hand.vertices)
    for bone, (rotation, origin) in enumerate(zip(rotations, origins)):
        moved = (hand.vertices - hand.anchors[bone]) @ rotation.T + origin
        posed += hand.weights[:, bone, np.newaxis] * moved
    return posed


def residual(pose, hand, correspondences, points):
    """Observed points minus the vertices they belong to, (n, 3)."""
    return points - pose_vertices(pose, hand)[correspondences]


def objective(pose, hand, correspondences, points):
    """Half the sum of squared residuals."""
    return 0.5 * np.sum(residual(pose, hand, correspondences, points) ** 2)


def make_problem(seed=0):
    """Return a start pose, the hand, and points observed of another pose."""
    rng = np.random.default_rng(seed)
    hand = make_hand(seed)
    target = 0.3 * rng.normal(size=POSE_SIZE)
    correspondences = rng.integers(0, len(hand.vertices), size=40)
    points = pose_vertices(target, hand)[correspondences] + 0.01 * rng.normal(size=(40, 3))
    return target + 0.2 * rng.normal(size=POSE_SIZE), hand, correspondences, points


def main():
    """Fit the pose by Gauss-Newton steps, with the Jacobian of the residual."""
    from s2sad import jacobian

    pose, hand, correspondences, points = make_problem()
    jacobian_of_residual = jacobian(residual, mode="forward")
    for step in range(5):
        errors = residual(pose, hand, correspondences, points).ravel()
        print(f"step {step}  error {0.5 * np.sum(errors**2):.6f}")
        J = jacobian_of_residual(pose, hand, correspondences, points).reshape(errors.size, POSE_SIZE)
        pose = pose - np.linalg.solve(J.T @ J + 1e-4 * np.eye(POSE_SIZE), J.T @ errors)


if __name__ == "__main__":
    main()
