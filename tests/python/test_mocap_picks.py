"""A hand that is welded to a mocap body picks a cube from the floor by a script, as in metaworld's and Fetch's tasks."""

import mujoco
import numpy as np
import pytest
import stiction as st

MASS, GRAVITY = 0.2, 9.81  # of the cube [kg]; [m/s²]
SQUEEZE = 1000 * 0.02  # of a finger: kp times what the closed command lies inside the cube [N]
FINGER = """<body name="{0}" pos="0 {1}.05 -.05"><joint name="{0}" type="slide" axis="0 {2}1 0" range="0 .045" damping="20"/>
  <geom name="{0}" type="box" size=".015 .005 .04" mass=".1" friction="{mu} 0 0"/></body>"""
SCENE = """<mujoco><option timestep="{h}" integrator="implicitfast" cone="elliptic"/><worldbody>
  <geom name="floor" type="plane" size="1 1 .1"/>
  <body name="script" mocap="true" pos="0 0 .3"/>
  <body name="hand" pos="0 0 .3"><freejoint/><geom name="palm" type="box" size=".02 .06 .005" mass=".5"/>{left}{right}</body>
  <body name="cube" pos="0 0 .02"><freejoint/><geom name="cube" type="box" size=".02 .02 .02" mass="{mass}" friction="{mu} 0 0"/></body>
  </worldbody><equality><weld body1="script" body2="hand"/></equality>
  <actuator><position joint="left" kp="1000" ctrlrange="0 .045"/><position joint="right" kp="1000" ctrlrange="0 .045"/></actuator></mujoco>"""
CLOSED, OPEN = 0.045, 0.0
# seconds, height, command: down, wait until the hand rests, close, up, hold
LEGS = ((0.5, 0.1, OPEN), (0.3, 0.1, OPEN), (0.3, 0.1, CLOSED), (1.0, 0.3, CLOSED), (0.5, 0.3, CLOSED))


def scene(h, mu=1.0):
    return SCENE.format(h=h, mu=mu, mass=MASS, left=FINGER.format("left", "", "-", mu=mu), right=FINGER.format("right", "-", "", mu=mu))


def script(h, grips=True):
    """Height of the mocap body where a step begins and ends, and the fingers' command, for every step."""
    height = 0.3
    for seconds, to, command in LEGS:
        steps = round(seconds / h)
        share = np.linspace(0, 1, steps + 1)
        way = height + (to - height) * share**2 * (3 - 2 * share)
        yield from ((way[i], way[i + 1], command if grips else OPEN) for i in range(steps))
        height = to


class Pick:
    """What every step of a scripted pick left."""

    def __init__(self, h, grips=True, mu=1.0, **choices):
        self.h, self.rows = h, []
        with st.Simulator(st.load_model(scene(h, mu), step_size=h, **choices), device="cpu", threads=1) as sim:
            for now, then, command in script(h, grips):
                sim.body("script").pos[0, 2] = now
                sim.body("script").velocity = [0, 0, (then - now) / h, 0, 0, 0]
                sim.ctrl[:] = command
                status = st.status_names(int(sim.step()[0]))
                self.rows.append((status, then, *(np.array(sim.body(name).pose[0]) for name in ("hand", "cube")), sim.stats.energy[0, 1].item(),
                                  *(getattr(sim.stats, name)[0].item() for name in ("residual", "penetration", "hover"))))  # fmt: skip
            self.on_cube = {name: np.array(sim.contact_wrench("cube", name)[0]) for name in ("left", "right", "floor")}
        names = ("status", "height", "hand", "cube", "kinetic", "residual", "penetration", "hover")
        self.__dict__.update({name: np.array(column) for name, column in zip(names, zip(*self.rows, strict=True), strict=True)})
        self.gripped, self.held = (round(sum(leg[0] for leg in LEGS[:count]) / h) - 1 for count in (3, 4))

    @property
    def gain(self):
        """What the cube rose [m]."""
        return self.cube[-1, 2] - 0.02

    def slip(self, after):
        """The farthest that the cube moves against the hand after a step [m]; the hand only translates."""
        seen = (self.cube - self.hand)[after:, :3]
        return np.abs(seen - seen[0]).max()


def in_mujoco(h=0.0005):
    """Height of cube and hand at the end, from MuJoCo at a small step and with stiff friction, without which the cube creeps."""
    model = mujoco.MjModel.from_xml_string(scene(h))
    model.opt.impratio = 1000
    data = mujoco.MjData(model)
    for _, then, command in script(h):
        data.mocap_pos[0, 2], data.ctrl[:] = then, command
        mujoco.mj_step(model, data)
    return data.body("cube").xpos[2], data.body("hand").xpos[2]


@pytest.mark.parametrize("equality", ["solref", "hard"])
@pytest.mark.parametrize("h", [0.01, 0.0025])
def test_a_scripted_hand_lifts_the_cube_and_it_does_not_slip(h, equality):
    pick = Pick(h, equality=equality)
    assert set(pick.status) == {"converged"} and pick.residual.max() <= 1e-8
    assert pick.penetration.max() <= 1e-5 and pick.hover.max() <= 1e-6
    assert pick.gain > 0.19
    assert pick.slip(pick.gripped) <= 1e-6


@pytest.mark.parametrize("h", [0.01, 0.0025])
def test_an_open_hand_leaves_the_cube_where_it_is(h):
    pick = Pick(h, grips=False)
    assert set(pick.status) == {"converged"}
    assert pick.hand[-1, 2] > 0.29
    np.testing.assert_allclose(pick.cube, np.broadcast_to([0, 0, 0.02, 1, 0, 0, 0], pick.cube.shape), atol=1e-6)
    assert not pick.on_cube["left"].any() and not pick.on_cube["right"].any()


def test_the_fingers_carry_the_weight_and_press_with_the_actuators_force():
    pick = Pick(0.01)
    left, right, floor = (pick.on_cube[name] for name in ("left", "right", "floor"))
    assert (left + right)[2] == pytest.approx(MASS * GRAVITY, rel=1e-4)
    assert left[1] == pytest.approx(-SQUEEZE, rel=1e-3) and right[1] == pytest.approx(SQUEEZE, rel=1e-3)
    assert not floor.any()  # no force across the gap below the cube


@pytest.mark.parametrize(("share", "lifts"), [(0.9, False), (1.25, True)])
def test_it_is_lifted_where_friction_can_carry_it(share, lifts):
    """2 μ SQUEEZE must be m (g + a), with a up to 6 · 0.2 m/s² = 0.12 g while the hand speeds up."""
    pick = Pick(0.01, mu=share * MASS * GRAVITY / (2 * SQUEEZE))
    assert set(pick.status) == {"converged"} and pick.hand[-1, 2] > 0.29
    assert pick.gain > 0.19 if lifts else abs(pick.gain) < 1e-6


@pytest.mark.parametrize("equality", ["solref", "hard"])
def test_energy_dies_away_once_the_script_rests(equality):
    """A soft weld is a spring, so that the kinetic energy comes and goes while it falls; with a rigid one it only falls."""
    kinetic = (pick := Pick(0.01, equality=equality)).kinetic
    moving, resting = kinetic[pick.gripped : pick.held], kinetic[pick.held :]
    assert resting.max() < 0.01 * moving.max() and resting[-1] < 1e-9
    if equality == "hard":
        assert (np.diff(resting) <= 1e-12).all()


def test_the_end_is_mujocos():
    """Here as there the hand hangs on the soft weld, half a millimetre low."""
    pick = Pick(0.0025)
    cube, hand = in_mujoco()
    assert pick.hand[-1, 2] == pytest.approx(hand, abs=1e-6)
    assert pick.cube[-1, 2] == pytest.approx(cube, abs=2e-4)
    assert 2e-4 < 0.3 - hand < 1e-3


@pytest.mark.parametrize("told", [True, False])
def test_a_welded_hand_lags_unless_it_is_told_the_velocity(told):
    """By β/κ v of MuJoCo's soft constraint, some 4 mm at 0.1 m/s."""
    text = '<mujoco><option gravity="0 0 0"/><worldbody><body name="m" mocap="true"/><body name="a"><freejoint/><geom size=".1" mass="1"/></body></worldbody>'
    h, speed = 0.001, 0.1
    with st.Simulator(st.load_model(text + '<equality><weld body1="m" body2="a"/></equality></mujoco>', step_size=h), device="cpu") as sim:
        script = sim.body("m")
        for step in range(500):
            script.pos[:] = [speed * step * h, 0, 0]
            script.velocity = [speed if told else 0.0, 0, 0, 0, 0, 0]
            sim.step()
            assert script.pos[0, 0] == speed * step * h  # a step does not move it
        behind = speed * (step * h + (h if told else 0.0)) - sim.qpos[0, 0]
    assert behind == pytest.approx(4e-3, rel=0.2) if not told else abs(behind) < 1e-9
