"""Small functions that derivative code calls where the kinds of its values are not known.

The emitter copies the source of those that a module uses into it, so each is short,
uses NumPy and :mod:`math` only, and calls nothing but its neighbours. Each module here
has those of one topic; callers name them all as attributes of this package.
"""

from __future__ import annotations

from s2sad.runtime.helpers import adjoints, lengths, overlapping, places, points, products, shadows, shapes, subscripts
from s2sad.runtime.helpers.adjoints import *
from s2sad.runtime.helpers.lengths import *
from s2sad.runtime.helpers.overlapping import *
from s2sad.runtime.helpers.places import *
from s2sad.runtime.helpers.points import *
from s2sad.runtime.helpers.products import *
from s2sad.runtime.helpers.shadows import *
from s2sad.runtime.helpers.shapes import *
from s2sad.runtime.helpers.subscripts import *

#: The names of the modules that define them.
MODULES = frozenset(
    m.__name__ for m in (adjoints, lengths, overlapping, places, points, products, shadows, shapes, subscripts)
)
#: Those that compiled code calls as they stand.
AS_THEY_STAND = frozenset(
    {add_product, combination_places, permutation_places, need_square, need_fractions, need_variables}
    | {same_axes, within, joint, stretch, same_length, at_least, plus, widened, grown}
    | {as_it_lies, span, places_in_copy, room_for_copy, copied_to}
    | {need_items, need_places, need_all_places, need_rows, need_rounds, need_real, need_several, ndtri}
    | {need_regular, need_positive}
)
#: What helpers say where only the run shows that there is no derivative, and what helps.
REFUSALS = {
    "a number is under a name for an array that changes in place": "Keep numbers and arrays under names of their own.",
    "an integer to a negative power is a float, and to another an integer": "Write the base as a float.",
    "an integer of more than 64 bits is needed": "Compute it as a float, or use backend='python'.",
    "a loop that would have made an array of a number has no iterations": "Begin with an array, np.zeros(shape).",
    "np.squeeze is to drop an axis that has one item only at times": "Name the axes: np.squeeze(x, axis=0).",
    "an array is not laid out by rows, and its layout tells what a store comes to": "Pass np.ascontiguousarray(x).",
    "np.linalg.svd completes the vectors of a matrix that is not square": "Pass full_matrices=False.",
    "a power of a negative number is complex": "Write np.float64(x) ** p, which is NaN there.",
    'scipy.linalg.qr of a tall matrix is differentiated for mode="economic"': 'Pass mode="economic".',
    "scipy.linalg.lu is differentiated for square matrices": "Pass a square matrix.",
    "polar is differentiated of tall matrices, and with side='left' of wide ones": "Pass the transpose.",
    "the square root of this matrix is complex": "Pass a matrix without negative eigenvalues.",
    "the logarithm of this matrix is complex": "Pass a matrix without negative eigenvalues.",
    "np.cov of a matrix with one variable gives a number": "Pass the variable as a vector.",
    "a list that holds views of arrays that change, with gaps in them, cannot be compiled": "Use backend='python'.",
    "an array is updated through what may be a view, and its tangent has another layout": "Copy the array first.",
}
LENGTHS_DIFFER = "lengths that were taken to be equal differ"  #: what :func:`same_length` says
