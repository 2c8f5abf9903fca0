"""Live ranges: between which points of the text a variable's value is needed.

One backward walk numbers the points of a function downwards from 0, its end.  Each variable
gets disjoint segments ``(definition, last read)``, with holes where branches or loops do
not need it; two variables may share a name if no segments of theirs overlap.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

from s2sad.backend.jumps import tree_reads
from s2sad.backend.tree import (
    Assign,
    Branch,
    Context,
    Def,
    FunctionTree,
    Jump,
    Loop,
    Note,
    Simple,
    Tree,
    TreeStmt,
    Unpack,
)
from s2sad.ir.nodes import Var

__all__ = ["Ranges", "Segments", "live_ranges", "merged", "overlap"]

Segments = list[tuple[int, int]]


@dataclass
class Ranges:
    """Segments by variable, in order of definition in the text; who hands a value to whom; nested functions.

    ``copies`` are (target, source) of jumps, those of inner loops' back edges first. ``bodies``
    gives for each loop index the extent of the loop, in which its name is not to be taken; ``start`` is where the
    function begins.
    """

    segments: dict[Var, Segments] = field(default_factory=dict)
    copies: list[tuple[Var, Var]] = field(default_factory=list)
    closures: list[Def] = field(default_factory=list)
    bodies: dict[Var, tuple[int, int]] = field(default_factory=dict)
    start: int = 0


def live_ranges(function: FunctionTree) -> Ranges:
    """The live ranges of a function's own variables; those it captures are its owner's."""
    walker = _Walker()
    walker.tree(function.body)
    walker.pos -= 1
    for p in function.params:
        walker.define(p)
    own = {v: sorted(s) for v, s in walker.segments.items() if v in walker.defined}
    walker.capture(own)
    ordered = sorted(own.items(), key=lambda item: item[1][0])
    return Ranges(dict(ordered), walker.copies, walker.closures, walker.bodies, walker.pos)


def overlap(a: Segments, b: Segments) -> bool:
    """Whether two sorted lists of segments have a point in common."""
    if a[-1][1] < b[0][0] or b[-1][1] < a[0][0]:
        return False
    if len(a) > len(b):  # what is added to a name is small, what it stands for by then is not
        a, b = b, a
    for start, end in a:
        k = bisect_left(b, (start,))
        if (k and b[k - 1][1] >= start) or (k < len(b) and b[k][0] <= end):
            return True
    return False


def merged(a: Segments, b: Segments) -> Segments:
    """The union of two sorted lists of segments that do not overlap."""
    return sorted(a + b)


class _Walker:
    """The backward walk. ``live`` maps what is needed here to where the segment ends."""

    def __init__(self) -> None:
        self.pos = 0
        self.live: dict[Var, int] = {}
        self.log: list[Var] = []
        self.segments: dict[Var, Segments] = {}
        self.defined: set[Var] = set()
        self.copies: list[tuple[Var, Var]] = []
        self.closures: list[Def] = []
        self.loops: list[set[Var]] = []
        self.bodies: dict[Var, tuple[int, int]] = {}

    # -- points -----------------------------------------------------------------

    def read(self, vs: Iterable[Var]) -> None:
        """The variables are needed at this point and before."""
        for v in vs:
            if v not in self.live:
                self.live[v] = self.pos
                self.log.append(v)

    def define(self, v: Var) -> None:
        """The variable's value begins at this point."""
        end = self.live.pop(v, self.pos)
        self.defined.add(v)
        self.segments.setdefault(v, []).append((self.pos, end))

    def jump(self, jump: Jump) -> None:
        """A block's end: targets take values at once, and a flag is of the values before."""
        for target, value in zip(jump.targets, jump.values, strict=False):
            self.define(target)
            if value is not None and value.atom is not None:
                self.copies.append((target, value.atom))
        self.pos -= 1
        for value in (*jump.values, jump.flag):
            if value is not None:
                self.read(value.uses)
        self.pos -= 1

    # -- statements ---------------------------------------------------------------

    def tree(self, tree: Tree) -> None:
        """A block, backwards."""
        if tree.end is not None:
            self.jump(tree.end)
        for stmt in reversed(tree.stmts):
            self.stmt(stmt)

    def stmt(self, stmt: TreeStmt) -> None:
        """One statement."""
        match stmt:
            case Note():
                return
            case Simple(uses=uses):
                self.read(uses)
            case Assign(target=target, value=value):
                self.define(target)
                self.pos -= 1
                self.read(value.uses)
            case Unpack(targets=targets, value=value):
                for target in targets:
                    self.define(target)
                self.pos -= 1
                self.read(value.uses)
            case Branch():
                self.branch(stmt)
            case Loop():
                self.loop(stmt)
            case Context():
                self.tree(stmt.body)
                if stmt.target is not None:
                    self.define(stmt.target)
                    self.pos -= 1
                self.read(stmt.context.uses)
            case Def(target=target, captured=captured):
                self.closures.append(stmt)
                if self.loops:
                    stmt.rebound = tuple(v for v in captured if v in self.loops[0])
                self.define(target)
                self.pos -= 1
                self.read(captured)
        self.pos -= 1

    def branch(self, s: Branch) -> None:
        """Both branches; what only one of them needs has a hole over the other."""
        after = {r: self.live[r] for r in s.results if r in self.live}
        mark = len(self.log)
        self.tree(s.orelse)
        for r, end in after.items():
            if self.live.get(r) == end:  # the branch never reaches its end
                del self.live[r]
        self.pos -= 1
        only_else = [v for v in dict.fromkeys(self.log[mark:]) if v in self.live]
        for v in only_else:
            self.segments.setdefault(v, []).append((self.pos, self.live.pop(v)))
        self.pos -= 1
        end = self.pos
        self.live.update(dict.fromkeys(after, end))
        self.pos -= 1
        self.tree(s.then)
        for r in after:
            if self.live.get(r) == end:
                del self.live[r]
        self.pos -= 1
        self.read(only_else)
        self.read(s.cond.uses)

    def loop(self, s: Loop) -> None:
        """What the body reads from outside is needed to its end."""
        defined = _defined(s)
        inside = set(tree_reads(s.body))
        if s.test is not None:
            inside.update(tree_reads(s.test))
        after = [p for p in s.params if p in self.live]
        self.read(v for v in tree_reads_ordered(s) if v not in defined)
        self.read(p for p in s.params if p in inside)
        self.pos -= 1
        end = self.pos
        self.loops.append(defined)
        self.tree(s.body)
        self.loops.pop()
        self.pos -= 1
        for v in s.items:
            self.define(v)
        self.pos -= bool(s.items)
        if s.index is not None:
            self.define(s.index)
            self.bodies[s.index] = (self.pos, end)
            self.pos -= 1
        self.read(after)
        if s.test is not None:
            self.tree(s.test)
        self.pos -= 1
        for bound in s.bounds:
            self.read(bound.uses)
        self.pos -= 1
        self.jump(s.entry)

    def capture(self, segments: dict[Var, Segments]) -> None:
        """What a closure reads stays as it is from its definition to the end of the function."""
        for v in {v: None for closure in self.closures for v in (*closure.captured, closure.target)}:
            if v in segments:
                last = segments[v][-1][0]
                segments[v][-1] = (last, 0)


def tree_reads_ordered(s: Loop) -> list[Var]:
    """What the body and test of a loop read, each once, in order of the text."""
    reads = dict.fromkeys(tree_reads(s.test)) if s.test is not None else {}
    reads.update(dict.fromkeys(tree_reads(s.body)))
    return list(reads)


def _defined(s: Loop) -> set[Var]:
    """Every variable defined in a loop, its index and params included."""
    found = {*s.params, *s.items}
    if s.index is not None:
        found.add(s.index)
    stack = [s.body] if s.test is None else [s.body, s.test]
    while stack:
        tree = stack.pop()
        if tree.end is not None:
            found.update(tree.end.targets)
        for stmt in tree.stmts:
            match stmt:
                case Assign(target=target):
                    found.add(target)
                case Unpack(targets=targets):
                    found.update(targets)
                case Branch(then=then, orelse=orelse):
                    stack += (then, orelse)
                case Loop():
                    found.update((*stmt.params, *stmt.items))
                    if stmt.index is not None:
                        found.add(stmt.index)
                    stack.append(stmt.body)
                    if stmt.test is not None:
                        stack.append(stmt.test)
                case Context():
                    if stmt.target is not None:
                        found.add(stmt.target)
                    stack.append(stmt.body)
                case Def(target=target):
                    found.add(target)
    return found
