"""What is one of several things by a flag of the run: it is refused to ask what it is, where nothing tells."""

from __future__ import annotations

import enum
from collections.abc import Callable
from pathlib import Path
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


ASKED = [true_or_not, none_or_not, field_none_or_not, field_that_is_called, field_that_matches]


@pytest.mark.parametrize("f", ASKED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("limit", [0.5, 1.0])
def test_what_it_is_is_not_asked(f: Callable[..., Any], limit: float) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="is one of two things") as caught:
        s2sad.grad(lambda x: f(x, x > limit))(0.7)
    assert caught.value.filename == __file__


@pytest.mark.parametrize("f", ASKED, ids=lambda f: f.__name__)
@pytest.mark.parametrize("flag", [True, False])
def test_what_it_is_by_a_flag_is_known(f: Callable[..., Any], flag: bool) -> None:
    slope = s2sad.grad(f)
    for given in (flag, not flag, flag):
        assert slope(0.7, given) == pytest.approx((f(0.7001, given) - f(0.6999, given)) / 0.0002)


def test_a_pair_or_none_is_told() -> None:
    assert [s2sad.grad(pair_or_none)(0.7, flag) for flag in (True, False)] == [3.0, 2.0]


def test_a_dict_or_none_is_told() -> None:
    assert [s2sad.grad(field_of_a_class)(0.7, flag) for flag in (True, False)] == [2.0, 3.0]


# ---------------------------------------------------------------- members of enumerations


class Growth(enum.Enum):
    LINEAR = 1.5
    SQUARE = 2.5
    CUBIC = 3.5

    def of(self, x):
        return x * self.value


class Counted(enum.Enum):
    NONE = 0
    ONE = 1

    def __bool__(self):
        return self.value > 0


BY_NAME = {"low": Growth.LINEAR, "high": Growth.SQUARE}


def compared(x):
    if x > 2.0:
        kind = Growth.LINEAR
    elif x > 1.0:
        kind = Growth.SQUARE
    else:
        kind = Growth.CUBIC
    if kind is Growth.SQUARE:
        return 3.0 * x
    return x * x if kind != Growth.CUBIC else kind.of(x)


def matched(x):
    kind = Growth.LINEAR if x > 1.0 else Growth.CUBIC
    match kind:
        case Growth.LINEAR:
            return x**2
        case _:
            return x * kind.value * len(kind.name)


def picked_from_a_tuple(x):
    return x * (Growth.LINEAR, Growth.SQUARE)[int(x)].value


def picked_from_a_dict(x):
    return x * BY_NAME["low" if x > 1.0 else "high"].value


def among_others(x):
    kind = Growth.LINEAR if x > 1.0 else Growth.CUBIC
    return 3.0 * x if kind in (Growth.SQUARE, Growth.LINEAR) else x * x


def state_of_a_loop(x):
    kind, total = Growth.LINEAR, 0.0
    for _ in range(5):
        if kind is Growth.LINEAR:
            total += x
            kind = Growth.SQUARE if total > 2.0 else Growth.LINEAR
        else:
            total += x * x
    return total


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize(
    "f",
    [compared, matched, picked_from_a_tuple, picked_from_a_dict, among_others, state_of_a_loop],
    ids=lambda f: f.__name__,
)
def test_one_of_several_members(f: Any, backend: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
        monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    for x in (0.7, 1.3):
        slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
        assert s2sad.grad(f, backend=backend)(x) == pytest.approx(slope, rel=1e-6)
        assert s2sad.jvp(f, (x,), (1.0,), backend=backend)[1] == pytest.approx(slope, rel=1e-6)


def test_members_that_say_themselves_whether_they_are_true() -> None:
    def asked(x):
        kind = Counted.ONE if x > 1.0 else Counted.NONE
        return x * x if kind else x

    with pytest.raises(s2sad.UnsupportedSyntax, match="one of two things"):
        s2sad.grad(asked)(0.5)
