"""Random programs that the compiled tier got wrong, made small: results as the Python tier's, or a refusal."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import jvp
from tests.compiled.corpus import difference

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def same_forward(f: Any, *args: Any) -> None:
    """Fail unless the tiers agree on a derivative along the arguments."""
    expected, found = (jvp(f, *copy.deepcopy((args, args)), backend=tier) for tier in ("python", "numba"))
    assert difference(found, expected).what == "agreed"


def masked_where_lengths_differ(s):
    x = np.ones_like(s)
    y = x[:, :1] * x / s
    y[~(np.full((len(x), s.shape[1]), s.mean()) < -0.28)] = 0.5
    return np.add(x, y).sum()


def test_masks_are_made_before_a_store_goes_by_them() -> None:
    same_forward(masked_where_lengths_differ, np.array([[1.03, -0.02], [-1.26, 1.35], [-0.65, -1.37], [-0.86, 0.49]]))
