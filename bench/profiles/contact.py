"""One contact problem as arrays, its QP in facets and its Delassus form; records of record_problems.

    H v = g + Jᵀλ,   K_i ∋ λ_i ⊥ u_i + (φ_i/h + s_i) e_n ∈ K_i*,  u = J v + b       rows n, t, o of every contact
    limit rows       0 <= λ_r ⊥ L v + c >= 0
"""

from dataclasses import dataclass, field

import numpy as np

MAGIC = 20260101.0
FACETS = 4           # of every pyramid: two opposite facets on either axis
LIMIT_FIELDS = 5     # of a general row before its Jacobian


@dataclass
class Contact:
    """A contact problem. `blocks`: the sizes of H's diagonal blocks."""

    h: float                # [s]
    H: np.ndarray           # (nv, nv)
    g: np.ndarray           # (nv)
    J: np.ndarray           # (3 nc, nv)
    b: np.ndarray           # (3 nc) [m/s]
    gap_rate: np.ndarray    # (nc) φ/h [m/s]
    mu: np.ndarray          # (nc)
    radius: np.ndarray      # (nv) lengths of rotations, 1 for translations [m]
    blocks: np.ndarray      # (blocks)
    L: np.ndarray = field(default=None)       # (rows, nv) limits
    c: np.ndarray = field(default=None)       # (rows)
    row_radius: np.ndarray = field(default=None)  # (rows)

    def __post_init__(self):
        nv = len(self.g)
        if self.L is None:
            self.L, self.c, self.row_radius = np.zeros((0, nv)), np.zeros(0), np.zeros(0)

    @property
    def contacts(self):
        return len(self.mu)

    def offset(self):
        """b + φ/h e_n."""
        out = self.b.copy()
        out[0::3] += self.gap_rate
        return out

    def is_regular(self):
        """Whether H can be inverted, so that there is a Delassus matrix."""
        return np.linalg.cond(self.H) < 1e14


def generators(mu, facets=FACETS):
    """(facets, 3): (1, μ cos θ, μ sin θ)."""
    angle = 2 * np.pi * np.arange(facets) / facets
    return np.column_stack([np.ones(facets), mu * np.cos(angle), mu * np.sin(angle)])


def facet_qp(p):
    """min ½ vᵀHv − gᵀv with A v + c >= 0: (A, c), facets contact by contact, then limits."""
    offset = p.offset()
    A = [generators(mu) @ p.J[3 * i : 3 * i + 3] for i, mu in enumerate(p.mu)]
    c = [generators(mu) @ offset[3 * i : 3 * i + 3] for i, mu in enumerate(p.mu)]
    return np.vstack([*A, p.L]), np.concatenate([*c, p.c])


def impulses_of_facets(p, z):
    """(λ (3 nc), λ of limits) of the QP's multipliers: λ_i = Σ_k z_k (1, D_k)."""
    split = FACETS * p.contacts
    by_contact = z[:split].reshape(p.contacts, FACETS)
    with np.errstate(over="ignore", invalid="ignore"):  # of solvers that diverged
        parts = [z_i @ generators(mu) for z_i, mu in zip(by_contact, p.mu)]
    return np.concatenate([np.zeros(0), *parts]), z[split:]


def delassus(p):
    """(W, q): u + φ/h e_n = W λ + q. For problems without limits and with an H that can be inverted."""
    inverse_J = np.linalg.solve(p.H, p.J.T)
    W = p.J @ inverse_J
    return 0.5 * (W + W.T), inverse_J.T @ p.g + p.offset()


def motion_of(p, impulses):
    """v of H v = g + Jᵀλ."""
    return np.linalg.solve(p.H, p.g + p.J.T @ impulses)


def record(p):
    """The doubles that problem_record.hpp reads."""
    nv, rows = len(p.g), len(p.c)
    head = [nv, len(p.blocks), p.contacts, rows, p.h, FACETS, *p.blocks]
    parts = [head, p.H.ravel(), np.eye(nv).ravel(), p.g, p.radius]
    for i in range(p.contacts):
        parts += [[p.gap_rate[i]], p.b[3 * i : 3 * i + 3], [p.mu[i], p.mu[i]], p.J[3 * i : 3 * i + 3].ravel()]
    for r in range(rows):
        parts += [[p.c[r], 0.0, np.inf, 0.0, p.row_radius[r]], p.L[r]]
    return np.concatenate([np.asarray(part, dtype=float) for part in parts])


class Reader:
    """Takes counted runs of doubles off a file's contents."""

    def __init__(self, values):
        self.values, self.at = values, 0

    def take(self, *shape):
        count = int(np.prod(shape))
        part = self.values[self.at : self.at + count]
        if len(part) < count:
            raise ValueError("the problem file ends within a problem")
        self.at += count
        return part.reshape(shape)

    def whole(self, count):
        return [int(x) for x in self.take(count)]


def read_one(reader):
    if reader.take(1)[0] != MAGIC:
        raise ValueError("not a problem file of record_problems")
    nv, blocks, contacts, rows = reader.whole(4)
    h = float(reader.take(1)[0])
    reader.take(1)
    sizes = np.array(reader.whole(blocks))
    H = reader.take(nv, nv)
    reader.take(nv, nv)
    g, radius = reader.take(nv), reader.take(nv)
    parts = reader.take(contacts, 6 + 3 * nv)
    limits = reader.take(rows, LIMIT_FIELDS + nv)
    reader.take(nv + 3 * contacts + rows + 5)  # the recorder's answer
    if contacts and not np.array_equal(parts[:, 4], parts[:, 5]):
        raise ValueError("friction that differs along t and o: not in this comparison")
    if rows and (limits[:, 1].any() or np.isfinite(limits[:, 2]).any() or limits[:, 3].any()):
        raise ValueError("rows that are no limits: not in this comparison")
    return Contact(h, H, g, parts[:, 6:].reshape(3 * contacts, nv), parts[:, 1:4].ravel(), parts[:, 0], parts[:, 4],
                   radius, sizes, limits[:, LIMIT_FIELDS:], limits[:, 0], limits[:, 4])


def read_file(path):
    """All problems of a file that have contacts."""
    reader, out = Reader(np.fromfile(path)), []
    while reader.at < len(reader.values):
        out.append(read_one(reader))
    return [p for p in out if p.contacts]
