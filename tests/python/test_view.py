"""The page in the browser: sources, the controls in a real browser, and how often it is updated."""

import io
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from types import SimpleNamespace

import matplotlib.image
import numpy as np
import pytest
from recordings import ENVIRONMENT, ROOT, record

mujoco = pytest.importorskip("mujoco", reason="no mujoco: requirements/look.txt")
viser = pytest.importorskip("viser", reason="no viser: requirements/look.txt")

from browser import SLOW, browse  # noqa: E402
from fake_simulator import GEOMS, MODEL, STEP, FakeSimulator  # noqa: E402
from stiction.errors import InputError  # noqa: E402
from stiction.recording import load_recording  # noqa: E402
from stiction.view.geometry import handled_bodies, loose_bodies  # noqa: E402
from stiction.view.live import LiveSource, ctrl_ranges, simulate  # noqa: E402
from stiction.view.page import PAUSE, Page, start_server  # noqa: E402
from stiction.view.play import RecordingSource  # noqa: E402

EXACT = 1e-9
UPDATES = 60  # two seconds at the pace of the loop
PORT = 8350
PANEL = 330  # width of the controls [pixels]


@pytest.fixture
def server():
    server = start_server("127.0.0.1", PORT)
    yield server
    server.stop()


def address(server):
    return f"http://127.0.0.1:{server.get_port()}"


def running(page):
    """The page's loop in a thread; returns what ends it."""
    stop = threading.Event()
    thread = threading.Thread(target=page.run, args=(stop,))
    thread.start()

    def end():
        stop.set()
        thread.join()

    return end


def until(holds, seconds=SLOW / 1000):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def test_frames_of_a_recording_hold_its_poses_and_loaded_contacts(stack_file):
    with load_recording(stack_file) as recording:
        source = RecordingSource(recording, [1])
        frame = source.frame(5)
        cube = source.model.body("cubes/cube_0").id
        assert frame.body_pose.shape == (1, source.model.nbody, 7) and source.env_ids == [1]
        assert frame.body_pose[0, cube] == pytest.approx(recording.qpos[5, 1, 9:16], abs=EXACT)
        names = {tuple(source.model.geom(g).name for g in pair) for pair in frame.contacts.geom}
        assert names == {("table", "cubes/cube_0")}
        weight = source.model.body_mass[cube] * 9.81
        assert frame.contacts.force[:, 0].sum() == pytest.approx(weight, rel=1e-3)
        assert len(source.frame(0).contacts) == 0 and source.row_at(0.55) == 5


def test_contacts_are_drawn_where_the_step_ends(gripper_file):
    """The fingers carry the ball; the recorded point is where the step began."""
    with load_recording(gripper_file) as recording:
        source = RecordingSource(recording, [0])
        row = 1 + int(np.abs(np.diff(recording.qpos[:, 0], axis=0)).max(axis=1).argmax())
        before, frame = source.frame(row - 1).body_pose[0], source.frame(row)
        finger = np.array([source.model.geom(pair[1]).name.startswith("finger") for pair in frame.contacts.geom])
        drawn = frame.contacts.position - recording.contact.position[row, 0, : len(finger)]
        body = source.model.geom_bodyid[frame.contacts.geom[:, 1]]
        shift = frame.body_pose[0, body, :3] - before[body, :3]
        assert finger.sum() == 2 and np.linalg.norm(shift[finger], axis=1).min() > 1e-4
        assert drawn[finger] == pytest.approx(shift[finger], abs=EXACT)  # fingers do not turn


def test_environments_that_are_not_there_are_named(gripper_file):
    with load_recording(gripper_file) as recording:
        for envs, words in (([3], "environment 3 is not there"), ([1, 1], "different"), ([], "at least one")):
            with pytest.raises(InputError, match=words):
                RecordingSource(recording, envs)


def test_frames_of_a_recording_have_what_a_table_moves_and_the_friction_that_was_drawn(moved_file):
    with load_recording(moved_file) as recording:
        source = RecordingSource(recording, [2, 0])
        frame, lid = source.frame(5), source.model.body("lid").id
        assert frame.body_pose[:, lid] == pytest.approx(recording.mocap_pose[5][[2, 0], 0], abs=EXACT)
        assert not np.allclose(frame.body_pose[:, lid], source.frame(10).body_pose[:, lid])
        drawn = recording.geom_friction[[2, 0], :, 0]
        assert drawn[0, 0] != drawn[1, 0] and np.array_equal(frame.friction, drawn)  # here all geoms can touch


def test_cones_are_as_wide_as_the_friction_of_each_environment(server, moved_file):
    with load_recording(moved_file) as recording:
        page = Page(server, RecordingSource(recording))
        page.go_to(5)
        height, *widths = np.asarray(page.drawing._cones._handle.batched_scales)[:3].astype(float).T
        for width in widths:  # of the balls' cones, one an environment
            assert width / height == pytest.approx(recording.geom_friction[:, 0, 0], rel=1e-6)


@pytest.fixture
def live():
    return LiveSource(FakeSimulator(3), mujoco.MjModel.from_xml_string(MODEL), GEOMS, step_size=STEP, num_envs=2)


def test_a_live_source_follows_the_knots_until_a_command_is_dragged(live):
    frame = live.step()
    assert frame.time == STEP and frame.body_pose[:, 1, 0] == pytest.approx([0.02, 0.02])
    assert frame.friction is None
    live.sim.params = SimpleNamespace(friction=np.full((3, 2, 3), [[[0.1]], [[0.2]], [[0.3]]]))  # (batch, ngeom, 3)
    assert live.step().friction.tolist() == [[0.1, 1.0, 0.1], [0.2, 1.0, 0.2]]  # the slider can not touch: the model's
    del live.sim.params
    assert len(frame.contacts) == 2 and frame.contacts.geom.tolist() == [[0, 2]] * 2  # the box is MuJoCo's geom 2
    live.command(0, -0.3)
    for _ in range(2):
        frame = live.step()
    assert frame.body_pose[:, 1, 0] == pytest.approx([-0.3, -0.3]) and live.commands().tolist() == [-0.3]
    assert live.reset().time == 0 and live.step().body_pose[0, 1, 0] == pytest.approx(0.02)


def test_a_simulation_shows_what_the_simulator_does():
    source = simulate("scenes/gripper2d", 2)
    for _ in range(20):
        frame = source.step()
    assert (frame.status == 1).all() and np.array_equal(frame.body_pose, source.sim.body_pose)
    assert len(frame.contacts.force) == source.sim.contacts.count.sum() > 0
    source.command(0, float(source.commands()[0]))  # dragged to where it is: it stays there
    held = source.commands().copy()
    for _ in range(5):
        source.step()
    assert np.array_equal(source.sim.ctrl[0], held)
    source.reset()
    assert np.array_equal(source.now().body_pose, source.sim.body_pose) and source.sim.time.max() == 0


def test_a_scene_is_simulated_with_its_own_model_and_choices(monkeypatch):
    import stiction

    model = SimpleNamespace(xml=MODEL, geom_names=GEOMS)
    scene = SimpleNamespace(name="slide", model=model, cone="pyramid", facets=3, geometry="start", step_size=STEP, duration=1.0, variants=[])
    monkeypatch.setattr(stiction, "load_scene", lambda path: scene, raising=False)
    monkeypatch.setattr(stiction, "Simulator", lambda scene, batch: FakeSimulator(batch), raising=False)
    source = simulate("scenes/slide", 4)
    assert source.env_ids == [0, 1, 2, 3] and source.cone_sides == 3 and source.title == "slide, h = 0.05 s"
    with pytest.raises(InputError, match="--batch 0"):
        simulate("scenes/slide", 0)


def test_files_that_the_model_names_are_found_or_asked_for(tmp_path):
    scene = tmp_path / "moved"
    shutil.copytree(ROOT / "tests/scene/valid/urdf", scene)
    file = record(scene, tmp_path / "urdf.h5", "--duration", 0.1)
    with load_recording(file) as recording:
        assert RecordingSource(recording).model.nmesh == 1
        scene.rename(tmp_path / "elsewhere")
        with pytest.raises(InputError, match=r"needs the file .*wedge\.obj; say with --assets"):
            RecordingSource(recording)
        assert RecordingSource(recording, assets=tmp_path / "elsewhere").model.nmesh == 1


def test_command_sliders_span_the_joints_range(live):
    assert ctrl_ranges(live.model).tolist() == [[-0.5, 0.5]]


def test_a_step_leaves_the_slider_that_is_being_dragged(server, live):
    page = Page(server, live)
    slider = page._commands.sliders[0]
    for _ in range(2):
        page.step()
        assert slider.value == live.commands()[0] > 0  # the scene's knots
    slider._impl.value = -0.5  # the browser's message; the page has not been called yet
    page.step()
    assert slider.value == -0.5


def test_dragging_and_playing_a_simulation_in_a_real_browser(server, live):
    page = Page(server, live)
    end = running(page)
    try:
        with browse(address(server)) as tab:
            tab.get_by_role("button", name="Play").click()
            assert until(lambda: page._frame.time > 4 * STEP)
            slider = tab.get_by_role("slider").first  # the command, above those of the drawing
            slider.focus()
            slider.press("Home")
            assert until(lambda: live.commands()[0] == -0.5)
            assert until(lambda: page._frame.body_pose[0, 1, 0] == -0.5)
            tab.get_by_role("button", name="Pause").click()
            assert until(lambda: not page.playing)
            tab.get_by_role("button", name="Reset").click()
            assert until(lambda: page._frame.time == 0)
    finally:
        end()


def test_a_command_that_arrives_while_its_slider_is_being_moved_is_kept(server, live, monkeypatch):
    """As on a busy machine: long between viser's check of a slider and its new value, and before a callback begins."""
    queue, submit = server.gui._websock_interface.queue_message, server.gui._thread_executor.submit

    def slow_queue(message):
        queue(message)
        if "value" in getattr(message, "updates", {}):
            time.sleep(0.05)

    def slow_submit(callback, *args):
        return submit(lambda: (time.sleep(0.1), callback(*args)))

    monkeypatch.setattr(server.gui._websock_interface, "queue_message", slow_queue)
    monkeypatch.setattr(server.gui._thread_executor, "submit", slow_submit)
    live.sim.rise = 1e-4  # so that the slider moves all the time
    page = Page(server, live)
    end = running(page)
    try:
        with browse(address(server)) as tab:
            page.play(True)
            assert until(lambda: page._frame.time > 4 * STEP)
            slider = tab.get_by_role("slider").first
            slider.focus()
            slider.press("Home")
            assert until(lambda: live.commands()[0] == -0.5)
    finally:
        end()


def colors(tab):
    """(height, width, 3) of the drawing, without the panel at the right and the message at the top."""
    picture = matplotlib.image.imread(io.BytesIO(tab.screenshot()), format="png")
    return (255 * picture[200:, : tab.viewport_size["width"] - PANEL, :3]).astype(int)


def test_a_recording_is_drawn_and_played_in_a_real_browser(server, stack_file):
    with load_recording(stack_file) as recording:
        page = Page(server, RecordingSource(recording, [0]))
        page.loop = False
        end = running(page)
        try:
            with browse(address(server)) as tab:
                tab.get_by_text("t = 0.000 s").wait_for()

                def orange():  # the rings of the arm
                    red, green, blue = np.moveaxis(colors(tab), -1, 0)
                    return int(((red > 180) & (green - blue > 40) & (red - green > 50)).sum())

                assert until(lambda: orange() > 60), orange()
                tab.keyboard.press("Space")
                assert until(lambda: page.row == recording.rows - 1)
                tab.get_by_text("t = 5.000 s").wait_for()
                assert until(lambda: not page.playing)
                tab.keyboard.press("ArrowLeft")
                tab.get_by_text("t = 4.900 s").wait_for()
        finally:
            end()


def test_a_recording_begins_again_after_a_pause_at_its_end(server, gripper_file):
    with load_recording(gripper_file) as recording:
        page = Page(server, RecordingSource(recording, [0]))
        page.play(True)
        page.advance(10.0)
        assert page.row == recording.rows - 1 and page.advance(0.5 * PAUSE) == 0.5 * PAUSE
        assert page.advance(PAUSE) == 0 and page.row == 0 and page.playing
        page.loop = False
        page.advance(10.0)
        page.advance(PAUSE)
        assert page.row == recording.rows - 1 and not page.playing


def test_a_simulation_begins_again_at_the_end_of_its_scene_unless_it_is_commanded(server, live):
    live._duration = 2 * STEP
    page = Page(server, live)
    page.play(True)
    for _ in range(2):
        page.advance(STEP)
    assert page._frame.time == 2 * STEP and page.advance(0.5 * PAUSE) == 0.5 * PAUSE
    assert page.advance(PAUSE) == 0 and page._frame.time == 0 and page.playing
    live.command(0, -0.3)
    for _ in range(3):
        page.advance(STEP)
    assert page._frame.time == 3 * STEP


ROBOT_AND_CUBE = """<mujoco><worldbody>
  <body name="robot" pos="0 0 1"><freejoint/><geom size=".1"/><body name="arm"><joint/><geom size=".1" pos=".2 0 0"/></body></body>
  <body name="cube" pos="1 0 1"><freejoint/><geom name="cube" size=".1"/><body name="face"><geom size=".01" pos="0 0 .1"/></body></body>
</worldbody></mujoco>"""


def test_a_robot_without_actuators_is_opaque_and_a_cube_is_half_clear():
    model = mujoco.MjModel.from_xml_string(ROBOT_AND_CUBE)
    assert loose_bodies(model).tolist() == [False, True, True, True, True]
    clear = handled_bodies(model)
    assert {model.body(b).name for b in range(model.nbody) if clear[b]} == {"cube", "face"}


def test_checkboxes_take_arrows_and_cones_away(server, gripper_file):
    with load_recording(gripper_file) as recording:
        page = Page(server, RecordingSource(recording, [0]))
        page.go_to(10)

        def heights(name):
            handle = getattr(page.drawing, name)._handle
            return np.asarray(handle.batched_scales)[:, 0]

        assert (heights("_shafts") > 0).any() and (heights("_cones") > 0).any() and (heights("_points") > 0).sum() == 3
        for name, instances in (("show_forces", "_shafts"), ("show_cones", "_cones"), ("show_points", "_points")):
            page._set(name, False)
            page.publish()
            assert not (heights(instances) > 0).any()


def test_updates_of_256_environments_reach_a_client(server, tmp_path):
    """Whole, one after the other, to a client that takes every message. How fast is printed (pytest -s), not judged."""
    options = ("--batch", 256, "--record", "contacts", "--duration", 0.4, "--step-size", 0.01)
    with load_recording(record("scenes/iiwa_stack", tmp_path / "many.h5", *options)) as recording:
        page = Page(server, RecordingSource(recording))
        client = subprocess.Popen([sys.executable, ROOT / "tests/python/count_updates.py", str(server.get_port()), str(UPDATES)],
                                  stdout=subprocess.PIPE, text=True)
        row = 0
        while client.poll() is None:
            now = time.monotonic()
            row = row % (recording.rows - 1) + 1
            page.go_to(row)
            time.sleep(max(1 / 30 - (time.monotonic() - now), 0))
        assert client.returncode == 0 and page.updates >= UPDATES
        print(f"{float(client.stdout.read()):.1f} updates/s received")


def listening(port):
    """Addresses, as the kernel writes them, that listen on a port."""
    text = "".join(pathlib.Path(file).read_text() for file in ("/proc/net/tcp", "/proc/net/tcp6"))
    return set(re.findall(rf"^\s*\d+: ([0-9A-F]+):{port:04X} [0-9A-F:]+ 0A", text, re.MULTILINE))


def test_the_command_serves_the_page_on_the_loopback_address_only(gripper_file):
    command = [sys.executable, "-u", "-m", "stiction", "view", gripper_file, "--port", str(PORT + 20), "--envs", "0,2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    try:
        line = next(line for line in process.stdout if line.startswith("stiction: "))
        url = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        with urllib.request.urlopen(url[0], timeout=20) as answer:
            assert b"<html" in answer.read()
        assert listening(int(url[1])) == {"0100007F"}
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0
    finally:
        process.kill()
        process.communicate()
