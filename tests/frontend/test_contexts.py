"""Contexts that may take exceptions without a ``try`` in sight are refused."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable

import pytest

import s2sad


class Taking:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> bool:
        return True


def suppressing_by_name(x: float) -> float:
    quiet = contextlib.suppress(ValueError)
    with quiet:
        x = math.log(-x)
    return x


def taken_by_an_object(x: float) -> float:
    with Taking():
        x = math.log(-x)
    return x


@pytest.mark.parametrize(
    ("f", "why"),
    [(suppressing_by_name, "made in the `with` itself"), (taken_by_an_object, "`__exit__` of `Taking` may take")],
)
def test_is_refused(f: Callable[[float], float], why: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=why):
        s2sad.grad(f)(0.7)
