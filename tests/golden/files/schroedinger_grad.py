"""grad of schroedinger, from programs.py:279."""

import math
import numpy as np


def schroedinger_grad(potential, psi, dt):
    tape = []
    k = 2.0 * np.pi * np.fft.fftfreq(psi.size)
    for _ in range(3):
        d = np.exp(-(1j * dt * potential))
        psi_1 = psi * d
        t = k**2
        d_1 = np.exp(-(0.5j * dt * t))
        t_1 = np.fft.fft(psi_1)
        tape.append((psi, d, t, d_1, t_1))
        psi = np.fft.ifft(d_1 * t_1)
    t = np.abs(psi)
    t_1 = t**2
    # return np.sum(potential * np.abs(psi) ** 2)
    bpotential = _unbroadcast(t_1, potential).copy()
    bpsi = _unbroadcast(potential, t_1) * (2 * t) * np.conjugate(_quotient(psi, t))
    bdt = 0.0
    for psi, t_3, t, t_1, t_2 in reversed(tape):
        t_4 = -1j
        d = t_4 * dt
        t_5 = -0.5j
        # psi = np.fft.ifft(np.exp(-0.5j * dt * k**2) * np.fft.fft(psi))
        moved = np.fft.ifft(bpsi)
        moved_1 = np.fft.fft(_unbroadcast(moved * t_1, t_2))
        bdt += np.real(
            _unbroadcast(_unbroadcast(moved * t_2, t_1) * t_1 * t, t_5 * dt) * t_5
        )
        # psi = psi * np.exp(-1j * dt * potential)
        bpsi = _unbroadcast(moved_1 * t_3, psi)
        t = _unbroadcast(moved_1 * psi, t_3) * t_3
        d_1 = _unbroadcast(t * potential, d)
        bpotential += np.real(t * d)
        bdt += np.real(d_1 * t_4)
    # for _ in range(3):
    return bpotential, np.real(bpsi), bdt


def _cast(x, like):
    """x with the floating type of like, its real part where that is real; a scalar where like is one, else an array."""
    if isinstance(like, np.ndarray):
        kind = like.dtype.kind
        return np.asarray(
            np.real(x) if kind == "f" else x, like.dtype if kind in "fc" else None
        )
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x[()]
    if isinstance(like, (float, np.floating)):
        x = x.real
    if isinstance(x, np.ndarray):
        return x
    if isinstance(like, np.inexact):
        return type(like)(x)
    is_narrow = isinstance(x, np.inexact) and not isinstance(x, (float, complex))
    return x.item() if is_narrow and isinstance(like, (float, complex)) else x


def _quotient(x, y):
    """x / y, and zero where y is zero."""
    if isinstance(y, np.ndarray):
        return np.where(np.equal(y, 0.0), 0.0, x / np.where(np.equal(y, 0.0), 1.0, y))
    return x / (y or math.inf)


def _unbroadcast(x, like):
    """x summed over the axes along which like was stretched, or repeated up to its shape."""
    if (
        type(x) is type(like) is np.ndarray
        and x.shape == like.shape
        and x.dtype == like.dtype
    ):
        return x
    shape, size = np.shape(like), np.shape(x)
    if size == () != shape:
        x = np.full(shape, x)
    elif size != shape:
        extra = len(size) - len(shape)
        if extra < 0 or [
            n for n, m in zip(shape, size[extra:], strict=True) if n not in (m, 1)
        ]:
            x = np.broadcast_to(x, np.broadcast_shapes(size, shape))
            size, extra = x.shape, x.ndim - len(shape)
        axes = [k for k, n in enumerate(shape, extra) if n != size[k]]
        x = np.add.reduce(x, axis=(*range(extra), *axes)).reshape(shape)
    return _cast(x, like)
