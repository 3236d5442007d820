"""bench/grasp: the tool measures, its random grasps are what they say, MuJoCo judges by the same rules, and the page has its figures."""

import csv
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from load_script import load_script
from stiction import grasp

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench/grasp"))  # the files there import each other
grasp_sets, labels, peer, tables = (load_script(f"bench/grasp/{name}.py", name) for name in ("grasp_sets", "labels", "peer", "tables"))
FEW = 6


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The folder of results of a short run."""
    folder = tmp_path_factory.mktemp("grasp_bench")
    command = [sys.executable, ROOT / "bench/grasp/run", "labels", "speed", "peer", "--count", FEW, "--steps", 20, 10, "--threads", 1, "--results", folder]
    environment = os.environ | {"PYTHONPATH": str(pathlib.Path(os.environ["STICTION_BUILD"]) / "python")}
    subprocess.run([str(word) for word in command], env=environment, check=True, capture_output=True, timeout=300)
    return folder


def rows_of(folder, name):
    with (folder / f"grasp_{name}.csv").open() as stream:
        return list(csv.DictReader(stream))


def test_every_gripper_is_labelled_at_every_step_size(measured):
    rows = [row for row in rows_of(measured, "labels") if row["object"] == "all"]
    found = {(row["gripper"], float(row["step_ms"]), int(row["grasps"])) for row in rows}
    assert found == {(gripper, step, FEW) for gripper in ("jaws", "displaced jaws", "hand") for step in (20.0, 10.0)}
    assert all(0 <= float(row["agree"]) <= 1 for row in rows if row["against_ms"])


def test_speed_says_what_the_steps_did(measured):
    for row in rows_of(measured, "speed"):
        assert float(row["converged"]) == 1 and float(row["residual"]) <= 1e-6
        assert float(row["contacts"]) > 0 and float(row["iterations"]) > 0 and 0 < float(row["outside_share"]) < 1
        assert float(row["wall_s"]) > 0 and float(row["steps_a_grasp"]) > 20


def test_mujoco_judges_the_same_grasps(measured):
    rows = rows_of(measured, "peer")
    assert {row["judge"].split()[0] for row in rows} == {"stiction", "MuJoCo"}
    jaws = [row for row in rows if row["gripper"] == "jaws"]
    assert all(float(row["agree"]) == 1 for row in jaws), "antipodal grasps of a cube, a battery and an egg hold"


def test_the_page_can_be_made_of_any_results(measured):
    text = tables.section(measured)
    assert f"| {FEW} hand | 20 |" in text and "| MuJoCo" in text


def test_the_page_has_the_figures_of_the_tables():
    page = tables.PAGE.read_text()
    shown = page.split(tables.BEGIN)[1].split(tables.END)[0]
    assert shown == tables.section(tables.RESULTS), "run bench/grasp/run page"


def test_grasps_come_in_equal_shares_and_from_their_seed():
    one, again, other = (grasp_sets.grasp_set("jaws", 60, seed) for seed in (3, 3, 4))
    assert np.bincount(one.of).tolist() == [3] * 8 + [2] * 18
    assert np.array_equal(one.grasps.position, again.grasps.position) and not np.array_equal(one.grasps.position, other.grasps.position)


def test_displaced_palms_are_as_far_off_as_asked():
    straight, off = (grasp_sets.grasp_set(name, 52, 3) for name in ("jaws", "displaced jaws"))
    grip = lambda found: found.grasps.position + grasp_sets.quaternions.rotate(found.grasps.quat, np.tile([0, 0, grasp.Jaws().grip], (52, 1)))
    way = np.linalg.norm(grip(off) - grip(straight), axis=1)
    assert 0.005 < way.mean() and way.max() <= np.sqrt(3) * grasp_sets.SHIFT + 1e-12
    cosine = np.abs((straight.grasps.quat * off.grasps.quat).sum(axis=1))
    assert np.degrees(2 * np.arccos(np.minimum(cosine, 1))).max() <= grasp_sets.TURN + 1e-9


@pytest.mark.parametrize(("step", "reference"), [(20.0, 2.0), (10.0, 2.0), (2.0, 1.0), (1.0, None)])
def test_verdicts_are_compared_with_the_finest_but_one(step, reference):
    assert labels.reference_of([20.0, 10.0, 2.0, 1.0], step) == reference




@pytest.mark.parametrize(("friction", "held"), [(0.6, True), (0.02, False)])
def test_mujoco_loses_what_friction_does_not_hold(friction, held):
    """Two jaws of 15 N hold the load of 1 N where 2 μ 15 N is more."""
    found = peer.theirs(grasp_sets.grasp_set("jaws", 3, 1, ["cube"]), grasp_sets.PROTOCOL | {"friction": friction})[0]
    assert found.tolist() == [held] * 3
