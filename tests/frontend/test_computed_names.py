"""Names of attributes that are computed: from lists of text, which are taken apart where one is asked for."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import s2sad
from s2sad import grad


class Pair:
    names: ClassVar[list[str]] = ["a", "b"]
    slots: Any = ("a", "b")

    def __init__(self, names: Any, *values: Any) -> None:
        for name, value in zip(names, values):
            setattr(self, name, value)


def of_a_list(x: Any, y: Any) -> Any:
    pair: Any = Pair(Pair.names, x, y)
    return pair.a * pair.a * pair.b


def of_a_tuple(x: Any, y: Any) -> Any:
    pair: Any = Pair(Pair.slots, x, y)
    return pair.a * pair.a * pair.b


@pytest.mark.parametrize("f", [of_a_list, of_a_tuple])
@pytest.mark.parametrize("backend", ["python", "numba"])
def test_names_outside_are_those_of_now(f: Any, backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(Pair, "names", ["a", "b"])
    monkeypatch.setattr(Pair, "slots", ("a", "b"))
    slopes = grad(f, wrt=(0, 1), backend=backend)
    assert slopes(2.0, 3.0) == pytest.approx((12.0, 4.0))
    Pair.names[:] = ["b", "a"]
    Pair.slots = ("b", "a")
    assert slopes(2.0, 3.0) == pytest.approx((9.0, 12.0))
    Pair.names, Pair.slots = ["a", "b"], ("a", "b")
    assert slopes(2.0, 3.0) == pytest.approx((12.0, 4.0))


def changed_outside(x: Any) -> Any:
    pair: Any = Pair(Pair.names, x, 2.0 * x)
    Pair.names.append("c")
    return pair.a


def known_too_late(x: Any, names: Any) -> Any:
    pair: Any = Pair(("a", "b"), x, 2.0 * x)
    return sum(getattr(pair, name) for name in names)


def of_its_own(x: Any) -> Any:
    pair: Any = Pair(("a",), x)
    pair.__dict__.update(volume=2.0 * x)
    return pair.volume


class Solid(Pair):
    @property
    def volume(self) -> Any:
        return 7.0


def hidden_by_a_property(x: Any) -> Any:
    solid = Solid(("a",), x)
    solid.__dict__.update(volume=2.0 * x)
    return solid.volume


def test_fields_put_into_the_dict_of_an_object() -> None:
    assert grad(of_its_own)(1.5) == 2.0
    with pytest.raises(s2sad.UnsupportedSyntax, match="`Solid` has `volume` of its own"):
        grad(hidden_by_a_property)(1.5)


def test_what_is_not_known_or_changes_outside_is_refused() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="`getattr` with a computed name"):
        grad(known_too_late)(1.5, ["a", "b"])
    with pytest.raises(s2sad.UnsupportedSyntax):
        grad(changed_outside)(1.5)


def named_on_one_path(x: Any, n: int) -> Any:
    y = 2.0 * x
    if n > 1:
        y.name = "y"
    return y


def test_an_attribute_that_numbers_have_not_is_refused_where_nothing_catches() -> None:
    with pytest.raises((s2sad.UnsupportedSyntax, AttributeError), match="has no attribute `name`"):
        grad(named_on_one_path)(1.5, 2)
