"""Dicts of the user's classes, whose items go by attributes too, or that have methods: ``p.rate``, ``p.total()``.

An attribute is looked up as Python does it: what the class has, the object itself, then ``__getattr__``. Attributes
of the object itself are not followed, unless the dict is its own ``__dict__``; a spec says which there are.
"""

from __future__ import annotations

import types
from typing import Any

from s2sad.frontend.callees import is_library
from s2sad.frontend.interface import Lowering
from s2sad.frontend.own_items import gives_items_its_own_way
from s2sad.frontend.values import AVal, BoundV, DictV, MethodV, PyFunc
from s2sad.ir.nodes import UNDEF, Const

__all__ = ["attribute_of_dict", "dict_of_class", "store_attribute_of_dict"]


def attribute_of_dict(lo: Lowering, d: DictV, attr: str) -> AVal:
    """``d.attr`` of a dict of another class than ``dict``."""
    owner = _owner(d.cls, attr)
    if not _is_plain(_owner(d.cls, "__getattribute__")):
        raise lo.unsupported(f"`{d.cls.__name__}` looks attributes up by a `__getattribute__` of its own.")
    if attr in (lo.dict_keys(d) if d.own is None else d.own):
        return _own_attribute(lo, d, attr)
    if owner is not None:
        return MethodV(d, attr) if _is_plain(owner) else lo.class_attribute(d, d.cls, attr)
    getter = _raw(d.cls, "__getattr__")
    if getter is None:
        raise lo.unsupported(f"a dict of class {d.cls.__name__} has no attribute `{attr}` here.")
    if getter in (dict.__getitem__, dict.get):
        missing = getter is dict.get and attr not in lo.dict_keys(d)
        return Const(None) if missing else lo.dict_item(d, Const(attr))
    return lo.call(BoundV(_function(lo, d, "__getattr__", getter), d), [Const(attr)], {})


def _own_attribute(lo: Lowering, d: DictV, attr: str) -> AVal:
    """An attribute of the very object: an item, where the dict is its own ``__dict__``."""
    if d.own is None and _owner(d.cls, attr) is None:
        return lo.dict_item(d, Const(attr))
    raise lo.unsupported(
        f"`{attr}` is an attribute of a dict of class {d.cls.__name__}, which is not followed.",
        "Make it an item of the dict, or an attribute of its class.",
    )


def store_attribute_of_dict(lo: Lowering, d: DictV, attr: str, value: AVal) -> None:
    """``d.attr = value``, where the class makes an item of it."""
    setter = _raw(d.cls, "__setattr__")
    if setter is dict.__setitem__:
        lo.store_key(d, Const(attr), value)
        return
    if setter is object.__setattr__:
        raise lo.unsupported(
            f"`{attr}` is stored in a dict of class {d.cls.__name__} as an attribute, which is not followed.",
            "Store an item.",
        )
    lo.call(BoundV(_function(lo, d, "__setattr__", setter), d), [Const(attr), value], {})


def dict_of_class(lo: Lowering, cls: type, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    """``cls(...)`` of a class of dicts that are made as dicts are."""
    usual = all(_is_plain(_owner(cls, name)) for name in ("__init__", "__new__")) and not gives_items_its_own_way(cls)
    made = lo.call(PyFunc.of(dict), args, kwargs, hint) if usual else UNDEF
    if not isinstance(made, DictV):
        raise lo.unsupported(
            f"`{cls.__name__}(...)` is handled where it has no `__init__`, and its keys are known while compiling.",
            "Make a dict.",
        )
    made.cls = cls
    return made


def _owner(cls: type, attr: str) -> type | None:
    """The class that has an attribute, of a class and those that it comes of."""
    return next((base for base in cls.__mro__ if attr in vars(base)), None)


def _raw(cls: type, attr: str) -> Any:
    owner = _owner(cls, attr)
    return None if owner is None else vars(owner)[attr]


def _is_plain(owner: type | None) -> bool:
    """Whether a class is one of Python's or of a library, as what it does is known by its name."""
    return owner is None or is_library(owner)


def _function(lo: Lowering, d: DictV, name: str, raw: Any) -> PyFunc:
    """A function in a class, which is to be the same later on."""
    if not isinstance(raw, types.FunctionType):
        raise lo.unsupported(f"the `{name}` of `{d.cls.__name__}` is no function of Python's own source.")
    return PyFunc.of(raw)
