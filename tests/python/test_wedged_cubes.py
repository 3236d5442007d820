"""Claim: a cube that begins askew and in overlap between closing pads is turned flush, comes to rest and overlaps nothing. In steps in
which it turned into a pad, the overlap that it had before was once forgotten, so that it stayed wedged, with velocities for ever."""

import numpy as np
import pytest
import stiction as st
from jaws import text
from stiction import quaternions

ASKEW = np.array([-0.022, -0.022, 0.09765, 0.24796, 0.51991, 0.56033, 0.81615, -0.08933, -0.10933])  # pads in its corners
CUBES, SECONDS = 256, 1.0


@pytest.mark.parametrize("step", [0.02, 0.005])
def test_a_cube_between_pads_is_turned_flush(step):
    rng = np.random.default_rng(5)
    axis = rng.normal(size=(CUBES, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    qpos = np.tile(ASKEW, (CUBES, 1))
    qpos[:, :2] += rng.uniform(-0.003, 0.003, size=(CUBES, 1))
    qpos[:, 2:5] += rng.uniform(-0.003, 0.003, size=(CUBES, 3))
    qpos[:, 5:] = quaternions.multiply(quaternions.turn(rng.uniform(0, 0.3, size=(CUBES, 1)) * axis), qpos[:, 5:])
    with st.Simulator(st.load_model(text(), step_size=step), batch=CUBES, device="cpu") as sim:
        sim.params.gravity[:] = 0.0
        sim.params.friction[:, :, :2] = [0.6, 0.02]
        sim.reset(qpos=qpos, qvel=np.zeros((CUBES, sim.model.nv)))
        sim.forward()
        assert (np.asarray(sim.contacts.gap)[:, :4] < -1e-4).any(axis=1).sum() > CUBES / 4  # many begin in overlap
        assert (sim.step(np.tile([0.006, 0.003], (CUBES, 1)), steps=round(SECONDS / step)) == st.Status.CONVERGED).all()
        assert np.abs(np.asarray(sim.qvel)).max() < 1e-6
        assert np.asarray(sim.stats.penetration).max() < 1e-6
