"""Every solver with its settings, and how one asks it about a case; an answer comes back with its judged residual."""

from dataclasses import dataclass

import contact
import judge
import numpy as np
import ours
import service
import worker

OUR_SETTINGS = (1e-4, 1e-6, 1e-9)
PEER_SETTINGS = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14)   # of their own criteria, which are not ours
MOST_DENSE = 200     # unknowns of a problem that dense variants are tried on
NO_LIMITS = np.zeros(0)


@dataclass
class Entry:
    """A solver in the comparison; `key` names its process."""

    label: str
    key: str
    settings: tuple

    def takes(self, case):
        if self.key == "ours":
            return True
        if self.label.endswith("(dense)"):
            return case.size <= MOST_DENSE
        return self.key != "siconos" or case.family != "lcp" or not case.problem[2].any()  # its MLCPs: not here

    def question(self, case, setting, seconds, most):
        if self.key == "ours":
            return our_question(case, self.label, setting, seconds, most)
        return service.pack(solver=self.label, setting=setting, seconds=seconds, most=most, **arrays_of(case))

    def unpack(self, payload, case):
        if self.key != "ours":
            return worker.unpack(payload)
        return ours.unpack(payload, our_sizes(case))


def our_question(case, solver, setting, seconds, most):
    if case.family == "lcp":
        return ours.lcp_question(*case.problem, setting, seconds, most)
    if isinstance(case.problem, tuple):
        return ours.delassus_question(*case.problem, solver, setting, seconds, most)
    law = "anitescu" if case.family == "convex" else "coulomb"
    return ours.contact_question(case.problem, law, solver, setting, seconds, most)


def our_sizes(case):
    if case.family == "lcp":
        return [case.size]
    if isinstance(case.problem, tuple):
        return [case.size, case.size]
    return [case.size, 3 * case.contacts, len(case.problem.c)]


def arrays_of(case):
    """What a peer gets."""
    p = case.problem
    if case.family == "lcp":
        return {"W": p[0], "q": p[1]}
    if isinstance(p, tuple):
        return {"W": p[0], "q": p[1], "mu": p[2]}
    if case.family == "convex":
        A, c = contact.facet_qp(p)
        return {"H": p.H, "g": p.g, "A": A, "c": c}
    W, q = contact.delassus(p)
    return {"W": W, "q": q, "mu": p.mu}


def judged(case, entry, found):
    """The residual of an answer."""
    p, dual = case.problem, found["dual"]
    if case.family == "lcp":
        return judge.lcp_residual(*p[:2], dual, p[2])
    if isinstance(p, tuple):
        return judge.delassus_residual(*p, dual)
    law = "anitescu" if case.family == "convex" else "coulomb"
    if entry.key == "ours":
        return judge.residual(p, law, found["v"], dual, found["limits"])
    if case.family == "convex":
        return judge.residual(p, law, found["v"], *contact.impulses_of_facets(p, dual))
    return judge.residual(p, law, contact.motion_of(p, dual), dual, NO_LIMITS)


def our_entries(family):
    cone = "quadratic" if family == "coulomb" else "pyramid"
    names = ["lemke"] if family == "lcp" else [s for s in ours.SOLVERS if ours.is_legal(s, cone)]
    return [Entry(name, "ours", OUR_SETTINGS) for name in names]


def peer_entries(family, greetings):
    """`greetings`: process -> names of its solvers."""
    keys = {"convex": ["qp"], "coulomb": ["pinocchio", "siconos"], "lcp": ["siconos"]}[family]
    for key in keys:
        for name in greetings.get(key, []):
            if key != "siconos" or (family == "lcp") == name.endswith(", LCP"):
                yield Entry(name, key, PEER_SETTINGS)

