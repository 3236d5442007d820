"""Claim about `geometry = "end"` in long steps under Anitescu's law: a hand that moves 24 cm in a step and passes cubes does not push them from afar, so that its steps find their ends."""

import pathlib

import numpy as np
import stiction as st

SCENES = pathlib.Path(__file__).parents[2] / "scenes"
BATCH, STEPS = 16, 80  # the hand fetches and puts down three cubes


def test_a_hand_that_passes_cubes_finds_the_ends_of_its_steps():
    scene = st.load_scene(SCENES / "iiwa_stack", step_size=0.4, geometry="end")
    still_open, deepest = 0, 0.0
    with st.Simulator(scene, batch=BATCH, device="cpu") as sim:
        for _ in range(STEPS):
            solved = (sim.step() & int(st.Status.CONVERGED)) != 0
            still_open += int(np.sum(~solved))
            deepest = max(deepest, sim.stats.penetration[solved].max(initial=0.0))
    assert still_open <= 0.005 * BATCH * STEPS  # with rows from afar: 14 of 1,280
    assert deepest <= 1e-6  # [m]
