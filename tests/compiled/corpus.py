"""The programs of ``tests/programs`` through both tiers: derivatives that agree, or a refusal that says where."""

from __future__ import annotations

import copy
import importlib
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import s2sad
from s2sad import structure
from s2sad.tangents import is_float_leaf

_HERE = Path(__file__).resolve().parents[1] / "programs"
if str(_HERE) not in sys.path:
    sys.path.insert(0, str(_HERE))

_MODULES = sorted(path.stem for path in _HERE.glob("cases_*.py"))
PROGRAMS: dict[str, Any] = {p.name: p for module in _MODULES for p in importlib.import_module(module).PROGRAMS}
MODES = ("reverse", "forward")
TOLERANCE = 1e-13


@dataclass(frozen=True)
class Outcome:
    """What came of a program in one mode: ``agreed``, ``refused`` or ``failed`` with a message, or ``skipped``."""

    what: str
    message: str = ""


def compare(name: str, mode: str) -> Outcome:
    """Run a program through both tiers."""
    from numba.core.errors import NumbaWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaWarning)
        with np.errstate(all="ignore"):
            try:
                expected = derivative(name, mode, "python")
            except s2sad.S2sadError as error:
                return Outcome("skipped", f"the Python tier refuses it: {error.message}")
            try:
                found = derivative(name, mode, "numba")
            except s2sad.S2sadError as error:
                located = error.lineno is not None
                return Outcome("refused" if located else "failed", error.message if located else f"no place: {error}")
            except Exception as error:
                return Outcome("failed", f"{type(error).__name__}: {error}")
    return difference(found, expected)


def derivative(name: str, mode: str, backend: str) -> Any:
    """The value and the derivative of a program; by two calls of its pullback if asked, or where the result is
    no float."""
    p = PROGRAMS[name]
    args = copy.deepcopy(p.args)
    if mode == "forward":
        tangents = tuple(_tangent(a, i in p.wrt) for i, a in enumerate(args))
        return s2sad.jvp(p.function, args, tangents, backend=backend)
    y = p.function(*copy.deepcopy(p.args))
    if isinstance(y, float | np.floating) and mode != "pullback":
        return s2sad.value_and_grad(p.function, wrt=p.wrt, backend=backend)(*args)
    y, pullback = s2sad.vjp(p.function, *args, backend=backend)
    ct = structure.map_leaves(lambda leaf: _weights(leaf, 1.0), y)
    return y, pullback(ct), pullback(ct)


def _tangent(argument: Any, moved: bool) -> Any:
    found = structure.map_leaves(lambda leaf: _weights(leaf, 1.0 if moved else 0.0), argument)
    return found if any(leaf is not None for leaf in structure.leaves(found)) else None


def _weights(leaf: Any, scale: float) -> Any:
    """Numbers between 0.5 and 1.5 of the shape of a leaf, None where it is no float."""
    if not is_float_leaf(leaf):
        return None
    values = scale * (1.0 + 0.5 * np.sin(np.arange(1.0, np.size(leaf) + 1.0)))
    return values.reshape(leaf.shape).astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(values[0])


def difference(found: Any, expected: Any) -> Outcome:
    """Whether two results agree in structure, dtypes and, to rounding, in value."""
    ours, theirs = structure.paths(found), structure.paths(expected)
    if [path for path, _ in ours] != [path for path, _ in theirs]:
        return Outcome("failed", f"structure {found} for {expected}")
    scale = max((float(np.max(np.abs(x), initial=0.0, where=np.isfinite(x))) for x in _floats(expected)), default=1.0)
    for (path, a), (_, b) in zip(ours, theirs, strict=True):
        if is_float_leaf(b):
            if np.shape(a) != np.shape(b) or np.asarray(a).dtype != np.asarray(b).dtype:
                return Outcome("failed", f"{path}: {a!r} for {b!r}")
            tolerance = TOLERANCE if np.asarray(b).dtype == np.float64 else 1e-6
            if not np.allclose(a, b, rtol=tolerance, atol=tolerance * max(scale, 1e-2), equal_nan=True):
                return Outcome("failed", f"{path}: {a!r} for {b!r}")
        elif (a is None) != (b is None):
            return Outcome("failed", f"{path}: {a!r} for {b!r}")
    return Outcome("agreed")


def _floats(value: Any) -> list[Any]:
    return [np.asarray(leaf) for leaf in structure.leaves(value) if is_float_leaf(leaf)]
