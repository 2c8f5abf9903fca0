"""Emitted code computes what the IR says, for random programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad.backend.emit import emit
from s2sad.backend.load import load
from s2sad.backend.restructure import restructure
from s2sad.ir.verify import verify
from tests.backend.programs import TRACE, Generator
from tests.ir_interpreter import interpret

BATCH = 60


def outcome(function: Callable[..., Any], n: int) -> str:
    """The result, the state of the array argument, and the trace."""
    TRACE.clear()
    array = np.arange(4.0) / 2
    try:
        result = function(1.5, -0.7, n, array)
    except OverflowError as error:
        result = type(error)
    return repr((result, array, TRACE))


@pytest.mark.parametrize("first", range(0, 600, BATCH))
def test_agrees_with_the_interpreter(first: int) -> None:
    for seed in range(first, first + BATCH):
        f = verify(Generator(seed).function())
        verify(restructure(f))
        emitted = emit([f])
        assert emitted.text == emit([f]).text
        loaded = load(emitted)
        for n in (0, 3):
            expected = outcome(lambda *args: interpret(f, *args), n)
            assert outcome(loaded, n) == expected, f"seed {seed}, n {n}\n{emitted.text}"


def test_text_is_the_same_from_another_generator() -> None:
    """Nothing depends on the ids of variables or the order of sets."""
    texts = [emit([Generator(seed).function()]).text for seed in range(40)]
    assert texts == [emit([Generator(seed).function()]).text for seed in range(40)]
