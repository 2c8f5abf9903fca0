"""Methods of text look at arrays and lists that carry derivatives, and change none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad


def checked(v: Any) -> Any:
    if v[0] < 0.0:
        raise ValueError("not positive: <{!r}>".format(v))  # noqa: UP032
    return v[0] * v[1] * v[1]


def converted(v: Any) -> Any:
    try:
        items = [float(item) for item in v]
    except ValueError:
        raise ValueError("not numbers: {}".format(v)) from None  # noqa: UP032
    return items[0] * items[1] * items[1]


def told_before_it_changes(v: Any) -> Any:
    v = v * 2.0
    before = "{} was {}".format("v", v)
    v[0] = v[1] * v[1]
    if v[0] > 10.0:
        raise ValueError(before + ", is {}".format(v))  # noqa: UP032
    return v[0] * v[1]


@pytest.mark.parametrize("f", [checked, converted])
@pytest.mark.parametrize("v", [np.array([1.5, 2.0]), [1.5, 2.0]])
def test_text_made_of_what_carries_a_derivative(f: Any, v: Any) -> None:
    np.testing.assert_allclose(s2sad.grad(f)(v), [4.0, 6.0])
    value, tangent = s2sad.jvp(f, (v,), (type(v)([1.0, 0.5]) if isinstance(v, list) else np.array([1.0, 0.5]),))
    assert (value, tangent) == (6.0, 7.0)


def test_the_text_shows_the_values() -> None:
    for derivative in (s2sad.grad(checked), lambda v: s2sad.jvp(checked, (v,), (v,))):
        with pytest.raises(ValueError, match=r"not positive: <\[-1.0, 2.0\]>"):
            derivative([-1.0, 2.0])


def test_text_made_before_a_store_shows_what_was_there() -> None:
    np.testing.assert_allclose(s2sad.grad(told_before_it_changes)(np.array([1.0, 1.5])), [0.0, 54.0])
    for derivative in (s2sad.grad(told_before_it_changes), lambda v: s2sad.jvp(told_before_it_changes, (v,), (v,))):
        with pytest.raises(ValueError, match=r"v was \[2. 5.\], is \[25.  5.\]"):
            derivative(np.array([1.0, 2.5]))
