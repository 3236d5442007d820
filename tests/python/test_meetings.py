"""Claims about contacts that are seen ahead: force only where bodies meet, and no body passes through another."""

import itertools
import math

import numpy as np
import pytest
import stiction as st

GRAVITY = 9.81  # [m/s²]
SEAMS = (1e-3, 5e-3, 1e-2, 5e-2)  # steps [s]
SAME = 1e-3  # of tiles against one slab: shares of way and speed
STRAIGHT = 1e-6  # what a body that touches nothing may leave its line by [m]


def simulate(xml, **choices):
    """One environment of the model `xml`, in double precision."""
    choices = {"dynamics": "dynamic", "law": "coulomb", "cone": "quadratic", **choices}
    return st.Simulator(st.load_model(xml, **choices), batch=1, device="cpu", threads=1)


def floor(tops, friction, half_width=0.15):
    """Boxes side by side along x, from x = -half_width on; one height of the top each."""
    return "".join(
        f'<geom type="box" size="{half_width} .5 .1" pos="{2 * half_width * i} 0 {top - 0.1!r}" friction="{friction}"/>'
        for i, top in enumerate(tops)
    )


SLAB = '<geom type="box" size="3 .5 .1" pos="2.85 0 -.1" friction="{friction}"/>'
SLIDERS = {
    "box": '<geom type="box" size=".05 .05 .05" mass="1" friction="{mu}"/>',
    "cylinder": '<geom type="cylinder" size=".05 .05" mass="1" friction="{mu}"/>',
}
ROLLERS = {
    "sphere": '<geom type="sphere" size=".05" mass="1" friction="{mu}"/>',
    "cylinder": '<geom type="cylinder" size=".05 .05" euler="90 0 0" mass="1" friction="{mu}"/>',
    "capsule": '<geom type="capsule" size=".05 .05" euler="90 0 0" mass="1" friction="{mu}"/>',
}


def cross_the_floor(ground, geom, h, speed, spin=0.0, time=0.8):
    """Way, speed, lift of a body that starts at x = 0, and the mean number of rounds of a step."""
    with simulate(f'<mujoco><worldbody>{ground}<body pos="0 0 .05"><freejoint/>{geom}</body></worldbody></mujoco>',
                  step_size=h) as sim:
        sim.qvel[0, 0], sim.qvel[0, 4] = speed, spin
        lift, rounds, steps = 0.0, 0, round(time / h)
        for _ in range(steps):
            assert not sim.step()[0] & st.Status.FAILED
            lift = max(lift, sim.qpos[0, 2] - 0.05)
            rounds += sim.stats.rounds[0]
        return sim.qpos[0, 0], sim.qvel[0, 0], lift, rounds / steps


@pytest.mark.parametrize("h", SEAMS)
@pytest.mark.parametrize("shape", SLIDERS)
def test_a_slide_over_tiles_is_that_over_one_slab(shape, h):
    geom = SLIDERS[shape].format(mu=0.1)
    x, v, lift, rounds = cross_the_floor(floor([0.0] * 4, 0.1), geom, h, 1.0)
    slab_x, slab_v, _, _ = cross_the_floor(SLAB.format(friction=0.1), geom, h, 1.0)
    assert x == pytest.approx(slab_x, rel=SAME) and v == pytest.approx(slab_v, rel=SAME)
    assert lift < STRAIGHT
    assert rounds <= 1.2
    # the scheme: v = 1 - mu g t, x by the velocity at the end of each step
    assert slab_x == pytest.approx(0.8 - 0.5 * 0.1 * GRAVITY * 0.8 * (0.8 + h), abs=1e-6)


@pytest.mark.parametrize("h", SEAMS)
@pytest.mark.parametrize("shape", ROLLERS)
def test_a_roll_over_tiles_keeps_its_speed(shape, h):
    x, v, lift, _ = cross_the_floor(floor([0.0] * 4, 0.5), ROLLERS[shape].format(mu=0.5), h, 1.0, spin=20.0)
    assert x == pytest.approx(0.8, rel=SAME) and v == pytest.approx(1.0, rel=SAME)
    assert lift < 1e-5


@pytest.mark.parametrize("step", [1e-9, -1e-9, 1e-8, -1e-8, 1e-7, -1e-7])
def test_steps_between_tiles_that_nobody_can_feel_are_passed(step):
    x, v, _, _ = cross_the_floor(floor([0.0, step, 0.0, step], 0.1), SLIDERS["box"].format(mu=0.1), 1e-2, 1.0)
    assert x == pytest.approx(0.4822, abs=2e-3) and v == pytest.approx(0.2152, abs=5e-3)


@pytest.mark.parametrize("h", SEAMS)
def test_a_lip_stops_a_block(h):
    """It turns about its lower edge: m v r = I w about that edge, so that 3/8 of its speed are left."""
    ground, geom = floor([0.0, 1e-4, 1e-4], 0.1), SLIDERS["box"].format(mu=0.1)
    with simulate(f'<mujoco><worldbody>{ground}<body pos="0 0 .05"><freejoint/>{geom}</body></worldbody></mujoco>',
                  step_size=h) as sim:
        sim.qvel[0, 0] = 1.0
        while sim.qpos[0, 0] < 0.1 - 1e-4 and sim.time[0] < 0.2:
            before = sim.qvel[0, 0]
            sim.step()
        # what is left of the step it turns on about the edge
        assert sim.qpos[0, 0] <= 0.1 + 0.4 * before * h + 1e-5
        sim.step()
        assert before > 0.85 and sim.qvel[0, 0] < 0.45 * before


@pytest.mark.parametrize("h", [0.002, 0.01, 0.05, 0.2])
@pytest.mark.parametrize("start", [0.0, 0.1])  # 0.1: the block's edge over a seam
def test_a_push_over_seams_takes_the_force_of_friction(h, start):
    xml = f"""<mujoco><worldbody>{floor([0.0] * 4, 0.5)}
      <body pos="{start} 0 .05"><freejoint/><geom type="box" size=".05 .05 .05" mass="1" friction=".5"/></body>
      <body pos="{start - 0.061} 0 .04" gravcomp="1"><joint name="x" type="slide" axis="1 0 0"/>
        <geom type="box" size=".01 .05 .03" mass=".1" condim="1" priority="2"/></body></worldbody>
      <actuator><position joint="x" kp="1000"/></actuator></mujoco>"""
    with simulate(xml, dynamics="quasidynamic", step_size=h) as sim:
        force = []
        for i in range(round(4 / h)):
            sim.step(np.array([[0.1 * h * (i + 1)]]))
            force.append(1000 * (0.1 * h * (i + 1) - sim.qpos[0, 7]))
        late = force[len(force) // 4 :]
        # friction, and the mass that quasidynamic steps set into motion anew in each of them: 10 N s/m h
        assert max(late) == pytest.approx(0.5 * GRAVITY + 10 * h, rel=5e-2)
        assert min(late) > 0.95 * 0.5 * GRAVITY


FLYERS = {
    "sphere": '<geom type="sphere" size=".05" mass="1"/>',
    "box": '<geom type="box" size=".05 .05 .05" mass="1"/>',
    "capsule": '<geom type="capsule" size=".05 .1" euler="0 90 0" mass="1"/>',
    "mesh": '<geom type="mesh" mesh="wedge" mass="1"/>',
}
WEDGE = '<asset><mesh name="wedge" vertex="-.06 -.05 -.05  .06 -.05 -.05  0 .06 -.05  .01 0 .07"/></asset>'


@pytest.mark.parametrize("shape", FLYERS)
def test_a_fly_over_is_not_deflected(shape):
    low = 0.05 if shape != "mesh" else -lowest_point()
    clearances, speeds, steps = (1e-4, 1e-3, 1e-2, 5e-2), (1.0, 2.0, 5.0), (0.01, 0.05, 0.1, 0.4)
    for clearance, speed, h, phase in itertools.product(clearances, speeds, steps, (0.0, 0.37, 0.71)):
        xml = (f'<mujoco>{WEDGE}<option gravity="0 0 0"/><worldbody><geom type="box" size=".1 1 .5" pos="1 0 -.5"/>'
               f'<body><freejoint/>{FLYERS[shape]}</body></worldbody></mujoco>')
        with simulate(xml, step_size=h) as sim:
            start = np.array([phase * speed * h, 0.0, low + clearance])
            sim.qpos[0, :3], sim.qvel[0, 0] = start, speed
            count = round(2 / speed / h)
            sim.step(steps=count)
            end = start + [speed * h * count, 0, 0]
            assert np.abs(sim.qpos[0, :3] - end).max() <= STRAIGHT, (clearance, speed, h, phase)


def lowest_point():
    """Of the wedge below its body's origin [m]: the body has the frame of the wedge's inertia."""
    xml = (f'<mujoco>{WEDGE}<worldbody><geom type="plane" size="1 1 .1"/>'
           f'<body pos="0 0 .5"><freejoint/>{FLYERS["mesh"]}</body></worldbody></mujoco>')
    with simulate(xml, contact_distance=1.0) as sim:
        sim.forward()
        return sim.contacts.gap[0, : int(sim.contacts.count[0])].min() - 0.5


@pytest.mark.parametrize("h", [0.01, 0.1])
def test_a_finger_that_passes_over_a_cube_leaves_it(h):
    xml = """<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
      <body pos="0 0 .05"><freejoint/><geom type="box" size=".05 .05 .05" mass="1"/></body>
      <body pos="-.3 0 .142" gravcomp="1"><joint name="x" type="slide" axis="1 0 0"/>
        <geom type="box" size=".02 .02 .04" mass=".1"/></body></worldbody>
      <actuator><position joint="x" kp="1000"/></actuator></mujoco>"""
    with simulate(xml, dynamics="quasidynamic", step_size=h) as sim:
        for i in range(round(2 / h)):
            sim.step(np.array([[0.3 * h * (i + 1)]]))
            count = int(sim.contacts.count[0])
            pushed = sim.contacts.force[0, :count, 0][np.any(sim.contacts.geom[0, :count] == 2, axis=1)]
            assert np.all(pushed == 0.0)
        assert np.abs(sim.qpos[0, :2]).max() < STRAIGHT


BULLETS = {
    "sphere": '<geom type="sphere" size=".01" mass=".01"/>',
    "box": '<geom type="box" size=".01 .01 .01" mass=".01"/>',
    "rod": '<geom type="capsule" size=".005 .05" euler="0 90 0" mass=".01"/>',
}


@pytest.mark.parametrize("shape", BULLETS)
def test_nothing_passes_a_wall_of_a_millimetre(shape):
    xml = (f'<mujoco><option gravity="0 0 0"/><worldbody><geom type="box" size=".0005 50 50"/>'
           f'<body pos="-1.003 0 0"><freejoint/>{BULLETS[shape]}</body></worldbody></mujoco>')
    for speed, h, spin in itertools.product((10, 100, 1e3, 1e4), (1e-3, 1e-2, 1e-1), (0.0, 3.0, 30.0)):
        with simulate(xml, step_size=h) as sim:
            sim.qvel[0, 0], sim.qvel[0, 5] = speed, spin
            for _ in range(max(3, math.ceil(2.5 / speed / h))):
                sim.step()
                assert sim.qpos[0, 0] < 0.0, (speed, h, spin)


@pytest.mark.parametrize("spin, h", [(10, 0.01), (10, 0.05), (30, 0.05), (100, 0.01), (100, 0.05)])
def test_a_turning_rod_stops_at_a_post(spin, h):
    xml = """<mujoco><option gravity="0 0 0"/><worldbody><geom type="cylinder" size=".01 .5" pos=".45 .2 0"/>
      <body><freejoint/><geom type="capsule" size=".005 .5" euler="0 90 0" mass="1"/></body></worldbody></mujoco>"""
    with simulate(xml, step_size=h) as sim:
        sim.qvel[0, 5] = spin
        energy, before = sim.stats.energy[0].sum(), None
        for _ in range(max(2, round(1.2 * math.pi / spin / h))):
            sim.step()
            assert sim.stats.energy[0].sum() <= energy * (1 + 1e-9)
            q = sim.qpos[0]
            angle = 2 * math.atan2(q[6], q[3])
            post = np.array([0.45, 0.2]) - q[:2]
            along = post @ [math.cos(angle), math.sin(angle)]
            across = post @ [-math.sin(angle), math.cos(angle)]
            if before is not None and abs(along) < 0.5 and abs(before[0]) < 0.5:
                assert before[1] * across > 0
            before = along, across


@pytest.mark.parametrize("h", [0.005, 0.01, 0.02])
def test_a_box_that_tumbles_onto_a_step_gains_no_energy_and_rests(h):
    xml = """<mujoco><worldbody><geom type="box" size=".5 .3 .1" pos="-.5 0 -.1"/>
      <geom type="box" size=".2 .3 .1" pos=".2 0 0"/>
      <body pos="-.12 0 .22"><freejoint/><geom type="box" size=".05 .05 .05" mass="1" friction=".4" priority="1"/></body>
      </worldbody></mujoco>"""
    with simulate(xml, step_size=h) as sim:
        sim.qpos[0, 3:] = math.cos(0.1), 0, math.sin(0.1), 0
        sim.qvel[0, 0], sim.qvel[0, 4] = 1.0, 6.0
        energy = sim.stats.energy[0].sum()
        for _ in range(round(1.5 / h)):
            assert not sim.step()[0] & st.Status.FAILED
            now = sim.stats.energy[0].sum()
            assert now <= energy + 1e-3 * GRAVITY * 0.2
            energy = now
        assert np.abs(sim.qvel[0]).max() < 1e-2 and sim.stats.penetration[0] < 1e-4


RODS = {  # along x, 30 mm to the surface below and above the axis
    "capsule": '<geom type="capsule" size=".03 {half}" euler="0 90 0" mass="1"/>',
    "cylinder": '<geom type="cylinder" size=".03 {half}" euler="0 90 0" mass="1"/>',
    "box": '<geom type="box" size="{half} .02 .03" mass="1"/>',
}


def turned(yaw, tilt):
    """The quaternion of a turn by `tilt` about y, then by `yaw` about z [rad]."""
    (w, z), (u, y) = ((math.cos(angle / 2), math.sin(angle / 2)) for angle in (yaw, tilt))
    return w * u, -z * y, w * y, z * u


@pytest.mark.parametrize("upper", RODS)
@pytest.mark.parametrize("lower", RODS)
def test_a_rod_that_falls_askew_on_another_is_held_at_both_ends(lower, upper):
    """One end meets, the rod turns about it, and the other end meets in the same step."""
    xml = (f'<mujoco><option gravity="0 0 0"/><worldbody>{RODS[lower].format(half=0.12)}<body><freejoint/>'
           f"{RODS[upper].format(half=0.1)}</body></worldbody></mujoco>")
    with simulate(xml, law="frictionless", step_size=0.02) as sim:
        for yaw, tilt, speed in itertools.product((0.1, 0.2, 0.3), (0.02, 0.05, 0.1), (1.0, 3.0)):
            sim.reset()
            sim.qpos[0, :3] = 0, 0, 0.061 + 0.1 * math.sin(tilt)
            sim.qpos[0, 3:] = turned(yaw, tilt)
            sim.qvel[0, 2] = -speed
            for _ in range(3):
                assert sim.step()[0] == st.Status.CONVERGED
                assert sim.stats.penetration[0] <= 0.03 / 16, (yaw, tilt, speed)  # what rows may leave of a radius


@pytest.mark.parametrize("dynamics", ["dynamic", "quasidynamic"])
@pytest.mark.parametrize("shape", {**SLIDERS, **ROLLERS})
def test_a_plane_that_rocks_passes_through_nothing(shape, dynamics, tmp_path):
    """Far from its axis a plane comes far closer in a step than at its origin."""
    step, amplitude, period = 0.02, 0.3, 0.5  # [s], [rad], [s]
    times = step * np.arange(60)
    angles = amplitude * np.sin(2 * math.pi * times / period)
    rows = np.column_stack([times, np.zeros((60, 3)), np.cos(angles / 2), 0 * times, np.sin(angles / 2), 0 * times])
    np.savetxt(tmp_path / "rock.csv", rows, delimiter=",", header="time,x,y,z,qw,qx,qy,qz", comments="")
    geom = {**SLIDERS, **ROLLERS}[shape].format(mu=0.5)
    bodies = "".join(f'<body pos="{x} 0 .07"><freejoint/>{geom}</body>' for x in (-1, 1))
    (tmp_path / "model.xml").write_text('<mujoco><worldbody><body name="plane" mocap="true"><geom type="plane" size="2 2 .1"/></body>'
                                        f"{bodies}</worldbody></mujoco>")  # fmt: skip
    (tmp_path / "scene.toml").write_text(f'model = "model.xml"\n[step]\nstep_size = {step}\nduration = 1.0\n[physics]\n'
                                         f'dynamics = "{dynamics}"\n[[mocap]]\nbody = "plane"\nfile = "rock.csv"\n')  # fmt: skip
    with st.Simulator(st.load_scene(tmp_path), batch=1, device="cpu", threads=1) as sim:
        for k in range(50):
            assert not sim.step()[0] & st.Status.FAILED, k
            said = sim.stats.penetration[0]
            sim.forward()
            gaps = sim.contacts.gap[0, : sim.contacts.count[0]]
            assert np.min(gaps, initial=0.0) >= -0.05 / 16, k  # what rows may leave of a half width
            assert said == pytest.approx(max(0.0, -np.min(gaps, initial=0.0)), abs=1e-6), k
