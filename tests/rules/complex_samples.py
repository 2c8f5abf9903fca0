"""Sample arguments of calls with complex numbers: those of real ones, made complex, and some of their own."""

from __future__ import annotations

import cmath
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
from rules.samples import SAMPLES, Call, call

from s2sad.rules.table import COMPLEX, RULES
from s2sad.runtime import helpers
from s2sad.runtime.helpers import (
    astype,
    complex_log,
    doubled,
    eigenvectors,
    least_squares,
    map_leaves,
    promoted,
    resized,
    scaled_ends,
)


def _numbers(*shape: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


_POINT = 0.6 - 0.8j
_LINE = _numbers(6)
_PLANE = _numbers(4, 5, seed=1)
_BLOCK = _numbers(2, 3, 4, seed=2)
_HERMITIAN = _PLANE @ np.conj(_PLANE.T) + np.eye(4)
_POINTS_ALONG = np.array([-0.4, 0.3, 2.7, 3.2, 5.3])
_SQUARE = np.random.default_rng(5).normal(size=(4, 4))
_STANDING = np.array([[2.0, 1.0, 0.3], [0.0, -1.0, 0.2], [0.1, 0.0, 0.5]])
_SPINNING = np.array([[0.0, 1.0], [-2.0, 0.1]])
_ALONG = [
    call(_LINE),
    call(_numbers(1, seed=3)),
    call(_LINE.astype(np.complex64)),
    call(_LINE, 4),
    call(_LINE, n=9),
    call(_PLANE, axis=0),
    call(np.asfortranarray(_PLANE), 3, 0),
    call(_PLANE[:, ::-1], norm="ortho"),
    call(_BLOCK, 7, 1, "forward"),
]
_OVER = [
    call(_PLANE),
    call(_BLOCK, axes=(0, 2)),
    call(_BLOCK, (3, 5), (0, 1), "ortho"),
    call(_PLANE, s=(4, 7), axes=(0, 1)),
    call(_PLANE, norm="forward"),
]
_OVER_ALL = [*_OVER, call(_BLOCK), call(_LINE), call(_BLOCK, axes=(1,))]


def _real(samples: list[Call]) -> list[Call]:
    """The same with real numbers: what half a transform is of."""
    return [Call(tuple(map(_real_part, s.args)), s.kwargs) for s in samples]


def _real_part(x: Any) -> Any:
    return np.real(x).copy() if isinstance(x, np.ndarray) else x


_POINTS = [call(_POINT), call(-2.3 + 0.4j), call(0.2 + 1.7j)]
#: Calls that those of real numbers have no likes of.
OWN: dict[Any, list[Call]] = {
    **dict.fromkeys((np.fft.fft, np.fft.ifft, np.fft.irfft, np.fft.hfft), _ALONG),
    **dict.fromkeys((np.fft.rfft, np.fft.ihfft), _real(_ALONG)),
    **dict.fromkeys((np.fft.fft2, np.fft.ifft2, np.fft.irfft2), _OVER),
    **dict.fromkeys((np.fft.fftn, np.fft.ifftn, np.fft.irfftn), _OVER_ALL),
    np.fft.rfft2: _real(_OVER),
    np.fft.rfftn: _real(_OVER_ALL),
    resized: [call(_LINE, np.ones(4)), call(_PLANE, np.ones((5, 5))), call(_LINE, np.ones(6))],
    scaled_ends: [call(_LINE, 0.5, 2.0, 0), call(_PLANE, 0.5, 1.0, -1), call(_LINE[:1], 0.5, 2.0, -1)],
    helpers.complex_zeros: [call([_LINE, np.ones(2)]), call({"a": 1.0, "b": _POINT})],
    helpers.complex_zero_leaf: [call(_LINE), call(2.0), call("text")],
    doubled: [call(_LINE, 10, 0), call(_LINE, 11, -1), call(_PLANE, 6, 0), call(_PLANE, 9, -1)],
    **{getattr(cmath, n): _POINTS for n in "exp log log10 sqrt sin cos tan asin acos atan sinh cosh tanh".split()},
    **{getattr(cmath, n): _POINTS for n in "asinh acosh atanh phase polar".split()},
    cmath.log: [*_POINTS, call(_POINT, 1.2 + 0.1j)],
    cmath.rect: [call(1.3, 0.7)],
    complex: [call(1.5, -0.3), call(2.0), call(0.3 + 1j, 2.0 - 1j)],
    promoted: [call(1.5), call(np.array([1.0, 2.0])), call(np.float32(1.0))],
    complex_log: [call(1.5), call(-0.4), call(_POINT), call(np.array([-1.0, 2.0])), call(_LINE), call(np.float32(0.7))],
    astype: [call(_LINE, complex), call(np.array([1.0, 2.0]), complex), call(_LINE, np.complex64)],
    np.complex128: [call(_POINT), call(1.5)],
    np.complex64: [call(_POINT), call(1.5)],
    **{f: [call(7), call(8, d=0.3)] for f in (np.fft.fftfreq, np.fft.rfftfreq)},
    **{getattr(cmath, n): [call(_POINT)] for n in ("isnan", "isinf", "isfinite")},
    cmath.isclose: [call(_POINT, _POINT)],
    np.absolute: [call(_PLANE), call(np.zeros(2, complex), smooth=False)],
    np.sign: [call(_PLANE), call(np.array([1e-3j]))],
    np.angle: [call(_PLANE), call(_LINE, True), call(_LINE, deg=True)],
    **{f: [call(_PLANE)] for f in (np.arcsin, np.arccos, np.arcsinh, np.arccosh)},
    np.full_like: [call(_LINE, _POINT), call(np.ones(3), _POINT, complex)],
    np.sqrt: [call(_PLANE)],
    np.power: [call(_PLANE, 3), call(_PLANE, 0), call(_PLANE, -1.5), call(_LINE, _LINE[::-1].copy()), call(_LINE, 2j)],
    np.linalg.norm: [
        *(call(_PLANE), call(_LINE, 3), call(_LINE, np.inf), call(_PLANE, axis=0), call(_PLANE, "fro", keepdims=True)),
        *(call(_PLANE, 1, axis=1), call(_PLANE, 1)),
    ],
    np.linalg.eig: [call(_PLANE[:4, :4]), call(_SQUARE), call(np.stack([_SQUARE, _SQUARE.T + 0.3]))],
    np.linalg.eigvals: [call(_PLANE[:4, :4]), call(_SQUARE), call(_SPINNING), call(_STANDING)],
    np.linalg.eigvalsh: [call(_PLANE[:4, :4]), call(_PLANE[:4, :4], UPLO="U")],
    np.linalg.cholesky: [call(_HERMITIAN), call(_HERMITIAN, upper=True), call(_HERMITIAN * np.ones((2, 1, 1)))],
    np.linalg.slogdet: [call(_PLANE[:4, :4]), call(_BLOCK[:, :, :3])],
    np.linalg.qr: [call(_PLANE), call(_PLANE.T.copy()), call(_PLANE.T.copy(), mode="r"), call(_BLOCK)],
    np.linalg.pinv: [call(_PLANE), call(_PLANE.T.copy()), call(_BLOCK)],
    np.linalg.svdvals: [call(_PLANE), call(_BLOCK)],
    least_squares: [
        *(call(_PLANE.T.copy(), _LINE[:5]), call(_PLANE, _PLANE[:, :2].copy()), call(_PLANE, _LINE[:4], 1e-9)),
    ],
    np.linalg.cond: [call(_PLANE), call(_PLANE, -2)],
    np.interp: [
        call(_POINTS_ALONG, np.arange(6.0), _LINE),
        call(1.3, np.arange(6.0), _LINE, left=1j, right=2.0),
        call(_POINTS_ALONG, np.arange(6.0), _LINE, period=5.5),
    ],
    np.linspace: [
        call(_POINT, 1.0 + 2.0j, 5),
        call(_LINE, 0.5j * _LINE, 4, endpoint=False),
        call(_LINE, _LINE**2, axis=1),
    ],
    np.choose: [call(np.array([0, 1, 1, 0, 1, 0]), [_LINE, 1j * _LINE])],
    eigenvectors: [call(_SQUARE, np.linalg.eigvals(_SQUARE), smooth=False)],
    np.roots: [call(_LINE), call(np.array([1.0, 0.3, 2.0, -1.0])), call(np.array([2.0, 1.0, -0.3]))],
    np.var: [call(_PLANE), call(_PLANE, axis=1, ddof=1, keepdims=True)],
    np.std: [call(_PLANE), call(_PLANE, axis=0, ddof=1)],
    np.convolve: [call(_LINE, _LINE[:3]), call(_LINE, _LINE[:4], "same"), call(_LINE[:2], _LINE, "valid")],
    np.correlate: [call(_LINE, _LINE[:3]), call(_LINE, _LINE[:4], "same"), call(_LINE[:2], _LINE, "full")],
}


def as_complex(x: Any, seed: int = 0) -> Any:
    """x with an imaginary part to each float in it."""
    rng = np.random.default_rng(seed)

    def leaf(y: Any) -> Any:
        if isinstance(y, np.ndarray) and y.dtype.kind == "f":
            made = np.empty_like(y, dtype=np.result_type(y.dtype, np.complex64))
            made[...] = y + 1j * rng.uniform(-0.5, 0.5, y.shape)
            return made
        if isinstance(y, float | np.floating):
            made = complex(y, rng.uniform(-0.5, 0.5))
            return made if isinstance(y, float) else np.result_type(y.dtype, np.complex64).type(made)
        return y

    return map_leaves(leaf, x)


def _made_complex(primitive: Any) -> Iterator[Call]:
    """The samples of real numbers, with complex ones for what is differentiated: all arguments, and each by itself."""
    rule = COMPLEX[primitive]
    for sample in SAMPLES.get(primitive, []):
        if not sample.smooth:
            continue
        spelt = rule.composite_for(sample.args, sample.kwargs)
        signature = rule.signature if spelt is None else inspect.signature(spelt)
        names = rule.wrt if spelt is None else tuple(signature.parameters)
        bound = signature.bind(*sample.args, **sample.kwargs).arguments
        given = [n for n in names if n in bound and not isinstance(bound[n], bool | int | str | type)]
        choices: list[list[str]] = [given, *([[n] for n in given] if len(given) > 1 else [])]
        if primitive.__module__ in helpers.MODULES:  # of which all arguments are of one sort
            choices = [[n for n in bound if not isinstance(bound[n], bool | int | str | type)]]
        for k, names_made in enumerate(choices):
            yield _with(signature.bind(*sample.args, **sample.kwargs), sample, names_made, k)


def _with(bound: inspect.BoundArguments, sample: Call, names: list[str], seed: int) -> Call:
    for n in names:
        bound.arguments[n] = as_complex(bound.arguments[n], seed)
    return Call(bound.args[: len(sample.args)], {n: v for n, v in bound.arguments.items() if n in sample.kwargs})


def samples_of(primitive: Any) -> list[Call]:
    """The sample calls of a primitive with complex numbers."""
    if primitive in OWN:
        return [s for s in OWN[primitive] if s.smooth and _runs(primitive, s)]
    return [s for s in _made_complex(primitive) if _runs(primitive, s) and not _drops(primitive, s)]


def _runs(primitive: Any, sample: Call) -> bool:
    try:
        primitive(*sample.args, **sample.kwargs)
    except Exception:
        return False
    return True


def _drops(primitive: Any, sample: Call) -> bool:
    """Whether a call gives real numbers for complex ones, that gives complex ones otherwise."""
    found: list[Any] = []
    map_leaves(found.append, primitive(*sample.args, **sample.kwargs))
    return COMPLEX[primitive] is RULES[primitive] and not any(map(np.iscomplexobj, found))
