"""Shapes that no test names."""

from __future__ import annotations

import itertools

import pytest

from s2sad.ir import kinds


@pytest.fixture(autouse=True)
def fresh_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    """New shape tokens are not those that programs of a test spell out."""
    monkeypatch.setattr(kinds, "_shapes", itertools.count(1000))
