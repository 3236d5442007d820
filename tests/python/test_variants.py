"""Environments with different objects (`[[attach]] model = [..]`): each is as its object alone, wherever it is in a batch."""

import pickle

import numpy as np
import pytest
import stiction as st
from stiction.errors import InputError
from stiction.status import Status

EQUAL = 1e-9
BATCH, STEPS = 64, 100
WORLD = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 .1"/>
    <body name="press" pos="0 0 .45">
      <joint name="z" type="slide" axis="0 0 1" range="-.4 .1" limited="true"/>
      <geom name="plate" type="box" size=".2 .2 .02" mass=".5"/>
    </body>
    <body name="wall" pos=".3 0 .1"><geom name="wall" type="capsule" size=".05" fromto="0 -.2 0 0 .2 0"/></body>
  </worldbody>
  <actuator><position name="push" joint="z" kp="300" kv="20"/></actuator>
</mujoco>
"""
SCENE = """
model = "world.xml"
[[attach]]
model = [{models}]
prefix = "object_"
[physics]
{physics}
[step]
step_size = 0.01
[[command]]
time = 0.0
ctrl = [0.0]
[[command]]
time = 1.0
ctrl = [-0.4]
"""
FILES = [f"object_{k}.xml" for k in range(20)]


def prism(corners, radius, height):
    angles = 2 * np.pi * np.arange(corners) / corners
    ring = [f"{radius * np.cos(a):.4f} {radius * np.sin(a):.4f}" for a in angles]
    return "  ".join(f"{xy} {z}" for z in (-height / 2, height / 2) for xy in ring)


def object_of(k):
    """MJCF of object k: single shapes, bodies of several, hulls; their masses, frames and places differ."""
    size = 0.03 + 0.002 * k
    shapes = [
        f'<geom type="sphere" size="{size}"/>',
        f'<geom type="box" size="{size} {size / 2} .06"/>',
        f'<geom type="cylinder" size="{size} .05"/>',
        f'<geom type="capsule" size="{size / 2} .06" euler="0 70 0"/>',
        f'<geom type="ellipsoid" size="{size} .03 .05"/>',
        '<geom type="mesh" mesh="hull"/>',
        f"""<geom type="mesh" mesh="hull"/><geom type="mesh" mesh="hull" pos=".06 0 0" euler="0 40 0"/>
            <geom type="sphere" size="{size / 2}" pos="0 .05 0"/>""",
    ]
    mesh = f'<mesh name="hull" vertex="{prism(3 + k % 5, size, 0.08)}"/>'
    return f"""
<mujoco>
  <asset>{mesh}</asset>
  <default><geom density="{300 + 40 * k}" friction="{0.4 + 0.03 * k} .01 .001" condim="{4 if k % 3 == 0 else 3}"/></default>
  <worldbody>
    <body name="thing_{k}" pos="{0.005 * k} 0 .2" euler="{7 * k} {11 * k} 3">
      <freejoint/>{shapes[k % len(shapes)]}
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("objects")
    (folder / "world.xml").write_text(WORLD)
    for k, file in enumerate(FILES):
        (folder / file).write_text(object_of(k))
    return folder


def scene_of(folder, models, physics=""):
    path = folder / f"{len(list(folder.iterdir()))}.toml"
    path.write_text(SCENE.format(models=", ".join(f'"{m}"' for m in models), physics=physics))
    return st.load_scene(path)


def final(scene, batch, steps=STEPS, start=lambda sim: None, **options):
    """qpos after some steps, which all converged."""
    with st.Simulator(scene, batch=batch, **options) as sim:
        start(sim)
        for _ in range(steps):
            assert (np.asarray(sim.step()) == Status.CONVERGED).all()
        return np.array(sim.qpos)


@pytest.mark.parametrize("physics", ["", 'dynamics = "quasidynamic"\nlaw = "anitescu"\ncone = "quadratic"', 'law = "frictionless"'])
def test_every_environment_is_as_its_object_alone(folder, physics):
    together = final(scene_of(folder, FILES, physics), BATCH)
    for k, file in enumerate(FILES):
        alone = final(scene_of(folder, [file], physics), 1)
        for env in range(k, BATCH, len(FILES)):
            assert together[env] == pytest.approx(alone[0], abs=EQUAL), (file, env)


def test_the_bits_depend_neither_on_the_place_nor_on_the_batch(folder):
    scene = scene_of(folder, FILES)
    together = final(scene, BATCH)
    order = np.random.default_rng(1).permutation(BATCH)

    def shuffled(sim):
        sim.params.variant[:] = order % len(FILES)
        sim.reset()

    assert np.array_equal(final(scene, BATCH, start=shuffled), together[order])
    for batch in (1, 7):
        assert np.array_equal(final(scene, batch), together[:batch])
    assert np.array_equal(final(scene, 3, first_env_id=17), together[17:20])


def test_the_order_of_a_list_does_not_matter_beyond_rounding(folder):
    forwards, backwards = (final(scene_of(folder, files), len(FILES)) for files in (FILES, FILES[::-1]))
    assert forwards == pytest.approx(backwards[::-1], abs=EQUAL)


def test_the_reference_takes_the_same_step_with_every_object(folder):
    scene = scene_of(folder, FILES[:7])

    def pressed(sim):
        sim.qpos[:, -7:-4] = 0, 0, 0.09
        sim.qvel[:, 0] = -0.5

    ours = final(scene, 7, steps=3, start=pressed)
    assert final(scene, 7, steps=3, start=pressed, device="reference") == pytest.approx(ours, abs=1e-6)


def test_an_environment_takes_another_object_at_its_reset_and_not_before(folder):
    scene = scene_of(folder, FILES)
    with st.Simulator(scene, batch=4) as sim:
        sim.step()
        masses = np.array(sim.params.mass)
        sim.params.mass[3] = 7.0
        sim.params.variant[1] = 9
        status = np.asarray(sim.step())
        assert (status == [Status.CONVERGED, Status.BAD_PARAMETER, Status.CONVERGED, Status.CONVERGED]).all()
        sim.reset([1, 3])
        assert (np.asarray(sim.step()) == Status.CONVERGED).all()
        with st.Simulator(scene_of(folder, [FILES[9]]), batch=1) as alone:
            alone.step()
            assert sim.qpos[1] == pytest.approx(alone.qpos[0], abs=EQUAL)
            assert np.array_equal(sim.params.mass[1], alone.params.mass[0])
        assert np.array_equal(sim.params.mass[[0, 2]], masses[[0, 2]])
        assert (np.asarray(sim.params.mass[3]) == 7.0).all()  # its variant is the same: what was written stays
        assert np.asarray(sim.params.variant).tolist() == [0, 9, 2, 3]


@pytest.mark.parametrize("wrong", [-1, len(FILES), 10**6])
def test_an_object_that_is_not_in_the_list_is_refused(folder, wrong):
    with st.Simulator(scene_of(folder, FILES), batch=3) as sim:
        sim.params.variant[2] = wrong
        with pytest.raises(InputError, match=rf"params.variant: environment 2 asks for {wrong}, must be in \[0, 20\)"):
            sim.reset()
        sim.params.variant[2] = 4
        sim.reset([0])
        sim.reset()
        assert (np.asarray(sim.step()) == Status.CONVERGED).all()


def test_masses_and_friction_are_drawn_about_those_of_the_object(folder):
    keys = {"seed": 3, "mass_scale": (0.5, 2.0), "friction": (0.2, 0.4)}
    path = folder / "drawn.toml"
    path.write_text(SCENE.format(models=", ".join(f'"{m}"' for m in FILES), physics=""))
    with st.Simulator(st.load_scene(path, **keys), batch=4) as sim, st.Simulator(st.load_scene(path), batch=4) as plain:
        for variants in ([0, 1, 2, 3], [5, 1, 8, 3]):
            for each in (sim, plain):
                each.params.variant[:] = variants
                each.reset()
            share = sim.params.mass[:, -1] / plain.params.mass[:, -1]
            assert ((share > 0.5) & (share < 2.0)).all() and len(set(share)) == 4
            assert ((sim.params.friction[..., 0] > 0.2) & (sim.params.friction[..., 0] < 0.4)).all()


def test_rays_meet_the_object_that_is_there(folder):
    scene = scene_of(folder, FILES)
    origin, direction = np.array([[-0.5, 0.0, 0.2]]), np.array([[1.0, 0.0, 0.0]])
    with st.Simulator(scene, batch=len(FILES)) as sim:
        hits = sim.cast_rays(origin, direction)
        for k, file in enumerate(FILES):
            with st.Simulator(scene_of(folder, [file]), batch=1) as alone:
                hit = alone.cast_rays(origin, direction)
                assert hits.distance[k] == pytest.approx(hit.distance[0], abs=EQUAL), file


def test_a_pickled_scene_has_all_objects(folder):
    scene = scene_of(folder, FILES)
    again = pickle.loads(pickle.dumps(scene))
    assert np.array_equal(final(again, 20, steps=5), final(scene, 20, steps=5))


def test_an_environment_needs_little_more_memory(folder):
    """The arrays of an environment with 20 objects against those with the object of most geoms."""

    def kilobytes(scene):
        with st.Simulator(scene, batch=1) as sim:
            return sum(array.nbytes for array in sim.state().values()) / 1e3

    assert kilobytes(scene_of(folder, FILES)) - kilobytes(scene_of(folder, [FILES[6]])) < 10


def refused(folder, first, second, match):
    for name, text in (("first.xml", first), ("second.xml", second)):
        (folder / name).write_text(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    with pytest.raises(InputError, match=match):
        scene_of(folder, ["first.xml", "second.xml"])


BALL = '<body name="ball"><freejoint/><geom type="sphere" size=".1"/></body>'


def test_lists_whose_models_do_not_agree_are_refused(folder):
    refused(folder, BALL, '<body name="post"><geom type="sphere" size=".1"/></body>',
            r"toml:3: attach.model: 'first.xml' and 'second.xml' differ in nq \(8 and 1\)")  # fmt: skip
    lid = '<body name="box"><freejoint/><geom size=".1"/><body><joint name="lid" range="0 {}"/><geom size=".1"/></body></body>'
    refused(folder, lid.format(1), lid.format(2), r"differ in joint_range of joint 'object_lid'")
    refused(folder, BALL, BALL.replace('"ball"', '"ball" gravcomp="1"'), r"differ in body_gravcomp of body 'object_ball'")
    refused(folder, BALL, BALL + '<geom type="plane" size="1 1 1" pos="0 0 -1"/>', "'first.xml' has no plane")


PAIRED = BALL.replace('size=".1"', 'name="g" size=".1"') + '<body name="post" pos="1 0 0"><geom name="p" size=".1"/></body>'


@pytest.mark.parametrize(
    ("first", "second", "match"),
    [
        ('<pair geom1="g" geom2="p" friction=".1 .1 0 0 0"/>', '<pair geom1="g" geom2="p" friction=".8 .8 0 0 0"/>', "what a <pair> says"),
        ('<pair geom1="g" geom2="p" condim="1"/>', '<pair geom1="g" geom2="p"/>', "what a <pair> says"),
        ('<exclude body1="ball" body2="post"/>', "", "which geoms may touch"),
    ],
)
def test_lists_whose_models_touch_otherwise_are_refused(folder, first, second, match):
    for name, contact in (("first.xml", first), ("second.xml", second)):
        (folder / name).write_text(f"<mujoco><worldbody>{PAIRED}</worldbody><contact>{contact}</contact></mujoco>")
    with pytest.raises(InputError, match=match):
        scene_of(folder, ["first.xml", "second.xml"])


def with_key(name, qvel=0.0, ctrl=0.0, camera=""):
    return f"""<mujoco><worldbody><body name="ball" pos="0 0 .5">{camera}<freejoint/><geom size=".1"/></body>
        <body name="arm"><joint name="h"/><geom size=".05" pos="1 0 0"/></body></worldbody>
        <actuator><motor joint="h"/></actuator>
        <keyframe><key name="{name}" qpos="0 0 1 1 0 0 0 0" qvel="{qvel} 0 0 0 0 0 0" ctrl="{ctrl}"/></keyframe></mujoco>"""


def keyed(folder, first, second, key="object_k"):
    (folder / "first.xml").write_text(first), (folder / "second.xml").write_text(second)
    (folder / "plain.xml").write_text('<mujoco><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujoco>')
    text = 'model = "plain.xml"\n[[attach]]\nmodel = {0}\nprefix = "object_"\n[initial]\nkeyframe = "' + key + '"\n'
    scenes = []
    for models in ('["first.xml", "second.xml"]', '"second.xml"'):
        (folder / "keyed.toml").write_text(text.format(models))
        scenes.append(st.load_scene(folder / "keyed.toml"))
    return scenes


def test_each_object_starts_with_the_velocity_of_its_own_keyframe(folder):
    together, alone = keyed(folder, with_key("k", qvel=1.0), with_key("k", qvel=-2.0))
    assert final(together, 2, steps=20)[1] == pytest.approx(final(alone, 1, steps=20)[0], abs=EQUAL)


@pytest.mark.parametrize(
    ("second", "match"),
    [
        (with_key("k", ctrl=1.0), r"differ in ctrl of a keyframe"),
        (with_key("l"), "keyframe"),
        (with_key("k", camera='<camera name="c" fovy="50"/>'), r"number of cameras \(0 and 1\)"),
    ],
    ids=["ctrl", "name", "camera"],
)
def test_lists_whose_keyframes_or_cameras_differ_are_refused(folder, second, match):
    with pytest.raises(InputError, match=match):
        keyed(folder, with_key("k"), second)


def test_equations_of_motion_and_sensors_are_those_of_the_object(folder):
    sensors = '<sensor><framepos objtype="body" objname="thing_{0}"/><subtreecom body="thing_{0}"/></sensor>'
    files = [f"sensed_{k}.xml" for k in (1, 3, 5, 6)]
    for k, file in zip((1, 3, 5, 6), files, strict=True):
        text = object_of(k).replace("<freejoint/>", '<freejoint/><geom size=".02" pos=".2 .1 0" density="3000"/>')
        (folder / file).write_text(text.replace("</worldbody>", "</worldbody>" + sensors.format(k)))
    together = st.Simulator(scene_of(folder, files), batch=len(files))
    for env, file in enumerate(files):
        with st.Simulator(scene_of(folder, [file]), batch=1) as alone:
            for sim in (together, alone):
                sim.reset()
                sim.qvel[:, 1:] = 0.1, 0.2, 0.3, 1.0, -2.0, 0.5
                sim.forward()
            name = alone.model.body_names[-1]
            assert together.mass_matrix()[env] == pytest.approx(alone.mass_matrix()[0], abs=EQUAL)
            assert together.bias()[env] == pytest.approx(alone.bias()[0], abs=EQUAL)
            ours = together.jacobian(together.model.body_names[-1])[env]
            assert ours == pytest.approx(alone.jacobian(name)[0], abs=EQUAL)
            assert together.sensordata[env] == pytest.approx(alone.sensordata[0], abs=EQUAL)
    together.close()


def test_a_centre_of_mass_that_is_written_is_that_of_the_model(folder):
    body = '<body name="b" pos="0 0 .3" euler="10 20 30"><freejoint/><inertial pos="{0} 0 0" mass="2" diaginertia=".02 .03 .04"/>'
    model = "<mujoco><worldbody>" + body + """<geom type="box" size=".1 .1 .1"/></body></worldbody>
        <sensor><framepos objtype="body" objname="b"/><framelinvel objtype="body" objname="b"/></sensor></mujoco>"""
    with st.Simulator(st.load_model(model.format(0)), batch=2) as moved, st.Simulator(st.load_model(model.format(0.05)), batch=1) as own:
        moved.params.com[1, 1, 0] = 0.05
        for sim in (moved, own):
            sim.qvel[:] = 0.1, 0.2, 0.3, 1.0, -2.0, 0.5
            sim.forward()
        for of in ("mass_matrix", "bias"):
            assert getattr(moved, of)()[1] == pytest.approx(getattr(own, of)()[0], abs=EQUAL), of
        assert moved.jacobian("b")[1] == pytest.approx(own.jacobian("b")[0], abs=EQUAL)
        assert moved.sensordata[1] == pytest.approx(own.sensordata[0], abs=EQUAL)


def test_a_state_of_other_objects_is_refused(folder):
    with (
        st.Simulator(scene_of(folder, FILES[5:8]), batch=3) as three,
        st.Simulator(scene_of(folder, FILES[5:7]), batch=3) as two,
        st.Simulator(scene_of(folder, FILES[:3]), batch=3) as others,
    ):
        state = three.state()
        three.set_state(state)
        for sim in (two, others):
            with pytest.raises(InputError, match="state"):
                sim.set_state(state)
            assert (np.asarray(sim.step()) == Status.CONVERGED).all()


def test_a_plane_that_nothing_of_one_object_can_touch_may_be_missing(folder):
    ghost = BALL.replace('size=".1"', 'size=".1" contype="0" conaffinity="0"')
    (folder / "ghost.xml").write_text(f"<mujoco><worldbody>{ghost}</worldbody></mujoco>")
    (folder / "solid.xml").write_text(f"<mujoco><worldbody>{BALL}</worldbody></mujoco>")
    (folder / "plain.xml").write_text('<mujoco><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujoco>')
    (folder / "ghosts.toml").write_text('model = "plain.xml"\n[[attach]]\nmodel = ["solid.xml", "ghost.xml"]\npos = [0, 0, 0.1]\n')
    fallen = final(st.load_scene(folder / "ghosts.toml"), 2, steps=30)[:, 2]
    assert fallen[0] == pytest.approx(0.1, abs=1e-6) and fallen[1] < -0.2


def test_without_a_list_a_reset_puts_the_variant_back(folder):
    with st.Simulator(scene_of(folder, FILES[:1]), batch=2) as sim:
        sim.params.variant[1] = 3
        assert np.asarray(sim.step()).tolist() == [Status.CONVERGED, Status.BAD_PARAMETER]
        sim.reset()
        assert (np.asarray(sim.step()) == Status.CONVERGED).all() and sim.params.variant.tolist() == [0, 0]


def test_lists_that_say_nothing_are_refused(folder):
    for models, match in (("[]", "attach.model is an empty list"), ('["object_1.xml", 3]', "every entry of the list names"),
                          ('["object_1.xml", "none.xml"]', "none.xml: no such file")):  # fmt: skip
        path = folder / "wrong.toml"
        path.write_text(f'model = "world.xml"\n[[attach]]\nmodel = {models}\n')
        with pytest.raises(InputError, match=match):
            st.load_scene(path)
    path.write_text('model = "world.xml"\n[[attach]]\nmodel = ["object_1.xml", "object_2.xml"]\nprefix = "a"\n'
                    '[[attach]]\nmodel = ["object_1.xml"]\nprefix = "b"\n')  # fmt: skip
    with pytest.raises(InputError, match=r"attach.model lists 1 models and another list 2"):
        st.load_scene(path)


def test_two_lists_go_together(folder):
    path = folder / "two.toml"
    text = 'model = "world.xml"\n[[attach]]\nmodel = {0}\nprefix = "a_"\n[[attach]]\nmodel = {1}\nprefix = "b_"\npos = [0, 0, 0.2]\n'
    path.write_text(text.format('["object_1.xml", "object_5.xml"]', '["object_2.xml", "object_6.xml"]'))
    together = final(st.load_scene(path), 4, steps=50)
    for v, pair in enumerate(((1, 2), (5, 6))):
        path.write_text(text.format(*(f'"object_{k}.xml"' for k in pair)))
        alone = final(st.load_scene(path), 1, steps=50)
        assert together[v] == pytest.approx(alone[0], abs=EQUAL) == together[v + 2]
