"""Where an error is shown that comes from the source of a rule: at the call that the rule stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import NotDifferentiable, S2sadError, UnsupportedSyntax, grad

INDEXING = ["ij"]


def gridded(x: Any, y: Any) -> Any:
    a, b = np.meshgrid(x, y, indexing=INDEXING[0])  # known only at run time
    return np.sum(a * b)


def correlated(x: Any) -> Any:
    return np.sum(np.corrcoef(x))


@pytest.mark.parametrize(
    ("function", "args", "error", "line"),
    [
        (gridded, (np.ones(3), np.ones(2)), UnsupportedSyntax, "a, b = np.meshgrid(x, y, indexing=INDEXING[0])"),
        (correlated, (np.ones((1, 3)),), NotDifferentiable, "return np.sum(np.corrcoef(x))"),
    ],
)
def test_what_a_rule_refuses_is_shown_at_the_call(
    function: Any, args: tuple[Any, ...], error: type[S2sadError], line: str
) -> None:
    with pytest.raises(error) as caught:
        grad(function)(*args)
    assert caught.value.filename == __file__
    assert line in caught.value.line
