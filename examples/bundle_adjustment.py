"""Bundle adjustment: the error of reprojecting 3-D points through cameras with radial distortion.

A camera is eleven numbers: rotation vector (3), centre (3), focal length, principal point (2), distortion (2).
Run ``python -m examples.bundle_adjustment``.
"""

import numpy as np


def rotate(rotation, point):
    """Rotate a point by the angle and axis of a rotation vector (Rodrigues' formula)."""
    squared = np.sum(rotation**2)
    if squared < 1e-16:
        return point + np.cross(rotation, point)
    angle = np.sqrt(squared)
    cosine, sine = np.cos(angle), np.sin(angle)
    x, y, z = rotation / angle
    axis = np.array([x, y, z])
    crossed = np.array([y * point[2] - z * point[1], z * point[0] - x * point[2], x * point[1] - y * point[0]])
    return point * cosine + crossed * sine + axis * (np.dot(axis, point) * (1.0 - cosine))


def distort(kappa, image_point):
    """Apply the radial distortion of the lens."""
    squared = np.sum(image_point**2)
    return image_point * (1.0 + kappa[0] * squared + kappa[1] * squared**2)


def project(camera, point):
    """Return where a camera sees a point."""
    rotation, centre = camera[:3], camera[3:6]
    focal, principal, kappa = camera[6], camera[7:9], camera[9:11]
    local = rotate(rotation, point - centre)
    return distort(kappa, local[:2] / local[2]) * focal + principal


def residuals(cameras, points, weights, observations, features):
    """Weighted reprojection errors (n, 2), and how far each weight is from one (n).

    ``observations`` holds a camera index and a point index per row; ``features`` where the point was seen.
    """
    n = len(observations)
    errors = np.zeros((n, 2))
    for k, (camera, point) in enumerate(observations):
        errors[k] = weights[k] * (project(cameras[camera], points[point]) - features[k])
    return errors, 1.0 - weights**2


def objective(cameras, points, weights, observations, features):
    """Half the sum of squared residuals."""
    errors, weight_errors = residuals(cameras, points, weights, observations, features)
    return 0.5 * (np.sum(errors**2) + np.sum(weight_errors**2))


def make_problem(camera_count=3, point_count=8, seed=0):
    """Return cameras, points, weights, observations and features of a small synthetic scene."""
    rng = np.random.default_rng(seed)
    cameras = np.zeros((camera_count, 11))
    cameras[:, :3] = 0.2 * rng.normal(size=(camera_count, 3))
    cameras[:, 3:6] = np.array([0.0, 0.0, -6.0]) + 0.5 * rng.normal(size=(camera_count, 3))
    cameras[:, 6] = 1.5
    cameras[:, 7:9] = 0.05 * rng.normal(size=(camera_count, 2))
    cameras[:, 9:] = 0.05 * rng.normal(size=(camera_count, 2))
    points = rng.normal(size=(point_count, 3))
    observations = [(i, j) for i in range(camera_count) for j in range(point_count) if (i + j) % 4 != 0]
    features = [project(cameras[i], points[j]) for i, j in observations]
    features = np.array(features) + 0.02 * rng.normal(size=(len(observations), 2))
    weights = 1.0 + 0.1 * rng.normal(size=len(observations))
    return cameras, points + 0.1 * rng.normal(size=points.shape), weights, observations, features


def main():
    """Refine the points and the weights by gradient descent."""
    from s2sad import value_and_grad

    cameras, points, weights, observations, features = make_problem()
    refine = value_and_grad(objective, wrt=("points", "weights"))
    for step in range(101):
        value, (d_points, d_weights) = refine(cameras, points, weights, observations, features)
        points, weights = points - 0.5 * d_points, weights - 0.1 * d_weights
        if step % 25 == 0:
            print(f"step {step:3d}  error {value:.6f}")


if __name__ == "__main__":
    main()
