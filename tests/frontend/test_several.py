"""What is one of several things by a flag of the run: it is refused to ask what it is, where nothing tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad


class Slot:
    def __init__(self) -> None:
        self.held: Any = None


def filled(flag: bool, value: Any) -> Slot:
    slot = Slot()
    if flag:
        slot.held = value
    return slot


def true_or_not(x, flag):
    return 2.0 * x if (np.tanh if flag else None) else 3.0 * x


def none_or_not(x, flag):
    return 2.0 * x if (np.tanh if flag else None) is None else 3.0 * x


def field_none_or_not(x, flag):
    return 2.0 * x if filled(flag, np.tanh).held is None else 3.0 * x


def pair_or_none(x, flag):
    return 2.0 * x if filled(flag, (x, [x])).held is None else 3.0 * x


def field_of_a_class(x, flag):
    return 2.0 * x if isinstance(filled(flag, {"a": x, "b": [x]}).held, dict) else 3.0 * x


def field_that_is_called(x, flag):
    return 2.0 * x if callable(filled(flag, np.tanh).held) else 3.0 * x


def field_that_matches(x, flag):
    match filled(flag, np.tanh).held:
        case None:
            return 2.0 * x
    return 3.0 * x


@pytest.mark.parametrize(
    "f",
    [true_or_not, none_or_not, field_none_or_not, field_that_is_called, field_that_matches],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("flag", [True, False])
def test_what_it_is_is_not_asked(f: Callable[..., Any], flag: bool) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="is one of two things") as caught:
        s2sad.grad(f)(0.7, flag)
    assert caught.value.filename == __file__


def test_a_pair_or_none_is_told() -> None:
    assert [s2sad.grad(pair_or_none)(0.7, flag) for flag in (True, False)] == [3.0, 2.0]


def test_a_dict_or_none_is_told() -> None:
    assert [s2sad.grad(field_of_a_class)(0.7, flag) for flag in (True, False)] == [2.0, 3.0]
