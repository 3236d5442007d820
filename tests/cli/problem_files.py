"""Files of raw problems with known solutions, and the natural maps that judge answers."""

import h5py
import numpy as np

# M = [2 1; 0 1] column after column: z = (1.5, 1); read as rows it would be (2, 0)
LCP = "2  0 2 2 2 2  2 0 1 1  -4 -1\nwords may follow\n"
LCP_SOLUTION = [1.5, 1.0]
# y = 1: -1 z - 1 >= 0 has no z >= 0
LCP_INFEASIBLE = "1  0 1 1 1 1  -1  -1"
# 2 z0 + z1 - 4 = 0, 0 <= z1 _|_ -z0 + z1 - 1 >= 0
MLCP = "1 0 1 1  0 1 2  0 1  0 2 2 2 2  2 -1 1 1  -4 -1"
MLCP_PARTS = "0 1 1 1  2  1  1  -1  -4  -1"
MLCP_SOLUTION = [1.0, 2.0]
# W = [4 B; B' 4], B = e_n e_t'; both contacts stick: r = -W^-1 q inside the cones of mu = 1
CONTACT_W = 4 * np.eye(6)
CONTACT_W[0, 4] = CONTACT_W[4, 0] = 1
CONTACT_SOLUTION = np.array([1, 0.1, 0, 2, 0.2, 0.1])
CONTACT_Q = -CONTACT_W @ CONTACT_SOLUTION
CONTACT_MU = np.ones(2)


def text(values):
    return " ".join(repr(float(x)) for x in np.ravel(values))


def dense_contacts():
    return f"3 2  0 6 6 6 6  {text(CONTACT_W.T)}  {text(CONTACT_Q)}  {text(CONTACT_MU)}"


def block_contacts():
    header = "3 2  1 6 6  4 2 2  3 6  3 6  3 4  0 2 4  0 1 0 1"
    corners = [(i, j) for i in (0, 3) for j in (0, 3)]
    blocks = " ".join(f"{k} {text(CONTACT_W[i:i + 3, j:j + 3].T)}" for k, (i, j) in enumerate(corners))
    return f"{header}  {blocks}  {text(CONTACT_Q)}  {text(CONTACT_MU)}"


def write_hdf5(path, group, datasets, **attributes):
    with h5py.File(path, "w") as file:
        made = file.create_group(group)
        for name, values in datasets.items():
            made[name] = values
        made.attrs.update(attributes)
    return path


def write_fclib(path, form):
    """W as triplets (nz >= 0), compressed columns (-1) or compressed rows (-2); arrays are longer than what is used."""
    W = CONTACT_W.T if form == -1 else CONTACT_W
    lines, entries = np.nonzero(W)
    x = np.append(W[lines, entries], [7.0])
    pointers = np.concatenate([[0], np.cumsum(np.count_nonzero(W, axis=1))])
    p, nz = (lines, len(lines)) if form >= 0 else (pointers, form)
    with h5py.File(path, "w") as file:
        local = file.create_group("fclib_local")
        local["spacedim"] = np.array([3], np.int32)
        for name, value in {"m": 6, "n": 6, "nzmax": len(x), "nz": nz}.items():
            local[f"W/{name}"] = np.array([value], np.int32)
        local["W/p"], local["W/i"] = p.astype(np.int32), np.append(entries, [0])[: len(x)].astype(np.int32)
        local["W/x"] = x
        local["vectors/q"], local["vectors/mu"] = CONTACT_Q, CONTACT_MU
    return path


def complementarity_residual(M, q, z, equations=None):
    """The norm of the natural map relative to max(1, |q|)."""
    w = M @ z + q
    free = np.zeros(len(q), bool) if equations is None else np.asarray(equations, bool)
    return np.linalg.norm(np.where(free, w, np.minimum(z, w))) / max(1.0, np.linalg.norm(q))


def project_to_cone(x, mu):
    """Onto |x_T| <= mu x_n, row by row."""
    n, t = x[:, 0], np.linalg.norm(x[:, 1:], axis=1)
    onto = (n + mu * t) / (1 + mu**2)
    result = np.concatenate([onto[:, None], (mu * onto / np.where(t > 0, t, 1))[:, None] * x[:, 1:]], axis=1)
    result[mu * t <= -n] = 0
    inside = t <= mu * n
    result[inside] = x[inside]
    return result


def coulomb_residual(W, q, mu, r):
    """The natural map of Coulomb's law relative to the largest of |q|, |r|, |u|."""
    u, r = (W @ r + q).reshape(-1, 3), r.reshape(-1, 3)
    shifted = u.copy()
    shifted[:, 0] += mu * np.linalg.norm(u[:, 1:], axis=1)
    size = max(np.linalg.norm(q), np.linalg.norm(r), np.linalg.norm(u))
    return np.linalg.norm(r - project_to_cone(r - shifted, mu)) / size
