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
    *scalars.PROGRAMS,
    *flight.PROGRAMS,
    networks.MOONS,
    *mixture.PROGRAMS,
    *lstm.PROGRAMS,
    *bundle.PROGRAMS,
    *hand.PROGRAMS,
    *grids.PROGRAMS,
    *gauss_seidel.PROGRAMS,
    *adi.PROGRAMS,
    *cavity.PROGRAMS,
    *factorisations.PROGRAMS,
    networks.DIGITS,
    networks.CONVOLUTION,
)
