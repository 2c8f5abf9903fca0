"""jvp of schroedinger, from programs.py:279."""

import math
import numpy as np


def schroedinger_jvp(potential, psi, dt, dpotential, dpsi, ddt):
    k = 2.0 * np.pi * np.fft.fftfreq(psi.size)
    for _ in range(3):
        t = -1j
        t_1 = t * dt
        t_2 = np.exp(t_1 * potential)
        psi_1 = psi * t_2
        t_3 = -0.5j
        t_4 = k**2
        t_5 = np.exp(t_3 * dt * t_4)
        t_6 = np.fft.fft(psi_1)
        d = t_5 * np.fft.fft(
            t_2 * dpsi + psi * (t_2 * (potential * (t * ddt) + t_1 * dpotential))
        )
        dpsi = np.fft.ifft(t_6 * (t_5 * (t_4 * (t_3 * ddt))) + d)
        psi = np.fft.ifft(t_5 * t_6)
    t = np.abs(psi)
    t_1 = t**2
    d = potential * (2 * t * np.real(np.conjugate(_quotient(psi, t)) * dpsi))
    dresult = np.sum(t_1 * dpotential + d)
    return np.sum(potential * t_1), dresult


def _quotient(x, y):
    """x / y, and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return np.where(np.equal(y, 0.0), 0.0, x / np.where(np.equal(y, 0.0), 1.0, y))
    return x / (y or math.inf)
