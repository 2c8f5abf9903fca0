"""jvp of power, from programs.py:103."""


def power_jvp(x, n, dx):
    if n == 0:
        result = 1.0
        dresult = 0.0
    else:
        d = power_jvp_1(x, n // 2, dx)
        t = d[0]
        t_1 = d[1]
        if n % 2 == 0:
            dresult = 2.0 * (t * t_1)
            result = t * t
        else:
            t_2 = t * t
            dresult = x * (2.0 * (t * t_1)) + t_2 * dx
            result = t_2 * x
    return result, dresult


def power_jvp_1(x, n, dx):
    if n == 0:
        result = 1.0
        dresult = 0.0
    else:
        d = power_jvp_1(x, n // 2, dx)
        t = d[0]
        t_1 = d[1]
        if n % 2 == 0:
            dresult = 2.0 * (t * t_1)
            result = t * t
        else:
            t_2 = t * t
            dresult = x * (2.0 * (t * t_1)) + t_2 * dx
            result = t_2 * x
    return result, dresult
