"""The device "reference" steps free bodies with contact patches by trying every feature of two bodies, apart from the simulator, and both move alike."""

import numpy as np
import p5
import pytest
import stiction as st

MOTION = 1e-7  # of ν, of ECPs and of forces over the weight, where steps are solved to 1e-10 [m/s, rad/s, m, -]
G = 9.8
SEVERAL = 2e-3  # of random steps may have several motions: on an edge a body may end on either face beside it

TWIST = 'diaginertia=".01 .012 .014"'
SHAPES = {
    "box": 'type="box" size=".12 .15 .08"',
    "cylinder": 'type="cylinder" size=".1 .14"',
    "mesh": 'type="mesh" mesh="hull"',
}
HULL = ".2 0 0 -.15 .05 0 0 .2 .02 .03 -.2 0 .02 .01 .2 -.05 0 -.2 .13 .13 .08"


def body(name, shape, z):
    return (f'<body name="{name}" pos="0 0 {z}"><freejoint/><inertial pos="0 0 0" mass="1" {TWIST}/>'
            f'<geom name="{name}" {SHAPES[shape]} quat=".8 .3 -.4 .2"/></body>')  # fmt: skip


def simulators(world, gravity=G):
    text = (f'<mujoco><compiler balanceinertia="true"/><option gravity="0 0 {-gravity}"/><default><geom friction=".5 .03 0" condim="4"/></default>'
            f'<asset><mesh name="hull" vertex="{HULL}"/></asset><worldbody>{world}</worldbody></mujoco>')  # fmt: skip
    model = st.load_model(text, preset="ecp", solver="newton", tolerance=1e-10, step_size=0.01)
    return [st.Simulator(model, device=device) for device in ("cpu", "reference")]


def differences(cpu, reference):
    """How far a step from the same state takes the two apart: motion and, where a patch carries, its load."""
    apart = [np.abs(cpu.qvel - reference.qvel).max(), np.abs(cpu.qpos - reference.qpos).max()]
    a, b = cpu.patches, reference.patches
    assert (a.count == b.count).all() and (a.geom[0, : a.count[0]] == b.geom[0, : b.count[0]]).all()
    for k in range(a.count[0]):
        apart += [np.abs(getattr(a, name)[0, k] - getattr(b, name)[0, k]).max() / scale
                  for name, scale in (("point", 1), ("frame", 1), ("force", 1e2 * G), ("torsion", 1e2 * G))]  # fmt: skip
    return max(apart), a.count[0]


@pytest.mark.parametrize("first", SHAPES)
@pytest.mark.parametrize("second", ["floor", "fixed box", "box", "mesh"])
def test_both_step_random_falls_and_collisions_alike(first, second):
    rng = np.random.default_rng(len(first) * 31 + len(second))
    if second == "floor":
        world, gravity = '<geom type="plane" size="9 9 1"/>' + body("a", first, 0.36), G
    elif second == "fixed box":
        world, gravity = f'<geom {SHAPES["box"]} quat=".9 .1 .3 -.2"/>' + body("a", first, 0.5), G
    else:
        world, gravity = body("a", first, 0.5) + body("b", second, 0), 0.0
    cpu, reference = simulators(world, gravity)
    touching = several = steps = 0
    for _ in range(2):
        cpu.reset()
        turn = rng.normal(size=4)
        cpu.qpos[0, 3:7] = turn / np.linalg.norm(turn)
        cpu.qvel[0, :6] = [*rng.normal(size=2) * 0.3, -2, *rng.normal(size=3) * 2]
        for _ in range(28):
            reference.qpos[0], reference.qvel[0] = cpu.qpos[0], cpu.qvel[0]
            if not (cpu.step() & reference.step() & st.Status.CONVERGED).all():
                several += 1
                continue
            apart, count = differences(cpu, reference)
            steps, touching, several = steps + 1, touching + (count > 0), several + (apart > MOTION)
    assert several <= max(1, SEVERAL * steps) and touching >= 5


@pytest.mark.parametrize("name", ["s1_spin", "s2", "s3", "s4"])
def test_the_papers_scenes_take_the_same_course(name, tmp_path):
    p5.write(name, tmp_path)
    cpu, reference = (st.Simulator(st.load_scene(tmp_path), device=device) for device in ("cpu", "reference"))
    for _ in range(100):
        assert (cpu.step() & reference.step() & st.Status.CONVERGED).all()
        np.testing.assert_allclose(reference.qpos, cpu.qpos, atol=1e-6, rtol=0)
    assert reference.patches.count[0] == cpu.patches.count[0] == 1
    assert reference.patches.point[0, 0] == pytest.approx(cpu.patches.point[0, 0], abs=1e-6)


def test_a_recording_of_the_reference_has_its_patches(tmp_path):
    _, reference = simulators('<geom type="plane" size="9 9 1"/>' + body("a", "box", 0.3))
    for _ in range(60):
        reference.step()
    patches = reference.patches
    assert patches.count[0] == 1 and reference.contacts.count[0] == 0
    assert patches.force[0, 0, 0] == pytest.approx(G, rel=1)  # it rocks


def test_a_body_with_two_patches_is_refused_by_name():
    floor = '<geom name="floor" type="plane" size="9 9 1"/>'
    wall = '<geom name="wall" type="plane" size="9 9 1" pos="-.12 0 0" euler="0 90 0"/>'
    cube = '<body pos="0 0 .08"><freejoint/><geom name="cube" type="box" size=".12 .15 .08"/></body>'
    _, reference = simulators(floor + wall + cube)
    reference.qvel[0, 0] = -1.0
    with pytest.raises(
        Exception,
        match=r"geom 'cube' touches '(floor|wall)' and '(floor|wall)', and the reference steps a body with one patch",
    ):
        reference.step()
