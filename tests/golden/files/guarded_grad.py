"""grad of guarded, from programs.py:265."""

import math


def guarded_grad(x, rate):
    error = guarded_error(x, rate)
    if error is None:
        y = math.log(x) / rate
        # y = math.log(x) / rate
        t = x / rate
        bx = t / x + y
        brate = -(t * y)
    elif isinstance(error, ZeroDivisionError):
        brate = x
        bx = rate
    else:
        if rate < 0.0:
            raise ValueError(f"{x} and {rate}") from error
        y = x * rate
        # y = x * rate
        bx = 2.0 * y
        brate = x * x
    return bx, brate


def guarded_error(x, rate):
    try:
        math.log(x) / rate
    except (ZeroDivisionError, ValueError) as error:
        return error
    return None
