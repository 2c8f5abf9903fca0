"""What all tests need."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Iterator

import pytest

from tests.shares import SHARES, is_in_share


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--whole``; and what the workers of a run are told."""
    parser.addoption("--whole", action="store_true", help="run all tests that compile, and all random programs")
    parser.addoption("--a-share", action="store_true", help=argparse.SUPPRESS)


def pytest_configure(config: pytest.Config) -> None:
    """A run of no files in particular is of a share of the tests."""
    if not hasattr(config, "workerinput"):
        named = config.args_source is pytest.Config.ArgsSource.ARGS
        config.option.a_share = not (named or config.getoption("whole"))


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say what is left out."""
    shares = ", ".join(f"one in {n} of {directory}" for directory, n in SHARES.items())
    return f"of the tests: {shares}; all with --whole" if config.getoption("a_share") else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not in the share."""
    if config.getoption("a_share"):
        left_out = [item for item in items if not is_in_share(item.nodeid)]
        items[:] = [item for item in items if is_in_share(item.nodeid)]
        config.hook.pytest_deselected(items=left_out)


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
