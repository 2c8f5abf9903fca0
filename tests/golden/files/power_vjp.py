"""vjp of power, from programs.py:103."""


def power_vjp(x, n):
    test = n == 0
    if test:
        result = 1.0
        t = None
        power_pullback = None
    else:
        half, power_pullback = power_vjp(x, n // 2)
        t = n % 2 == 0
        if t:
            result = half * half
        else:
            t_1 = half * half
            result = t_1 * x

    def power_pullback_1(by):
        if test:
            bx = 0.0
        else:
            if t:
                # return half * half if n % 2 == 0 else half * half * x
                bhalf = 2.0 * (by * half)
                bx = 0.0
            else:
                # return half * half if n % 2 == 0 else half * half * x
                bhalf = 2.0 * (by * x * half)
                bx = by * t_1
            # half = power(x, n // 2)
            bx += power_pullback(bhalf)[0]
        return (bx,)

    return result, power_pullback_1
