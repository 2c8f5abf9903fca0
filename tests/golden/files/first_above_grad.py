"""grad of first_above, from programs.py:84."""


def first_above_grad(x, bound):
    tape = []
    if x <= 0.0:
        return -1.0
    done = False
    n = 0
    for k in range(10):
        n += 1
        x_1 = x * (1.0 + 0.1 * k * x)
        test = x_1 > bound
        tape.append((x, test))
        if test:
            done = True
            break
        x = x_1
    if done:
        t = 1.0
        bx = 0.0
    else:
        t = 0.0
        bx = 1.0
    for k in range(n - 1, -1, -1):
        x, test = tape.pop()
        t_1 = 0.1 * k
        t_2 = 1.0 + t_1 * x
        x_1 = x * t_2
        if test:
            # return x * x
            t *= x_1
            bx += t
            bx += t
            t = 0.0
        # x = x * (1.0 + 0.1 * k * x)
        bx = bx * x * t_1 + bx * t_2
    return bx
