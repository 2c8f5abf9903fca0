"""What all tests need."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from tests.shares import SHARES, is_in_share

A_SHARE = "a_share"  #: the name under which workers are told


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--whole``."""
    parser.addoption("--whole", action="store_true", help="run all tests that compile, and all random programs")


def takes_a_share(config: pytest.Config) -> bool:
    """Whether a run is of a share of the tests: it is if it is of no files in particular."""
    if hasattr(config, "workerinput"):
        return bool(config.workerinput[A_SHARE])
    return config.args_source is not pytest.Config.ArgsSource.ARGS and not config.getoption("whole")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist, which is given files by name."""
    node.workerinput[A_SHARE] = takes_a_share(node.config)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say what is left out."""
    shares = ", ".join(f"one in {n} of {directory}" for directory, n in SHARES.items())
    return f"of the tests: {shares}; all with --whole" if takes_a_share(config) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not in the share."""
    if takes_a_share(config):
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
