"""Every program in ``tests/programs``: its derivatives, lowered to loops and run as Python, against the Python tier."""

from __future__ import annotations

import copy
import functools
import sys
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import dispatch, pipeline, remade
from s2sad.analysis.memory import Memory
from s2sad.backend.emit import emit
from s2sad.backend.load import load
from s2sad.frontend.lower import Lowered
from s2sad.ir.nodes import Function
from s2sad.ir.verify import verify
from s2sad.loops import lower_to_loops
from s2sad.structure import leaves
from s2sad.transform.overlaps import settle_overlaps

sys.path.insert(0, str(Path(__file__).parents[1] / "programs"))
import cases_absent
import cases_caught
import cases_none
from test_programs import PROGRAMS, by_forward, by_reverse


def assert_same(actual: Any, expected: Any) -> None:
    """Fail unless all numbers agree to rounding, relative to the largest of their array."""
    ours, theirs = leaves(actual), leaves(expected)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        if b is None or isinstance(b, str) or callable(b):
            continue
        assert type(a) is type(b) or isinstance(a, float) == isinstance(b, float), (type(a), type(b))
        x, y = np.asarray(a), np.asarray(b)
        assert x.shape == y.shape and x.dtype == y.dtype, (x.dtype, y.dtype)
        scale = np.max(np.abs(y[np.isfinite(y)]), initial=0.0) if y.dtype.kind in "fc" else 0.0
        np.testing.assert_allclose(x, y, rtol=1e-13, atol=1e-13 * scale)


def in_numpys_order(primal: Lowered) -> Lowered:
    """The function with stores of overlapping vectors spelt out, as loops need them."""
    return replace(primal, function=settle_overlaps(primal.function, Memory(primal.function)))


#: A derivative is compiled once, to be compared with itself as loops of either sort.
compile_once = functools.lru_cache(maxsize=32)(pipeline.compile_variant)


class Compared:
    """Compiles as ever, and makes each derivative run lowered to loops as well, and compare."""

    def __init__(self, equal_lengths: bool) -> None:
        self.runs = 0
        self.equal_lengths = equal_lengths

    def derived(self, fn: Any, mode: str, wrt: Any, specs: Any) -> Function:
        """The derivative that loops are made of, which leaves what is better done at once in Python as it is."""
        return pipeline.derived(fn, mode, wrt, specs, self.equal_lengths, fuses=True, prepare=in_numpys_order)[0]

    def __call__(self, *args: Any) -> pipeline.Variant:
        variant = compile_once(*args)
        mode = args[1]
        derived = self.derived(*args[:4])
        in_loops = verify(lower_to_loops(verify(derived), self.equal_lengths))
        function = load(emit([in_loops]), in_loops.name)

        def lowered_call(f: Any, *values: Any) -> Any:
            try:
                return f(*copy.deepcopy(values))
            except ValueError as error:
                if self.equal_lengths and "taken to be equal" in str(error):
                    pytest.skip("broadcasts at run time")
                raise

        def both(*values: Any) -> Any:
            expected = variant.function(*copy.deepcopy(values))
            self.runs += 1
            actual = lowered_call(function, *values)
            if mode != "vjp":
                assert_same(actual, expected)
                return expected
            assert_same(actual[0], expected[0])

            def pullback(ct: Any) -> Any:
                ours, theirs = lowered_call(actual[1], ct), expected[1](ct)
                assert_same(ours, theirs)
                return theirs

            return expected[0], pullback

        return replace(variant, function=both)


@pytest.fixture(params=[False, True], ids=["broadcast", "equal_lengths"])
def compared(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Compared:
    """Derivatives compiled meanwhile are compared with themselves as loops."""
    new = Compared(request.param)
    monkeypatch.setattr(pipeline, "compile_variant", new)
    monkeypatch.setattr(dispatch, "_shared", OrderedDict())
    monkeypatch.setattr(remade, "_closures", OrderedDict())
    return new


# What is None at times has a value before loops are made, and exceptions that are caught are refused by then.
OTHERS = (*cases_absent.PROGRAMS, *cases_none.PROGRAMS, *cases_caught.PROGRAMS)
ALWAYS_BOUND = sorted(PROGRAMS.keys() - {p.name for p in OTHERS} - {"rays_traced"})


@pytest.mark.parametrize("name", ALWAYS_BOUND, scope="module")  # one program after the other
def test_lowered_to_loops(name: str, compared: Compared) -> None:
    for kind in (by_reverse, by_forward):
        kind.__wrapped__(name)
    assert compared.runs
