"""Linear algebra by LAPACK, in double precision, called as Numba calls it, without what Numba has around it.

Fourier transforms along one axis are calls of NumPy's loops (:mod:`s2sad.compiled.transforms`), functions of
``scipy.special`` of SciPy's routines.

Before::

    def f(a: float64[2]#1, b: float64[2]#2):
        x: float64[2]#3 = np.linalg.solve(a, b)
        return x

After::

    def f(a, b):
        x = solution_2(a, b)
        return x

Equations of a matrix that is known to be triangular, a factor by Cholesky, are solved by substitution. Those of single
precision are solved in double, and the solution is rounded.

Numba's ``np.linalg.solve`` stores the right-hand side into a slice, and compiles the text of the error for shapes that
differ with it: four seconds for the first, more than one for each layout. It also refuses NaN and infinity, which NumPy
hands on. The routines of LAPACK are those that Numba finds in SciPy; how they are called is in its ``_lapack.c``. A
version of Numba that has them no more, or calls them in another way, keeps its own functions.

Requires: the compiled functions of a module that is loaded; text that is read keeps NumPy's names.
Ensures: the same values, to rounding. A matrix that is singular raises ``LinAlgError``, with NumPy's message.
"""

from __future__ import annotations

import importlib.util
import operator
import sys
from functools import cache
from typing import Any

import numpy as np

from s2sad.analysis.turned import each_others_transpose
from s2sad.compiled.expand import Builder, Form, expand, kind_of, rank_of
from s2sad.compiled.forms_adjoint import is_none, length, named
from s2sad.compiled.forms_fourier import TRANSFORMS
from s2sad.compiled.lapack import (
    ROUTINES,
    complex_inverse,
    complex_solution_1,
    complex_solution_2,
    external,
    inverse,
    own_product,
    solution_1,
    solution_2,
    symbol,
)
from s2sad.compiled.matrices import (
    exponential,
    exponential_moved,
    log_density_of_several,
    solved_band_1,
    solved_band_2,
)
from s2sad.compiled.special_functions import letters_for, real_functions, routine
from s2sad.compiled.transforms import are_there as transforms_are_there
from s2sad.compiled.triangular import substituted_1, substituted_2
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Function, Op, Var
from s2sad.runtime import helpers

__all__ = ["routines_called"]

_REAL = ("float64", "float32")


def routines_called(function: Function) -> Function:
    """Call LAPACK in the place of NumPy's functions, if this Numba has a way to it, and the routines of SciPy's."""
    function = expand(function, dict.fromkeys(real_functions(), special_value))
    if transforms_are_there():
        function = expand(function, TRANSFORMS)
    return expand(function, _FORMS | _of_scipy()) if _are_there() else function


def _of_scipy() -> dict[Any, Form]:
    """What to make of functions of SciPy's modules, of those that are imported."""
    linalg, stats, found = sys.modules.get("scipy.linalg"), sys.modules.get("scipy.stats"), dict[Any, Form]()
    if linalg is not None:
        found |= {linalg.expm: exponent, linalg.expm_frechet: exponent_moved, linalg.solve_banded: solve_banded}
    if stats is not None:
        found |= {stats.multivariate_normal.logpdf: density_of_several}
    return found


@cache
def _are_there() -> bool:
    """Whether this Numba knows all routines, takes for them what is passed, and has SciPy to get them from."""
    if importlib.util.find_spec("scipy") is None:
        return False
    from llvmlite import binding
    from numba.core.registry import cpu_target

    context: Any = cpu_target.target_context  # knows routines once it is made
    find: Any = binding.address_of_symbol
    return context is not None and all(find(symbol(routine)) and _is_called_so(routine) for routine in ROUTINES)


def _is_called_so(routine: Any) -> bool:
    """Whether Numba's own calls of a routine have the same signature, but for the width of pivots."""
    from numba import types
    from numba.np import linalg

    classes = (getattr(linalg, name, None) for name in ("_LAPACK", "_BLAS"))
    own: Any = next((found for c in classes if (found := getattr(c, symbol(routine), None)) is not None), None)
    if own is None:
        return False
    theirs, ours = (function.sig for function in (own(types.float64), external(routine)))
    alike = zip(theirs.args, ours.args, ROUTINES[routine], strict=False)
    same = all(a == b or letter == "p" for a, b, letter in alike)
    return same and len(theirs.args) == len(ours.args) and theirs.return_type == ours.return_type


# ---------------------------------------------------------------- operations


def solve(b: Builder, op: Op) -> Atom | None:
    """``np.linalg.solve(a, b)`` of one matrix, and one right-hand side or several."""
    if op.target is None or op.kwargs or len(op.args) != 2 or rank_of(op.args[0]) != 2:
        return None
    rank = rank_of(op.args[1])
    dtypes = {K.dtype_of(kind_of(a)) for a in op.args}
    if rank not in (1, 2) or not (dtypes <= set(_REAL) or dtypes == {"complex128"}):
        return None
    if dtypes == {"complex128"}:
        return b.emit(complex_solution_1 if rank == 1 else complex_solution_2, *op.args, kind=op.target.kind)
    if (factor := factor_of(b, op.args[0])) is not None:
        run = substituted_1 if rank == 1 else substituted_2
        turned = factor is not op.args[0]
        return _rounded(b, op, b.emit(run, factor, op.args[1], turned, True, False, kind=K.Array("float64", rank)))
    return _rounded(b, op, b.emit(solution_1 if rank == 1 else solution_2, *op.args, kind=K.Array("float64", rank)))


def _rounded(b: Builder, op: Op, x: Atom) -> Atom | None:
    """What was computed in double precision, in the precision of what an operation gives."""
    if op.target is None or K.dtype_of(op.target.kind) != "float32":
        return x
    return b.emit(helpers.astype, x, np.float32, kind=op.target.kind)


def factor_of(b: Builder, a: Atom) -> Atom | None:
    """The lower factor by Cholesky that a matrix is, or is the transpose of."""
    made = b.definitions.get(a) if isinstance(a, Var) else None
    if made is not None and made.fn is np.transpose and len(made.args) == 1 and not made.kwargs:
        a = made.args[0]
        made = b.definitions.get(a) if isinstance(a, Var) else None
    if made is None or made.fn is not np.linalg.cholesky or made.kwargs or not isinstance(a, Var) or b.is_written(a):
        return None
    return a


def product(b: Builder, op: Op) -> Atom | None:
    """``a @ a.T`` or ``a.T @ a``, which is symmetric: half of it is computed."""
    if op.target is None or op.kwargs or len(op.args) != 2 or not all(map(_is_matrix, op.args)):
        return None
    made = each_others_transpose(*op.args, lambda a: b.definitions.get(a) if isinstance(a, Var) else None)
    return None if made is None else b.emit(own_product, *made, kind=op.target.kind)


def invert(b: Builder, op: Op) -> Atom | None:
    """``np.linalg.inv(a)`` of one matrix."""
    if op.target is None or op.kwargs or len(op.args) != 1:
        return None
    match kind_of(op.args[0]):
        case K.Array(dtype, 2) if dtype in _REAL:
            return _rounded(b, op, b.emit(inverse, op.args[0], kind=K.Array("float64", 2)))
        case K.Array("complex128", 2):
            return b.emit(complex_inverse, op.args[0], kind=op.target.kind)
    return None


def exponent(b: Builder, op: Op) -> Atom | None:
    """``linalg.expm(A)`` of one matrix."""
    (a,) = named(op, "A")
    return b.emit(exponential, a, kind=K.Array("float64", 2)) if _is_matrix(a) else None


def exponent_moved(b: Builder, op: Op) -> Atom | None:
    """``linalg.expm_frechet(A, E, compute_expm=False)``"""
    a, e, whole = named(op, "A", "E", "compute_expm")
    if b.constant(whole) is not False or not (_is_matrix(a) and _is_matrix(e)):
        return None
    return b.emit(exponential_moved, a, e, kind=K.Array("float64", 2))


def solve_banded(b: Builder, op: Op) -> Atom | None:
    """``linalg.solve_banded(l_and_u, ab, b)`` of one right-hand side, or several."""
    both, ab, sides, _ = named(op, "l_and_u", "ab", "b", "check_finite")
    run = {1: solved_band_1, 2: solved_band_2}.get(rank_of(sides) or 0)
    if run is None or not _is_matrix(ab) or K.dtype_of(kind_of(sides)) != "float64":
        return None
    widths = [b.emit(operator.getitem, both, k, kind=K.INT) for k in range(2)]
    return b.emit(run, *widths, ab, sides, kind=K.Array("float64", rank_of(sides)))


def density_of_several(b: Builder, op: Op) -> Atom | None:
    """``stats.multivariate_normal.logpdf(x, mean, cov)`` at one point."""
    x, mean, cov, singular = named(op, "x", "mean", "cov", "allow_singular")
    if not (is_none(singular) or b.constant(singular) is False) or rank_of(x) != 1 or not _is_matrix(cov):
        return None
    if is_none(mean):
        mean = b.emit(np.zeros, length(b, x, 0), kind=K.Array("float64", 1))
    if rank_of(mean) != 1 or not all(K.dtype_of(kind_of(a)) == "float64" for a in (x, mean)):
        return None
    return b.emit(log_density_of_several, x, mean, cov, kind=K.FLOAT)


def special_value(b: Builder, op: Op) -> Atom | None:
    """A function of ``scipy.special``, of numbers."""
    letters = letters_for(op.fn, [kind_of(a) for a in op.args])
    if op.target is None or letters is None or op.kwargs or isinstance(op.target.kind, K.Array):
        return None
    return b.emit(routine(real_functions()[op.fn], letters), *op.args, 0, kind=op.target.kind)


def _is_matrix(a: Atom, dtypes: tuple[str, ...] = ("float64",)) -> bool:
    return isinstance(kind_of(a), K.Array) and rank_of(a) == 2 and K.dtype_of(kind_of(a)) in dtypes


_FORMS: dict[Any, Form] = {
    np.linalg.solve: solve,
    np.linalg.inv: invert,
    **dict.fromkeys((operator.matmul, np.matmul, np.dot), product),
}
