"""Lists and dicts that exist at run time: which may be one object, and what is put into them."""

from __future__ import annotations

from typing import Any

from s2sad.ir import kinds as K
from s2sad.ir.nodes import Var

__all__ = ["Containers"]


class Containers:
    """Which lists (and dicts) may be one object, and what may be put into them.

    Kinds of items are found by lowering again until nothing new is put anywhere: ``items`` maps
    the place in the source where a container is made to the kind of its items.
    """

    def __init__(self, items: dict[Any, K.Kind]) -> None:
        self.items = items
        self.parent: dict[Any, Any] = {}
        self.inner: dict[Any, Any] = {}
        self.sites: dict[Any, set[Any]] = {}
        self.pending: dict[Any, K.Kind] = {}

    def find(self, v: Any) -> Any:
        while self.parent.get(v, v) != v:
            v = self.parent[v]
        return v

    def union(self, a: Any, b: Any) -> None:
        """The two may be one container."""
        work = [(a, b)]
        while work:
            a, b = (self.find(x) for x in work.pop())
            if a == b:
                continue
            self.parent[b] = a
            self.sites.setdefault(a, set()).update(self.sites.pop(b, ()))
            if b in self.pending:
                self.pending[a] = K.join(self.pending.get(a, K.BOTTOM), self.pending.pop(b))
            if b in self.inner:
                inner = self.inner.pop(b)
                if a in self.inner:
                    work.append((self.inner[a], inner))
                else:
                    self.inner[a] = inner

    def item(self, v: Any) -> Any:
        """The class of a container's items."""
        root = self.find(v)
        return self.find(self.inner.setdefault(root, ("items", root)))

    def made(self, v: Var, site: Any) -> None:
        """A container was made at ``site``."""
        self.sites.setdefault(self.find(v), set()).add(site)

    def put(self, container: Any, value: Any, kind: K.Kind) -> None:
        """An item was put into a container."""
        root = self.find(container)
        self.pending[root] = K.join(self.pending.get(root, K.BOTTOM), K.without_shape(kind))
        if isinstance(kind, K.List | K.Dict) and isinstance(value, Var):
            self.union(self.item(container), value)

    def settle(self) -> bool:
        """Whether ``items`` already held all that was put; it does now."""
        settled = True
        for root, kind in self.pending.items():
            for site in self.sites.get(self.find(root), ()):
                wider = K.join(self.items.get(site, K.BOTTOM), kind)
                if wider != self.items.get(site, K.BOTTOM):
                    self.items[site] = wider
                    settled = False
        return settled
