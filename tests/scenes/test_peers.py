"""bench/peers: its measure of error by hand numbers, and its page is what its figures give."""

import pathlib
import sys
import types

import numpy as np
import pytest
from load_script import load_script

PEERS = pathlib.Path(__file__).parents[2] / "bench/peers"
MILLIMETRE = 0.001


sys.path.insert(0, str(PEERS))  # the files there import each other


def load(name):
    return load_script(f"bench/peers/{name}.py", f"peers_{name}")


worlds = load("world")


@pytest.fixture
def world():
    """Two cubes of 4 cm over one second."""
    made = types.SimpleNamespace(duration=1.0, cubes=[(0, np.full(3, 0.02)), (7, np.full(3, 0.02))])
    made.grid = lambda: worlds.GRID * np.arange(round(made.duration / worlds.GRID) + 1)
    return made


def resting(world, rows):
    poses = np.zeros((rows, 2, 7))
    poses[..., 3] = 1.0
    return np.linspace(0, world.duration, rows), poses


def test_the_worst_cube_counts(world):
    time, poses = resting(world, 6)
    truth = worlds.on_grid(world, time, poses)
    poses[:, 1, 0] += MILLIMETRE
    assert worlds.tracking_error(world, worlds.on_grid(world, time, poses), truth) == pytest.approx((MILLIMETRE, MILLIMETRE))


def test_a_half_turn_moves_every_corner_by_the_diagonal_of_a_face(world):
    time, poses = resting(world, 6)
    truth = worlds.on_grid(world, time, poses)
    poses[:, 0, 3:] = [0, 0, 0, 1]
    assert worlds.tracking_error(world, worlds.on_grid(world, time, poses), truth)[0] == pytest.approx(0.04 * np.sqrt(2))


def test_the_sign_of_a_quaternion_is_no_error(world):
    time, poses = resting(world, 6)
    truth = worlds.on_grid(world, time, poses)
    poses[3:, :, 3:] *= -1
    assert worlds.tracking_error(world, worlds.on_grid(world, time, poses), truth)[0] == 0


@pytest.mark.parametrize("spoil", ["thrown", "not a number", "ends early"])
def test_a_lost_cube_has_no_error(world, spoil):
    time, poses = resting(world, 6)
    truth = worlds.on_grid(world, time, poses)
    if spoil == "ends early":
        time, poses = time[:3], poses[:3]
    else:
        poses[4, 0, 2] = np.nan if spoil == "not a number" else 20
    assert worlds.tracking_error(world, worlds.on_grid(world, time, poses), truth) == (np.inf, np.inf)


def test_the_page_is_what_the_results_give(tmp_path):
    report = load("report")
    committed = report.PAGE.read_text()
    report.PAGE, report.PICTURE = tmp_path / "peers.md", tmp_path / "peers.png"
    report.main()
    assert report.PAGE.read_text() == committed
    assert report.PICTURE.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("value", "text"), [(1747.3, "1750"), (433.2, "433"), (1e-6, "1e-06"), (float("nan"), "")])
def test_large_figures_have_no_exponent(value, text):
    assert load("runs").figure(value) == text


@pytest.mark.parametrize(("speed", "words"), [
    (126.0, "0.79 times as fast as MuJoCo (**MuJoCo is faster** at 1 mm by 26 %)"),
    (300.0, "0.33 times as fast as MuJoCo (**MuJoCo is faster** at 1 mm by a factor of 3)"),
    (103.0, "0.97 times as fast as MuJoCo (as fast within 5 % at 1 mm)"),
    (50.0, "2 times as fast as MuJoCo")])
def test_the_page_says_who_is_faster(monkeypatch, speed, words):
    sentences = load("sentences")
    monkeypatch.setattr(sentences, "TARGETS", [MILLIMETRE])
    rows = [{"scene": "a", "simulator": name, "method": "", "state": "done", "speed": s, "error_m": MILLIMETRE / 2}
            for name, s in (("stiction", 100.0), ("MuJoCo", speed))]
    assert sentences.verdict(rows) == f"- `a`: {words}."
