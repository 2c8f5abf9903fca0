"""Which tests a run takes: a share, unless files are named or all is asked for; workers do as the run does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import pytest_collection_modifyitems, pytest_configure_node, takes_a_share
from tests.shares import SHARES, is_in_share

Source = pytest.Config.ArgsSource


def config_of(source: Any, whole: bool = False) -> Any:
    return SimpleNamespace(args_source=source, getoption={"whole": whole}.__getitem__)


@pytest.mark.parametrize(
    ("source", "whole", "expected"),
    [
        (Source.TESTPATHS, False, True),
        (Source.INVOCATION_DIR, False, True),
        (Source.TESTPATHS, True, False),
        (Source.ARGS, False, False),
    ],
)
def test_workers_take_what_the_run_takes(source: Any, whole: bool, expected: bool) -> None:
    node = SimpleNamespace(config=config_of(source, whole), workerinput={})
    pytest_configure_node(node)
    worker = SimpleNamespace(workerinput=node.workerinput, args_source=Source.ARGS)
    assert takes_a_share(node.config) is takes_a_share(worker) is expected  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [Source.TESTPATHS, Source.ARGS])
def test_others_are_left_out(source: Any) -> None:
    items: list[Any] = [SimpleNamespace(nodeid=f"tests/rules/test_rules.py::test[{k}]") for k in range(500)]
    left_out: list[Any] = []
    config = config_of(source)
    config.hook = SimpleNamespace(pytest_deselected=lambda items: left_out.extend(items))
    pytest_collection_modifyitems(config, items)
    assert len(items) + len(left_out) == 500
    assert all(is_in_share(item.nodeid) for item in items) is (source is not Source.ARGS)
    assert (0.5 < len(items) * SHARES["tests/rules/"] / 500 < 1.5) is (source is not Source.ARGS)
