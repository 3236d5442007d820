"""Steps whose bodies move first and stop where they touch: section 4 of Miller and Christensen 2003, preset "graspit"."""

import pathlib

import mujoco
import numpy as np
import pytest
import stiction as st
from stiction import grasp

H, G, TARGET = 2.5e-3, 9.81, 5e-5
DISC = pathlib.Path(__file__).parents[2] / "scenes/autograsp2d"
FLOOR = '<geom name="floor" type="plane" size="5 5 1"/>'


def world(bodies, extra="", gravity="0 0 -9.81"):
    return f'<mujoco><option gravity="{gravity}"/><worldbody>{bodies}</worldbody>{extra}</mujoco>'


def ball(z, name="ball", x=0.0, size=0.1):
    return f'<body name="{name}" pos="{x} 0 {z}"><freejoint/><geom type="sphere" size="{size}" mass="1"/></body>'


def simulate(xml, batch=1, **keys):
    return st.Simulator(st.load_model(xml, preset="graspit", **keys), batch=batch, device="cpu")


def near_gaps(sim, env=0):
    return sim.contacts.gap[env, : sim.contacts.count[env]]


def test_the_preset_is_that_of_the_paper():
    scene = st.load_model(world(FLOOR + ball(1)), preset="graspit")
    assert (scene.dynamics, scene.law, scene.cone, scene.order) == ("dynamic", "coulomb", "pyramid", "move_first")
    assert (scene.step_size, scene.correction, scene.threshold_speed) == (H, 0.2, 1e-3)
    assert st.load_model(world(FLOOR + ball(1)), preset="graspit", step_size=1e-3).step_size == 1e-3


def test_a_body_moves_with_the_velocity_that_it_has_and_then_gains_speed():
    with simulate(world(FLOOR + ball(1))) as sim:
        sim.qvel[0, 0] = 0.5
        for k in range(1, 100):
            sim.step()
            assert sim.qvel[0, 2] == pytest.approx(-G * H * k, abs=1e-12)
            assert sim.qpos[0, 2] == pytest.approx(1 - G * H**2 * k * (k - 1) / 2, abs=1e-12)
            assert sim.qpos[0, 0] == pytest.approx(0.5 * H * k, abs=1e-12)


@pytest.mark.parametrize("step_size", [1e-3, 2.5e-3, 0.01, 0.05])
def test_a_ball_stops_within_the_step_in_which_it_lands(step_size):
    with simulate(world(FLOOR + ball(1)), step_size=step_size) as sim:
        while sim.qpos[0, 2] > 0.2 or sim.qvel[0, 2] < -0.1:
            assert sim.step()[0] == st.Status.CONVERGED
        assert abs(sim.qpos[0, 2] - 0.1 - TARGET) <= 1e-6
        sim.step(steps=100)
        assert abs(sim.qpos[0, 2] - 0.1 - TARGET) <= 1e-9 and abs(sim.qvel[0]).max() <= 1e-8
        assert sim.contacts.force[0, 0, 0] == pytest.approx(G, abs=1e-6)
        assert sim.time[0] == pytest.approx(step_size * round(sim.time[0] / step_size), abs=1e-12)


def test_nothing_passes_a_thin_wall():
    wall = '<geom type="box" size=".001 1 1" pos="1 0 0"/>'
    with simulate(world(wall + ball(0, size=0.01), gravity="0 0 0"), batch=3) as sim:
        sim.qvel[:, 0] = [5, 50, 300]
        sim.step(steps=120)
        np.testing.assert_allclose(sim.qpos[:, 0], 1 - 0.001 - 0.01 - TARGET, atol=1e-6)
        assert (sim.status == st.Status.CONVERGED).all()


def test_balls_that_meet_keep_their_momentum():
    bodies = "".join(ball(0, f"b{k}", 0.5 * k) for k in range(4))
    with simulate(world(bodies, gravity="0 0 0")) as sim:
        v = np.zeros((4, 6))
        v[:, 0] = [3, 0.5, -1, -4]
        sim.qvel[0] = v.ravel()
        for _ in range(200):
            assert sim.step()[0] == st.Status.CONVERGED
            assert sim.qvel[0].reshape(4, 6)[:, 0].sum() == pytest.approx(-1.5, abs=1e-9)
            assert (near_gaps(sim) >= -1e-9).all()
        assert np.ptp(sim.qvel[0].reshape(4, 6)[:, 0]) <= 5e-3  # all together, but for the parting of what came too near


def test_boxes_thrown_on_a_heap_never_overlap_and_gain_no_energy():
    rng = np.random.default_rng(5)
    bodies = "".join(
        f'<body pos="{x:.3f} {y:.3f} {0.15 + 0.16 * k:.3f}" euler="{a:.1f} {b:.1f} {c:.1f}"><freejoint/><geom type="box" size=".05 .04 .03" mass=".2" friction=".5"/></body>'
        for k, (x, y, a, b, c) in enumerate(rng.uniform([-0.03, -0.03, 0, 0, 0], [0.03, 0.03, 90, 90, 90], (6, 5)))
    )
    xml = world(FLOOR + bodies)
    model = mujoco.MjModel.from_xml_string(xml)
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data = mujoco.MjData(model)
    with simulate(xml, solver="interior_point", tolerance=1e-7) as sim:
        energy = [np.inf]
        for _ in range(600):
            assert sim.step()[0] == st.Status.CONVERGED
            assert (near_gaps(sim) >= -1e-9).all()
            data.qpos[:], data.qvel[:] = sim.qpos[0], sim.qvel[0]
            mujoco.mj_forward(model, data)
            energy.append(data.energy.sum())
        # free flight of first order moves the energy by up to m g h v, and what came too near is parted with up to 4 mm/s
        assert np.diff(energy[1:]).max() <= 6 * 0.2 * G * H * 0.05


@pytest.mark.parametrize(("phi", "angle"), [(0, 26.5651), (45, 19.4712)])
def test_an_incline_holds_up_to_the_angle_of_its_pyramid(phi, angle):
    block = '<body pos="0 0 .05005"><freejoint/><geom type="box" size=".1 .1 .05" mass="1" friction=".5"/></body>'
    speeds = []
    for tilt in (angle - 5e-4, angle + 5e-4):
        t, p = np.deg2rad([tilt, phi])
        gravity = G * np.array([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), -np.cos(t)])
        floor = FLOOR.replace("/>", ' friction=".5"/>')
        with simulate(world(floor + block, gravity=" ".join(f"{g:.17g}" for g in gravity))) as sim:
            assert (sim.step(steps=400) == st.Status.CONVERGED).all()
            speeds.append(np.hypot(*sim.qvel[0, :2]))
    assert speeds[0] <= 1e-6 and speeds[1] >= 5e-5  # [m/s] after one second


ARM = """<mujoco><compiler angle="degree"/>
  <worldbody>
    <body pos="0 0 1"><joint name="shoulder" type="hinge" axis="0 1 0" range="-60 45" damping=".01" frictionloss=".02"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".02" mass=".5"/>
      <body pos="0 0 -.3"><joint name="elbow" type="hinge" axis="0 1 0" range="-10 90"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".02" mass=".3"/>
        <body pos="0 0 -.3"><joint name="tip" type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.1" size=".01" mass=".05" contype="0" conaffinity="0"/></body></body></body>
  </worldbody>
  <equality><joint joint1="tip" joint2="elbow" polycoef="0 .33 0 0 0"/></equality>
</mujoco>"""


@pytest.mark.parametrize("speed", [0.0, 4.0, 15.0])
def test_an_arm_keeps_its_limits_and_a_coupled_joint_its_ratio(speed):
    with simulate(ARM) as sim:
        sim.qpos[0] = [0.7, 0.2, 0.066]
        sim.qvel[0] = [speed, -speed, -0.33 * speed]
        for _ in range(800):
            sim.step()
            shoulder, elbow, tip = np.rad2deg(sim.qpos[0])
            assert -60.1 <= shoulder <= 45.1 and -10.1 <= elbow <= 90.1
            assert abs(tip - 0.33 * elbow) <= 0.01


def test_a_start_beyond_a_limit_comes_back_by_its_share_in_every_step():
    with simulate(ARM.replace('gravity="', ""), correction=0.2) as sim:
        sim.qpos[0] = [np.deg2rad(47), 0.2, 0.066]
        sim.step(steps=2)
        assert 0 < np.rad2deg(sim.qpos[0, 0]) - 45 <= 2 * (1 - 0.2) + 0.05


def test_a_scripted_platform_carries_a_box(tmp_path):
    bodies = '<body name="lift" mocap="true" pos="0 0 .1"><geom type="box" size=".2 .2 .02" friction=".6"/></body><body name="box" pos="0 0 .17005"><freejoint/><geom type="box" size=".05 .05 .05" mass="1" friction=".6"/></body>'
    (tmp_path / "world.xml").write_text(world(bodies))
    (tmp_path / "lift.csv").write_text("0,0,0,.1,1,0,0,0\n.5,0,0,.15,1,0,0,0\n1,.1,0,.15,1,0,0,0\n")
    (tmp_path / "scene.toml").write_text('model = "world.xml"\n[physics]\npreset = "graspit"\n[[mocap]]\nbody = "lift"\nfile = "lift.csv"\n')
    with st.Simulator(st.load_scene(tmp_path), device="cpu") as sim:
        for _ in range(400):
            assert sim.step()[0] == st.Status.CONVERGED
            assert (near_gaps(sim) >= -1e-9).all()
            assert 0.07 <= sim.qpos[0, 2] - sim.mocap_pose[0, 0, 2] <= 0.0702 + 0.1**2 / (2 * G)  # it flies up a little where the lift stops
        # it slides for v²/(2 μ g) = 3.4 mm, and flies for a moment where the lift has just stopped
        assert 0.1 - 8e-3 <= sim.qpos[0, 0] <= 0.1 - 3e-3 and sim.qpos[0, 2] == pytest.approx(0.22 + TARGET, abs=1e-6)


def test_materials_slide_and_stop_with_the_preset():
    keys = {
        "material": [{"name": "floor", "geoms": ["floor"]}, {"name": "block", "bodies": ["block"]}],
        "material_pair": [{"materials": ["floor", "block"], "static": 0.5, "kinetic": 0.3}],
    }
    body = '<body name="block" pos="0 0 .05005"><freejoint/><geom type="box" size=".1 .1 .05" mass="1"/></body>'
    with simulate(world(FLOOR + body), **keys) as sim:
        sim.qvel[0, 0] = 1.0
        stop = int(1 / (0.3 * G) / H)
        for k in range(stop):
            sim.step()
            assert sim.qvel[0, 0] == pytest.approx(1 - 0.3 * G * H * (k + 1), abs=1e-6)
        sim.step(steps=2)
        assert abs(sim.qvel[0, 0]) <= 1e-9


def test_more_meetings_than_parts_are_a_status_and_neighbours_keep_their_bits():
    count = 20
    bodies = FLOOR + "".join(ball(0.3, f"b{k}", 0.5 * k) for k in range(count))
    xml = world(bodies, gravity="0 0 0")
    with simulate(xml, step_size=0.1) as alone, simulate(xml, batch=2, step_size=0.1) as sim:
        speeds = np.zeros((2, count, 6))
        speeds[0, :, 2] = -2.1 - 0.1 * np.arange(count)  # all land in the first step, one after the other
        speeds[1, 3, 2] = -1.0
        sim.qvel[:], alone.qvel[:] = speeds.reshape(2, -1), speeds[1:].reshape(1, -1)
        status = sim.step()
        alone.step()
        assert status[0] & st.Status.PARTS_OPEN and not status[0] & st.Status.CONVERGED
        assert status[1] == st.Status.CONVERGED
        assert (sim.qpos[1] == alone.qpos[0]).all() and (sim.qvel[1] == alone.qvel[0]).all()
        assert sim.time[0] == sim.time[1] == pytest.approx(0.1)
        assert (sim.qpos[0].reshape(count, 7)[:, 2] >= 0.1).all()
        assert sim.step()[0] == st.Status.CONVERGED  # and it goes on


def test_an_environment_that_is_not_finite_stays_alone():
    with simulate(world(FLOOR + ball(0.2)), batch=3) as sim:
        sim.qvel[1, 2] = np.nan
        status = sim.step(steps=100)
        assert status[1] & st.Status.NOT_FINITE and status[0] == status[2] == st.Status.CONVERGED
        assert sim.time[0] == sim.time[1] == pytest.approx(100 * H)
        assert (sim.qpos[0] == sim.qpos[2]).all() and sim.qpos[0, 2] == pytest.approx(0.1 + TARGET, abs=1e-9)


@pytest.mark.parametrize("calls", [1, 50])
def test_bits_do_not_depend_on_batch_threads_or_calls(calls):
    bodies = FLOOR + "".join(f'<body pos="0 0 {0.2 + 0.2 * k}" euler="20 {10 * k} 0"><freejoint/><geom type="box" size=".05 .05 .03" mass=".2"/></body>' for k in range(2))
    ends = []
    for batch in (1, 7):
        with simulate(world(bodies), batch=batch) as sim:
            for _ in range(calls):
                sim.step(steps=150 // calls)
            ends.append(np.array(sim.qpos))
    assert (ends[1] == ends[0]).all()


def test_two_fingers_close_on_a_disc_that_stands_still():
    with st.Simulator(st.load_scene(DISC), device="cpu") as sim:
        found = grasp.auto_grasp(sim, static=True, speed=0.5, object="disc")
        gaps = [gap for gap, pair in zip(near_gaps(sim), sim.contacts.geom[0], strict=False) if set(pair) & {2, 3}]
        assert len(gaps) == 2 and np.abs(np.array(gaps) - TARGET).max() <= 1e-6
        assert not in_plane(found.contacts).closure[0]


def in_plane(contacts):
    """The quality of contacts in the x-z plane; the two points of a line across it are one."""
    count = contacts.count[0]
    flat = np.unique(np.round(np.c_[contacts.position[0, :count, ::2], contacts.normal[0, :count, ::2]], 9), axis=0)
    center = contacts.center[0, ::2]
    length = np.linalg.norm(flat[:, :2] - center, axis=1).max()  # contacts are in the middle of their gaps
    return grasp.quality(flat[None, :, :2], flat[None, :, 2:], 0.2, length, center=center[None])


def test_two_fingers_lift_a_disc_into_the_palm():
    mass, friction, torque = 0.2, 0.2, 1.0
    with st.Simulator(st.load_scene(DISC), device="cpu") as sim:
        names = list(sim.model.geom_names)
        for _ in range(1000):
            assert sim.step()[0] == st.Status.CONVERGED
            assert (near_gaps(sim) >= -1e-9).all()
        count = sim.contacts.count[0]
        pairs = {frozenset(names[g] for g in pair) for pair in sim.contacts.geom[0, :count]}
        assert pairs == {frozenset(("disc", other)) for other in ("palm", "left", "right")}
        np.testing.assert_allclose(near_gaps(sim), TARGET, atol=1e-6)
        found = in_plane(grasp.of_contacts(sim, "disc"))
        assert found.closure[0] and found.epsilon[0] == pytest.approx(friction, abs=1e-4)
        forces = sim.contacts.force[0, :count, :, None] * sim.contacts.frame[0, :count]
        sign = np.where(sim.contacts.geom[0, :count, 1] == names.index("disc"), 1, -1)
        total = (forces.sum(1) * sign[:, None]).sum(0) + [0, 0, -mass * G]
        assert np.abs(total).max() <= 1e-6 * mass * G
        pressed = 50 * (sim.ctrl[0] - sim.qpos[0, :2])
        assert (pressed > torque).all()  # the spring would press harder than the actuator can


def test_choices_that_do_not_fit_are_refused():
    xml = world(FLOOR + ball(1))
    for keys, words in (
        ({"dynamics": "quasidynamic"}, 'needs dynamics = "dynamic"'),
        ({"geometry": "end"}, "it excludes"),
        ({"law": "patch"}, "it excludes"),
        ({"contact_distance": 1e-7}, "from 1e-6 to 1e-3 m"),
        ({"contact_distance": 0.01}, "from 1e-6 to 1e-3 m"),
        ({"correction": 1.5}, "correction"),
    ):
        with pytest.raises(st.InputError, match=words):
            simulate(xml, **keys)
    with pytest.raises(st.InputError, match='device "reference" has no order'):
        st.Simulator(st.load_model(xml, preset="graspit"), device="reference")
    with simulate(xml) as sim, pytest.raises(st.InputError, match="have no derivatives"):
        sim.linearize(1e-3)
