"""What all tests need."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _compiled_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compiled derivatives go to a directory of the tests, not to the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S2SAD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield
