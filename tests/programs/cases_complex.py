"""Real functions of real arguments that go by way of complex numbers: waves, spectra, circuits, quantum states."""

from __future__ import annotations

import cmath
import math

import numpy as np
from program import program

rng = np.random.default_rng(47)
x = rng.uniform(0.3, 0.9, 8)
A = rng.normal(size=(4, 4))
signal = rng.normal(size=16)
target = rng.normal(size=8) + 1j * rng.normal(size=8)
wavenumbers = 2.0 * np.pi * np.fft.fftfreq(8)
HOPPING = np.diag(np.ones(7), 1) + np.diag(np.ones(7), -1)


def split_step(potential, width):
    """The Schroedinger equation by Fourier transforms."""
    psi = np.exp(-((np.arange(8) - 3.5) ** 2) / width).astype(complex)
    for _ in range(5):
        psi = psi * np.exp(-0.1j * potential)
        psi = np.fft.ifft(np.exp(-0.05j * wavenumbers**2) * np.fft.fft(psi))
    return np.sum(potential * np.abs(psi) ** 2)


def crank_nicolson(potential):
    """The same by linear solves."""
    H = np.diag(potential) - 0.5 * HOPPING
    psi = np.ones(8, dtype=complex)
    for _ in range(3):
        psi = np.linalg.solve(np.eye(8) + 0.05j * H, (np.eye(8) - 0.05j * H) @ psi)
    overlap = np.vdot(target, psi)
    return overlap.real**2 + overlap.imag**2


def power_spectrum(y):
    return np.sum(np.abs(np.fft.rfft(y)) ** 2 * np.arange(len(y) // 2 + 1))


def filtered(y, cutoff):
    spectrum = np.fft.rfft(y)
    kept = 1.0 / (1.0 + 1j * np.arange(len(spectrum)) / cutoff)
    return np.sum(np.fft.irfft(spectrum * kept, len(y)) ** 2)


def spectral_derivative(y, dx):
    k = 2j * np.pi * np.fft.fftfreq(len(y), d=dx)
    dy = np.real(np.fft.ifft(k * np.fft.fft(y)))
    return np.sum(dy**2)


def convolved_by_spectra(y, kernel):
    return np.fft.irfft(np.fft.rfft(y, 24) * np.fft.rfft(kernel, 24), 24)[3:19]


def plane_waves(A):
    spectrum = np.fft.fftshift(np.fft.fft2(A, norm="ortho"))
    return np.sum(np.abs(spectrum[1:, :3]) * np.angle(spectrum + 3.0)[1:, :3])


def impedance(r, l, c, w):
    z = r + 1j * w * l + 1.0 / (1j * w * c)
    return abs(z) * cmath.phase(z)


def phasors(amplitudes, phases):
    total = 0j
    for a, p in zip(amplitudes, phases, strict=True):
        total += cmath.rect(a, p)
    r, phi = cmath.polar(total)
    return r * r + phi


def filled_in_place(x):
    z = np.zeros(len(x), dtype=complex)
    for i in range(len(x)):
        z[i] = x[i] * np.exp(2j * i)
        if i > 1:
            z[i] += z[i - 1] * z[i - 2]
    z[2:5] *= x[2:5]
    z.real[0] = x[3] ** 2
    return np.sum(z.real**2 + z.imag**3) + abs(z[-1])


def escape(c_real, c_imag):
    c = complex(c_real, c_imag)
    z, n = 0j, 0
    while abs(z) < 2.0 and n < 12:
        z = z * z + c
        n += 1
    return abs(z) + z.imag * n


def real_or_complex(y, n):
    z = y if y > 0.5 else 1j * y
    total = 0.0
    for k in range(n):
        total = total + z**k / (k + 1)
    return (total * total.conjugate()).real + np.imag(total)


def becomes_complex(x):
    state = np.sqrt(x)
    for k in range(3):
        state = state * np.exp(0.3j * k * x) + x
    return np.sum(np.abs(state) ** 2)


def lists_of_both(xs):
    zs = [xs[0]]
    for v in xs[1:]:
        zs.append(zs[-1] * v * (1.0 + 1j))
    joined = np.array(zs)
    return abs(sum(zs)) ** 2 + np.linalg.norm(joined)


def joined_with_real(x, y):
    z = np.concatenate([x, y * 1j, np.stack([x, 1j * y])[1]])
    w = np.where(np.abs(z) > 0.5, z * z, x[0])
    return np.sum(np.real(w)) + np.sum(np.imag(w) ** 2) + np.linalg.norm(z)


def stretched(A, v):
    w = A[:, :, None] * np.exp(1j * v) + v
    return np.real(np.sum(w * np.conj(w), axis=(0, 2))) @ A[0, :4] + np.var(w) + np.std(w * v)


def roots_of_a_quadratic(a, b, c):
    d = cmath.sqrt(b * b - 4.0 * a * c)
    r, s = (-b + d) / (2.0 * a), (-b - d) / (2.0 * a)
    return r.real**3 + s.imag + (r * s).real


def recursive_transform(x):
    """Cooley and Tukey's transform, as a function that calls itself."""

    def transform(z):
        n = len(z)
        if n == 1:
            return z
        even, odd = transform(z[::2]), transform(z[1::2])
        turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
        return np.concatenate([even + turned, even - turned])

    return np.sum(np.abs(transform(x.astype(complex))) ** 2 * np.arange(len(x)))


def density_matrix(A):
    H = A + 1j * (A - A.T)
    rho = H @ np.conj(H.T)
    rho = rho / np.trace(rho).real
    return np.real(np.trace(rho @ rho)) + np.real(np.linalg.det(rho + np.eye(4)))


def several_parts(y):
    z = np.exp(y * (0.3 + 1j))
    return {"real": z.real, "power": abs(z) ** 2, "phase": np.angle(z)}


def characteristic_function(mu, sigma, t):
    phi = np.exp(1j * mu * t - 0.5 * (sigma * t) ** 2)
    return np.trapezoid(np.real(np.exp(-0.4j * t) * phi), t) / math.pi


def _scattered(size, n):
    """Coefficients by a recurrence, up to an order; a table that nobody stores into is made on the way."""
    orders = np.arange(1.0, n + 1.0)
    orders.setflags(write=False)
    a = np.zeros(n, dtype=np.complex128)
    if size < 0.0:
        return a
    previous = np.cos(size) + 1j * np.sin(size)
    for k in range(n):
        previous = previous / (orders[k] + 1j * size)
        a[k] = previous
    return np.conjugate(a)


def conjugates_of_what_branches_give(size):
    a = _scattered(size, 4)
    return np.sum((a[:-1] * a[1:].conjugate()).real) + np.sum(np.abs(a) ** 2)


def derived_within(y):
    import s2sad

    slope = s2sad.grad(lambda u: abs(cmath.exp((1.0 + 2j) * u) + 1.0))(y)
    return slope * slope


def growth_rate(A):
    """How fast the least stable mode of a linear system grows, and turns."""
    values = np.linalg.eigvals(A)
    k = np.argmax(values.real)
    return values[k].real + 0.3 * np.abs(values[k].imag)


def mode_shapes(A):
    values, shapes = np.linalg.eig(A)
    weights = np.abs(shapes) ** 2
    return np.sum(weights[0] * np.arange(len(A))) + np.sum(np.imag(values) ** 2)


def band_structure(k, gap):
    hop = 1.0 + np.exp(-1j * k)
    H = np.array([[gap, hop], [np.conj(hop), -gap]])
    return np.linalg.eigvalsh(H)[1] ** 2 - np.linalg.eigvalsh(H)[0]


def farthest_root(p):
    return np.max(np.abs(np.roots(p)))


def escaped(x, y):
    z = np.zeros(x.shape, dtype=complex)
    for _ in range(3):
        inside = abs(z) < 2.0
        z[inside] = z[inside] ** 2 + (x + 1j * y)[inside]
    return np.sum(abs(z) ** 2)


PROGRAMS = [
    program(escaped, np.array([-0.5, 0.3]), np.array([0.2, 0.4])),
    program(split_step, x, 3.0),
    program(crank_nicolson, x),
    program(power_spectrum, signal),
    program(power_spectrum, signal[:7].copy(), name="power_spectrum_of_odd_length"),
    program(filtered, signal, 3.0),
    program(filtered, signal[:9].copy(), 3.0, name="filtered_of_odd_length"),
    program(spectral_derivative, signal, 0.4),
    program(convolved_by_spectra, signal, x),
    program(plane_waves, A),
    program(impedance, 2.0, 0.3, 0.7, 1.4),
    program(phasors, [0.5, 1.2, 0.8], [0.1, 1.4, -0.6]),
    program(filled_in_place, x),
    program(escape, 0.3, 0.55),
    program(real_or_complex, 0.7, 4),
    program(real_or_complex, 0.4, 4, name="real_or_complex_being_complex"),
    program(becomes_complex, x),
    program(lists_of_both, [0.4, 0.7, 1.2, 0.3]),
    program(joined_with_real, x[:3].copy(), x[3:6].copy()),
    program(stretched, A, x[:5].copy()),
    program(roots_of_a_quadratic, 1.3, 0.4, 2.0),
    program(roots_of_a_quadratic, 1.3, 4.4, 2.0, name="roots_of_a_quadratic_being_real"),
    program(recursive_transform, x),
    program(density_matrix, A),
    program(several_parts, 0.7),
    program(characteristic_function, 0.7, 0.9, np.linspace(-2.0, 2.0, 9)),
    program(growth_rate, A),
    program(growth_rate, np.diag([1.0, 0.3, -0.4]) + 0.01, name="growth_rate_that_is_real"),
    program(mode_shapes, A),
    program(band_structure, 0.7, 0.3),
    program(farthest_root, np.array([1.0, -0.3, 2.0, -1.0])),
    program(derived_within, 0.3),
    program(conjugates_of_what_branches_give, 1.3),
]
