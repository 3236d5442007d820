"""The judge: the project's residual in NumPy, from definitions and not from any solver's code.

    r_motion  = max_B ‖(H v − g − Jᵀλ)_B/r‖∞ / S_B                                                 (1)
    r_contact = max_i ‖λ_i − P_K(λ_i − ρ_i û_i)‖ / S_i,   û_i = J_i v + b_i + (φ_i/h + s_i) e_n    (2)
    r_limit   = max_r |λ_r − max(0, λ_r − ρ_r (L v + c)_r)| / S_r                                  (3)
    S_B = max(‖g_B/r‖∞, ‖(Jᵀλ)_B/r‖∞, ‖λ on B‖∞/1000, h · 1 mN) of every kinematic tree B
    S_i = the least S_B of the trees that i acts on; max(‖λ_i‖∞, h · 1 mN) where it acts on none
    u_0 = max(max_i ‖J_i v + b_i‖, 1 mm/h),  ρ_i = S_i/u_0; without friction along the normal alone

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
    """(2): `u` (n, 3) J v + b, `offset_n` φ/h, `impulses` (n, 3), `rho` and `scale` numbers or (n)."""
    u_hat = u.copy()
    u_hat[:, 0] += offset_n
    if law == "coulomb":
        u_hat[:, 0] += mu * np.linalg.norm(u[:, 1:], axis=1)
    project = project_to_quadratic if law == "coulomb" else project_to_pyramid
    moved = impulses - np.broadcast_to(rho, len(mu))[:, None] * u_hat
    return float((np.linalg.norm(impulses - project(moved, mu), axis=1) / scale).max(initial=0.0))


def trees_acted_on(rows, blocks):
    """(n, blocks): whether rows (n, k, nv) act on the velocities of a tree."""
    ends = np.cumsum(blocks)
    acts = [(rows[:, :, end - size : end] != 0).any(axis=(1, 2)) for size, end in zip(blocks, ends)]
    return np.stack(acts, axis=1) if acts else np.zeros((len(rows), 0), bool)


def impulse_scales(p, force, impulses, rows):
    """(S_B of trees, S_i of contacts, S_r of limits); impulses (n, 3) and rows (m) [N s], force Jᵀλ/r."""
    sizes = np.concatenate([np.abs(impulses).max(axis=1, initial=0.0), np.abs(rows)])
    acts = np.vstack([trees_acted_on(p.J.reshape(-1, 3, len(p.g)), p.blocks),
                      trees_acted_on(p.L[:, None, :], p.blocks)])  # fmt: skip
    pushed = np.split(np.maximum(np.abs(p.g / p.radius), np.abs(force)), np.cumsum(p.blocks)[:-1])
    squeeze = np.where(acts, sizes[:, None], 0.0).max(axis=0, initial=0.0)
    least = 1e-3 * p.h
    of_tree = np.maximum([part.max(initial=0.0) for part in pushed], np.maximum(1e-3 * squeeze, least))
    of_group = np.where(acts, of_tree, np.inf).min(axis=1, initial=np.inf)
    of_group = np.where(np.isinf(of_group), np.maximum(sizes, least), of_group)
    return of_tree, of_group[: len(impulses)], of_group[len(impulses) :]


def residual(p, law, v, impulses, limit_impulses):
    """Of a problem of contact.py; infinite for answers that are not finite."""
    if not all(np.isfinite(x).all() for x in (v, impulses, limit_impulses)):
        return np.inf
    force = (p.J.T @ impulses + p.L.T @ limit_impulses) / p.radius
    rows, u_rows = limit_impulses / p.row_radius, (p.L @ v + p.c) * p.row_radius
    of_tree, of_contact, of_row = impulse_scales(p, force, impulses.reshape(-1, 3), rows)
    motion = largest(((p.H @ v - p.g) / p.radius - force) / np.repeat(of_tree, p.blocks))
    u = (p.J @ v + p.b).reshape(-1, 3)
    speeds = np.where(p.mu > 0, np.linalg.norm(u, axis=1), np.abs(u[:, 0]))
    speed = max(speeds.max(initial=0.0), largest(p.L @ v * p.row_radius), 1e-3 / p.h)
    contact = contact_residual(law, p.mu, u, p.gap_rate, impulses.reshape(-1, 3), of_contact / speed, of_contact)
    limit = largest((rows - np.maximum(0.0, rows - of_row / speed * u_rows)) / of_row)
    return max(motion, contact, limit)


def delassus_residual(W, q, mu, r):
    """(2) under Coulomb's law for u = W r + q, in units of max |q| and max |q| / max |W| as in solve_problems.hpp; where no
    trees are known all contacts have the scale of the largest impulse."""
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
