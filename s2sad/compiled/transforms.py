"""Fourier transforms by the loops of NumPy's own: what modules carry in the place of ``np.fft.fft`` and its like.

NumPy has a ufunc for each, of which the loop in the C language is at an address that the ufunc holds. It goes over
lines of numbers, of any step, and cuts or fills up with zeros what it takes. Here the loops are names to be bound by
the loader (:mod:`s2sad.compiled.loading`), so these functions do not run uncompiled.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, cast

import numpy as np

__all__ = ["LOOPS", "are_there", "external", "need_points", "transform_back", "transform_complex", "transform_real"]


def transform_complex(x: Any, out: Any, axis: Any, scale: Any, forward: Any) -> Any:
    """Put the transform of complex numbers along an axis into out: forward, or back, and times a number."""
    scales = np.full(1, scale)
    places, lengths, steps, jumps, times = lines(x, scales, out, axis)
    flag = np.full(1, forward, np.uint8)
    for _ in range(times):
        fft_loop(places.ctypes, lengths.ctypes, steps.ctypes, flag.ctypes)
        places += jumps
    scales[0] = 0.0  # in use until here
    return out


def transform_real(x: Any, out: Any, axis: Any, scale: Any, even: Any) -> Any:
    """Put the first half of the transform of real numbers along an axis, of so many as even says, into out."""
    scales = np.full(1, scale)
    places, lengths, steps, jumps, times = lines(x, scales, out, axis)
    flag = np.full(1, 1, np.uint8)
    for _ in range(times):
        if even:
            rfft_n_even_loop(places.ctypes, lengths.ctypes, steps.ctypes, flag.ctypes)
        else:
            rfft_n_odd_loop(places.ctypes, lengths.ctypes, steps.ctypes, flag.ctypes)
        places += jumps
    scales[0] = 0.0
    return out


def transform_back(x: Any, out: Any, axis: Any, scale: Any) -> Any:
    """Put the real numbers of which x is the first half of the transform along an axis into out."""
    scales = np.full(1, scale)
    places, lengths, steps, jumps, times = lines(x, scales, out, axis)
    flag = np.full(1, 0, np.uint8)
    for _ in range(times):
        irfft_loop(places.ctypes, lengths.ctypes, steps.ctypes, flag.ctypes)
        places += jumps
    scales[0] = 0.0
    return out


def lines(x: Any, scales: Any, out: Any, axis: Any) -> Any:
    """What a loop takes for lines along an axis of arrays by rows, and how often it is called how far on.

    That is: where the first lines are, how many there are and how long, and the steps between lines and along them.
    """
    before, after = 1, 1
    for k in range(axis):
        before *= x.shape[k]
    for k in range(axis + 1, x.ndim):
        after *= x.shape[k]
    places, lengths = np.empty(3, np.int64), np.empty(3, np.int64)
    places[0], places[1], places[2] = x.ctypes.data, scales.ctypes.data, out.ctypes.data
    lengths[0], lengths[1], lengths[2] = after, x.shape[axis], out.shape[axis]
    steps, jumps = np.zeros(5, np.int64), np.zeros(3, np.int64)
    steps[0], steps[2] = x.itemsize, out.itemsize
    steps[3], steps[4] = after * x.itemsize, after * out.itemsize
    jumps[0], jumps[2] = steps[3] * x.shape[axis], steps[4] * out.shape[axis]
    if after == 1:  # one call for all
        lengths[0], steps[0], steps[2] = before, jumps[0], jumps[2]
        return places, lengths, steps, jumps, min(before, 1)
    return places, lengths, steps, jumps, before


def need_points(n: Any) -> Any:
    """n, where there is a transform of so many numbers."""
    if n < 1:
        raise ValueError("Invalid number of FFT data points specified.")
    return n


# ---------------------------------------------------------------- loops


def fft_loop(places: Any, lengths: Any, steps: Any, forward: Any) -> None:
    """Transform lines of complex numbers."""
    raise NotImplementedError


def rfft_n_even_loop(places: Any, lengths: Any, steps: Any, forward: Any) -> None:
    """Transform lines of real numbers, of an even number each."""
    raise NotImplementedError


def rfft_n_odd_loop(places: Any, lengths: Any, steps: Any, forward: Any) -> None:
    """Transform lines of real numbers, of an odd number each."""
    raise NotImplementedError


def irfft_loop(places: Any, lengths: Any, steps: Any, forward: Any) -> None:
    """Transform lines of complex numbers back, into real ones."""
    raise NotImplementedError


#: The loops, and the types of what their ufuncs take and give.
LOOPS = {fft_loop: "Dd->D", rfft_n_even_loop: "dd->D", rfft_n_odd_loop: "dd->D", irfft_loop: "Dd->d"}


@cache
def are_there() -> bool:
    """Whether this NumPy has these loops, and they compute what its functions do."""
    if any(_address(loop) is None for loop in LOOPS):
        return False
    x, z = np.array([1.0, -2.0, 0.5, 4.0, 3.0]), np.array([1.0 + 2.0j, 0.5j, -3.0])
    return (
        np.array_equal(_called(fft_loop, z, np.empty(4, complex), True), np.fft.fft(z, 4))
        and np.array_equal(_called(fft_loop, z, np.empty(2, complex), False), np.fft.ifft(z, 2, norm="forward"))
        and np.array_equal(_called(rfft_n_even_loop, x, np.empty(3, complex), True), np.fft.rfft(x, 4))
        and np.array_equal(_called(rfft_n_odd_loop, x, np.empty(3, complex), True), np.fft.rfft(x))
        and np.array_equal(_called(irfft_loop, z, np.empty(5), False), np.fft.irfft(z, 5, norm="forward"))
    )


def external(loop: Any) -> Any:
    """A loop as Numba calls it."""
    from llvmlite import binding
    from numba import types

    symbol, add = f"s2sad_{loop.__name__}", cast(Any, binding.add_symbol)
    add(symbol, _address(loop))
    pointer: Any = types.CPointer
    integers, signature = pointer(types.intp), cast(Any, types.void)
    return types.ExternalFunction(symbol, signature(integers, integers, integers, pointer(types.uint8)))


def _address(loop: Any) -> int | None:
    """Where a loop of double precision is, None where this NumPy has it not as it is called here."""
    name = loop.__name__.removesuffix("_loop")
    ufunc = getattr(getattr(np.fft, "_pocketfft_umath", None), name, None)
    if not isinstance(ufunc, np.ufunc) or LOOPS[loop] not in ufunc.types or ufunc.nargs != 3:
        return None
    table = ctypes.c_void_p.from_address(id(ufunc) + object.__basicsize__ + 4 * ctypes.sizeof(ctypes.c_int))
    place = ufunc.types.index(LOOPS[loop]) * ctypes.sizeof(ctypes.c_void_p)
    return None if table.value is None else ctypes.c_void_p.from_address(table.value + place).value


def _called(loop: Any, x: Any, out: Any, forward: bool) -> Any:
    """What a loop makes of one line."""
    scale, flag = np.ones(1), np.array([forward])
    places = np.array([x.ctypes.data, scale.ctypes.data, out.ctypes.data])
    lengths, steps = np.array([1, len(x), len(out)]), np.array([0, 0, 0, x.itemsize, out.itemsize])
    address = _address(loop)
    assert address is not None
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(address)
    call(places.ctypes.data, lengths.ctypes.data, steps.ctypes.data, flag.ctypes.data)
    return out
