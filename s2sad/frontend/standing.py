"""Objects that a rule makes in place of those of a library, so that what they hold carries derivatives.

Their class is a subclass of the library's, and says which names are its own. All else is asked of the object of the
library, which is made beside, and left out again where nothing asks. It must not be changed, as the other would not be.
"""

from __future__ import annotations

from typing import Any

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, ObjectV
from s2sad.ir.nodes import Atom

__all__ = ["is_its_own", "refuse_call", "refuse_change", "stands_in", "stood_for"]

#: The name under which a class says which names are its own.
_OWN = "__s2sad_own__"
#: The name under which one of its methods says why it is not handled.
_REFUSED = "__s2sad_refused__"
#: The name under which it may say what can be asked of the library's object, where that is not all but arrays.
_ASKED = "__s2sad_asked__"
#: Attributes of interpolating functions that are arrays, by which they may be changed.
_ARRAYS = ("c", "t", "values", "x", "y")


def stands_in(obj: AVal) -> bool:
    """Whether an object stands in for one of a library."""
    return isinstance(obj, ObjectV) and hasattr(obj.cls, _OWN)


def is_its_own(obj: AVal, attr: str) -> bool:
    """Whether an object answers for an attribute itself."""
    return not isinstance(obj, ObjectV) or attr in getattr(obj.cls, _OWN, (attr,))


def stood_for(lo: Lowering, obj: ObjectV, attr: str = "") -> Atom:
    """The object in place of which another stands, to be asked for an attribute."""
    asked = getattr(obj.cls, _ASKED, None)
    if asked is not None and attr and attr not in asked:
        raise lo.unsupported(
            f"`{attr}` of what is made here of numbers that may carry derivatives is not handled.",
            "Use what it was made of.",
        )
    if asked is None and attr in _ARRAYS:
        raise lo.unsupported(
            f"`{attr}` of {obj.cls.__bases__[-1].__name__} made here may be changed, which is not handled.",
            "Make the object outside the function.",
        )
    made = lo.read((obj, "made"))
    assert made is not None
    return lo.as_atom(made)


def refuse_call(lo: Lowering, fn: Any) -> None:
    """Refuse a method that is there to say so."""
    why = getattr(fn, _REFUSED, None)
    if why is not None:
        raise lo.unsupported(why, "Make another object.")


def refuse_change(lo: Lowering, obj: AVal, attr: str) -> None:
    """Refuse a store into an object that stands in for another."""
    if not is_its_own(obj, attr):
        raise lo.unsupported(f"storing `{attr}` of this object is not handled.", "Make another object.")
