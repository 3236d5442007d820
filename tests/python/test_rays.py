"""Claims: rays meet what MuJoCo's mj_ray meets in random states of three robots, with its distance, geom and normal; by hand on
every shape; and what is wrong with a ray is said in a line."""

import mujoco
import numpy as np
import pytest
import stiction as st
from data_folder import data_file

STATES, RAYS = 200, 30
HULL_TYPE = 6  # in kernels/model/shapes.inc
SAME = 1e-9  # [m], of normals [-]
HULL = 4e-6  # of the radius of a hull, which is at least half its size: flat parts of its triangles are one face, host/scene/mujoco_hull.cpp
FEW = 0.002  # of all rays, those that meet two geoms in the same point: geoms of neighbouring bodies have common surfaces

GRAZING = 0.002  # of all rays, those that graze an edge, where single precision may take the other side

SHAPES = """<mujoco><asset><mesh name="wedge" vertex="0 0 0  .3 0 .02  0 .2 .05  .05 .1 .25  .2 .15 .1"/></asset><worldbody>
  <geom name="floor" type="plane" size="3 2 .1" pos="0 0 -1"/>
  <body name="sphere" pos=".5 0 .1"><freejoint/><geom type="sphere" size=".2" pos=".05 .1 0"/></body>
  <body name="capsule" pos="-.5 .1 0"><joint type="ball"/><geom type="capsule" size=".1 .2"/></body>
  <body name="cylinder" pos="0 .6 .1"><joint axis="1 2 3"/><geom type="cylinder" size=".15 .1" euler="10 20 30"/>
    <body name="ellipsoid" pos="0 -1 -.1"><joint axis="1 0 3"/><geom type="ellipsoid" size=".1 .2 .15"/></body></body>
  <body name="box" pos=".1 .1 .6"><joint type="slide" axis="1 0 0" range="-.2 .2"/><joint type="ball"/><geom type="box" size=".1 .2 .15"/></body>
  <body name="wedge" pos="-.4 -.5 .3"><freejoint/><geom type="mesh" mesh="wedge"/></body></worldbody></mujoco>"""


def with_hulls(spec):
    """The model with the hull of every mesh in the mesh's place, which is what touches."""
    compiled = spec.copy().compile()
    for number, mesh in enumerate(spec.meshes):
        adr = compiled.mesh_graphadr[number]
        if adr < 0:
            continue
        vertices, faces = compiled.mesh_graph[adr : adr + 2]
        start = adr + 2 + vertices
        own = compiled.mesh_vert[compiled.mesh_vertadr[number] :][compiled.mesh_graph[start : start + vertices]]
        local = {int(g): i for i, g in enumerate(compiled.mesh_graph[start : start + vertices])}
        first = start + 2 * vertices + 3 * faces
        mesh.file, mesh.scale, mesh.refpos, mesh.refquat = "", [1, 1, 1], [0, 0, 0], [1, 0, 0, 0]
        mesh.uservert = own.astype(float).ravel()
        mesh.userface = [local[int(g)] for g in compiled.mesh_graph[first : first + 3 * faces]]
    return spec.compile()


def model_of(name):
    if name == "every shape":
        return mujoco.MjModel.from_xml_string(SHAPES)
    file = data_file(f"models/{name}")
    spec = mujoco.MjSpec.from_file(str(file))
    spec.meshdir = str(file.parent / spec.meshdir)
    return with_hulls(spec)


def see_only(model, kept):
    """Lets MuJoCo's rays meet these geoms and no others, with the first group alone."""
    model.geom_group[:] = 1
    model.geom_group[kept] = 0
    model.geom_rgba[:, 3] = 1.0
    model.mat_rgba[:, 3] = 1.0


FIRST_GROUP = np.array([1, 0, 0, 0, 0, 0], np.uint8)


def rays_of_states(model, kept):
    """Random qpos (STATES, nq), rays (STATES, RAYS, 3) at the geoms, and what MuJoCo's meet: distance [m], geom, normal."""
    data, rng = mujoco.MjData(model), np.random.default_rng(3)
    qpos, origin, direction = np.zeros((STATES, model.nq)), np.zeros((STATES, RAYS, 3)), np.zeros((STATES, RAYS, 3))
    distance, geom, normal = np.zeros((STATES, RAYS)), np.zeros((STATES, RAYS), int), np.zeros((STATES, RAYS, 3))
    for s in range(STATES):
        mujoco.mj_resetData(model, data)
        mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 0.5)
        mujoco.mj_kinematics(model, data)
        qpos[s] = data.qpos
        target = data.geom_xpos[rng.choice(kept, RAYS)] + rng.normal(size=(RAYS, 3)) * 0.05
        origin[s] = target + rng.normal(size=(RAYS, 3)) * np.where(np.arange(RAYS) % 5, 1.0, 0.02)[:, None]
        direction[s] = (target - origin[s]) * rng.uniform(0.1, 3, (RAYS, 1)) * np.where(np.arange(RAYS) % 7, 1, -1)[:, None]
        for r in range(RAYS):
            found = np.array([-1], np.int32)
            distance[s, r] = mujoco.mj_ray(model, data, origin[s, r], direction[s, r], FIRST_GROUP, 1, -1, found, normal[s, r])
            geom[s, r] = found[0]
    distance = np.where(distance < 0, -1, distance * np.linalg.norm(direction, axis=2))
    return qpos, origin, direction, distance, geom, normal


@pytest.mark.parametrize("name", ["every shape", "iiwa14/iiwa14.xml", "shadow/right_hand.xml", "panda/panda_collision.xml"])
def test_rays_meet_what_they_meet_in_mujoco_in_the_same_state(name):
    model = model_of(name)
    scene = st.load_model(model, dynamics="dynamic")
    kept = np.array(scene.model.geom_source_id)
    see_only(model, kept)
    qpos, origin, direction, distance, geom, normal = rays_of_states(model, kept)
    with st.Simulator(scene, batch=STATES, device="cpu") as sim:
        sim.qpos[:] = qpos
        hits = sim.cast_rays(origin, direction)
    found = np.where(hits.geom < 0, -1, kept[hits.geom])
    assert 0.1 < np.mean(found >= 0) < 0.99
    assert len(set(found[found >= 0])) > 0.9 * len(kept)
    assert np.array_equal(found < 0, geom < 0)
    same = found == geom
    assert np.mean(~same) < FEW
    hull = np.isin(geom, kept[scene.model.geom_type == HULL_TYPE])
    error = np.abs(hits.distance - distance)
    turned = np.where(same, np.abs(np.asarray(hits.normal) - normal).max(axis=2), 0)
    print(f"\n{name}: {np.mean(found >= 0):.2f} hit, {np.mean(hull):.2f} hulls; {error[~hull].max():.1e} m, normal {turned[~hull].max():.1e}")
    assert error[~hull].max() <= SAME
    assert turned[~hull].max() <= SAME
    if hull.any():
        towards = direction[hull] / np.linalg.norm(direction[hull], axis=1, keepdims=True)
        off = error[hull] * np.abs(np.sum(towards * normal[hull], axis=1)) / scene.model.geom_radius[hits.geom[hull]]
        print(f"    hulls: {error[hull].max():.1e} m, across the face {off.max():.1e} of the radius, normal {np.median(turned[hull]):.1e}")
        assert off.max() <= HULL
        assert np.median(turned[hull]) <= HULL


def test_cutoff_and_excluded_bodies_are_those_of_many_rays_of_mujoco():
    model = mujoco.MjModel.from_xml_string(SHAPES)
    scene = st.load_model(model, dynamics="dynamic")
    see_only(model, scene.model.geom_source_id)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rng = np.random.default_rng(5)
    count, origin = 500, np.array([0.02, -0.01, 0.03])
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    with st.Simulator(scene, batch=2, device="cpu") as sim:
        for body, cutoff in (("box", 1e6), ("wedge", 0.5), ("floor_less", 1.2)):
            excluded = model.body(body).id if body != "floor_less" else -1
            distance, geom = np.zeros(count), np.zeros(count, np.int32)
            mujoco.mj_multiRay(model, data, origin, direction.ravel(), FIRST_GROUP, 1, excluded, geom, distance, None, count, cutoff)
            hits = sim.cast_rays(origin, direction, exclude=() if excluded < 0 else body, cutoff=cutoff)
            assert np.abs(hits.distance - np.where(distance > cutoff, -1, distance)).max() <= SAME
            assert 10 < np.count_nonzero(hits.geom[0] >= 0) < count
            assert np.array_equal(hits.geom[0] < 0, hits.distance[0] == -1)
            assert body not in [scene.model.body_names[scene.model.geom_body[g]] for g in hits.geom[0] if g >= 0]
        everything = sim.cast_rays(origin, direction, exclude=["sphere", 2, sim.body("cylinder"), "ellipsoid", "box", "wedge"])
        assert set(np.unique(everything.geom)) == {-1, sim.geom("floor").id}


def test_a_ray_that_looks_down_on_a_tilted_plane_and_into_a_ball_is_done_by_hand():
    text = """<mujoco><worldbody><geom name="slope" type="plane" size="0 0 1" euler="0 45 0"/>
      <body pos="0 0 3"><freejoint/><geom name="ball" size=".5"/></body></worldbody></mujoco>"""
    down = [0, 0, -2.0]
    with st.Simulator(st.load_model(text, dynamics="dynamic"), batch=2, device="cpu") as sim:
        sim.qpos[1, :3] = [0.3, 0, 3]
        hits = sim.cast_rays([[0, 0, 5], [1, 0, 2], [100, 0, 2], [0, 0, 3], [0, 0, -5]], down)
        assert hits.geom.tolist() == [[1, 0, 0, 1, -1]] * 2
        expected = [[1.5, 3.0, 102.0, 0.5, -1], [5 - 3 - 0.4, 3.0, 102.0, 0.4, -1]]  # z = -x on the slope
        assert np.abs(np.asarray(hits.distance) - expected).max() <= 1e-12
        slope = np.sqrt(0.5) * np.array([1, 0, 1])
        assert np.abs(hits.normal[:, 1:3] - slope).max() <= 1e-12
        assert np.abs(hits.normal[1, 0] - [-0.6, 0, 0.8]).max() <= 1e-12
        assert np.abs(hits.normal[1, 3] - [-0.6, 0, -0.8]).max() <= 1e-12  # from within: outward all the same
        assert (hits.normal[:, 4] == 0).all()


def test_rays_have_the_same_bits_in_any_batch_and_nearly_the_same_values_in_single_precision():
    scene = st.load_model(SHAPES, dynamics="dynamic")
    rng = np.random.default_rng(1)
    qpos = np.tile(scene.model.qpos0, (7, 1)) + rng.normal(size=(7, scene.model.nq)) * 0.02
    origin, direction = rng.normal(size=(2000, 3)) * 0.05, rng.normal(size=(2000, 3))
    found = {}
    for batch, dtype, threads in ((7, "float64", 2), (1, "float64", 1), (7, "float32", 1)):
        with st.Simulator(scene, batch=batch, device="cpu", dtype=dtype, threads=threads) as sim:
            sim.qpos[:] = qpos[-batch:]
            found[batch, dtype] = [np.array(part) for part in sim.cast_rays(origin, direction)]
    for whole, alone, single in zip(found[7, "float64"], found[1, "float64"], found[7, "float32"], strict=True):
        assert (whole[-1] == alone[0]).all()
        assert whole.shape == single.shape
    same = found[7, "float64"][1] == found[7, "float32"][1]
    assert found[7, "float32"][0].dtype == np.float32
    assert np.mean(~same) < GRAZING
    assert np.quantile(np.abs(found[7, "float64"][0] - found[7, "float32"][0])[same], 0.99) < 1e-5


def test_rays_see_written_states_and_sizes_and_leave_the_steps_as_they_are():
    text = '<mujoco><worldbody><geom type="plane" size="9 9 1"/><body pos="0 0 1"><freejoint/><geom name="ball" size=".1"/></body></worldbody></mujoco>'
    ends = []
    for casts in (True, False):
        with st.Simulator(st.load_model(text, dynamics="dynamic", step_size=0.01), batch=2, device="cpu") as sim:
            sim.params.size[1, 1] = 0.25
            sim.qpos[:, 2] = 2.0
            if casts:
                hits = sim.cast_rays([0, 0, 5], [0, 0, -1])
                assert hits.distance.shape == (2, 1)
                assert np.abs(hits.distance[:, 0] - [2.9, 2.75]).max() <= 1e-12
            for _ in range(3):
                sim.step()
                if casts:
                    sim.cast_rays([0, 0, 5], [0, 0, -1])
            ends.append(np.array(sim.qpos))
    assert (ends[0] == ends[1]).all()


def test_what_is_wrong_with_rays_is_said_in_a_line():
    scene = st.load_model(SHAPES, dynamics="dynamic")
    up, here = [0, 0, 1.0], [0, 0, 0.0]
    with st.Simulator(scene, batch=2, device="cpu") as sim:
        for call, message in (
            (lambda: sim.cast_rays([here, here], [up, here]), "direction: that of ray 1 is zero; it may have any other length"),
            (lambda: sim.cast_rays(here, [[up], [here]]), "direction: that of ray 0 of environment 1 is zero; it may have any other length"),
            (lambda: sim.cast_rays(here, [np.nan, 0, 1]), "direction: that of ray 0 is not finite"),
            (lambda: sim.cast_rays([0, np.inf, 0], up), "origin: ray 0 starts at a point that is not finite"),
            (lambda: sim.cast_rays(np.zeros((3, 5, 3)), up), "origin: expected shape (nray, 3) or (2, nray, 3), got (3, 5, 3)"),
            (lambda: sim.cast_rays(np.zeros((4, 3)), np.ones((5, 3))), "origin, direction: shapes (4, 3) and (5, 3) do not have the same number of rays"),
            (lambda: sim.cast_rays("here", up), "origin: expected numbers of shape (nray, 3) or (2, nray, 3)"),
            (lambda: sim.cast_rays(np.zeros((0, 3)), up), "origin: no rays are given; give at least one"),
            (lambda: sim.cast_rays(here, up, exclude="bax"), "body: the model has no body 'bax'; did you mean 'box'?"),
            (lambda: sim.cast_rays(here, up, cutoff=-1), "cutoff: -1.000000 given, must be positive [m]"),
            (lambda: sim.cast_rays(here, up, cutoff="far"), "cutoff: expected a number [m], got str"),
        ):
            with pytest.raises(st.InputError) as error:
                call()
            assert str(error.value) == message
        assert sim.cast_rays(here, np.array([1e-300, 0, 1e-300])).geom.shape == (2, 1)
    with st.Simulator(scene, device="reference") as sim, pytest.raises(st.InputError, match="not on the reference"):
        sim.cast_rays(here, up)
