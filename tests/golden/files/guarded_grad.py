"""grad of guarded, from programs.py:265."""

import math


def guarded_grad(x, rate):
    error = guarded_error(x, rate)
    test = error is None
    if test:
        y = math.log(x) / rate
        bx = y
        t = None
    else:
        t = isinstance(error, ZeroDivisionError)
        if t:
            bx = rate
        else:
            if rate < 0.0:
                raise ValueError(f"{x} and {rate}") from error
            bx = x * rate
        y = None
    if test:
        # y = math.log(x) / rate
        t = x / rate
        bx += t / x
        brate = -(t * y)
    elif t:
        brate = x
    else:
        # y = x * rate
        bx += x * rate
        brate = x * x
    return bx, brate


def guarded_error(x, rate):
    try:
        math.log(x) / rate
    except (ZeroDivisionError, ValueError) as error:
        return error
    return None
