"""Random programs do the same before and after each pass, and after all of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad.ir.nodes import Function
from s2sad.ir.printer import show
from s2sad.ir.rewrite import clone
from s2sad.ir.verify import verify
from s2sad.optimise import optimise
from s2sad.optimise.cse import merge_common
from s2sad.optimise.dead import dead_code
from s2sad.optimise.simplify import simplify
from s2sad.optimise.stores import tidy_stores
from s2sad.optimise.tapes import merge_tapes
from s2sad.optimise.tokens import name_shapes
from s2sad.optimise.unread import drop_unread
from tests.ir_interpreter import interpret as run
from tests.optimise.random_ir import LENGTH, NOTES, Generator

PASSES: dict[str, Callable[[Function], Function]] = {
    "dead": dead_code,
    "simplify": simplify,
    "cse": merge_common,
    "stores": tidy_stores,
    "unread": drop_unread,
    "tapes": merge_tapes,
    "clone": clone,
    "tokens": lambda f: optimise(name_shapes(f)[0]),
    "all": optimise,
}


def arguments() -> list[Any]:
    """Arguments of a random program."""
    grid = np.linspace(-1.0, 1.0, LENGTH)
    return [0.3, 2, np.sin(grid), np.cos(3.0 * grid)]


def outcome(function: Function) -> tuple[Any, list[float], list[Any]]:
    """What a run gives, what it notes, and what shares memory with what."""
    NOTES.clear()
    args = copy.deepcopy(arguments())
    result = list(run(function, *args))
    if callable(result[-1]):
        call = result.pop()
        result.extend([*copy.deepcopy(call(0.7)), *copy.deepcopy(call(-0.2))])
    arrays = [a for a in result if isinstance(a, np.ndarray)]
    inputs = [a for a in args if isinstance(a, np.ndarray)]
    shared = {(i, j) for i, a in enumerate(arrays) for j, b in enumerate(arrays[:i]) if np.shares_memory(a, b)}
    shared |= {(i, -1) for i, a in enumerate(arrays) if any(np.shares_memory(a, b) for b in inputs)}
    return result, list(NOTES), sorted(shared)


def agrees(a: Any, b: Any) -> bool:
    """Equal up to rounding, or both not numbers."""
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(agrees, a, b))
    if np.shape(a) != np.shape(b) or isinstance(a, np.ndarray) != isinstance(b, np.ndarray):
        return False
    return bool(np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True))


def check(seed: int, name: str) -> None:
    """One program through one pass (or all)."""
    function = verify(Generator(seed).function())
    with np.errstate(all="ignore"):
        before = outcome(function)
        new = verify(PASSES[name](function))
        after = outcome(new)
    text = f"seed {seed}, {name}\n{show(function)}\n\n{show(new)}\n{before}\n{after}"
    assert agrees(before[0], after[0]) and agrees(before[1], after[1]), text
    assert set(after[2]) <= set(before[2]), text


@pytest.mark.parametrize("name", PASSES)
def test_same_outcome(name: str) -> None:
    for seed in range(250):
        check(seed, name)
