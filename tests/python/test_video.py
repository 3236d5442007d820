"""Films through MuJoCo's renderer."""

import numpy as np
import pytest
from recordings import record

mujoco = pytest.importorskip("mujoco", reason="no mujoco: requirements/look.txt")
ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="no imageio-ffmpeg: requirements/look.txt")

from stiction.errors import InputError  # noqa: E402
from stiction.recording import load_recording  # noqa: E402
from stiction.renderer import platform  # noqa: E402
from stiction.stage import TANGENT, spread  # noqa: E402
from stiction.video import _Motion, render, write_video  # noqa: E402

SMALL = (96, 64)
CLOSE = 1e-9


@pytest.fixture(autouse=True)
def renders():
    try:
        platform()
    except InputError as error:
        pytest.skip(str(error))


@pytest.fixture
def stack(stack_file):
    with load_recording(stack_file) as recording:
        yield recording


@pytest.fixture
def gripper(gripper_file):
    with load_recording(gripper_file) as recording:
        yield recording


def test_a_film_has_the_asked_frames_and_size(gripper, tmp_path):
    file = tmp_path / "film.mp4"
    assert write_video(gripper, file, fps=20, size=SMALL) == 8  # 0.35 s and the start
    film = ffmpeg.read_frames(str(file))
    facts = next(film)
    pictures = [np.frombuffer(frame, dtype=np.uint8).reshape(SMALL[1], SMALL[0], 3) for frame in film]
    assert facts["size"] == SMALL and facts["fps"] == 20 and len(pictures) == 8
    assert np.ptp(pictures[0]) > 50 and np.abs(pictures[0].astype(int) - pictures[-1]).max() > 50


def test_a_faster_film_is_shorter(gripper, tmp_path):
    assert write_video(gripper, tmp_path / "film.mp4", fps=20, speed=3.5, size=SMALL) == 3


def test_between_rows_the_motion_is_uniform(stack):
    model = mujoco.MjModel.from_xml_string(stack.model_xml)
    motion, qpos = _Motion(model, stack, 1), stack.qpos[:, 1]
    for row in (0, 7, stack.rows - 1):
        assert motion.at(stack.time[row]) == pytest.approx(qpos[row], abs=CLOSE)
    middle = motion.at((stack.time[20] + stack.time[21]) / 2)
    assert middle[:12] == pytest.approx((qpos[20, :12] + qpos[21, :12]) / 2, abs=CLOSE)  # joints and the cube's place
    assert np.linalg.norm(middle[12:16]) == pytest.approx(1)


def test_between_rows_a_table_moves_and_turns_a_body_uniformly(moved_file):
    with load_recording(moved_file) as recording:
        model = mujoco.MjModel.from_xml_string(recording.model_xml)
        motion = _Motion(model, recording, 1)
        position, quat = motion.mocap_at(recording.time[4])
        assert np.hstack([position[0], quat[0]]) == pytest.approx(recording.mocap_pose[4, 1, 0], abs=CLOSE)
        position, quat = motion.mocap_at(0.025)
        assert position[0] == pytest.approx([0.125, 0, 0.55], abs=CLOSE)
        (w, x), (w_2, x_2), (w_3, x_3) = quat[0, :2], *recording.mocap_pose[2:4, 1, 0, 3:5]
        assert np.arctan2(x, w) == pytest.approx((np.arctan2(x_2, w_2) + np.arctan2(x_3, w_3)) / 2, abs=CLOSE)


def test_a_film_shows_what_a_table_moves(moved_file):
    with load_recording(moved_file) as recording:
        first, last = (picture.astype(int) for picture in render(recording, [0.0, 0.1], size=SMALL))
    reds = [(picture[..., 0] > 2 * picture[..., 1]).nonzero()[1] for picture in (first, last)]
    assert all(len(columns) > 20 for columns in reds) and reds[1].mean() > reds[0].mean() + 5  # 0.5 m to the right


def test_a_model_without_sky_and_light_has_a_stage(moved_file):
    """A sky above, ground to the horizon below, and shadows with soft edges, where MuJoCo draws black."""
    with load_recording(moved_file) as recording:
        camera = mujoco.MjvCamera()
        camera.lookat[:], camera.distance, camera.azimuth, camera.elevation = (0, 0, 0.3), 6, 90, -12
        picture = next(render(recording, [0.0], size=(320, 240), camera=camera)).astype(int)
    red, _, blue = picture[:20].mean(axis=(0, 1))
    assert blue > red + 5 and 120 < red < 250  # sky
    ground = picture[200:].mean(axis=2)
    assert 80 < np.median(ground) < 250 and len(np.unique(picture[130:220].mean(axis=2).astype(int))) > 12


def test_the_light_of_a_sun_is_spread_around_its_direction():
    sun = np.array([-0.45, 0.6, -1.0]) / np.linalg.norm([-0.45, 0.6, -1.0])
    assert spread(sun, 1) == pytest.approx(sun[None])
    directions = spread(sun, 7)
    assert np.linalg.norm(directions, axis=1) == pytest.approx(np.ones(7))
    tangents = np.tan(np.arccos(np.clip(directions @ sun, -1, 1)))
    assert 0.9 * TANGENT < tangents.max() <= TANGENT and np.ptp(tangents) > 0.5 * TANGENT
    assert directions.mean(axis=0) == pytest.approx(sun, abs=0.2 * TANGENT)


def test_forces_appear_as_red_arrows_inside_yellow_cones(stack):
    def are(picture, strong, weak):
        strong, weak = (picture[..., list(channels)].astype(int) for channels in (strong, weak))
        return strong.min(axis=-1) > 1.6 * weak.max(axis=-1)

    times, size = [4.5], (320, 240)
    without, with_forces = (next(render(stack, times, size=size, forces=forces)) for forces in (False, True))
    assert without.shape == (240, 320, 3)
    for name, strong, weak in (("red", (0,), (1, 2)), ("yellow", (0, 1), (2,))):
        assert (are(with_forces, strong, weak) & ~are(without, strong, weak)).sum() > 20, name


def test_forces_need_recorded_contacts(tmp_path):
    file = record("scenes/gripper2d", tmp_path / "bare.h5", "--duration", 0.05)
    with load_recording(file) as recording, pytest.raises(InputError, match="--forces needs recorded contacts"):
        next(render(recording, [0.0], forces=True))


def test_a_camera_may_move_between_pictures(gripper):
    camera = mujoco.MjvCamera()
    camera.lookat[:], camera.distance, camera.elevation = (0, 0, 0.17), 1, -12

    def turning():
        for camera.azimuth in (60, 120):
            yield 0.0

    first, second = render(gripper, turning(), size=SMALL, camera=camera)
    assert not np.array_equal(first, second)


def test_cameras_of_the_model_are_found_by_name(stack):
    overview, side = (next(render(stack, [0.0], size=SMALL, camera=name)) for name in ("overview", "side"))
    first = next(render(stack, [0.0], size=SMALL))
    assert np.array_equal(overview, first) and not np.array_equal(overview, side)
    with pytest.raises(InputError, match="camera top is not in the model; it has overview, side"):
        next(render(stack, [0.0], camera="top"))


@pytest.mark.parametrize(
    "words, options", [("fps 0: more than 0", {"fps": 0}), ("speed nan: more than 0", {"speed": np.nan}),
                       ("31 x 64 pixels: even", {"size": (31, 64)}), ("environment 9 is not there", {"env": 9})])
def test_bad_input_is_one_line_and_leaves_no_file(gripper, tmp_path, words, options):
    with pytest.raises(InputError, match=words) as error:
        write_video(gripper, tmp_path / "film.mp4", **options)
    assert "\n" not in str(error.value) and not (tmp_path / "film.mp4").exists()


def test_a_folder_that_is_not_there_is_made(gripper, tmp_path):
    write_video(gripper, tmp_path / "no" / "film.mp4", fps=5, size=(64, 64))
    assert (tmp_path / "no" / "film.mp4").stat().st_size > 0
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"the folder .*file cannot be made"):
        write_video(gripper, tmp_path / "file" / "film.mp4")
