"""The judge: the project's residual in NumPy, from definitions and not from any solver's code.

    r_motion  = ‖(H v − g − Jᵀλ)/r‖∞ / max(‖g/r‖∞, ‖Jᵀλ/r‖∞, ε)                                   (1)
    r_contact = max_i ‖λ_i − P_K(λ_i − ρ û_i)‖ / (ρ u_0),   û_i = J_i v + b_i + (φ_i/h + s_i) e_n  (2)
    r_limit   = max_r |λ_r − max(0, λ_r − ρ (L v + c)_r)| / (ρ u_0)                                (3)
    ε = max(‖g/r‖∞, h · 1 mN),  u_0 = max(max_i ‖J_i v + b_i‖, 1 mm/h),  ρ = max(‖λ‖∞, ε)/u_0

s is 0 under Anitescu's law (cones: pyramids) and de Saxcé's μ ‖u_t‖ under Coulomb's (quadratic cones). P_K is the
Euclidean projection; onto a pyramid it is the nearest among the projections onto its faces (docs/concepts/residual.md).
"""

import numpy as np
from contact import generators


def project_to_quadratic(x, mu):
    """Rows of x (n, 3) onto {‖x_t‖ <= μ x_n}."""
    x_n, x_t = x[:, 0], x[:, 1:]
    length = np.linalg.norm(x_t, axis=1)
    along = np.maximum(0.0, (x_n + mu * length) / (1 + mu**2))  # on the cone's nearest ray (1, μ)
    direction = x_t / np.where(length > 0, length, 1.0)[:, None]
    on_ray = np.column_stack([along, (mu * along)[:, None] * direction])
    inside = length <= mu * x_n
    return np.where(inside[:, None], x, on_ray)


def onto_rays(x, rays):
    """(rays, n, 3): the nearest points of the rays through `rays` (rays, n, 3)."""
    share = np.maximum(0.0, (x * rays).sum(-1) / (rays * rays).sum(-1))
    return share[..., None] * rays


def onto_sides(x, first, second):
    """(sides, n, 3): projections onto the planes of two rays each, infinite where they leave the two rays' cone."""
    aa, ab, bb = (first * first).sum(-1), (first * second).sum(-1), (second * second).sum(-1)
    xa, xb, det = (x * first).sum(-1), (x * second).sum(-1), aa * bb - ab**2
    flat = det > 1e-14 * aa * bb
    det = np.where(flat, det, 1.0)
    alpha, beta = (bb * xa - ab * xb) / det, (aa * xb - ab * xa) / det
    point = alpha[..., None] * first + beta[..., None] * second
    return np.where((flat & (alpha >= 0) & (beta >= 0))[..., None], point, np.inf)


def project_to_pyramid(x, mu):
    """Rows of x (n, 3) onto the cones of the generators (1, D_k)."""
    rays = np.stack([generators(m) for m in mu], axis=1)  # (facets, n, 3)
    following = np.roll(rays, -1, axis=0)
    normals = np.cross(rays, following)                   # inward: the rays go round from t to o
    inside = ((x * normals).sum(-1) >= 0).all(axis=0) & (x[:, 0] >= 0) & (mu > 0)
    faces = np.concatenate([onto_rays(x, rays), onto_sides(x, rays, following)])
    with np.errstate(invalid="ignore"):
        nearest = np.linalg.norm(faces - x, axis=-1).argmin(axis=0)
    return np.where(inside[:, None], x, faces[nearest, np.arange(len(x))])


def largest(x):
    return float(np.abs(x).max(initial=0.0))


def contact_residual(law, mu, u, offset_n, impulses, rho, scale):
    """(2): `u` (n, 3) J v + b, `offset_n` φ/h, `impulses` (n, 3)."""
    u_hat = u.copy()
    u_hat[:, 0] += offset_n
    if law == "coulomb":
        u_hat[:, 0] += mu * np.linalg.norm(u[:, 1:], axis=1)
    project = project_to_quadratic if law == "coulomb" else project_to_pyramid
    return float(np.linalg.norm(impulses - project(impulses - rho * u_hat, mu), axis=1).max(initial=0.0)) / scale


def residual(p, law, v, impulses, limit_impulses):
    """Of a problem of contact.py; infinite for answers that are not finite."""
    if not all(np.isfinite(x).all() for x in (v, impulses, limit_impulses)):
        return np.inf
    force = (p.J.T @ impulses + p.L.T @ limit_impulses) / p.radius
    epsilon = max(largest(p.g / p.radius), 1e-3 * p.h)
    motion = largest((p.H @ v - p.g) / p.radius - force) / max(epsilon, largest(force))
    u = (p.J @ v + p.b).reshape(-1, 3)
    speed = max(np.linalg.norm(u, axis=1).max(initial=0.0), largest(p.L @ v * p.row_radius), 1e-3 / p.h)
    scale = max(largest(impulses), largest(limit_impulses / p.row_radius), epsilon)
    rho = scale / speed
    contact = contact_residual(law, p.mu, u, p.gap_rate, impulses.reshape(-1, 3), rho, scale)
    rows, u_rows = limit_impulses / p.row_radius, (p.L @ v + p.c) * p.row_radius
    return max(motion, contact, largest(rows - np.maximum(0.0, rows - rho * u_rows)) / scale)


def delassus_residual(W, q, mu, r):
    """(2) under Coulomb's law for u = W r + q, in units of max |q| and max |q| / max |W| as in solve_problems.hpp."""
    if not np.isfinite(r).all():
        return np.inf
    u, least = (W @ r + q).reshape(-1, 3), largest(q)
    speed = max(np.linalg.norm(u, axis=1).max(), least)
    scale = max(largest(r), 1e-6 * least / largest(W))
    return contact_residual("coulomb", mu, u, np.zeros(len(mu)), r.reshape(-1, 3), scale / speed, scale)


def lcp_residual(M, q, z, equations):
    """‖(w_E, min(z, w)_C)‖₂ / max(1, ‖q‖₂)."""
    if not np.isfinite(z).all():
        return np.inf
    w = M @ z + q
    return float(np.linalg.norm(np.where(equations, w, np.minimum(z, w))) / max(1.0, np.linalg.norm(q)))
