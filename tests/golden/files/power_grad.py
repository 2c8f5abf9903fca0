"""grad of power, from programs.py:103."""


def power_grad(x, n):
    test = n == 0
    if test:
        t_1 = None
        t = None
        power_pullback = None
        bx = None
    else:
        t_1 = power_vjp(x, n // 2)
        t = t_1[0]
        power_pullback = t_1[1]
        t_1 = n % 2 == 0
        bx = None if t_1 else t * t
    if test:
        return 0.0
    if t_1:
        # return half * half if n % 2 == 0 else half * half * x
        t *= 2.0
        bx = 0.0
    else:
        # return half * half if n % 2 == 0 else half * half * x
        t = 2.0 * (x * t)
    # half = power(x, n // 2)
    bx += power_pullback(t)[0]
    return bx


def power_vjp(x, n):
    test = n == 0
    if test:
        result = 1.0
        t = None
        t_1 = None
        t_2 = None
        power_pullback = None
    else:
        t = power_vjp(x, n // 2)
        t_1 = t[0]
        power_pullback = t[1]
        t = n % 2 == 0
        if t:
            result = t_1 * t_1
            t_2 = None
        else:
            t_2 = t_1 * t_1
            result = t_2 * x

    def power_pullback_1(by):
        if test:
            bx = 0.0
        else:
            if t:
                # return half * half if n % 2 == 0 else half * half * x
                t_3 = 2.0 * (by * t_1)
                bx = 0.0
            else:
                # return half * half if n % 2 == 0 else half * half * x
                t_3 = 2.0 * (by * x * t_1)
                bx = by * t_2
            # half = power(x, n // 2)
            bx += power_pullback(t_3)[0]
        return (bx,)

    return result, power_pullback_1
