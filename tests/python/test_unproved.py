"""A step whose solver calls it unbounded, without a proof that outlives the solve, keeps its state and ends."""

import numpy as np
import stiction as st


def test_an_unbounded_step_without_a_proof_keeps_its_state():
    choices = {"dynamics": "quasistatic", "law": "anitescu", "cone": "pyramid", "solver": "lemke", "max_total_iterations": 400}
    scene = st.load_scene("scenes/pile", **choices)
    with st.Simulator(scene, batch=2, device="cpu", dtype="float32", threads=1) as sim:
        sim.step(steps=4)
        before = np.array(sim.qpos)
        status = np.array(sim.step())
        kept = (status & int(st.Status.STATE_KEPT)) != 0
        assert kept.any()  # ended in a segmentation fault
        assert np.array_equal(before[kept], np.array(sim.qpos)[kept])
