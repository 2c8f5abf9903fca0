"""jvp of power, from programs.py:103."""


def power_jvp(x, n, dx):
    if n == 0:
        result = 1.0
        dresult = 0.0
    else:
        half, dhalf = power_jvp(x, n // 2, dx)
        if n % 2 == 0:
            dresult = 2.0 * (half * dhalf)
            result = half * half
        else:
            t = half * half
            dresult = x * (2.0 * (half * dhalf)) + t * dx
            result = t * x
    return result, dresult
