"""Claims about `stats.penetration`: it is the deepest overlap of the poses after the step, though most pairs are not looked at there."""

import pathlib

import pytest
import stiction as st
from load_script import load_script

bins = load_script("bench/bins.py")

SCENES = pathlib.Path(__file__).parents[2] / "scenes"
SLACK = {"float64": 1e-6, "float32": 1e-5}  # by which it may be too large [m]
ROUNDING = {"float64": 1e-9, "float32": 2e-6}  # of a gap [m]


def check(sim, steps, dtype):
    """The deepest overlap that was seen [m]."""
    deepest = 0.0
    for k in range(steps):
        sim.step()
        said = sim.stats.penetration.copy()
        sim.forward()
        for env, count in enumerate(sim.contacts.count):
            found = max(0.0, -sim.contacts.gap[env, :count].min()) if count else 0.0
            assert found - ROUNDING[dtype] <= said[env] <= found + SLACK[dtype] + ROUNDING[dtype], (k, env)
            deepest = max(deepest, found)
    return deepest


@pytest.mark.parametrize("dtype", SLACK)
@pytest.mark.parametrize("h", (0.002, 0.02))
@pytest.mark.parametrize("seed", (2, 3))
def test_of_mixed_bodies_that_fall_into_a_bin(seed, h, dtype):
    xml, speeds = bins.model(12, seed)
    scene = st.load_model(xml, dynamics="dynamic", law="coulomb", cone="quadratic", step_size=h)
    with st.Simulator(scene, batch=1, device="cpu", threads=1, dtype=dtype) as sim:
        sim.qvel[0] = speeds.ravel()
        assert check(sim, round(0.6 / h), dtype) > SLACK[dtype]


@pytest.mark.parametrize("dtype", SLACK)
@pytest.mark.parametrize("name, h", [("hand_cube", 0.1), ("hand_cube", 0.4), ("iiwa_stack", 0.4), ("pile", 0.02)])
def test_of_scenes_that_move_far_in_a_step(name, h, dtype):
    with st.Simulator(st.load_scene(SCENES / name, step_size=h), batch=4, device="cpu", dtype=dtype) as sim:
        assert check(sim, 60, dtype) > SLACK[dtype]
