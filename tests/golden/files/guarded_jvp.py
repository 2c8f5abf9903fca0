"""jvp of guarded, from programs.py:265."""

import math


def guarded_jvp(x, rate, dx, drate):
    error = guarded_error(x, rate)
    if error is None:
        y = math.log(x) / rate
        dy = dx / x / rate - y / rate * drate
    elif isinstance(error, ZeroDivisionError):
        y = rate
        dy = drate
    else:
        if rate < 0.0:
            raise ValueError(f"{x} and {rate}") from error
        y = x * rate
        dy = rate * dx + x * drate
    dresult = x * dy + y * dx
    return y * x, dresult


def guarded_error(x, rate):
    try:
        math.log(x) / rate
    except (ZeroDivisionError, ValueError) as error:
        return error
    return None
