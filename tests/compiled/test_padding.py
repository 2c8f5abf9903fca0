"""Which items np.pad repeats, as compiled code finds them."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad.compiled.lists import places_to_pad


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("mode", ["edge", "wrap", "reflect", "symmetric"])
def test_places(n: int, mode: str) -> None:
    code = ("edge", "wrap", "reflect", "symmetric").index(mode)
    for before in range(12):
        for after in range(12):
            expected = np.pad(np.arange(n), (before, after), mode)  # type: ignore[call-overload]
            np.testing.assert_array_equal(places_to_pad(n, before, after, code), expected)


def test_nothing_to_repeat() -> None:
    with pytest.raises(ValueError, match="empty axis"):
        places_to_pad(0, 1, 1, 1)
