"""The programs of the tables, a module for each family, with the same derivatives by hand and by other libraries."""

from __future__ import annotations

from tests.benchmarks.program import Program
from tests.benchmarks.programs import (
    adi,
    bundle,
    cavity,
    factorisations,
    flight,
    gauss_seidel,
    grids,
    hand,
    lstm,
    mixture,
    networks,
    scalars,
)

__all__ = ["PROGRAMS"]

#: Every program, in the order of the tables.
PROGRAMS: tuple[Program, ...] = (
    scalars.FORMULA,
    scalars.VALLEY,
    flight.THREE_BODIES,
    networks.MOONS,
    mixture.ARRAYS,
    mixture.LOOPS,
    lstm.LSTM,
    bundle.BUNDLE,
    hand.HAND,
    grids.JACOBI,
    grids.HEAT,
    gauss_seidel.GAUSS_SEIDEL,
    adi.ADI,
    cavity.CAVITY,
    factorisations.CHOLESKY,
    factorisations.LU,
    factorisations.GRAM_SCHMIDT,
    networks.DIGITS,
    networks.CONVOLUTION,
)
