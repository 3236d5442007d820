"""Theorem 1 and Proposition 1 of Trinkle, Berard and Pang 2005, at the steps of the particle and the fence."""

import os
import pathlib
import shutil
import subprocess

import fence_model as paper
import h5py
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
BINARY = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction"))
EVERY = 1 if os.environ.get("ST_FULL") else 6  # of the steps, and all that begin or end the push
CONES = [4, 8, "quadratic"]
MOTION = 1e-8      # of a step: the convex problem is solved to 1e-9 of a velocity of 1 m/s, h = 0.01 s [m]
IMPULSE = 1e-8     # fixed point of the multipliers [m g h]
BALANCE = 1e-6     # forces from that fixed point: a hundred times its accuracy [m g h]
STILL = 1e-6       # a contact that slides slower sticks, as far as the convex solver can tell [m/s]
TOUCHING = 1e-9    # a gap is closed [m]
LOADED = 1e-9      # a contact carries force [m g h]


class Run:
    """The recorded steps: q (steps + 1, 3), gap after the step and λ_n (m g h) of wall, fence, floor (steps, 3)."""

    def __init__(self, folder, friction, *options):
        if not BINARY.exists():
            pytest.skip(f"{BINARY} is not built (STICTION_BIN names another)")
        self.friction = np.array([0.5, friction, 0.5])
        self.scene = folder / "scene"
        shutil.copytree(ROOT / "scenes/fence_particle", self.scene)
        model = (self.scene / "model.xml").read_text()
        as_given = '<pair geom1="fence" geom2="particle" friction=".5 '
        assert as_given in model
        (self.scene / "model.xml").write_text(model.replace(as_given, as_given.replace(".5", f"{friction:g}")))
        self.read(folder / "fence.h5", options)

    def read(self, file, options):
        command = [str(BINARY), "run", str(self.scene), "--out", str(file), "--record", "contacts", "--quiet", *options]
        run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert run.returncode == 0, run.stderr
        with h5py.File(file) as recording:
            self.q = np.array(recording["qpos"][:, 0])
            names = [n.decode() if isinstance(n, bytes) else n for n in recording.attrs["geom_names"]]
            geom = np.array(recording["contact/geom"][1:, 0])
            force = np.array(recording["contact/force"][1:, 0, :, 0])
            gap = np.array(recording["contact/gap_next"][1:, 0])
        self.gap, self.impulse = np.full((len(geom), 3), np.inf), np.zeros((len(geom), 3))
        for contact, name in enumerate(["wall", "fence", "floor"]):
            step, slot = np.nonzero((geom == names.index(name)).any(axis=2))
            self.gap[step, contact] = gap[step, slot]
            self.impulse[step, contact] = force[step, slot] / paper.WEIGHT
        assert np.isfinite(self.gap).all()

    def steps(self):
        """(step, t, q, q⁺) of those that are looked at."""
        moved = np.abs(np.diff(self.q[:, 0])) > TOUCHING
        edges = np.flatnonzero(np.diff(moved.astype(int))) + 1
        for step in sorted({*range(0, paper.STEPS, EVERY), *edges, *(edges - 1)}):
            yield step, paper.STEP_SIZE * step, self.q[step], self.q[step + 1]


def options_of(cone):
    return ["--law", "coulomb", *(["--cone", "quadratic"] if cone == "quadratic" else ["--facets", str(cone)])]


@pytest.fixture(scope="module", params=[(f, c) for f in (0.5, 3.0) for c in CONES], ids=lambda p: f"mu{p[0]}-{p[1]}")
def coulomb(request, tmp_path_factory):
    friction, cone = request.param
    return Run(tmp_path_factory.mktemp("fence"), friction, *options_of(cone)), cone


def test_the_convex_problem_at_the_models_normal_forces_returns_its_motion(coulomb, measured):
    """Theorem 1: a solution of Model-DQC (or DLC) is a global optimum of (29) for its λ_n."""
    run, cone = coulomb
    for step, t, q, after in run.steps():
        v, _ = paper.solve_convex_problem(q, t, run.friction, run.impulse[step], cone)
        assert q + paper.STEP_SIZE * v == pytest.approx(after, abs=MOTION), step
        measured("2005/theorem-1", np.abs(q + paper.STEP_SIZE * v - after).max())


def test_an_optimum_whose_multiplier_is_its_normal_force_is_the_models_solution(coulomb, measured):
    """Theorem 1, conversely: it satisfies (1) and (20) to (23), and it is the motion that was simulated."""
    run, cone = coulomb
    guess = [0.0, 0.0, 1.0]
    for step, t, q, after in run.steps():
        v, impulse = paper.find_normal_impulses(q, t, run.friction, cone, guess, IMPULSE)
        guess = impulse
        assert q + paper.STEP_SIZE * v == pytest.approx(after, abs=MOTION), step
        measured("2005/theorem-1-converse", np.abs(q + paper.STEP_SIZE * v - after).max())
        gap = paper.gaps(q, t) + paper.STEP_SIZE * paper.NORMAL @ v
        assert impulse.min() >= 0.0 and gap.min() >= -MOTION, step
        assert np.minimum(impulse, gap / paper.STEP_SIZE).max() <= BALANCE, step
        loaded = np.where(impulse > LOADED, impulse, 0.0)
        imbalance = paper.friction_imbalance(q, t, v, run.friction, loaded, cone, STILL)
        assert imbalance <= BALANCE, step
        measured("2005/theorem-1-balance", imbalance)


def unique_at(run, with_friction):
    found = {}
    for gap, impulse in zip(run.gap, run.impulse, strict=True):
        sets = tuple(gap <= TOUCHING), tuple((gap <= TOUCHING) & (impulse > LOADED))
        if sets not in found:
            found[sets] = paper.motion_is_unique(*sets, with_friction)
        yield found[sets]


def test_friction_makes_the_motion_unique_at_every_step(coulomb, measured):
    """Proposition 1: (32) holds."""
    run, _ = coulomb
    unique = list(unique_at(run, True))
    assert all(unique)
    measured("2005/unique-with-friction", np.mean(unique))


@pytest.mark.parametrize("cone", CONES)
def test_without_friction_the_motion_is_unique_at_no_step(tmp_path, cone, measured):
    run = Run(tmp_path, 0.5, "--law", "frictionless", *options_of(cone)[2:])
    unique = list(unique_at(run, False))
    assert not any(unique)
    measured("2005/unique-without-friction", np.mean(unique))
