"""Loops: what they carry, at which kinds, is found by iteration to a fixpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from s2sad.frontend.branches import Branches
from s2sad.frontend.builder import FALSE, Builder, Place, note_join, same_container
from s2sad.frontend.handed import NO_SITES, Sites
from s2sad.frontend.leaves import (
    are_alike,
    common_class,
    hint_of,
    is_tracked,
    join_atoms,
    name_for,
    records_of,
    replace_leaves,
    shaped,
    tracked_of,
    undefined_like,
)
from s2sad.frontend.options import Options, has_numbers_of, joined, lasting_options, number_of, renumbered
from s2sad.frontend.values import (
    SERIALS,
    AVal,
    Conflict,
    DictV,
    IterV,
    ObjectV,
    RangeV,
    TupleV,
    UnionV,
    is_atom,
    is_unbound,
    kind_of,
)
from s2sad.ir import kinds as K
from s2sad.ir.nodes import UNDEF, Atom, Block, Const, Origin, Ref, Stmt, Var

__all__ = ["Loops"]


class Loops(Branches):
    """The part of the builder that closes loops."""

    def loop(
        self,
        make: Callable[[tuple[Var, ...], tuple[Atom, ...], Block, tuple[Var, ...], bool], Stmt],
        body: Callable[[], Atom],
        seeds: list[Place],
        node: Any,
        before: Callable[[], None] = lambda: None,
        gone: frozenset[Place] = frozenset(),
    ) -> None:
        """Lower a loop: find what it carries, at which kinds, by iteration to a fixpoint.

        ``body`` lowers one iteration and returns the exit flag; ``before`` lowers what
        precedes it in each iteration (the test of a while). ``seeds`` are places the body
        is known to write, and nothing reads ``gone`` once an iteration is done.  What an earlier
        visit to the same ``node`` settled on is where this one starts, which keeps nested loops
        linear in their depth. Only one within the same calls is: what a helper's loop carries is
        of other kinds where that is called with an array than where with a number.
        """
        visit = (loop_key(node), *self.calls)
        guesses = self.settled.get(visit, {})
        carried: dict[Place, AVal] = {}
        entry: dict[Place, AVal] = {}
        handed: dict[Place, Sites] = {}  # of what an iteration begins with: what was made at run time as well by then
        for place in seeds:
            value = self.read(place)
            entry[place] = UNDEF if value is None else value
            handed[place] = self.handed.found_in(value, self.read)
            guess = guesses.get(place[1])
            carried[place] = entry[place] if guess is None else _wider(self, guess, entry[place])
        origin = self.origin
        for _ in range(40):
            self.origin = origin
            attempt, known = _Attempt(self, carried, entry, handed, gone), set(self.handed.sites)
            with self.overlay() as writes, self.block() as stmts, self.within(node):
                for place, value in attempt.at_start.items():
                    writes[place] = self.thaw(value)
                    self.handed.pass_on(handed.get(place, NO_SITES), writes[place], self.read)
                before()
                flag = body()
            late = any(self.was_before(r, attempt.serial) for r in self.handed.sites.keys() - known)
            if not attempt.settle(writes, stmts) or late:
                carried = attempt.next
                continue
            outs = tuple(attempt.outs)
            has_exit = flag != FALSE
            results = tuple(Var(p.hint, shaped(K.without_shape(p.kind))) for p in attempt.params)
            for same in zip(results, attempt.params, attempt.inits, outs, strict=True):
                note_join(self, *same[:2])
                for other in same[1:]:
                    same_container(self, same[0], other)
            block = Block(tuple(stmts), (*outs, flag) if has_exit else outs)
            self.origin = origin
            self.stmts.append(make(tuple(attempt.params), tuple(attempt.inits), block, results, has_exit))
            self.settled[visit] = {p[1]: v for p, v in carried.items() if not isinstance(v, Conflict)}
            replacement = dict(zip(attempt.params, results, strict=True))
            for place, value in attempt.at_start.items():
                self.write(place, self.thaw(replace_leaves(value, replacement)))
                self.handed.pass_on(handed.get(place, NO_SITES), self.read(place), self.read)
            return
        raise self.unsupported(
            "the kinds of the variables this loop changes do not settle.",
            "Give each variable one kind (number, array, tuple of fixed length) throughout the loop.",
        )

    @contextmanager
    def within_call(self, node: Any) -> Iterator[None]:
        """Lower a call, and what it calls."""
        self.calls.append((node.lineno, node.col_offset, node.end_lineno, node.end_col_offset))
        try:
            yield
        finally:
            self.calls.pop()

    @contextmanager
    def within(self, loop: Any) -> Iterator[None]:
        """Lower an iteration of a loop that is not spelt out."""
        self.around.append(id(loop))
        try:
            yield
        finally:
            self.around.pop()


def loop_key(node: Any) -> Any:
    """What names a loop from one visit to the next."""
    return (node.lineno, node.col_offset) if isinstance(node, Origin) else id(node)


class _Attempt:
    """One try at a loop: params made for the places it is assumed to carry."""

    def __init__(
        self,
        builder: Loops,
        carried: dict[Place, AVal],
        entry: dict[Place, AVal],
        handed: dict[Place, Sites],
        gone: frozenset[Place],
    ) -> None:
        self.builder = builder
        self.gone = gone
        self.serial = next(SERIALS)
        self.entry = entry
        self.handed = handed
        self.carried = carried
        self.params: list[Var] = []
        self.inits: list[Atom] = []
        self.outs: list[Atom] = []
        self.next: dict[Place, AVal] = dict(carried)
        self.at_start: dict[Place, AVal] = {
            place: self.param_for(value, entry[place], name_for(place)) for place, value in carried.items()
        }

    def param_for(self, assumed: AVal, init: AVal, hint: str) -> AVal:
        match assumed:
            case TupleV(items):
                inits = init.items if isinstance(init, TupleV) else (UNDEF,) * len(items)
                return assumed.of(self.param_for(i, j, hint) for i, j in zip(items, inits, strict=True))
            case RangeV():
                inits = (init.start, init.stop, init.step) if isinstance(init, RangeV) else (UNDEF,) * 3
                return RangeV(
                    *(
                        self.param_for(i, j, hint)  # type: ignore[arg-type]
                        for i, j in zip((assumed.start, assumed.stop, assumed.step), inits, strict=True)
                    )
                )
            case Var() | Const() | Ref():
                kind = shaped(K.without_shape(kind_of(assumed)))
                param = Var(hint or hint_of(assumed), kind)
                note_join(self.builder, param, assumed)
                self.params.append(param)
                self.inits.append(init if is_atom(init) else UNDEF)
                same_container(self.builder, param, init)
                take_forms(self.builder, param, assumed)
                return param
            case UnionV(_, options):
                param = Var(hint, K.INT)
                self.params.append(param)
                self.inits.append(UNDEF if is_unbound(init) else number_of(init, options))
                return UnionV(param, options)
        return assumed

    def settle(self, writes: dict[Place, AVal], stmts: list[Stmt]) -> bool:
        """Whether the body, of these statements, gave back what was assumed; else ``next`` holds what to assume."""
        stable = True
        for place in self.gone & writes.keys():
            if tracked_of(writes[place]):
                writes[place] = UNDEF
        for place, value in writes.items():
            if place in self.carried or (isinstance(place[0], IterV) and place[0].serial > self.serial):
                continue  # an iterator that this iteration made: the next has its own
            outer = self.builder.read(place)
            if outer is not None and outer is not value and outer != value:
                self.entry[place] = outer
                self.next[place] = outer
                self.handed[place] = self.builder.handed.found_in(outer, self.builder.read)
                stable = False
            elif outer is None and self.outlives(place):
                self.entry[place] = UNDEF if is_atom(value) else undefined_like(value)
                self.next[place] = value
                stable = False
        read = self.builder.reader(writes)
        ends = {place: self.end_of(place, start, writes, read, stmts) for place, start in self.at_start.items()}
        for place in self.at_start:
            found = self.builder.handed.found_in(writes.get(place), read) - self.handed.get(place, NO_SITES)
            if found:
                self.handed[place] = self.handed.get(place, NO_SITES) | found
                stable = False
        for place, end in ends.items():
            widened = self.widen(self.carried[place], end, place)
            if widened is not None:
                self.next[place] = widened
                stable = False
        if stable:
            for place, start in self.at_start.items():
                self.collect(start, ends[place])
        return stable

    def outlives(self, place: Place) -> bool:
        """Whether a place that the body is the first to write is there after it: a name, or an attribute."""
        if not isinstance(place[0], ObjectV):
            return place in self.builder.watched and place[0].serial < self.serial
        outlives = place[0].is_older(self.serial)
        if outlives:
            self.builder.unsure.add(place)
        return outlives

    def was_before(self, record: AVal) -> bool:
        """Whether a tracked dict or object was there before the loop."""
        return isinstance(record, DictV | ObjectV) and self.builder.was_before(record, self.serial)

    def end_of(
        self,
        place: Place,
        start: AVal,
        writes: dict[Place, AVal],
        read: Callable[[Place], AVal | None],
        stmts: list[Stmt],
    ) -> AVal:
        """A carried place's value after the body: a record as its fields once it is a different one."""
        end = writes.get(place, start)
        entry = self.entry[place]
        if isinstance(start, Conflict):
            return start
        options = lasting_options(self.carried[place])
        if options and (found := lasting_options(end)):
            known = isinstance(end, UnionV) and len(joined(options, found)) == len(options)
            return renumbered(self.builder, end, options, stmts) if known else end  # type: ignore[arg-type]
        if (records := tracked_of(end)) and end is not self.carried[place]:
            if is_unbound(self.carried[place]) and all(map(self.was_before, records)):
                return end  # every iteration leaves these very ones there
            self.builder.make_alike(end, entry, writes)
            form = self.builder.merged_form(place, end, writes, self.serial, self.gone)
            if tracked_of(entry):
                self.entry[place] = self.builder.merged_form(place, entry, {}, self.serial, self.gone)
            return form
        if records_of(self.carried[place]):
            self.builder.make_alike(end, self.carried[place], writes)
        return self.builder.apart_like(end, self.carried[place], stmts)

    def widen(self, assumed: AVal, end: AVal, place: Place) -> AVal | None:
        """None where ``end`` fits what was assumed, else something wider to assume."""
        if isinstance(assumed, Conflict):
            return None
        if (options := lasting_options(assumed)) and (found := lasting_options(end)):
            return self.widen_options(assumed, options, end, joined(options, found))
        if isinstance(assumed, TupleV) and records_of(assumed) and not records_of(end) and end != assumed:
            return self.entry[place] if same_shape(self.entry[place], end) else Conflict(assumed, end)
        if same_shape(assumed, end):
            assert isinstance(assumed, TupleV) and isinstance(end, TupleV)
            parts = [self.widen(a, e, place) for a, e in zip(assumed.items, end.items, strict=True)]
            either = assumed.either or end.either or assumed.is_list != end.is_list
            cls = common_class(assumed.cls, end.cls)
            if all(p is None for p in parts) and (either, cls) == (assumed.either, assumed.cls):
                return None
            wider = assumed.of(a if p is None else p for a, p in zip(assumed.items, parts, strict=True))
            return replace(wider, either=either, cls=cls)
        if isinstance(assumed, RangeV) and isinstance(end, RangeV):
            return None
        if is_atom(assumed) and is_atom(end):
            return self.widen_atom(assumed, end)
        if is_unbound(assumed):
            return undefined_like(end) if isinstance(end, TupleV | RangeV) else end
        if end is assumed or end == assumed or is_unbound(end):
            return None
        if is_atom(assumed) and isinstance(end, TupleV):
            self.entry[place] = self.builder.apart_like(self.entry[place], end, self.builder.stmts)
        if (is_tracked(assumed) or is_atom(assumed)) and same_shape(self.entry[place], end):
            return self.entry[place]
        return Conflict(assumed, end)  # reported where it is read before the body binds it again

    def widen_options(self, assumed: AVal, options: Options, end: AVal, both: Options) -> AVal | None:
        if len(both) > len(options):
            return UnionV(Var("", K.INT), both)
        return None if not isinstance(end, UnionV) or has_numbers_of(end, options) else Conflict(assumed, end)

    def widen_atom(self, assumed: Atom, end: Atom) -> Atom | None:
        kind = K.without_shape(join_atoms(assumed, end))
        may_be_none = end == Const(None) or end in self.builder.nullable
        was_none = assumed == Const(None) or assumed in self.builder.nullable
        known = self.builder.containers.has_forms_of(assumed, end)
        if kind == K.without_shape(kind_of(assumed)) and (was_none or not may_be_none) and known:
            return None
        wider = Var(hint_of(assumed), kind)
        note_join(self.builder, wider, assumed, end)
        take_forms(self.builder, wider, assumed, end)
        return wider

    def collect(self, start: AVal, end: AVal) -> None:
        """Append the outs that correspond to the params in ``start``."""
        match start:
            case TupleV(items):
                ends = end.items if isinstance(end, TupleV) else (UNDEF,) * len(items)
                for s, e in zip(items, ends, strict=True):
                    self.collect(s, e)
            case RangeV(a, b, c):
                ends = (end.start, end.stop, end.step) if isinstance(end, RangeV) else (UNDEF,) * 3
                for s, e in zip((a, b, c), ends, strict=True):
                    self.collect(s, e)
            case Var():
                self.outs.append(end if is_atom(end) else UNDEF)
            case UnionV(_, options):
                self.outs.append(UNDEF if is_unbound(end) else number_of(end, options))


def same_shape(a: AVal, b: AVal) -> bool:
    """Whether two values are tuples of one length, and of one class or of classes of dicts."""
    both = isinstance(a, TupleV) and isinstance(b, TupleV) and len(a.items) == len(b.items)
    return both and are_alike(a.cls, b.cls)  # type: ignore[union-attr]


def _wider(builder: Builder, guess: AVal, init: AVal) -> AVal:
    """What to assume of a carried place: an earlier finding, widened to cover its first value."""
    match guess, init:
        case TupleV(xs, c), TupleV(ys, d) if same_shape(guess, init):
            wider = init.of(_wider(builder, x, y) for x, y in zip(xs, ys, strict=True))
            return replace(wider, either=init.either or guess.either, cls=common_class(c, d))
    if (options := lasting_options(init)) and (others := lasting_options(guess)):
        both = joined(options, others)
        return UnionV(Var("", K.INT), both) if len(both) > len(options) else init
    if not (is_atom(guess) and is_atom(init)):
        return init if init != UNDEF else guess
    wide = Var(hint_of(init) or hint_of(guess), join_atoms(guess, init))
    note_join(builder, wide, guess, init)
    take_forms(builder, wide, guess, init)
    return wide


def take_forms(builder: Builder, v: Var, *others: Atom) -> None:
    """Note what the function has where a list or a dict is carried that was one of others before."""
    if isinstance(v.kind, K.List | K.Dict):
        builder.containers.take_forms_of(v, *(a for a in others if isinstance(a, Var)))
