"""Lists of dicts, and lists of several kinds of items: tuples in compiled code."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("numba")

import s2sad
from tests.compiled.corpus import MODES, PROGRAMS, compare

REFUSED = ("others_where_one_changes", "changed_later_under_another_name")
NAMES = [name for name, p in PROGRAMS.items() if p.function.__module__ in ("cases_keyed", "cases_fields")]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in REFUSED])
@pytest.mark.parametrize("mode", MODES)
def test_tiers_agree(name: str, mode: str) -> None:
    outcome = compare(name, mode)
    assert outcome.what == "agreed", outcome.message


@pytest.mark.parametrize("name", REFUSED)
def test_what_changes_is_refused(name: str) -> None:
    assert compare(name, "reverse").what == "refused"


def decayed(params, x):
    return sum(np.sum(v**2) * x for p in params for v in p.values())


def test_keys_of_cotangents_have_any_order() -> None:
    params = [{"a": 0.3, "b": 0.5}]
    _, pullback = s2sad.vjp(lambda p: [{"a": q["a"] ** 2, "b": 3.0 * q["b"]} for q in p], params, backend="numba")
    assert pullback([{"b": 1.0, "a": 10.0}]) == ([{"a": 6.0, "b": 3.0}],)


def test_other_keys_are_another_variant() -> None:
    slope = s2sad.grad(decayed, backend="numba")
    assert slope([{"a": 0.5, "b": 1.0}], 1.0) == [{"a": 1.0, "b": 2.0}]
    assert slope([{"b": 0.5, "a": 1.0}], 1.0) == [{"b": 1.0, "a": 2.0}]
    assert slope([{"c": 0.5}], 1.0) == [{"c": 1.0}]


def text_in_a_list(params, x):
    W, b, name = params
    y = W * x + b
    return np.sum(np.tanh(y) if name == "tanh" else y)


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_text_beside_arrays(backend: str) -> None:
    slope = s2sad.grad(text_in_a_list, backend=backend)
    W, b, name = slope([np.array([0.3, 0.5]), np.array([0.1, -0.2]), "no"], 2.0)
    assert (W.tolist(), b.tolist(), name) == ([2.0, 2.0], [1.0, 1.0], None)


def stepped(x, steps):
    for name, options in steps:
        if name == "scale":
            x = x * options["k"]
        elif name == "shift":
            x = x + options["b"] * x[0]
    return np.sum(x)


def test_keys_that_only_other_items_have() -> None:
    x, steps = np.array([0.7, -1.2, 0.4]), [("scale", {"k": 2.0}), ("shift", {"b": 1.0})]
    np.testing.assert_allclose(s2sad.grad(stepped, backend="numba")(x, steps), [8.0, 2.0, 2.0])
    with pytest.raises((s2sad.CompileError, KeyError)):
        s2sad.grad(stepped, backend="numba")(x, [("scale", {"k": 2.0}), ("shift", {"k": 1.0})])
