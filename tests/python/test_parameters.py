"""Claims: damping, armature and force ranges that are written act as those of a model that was made with them, in each
environment on its own; values that make no sense stop their environment only."""

import numpy as np
import pytest
import stiction as st

ARM = """<mujoco><worldbody>
  <body pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping="{d}" armature="{a}"/><geom type="capsule" size=".03 .1" pos=".1 0 0"/>
    <body pos=".25 0 0"><joint name="wrist" type="ball" damping="{d}" armature="{a}"/><geom type="box" size=".1 .02 .03" pos=".1 .03 0"/></body></body>
  <body pos="0 1 1"><joint name="lift" type="slide" axis="0 0 1" damping="{d}" armature="{a}"/><geom type="box" size=".1 .1 .1"/></body>
</worldbody>
<actuator><position joint="shoulder" kp="400" kv="40" forcerange="-{f} {f}"/><motor joint="lift" forcerange="-{f} {f}"/></actuator></mujoco>"""  # fmt: skip
PLAIN = {"d": 0.1, "a": 0.02, "f": 30}
OTHER = {"d": 0.3, "a": 0.05, "f": 4}
DYNAMICS = ["dynamic", "dynamic_fitted", "quasidynamic", "quasistatic", "kinematic"]


def load(values, dynamics="dynamic"):
    return st.load_model(ARM.format(**values), dynamics=dynamics, step_size=0.01)


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("dynamics", DYNAMICS)
def test_an_environment_is_that_of_a_model_of_its_own(dynamics, device):
    with st.Simulator(load(PLAIN, dynamics), batch=2, device=device) as sim:
        sim.params.damping[1], sim.params.armature[1] = OTHER["d"], OTHER["a"]
        sim.params.force_range[1] = [-OTHER["f"], OTHER["f"]]
        sim.step(np.full((2, 2), 20.0), steps=20)
        for env, values in enumerate((PLAIN, OTHER)):
            with st.Simulator(load(values, dynamics), device=device) as own:
                own.step(np.full((1, 2), 20.0), steps=20)
                assert np.array_equal(own.qpos[0], sim.qpos[env]) and own.status[0] == sim.status[env], env
        assert not np.array_equal(sim.qpos[0], sim.qpos[1])


BAD = {
    "damping": ("damping", 0, -0.1),
    "no number": ("damping", 4, np.nan),
    "armature": ("armature", 0, -1.0),
    "a joint's armature": ("armature", 2, 0.5),
    "an empty range": ("force_range", 0, [2.0, 2.0]),
    "an inverted range": ("force_range", 1, [3.0, -3.0]),
    "a range without end": ("force_range", 1, [-np.inf, 3.0]),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_what_makes_no_sense_stops_its_environment_only(device, case):
    name, at, value = BAD[case]
    with st.Simulator(load(PLAIN), batch=3, device=device) as sim:
        start = sim.qpos.copy()
        getattr(sim.params, name)[1, at] = value
        sim.step()
        assert sim.status[1] == st.Status.BAD_PARAMETER and np.array_equal(sim.qpos[1], start[1])
        assert sim.status[0] == sim.status[2] == st.Status.CONVERGED and not np.array_equal(sim.qpos[0], start[0])


def test_a_motor_may_have_a_range_of_one_force():
    with st.Simulator(load(PLAIN), device="cpu") as sim:
        sim.params.force_range[0, 1] = 2.0
        assert sim.step(np.zeros((1, 2))) == st.Status.CONVERGED
