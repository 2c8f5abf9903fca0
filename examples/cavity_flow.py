"""A lid-driven cavity: incompressible Navier-Stokes on a square, by explicit steps and pressure iterations.

Run ``python -m examples.cavity_flow``.
"""

import numpy as np


def pressure_source(b, rho, dt, u, v, dx, dy):
    """Fill the interior of b with the right-hand side of the pressure equation."""
    du_dx = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)
    dv_dy = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)
    du_dy = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy)
    dv_dx = (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
    b[1:-1, 1:-1] = rho * ((du_dx + dv_dy) / dt - du_dx**2 - 2 * du_dy * dv_dx - dv_dy**2)


def relax_pressure(iterations, p, b, dx, dy):
    """Jacobi iterations for the pressure, in place, with the walls' conditions."""
    pn = np.empty_like(p)
    for _ in range(iterations):
        pn[:] = p.copy()
        p[1:-1, 1:-1] = (
            (pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2
            + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2
            - dx**2 * dy**2 * b[1:-1, 1:-1]
        ) / (2 * (dx**2 + dy**2))
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


def cavity_flow(steps, iterations, u, v, p, dt, dx, dy, rho, nu, lid):
    """Advance velocity and pressure in place; the top wall moves with velocity ``lid``."""
    un = np.empty_like(u)
    vn = np.empty_like(v)
    b = np.zeros_like(u)
    for _ in range(steps):
        un[:] = u.copy()
        vn[:] = v.copy()
        pressure_source(b, rho, dt, u, v, dx, dy)
        relax_pressure(iterations, p, b, dx, dy)

        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, :-2])
            - vn[1:-1, 1:-1] * dt / dy * (un[1:-1, 1:-1] - un[:-2, 1:-1])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
            + nu * dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, :-2])
            + nu * dt / dy**2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[:-2, 1:-1])
        )
        v[1:-1, 1:-1] = (
            vn[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (vn[1:-1, 1:-1] - vn[1:-1, :-2])
            - vn[1:-1, 1:-1] * dt / dy * (vn[1:-1, 1:-1] - vn[:-2, 1:-1])
            - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
            + nu * dt / dx**2 * (vn[1:-1, 2:] - 2 * vn[1:-1, 1:-1] + vn[1:-1, :-2])
            + nu * dt / dy**2 * (vn[2:, 1:-1] - 2 * vn[1:-1, 1:-1] + vn[:-2, 1:-1])
        )

        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = lid
        v[0, :] = 0
        v[-1, :] = 0
        v[:, 0] = 0
        v[:, -1] = 0


def kinetic_energy(u, v, p, nu, lid, steps=4, iterations=5):
    """The kinetic energy and mean pressure after some steps."""
    dx = 2.0 / (u.shape[1] - 1)
    dy = 2.0 / (u.shape[0] - 1)
    cavity_flow(steps, iterations, u, v, p, 0.01, dx, dy, 1.0, nu, lid)
    return 0.5 * np.sum(u**2 + v**2) + np.mean(p)


def main():
    """Print how the flow's energy depends on the lid and on the viscosity."""
    from s2sad import value_and_grad

    u, v, p = np.zeros((9, 9)), np.zeros((9, 9)), np.zeros((9, 9))
    sensitivity = value_and_grad(kinetic_energy, wrt=("nu", "lid"))
    energy, (d_nu, d_lid) = sensitivity(u, v, p, 0.1, 1.0, steps=20)
    print(f"energy {energy:.6f}, per unit of viscosity {d_nu:.6f}, per unit of lid velocity {d_lid:.6f}")


if __name__ == "__main__":
    main()
