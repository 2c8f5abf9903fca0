"""Objects that a rule makes in place of those of a library, so that what they hold carries derivatives.

Their class is a subclass of the library's, and says which names are its own. All else is asked of the object of the
library, which is made beside, and left out again where nothing asks. It must not be changed, as the other would not be.
"""

from __future__ import annotations

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, ObjectV
from s2sad.ir.nodes import Atom

__all__ = ["is_its_own", "refuse_change", "stands_in", "stood_for"]

#: The name under which a class says which names are its own.
_OWN = "__s2sad_own__"
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
    if attr in _ARRAYS:
        raise lo.unsupported(
            f"`{attr}` of {obj.cls.__bases__[-1].__name__} made here may be changed, which is not handled.",
            "Make the object outside the function.",
        )
    made = lo.read((obj, "made"))
    assert made is not None
    return lo.as_atom(made)


def refuse_change(lo: Lowering, obj: AVal, attr: str) -> None:
    """Refuse a store into an object that stands in for another."""
    if not is_its_own(obj, attr):
        raise lo.unsupported(f"storing `{attr}` of this object is not handled.", "Make another object.")
