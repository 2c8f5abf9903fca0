"""What all tests need."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _compiled_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compiled derivatives go to a directory of the tests, not to the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("S2SAD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True, scope="session")
def _collected_seldom() -> Iterator[None]:
    """Compilers make many objects that live long: looking through them every time takes a tenth of all the time."""
    thresholds = gc.get_threshold()
    gc.collect()
    gc.freeze()  # what the modules of the tests hold
    gc.set_threshold(50_000, 10, 10)
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()
