"""What reverse sweeps compute again, and what they record."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad


def off_the_diagonal(x, n):
    total = 1.0
    for i in range(n):
        for j in range(n):
            if i != j:
                total = np.sin(total * x[i]) + x[j]
    return total


def while_positive(x, n):
    total = 0.0
    for i in range(n):
        margin = 1.0 - total * x[i]
        if margin > 0.0:
            total = total + x[i]
    return np.log(total)


def squares(x, n):
    total = 0.0
    for i in range(n):
        total += np.exp(x[i] ** 2)
    return np.log(total)


def scaled(x, y, n):
    total = 0.0
    for i in range(n):
        total = total + np.sum(np.sin((x - y[i]) * 2.0))
    return np.log(total)


@pytest.mark.parametrize(("f", "recorded"), [(off_the_diagonal, "total)"), (while_positive, "test)"), (squares, "t)")])
def test_one_number_is_recorded_for_each_iteration(f, recorded) -> None:
    source = grad(f).source_for(np.full(4, 0.3), 4)
    (line,) = [line for line in source.splitlines() if "tape.append(" in line]
    assert line.endswith(f"_tape.append({recorded}")


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_arrays_are_computed_again_where_they_become_loops(backend: str) -> None:
    pytest.importorskip("numba")
    source = grad(scaled, backend=backend).source_for(np.ones(3), np.ones(4), 4)
    assert ("tape" in source) == (backend == "python")
