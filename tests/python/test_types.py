"""Claims: the examples have no mistake of types under the strictest checker, and a user's slips are found before a run."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from load_script import load_script

types = load_script("scripts/example_types.py")
BUILD = Path(os.environ["STICTION_BUILD"])
pytestmark = pytest.mark.skipif(not types.CHECKER.exists() or not (BUILD / "python/stiction/_core.pyi").exists(),
                                reason="no basedpyright (requirements/lint.txt), or no stub (target _core_stub)")  # fmt: skip

SLIPS = {
    'st.load_scene("s", lawn="coulomb")': "lawn",
    'st.load_scene("s", law="coulom")': "coulom",
    'st.load_model("m.xml", step_size="0.1")': "step_size",
    "sim.qopos = sim.qpos": "qopos",
    "sim.params.frction": "frction",
    "sim.contacts.forse": "forse",
    "sim.contacts.force = sim.contacts.force": "force",
    "sim.qpos = [0.0]": "qpos",
    "sim.step(ctrl=[1.0])": "ctrl",
    "sim.step(stepps=3)": "stepps",
    "sim.stats.residual.maxx()": "maxx",
    'sim.body("cube").poss': "poss",
    'sim.joint("x").ctrl': "ctrl",
    'sim.reset(keyfram="home")': "keyfram",
    "sim.model.joint_qpos_adrr": "joint_qpos_adrr",
    'sim.model.joint_qpos_adr + "a"': "joint_qpos_adr",
}
RIGHT = """
import numpy as np
import stiction as st
from numpy.typing import NDArray

keys: st.SceneKeys = {"law": "coulomb", "step_size": 0.02}
with st.Simulator(st.load_scene("scenes/gripper2d", **keys), batch=4) as sim:
    status: NDArray[np.uint32] = sim.step(np.zeros((4, sim.model.nu)), steps=3)
    names: list[str] = st.status_names(status)
    name: str = st.status_names(int(status[0]))
    adr: NDArray[np.int32] = sim.model.joint_qpos_adr
    pairs: NDArray[np.int32] = sim.contacts.geom
    pushed = sim.contacts.force[0, :, 0].sum() + sim.patches.force.sum() + sim.stats.energy.sum()
    sim.qpos = sim.qpos + 0.1
    sim.params.friction[:, :, 0] = 0.5
    sim.reset([0, 1], qpos=sim.qpos[:2])
    sim.reset(keyframe="home")
    cube = sim.body("cube")
    cube.pos = [0.0, 0.0, 1.0]
    cube.pos[:, 2] += 0.1
    cube.velocity = np.zeros(6)
    sim.actuator(0).ctrl = 0.5
    force: NDArray[np.float64] = sim.jacobian(cube)[0].T @ np.ones(6) + sim.bias()[0] + sim.mass_matrix()[0, 0]
    print(force.sum(), sim.joint("x").qpos.max(), sim.geom("cube").pos.min())
    print(names, name, adr, pairs, pushed, sim)
"""


def test_the_examples_are_right_under_the_strictest_checker():
    run = types.check(BUILD, [types.ROOT / "examples"])
    assert run.returncode == 0, run.stdout[-3000:]


def test_slips_are_found_and_what_is_right_is_not(tmp_path):
    lines = ["import stiction as st", "", "sim = st.Simulator('s')", *SLIPS]
    (tmp_path / "slips.py").write_text("\n".join(lines) + "\n")
    (tmp_path / "right.py").write_text(RIGHT)
    out = types.check(BUILD, [tmp_path]).stdout
    assert "right.py:" not in out, out
    for number, (line, word) in enumerate(SLIPS.items(), 4):
        said = [text for text in out.splitlines() if f"slips.py:{number}:" in text]
        assert said and any("error" in text for text in said), line
        assert word in line
