"""grad of power, from programs.py:103."""


def power_grad(x, n):
    if n == 0:
        return 0.0
    t = power_vjp(x, n // 2)
    t_1 = t[0]
    power_pullback = t[1]
    if n % 2 == 0:
        # return half * half if n % 2 == 0 else half * half * x
        t = 2.0 * t_1
        bx = 0.0
    else:
        # return half * half if n % 2 == 0 else half * half * x
        t = 2.0 * (x * t_1)
        bx = t_1 * t_1
    # half = power(x, n // 2)
    bx += power_pullback(t)[0]
    return bx


def power_vjp(x, n):
    test = n == 0
    if test:
        result = 1.0
        t = None
        power_pullback = None
    else:
        t = power_vjp(x, n // 2)
        t_1 = t[0]
        power_pullback = t[1]
        t = n % 2 == 0
        if t:
            result = t_1 * t_1
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
