"""What is known of a function while it is lowered, beside its scopes, its containers and its loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from s2sad.frontend.loops import Loops
from s2sad.frontend.row_facts import RowFacts
from s2sad.frontend.values import (
    AVal,
    DictV,
    Frame,
    IterV,
    ObjectV,
    TupleV,
    class_of,
    is_atom,
)
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Callee, Origin, Ref, Stmt, Var

__all__ = ["State"]

_PACKAGE = str(Path(__file__).parents[1])  # where rules are, which are no part of the user's program


class State(Loops):
    """What the lowerer has found and where it is; a lowerer that starts anew takes over what the last one found."""

    def __init__(self, items: dict[Any, K.Kind], runtime_sites: set[Any], recursive: set[int] | None = None) -> None:
        super().__init__(items)
        self.recursive = set() if recursive is None else recursive
        self.outlined_early: set[int] = set()  # those that could be lowered into one body as well
        self.unrolls_more = False  # whether such are, for they cannot be functions of their own
        self.outlined: dict[Any, Any] = {}
        self.rewritten: dict[Any, Any] = {}
        self.runtime_sites = runtime_sites
        self.shape_sites: set[Any] = set()  # of the changed sites, those of lists that say how many axes an array has
        self.copied_from: dict[Var, tuple[Atom, ...]] = {}  # the lists whose items were put into a copy
        self.spelt_out: set[int] = set()  # loops and comprehensions that give functions
        self.dict_classes: set[type] = set()  # of dicts that are given and exist at run time
        self.fixed: tuple[type, ...] = ()  # of which types values outside count as they are now, where they need not
        self.lists_apart = False  # whether lists of few items are known while compiling, as far as they can be
        self.measured = False  # whether the length of a list was asked for whose items are written down
        self.not_spelt_out: set[int] = set()  # loops that would be spelt out to much (:mod:`s2sad.frontend.counted`)
        #: Such lists, by the places where they are made, and the loops around those that are not spelt out.
        self.made_within: dict[ObjectV, tuple[Any, tuple[int, ...]]] = {}
        self.names_apart = False  # whether lists of text are taken apart (:mod:`s2sad.frontend.computed_names`)
        self.few: set[int] = set()  # loops of which it is known that they have few iterations
        self.tested: set[int] = set()  # loops of which tests that are known while compiling may tell how often they run
        self.packs = True  # whether lists that are only spread over calls are tuples (:mod:`s2sad.frontend.packed`)
        self.packed_any = False
        self.left_of: dict[IterV, IterV] = {}  # what is left of iterators, just read, that `next` took items of
        self.objects: dict[Ref, ObjectV] = {}
        self.outers: dict[int, ObjectV] = {}  #: modules and cells, of which variables may be assigned, by identity
        self.seen_whole: set[int] = set()  #: objects outside of which all attributes have been looked at, by identity
        self.refs: dict[Ref, None] = {}
        self.captured: dict[Ref, AVal] = {}
        self.tuples: dict[Ref, TupleV] = {}  # those outside that hold what may be changed
        self.grown: set[Ref] = set()  # lists outside that the function appends to
        self.prologue: list[Stmt] = []
        self.rows = RowFacts()
        self.field_lists: dict[tuple[type, str], Var] = {}  # the lists of fields, by class and field
        self.fields_made: list[Stmt] = []  # the statements that make them, before all others
        self.members: dict[Var, type] = {}  # objects of one of several classes, of which it is known of which
        #: Objects that are rows by now, under the names that they had while they were made.
        self.gone: set[ObjectV] = set()
        self.active_calls: list[Any] = []
        self.entered_within: Counter[int] = Counter()  # how many calls of a function are lowered within others of it
        self.call_sites: list[Origin | None] = []  # where what is lowered by other source was called, outer first
        self.tried: list[Any] = []  # the `try` statements whose bodies are lowered for what they raise, outer first
        self.asking: dict[Any, Callee] = {}  # what tells of the exceptions of a body, by what it does
        self.asserted: list[Stmt] = []  # what the program asserts itself
        self.protected = 0  # within how many bodies of `try` this is
        self.handled: list[tuple[Frame, Var]] = []  # the exceptions whose handlers are lowered, outer first
        self.at_once: set[int] = set()  # nodes whose value the call that they are arguments of takes apart
        self.items_only: set[int] = set()  # nodes of whose value only the items are ever seen
        #: What is read before the loop in which Python reads it, by the list or the number of what the loop goes over.
        self.early: dict[Var, tuple[Atom, ...]] = {}
        self.consumers: dict[Frame, Callable[[AVal], Atom]] = {}  # what takes what a generator's activation yields
        self.managing = False  # whether the generator called next is one of `contextlib.contextmanager`
        #: Contexts of `contextlib.contextmanager` that are not entered, which they can be once, and the loops around.
        self.unentered: dict[AVal, tuple[int, ...]] = {}
        self.drawing = 0  # of how many iterators all items are asked for though Python may not ask for all
        self.parameters: frozenset[Var] = frozenset()
        self.derived: set[Var] = set()  # variables of derivatives that were put in
        self.leaves: dict[Var, Atom] = {}  # what the leaves of calls lowered apart stand for
        #: What derivatives taken inside need apart, and whether they store into its arrays, and into its containers.
        self.apart: dict[Var | Ref, tuple[bool, bool]] = {}
        self.stored_classes: dict[Var | Ref, set[str]] = {}  # of the tracked dicts and objects in these that change
        #: What is tracked of an argument or an object outside, or of what that holds, by what it is tracked as.
        self.parts_of_given: dict[DictV | ObjectV, Var] = {}

    def again(self) -> Self:
        """A lowerer that starts anew, knowing what this one has found."""
        new = type(self)({} if self.rows.is_new else self.containers.items, self.runtime_sites, self.recursive)
        new.rewritten, new.rows, new.packs = self.rewritten, self.rows, self.packs
        new.outlined_early, new.unrolls_more = self.outlined_early, self.unrolls_more
        new.spelt_out, new.changed_sites, new.changing = self.spelt_out, self.changed_sites, self.changing
        new.not_spelt_out, new.fixed, new.lists_apart = self.not_spelt_out, self.fixed, self.lists_apart
        new.names_apart, new.uneven, new.shape_sites = self.names_apart, self.uneven, self.shape_sites
        if not self.rows.is_new:  # else the kinds that were found name objects otherwise
            new.containers.nullable, new.mixed = self.nullable, self.mixed
            new.containers.meetings = self.containers.meetings
            new.empty_known = self.empty_known
            new.settled = self.guesses()
        self.rows.is_new = False
        return new

    def class_known_of(self, obj: AVal | None) -> type | None:
        """The class of an object, as far as is known here: of one of several, which it is within a method."""
        return self.members[obj] if isinstance(obj, Var) and obj in self.members else class_of(obj)

    def knowing_more(self) -> Self | None:
        """A lowerer that starts from the beginning after a refusal, with what may choose as it is now, if there is one.

        That is truth values and text outside; then integers outside as well, and how many items lists have. What was
        found when both sides of a branch could be taken is not taken over.
        """
        flags = not self.fixed and self.has_outside(bool, str)
        if not flags and (self.lists_apart or not (self.measured or self.has_outside(int))):
            return None
        new = type(self)({}, set())
        new.fixed, new.lists_apart = ((bool, str), False) if flags else ((bool, str, int), True)
        return new

    def has_outside(self, *types: type) -> bool:
        """Whether a value of one of these types was read outside that does not count as it is now."""
        return any(type(ref.value) in types and not ref.exact for ref in self.refs)

    def keep_uneven(self) -> bool:
        """Whether to start anew after a refusal, with lists of arrays of several ranks that change at run time."""
        found = ((self.uneven | self.shape_sites) & self.changed_sites) - self.runtime_sites
        if found:
            self.runtime_sites |= found
            self.changed_sites = set()  # others may have been noted because these were put into them
        return bool(found)

    def spell_out_counted(self) -> bool:
        """Whether to start anew after a refusal, with loops spelt out that were left as they are."""
        found = self.not_spelt_out - self.spelt_out
        self.spelt_out |= found
        return bool(found)

    def unroll_more(self) -> None:
        """Lower what became functions of their own into one body, the next time."""
        self.recursive -= self.outlined_early
        self.outlined_early, self.unrolls_more = set(), True

    def guesses(self) -> dict[Any, dict[str, AVal]]:
        """What the names that loops change were found to be, where that holds for another pass too."""
        return {loop: {name: v for name, v in found.items() if is_plain(v)} for loop, found in self.settled.items()}

    def is_final(self) -> bool:
        """Whether this pass knew of the lists all that it found; the next one does.

        Lists of which nothing is found are taken to be empty in the end, after a pass that finds nothing of any; it may
        ask more than once.
        """
        self.note_unknown_keys()
        self.learnt |= not all([self.containers.settle(), self.keeps_fields()])
        self.empty_known |= self.empty_used and not self.learnt
        return not (self.learnt or self.empty_used)

    @property
    def frame(self) -> Frame:
        """The activation being lowered."""
        return self.frames[-1]

    @property
    def place(self) -> tuple[Origin | None, Any]:
        """What names the place of what is lowered: a statement may have several calls that make containers."""
        return self.origin, self.calls[-1] if self.calls else None

    def here(self, node: Any) -> Origin:
        """The origin of a node of the current frame; within the source of a rule, of what it stands for."""
        site = self.call_sites[-1] if self.call_sites and self.frame.source.filename.startswith(_PACKAGE) else None
        return site or self.frame.source.origin(node)


def is_plain(value: AVal) -> bool:
    """Whether a value says nothing of one activation: a number, an array, a tuple of these."""
    return is_atom(value) or (isinstance(value, TupleV) and all(is_plain(i) for i in value.items))
