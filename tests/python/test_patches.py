"""Claims about contact patches as they are read: from a simulator, from a recording, and in the viewer."""

import numpy as np
import pytest
import stiction as st
from recordings import record
from stiction import _core
from stiction.recording import load_recording
from stiction.view.forces import carry_along, patch_forces, patch_resultants
from stiction.view.live import simulate
from stiction.view.play import RecordingSource

MASS, HALF, GRAVITY = 2.0, 0.1, 9.81  # [kg], [m], [m/s²]
CUBE = f"""<mujoco><worldbody>
  <geom name="floor" type="plane" size="5 5 .1" condim="4" friction=".5 .005 0"/>
  <body name="cube" pos=".3 -.2 {HALF}"><freejoint/>
    <geom name="cube" type="box" size="{HALF} {HALF} {HALF}" mass="{MASS}" condim="4" friction=".5 .005 0"/></body>
</worldbody></mujoco>"""
EXACT = 1e-6  # of forces and lengths at a residual of 1e-9
SPEED = 1.0  # of the sliding cube [m/s]
PORT = 8360


def scene_text(geometry):
    return f"""model = "model.xml"
[physics]
dynamics = "dynamic"
law = "coulomb"
cone = "quadratic"
contact = "patch"
geometry = "{geometry}"
[solver]
name = "newton"
tolerance = 1e-9
[step]
step_size = 0.01
duration = 0.05
[initial]
qvel = [{SPEED}, 0, 0, 0, 0, 0]
"""


def scene_folder(folder, geometry="end"):
    (folder / "model.xml").write_text(CUBE)
    (folder / "scene.toml").write_text(scene_text(geometry))
    return folder


@pytest.fixture(params=["start", "end"])
def geometry(request):
    return request.param


@pytest.fixture
def cube(tmp_path, geometry):
    with st.Simulator(scene_folder(tmp_path, geometry), batch=2, device="cpu") as sim:
        yield sim


@pytest.fixture(params=["start", "end"])
def recording(tmp_path, request):
    """5 steps of 2 environments."""
    file = record(scene_folder(tmp_path, request.param), tmp_path / "cube.h5", "--batch", 2, "--record", "contacts")
    with load_recording(file) as opened:
        yield opened


def test_a_resting_cube_has_one_patch_below_its_centre_that_carries_its_weight(cube):
    cube.qvel[:] = 0
    status = cube.step()
    assert (status == st.Status.CONVERGED).all()
    patches = cube.patches
    assert patches.count.tolist() == [1, 1]
    assert cube.model.geom_names == ["floor", "cube"] and patches.geom[:, 0].tolist() == [[0, 1]] * 2
    for env in range(cube.batch):
        assert patches.point[env, 0] == pytest.approx([0.3, -0.2, 0], abs=EXACT)
        assert patches.force[env, 0] == pytest.approx([MASS * GRAVITY, 0, 0], abs=EXACT * MASS * GRAVITY)
        assert patches.frame[env, 0, 0] == pytest.approx([0, 0, 1], abs=EXACT)
        assert patches.torsion[env, 0] == pytest.approx(0, abs=EXACT)
        assert patches.active_faces[env, 0] == 1


def test_friction_of_a_sliding_cube_acts_ahead_of_its_centre(cube, geometry):
    """m a = -μ m g and no rotation: the moment μ m g r of friction is balanced by the weight at μ r ahead of the centre."""
    cube.step()
    point, force = cube.patches.point[0, 0], cube.patches.force[0, 0] @ cube.patches.frame[0, 0]
    assert force == pytest.approx([-0.5 * MASS * GRAVITY, 0, MASS * GRAVITY], abs=EXACT * MASS * GRAVITY)
    centre = cube.qpos[0, 0] if geometry == "end" else 0.3
    assert point == pytest.approx([centre + 0.5 * HALF, -0.2, 0], abs=EXACT)


def test_the_first_step_of_an_environment_is_the_same_wherever_it_stands(tmp_path, geometry):
    """It does not depend on what the thread that takes it has stepped before."""
    with st.Simulator(scene_folder(tmp_path, geometry), batch=4, device="cpu", threads=1) as sim:
        sim.step()
        force = sim.contacts.padded()["force"][0]
        for _ in range(2):
            assert all(np.array_equal(force, other, equal_nan=True) for other in sim.contacts.padded()["force"])
            sim.reset()
            sim.step()


def test_every_patch_array_is_live_and_padded_as_the_list_says(cube):
    arrays = {name: getattr(cube.patches, name) for name, *_ in _core.patch_fields()}
    cube.qpos[1, 2] += 1  # flies: it has no patch
    cube.step()
    padded = cube.patches.padded()
    assert list(padded) == ["count", *arrays] and padded["count"].tolist() == [1, 0]
    for name, shape, _, _ in _core.patch_fields():
        live = arrays[name]
        assert live is getattr(cube.patches, name) and live.shape == (2, cube.max_patches, *shape), name
        assert np.array_equal(live[0, 0], padded[name][0, 0]), name
        assert ((padded[name][1] == -1) | np.isnan(padded[name][1])).all(), name
    with pytest.raises(AttributeError, match="force is what a step leaves"):
        cube.patches.force = 0


def test_a_scene_of_points_has_no_patches():
    with st.Simulator(st.load_model(CUBE, cone="quadratic"), batch=3, device="cpu") as sim:
        sim.step()
        assert sim.max_patches == 0 and sim.patches.count.tolist() == [0, 0, 0]
        padded = sim.patches.padded()
        for name, shape, _, _ in _core.patch_fields():
            assert getattr(sim.patches, name).shape == padded[name].shape == (3, 0, *shape), name


def test_a_recording_has_the_patches_of_every_step(recording):
    assert recording.has_patches
    S, B, P = recording.patch.torsion.shape
    assert (S, B, P) == (6, 2, 1) and recording.patch.count[:].tolist() == [[0, 0]] + [[1, 1]] * 5
    for name, shape, unit, _ in _core.patch_fields():
        column = getattr(recording.patch, name)
        assert (column.shape, column.unit) == ((S, B, P, *shape), unit), name
    assert np.isnan(recording.patch.force[0]).all() and (recording.patch.active_faces[0] == -1).all()
    with recording.replay() as sim:
        for row in range(1, S):
            sim.step()
            for name, padded in sim.patches.padded().items():
                assert np.array_equal(getattr(recording.patch, name)[row], padded, equal_nan=True), (name, row)
    with pytest.raises(AttributeError, match="patches have no array forces; there are geom, point"):
        _ = recording.patch.forces


def test_a_recording_of_points_says_that_it_has_no_patches(gripper_file):
    with load_recording(gripper_file) as points:
        assert not points.has_patches and "patch" not in points.file
        with pytest.raises(st.InputError, match=r'/patch/count was not recorded; .* contact = "patch"'):
            _ = points.patch


def test_the_viewer_draws_a_patch_where_the_step_ends(recording):
    source = RecordingSource(recording)
    frame, patch = source.frame(3), recording.patch
    expected = patch.point[3, :, 0]
    if recording.choices["geometry"] == "start":  # it travels with the cube, which does not turn
        expected = expected + recording.qpos[3, :, :3] - recording.qpos[2, :, :3]
    assert frame.patches.point == pytest.approx(expected, abs=EXACT)
    assert frame.patches.env.tolist() == [0, 1] and frame.patches.geom.tolist() == [[0, 1]] * 2
    assert frame.patches.local() == pytest.approx(patch.force[3, :, 0], abs=EXACT)
    sums = patch_resultants(frame.contacts)  # the same, from the points of the patch
    assert frame.resultants().point == pytest.approx(sums.point, abs=EXACT)
    assert frame.resultants().force == pytest.approx(sums.force, abs=EXACT * MASS * GRAVITY)
    assert len(source.frame(0).patches) == 0


def test_the_page_has_a_dot_and_an_arrow_at_every_equivalent_contact_point(recording):
    pytest.importorskip("viser", reason="no viser: requirements/look.txt")
    from stiction.view.page import Page, start_server

    server = start_server("127.0.0.1", PORT)
    try:
        page = Page(server, RecordingSource(recording))
        page.go_to(3)
        drawing, patches = page.drawing, page.source.frame(3).patches
        expected = patches.point + drawing.offsets[patches.env]
        for instances in (drawing._ecps, drawing._shafts):
            handle = instances._handle
            assert handle.batched_positions[:2] == pytest.approx(expected, abs=1e-6)  # single precision
            shown = (handle.batched_scales > 0).all(axis=1)
            assert np.flatnonzero(shown).tolist() == [0, 1]
        page.go_to(0)  # the start has none
        assert not drawing._ecps._handle.batched_scales.any()
    finally:
        server.stop()


def test_a_simulation_shows_the_patches_of_its_last_step(tmp_path, geometry):
    source = simulate(str(scene_folder(tmp_path, geometry)), 2)
    before = source.sim.body_pose.copy()
    frame = source.step()
    p = source.sim.patches
    expected = patch_forces(p.count, p.geom, p.point, p.frame, p.force, np.array([0, 1]))
    if geometry == "start":
        expected = carry_along(
            expected, before, source.sim.body_pose, source.model.geom_bodyid, np.array([False, True])
        )
    assert np.array_equal(frame.patches.point, expected.point) and np.array_equal(frame.patches.force, expected.force)
    on_floor = frame.contacts.position[:, 2]
    assert on_floor == pytest.approx(0, abs=EXACT) and len(on_floor) == source.sim.contacts.count.sum()
