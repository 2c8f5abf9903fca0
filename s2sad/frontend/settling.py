"""Kinds of lists and dicts that the function did not make: what they come with, and all that it puts into them."""

from __future__ import annotations

from typing import Any

from s2sad.frontend.interface import Lowering
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Var

__all__ = ["settle"]


def settle(lowerer: Lowering, var: Var, site: Any) -> None:
    """Give a list or dict from outside the kind of all that turned out to be put into it, and into lists in it.

    ``site`` stands for the place where it is made.
    """
    kind = _settled(lowerer, var, var.kind, site)
    if kind != var.kind:
        object.__setattr__(var, "kind", kind)
    if isinstance(kind, K.List | K.Dict) and kind.fields is not None:
        lowerer.fielded.add(var)


def _settled(lowerer: Lowering, container: Any, kind: K.Kind, site: Any) -> K.Kind:
    if not isinstance(kind, K.List | K.Dict):
        return kind
    containers = lowerer.containers
    containers.made(container, site)
    containers.put_key(container)
    item = K.join_items(containers.items.get(site, K.BOTTOM), kind.item)
    if isinstance(item, K.List | K.Dict):
        item = _settled(lowerer, containers.item(container), item, ("items", site))
    return kind if item == kind.item else type(kind)(item)
