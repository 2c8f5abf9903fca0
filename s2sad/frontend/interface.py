"""What the parts of the lowerer use of one another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.builder import Fails, Place, Restart
from s2sad.frontend.state import State
from s2sad.frontend.values import (
    AVal,
    ClosureV,
    DictV,
    Frame,
    ObjectV,
    PyFunc,
    RangeV,
    Reader,
    TupleV,
)
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Ref, Stmt, Var

__all__ = ["Lowering"]


class Lowering(State, ABC):
    """The operations that the parts of the lowerer, one per sort of syntax, share."""

    # -- expressions --

    @abstractmethod
    def expr(self, node: Any, hint: str = "") -> AVal:
        """The abstract value of an expression; ``hint`` names what it computes."""

    @abstractmethod
    def take_one(self, node: Any, args: list[AVal]) -> None:
        """Note that ``next`` takes an item of an iterator that is kept, and that more may be taken of it."""

    @abstractmethod
    def hand_on(self, node: Any, args: list[AVal], kwargs: dict[str, AVal]) -> None:
        """Note that iterators just read are arguments of a function with source: its parameters read them."""

    @abstractmethod
    def as_atom(self, value: AVal, hint: str = "") -> Atom:
        """The run-time form of a value."""

    # -- outside --

    @abstractmethod
    def name(self, node: Any) -> AVal:
        """The value of a name where it is read."""

    @abstractmethod
    def lookup(self, name: str) -> AVal:
        """The value of a name, by Python's own scoping."""

    @abstractmethod
    def frame_binding(self, name: str) -> Frame | None:
        """The activation that a name is a variable of; None for one from outside."""

    @abstractmethod
    def outside_name(self, name: str) -> Ref:
        """The object that a name stands for outside the differentiated code: data is read live."""

    @abstractmethod
    def outside(self, value: Any, name: str) -> Ref:
        """A reference to an object that the loader binds by name."""

    @abstractmethod
    def outside_type(self, cls: type) -> Ref:
        """A NumPy scalar type, as an argument."""

    @abstractmethod
    def outside_value(self, ref: Ref) -> AVal:
        """What an object from outside the function is to the compiler."""

    @abstractmethod
    def rely_on(self, ref: Ref) -> None:
        """Have the entry test that a name still stands for the very object that it stood for when this was compiled."""

    @abstractmethod
    def is_outside(self, obj: Ref, name: str) -> bool:
        """Whether an object outside has an attribute: the entry tests that it still has it, or still has not."""

    @abstractmethod
    def known_value(self, value: AVal) -> AVal:
        """An integer, or text, that of a variable outside as it is now: the entry tests that it still is."""

    @abstractmethod
    def check_one_name(self, obj: ObjectV) -> None:
        """Refuse an object outside the function that is changed and goes by two names."""

    @abstractmethod
    def grown_list(self, node: Any) -> Ref | None:
        """The list outside the function that an expression names, where the function only ever appends to it."""

    @abstractmethod
    def changes_outside(self, ref: Ref) -> UnsupportedSyntax:
        """The error for a list outside the function that is read as well as changed."""

    @abstractmethod
    def module_value(self, module: Any, name: str) -> AVal:
        """A module, as a compile-time value."""

    @abstractmethod
    def outside_callable(self, fn: Any) -> AVal:
        """A callable from outside the function."""

    @abstractmethod
    def constant_argument(self, value: Any) -> AVal:
        """A value bound into a callable outside the function (by partial, or as self)."""

    @abstractmethod
    def default_value(self, value: Any) -> AVal:
        """The default of a parameter of a function outside."""

    @abstractmethod
    def rely_on_items(self, obj: Any, name: str) -> None:
        """Have the entry test that a dict of an object outside holds the very objects that it holds now."""

    # -- arithmetic --

    @abstractmethod
    def binary(self, op: Any, a: AVal, b: AVal, hint: str = "") -> AVal:
        """``a op b``"""

    @abstractmethod
    def augmented(self, op: Any, a: AVal, b: AVal, hint: str = "") -> AVal:
        """``a op= b`` of what is not changed in place, unless by its class: the new value of the target."""

    @abstractmethod
    def compare(self, op: Any, a: AVal, b: AVal) -> AVal:
        """``a op b`` for one comparison."""

    @abstractmethod
    def known_identity(self, a: AVal, b: AVal) -> bool | None:
        """Whether ``a is b``, where it is known now."""

    @abstractmethod
    def condition(self, node: Any) -> Atom | bool:
        """A test: a constant where it is known now, else an atom."""

    @abstractmethod
    def truth(self, value: AVal) -> Atom | bool:
        """Whether a value is true, as far as is known now."""

    # -- attributes --

    @abstractmethod
    def attribute(self, obj: AVal, attr: str, hint: str = "") -> AVal:
        """``obj.attr``"""

    @abstractmethod
    def class_attribute(self, obj: AVal, cls: type, attr: str) -> AVal:
        """A method, property or class variable, by Python's own lookup."""

    @abstractmethod
    def store_attribute(self, obj: AVal, attr: str, value: AVal) -> None:
        """``obj.attr = value``, tracked while compiling."""

    @abstractmethod
    def stored_again(self, obj: AVal, attr: str, value: AVal) -> None:
        """After ``obj.attr += b`` has changed an object in place, which Python then stores where it was."""

    # -- objects by rows --

    @abstractmethod
    def try_rows(self, *values: AVal) -> None:
        """Note that what is refused for these values may be handled if the objects among them are rows."""

    @abstractmethod
    def refuse_met(self, value: Atom) -> None:
        """Refuse to look into what may be of one of several classes, as long as their objects are no rows."""

    @abstractmethod
    def try_rows_in(self, changing: ObjectV) -> None:
        """The same of the objects in a list of functions or objects that changes, and of what is put there later."""

    @abstractmethod
    def try_rows_of_all(self) -> None:
        """The same of every object that there is, or that is put into a list."""

    @abstractmethod
    def note_put(self, sites: Iterable[Any], value: AVal) -> None:
        """Note that an object is put into lists made at these sites, which exist at run time only if it is a row."""

    @abstractmethod
    def row_of(self, obj: ObjectV, hint: str) -> AVal:
        """What an object that was just made is from then on: a row, if those of its class are."""

    @abstractmethod
    def unboxed(self, value: AVal) -> AVal:
        """The tuple for which a row stands; other values as they are."""

    @abstractmethod
    def own_fields(self) -> AbstractContextManager[list[Stmt]]:
        """Lower a function with lists of its own for the fields of objects, made by the statements that this gives."""

    @abstractmethod
    def refuse_gone(self, obj: ObjectV) -> None:
        """Refuse an object that is a row by now, under the name that it had while it was made."""

    @abstractmethod
    def another_row(self, row: Var) -> AVal:
        """An object with the fields of another."""

    @abstractmethod
    def row_attribute(self, obj: Var, attr: str, hint: str) -> AVal:
        """``obj.attr`` of a row."""

    @abstractmethod
    def row_has(self, obj: Var, attr: str) -> AVal:
        """Whether a row has an attribute by now."""

    @abstractmethod
    def store_in_row(self, obj: Var, attr: str, value: AVal) -> None:
        """``obj.attr = value`` of a row."""

    # -- subscripts --

    @abstractmethod
    def item(self, base: AVal, index: Any, hint: str = "") -> AVal:
        """``base[index]``, the index given as syntax."""

    @abstractmethod
    def load(self, obj: Atom, index: AVal, hint: str = "") -> AVal:
        """``obj[index]`` for a value that exists at run time."""

    @abstractmethod
    def index_value(self, node: Any, key: bool = False, within: bool = False) -> AVal:
        """An index, or a ``key`` of a dict, as a compile-time value: tuples and slices kept apart."""

    @abstractmethod
    def index_atom(self, index: AVal) -> Atom:
        """An index as a run-time value."""

    @abstractmethod
    def dict_item(self, d: DictV, key: AVal) -> AVal:
        """``d[key]`` for a tracked dict."""

    @abstractmethod
    def store_item(self, base: AVal, index: Any, value: AVal) -> None:
        """``base[index] = value``"""

    @abstractmethod
    def store_key(self, d: DictV, key: AVal, value: AVal) -> None:
        """``d[key] = value`` for a tracked dict."""

    @abstractmethod
    def note_item(self, container: Atom, value: Atom) -> None:
        """A list's item kind widens by what is stored into it."""

    @abstractmethod
    def augment_item(self, base: AVal, index: Any, op: Any, value_node: Any) -> None:
        """``base[index] op= value``"""

    @abstractmethod
    def delete_item(self, base: AVal, index: Any) -> None:
        """``del base[index]``"""

    @abstractmethod
    def owned(self, atom: Atom) -> Atom:
        """The target of a store."""

    # -- literals --

    @abstractmethod
    def needs_set(self, known: TupleV, refusal: str) -> Restart | UnsupportedSyntax:
        """Start again with this set at run time."""

    @abstractmethod
    def make_set(self, items: list[AVal] | None, hint: str = "", site: Any = None) -> AVal:
        """A set: of constants, in the order in which Python goes through it; at run time where it changes."""

    @abstractmethod
    def make_list(self, items: list[AVal], hint: str, site: Any) -> AVal:
        """A list literal: at run time, unless it holds functions or objects."""

    @abstractmethod
    def sought(self, item: AVal) -> Atom:
        """What is looked for at run time among other values."""

    @abstractmethod
    def make_apart(self, items: list[AVal], site: Any) -> AVal:
        """A list that exists while compiling only: a tuple, or an object where it changes."""

    @abstractmethod
    def change_next_time(self, sites: Iterable[Any]) -> None:
        """Start anew with the lists made at these sites as objects, as functions or objects are put into them."""

    @abstractmethod
    def check_place(self, changed: ObjectV, place: AVal) -> None:
        """Start anew where it is not known which item of a list of arrays of several ranks is replaced."""

    @abstractmethod
    def held_by(self, changing: ObjectV) -> TupleV:
        """What a list of functions or objects that changes holds now."""

    @abstractmethod
    def changed_within_loop(self) -> Exception:
        """The refusal of a list that a loop goes over and makes longer or shorter."""

    @abstractmethod
    def check_changes(self, changed: ObjectV, by: str) -> None:
        """Start anew with loops spelt out that change a list of functions or objects made before them."""

    @abstractmethod
    def spell_out_around(self) -> None:
        """Start anew with a short loop around spelt out, the innermost of those, as something cannot be in a loop."""

    @abstractmethod
    def check_handed(self, record: DictV | ObjectV) -> None:
        """Start anew, or refuse, where a record changes that was made at run time as well."""

    @abstractmethod
    def put_attribute(self, obj: ObjectV, attr: str, value: AVal) -> None:
        """``object.__setattr__(obj, attr, value)``, whatever the class has for it."""

    @abstractmethod
    def check_given(self, record: DictV | ObjectV) -> None:
        """Refuse to read, or to change, a record that a call may have changed which is not looked into."""

    @abstractmethod
    def elements(self, nodes: list[Any]) -> list[AVal]:
        """Evaluate items left to right, stars unpacked."""

    @abstractmethod
    def new_list(self, atoms: list[Atom], hint: str, site: Any) -> Var:
        """A fresh list of these items, of the kind that is ever put into it."""

    @abstractmethod
    def make_room(self, container: Atom, at: Atom, put: Callable[[], None]) -> None:
        """Put an item into a list; into a deque that is full in place of the one ``at`` the other end."""

    @abstractmethod
    def copied_list(
        self,
        source: Atom,
        copy: Callable[[K.Kind], Var],
        also: Atom | None = None,
        known: tuple[K.Kind, ...] | None = None,
    ) -> Var:
        """A copy of a list, made by ``copy`` of its kind: what is put into it widens its items from the start."""

    @abstractmethod
    def with_keys(self, value: AVal) -> AVal:
        """A tuple to be put into a list, with keys of dicts as such."""

    @abstractmethod
    def append(self, container: Atom, value: AVal) -> None:
        """``container.append(value)``"""

    @abstractmethod
    def make_array(self, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """``np.array(...)``: of nested literals, stacked rows; of the rest, one primitive."""

    @abstractmethod
    def fresh_dict(self, pairs: list[tuple[AVal, AVal]], hint: str, site: Any) -> AVal:
        """A new dict: tracked, unless one of its keys, or one it is ever asked for, is known at run time only."""

    @abstractmethod
    def copied_dict(self, d: DictV, hint: str, each: Callable[[AVal], AVal] = lambda value: value) -> AVal:
        """A new dict with the keys of a tracked one, and ``each`` of its values."""

    @abstractmethod
    def runtime_dict(self, pairs: list[tuple[AVal, AVal]], hint: str, site: Any) -> Var:
        """A dict that exists at run time, for keys that are only known then."""

    @abstractmethod
    def needs_runtime(self, d: DictV) -> Restart | UnsupportedSyntax:
        """Start again with this dict at run time, as a key is not known while compiling."""

    @abstractmethod
    def dict_like(self, other: DictV, pairs: list[tuple[Any, AVal]], site: Any) -> DictV:
        """A tracked dict of the class of another, with these items; ``site`` as in :meth:`new_dict`."""

    @abstractmethod
    def new_dict(self, pairs: list[tuple[Any, AVal]], site: Any = None) -> DictV:
        """A tracked dict with these constant keys; ``site`` names where it, or what it is a copy of, was made."""

    @abstractmethod
    def fields_apart(self, value: AVal) -> AVal:
        """A dict at run time of which it is known for good what is at each key as a tracked one; others as they are."""

    @abstractmethod
    def dict_keys(self, d: DictV, every: bool = True) -> list[Any]:
        """The keys of a tracked dict, to read ``every`` one or to look one up."""

    @abstractmethod
    def as_key(self, value: AVal) -> Atom:
        """A key of a dict that exists at run time: a tuple where the function has one, for a list is no key."""

    @abstractmethod
    def keys_of(self, d: Atom) -> Var:
        """The keys of a dict that exists at run time, as they are now."""

    @abstractmethod
    def put_item(self, out: Var, key: AVal, value: AVal) -> None:
        """``out[key] = value`` for a dict that exists at run time."""

    # -- comprehensions --

    @abstractmethod
    def each(self, source: AVal, do: Any) -> None:
        """Run ``do`` on every item of an iterable, in a loop or unrolled."""

    @abstractmethod
    def fold(self, source: AVal, start: AVal, step: Any, hint: str) -> AVal:
        """``functools.reduce(step, source, start)``"""

    @abstractmethod
    def joined_tuples(self, fn: Any, node: Any) -> AVal | None:
        """``sum(tuples, ())``, of tuples that are given one by one there; None of any other call."""

    @abstractmethod
    def fold_of_comprehension(self, fn: Any, node: Any) -> AVal | None:
        """The sum or the product of what a generator gives; None of any other call."""

    @abstractmethod
    def extremum_of_list(self, compare: Any, atom: Atom) -> AVal:
        """``min(xs)`` or ``max(xs)``: the first of the best."""

    @abstractmethod
    def gathered(self, node: Any, parts: list[Any], found: Any, source: AVal | None = None) -> Any:
        """Evaluate the ``parts`` of each item of a comprehension, which ``found`` takes."""

    @abstractmethod
    def comprehension_frame(self, generators: list[Any]) -> AbstractContextManager[None]:
        """A scope of its own for the targets of a comprehension."""

    # -- iteration --

    @abstractmethod
    def array_of_range(self, r: RangeV) -> Atom:
        """The array that NumPy makes of a range."""

    @abstractmethod
    def reversed_range(self, r: RangeV) -> RangeV:
        """``reversed(range(...))`` as a range."""

    @abstractmethod
    def looped_over(self, node: Any) -> AVal:
        """The value of an expression that a loop goes over."""

    @abstractmethod
    def iteration(self, iterable: AVal) -> Any:
        """How to loop over a value: readers of its items, or (start, stop, step, item of index)."""

    @abstractmethod
    def iteration_by_place(self, iterable: AVal) -> Any:
        """The same as (start, stop, step, item of index), whatever is known of the items."""

    @abstractmethod
    def turns(self, source: AVal) -> Any:
        """How to loop over a value: not once over a list that nothing is put into."""

    @abstractmethod
    def length_of(self, iterable: AVal) -> Atom:
        """How many items an iterable has."""

    @abstractmethod
    def starred(self, node: Any) -> AVal:
        """The value of what comes after a star: of ``[x] * n``, if ``n`` is known, so many items."""

    @abstractmethod
    def static_items(self, iterable: AVal) -> list[AVal] | None:
        """The items of a sequence of known length, or None."""

    @abstractmethod
    def static_readers(self, iterable: AVal) -> list[Reader] | None:
        """What gives each item of a sequence of known length when its turn comes, or None."""

    @abstractmethod
    def known_items(self, value: AVal) -> list[AVal] | None:
        """Every item of a sequence of known length, or None."""

    @abstractmethod
    def columns_of(self, rows: AVal) -> AVal:
        """``zip(*rows)``"""

    @abstractmethod
    def all_items(self, value: AVal) -> list[AVal]:
        """Every item of a sequence whose length must be known."""

    @abstractmethod
    def arguments(self, node: Any, function: AVal) -> tuple[list[AVal], AVal | None]:
        """The positional arguments of a call, and what follows of which the number is known at run time only."""

    @abstractmethod
    def tuple_of(self, parts: list[tuple[bool, AVal]]) -> AVal:
        """A tuple of what is given, in turn, by one item or, after a star, by all items of a sequence of any length."""

    @abstractmethod
    def sized(self, value: AVal, n: int, compare: Any = ...) -> Atom:
        """A sequence, which must have ``n`` items when the call is made, or at least as many."""

    @abstractmethod
    def items_of(self, value: AVal, n: int | None, star: int | None, hints: list[str]) -> list[AVal]:
        """The items of a value unpacked into ``n`` targets, the one at ``star`` taking the rest."""

    @abstractmethod
    def note_early(self, out: Atom, start: int) -> None:
        """Note that what was lowered from ``start`` on, for ``out``, Python does one by one in the loop over it."""

    @abstractmethod
    def run_generator(self, generator: Any, consume: Callable[[AVal], Atom]) -> None:
        """Lower the body of a generator function, for a consumer of what it yields."""

    @abstractmethod
    def as_list(self, value: AVal) -> Atom:
        """``list(value)``"""

    # -- statements --

    @abstractmethod
    def statements(self, body: list[Any]) -> None:
        """Lower a block; what follows a possible exit runs only where there was none."""

    @abstractmethod
    def fork(self, cond: Atom, then: list[Any], orelse: list[Any], rest: list[Any]) -> bool:
        """Lower one of two blocks; True where ``rest`` was lowered along with the one that goes on."""

    @abstractmethod
    def try_(self, node: Any, rest: list[Any]) -> bool:
        """Lower a ``try``; True where ``rest`` was lowered along with it."""

    @abstractmethod
    def and_finally(self, body: list[Any], name: str, finish: Callable[[], object]) -> None:
        """Lower a block, and what is done after it however it is left, which goes by a name in errors."""

    @abstractmethod
    def raise_where(self, cond: Atom, raised: type[BaseException], message: str) -> None:
        """Raise an exception of a class where a condition holds."""

    @abstractmethod
    def raise_at_once(self, failure: Fails, loops: int) -> None:
        """Raise, when it runs, what is known to be raised: ``failure`` itself where nothing would catch that."""

    @abstractmethod
    def after_raise(self) -> None:
        """After a raise nothing runs: whatever the function would return on this path is unbound."""

    @abstractmethod
    def raised_again(self) -> Var:
        """The exception that a bare ``raise`` means."""

    @abstractmethod
    def assign(self, target: Any, value: AVal) -> None:
        """Bind or store a value."""

    @abstractmethod
    def bind(self, name: str, value: AVal) -> None:
        """Bind a name in the scope it belongs to."""

    @abstractmethod
    def outer(self, root: Any) -> ObjectV:
        """A module, or a cell, as what has places for the variables that the function may assign."""

    @abstractmethod
    def assigned(self, place: Callable[[], Place]) -> AVal | None:
        """What the function has assigned to a variable outside, None if it has not."""

    @abstractmethod
    def look_at_whole(self, root: Any, name: str) -> None:
        """Note that all attributes of an object outside are looked at: none that the function stores is among them."""

    @abstractmethod
    def refuse_whole(self, name: str) -> UnsupportedSyntax:
        """The error for an object outside of which all attributes are looked at, where the function stores some."""

    @abstractmethod
    def may_be_assigned(self, attr: str) -> bool:
        """Whether the function has assigned a variable outside that goes by this name in some module."""

    @abstractmethod
    def variable(self, place: Place, before: Callable[[], AVal] | None) -> Place:
        """The place of a variable outside, for a store, with what it is before; None where there is none before."""

    @abstractmethod
    def assigned_to_class(self, mro: tuple[type, ...], attr: str) -> AVal | None:
        """What the function has assigned to an attribute of a class, by Python's own lookup; None if nothing."""

    @abstractmethod
    def place_of(self, name: str) -> Place:
        """The place of a name, for a store: of one outside, the derivative keeps what it assigns to itself."""

    @abstractmethod
    def in_place(self, current: AVal, op: Any, value: AVal) -> bool:
        """Do an augmented assignment that changes an object; False where there is none to change."""

    @abstractmethod
    def closure(self, node: Any, name: str) -> ClosureV:
        """A function defined here, over the variables of this activation."""

    @abstractmethod
    def iterator_of(self, value: AVal) -> AVal:
        """``iter(value)`` of an object with a method for it; other values as they are."""

    @abstractmethod
    def need_tuple(self, value: AVal, what: str) -> None:
        """Raise what Python raises of an object at run time, whose fields are the items of a tuple only here."""

    @abstractmethod
    def indexable(self, iterable: AVal) -> tuple[Atom, Any]:
        """The length of an iterable, and a function from an index to its item."""

    @abstractmethod
    def spread_over(self, function: AVal, read: Reader) -> AVal:
        """``function(*row)``"""

    @abstractmethod
    def shifted(self, k: Atom, start: AVal) -> Atom:
        """``k + start``"""

    @abstractmethod
    def shortest(self, lengths: list[Atom]) -> Atom:
        """The least of lengths."""

    # -- loop statements --

    @abstractmethod
    def for_each(
        self, node: Any, items: Any, target: Any, body: Any, names: list[str], orelse: list[Any], fixed: bool = False
    ) -> None:
        """Lower a loop over what :meth:`iteration` describes; ``fixed`` for as many items as there are before it."""

    @abstractmethod
    def end_of_iteration(self, frame: Frame, loop: Any) -> Atom:
        """The exit flag of the loop after its body; the frame goes on."""

    # -- generators --

    @abstractmethod
    def stream_of(self, iterable: AVal) -> Any:
        """How to go through what takes its items from a generator one by one; None of other iterables."""

    @abstractmethod
    def streamed(self, frame: Frame, loop: Any, stream: Any, target: Any, body: Any) -> None:
        """Lower a loop over a stream."""

    @abstractmethod
    def yielded(self, node: Any) -> None:
        """``yield item`` and ``yield from items``, where nothing is made of their values."""

    @abstractmethod
    def first_of(self, source: AVal, default: AVal | None) -> AVal:
        """``next(source, default)`` of an iterator that nothing else is asked of."""

    # -- calls --

    @abstractmethod
    def call_node(self, node: Any, hint: str = "") -> AVal:
        """Lower a call expression."""

    @abstractmethod
    def opaque(self, function: PyFunc, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """A call the compiler cannot look into: an effect, and a value without derivative."""

    @abstractmethod
    def primitive(self, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Apply a primitive: one statement."""

    @abstractmethod
    def call(self, function: AVal, args: list[AVal], kwargs: dict[str, AVal], hint: str = "") -> AVal:
        """Apply a function to abstract values."""

    @abstractmethod
    def construct(self, function: PyFunc, cls: type, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Make an object: a record tracked field by field where the class is the user's own."""

    # -- binding --

    @abstractmethod
    def call_function(self, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Lower the body of a Python function in place of its call."""

    @abstractmethod
    def call_closure(self, function: ClosureV, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """Call a function defined inside the function being compiled."""

    @abstractmethod
    def run_body(self, frame: Frame, node: Any) -> AVal:
        """Lower the body of a function in its frame; the value it returns."""

    # -- recursion --

    @abstractmethod
    def call_outlined(self, frame: Frame, node: Any, bound: dict[str, AVal], hint: str) -> AVal:
        """Call a function that is lowered on its own."""
