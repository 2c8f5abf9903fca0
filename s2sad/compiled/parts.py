"""One tape for each part of what is recorded.

Before::

    def f(x: float64[1], n: int):
        tape: list[(float64[1], (float64[1], int), float)] = []
        for i in range(0, n):
            a: float64[1] = np.sin(x)
            s: float = np.sum(a)
            p: (float64[1], int) = (a, i)
            t: (float64[1], (float64[1], int), float) = (a, p, s)
            list_append(tape, t)
        for j in range(0, n):
            u: (float64[1], (float64[1], int), float) = list_pop(tape, -1)
            b: float64[1] = u[0]
            q: (float64[1], int) = u[1]
            k: int = q[1]
            print(b, k)
        return x

After::

    def f(x, n):
        a_tape = []
        i_tape = []
        for i in range(0, n):
            a = np.sin(x)
            s = np.sum(a)
            list_append(a_tape, a)
            list_append(i_tape, i)
        for j in range(0, n):
            b = list_pop(a_tape, -1)
            k = list_pop(i_tape, -1)
            print(b, k)
        return x

What is not read is not recorded, and what is recorded twice is recorded once. Where a tuple is needed as one it is put
together again.

Requires: nothing of the IR. Tapes are lists that are appended to and popped from in one place each.
Ensures: the same values; a part has a memory of its own for analyses that look at what a list holds.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Stmt, Var
from s2sad.ir.rewrite import all_blocks, map_stmts, substitute, use_counts, uses_of, walk, with_body

__all__ = ["Tape", "find_tapes", "groups_of", "split_tapes"]

Path = tuple[int, ...]  #: where in nested tuples a part is


@dataclass(slots=True)
class Tape:
    """A list, where it is made, appended to and popped from, and its copy in a pullback."""

    made: Op
    append: Op | None = None
    pop: Op | None = None
    copy: Op | None = None
    other: bool = False  #: it is used in another way, too
    parts: dict[Path, list[Op]] = field(default_factory=dict)  #: what takes parts of what was popped
    whole: dict[Path, Var] = field(default_factory=dict)  #: the tuples among these that are needed as they are

    @property
    def value(self) -> Atom:
        """What is recorded."""
        assert self.append is not None
        return self.append.args[1]

    @property
    def kind(self) -> K.Kind:
        """The kind of what is recorded."""
        return kind_of(self.value)


def find_tapes(function: Function) -> list[Tape]:
    """The lists of a function that are tapes: an append, perhaps a copy, a pop, and nothing else."""
    found = {
        s.target: Tape(s)
        for s in walk(function)
        if isinstance(s, Op) and s.fn is prims.make_list and not s.args and s.target is not None
    }
    finder = _Finder(found)
    for s in walk(function):
        finder.note(s)
    for block in all_blocks(function):  # after its statements: what it hands over may be a part taken there
        finder.others(block.outs)
    return [t for t in found.values() if t.append and t.pop and not t.other]


def groups_of(function: Function, tapes: Iterable[Tape]) -> list[list[Tape]]:
    """Tapes by the blocks that make them, append to them and pop from them: they grow and shrink as one."""
    places = {id(s): id(b) for b in all_blocks(function) for s in b.stmts}
    groups: dict[tuple[int, int, int], list[Tape]] = {}
    for t in tapes:
        groups.setdefault((places[id(t.made)], places[id(t.append)], places[id(t.pop)]), []).append(t)
    return list(groups.values())


class _Finder:
    """Notes what statements do with lists, and with what is popped from them."""

    def __init__(self, made: dict[Var, Tape]) -> None:
        self.made = made
        self.names = dict(made)
        self.popped: dict[Var, tuple[Tape, Path]] = {}

    def note(self, s: Stmt) -> None:
        """A statement."""
        made, names = self.made, self.names
        match s:
            case Op(target=None, fn=prims.list_append, args=(Var() as v, value)) if v in made and not made[v].append:
                made[v].append = s
                self.others((value,))
            case Op(target=Var() as copy, fn=prims.list_copy, args=(Var() as v,)) if v in made and not made[v].copy:
                made[v].copy = s
                names[copy] = made[v]
            case Op(target=Var() as item, fn=prims.list_pop, args=(Var() as v, Const(-1))) if (
                v in names and not names[v].pop
            ):
                names[v].pop = s
                self.popped[item] = names[v], ()
            case Op(target=Var() as part, fn=operator.getitem, args=(Var() as v, Const(int(k)))) if (
                v in self.popped and _is_plain(v.kind) and 0 <= k < len(v.kind.items)  # type: ignore[attr-defined]
            ):
                tape, path = self.popped[v]
                tape.parts.setdefault((*path, k), []).append(s)
                self.popped[part] = tape, (*path, k)
            case _:
                self.others(uses_of(s))

    def others(self, atoms: Sequence[Atom]) -> None:
        """Any other use."""
        for a in atoms:
            if isinstance(a, Var) and a in self.names:
                self.names[a].other = True
            elif isinstance(a, Var) and a in self.popped:
                tape, path = self.popped[a]
                tape.whole[path] = a


def split_tapes(function: Function) -> Function:
    """Make a tape for each part."""
    replaced: dict[int, tuple[Stmt, ...]] = {}
    again: dict[Var, Atom] = {}
    definitions = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}
    counts = use_counts(function)
    for tape in find_tapes(function):
        assert tape.pop is not None and tape.pop.target is not None
        if _is_plain(tape.kind) and _alike(tape.kind, tape.pop.target.kind):
            _Splitter(tape, definitions, counts, again).replace(replaced)
    if not replaced:
        return function
    body = map_stmts(function.body, lambda s: replaced.get(id(s), s))
    return with_body(function, substitute(body, again) if again else body)


class _Splitter:
    """Replaces one tape of tuples."""

    def __init__(self, tape: Tape, definitions: dict[Var, Op], counts: dict[Var, int], again: dict[Var, Atom]) -> None:
        self.tape = tape
        self.definitions = definitions
        self.counts = counts
        self.again = again
        self.before: list[Stmt] = []  #: statements that take apart what is recorded
        self.gone: list[Op] = []
        self.leaves: dict[Path, Atom] = {}

    def replace(self, replaced: dict[int, tuple[Stmt, ...]]) -> None:
        """Note what takes the place of the statements of the tape."""
        tape = self.tape
        assert tape.append is not None and tape.pop is not None
        self.take(tape.value, (), last=True)
        lists = self.lists()
        made = [Op(v, prims.make_list, ()) for v in lists.values()]
        appends = [Op(None, prims.list_append, (v, a), (), tape.append.origin) for a, v in lists.items()]
        replaced[id(tape.made)] = tuple(made)
        replaced[id(tape.append)] = (*self.before, *appends)
        names = lists
        if tape.copy is not None:
            names = {a: Var(v.hint, v.kind) for a, v in lists.items()}
            replaced[id(tape.copy)] = tuple(Op(names[a], prims.list_copy, (v,)) for a, v in lists.items())
        replaced[id(tape.pop)] = tuple(self.popped(names))
        replaced.update({id(op): () for ops in tape.parts.values() for op in ops})
        replaced.update({id(op): () for op in self.gone})

    def take(self, value: Atom, path: Path, last: bool) -> None:
        """The parts of what is recorded, where they are read; ``last`` says that nothing else needs the whole."""
        kind = kind_of(value)
        if not _is_plain(kind):
            if any(read == path[: len(read)] for read in self.tape.whole):
                self.leaves[path] = value
            return
        maker = self.definitions.get(value) if isinstance(value, Var) else None
        if maker is not None and maker.fn is prims.make_tuple:
            assert isinstance(value, Var)
            last = last and self.counts.get(value) == 1
            if last:
                self.gone.append(maker)
            parts: Sequence[Atom] = maker.args
        else:
            taken = [Var("", k) for k in kind.items]  # type: ignore[attr-defined]
            self.before += [Op(v, operator.getitem, (value, Const(n))) for n, v in enumerate(taken)]
            parts, last = taken, False
        for n, part in enumerate(parts):
            self.take(part, (*path, n), last)

    def lists(self) -> dict[Atom, Var]:
        """A list for each value that is recorded."""
        return {a: Var(_hint(a), K.List(kind_of(a))) for a in dict.fromkeys(self.leaves.values())}

    def popped(self, lists: dict[Atom, Var]) -> Iterator[Stmt]:
        """What takes the parts back, and puts tuples together again."""
        first: dict[Atom, Var] = {}
        for path, a in self.leaves.items():
            named = [op.target for op in self.tape.parts.get(path, ()) if op.target is not None]
            if a not in first:
                first[a] = named.pop(0) if named else Var(getattr(a, "hint", ""), kind_of(a))
                yield Op(first[a], prims.list_pop, (lists[a], Const(-1)))
            self.again.update(dict.fromkeys(named, first[a]))
        for path in sorted(self.tape.whole, key=len, reverse=True):
            if path not in self.leaves:
                yield from self.together(path, first)

    def together(self, path: Path, first: dict[Atom, Var]) -> Iterator[Stmt]:
        """The tuple at a place, made of its parts."""
        kind = self.tape.kind
        for k in path:
            assert isinstance(kind, K.Tuple)
            kind = kind.items[k]
        tape = self.tape
        assert tape.pop is not None
        named = [op.target for op in tape.parts.get(path, ())] if path else [tape.pop.target]
        target = named[0]
        assert target is not None and isinstance(kind, K.Tuple)
        parts: list[Atom] = []
        for k in range(len(kind.items)):
            inner = (*path, k)
            if inner in self.leaves:
                parts.append(first[self.leaves[inner]])
            else:
                part = Var("", kind.items[k])
                yield from self.made(part, inner, first)
                parts.append(part)
        yield Op(target, prims.make_tuple, tuple(parts))
        self.again.update({v: target for v in named[1:] if v is not None})

    def made(self, target: Var, path: Path, first: dict[Atom, Var]) -> Iterator[Stmt]:
        """A tuple within one that is needed as it is."""
        assert isinstance(target.kind, K.Tuple)
        parts: list[Atom] = []
        for k, kind in enumerate(target.kind.items):
            inner = (*path, k)
            if inner in self.leaves:
                parts.append(first[self.leaves[inner]])
            else:
                part = Var("", kind)
                yield from self.made(part, inner, first)
                parts.append(part)
        yield Op(target, prims.make_tuple, tuple(parts))


def _is_plain(kind: K.Kind) -> bool:
    """Whether it is a tuple of Python's own."""
    return isinstance(kind, K.Tuple) and kind.cls is None


def _alike(a: K.Kind, b: K.Kind) -> bool:
    """Whether two kinds have the same tuples in them."""
    match a, b:
        case K.Tuple(xs, c), K.Tuple(ys, d):
            return c is d and len(xs) == len(ys) and all(map(_alike, xs, ys))
    return not isinstance(a, K.Tuple) and not isinstance(b, K.Tuple)


def _hint(a: Atom) -> str:
    """The name of a list, after what it holds."""
    return f"{getattr(a, 'hint', '') or 't'}_tape"
