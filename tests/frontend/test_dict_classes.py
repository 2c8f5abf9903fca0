"""Dicts of the user's classes: their attributes, their methods, and which class it is."""

from __future__ import annotations

import collections
from typing import Any

import pytest

import s2sad
from s2sad import grad


class ByItems(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


class Itself(dict):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.__dict__ = self


class ByMethods(dict):
    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class Scaled(dict):
    scale = 3.0

    @property
    def largest(self) -> Any:
        return max(self.values())

    def total(self) -> Any:
        return sum(self.values()) * self.scale


def attributes_and_items(p: Any) -> Any:
    return p.a * p.b**2 + p["a"] * len(p)


def attributes_after_a_branch(p: Any) -> Any:
    if p.a > 0.0:
        p["a"] = p["a"] * p.b
    return p.a * p.b


@pytest.mark.parametrize("cls", [ByItems, Itself, ByMethods])
def test_items_by_attributes(cls: Any) -> None:
    slope = grad(attributes_and_items)
    for _ in range(2):
        assert slope(cls(a=0.5, b=2.0)) == {"a": 6.0, "b": 2.0}
    assert slope(cls(a=0.5, b=2.0, c=1.0))["a"] == 7.0
    assert grad(attributes_after_a_branch)(cls(a=0.5, b=2.0)) == {"a": 4.0, "b": 2.0}
    with pytest.raises(s2sad.S2sadError):
        slope(dict(a=0.5, b=2.0))


def test_methods_and_properties() -> None:
    assert grad(lambda p: p.total() * p.largest)(Scaled(a=1.0, b=2.0)) == {"a": 6.0, "b": 15.0}


def test_an_attribute_of_the_object_itself_comes_first() -> None:
    def total(p: Any) -> Any:
        return p.total()

    slope, p = grad(total), Scaled(a=1.0, b=2.0)
    assert slope(p) == {"a": 3.0, "b": 3.0}
    p.scale = 5.0
    with pytest.raises(s2sad.UnsupportedSyntax, match="`scale` is an attribute of a dict of class Scaled") as caught:
        slope(p)
    assert "test_dict_classes.py" in str(caught.value)
    with pytest.raises(s2sad.UnsupportedSyntax, match="`scale` is an attribute"):
        grad(lambda p: total(p) if p["a"] > 5.0 else (p.update(a=p["b"]), total(p))[1])(p)
    del p.scale
    assert slope(p) == {"a": 3.0, "b": 3.0}


def test_which_class_it_is() -> None:
    def told(p: Any) -> Any:
        return p["a"] * (2.0 if isinstance(p, Scaled) else 3.0) * (5.0 if type(p) is dict else 7.0)

    slope = grad(told)
    for _ in range(2):
        assert slope(Scaled(a=1.0)) == {"a": 14.0}
        assert slope({"a": 1.0}) == {"a": 15.0}
        assert slope(collections.OrderedDict(a=1.0)) == {"a": 21.0}


def test_which_class_it_is_is_not_told_of_one_at_run_time() -> None:
    def told(p: Any, key: str) -> Any:
        return p[key] * (2.0 if isinstance(p, Scaled) else 3.0)

    def known(p: Any, key: str) -> Any:
        return sum(p[k] for k in sorted([key])) * (2.0 if isinstance(p, dict) else 3.0)

    by_keys = grad(lambda p, keys: sum(told(p, k) for k in keys))
    with pytest.raises(s2sad.UnsupportedSyntax, match="of which class this dict is"):
        by_keys(Scaled(a=1.0), ["a"])
    assert by_keys(collections.OrderedDict(a=1.0), ["a"]) == {"a": 3.0}
    assert grad(known)(Scaled(a=1.0), "a") == {"a": 2.0}


def stepped(p: Any, n: int) -> Any:
    for _ in range(n):
        p = {key: value * p["a"] for key, value in p.items()}
    return p["a"] * p["b"]


def replaced(p: Any, n: int) -> Any:
    if n > 1:
        p = {"a": p["b"] ** 2, "b": p["a"]}
    return p["a"] * p["b"]


def asked(p: Any, n: int, cls: Any) -> Any:
    if n > 1:
        p = {"a": p["b"] ** 2, "b": p["a"]}
    return p["a"] * (2.0 if isinstance(p, cls) else 3.0)


@pytest.mark.parametrize("f", [stepped, replaced])
def test_a_dict_of_another_class_may_take_its_place(f: Any) -> None:
    for cls in (Scaled, ByMethods, collections.OrderedDict):
        for n in (0, 1, 3):
            assert grad(f)(cls(a=0.5, b=2.0), n) == pytest.approx(grad(f)({"a": 0.5, "b": 2.0}, n))
        with pytest.raises(s2sad.UnsupportedSyntax, match="a dict of one class on one path"):
            grad(asked)(cls(a=0.5, b=2.0), 3, cls)


OUTSIDE = Scaled(a=1.0, b=2.0)


def test_one_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = grad(lambda x: x * OUTSIDE.total())
    assert slope(0.5) == 9.0
    monkeypatch.setattr(OUTSIDE, "scale", 1.0)
    with pytest.raises(s2sad.UnsupportedSyntax, match="`scale` is an attribute"):
        slope(0.5)


@pytest.mark.parametrize("cls", [ByItems, ByMethods])
def test_made_inside(cls: Any) -> None:
    def made(x: float) -> Any:
        p = cls(a=x, b=x * x)
        p.c = p.a * p.b
        return p["c"] * p.b * len(p) * (2.0 if isinstance(p, cls) else 1.0)

    assert grad(made)(1.0) == pytest.approx(30.0)


def test_a_constructor_is_refused() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="handled where it has no `__init__`"):
        grad(lambda x: Itself(a=x).a)(1.0)
