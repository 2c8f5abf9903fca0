"""grad of guarded, from programs.py:265."""

import math


def guarded_grad(x, rate):
    error = guarded_error(x, rate)
    test = error is None
    if test:
        y = math.log(x) / rate
        bx = y
        t_1 = None
        t = None
    else:
        t_1 = isinstance(error, ZeroDivisionError)
        if t_1:
            bx = rate
            t = None
        else:
            t = rate < 0.0
            if t:
                raise ValueError(f"{x} and {rate}") from error
            bx = x * rate
        y = None
    if test:
        # y = math.log(x) / rate
        t = x / rate
        bx += t / x
        brate = -(t * y)
    elif t_1:
        brate = x
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
