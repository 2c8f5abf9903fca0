"""Coalesce: which variables become one, and under which name.

A variable that takes another's value at a jump shares its name where their live ranges
allow, so that no copy is needed::

    for i in range(n) carrying (s = s_0): s_1 = s + x; next s_1     =>      s = s + x

After that, what does not overlap may still share a name that both were given.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from s2sad.backend.ranges import Ranges, Segments, merged, overlap
from s2sad.backend.tree import FunctionTree
from s2sad.ir.nodes import Var
from s2sad.names import candidates, identifier, is_temporary

__all__ = ["name_variables"]


def name_variables(
    function: FunctionTree, ranges: Ranges, reserved: Container[str], keep_params: bool = True, joint: str = "_"
) -> dict[Var, str]:
    """A name for each variable; parameters keep theirs where callers may pass them by name.

    ``joint`` is what stands before the number in a name that has one.
    """
    webs = _Webs(function, ranges, keep_params, joint)
    webs.join()
    return webs.names(reserved)


class _Webs:
    """Sets of variables that share one name."""

    def __init__(self, function: FunctionTree, ranges: Ranges, keep_params: bool, joint: str) -> None:
        self.joint = joint
        self.params = function.params
        self.suggested = function.names
        self.unbound = function.undefined
        self.recorded = function.recorded
        self.ranges = ranges
        self.parent: dict[Var, Var] = {}
        self.segments: dict[Var, Segments] = dict(ranges.segments)
        self.fixed: dict[Var, str] = {p: p.hint if keep_params else "" for p in function.params}

    def base(self, v: Var) -> str:
        """The name a variable would like to have."""
        name = self.suggested.get(v) or identifier(v.hint)
        return name if self.joint == "_" else re.sub(r"_(\d+)$", rf"{self.joint}\1", name)

    def find(self, v: Var) -> Var:
        """The variable that stands for v's web."""
        root = v
        while root in self.parent:
            root = self.parent[root]
        while v is not root:
            self.parent[v], v = root, self.parent[v]
        return root

    def join(self) -> None:
        """Merge the two ends of copies where that is sound, like names first."""
        copies = [(a, b) for a, b in self.ranges.copies if b in self.segments and a in self.segments]
        copies.reverse()
        for target, source in copies:
            if self.base(target) == self.base(source):
                self.merge(target, source)
        for target, source in copies:
            if is_temporary(source.hint) or is_temporary(target.hint):
                self.merge(target, source)
        for target, source in copies:
            self.merge(target, source)

    def merge(self, target: Var, source: Var) -> None:
        """Make two webs one unless they overlap, or a parameter's name would be lent to another variable."""
        a, b = self.find(target), self.find(source)
        if a is b or (a in self.fixed and b in self.fixed) or overlap(self.segments[a], self.segments[b]):
            return
        lent = (a in self.fixed or b in self.fixed) and self.base(a) != self.base(b)
        if lent and not is_temporary(a.hint) and not is_temporary(b.hint):
            return
        if b in self.fixed or (a not in self.fixed and is_temporary(a.hint) and not is_temporary(b.hint)):
            a, b = b, a
        self.parent[b] = a
        self.segments[a] = merged(self.segments[a], self.segments[b])

    def names(self, reserved: Container[str]) -> dict[Var, str]:
        """Names in order of first definition; one name serves several webs that do not overlap.

        One that may be unbound where it is read has a name of its own: what is found there is no other's value.
        """
        roots = sorted((v for v in self.segments if v not in self.parent), key=lambda v: self.segments[v][0])
        roots = [*self.params, *(v for v in roots if v not in self.fixed)]
        pool = _Pool(reserved, self.joint)
        extents = dict(self.segments)
        for index, body in self.ranges.bodies.items():
            root = self.find(index)
            extents[root] = disjoint([*extents[root], body])
        for root in {self.find(v) for v in self.unbound if v in self.segments}:
            extents[root] = [(self.ranges.start, 0)]
        again = {self.find(v): source for v, source in self.recorded.items() if v in self.segments}
        chosen: dict[Var, str] = {}
        for v in roots:
            before = self.name_before(v, again.get(v), chosen)
            chosen[v] = pool.take(self.fixed.get(v), self.base(v), extents[v], before)
        return {v: chosen[self.find(v)] for v in self.segments}

    def name_before(self, v: Var, source: Var | None, chosen: dict[Var, str]) -> str | None:
        """The name of what was recorded, for a variable that takes it again and would have one like it."""
        name = None if source is None else chosen.get(self.find(source))
        return name if name is not None and without_number(name) == without_number(self.base(v)) else None


def without_number(name: str) -> str:
    """A name without the number that tells it from others."""
    return re.sub(r"_?\d+$", "", name)


def disjoint(segments: Segments) -> Segments:
    """The union of segments as disjoint ones, in order."""
    out: Segments = []
    for start, end in sorted(segments):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


class _Pool:
    """The names in use, and where."""

    def __init__(self, reserved: Container[str], joint: str) -> None:
        self.reserved = reserved
        self.joint = joint
        self.used: dict[str, Segments] = {}
        self.made: dict[str, list[str]] = {}
        self.fresh: dict[str, Iterator[str]] = {}

    def take(self, fixed: str | None, base: str, segments: Segments, wish: str | None = None) -> str:
        """A name for a web: a wish, the base itself, or with the first number that is free over its segments."""
        is_free = wish is not None and not overlap(self.used[wish], segments)
        name = fixed or (wish if wish is not None and is_free else self.free(base, segments))
        used = self.used.setdefault(name, [])
        in_order = not used or used[-1] < segments[0]
        used.extend(segments)
        if not in_order:
            used.sort()
        return name

    def free(self, base: str, segments: Segments) -> str:
        """The first of base, base_1, ... that may be used; only the latest are tried of very many."""
        made = self.made.setdefault(base, [])
        for name in made if len(made) < 16 else (*made[:4], *made[-4:]):
            if not overlap(self.used[name], segments):
                return name
        for name in self.fresh.setdefault(base, candidates(base, self.joint)):
            if name in self.reserved:
                continue
            made.append(name)
            if name not in self.used or not overlap(self.used[name], segments):
                return name
        raise AssertionError("candidates never end")
