"""Functions of matrices, and equations of control, of scipy.linalg: loaded once the user has imported that module."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from s2sad.rules.static import is_none
from s2sad.rules.table import composite, tangent

__all__: list[str] = []

# ---------------------------------------------------------------- functions of matrices


def both_exponentials(a: Any) -> Any:
    """exp(A) and exp(-A)."""
    return linalg.expm(a), linalg.expm(-a)


@composite(linalg.coshm)
def coshm(A: Any) -> Any:
    up, down = both_exponentials(A)
    return 0.5 * (up + down)


@composite(linalg.sinhm)
def sinhm(A: Any) -> Any:
    up, down = both_exponentials(A)
    return 0.5 * (up - down)


@composite(linalg.tanhm)
def tanhm(A: Any) -> Any:
    up, down = both_exponentials(A)
    return linalg.solve(up + down, up - down)


def turned(a: Any) -> Any:
    """exp(iA) of a real matrix, the real part above the imaginary one: by the exponential of a matrix twice as long."""
    zero = np.zeros_like(a)
    whole = np.concatenate((np.concatenate((zero, -a), 1), np.concatenate((a, zero), 1)))
    return linalg.expm(whole)[:, : len(a)]


@composite(linalg.cosm)
def cosm(A: Any) -> Any:
    return turned(A)[: len(A)]


@composite(linalg.sinm)
def sinm(A: Any) -> Any:
    return turned(A)[len(A) :]


@composite(linalg.tanm)
def tanm(A: Any) -> Any:
    both = turned(A)
    return linalg.solve(both[: len(A)], both[len(A) :])


# ---------------------------------------------------------------- Riccati equations


def plain(e: Any, s: Any) -> None:
    """Refuse the general form of a Riccati equation."""
    if not (is_none(e) and is_none(s)):
        raise NotImplementedError("Riccati equations are differentiated without e and s")


@tangent(linalg.solve_continuous_are)
def solve_continuous_are(
    a: Any,
    b: Any,
    q: Any,
    r: Any,
    e: Any = None,
    s: Any = None,
    balanced: Any = True,
    *,
    result: Any,
    da: Any,
    db: Any,
    dq: Any,
    dr: Any,
) -> Any:
    """A Lyapunov equation of the system with feedback."""
    plain(e, s)
    gain = linalg.solve(r, b.T @ result)
    moved = result @ (da - db @ gain)
    change = dq + gain.T @ dr @ gain + moved + moved.T
    return linalg.solve_continuous_lyapunov((a - b @ gain).T, -change)


@tangent(linalg.solve_discrete_are)
def solve_discrete_are(
    a: Any,
    b: Any,
    q: Any,
    r: Any,
    e: Any = None,
    s: Any = None,
    balanced: Any = True,
    *,
    result: Any,
    da: Any,
    db: Any,
    dq: Any,
    dr: Any,
) -> Any:
    """A Lyapunov equation of the system with feedback."""
    plain(e, s)
    gain = linalg.solve(r + b.T @ result @ b, b.T @ result @ a)
    closed = a - b @ gain
    moved = closed.T @ result @ (da - db @ gain)
    change = dq + gain.T @ dr @ gain + moved + moved.T
    return linalg.solve_discrete_lyapunov(closed.T, change)


# ---------------------------------------------------------------- matrices of a vector


@composite(linalg.matmul_toeplitz)
def matmul_toeplitz(c_or_cr: Any, x: Any, check_finite: Any = False, workers: Any = None) -> Any:
    if isinstance(c_or_cr, tuple):
        return linalg.toeplitz(c_or_cr[0], c_or_cr[1]) @ x
    return linalg.toeplitz(c_or_cr) @ x
