"""jvp of swapped, from programs.py:236."""

import numpy as np


def swapped_jvp(a, b, steps, da, db):
    a = a.copy()
    b = b.copy()
    da = da.copy()
    db = db.copy()
    for _ in range(steps):
        t = a[:-2]
        t_1 = a[2:]
        t_2 = (t_1 * da[:-2] + t * da[2:]) * 0.5
        b[1:-1] = 0.5 * (t * t_1)
        db[1:-1] = t_2
        a, b, da, db = b, a, db, da
    dresult = np.sum(da)
    return np.sum(a), dresult
