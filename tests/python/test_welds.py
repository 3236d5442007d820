"""Welds and connects: closed forms of linkages, MuJoCo's soft constraint, scripted bodies, redundant loops."""

import os

import mujoco
import numpy as np
import pytest
import stiction as st

CRANK, ROD, ROCKER, GROUND = 0.1, 0.25, 0.2, 0.25  # [m]
RATE = 2 * np.pi  # of the crank [rad/s]
TURNS = 1000 if os.environ.get("ST_FULL") else 20

PIN = '<equality><connect name="pin" site1="{0}" site2="{1}"/></equality>'
DRIVE = '<actuator><velocity joint="crank" kv="1e4"/></actuator>'
LINK = '<geom type="capsule" fromto="0 0 0 {0} 0 0" size=".01" mass="1" contype="0" conaffinity="0"/>'
CHAIN = f"""<body name="crank"><joint name="crank" axis="0 1 0"/>{LINK.format(CRANK)}
  <body name="rod" pos="{CRANK} 0 0"><joint axis="0 1 0"/>{LINK.format(ROD)}<site name="rod" pos="{ROD} 0 0"/></body></body>"""
FOUR_BAR = f"""<mujoco><option gravity="0 0 0"/><worldbody>{CHAIN}
  <body name="rocker" pos="{GROUND} 0 0"><joint axis="0 1 0"/>{LINK.format(ROCKER)}<site name="rocker" pos="{ROCKER} 0 0"/></body>
  </worldbody>{PIN.format("rod", "rocker")}{DRIVE}</mujoco>"""
SLIDER_CRANK = f"""<mujoco><option gravity="0 0 0"/><worldbody>{CHAIN}
  <body name="piston" pos="{CRANK + ROD} 0 0"><joint type="slide" axis="1 0 0"/>
  <geom type="box" size=".03 .03 .03" mass="1" contype="0" conaffinity="0"/><site name="piston"/></body>
  </worldbody>{PIN.format("rod", "piston")}{DRIVE}</mujoco>"""


def along(angle):
    """Unit vector (x, z) of a link that is turned by `angle` about +y."""
    return np.array([np.cos(angle), -np.sin(angle)])


def start_of(linkage, crank):
    """Angles of crank and rod, and the rocker's angle or the piston's way, that close the loop."""
    pin = CRANK * along(crank)
    if linkage == "slider-crank":
        angle = np.arcsin(-CRANK * np.sin(crank) / ROD)
        return [crank, angle - crank, (pin + ROD * along(angle))[0] - CRANK - ROD]
    ground = np.array([GROUND, 0.0])
    way = ground - pin
    distance = np.linalg.norm(way)
    x = (ROD**2 - ROCKER**2 + distance**2) / (2 * distance)
    end = pin + x * way / distance + np.sqrt(ROD**2 - x**2) * np.array([-way[1], way[0]]) / distance
    rod, rocker = end - pin, end - ground
    return [crank, np.arctan2(-rod[1], rod[0]) - crank, np.arctan2(-rocker[1], rocker[0])]


def closure(linkage, q):
    """Distance of the two ends that the pin holds together [m]."""
    end = CRANK * along(q[0]) + ROD * along(q[0] + q[1])
    other = np.array([GROUND, 0]) + ROCKER * along(q[2]) if linkage == "four-bar" else np.array([CRANK + ROD + q[2], 0])
    return np.linalg.norm(end - other)


def closures(linkage, h, turns, **choices):
    """Largest closure error of every turn [m]."""
    text = FOUR_BAR if linkage == "four-bar" else SLIDER_CRANK
    scene = st.load_model(text, step_size=h, tolerance=1e-10, equality="hard", **choices)
    steps = round(2 * np.pi / RATE / h)
    errors = np.zeros((turns, steps))
    with st.Simulator(scene, device="cpu", threads=1) as sim:
        sim.qpos[0] = start_of(linkage, 0.7)
        sim.ctrl[:] = RATE
        for turn in range(turns):
            for step in range(steps):
                assert st.status_names(int(sim.step()[0])) == "converged"
                errors[turn, step] = closure(linkage, sim.qpos[0])
    return errors.max(axis=1)


@pytest.mark.parametrize("dynamics", ["dynamic", "dynamic_fitted", "quasidynamic", "kinematic"])
@pytest.mark.parametrize("linkage", ["four-bar", "slider-crank"])
def test_a_loop_closes_to_second_order_and_does_not_drift(linkage, dynamics):
    h = 0.01
    errors = closures(linkage, h, TURNS, dynamics=dynamics)
    assert errors.max() <= (RATE * h) ** 2 * CRANK
    assert errors[-1] <= errors[1] * (1 + 1e-3)


@pytest.mark.parametrize("dynamics", ["dynamic", "quasidynamic", "kinematic"])
@pytest.mark.parametrize("linkage", ["four-bar", "slider-crank"])
def test_with_the_geometry_of_the_end_a_loop_closes(linkage, dynamics):
    turns = min(TURNS, 600)  # an angle of 4,096 rad is told to 9e-13, too little for a residual of 1e-10
    assert closures(linkage, 0.01, turns, dynamics=dynamics, geometry="end").max() <= 1e-9


WELD = """<mujoco><option timestep="{h}" integrator="implicitfast"/><worldbody>
<body name="m" mocap="true" pos="0 0 1"/>
<body name="a" pos="{x} 0 1"><freejoint/><geom type="box" size=".1 .05 .03" mass="1"/></body></worldbody>
<equality><weld body1="m" body2="a" {options}/></equality></mujoco>"""


@pytest.mark.parametrize(
    "options",
    ["", 'relpose=".02 0 0 1 0 0 0"', 'anchor=".1 0 0" torquescale="2"', 'anchor=".1 0 .02" solref="-9000 -120"',
     'torquescale="-1.5" solref=".05 .7" solimp=".5 .9 .01 .3 3"', 'solref=".02 -1"', 'solimp=".5 .8 0"'],
)  # fmt: skip
def test_soft_welds_move_as_mujocos_to_first_order(options):
    worst = []
    for h in (4e-4, 2e-4):
        text = WELD.format(h=h, x=0.01, options=options)
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        errors = []
        with st.Simulator(st.load_model(text, step_size=h, tolerance=1e-10), device="cpu") as sim:
            for _ in range(round(0.2 / h)):
                mujoco.mj_step(model, data)
                sim.step()
                errors.append(abs(sim.qpos[0] - data.qpos).max())
        worst.append(max(errors))
    assert worst[0] < 1e-3 and worst[1] < 0.6 * worst[0] + 1e-9


@pytest.mark.parametrize("solver", ["interior_point", "newton", "admm", "pgs"])
@pytest.mark.parametrize("equality", ["solref", "hard"])
def test_a_weld_that_is_said_three_times_holds_like_one(solver, equality):
    poses = []
    for count in (1, 3):
        text = WELD.format(h=0.01, x=0.0, options="").replace("<equality>", "<equality>" + (count - 1) * '<weld body1="m" body2="a"/>')
        with st.Simulator(st.load_model(text, step_size=0.01, tolerance=1e-9, solver=solver, equality=equality), device="cpu") as sim:
            for _ in range(50):
                assert sim.step()[0] == st.Status.CONVERGED
            poses.append(sim.qpos[0].copy())
            assert sim.stats.residual[0] < 1e-9
    slack = poses[0][2] - 1  # three soft welds give way by a third of one
    np.testing.assert_allclose(poses[1][2] - 1, slack / 3 if equality == "solref" else 0.0, atol=2e-5)


def test_a_rigid_weld_follows_a_scripted_body_exactly(tmp_path):
    (tmp_path / "model.xml").write_text(WELD.format(h=0.01, x=0.2, options=""))
    (tmp_path / "path.csv").write_text("time,x,y,z,qw,qx,qy,qz\n0,0,0,1,1,0,0,0\n1,.3,.2,1.5,0.8,0,0,0.6\n")
    (tmp_path / "scene.toml").write_text(
        'model = "model.xml"\n[physics]\nequality = "hard"\ngeometry = "end"\n[[mocap]]\nbody = "m"\nfile = "path.csv"\n'
    )
    with st.Simulator(st.load_scene(tmp_path), device="cpu") as sim:
        for _ in range(80):
            sim.step()
            angle = 2 * np.arctan2(0.6, 0.8) * sim.time[0]
            hand = sim.time[0] * np.array([0.3, 0.2, 0.5]) + [0, 0, 1]
            held = hand + 0.2 * np.array([np.cos(angle), np.sin(angle), 0])
            np.testing.assert_allclose(sim.qpos[0, :3], held, atol=1e-8)
            np.testing.assert_allclose(sim.qpos[0, 3:], [np.cos(angle / 2), 0, 0, np.sin(angle / 2)], atol=1e-8)


def test_a_weld_pulls_two_free_bodies_together_without_moving_their_centre():
    text = """<mujoco><option gravity="0 0 0"/><worldbody>
      <body name="a"><freejoint/><geom size=".05" mass="1"/></body><body name="b" pos=".3 0 0"><freejoint/><geom size=".05" mass="3"/></body>
      </worldbody><equality><weld body1="a" body2="b" relpose=".2 0 0 1 0 0 0"/></equality></mujoco>"""
    with st.Simulator(st.load_model(text, step_size=0.01, tolerance=1e-10), device="cpu") as sim:
        for _ in range(200):
            sim.step()
            momentum = 1 * sim.qvel[0, :3] + 3 * sim.qvel[0, 6:9]
            assert abs(momentum).max() < 1e-9
        apart = np.linalg.norm(sim.qpos[0, 7:10] - sim.qpos[0, :3])
        assert apart == pytest.approx(0.2, abs=1e-6)


def test_bodies_that_are_parted_go_on_with_their_soft_welds():
    """Removing an overlap in position must not hold soft welds: the hanging body falls on beside the overlap."""
    text = """<mujoco><worldbody><geom type="plane" size="5 5 1"/>
      <body pos="0 0 .08"><freejoint/><geom type="sphere" size=".1" mass="1"/></body>
      <body name="a" pos="2 0 1"><freejoint/><geom size=".05" mass="1"/></body>
      </worldbody><equality><connect body1="a" anchor="0 0 0" solref="-1 -.1"/></equality></mujoco>"""
    with st.Simulator(st.load_model(text, step_size=0.01), device="cpu") as sim:
        sim.step()
        assert sim.qpos[0, 2] == pytest.approx(0.1, abs=1e-5)  # parted in this step
        assert sim.qpos[0, 9] == pytest.approx(1 - 9.81 * 0.01**2, rel=1e-3)
