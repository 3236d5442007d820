"""Claim: no order of calls, and nothing written into the arrays, crashes a simulator or breaks what it promises.

The machine draws calls with good and bad arguments; its seed is part of the test (derandomize).
"""

import numpy as np
import stiction as st
from hypothesis import HealthCheck, settings
from hypothesis import strategies as draw
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

BATCH = 4
RULES = 50  # of one run
RUNS = 400  # 20,000 steps

SCENES = {
    "gripper2d": st.load_scene("scenes/gripper2d", max_iterations=30),
    "pushed": st.load_model(
        """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body name="cube" pos="0 0 .05"><freejoint/><geom type="box" size=".05 .05 .05" mass=".2"/></body>
        <body pos="-.2 0 .05"><joint name="x" type="slide" axis="1 0 0"/><geom size=".04" mass=".5"/></body>
        <body name="wall" mocap="true" pos=".5 0 .1"><geom type="box" size=".02 .3 .1"/></body>
        </worldbody><actuator><position joint="x" kp="200"/></actuator></mujoco>""",
        step_size=0.05,
        max_iterations=30,
    ),
}
numbers = draw.one_of(draw.floats(-2, 2), draw.sampled_from([np.nan, np.inf, -np.inf, 0.0, 1e30, -1e-30, 1e300]))
ids = draw.lists(draw.integers(-1, BATCH), max_size=5)
arrays = ("qpos", "qvel", "ctrl", "mocap_pose", "mocap_velocity")
parameters = ("friction", "mass", "inertia", "size", "kp", "kd", "gravity")


def write_one(array, env, index, value):
    """One value of an environment's row, if it has any."""
    size = int(np.prod(array.shape[1:]))
    if size > 0:
        with np.errstate(over="ignore"):
            array[(env, *np.unravel_index(index % size, array.shape[1:]))] = value



class Calls(RuleBasedStateMachine):
    """Calls on one simulator; an InputError or ClosedError is an answer, everything else that is thrown a failure."""

    def __init__(self) -> None:
        super().__init__()
        self.sim, self.saved = None, None
        self.open("pushed", "float64")

    @rule(scene=draw.sampled_from(list(SCENES)), dtype=draw.sampled_from(["float64", "float32"]))
    def open(self, scene, dtype):
        if self.sim is not None:
            self.sim.close()
        self.sim, self.saved = st.Simulator(SCENES[scene], batch=BATCH, dtype=dtype, threads=1), None

    def attempt(self, call, *arguments, **keywords):
        try:
            return call(*arguments, **keywords)
        except (st.InputError, st.ClosedError) as error:
            assert "\n" not in str(error)
            return None

    @rule(steps=draw.integers(-1, 3))
    def step(self, steps):
        self.attempt(self.sim.step, steps=steps)

    @rule(value=numbers, rows=draw.integers(BATCH - 1, BATCH))
    def step_with_ctrl(self, value, rows):
        self.attempt(self.sim.step, np.full((rows, self.sim.model.nu), value))

    @rule(name=draw.sampled_from(arrays), env=draw.integers(0, BATCH - 1), index=draw.integers(0, 6), value=numbers)
    def write_state(self, name, env, index, value):
        if not self.sim.closed:
            write_one(getattr(self.sim, name), env, index, value)

    @rule(name=draw.sampled_from(parameters), env=draw.integers(0, BATCH - 1), index=draw.integers(0, 20), value=numbers)
    def write_parameter(self, name, env, index, value):
        if not self.sim.closed:
            write_one(getattr(self.sim.params, name), env, index, value)

    @rule(which=ids, seed=draw.one_of(draw.none(), draw.integers(-1, 3)))
    def reset(self, which, seed):
        self.attempt(self.sim.reset, which, seed=seed)

    @rule()
    def forward(self):
        self.attempt(self.sim.forward)

    @rule()
    def save(self):
        self.saved = self.attempt(self.sim.state)

    @rule()
    def restore(self):
        if self.saved is not None:
            self.attempt(self.sim.set_state, self.saved)

    @rule()
    def close(self):
        self.sim.close()

    @invariant()
    def figures_are_whole(self):
        if self.sim is None or self.sim.closed:
            return
        stats, contacts = self.sim.stats, self.sim.contacts
        assert ((contacts.count >= 0) & (contacts.count <= self.sim.max_contacts)).all()
        good = self.sim.status == st.Status.CONVERGED
        assert (stats.residual[good] <= self.sim.scene.tolerance).all()
        assert np.isfinite(stats.penetration[good]).all()

    def teardown(self):
        self.sim.close()


TestCalls = Calls.TestCase
TestCalls.settings = settings(
    max_examples=RUNS,
    stateful_step_count=RULES,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
