"""Lets the tests of the examples import ``examples``, their references, and the finite differences."""

from __future__ import annotations

import sys
from pathlib import Path

_here = Path(__file__).resolve().parent
for _folder in (_here, _here.parent / "programs", _here.parent.parent):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))
