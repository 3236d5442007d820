"""What is solved, family by family: recorded problems, random sets, the data set; and how every solver is asked.

    convex    Anitescu's law, pyramids of four facets: all get one QP; H may be singular
    coulomb   Coulomb's law, quadratic cones: peers get u = W r + q, so only problems with a regular H
    lcp       complementarity problems of the data set, and those of Stewart and Trinkle from the random sets
"""

import pathlib
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any

import contact
import data_set
import numpy as np
import random_sets

ROOT = pathlib.Path(__file__).resolve().parents[2]
MANY = 12            # problems of a recording
LCP_COUNTS = (4, 8, 16, 32)   # contacts of the random LCPs: 24 to 192 unknowns
SEEDS = (0, 1)
WITHOUT_SOLUTION = "lcp/lcp_Pang_isolated_sol_perturbed.dat"   # one comes within 1e-4 of solving it
RECORDED = {         # (scene, every so many steps, dynamics or None for the scene's, step [s] or None)
    "convex": [("iiwa_stack", 10, None, None), ("hand_cube", 1, None, None), ("pile", 8, None, None)],
    "coulomb": [("iiwa_stack", 10, "dynamic", 0.05), ("hand_cube", 1, None, None), ("pile", 8, None, None)],
}


@dataclass
class Case:
    """One problem; `problem` is a Contact, a (W, q, mu), or a (M, q, equations)."""

    family: str
    group: str
    name: str
    contacts: int
    size: int           # velocities, or unknowns
    problem: Any


def record(build, scene, every, dynamics, step, folder):
    """Problems of a run, the recorder's file in `folder`."""
    source, file = ROOT / "scenes" / scene, folder / "problems.bin"
    if dynamics:
        shutil.copytree(source, folder / "scene", dirs_exist_ok=True)
        text = (folder / "scene/scene.toml").read_text()
        (folder / "scene/scene.toml").write_text(re.sub(r'dynamics = "\w+"', f'dynamics = "{dynamics}"', text))
        source = folder / "scene"
    command = [build / "bin/record_problems", source, file, every, *([0, step] if step else [])]
    subprocess.run([str(word) for word in command], check=True)
    return contact.read_file(file)


def spread(problems, many):
    """`many` of them, evenly."""
    return [problems[i] for i in np.unique(np.linspace(0, len(problems) - 1, many).astype(int))]


def recorded_cases(build, family, quick, admit):
    """`admit`: what a family makes of a problem, or None where it does not take it."""
    for scene, every, dynamics, step in RECORDED[family]:
        with tempfile.TemporaryDirectory() as folder:
            problems = record(build, scene, every, dynamics, step, pathlib.Path(folder))
        admitted = [p for p in (admit(p) for p in spread(problems, 2 * MANY)) if p is not None]
        for i, p in enumerate(spread(admitted, 3 if quick else MANY)):
            yield Case(family, scene, f"{scene}/{i}", p.contacts, len(p.g), p)


def random_cases(family, quick):
    kinds = [k for k in random_sets.KINDS if family == "convex" or k != "singular"]
    for kind in kinds:
        counts = LCP_COUNTS if family == "lcp" else random_sets.counts(kind)
        for count in counts[:2] if quick else counts:
            for seed in SEEDS[:1] if quick else SEEDS:
                p = random_sets.make(kind, count, seed)
                name = f"{kind}/{count}/{seed}"
                if family == "lcp":
                    M, q = random_sets.lcp_of(p)
                    yield Case(family, kind, name, count, len(q), (M, q, np.zeros(len(q), dtype=bool)))
                else:
                    yield Case(family, kind, name, count, len(p.g), p)


def data_cases(family):
    data = data_set.folder()
    if data is None:
        print(f"{family}: no data set (STICTION_SHARED names its folder), left out", flush=True)
        return
    if family == "coulomb":
        for name, file in data_set.contact_files(data).items():
            W, q, mu = data_set.read_contacts(file)
            yield Case(family, "data set", name, len(mu), len(q), (0.5 * (W + W.T), q, mu))
    if family == "lcp":
        for name, (file, read) in data_set.complementarity_files(data).items():
            if name == WITHOUT_SOLUTION:
                continue
            M, q, equations = read(file)
            yield Case(family, "MLCPs" if equations.any() else "LCPs", name, 0, len(q), (M, q, equations))
