"""What `run` prints, which values win, and when environments count as failed."""

import os
import pty
import re
import resource
import subprocess

import h5py
import numpy as np
import pytest
from stiction_program import BINARY, assert_one_line

FIGURES = [
    "environment-steps/s", "simulated seconds/s", "processor time, mean", "contacts, mean", "rows, mean", "iterations, mean", "residual, worst",
    "steps converged", "penetration, largest", "hover, largest", "environments failed",
]  # fmt: skip


def test_prints_every_figure_and_no_progress_off_a_terminal(stiction, scene):
    run = stiction("run", scene, "--batch", 3)
    assert run.returncode == 0 and run.stderr == ""
    assert [name for name in FIGURES if name not in run.stdout] == []
    assert "push: dynamics quasidynamic, law anitescu, cone pyramid of 4 facets, step 0.02 s (model: 0.002, not used)\n3 environments of 7 dofs, 10 steps, on cpu" in run.stdout


def test_quiet_prints_nothing(stiction, scene):
    run = stiction("run", scene, "--quiet")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_one_line_says_that_patches_have_no_torsion(stiction, scene):
    run = stiction("run", scene, "--law", "patch")
    assert run.returncode == 0 and run.stderr == (
        "stiction: warning: world/floor and box/box: a patch has no torsional friction (condim 3), so nothing resists a turn "
        "about its normal: use --torsion-radius uniform, or condim 4 in the model\n")  # fmt: skip
    assert stiction("run", scene, "--law", "patch", "--torsion-radius", "uniform").stderr == ""
    assert stiction("run", scene, "--law", "frictionless", "--contact", "patch").stderr == ""
    model = scene / "model.xml"
    model.write_text(model.read_text().replace('type="box"', 'type="sphere"'))
    assert stiction("run", scene, "--law", "patch").stderr == ""  # touches in a point


@pytest.mark.parametrize("dynamics", ["dynamic", "dynamic_fitted"])
def test_one_line_says_where_anitescus_law_throws_up_what_is_set_sliding(stiction, scene, dynamics):
    run = stiction("run", scene, "--dynamics", dynamics)
    assert run.returncode == 0 and run.stderr.count("\n") == 1
    assert run.stderr.startswith("stiction: warning: world/floor and box/box: ")
    assert "about 0.28 v" in run.stderr and "mu 0.3" in run.stderr and f"dynamics {dynamics}" in run.stderr
    assert run.stderr.endswith("use --law coulomb where that matters\n")


def test_the_pair_that_is_thrown_most_is_named(stiction, scene):
    model = (scene / "model.xml").read_text()
    slippery = model.replace('<geom name="floor"', '<geom name="floor" friction="0" priority="1"')
    (scene / "model.xml").write_text(slippery)
    assert "warning: pusher/pusher and box/box: " in stiction("run", scene, "--dynamics", "dynamic").stderr


def test_nothing_is_said_of_throws_without_momentum_friction_or_anitescus_law(stiction, scene):
    for dynamics in ("quasistatic", "quasidynamic", "kinematic"):
        assert stiction("run", scene, "--dynamics", dynamics).stderr == ""
    for options in (["--law", "coulomb"], ["--law", "frictionless"], ["--quiet"]):
        assert stiction("run", scene, "--dynamics", "dynamic", *options).stderr == ""
    model = scene / "model.xml"
    rough = model.read_text()
    for smooth in (rough.replace('friction=".3"', 'friction="0"'), rough.replace('friction=".3"', 'condim="1"')):
        model.write_text(smooth)
        assert stiction("run", scene, "--dynamics", "dynamic").stderr == ""


def test_takes_a_folder_a_scene_file_and_a_bare_model(stiction, scene):
    for path in (scene, scene / "scene.toml", scene / "model.xml"):
        assert stiction("run", path, "--duration", "0.1").returncode == 0


def test_command_line_wins_over_the_scene(stiction, scene, tmp_path):
    out = tmp_path / "a.h5"
    run = stiction("run", scene, "--out", out, "--step-size", 0.05, "--duration", 0.15, "--facets", 6, "--seed", 11,
                   "--dynamics", "quasistatic", "--max-contacts", 9, "--record", "contacts", "--allow-failures", 1)  # fmt: skip
    assert run.returncode == 0, run.stderr
    with h5py.File(out) as file:
        wins = {key: file.attrs[key] for key in ("step_size", "duration", "facets", "seed", "dynamics")}
        assert wins == {"step_size": 0.05, "duration": 0.15, "facets": 6, "seed": 11, "dynamics": "quasistatic"}
        assert file.attrs["tolerance"] == 1e-6  # of the scene
        assert file["contact/gap"].shape == (4, 1, 9)
        np.testing.assert_allclose(file["time"], [0, 0.05, 0.1, 0.15], rtol=1e-15)


@pytest.mark.parametrize("options", [("--preset", "ecp"), ("--dynamics", "dynamic", "--law", "patch", "--rotation", "linear")])
def test_options_choose_how_contacts_are_read(stiction, scene, tmp_path, options):
    out = tmp_path / "a.h5"
    run = stiction("run", scene, "--out", out, "--duration", 0.02, "--torsion-radius", "uniform", *options)
    assert run.returncode == 0, run.stderr
    chosen = {"dynamics": "dynamic", "law": "coulomb", "cone": "quadratic", "contact": "patch", "geometry": "end",
              "rotation": "linear", "torsion_radius": "uniform"}  # fmt: skip
    with h5py.File(out) as file:
        assert {key: file.attrs[key] for key in chosen} == chosen
        assert file.attrs["tolerance"] == 1e-6  # of the scene


def test_seed_chooses_the_start(stiction, scene, tmp_path):
    def start(*arguments):
        out = tmp_path / "a.h5"
        assert stiction("run", scene, "--batch", 4, "--duration", 0, "--out", out, *arguments).returncode == 0
        with h5py.File(out) as file:
            return file["qpos"][0]

    assert (start() == start("--seed", 3)).all()
    assert (start() != start("--seed", 4)).any()
    assert len(np.unique(start()[:, 7])) == 4


def test_duration_that_is_no_multiple_is_rounded_up_and_said(stiction, scene):
    run = stiction("run", scene, "--duration", 0.05)
    assert run.returncode == 0
    assert "3 steps, on cpu" in run.stdout and "no multiple" in run.stdout and "0.06 s" in run.stdout


def test_same_bits_for_any_number_of_threads(stiction, scene, tmp_path):
    for threads in (1, 2):
        run = stiction("run", scene, "--batch", 5, "--threads", threads, "--out", tmp_path / f"{threads}.h5")
        assert run.returncode == 0
    with h5py.File(tmp_path / "1.h5") as one, h5py.File(tmp_path / "2.h5") as two:
        assert (one["qpos"][:] == two["qpos"][:]).all() and (one["residual"][1:] == two["residual"][1:]).all()


CHANNEL = """
<mujoco model="channel">
  <option gravity="0 0 0"/>
  <worldbody>
    <geom name="left" type="box" size=".1 1 .5" pos="-.175 0 -.5"/>
    <geom name="right" type="box" size=".1 1 .5" pos=".175 0 -.5"/>
    <body name="ball">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="z" type="slide" axis="0 0 1"/>
      <geom name="ball" type="sphere" size=".1" mass="1"/>
    </body>
  </worldbody>
</mujoco>
"""
CHANNEL_SCENE = """
model = "model.xml"
[physics]
dynamics = "quasidynamic"
law = "anitescu"
cone = "pyramid"
[step]
step_size = 0.01
duration = 0.03
[initial]
qpos = [0.0, 0.1]
[randomize]
seed = 1
qpos_noise = { z = [0.4] }
"""
INFEASIBLE = 1 << 4


@pytest.fixture
def channel(tmp_path):
    """A ball of 20 cm, at a random height, in and above a channel that is 15 cm wide: some start stuck in it."""
    folder = tmp_path / "channel"
    folder.mkdir()
    (folder / "model.xml").write_text(CHANNEL)
    (folder / "scene.toml").write_text(CHANNEL_SCENE)
    return folder


def test_failed_environments_are_counted_named_and_explained(stiction, channel, tmp_path):
    out = tmp_path / "a.h5"
    run = stiction("run", channel, "--batch", 32, "--out", out)
    assert_one_line(run, 3)
    with h5py.File(out) as file:
        failed = np.flatnonzero((file["status"][:] & INFEASIBLE).any(axis=0))
    assert 2 <= len(failed) <= 30
    assert f"{len(failed)} of 32 environments failed: {failed[0]} (infeasible" in run.stderr
    assert "; infeasible: no motion separates" in run.stderr
    first = run.stderr.split(f"failed: {failed[0]} (")[1].split(")")[0]
    assert re.fullmatch(r"infeasible.*: (ball/ball and world/\w+|world/\w+ and ball/ball) overlap by [\d.]+ mm after step \d", first), first
    assert f"{'environments failed':<28}{len(failed)}\n" in run.stdout
    allowed = stiction("run", channel, "--batch", 32, "--allow-failures", len(failed))
    assert allowed.returncode == 0 and allowed.stderr == ""
    assert stiction("run", channel, "--batch", 32, "--allow-failures", len(failed) - 1, "--quiet").returncode == 3


def test_hover_above_the_stated_length_is_warned_about(stiction, scene):
    text = (scene / "scene.toml").read_text().replace("[physics]", "[physics]\nhover_warning = 1e-4")
    (scene / "scene.toml").write_text(text)
    run = stiction("run", scene)
    assert run.returncode == 0 and "warning: " in run.stdout and "warned above 0.1 mm" in run.stdout
    (scene / "scene.toml").write_text(text.replace("1e-4", "1.0"))
    assert "warning: " not in stiction("run", scene).stdout


def test_batch_beyond_the_memory_says_how_many_fit(stiction, scene):
    run = stiction("run", scene, "--batch", 2_000_000_000)
    assert_one_line(run, 1)
    assert "out of memory" in run.stderr and " fit" in run.stderr


def test_a_limit_of_the_process_says_how_many_fit_too(stiction, scene):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    run = stiction("run", scene, "--batch", 2_000_000, "--threads", 1, preexec_fn=limit)
    assert_one_line(run, 1)
    assert 0 < int(re.search(r"; (\d+) fit$", run.stderr).group(1)) < 2_000_000


def test_progress_is_shown_on_a_terminal(scene):
    terminal, other_end = pty.openpty()
    command = [BINARY, "run", scene, "--batch", "4", "--duration", "20", "--allow-failures", "4"]
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=other_end, check=False)
    os.close(other_end)
    shown = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert run.returncode == 0
    last = shown.rstrip().split("\r")[-1]
    assert re.match(r"\[#{24}\] 1000/1000 steps  t 20\.000 s  \d+ env-steps/s  \d failed", last)
    assert "\n" not in shown.rstrip()


def test_what_has_no_solution_stays_where_the_command_line_says_so(stiction, channel, tmp_path):
    out = tmp_path / "a.h5"
    assert_one_line(stiction("run", channel, "--batch", 8, "--infeasible", "keep", "--out", out), 3)
    with h5py.File(out) as file:
        stuck = (file["status"][1:] & INFEASIBLE).all(axis=0)
        assert 1 <= stuck.sum() < 8
        assert (file["qpos"][:, stuck] == file["qpos"][0, stuck]).all()
        assert file.attrs["infeasible"] == "keep"


EVERY_JOINT = """<mujoco><option gravity="0 0 0"/><worldbody>
<body><joint name="slide" type="slide" damping="1"/><geom size=".1" contype="0"/></body>
<body pos="1 0 0"><joint name="hinge" damping="1"/><geom size=".1" contype="0"/></body>
<body pos="2 0 0"><joint name="ball" type="ball" damping="1"/><geom size=".1" contype="0"/></body>
<body name="free" pos="3 0 0" quat="0.6 0 0.8 0"><freejoint name="free"/><geom size=".1" contype="0"/></body>
</worldbody></mujoco>"""


def angles_between(a, b):
    """Of the turns from the unit quaternion b to the quaternions a (.., 4) [rad]."""
    return 2 * np.arccos(np.clip(np.abs(a @ b), 0, 1))


def test_noise_of_one_number_moves_every_joint_and_leaves_quaternions_unit(stiction, tmp_path):
    (tmp_path / "model.xml").write_text(EVERY_JOINT)
    starts = {}
    for noise in ("0.1", "{ slide = [0.1] }", "{ hinge = [0.1], free = [0.1, 0.1, 0.1, 0.1, 0.1, 0.1] }"):
        text = 'model = "model.xml"\n[step]\nduration = 0.01\n[physics]\ndynamics = "dynamic"\n[randomize]\nqpos_noise = '
        (tmp_path / "scene.toml").write_text(text + noise + "\n")
        assert stiction("run", tmp_path, "--batch", 200, "--out", tmp_path / "a.h5").returncode == 0
        with h5py.File(tmp_path / "a.h5") as file:
            starts[noise] = file["qpos"][0]
    q, by_slide, by_others = starts.values()
    for value in (q[:, 0], q[:, 1], q[:, 6] - 3, q[:, 7], q[:, 8]):
        assert np.abs(value).max() <= 0.1 and 0.05 < value.std() < 0.066  # uniform: 0.0577
    for turned, start in ((q[:, 2:6], np.array([1, 0, 0, 0])), (q[:, 9:13], np.array([0.6, 0, 0.8, 0]))):
        np.testing.assert_allclose(np.linalg.norm(turned, axis=1), 1, atol=1e-12)
        angle = angles_between(turned, start)
        assert angle.max() <= 0.1 * np.sqrt(3) + 1e-9 and 0.08 < angle.mean() < 0.11  # of a uniform cube: 0.096
    # draws of a joint are those that it has alone
    assert np.array_equal(q[:, 0], by_slide[:, 0])
    assert np.array_equal(q[:, [1, *range(6, 13)]], by_others[:, [1, *range(6, 13)]])
