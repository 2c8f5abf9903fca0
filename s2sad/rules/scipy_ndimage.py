"""Linear filters of scipy.ndimage: loaded by the table once the user has imported that module.

A filter goes beyond the edges of an array and then takes windows of it. So its adjoint spreads windows, and folds back
what came to lie beyond the edges: the adjoint of np.pad.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage, signal

from s2sad.rules.static import along_axes, is_none, is_still, rank
from s2sad.rules.table import INTO, adjoint, composite, tangent
from s2sad.runtime.filters import gaussian_weights
from s2sad.runtime.helpers import cast, crop, unpad

__all__: list[str] = []


def padding(mode: Any) -> Any:
    """What np.pad calls a way to go beyond the edges."""
    if isinstance(mode, (tuple, list)):
        raise NotImplementedError("filters are differentiated for one mode for all axes")
    if mode in ("reflect", "grid-mirror"):
        return "symmetric"
    if mode in ("wrap", "grid-wrap"):
        return "wrap"
    if mode in ("constant", "grid-constant"):
        return "constant"
    if mode not in ("mirror", "nearest"):
        raise NotImplementedError("filters are not differentiated in this mode")
    return "reflect" if mode == "mirror" else "edge"


def plain(output: Any) -> None:
    """Refuse another array, or dtype, for the result."""
    if not is_none(output):
        raise NotImplementedError("filters of scipy.ndimage are differentiated without output")


def padded(x: Any, widths: Any, mode: Any, cval: Any) -> Any:
    """The array with what a filter sees beyond its edges."""
    way = padding(mode)
    return np.pad(x, widths, "constant", constant_values=cval) if way == "constant" else np.pad(x, widths, way)


def folded(x: Any, like: Any, widths: Any, mode: Any) -> Any:
    """The adjoint of padded."""
    way = padding(mode)
    return crop(x, like, widths) if way == "constant" else unpad(x, like, widths, way)


# ---------------------------------------------------------------- along one axis


def widths_along(x: Any, axis: Any, size: Any, origin: Any) -> Any:
    """How far a filter goes beyond the edges of each axis."""
    before = size // 2 + origin
    return [(before, size - 1 - before) if k == axis % rank(x) else (0, 0) for k in range(rank(x))]


def spread_along(ct: Any, weights: Any, like: Any, axis: Any, mode: Any, origin: Any) -> Any:
    """The adjoint of a correlation along an axis, by the array."""
    widths = widths_along(like, axis, len(weights), origin)
    return folded(
        ndimage.convolve1d(np.pad(ct, widths), weights, axis, None, "constant", 0.0, origin), like, widths, mode
    )


@tangent(ndimage.correlate1d)
def correlate1d(
    input: Any,
    weights: Any,
    axis: Any = -1,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    result: Any,
    dinput: Any,
    dweights: Any,
) -> Any:
    plain(output)
    if is_still(dweights):
        return ndimage.correlate1d(dinput, weights, axis, None, mode, 0.0, origin)
    by_weights = ndimage.correlate1d(input, dweights, axis, None, mode, cval, origin)
    if is_still(dinput):
        return by_weights
    return ndimage.correlate1d(dinput, weights, axis, None, mode, 0.0, origin) + by_weights


@adjoint(ndimage.correlate1d, wrt=("input", "weights"))
def correlate1d_adjoint(
    input: Any,
    weights: Any,
    axis: Any = -1,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    ct: Any,
) -> Any:
    plain(output)
    whole = padded(input, widths_along(input, axis, len(weights), origin), mode, cval)
    by_input = spread_along(ct, weights, input, axis, mode, origin)
    return cast(by_input, input), cast(np.ravel(signal.correlate(whole, ct, "valid")), weights)


@composite(ndimage.convolve1d)
def convolve1d(
    input: Any,
    weights: Any,
    axis: Any = -1,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
) -> Any:
    plain(output)
    turned = np.asarray(weights)[::-1]
    return ndimage.correlate1d(input, turned, axis, None, mode, cval, -origin - (1 - len(turned) % 2))


@tangent(ndimage.uniform_filter1d)
def uniform_filter1d(
    input: Any,
    size: Any,
    axis: Any = -1,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    dinput: Any,
) -> Any:
    plain(output)
    return ndimage.uniform_filter1d(dinput, size, axis, None, mode, 0.0, origin)


@adjoint(ndimage.uniform_filter1d, wrt="input")
def uniform_filter1d_adjoint(
    input: Any,
    size: Any,
    axis: Any = -1,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    ct: Any,
) -> Any:
    plain(output)
    return cast(spread_along(ct, np.full(size, 1.0 / size), input, axis, mode, origin), input)


@tangent(gaussian_weights)
def gaussian_weights_tangent(sigma: Any, order: Any, truncate: Any, radius: Any, *, dsigma: Any) -> Any:
    raise NotImplementedError("gaussian filters are not differentiated by sigma, which tells how far they go")


@composite(ndimage.gaussian_filter1d)
def gaussian_filter1d(
    input: Any,
    sigma: Any,
    axis: Any = -1,
    order: Any = 0,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    truncate: Any = 4.0,
    *,
    radius: Any = None,
) -> Any:
    plain(output)
    return ndimage.correlate1d(input, gaussian_weights(sigma, order, truncate, radius), axis, None, mode, cval)


# ---------------------------------------------------------------- along all axes


def at_axis(option: Any, k: Any) -> Any:
    """An option for one axis."""
    return option[k] if isinstance(option, (tuple, list)) else option


@composite(ndimage.gaussian_filter)
def gaussian_filter(
    input: Any,
    sigma: Any,
    order: Any = 0,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    truncate: Any = 4.0,
    *,
    radius: Any = None,
) -> Any:
    plain(output)
    padding(mode)

    def along(x: Any, k: int) -> Any:
        width, turn, reach = at_axis(sigma, k), at_axis(order, k), at_axis(radius, k)
        if not width > 1e-15:
            return x
        return ndimage.gaussian_filter1d(x, width, k, turn, None, mode, cval, truncate, radius=reach)

    return along_axes(np.array(input), along)


@composite(ndimage.uniform_filter)
def uniform_filter(
    input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    plain(output)
    padding(mode)

    def along(x: Any, k: int) -> Any:
        n = at_axis(size, k)
        return ndimage.uniform_filter1d(x, n, k, None, mode, cval, at_axis(origin, k)) if n > 1 else x

    return along_axes(np.array(input), along)


def widths_of(x: Any, weights: Any, origin: Any) -> Any:
    """How far a filter goes beyond the edges of each axis."""
    before = [np.shape(weights)[k] // 2 + at_axis(origin, k) for k in range(rank(x))]
    return [(before[k], np.shape(weights)[k] - 1 - before[k]) for k in range(rank(x))]


@tangent(ndimage.correlate)
def correlate(
    input: Any,
    weights: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    dinput: Any,
    dweights: Any,
) -> Any:
    plain(output)
    if is_still(dweights):
        return ndimage.correlate(dinput, weights, None, mode, 0.0, origin)
    by_weights = ndimage.correlate(input, dweights, None, mode, cval, origin)
    return by_weights if is_still(dinput) else ndimage.correlate(dinput, weights, None, mode, 0.0, origin) + by_weights


@adjoint(ndimage.correlate, wrt=("input", "weights"))
def correlate_adjoint(
    input: Any,
    weights: Any,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
    *,
    ct: Any,
) -> Any:
    plain(output)
    widths = widths_of(input, weights, origin)
    spread = ndimage.convolve(np.pad(ct, widths), weights, None, "constant", 0.0, origin)
    by_weights = signal.correlate(padded(input, widths, mode, cval), ct, "valid")
    return cast(folded(spread, input, widths, mode), input), cast(by_weights, weights)


@composite(ndimage.convolve)
def convolve(
    input: Any, weights: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0
) -> Any:
    plain(output)
    weights = np.asarray(weights)
    origins = [-at_axis(origin, k) - (1 - np.shape(weights)[k] % 2) for k in range(rank(weights))]
    return ndimage.correlate(input, np.flip(weights), None, mode, cval, origins)


# ---------------------------------------------------------------- slopes and curvatures


def sloping(input: Any, across: Any, axis: Any, mode: Any, cval: Any) -> Any:
    """Differences along an axis, then sums by these weights along the others."""
    padding(mode)
    x = np.asarray(input)
    middle = axis % rank(x)
    y = ndimage.correlate1d(x, [-1.0, 0.0, 1.0], middle, None, mode, cval)
    for k in range(rank(x)):
        if k != middle:
            y = ndimage.correlate1d(y, across, k, None, mode, cval)
    return y


@composite(ndimage.sobel)
def sobel(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    plain(output)
    return sloping(input, [1.0, 2.0, 1.0], axis, mode, cval)


@composite(ndimage.prewitt)
def prewitt(input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    plain(output)
    return sloping(input, [1.0, 1.0, 1.0], axis, mode, cval)


@composite(ndimage.laplace)
def laplace(input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0) -> Any:
    plain(output)
    padding(mode)
    x = np.asarray(input)
    total = ndimage.correlate1d(x, [1.0, -2.0, 1.0], 0, None, mode, cval)
    for k in range(1, rank(x)):
        total = total + ndimage.correlate1d(x, [1.0, -2.0, 1.0], k, None, mode, cval)
    return total


def derived(x: Any, sigma: Any, times: Any, k: Any, mode: Any, cval: Any, truncate: Any) -> Any:
    """A derivative of a smoothed array, by one axis."""
    order = [times if i == k else 0 for i in range(rank(x))]
    return ndimage.gaussian_filter(x, sigma, order, None, mode, cval, truncate)


@composite(ndimage.gaussian_laplace)
def gaussian_laplace(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, truncate: Any = 4.0
) -> Any:
    plain(output)
    x = np.asarray(input)
    total = derived(x, sigma, 2, 0, mode, cval, truncate)
    for k in range(1, rank(x)):
        total = total + derived(x, sigma, 2, k, mode, cval, truncate)
    return total


@composite(ndimage.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(
    input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, truncate: Any = 4.0
) -> Any:
    plain(output)
    x = np.asarray(input)
    total = derived(x, sigma, 1, 0, mode, cval, truncate) ** 2
    for k in range(1, rank(x)):
        total = total + derived(x, sigma, 1, k, mode, cval, truncate) ** 2
    return np.sqrt(total)


# Those that read a line, or all, before they write it: the array may be the one that is filtered.
INTO.update(
    dict.fromkeys(
        (
            *(ndimage.correlate1d, ndimage.convolve1d, ndimage.uniform_filter1d, ndimage.gaussian_filter1d),
            *(ndimage.correlate, ndimage.convolve, ndimage.uniform_filter, ndimage.gaussian_filter),
            *(ndimage.sobel, ndimage.prewitt),
        ),
        "output",
    )
)
