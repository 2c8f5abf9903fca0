"""The log-likelihood of a linear state-space model, by the Kalman filter.

Run ``python -m examples.kalman``.
"""

import math
from dataclasses import dataclass

import numpy as np


@dataclass
class StateSpace:
    """``x' = F x + noise of covariance Q``, observed as ``y = H x + noise of covariance R``."""

    F: np.ndarray
    H: np.ndarray
    Q: np.ndarray
    R: np.ndarray


def predict(model, mean, covariance):
    """Move the state's distribution one step ahead."""
    return model.F @ mean, model.F @ covariance @ model.F.T + model.Q


def update(model, mean, covariance, y):
    """Condition on an observation; return the new distribution and the observation's log-density."""
    innovation = y - model.H @ mean
    S = model.H @ covariance @ model.H.T + model.R
    gain = np.linalg.solve(S, model.H @ covariance).T
    _, log_det = np.linalg.slogdet(S)
    distance = innovation @ np.linalg.solve(S, innovation)
    log_density = -0.5 * (distance + log_det + len(y) * math.log(2.0 * math.pi))
    return mean + gain @ innovation, covariance - gain @ model.H @ covariance, log_density


def log_likelihood(model, mean, covariance, observations):
    """The log-density of all observations; ``mean`` and ``covariance`` describe the state at the first."""
    total = 0.0
    for t, y in enumerate(observations):
        if t > 0:
            mean, covariance = predict(model, mean, covariance)
        mean, covariance, log_density = update(model, mean, covariance, y)
        total += log_density
    return total


def tracking_model(dt, drive, blur):
    """A point of nearly constant velocity whose position is seen blurred."""
    F = np.array([[1.0, dt], [0.0, 1.0]])
    H = np.array([[1.0, 0.0]])
    Q = drive**2 * np.array([[dt**3 / 3.0, dt**2 / 2.0], [dt**2 / 2.0, dt]])
    R = np.array([[blur**2]])
    return StateSpace(F, H, Q, R)


def tracking_likelihood(log_scales, observations):
    """The log-likelihood as a function of the logarithms of drive and blur."""
    drive, blur = np.exp(log_scales)
    return log_likelihood(tracking_model(0.5, drive, blur), np.zeros(2), np.eye(2), observations)


def make_observations(count=25, seed=0):
    """Return a noisy track, one row per time."""
    rng = np.random.default_rng(seed)
    position, velocity = 0.0, 1.0
    rows = []
    for _ in range(count):
        velocity += 0.3 * rng.normal()
        position += 0.5 * velocity
        rows.append([position + 0.2 * rng.normal()])
    return np.array(rows)


def main():
    """Estimate how driven and how blurred a track is."""
    from s2sad import value_and_grad

    observations = make_observations()
    log_scales = np.zeros(2)
    ascend = value_and_grad(tracking_likelihood)
    for step in range(61):
        value, gradient = ascend(log_scales, observations)
        if step % 20 == 0:
            drive, blur = np.exp(log_scales)
            print(f"step {step:2d}  log-likelihood {value:.4f}  drive {drive:.3f}  blur {blur:.3f}")
        log_scales = log_scales + 0.02 * gradient


if __name__ == "__main__":
    main()
