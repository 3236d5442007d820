"""scripts/figures: checks and measures by hand numbers; its page is what its numbers give; its gripper is made anew."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
BINARY = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction")).resolve()
sys.path.insert(0, str(ROOT / "scripts"))
from figure_parts import claims, fence, fence_cones, main, page, pick, pick_error, registry, tables  # noqa: E402

RESULTS = ROOT / "bench/results"
ROUNDING = 1e-12  # of arithmetic on numbers of size 1
GRIPPER = ["2021_fig2", "2021_fig3", "2021_fig4", "2021_fig5", "2021_fig6"]
GIVEN = {"step_s", "time_s", "mu_2", "step", "pushed", "cubes"}  # columns that say which run it is
BY_NAME = {figure.NAME: figure for figure in registry.FIGURES}


@pytest.mark.parametrize(
    "measured, met", [(1.0, True), (1.1, True), (1.11, False), (np.nan, False), ([1.0, 0.8], False)]
)
def test_a_number_is_met_within_its_tolerance(measured, met):
    assert claims.near("figure", "text", measured, 1.0, 0.1 + ROUNDING).met is met


def test_the_farthest_number_is_shown_with_the_digits_of_its_tolerance():
    claim = claims.near("figure", "text", [0.2, 0.9000198716], [0.2, 0.9000198726], 1e-9)
    assert (claim.measured, claim.expected, claim.count) == ("0.9000198716", "0.9000198726 ± 1e-09", "2")


def test_no_number_at_all_meets_nothing():
    with pytest.raises(ValueError):
        claims.near("figure", "text", [], 0.0, 1.0)


@pytest.mark.parametrize(
    "measured, below, above", [(1.0, True, False), (2.0, True, True), (np.inf, False, True), (np.nan, False, False)]
)
def test_a_bound_is_met_on_its_side(measured, below, above):
    assert claims.at_most("figure", "text", measured, 2.0).met is below
    assert claims.at_least("figure", "text", measured, 2.0).met is above
    assert claims.between("figure", "text", measured, 1.5, 3.0).met is (measured == 2.0)


def test_claims_are_read_as_they_were_written(tmp_path):
    found = [claims.near("a", "x, y", 1.0, 2.0, 0.5, "m", "note"), claims.at_most("b", "z", 1.0, 2.0)]
    claims.write(tmp_path / "claims.csv", found)
    assert claims.read(tmp_path / "claims.csv") == found


def test_a_table_is_read_as_it_was_written(tmp_path):
    tables.write(tmp_path, "name", [{"model": "a", "x": 0.1}, {"model": "b", "x": np.inf}])
    table = tables.read(tmp_path, "name")
    assert table["model"].tolist() == ["a", "b"]
    assert tables.where(table, model="b")["x"].tolist() == [np.inf]


def test_the_angle_is_that_of_the_orientation_whatever_its_sign():
    half = np.deg2rad(30) / 2
    pose = np.array([[0, 0, 0, np.cos(half), 0, 0, np.sin(half)], [0, 0, 0, -np.cos(half), 0, 0, -np.sin(half)]])
    assert pick.angle(pose) == pytest.approx([30, 30], abs=1e-9)


def lying(seconds):
    pose = np.zeros((3, 7))
    pose[:, 3] = 1.0
    return np.linspace(0, seconds, 3), pose


def test_the_integral_error_is_the_distance_times_the_time():
    time, truth = lying(2.0)
    pose = truth + np.array([0.003, 0.004, 0, 0, 0, 0, 0])
    assert pick.integral_error.integral_error(time, pose, time, truth) == pytest.approx((0.01, 0.01), abs=ROUNDING)
    pose[:, 3:] *= -1  # the same orientation
    assert pick.integral_error.integral_error(time, pose, time, truth) == pytest.approx((0.01, 0.01), abs=ROUNDING)


def test_a_run_that_ends_early_has_no_finite_error():
    time, truth = lying(2.0)
    assert pick.integral_error.integral_error(time[:2], truth[:2], time, truth) == (np.inf, np.inf)


def test_growth_is_seen_at_the_first_step_that_is_worse():
    step = np.array([1e-4, 1e-3, 2e-3, 5e-3])
    assert pick_error.last_before_growth(step, np.array([1.0, 1.2, np.inf, np.inf]), 10) == 1e-3
    assert pick_error.last_before_growth(step, np.array([1.0, 1.2, 3.0, 20.0]), 10) == 2e-3
    assert pick_error.last_before_growth(step, np.ones(4), 10) == 5e-3


def test_slopes_are_those_of_the_bisectors():
    assert fence.slope("dlc4", 0.5) == pytest.approx(1.0, abs=ROUNDING)
    assert fence.slope("dlc8", 0.5) == pytest.approx(np.tan(np.pi / 8), abs=ROUNDING)
    assert fence.slope("dlc16", 0.5) == pytest.approx(np.tan(3 * np.pi / 16), abs=ROUNDING)
    assert (fence.slope("dqc", 0.5), fence.slope("lp", 0.5), fence.slope("lp", 3.0)) == (0.5, 0.0, np.inf)


def test_a_force_uses_as_much_of_a_pyramid_as_its_directions_add_up_to():
    corner, side = np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])  # 1 d_0, and (d_0 + d_1)/2
    assert fence_cones.shares(corner, 4) == pytest.approx([1.0], abs=ROUNDING)
    assert fence_cones.shares(side, 4) == pytest.approx([1.0], abs=ROUNDING)
    assert fence_cones.misalignment(corner, -corner) == pytest.approx([0.0], abs=ROUNDING)
    assert fence_cones.misalignment(side, -corner) == pytest.approx([np.pi / 4], abs=ROUNDING)


def stored(figure):
    return main.load(figure, RESULTS)


def test_the_claims_are_what_the_numbers_give():
    found = [claim for figure in registry.FIGURES for claim in figure.judge(stored(figure))]
    assert claims.read(tables.file_of(RESULTS, "claims")) == found


def test_the_page_is_what_the_claims_give():
    kept = claims.read(tables.file_of(RESULTS, "claims"))
    assert page.text(registry.FIGURES, kept) == (ROOT / "docs/figures.md").read_text()


@pytest.mark.parametrize("name", BY_NAME)
def test_a_figure_is_drawn_from_the_stored_numbers(name, tmp_path):
    BY_NAME[name].draw(stored(BY_NAME[name]), tmp_path / "figure.png")
    for file in (tmp_path / "figure.png", ROOT / f"docs/images/figures/{name}.png"):
        assert file.read_bytes().startswith(b"\x89PNG")


def spoil(key, values):
    return values if key in GIVEN or values.dtype.kind == "U" else 1.1 * values + 0.01 * (1 + np.arange(len(values)))


@pytest.mark.parametrize("name", BY_NAME)
def test_wrong_numbers_do_not_pass(name):
    """Every measured number a tenth larger, and a bit: a claim of the figure sees it."""
    wrong = {
        table: {key: spoil(key, values) for key, values in rows.items()}
        for table, rows in stored(BY_NAME[name]).items()
    }
    assert not all(claim.met for claim in BY_NAME[name].judge(wrong))


def run(*options, cwd=ROOT):
    command = [sys.executable, "-m", "figure_parts.main", BINARY, *options]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, cwd=cwd, check=False,
                          env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")})  # fmt: skip


def test_the_gripper_is_made_anew_and_its_claims_are_met(tmp_path):
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built (STICTION_BIN names another)")
    made = run("--only", *GRIPPER, "--out", tmp_path, "--no-peers")
    assert made.returncode == 0, made.stderr
    found = claims.read(tables.file_of(tmp_path / "bench/results", "claims"))
    assert {claim.figure for claim in found} == set(GRIPPER)
    assert [claim for claim in found if not claim.met] == []
    for name in GRIPPER:
        assert (tmp_path / f"docs/images/figures/{name}.png").read_bytes().startswith(b"\x89PNG")


def test_an_unknown_figure_is_bad_input(tmp_path):
    assert run("--only", "2021_fig99", "--out", tmp_path).returncode == 2


def test_a_build_without_the_program_is_bad_input(tmp_path):
    done = subprocess.run([ROOT / "scripts/figures", tmp_path], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
