"""Verifies every status of recorded contact problems: verify_answers.py PROBLEMS.h5 ANSWERS.h5 (of stiction solve --out)."""
import collections
import sys

import h5py
import numpy as np

file, out = h5py.File(sys.argv[1])["contact"], h5py.File(sys.argv[2])
h, tol, facets = (says := dict(file.attrs) | dict(out.attrs))["step_size"], says["tolerance"], says["facets"]
blocks = file["blocks"][:] if "blocks" in file else file["g"].shape[1:]
norm, flat, turn = (lambda x: np.linalg.norm(x, axis=1)), (lambda x: x[:, :2]), (lambda x: np.abs(x[:, 2:]).sum(1))  # turn: about n
trees, largest = np.split(np.arange(sum(blocks)), np.cumsum(blocks)[:-1]), (lambda *all: max((np.abs(x).max() for x in all if x.size), default=0.0))
D, edge = ([np.cos(t), np.sin(t)] for t in 2 * np.pi * (np.arange(facets) + np.array([[0], [0.5]])) / facets)
gauge, dual, slope = {  # K: gauge(f_t / mu) <= f_n, K*: dual(mu u_t) <= u_n
    "quadratic": (norm, norm, 1), "box": (lambda x: np.abs(flat(x)).max(1, initial=0) + turn(x), lambda x: np.maximum(np.abs(flat(x)).sum(1), turn(x)), 2),
    "pyramid": (lambda x: (flat(x) @ edge).max(1, initial=0) / np.cos(np.pi / facets) + turn(x), lambda x: np.maximum((-flat(x) @ D).max(1), turn(x)), 2)}[says["cone"]]
def scales(g, push, rows, own):  # scales of impulses: of every tree, and of what acts on the trees with `rows` (n, k, nv)
    acts = np.array([[row[:, tree].any() for tree in trees] for row in rows], bool).reshape(len(rows), len(trees))
    least = np.maximum(1e-3 * np.where(acts, own[:, None], 0).max(0, initial=0), 1e-3 * h)
    S = np.maximum([largest(g[tree], push[tree]) for tree in trees], least)
    F = np.where(acts, S, np.inf).min(1, initial=np.inf)
    return np.repeat(S, blocks), np.where(np.isinf(F), np.maximum(own, 1e-3 * h), F)
def verify(i):  # the claim of problem i, and whether it is true; torsion counts as force
    get = lambda name, *shape: file[name][i] if name in file else np.zeros(shape)
    status, n, H, g, mu = out["status"][i], file["count"][i], get("H"), get("g"), get("mu")[: file["count"][i]]
    b, low, high, R, a_row = (get("row_" + x, 0) for x in ("offset", "lower", "upper", "compliance", "radius"))
    d, size = mu.shape[1] + 1, np.concatenate([np.ones((n, 3)), get("radius")[:n, None]], axis=1)[:, : mu.shape[1] + 1]
    T, r, gap = get("J").reshape(-1, d, len(g))[:n] * size[:, :, None], get("dof_radius"), get("phi")[:n] / h
    offset, mu = get("offset").reshape(-1, d)[:n] * size, mu / size[:, 1:] * (says["law"] != "frictionless")
    J, b, low, high, R = get("row_J", 0).reshape(-1, len(g)) * a_row[:, None], b * a_row, low / a_row, high / a_row, R * a_row**2
    if not np.isfinite(largest(H, g, T, gap, offset, mu)) or status & 64:
        return "not finite", bool(status & 64)
    def in_cone(f, e):  # f is within e of K; no force along an axis without friction
        free, most = np.divide(f[:, 1:], mu, out=np.zeros_like(mu), where=mu > 0), np.where(mu > 0, mu, np.inf).min(1, initial=np.inf)
        return bool((gauge(free) - f[:, 0] <= e * (1 + slope / most)).all() and (np.where(mu > 0, 0, np.abs(f[:, 1:])).max(1, initial=0) <= e).all())
    if status & 32:
        shut = np.isinf(end := np.where((w := J @ (x := out["direction"][i])) > 0, low, high))  # rows: no bound ends f_row
        ways, gain = np.append((u := T @ x)[:, 0] - dual(mu * u[:, 1:]), -abs(w[shut])), g @ x + w[~shut] @ end[~shut]
        return "unbounded", bool((ways >= -1e-6).all() and largest(H @ x) <= 1e-6 * largest(H) and gain > 0)
    f, f_row = (out[x + ("farkas" if status & 16 else "lambda")][i] if x + "lambda" in out else b for x in ("", "row_"))
    f, f_row, v = f.reshape(-1, d)[:n] / size, f_row / a_row, out["v"][i]
    push, u, w = np.einsum("idk,id->k", T, f) + J.T @ f_row, T @ v + offset, J @ v
    if status & 16:  # under Coulomb's law impulses without friction must prove it
        y, none = 1e-6 * largest(f, f_row), largest(f[:, 1:]) if says["law"] == "coulomb" else 0
        return "infeasible", max(largest(push), none) <= y and in_cone(f, y) and bool((f * offset).sum() + f[:, 0] @ gap + f_row @ b < 0)
    u_0, w = max(largest(norm(u), w), 1e-3 / h), w + b + R * f_row
    S, F = scales(g / r, push / r, [*T, *J[:, None, :]], np.append(np.abs(f).max(1, initial=0), np.abs(f_row)))
    F, F_row = F[:n], F[n:]
    u[:, 0] += gap + (dual(mu * u[:, 1:]) if says["law"] == "coulomb" else 0)
    slip, m, t = norm(mu * u[:, 1:]), mu.max(1, initial=0), tol / (1 if status & 1 else 16)  # unsolved: not far below the tolerance
    along = norm(f[:, 1:] * slip[:, None] + f[:, :1] * mu**2 * u[:, 1:]) if says["cone"] == "quadratic" else 0
    true = (largest((H @ v - g - push) / r / S) <= t and in_cone(f, t * F)
            and (dual(mu * u[:, 1:]) - u[:, 0] <= t * u_0 * (1 + 2 * m)).all()
            and (np.abs((f * u).sum(1)) <= 2 * t * (F * norm(u) + norm(f) * u_0)).all()
            and (along <= 4 * t * (1 + m) * (F * slip + np.abs(f[:, 0]) * u_0 * m**2)).all()
            and (np.abs(f_row - np.clip(f_row - F_row / u_0 * w, low, high)) <= t * F_row).all())
    return ("converged", bool(true)) if status & 1 else ("flagged as unsolved", not true)
counts = collections.Counter(verify(i) for i in range(len(out["status"])))
print("\n".join(f"{count:8d}  {claim}: {'verified' if true else 'WRONG'}" for (claim, true), count in sorted(counts.items())))
sys.exit(any(not true for _, true in counts))
