"""What `bench` measures: every combination once, never a speed without what was solved."""

import csv

import pytest
from stiction_program import assert_one_line


@pytest.fixture
def rows(stiction, tmp_path):
    """The CSV of a bench as dictionaries, with what it printed."""

    def measure(*arguments):
        out = tmp_path / "bench.csv"
        run = stiction("bench", *arguments, "--seconds", "0.02", "--out", out)
        assert run.returncode == 0, run.stderr
        with out.open() as table:
            return list(csv.DictReader(table)), run.stdout

    return measure


STAGES = ("prepare", "drift", "gaps", "go", "stop", "collide", "meet", "arrive", "merge", "task", "confirm", "warm", "solve", "explain", "move", "look", "judge", "finish")
AHEAD = ("gaps", "go", "stop")  # they run only where bodies move first


def test_a_row_says_what_was_solved(rows):
    (row,), printed = rows("boxes:3", "--batch", 2, "--threads", 1)
    assert (row["scene"], row["dofs"], row["batch"]) == ("boxes:3", "18", "2")
    assert float(row["contacts"]) == 12 and float(row["rows"]) == 48
    assert 0 <= float(row["residual_worst"]) <= float(row["tolerance"]) == 1e-6
    assert float(row["converged_share"]) == 1
    assert float(row["env_steps_per_s"]) > 0
    assert float(row["batch_step_ms_p99"]) >= float(row["batch_step_ms_median"]) > 0
    assert int(row["env_bytes"]) > 0 and int(row["scratch_bytes"]) > 0
    assert row["solve_us"] == "" and "boxes:3" in printed


def test_every_combination_is_a_case(rows):
    table, _ = rows("boxes:1", "stack:2", "--solver", "interior_point,pgs", "--dtype", "float64,float32", "--batch", "1,3")
    found = [(r["scene"], r["solver"], r["dtype"], r["batch"]) for r in table]
    assert len(found) == len(set(found)) == 16


def test_the_factor_is_a_choice(rows):
    table, _ = rows("stack:4", "--solver", "newton", "--factor", "float64,float32")
    assert [r["factor"] for r in table] == ["float64", "float32"] and len({r["residual_worst"] for r in table}) == 2


def test_how_contacts_are_read_is_a_choice(rows):
    table, printed = rows("stack:1", "--preset", "ecp", "--contact", "points,patch", "--rotation", "exact")
    words = [tuple(row[key] for key in ("dynamics", "cone", "contact", "geometry", "rotation", "torsion_radius")) for row in table]
    assert words == [("dynamic", "quadratic", contact, "end", "exact", "model") for contact in ("points", "patch")]
    assert "points/end" in printed and "patch/end" in printed


def test_rounds_are_counted_and_their_median_is_within_their_spread(rows):
    (row,), _ = rows("grip:1", "--rounds", 3)
    least, median, most = (float(row[f"env_steps_per_s{end}"]) for end in ("_least", "", "_most"))
    assert row["rounds"] == "3" and least <= median <= most


def stage_times(row):
    return {stage: float(row[f"{stage}_us"]) for stage in STAGES}


def test_stages_are_timed_where_asked(rows):
    (row,), printed = rows("grip:1", "--stages")
    took, line = stage_times(row), printed.splitlines()[-1]
    assert {stage for stage in STAGES if took[stage] == 0} == set(AHEAD) and min(took.values()) >= 0
    assert "solve" in line and not any(f"{stage} 0 " in line for stage in AHEAD)


def test_where_bodies_move_first_their_motion_is_timed(rows):
    (row,), printed = rows("grip:1", "--preset", "graspit", "--stages")
    assert min(stage_times(row).values()) > 0 and "gaps" in printed.splitlines()[-1]


def test_the_limits_follow_from_the_sizes(rows):
    (row,), printed = rows("boxes:2", "--limits", "--threads", 1)
    number = {name: float(row[name]) for name in row if name.endswith(("share", "bytes", "_s", "adds", "iterations"))}
    once = 8 * 3 * 6  # J v of 8 contacts with a box each: a host thread changes an active set
    assert number["step_multiply_adds"] == pytest.approx(number["iterations"] * once, rel=1e-4)
    assert 0 < number["step_bytes"] <= 2 * number["env_bytes"]
    rate, digits = number["env_steps_per_s"], 2e-3  # as written
    assert number["copy_share"] == pytest.approx(rate * number["step_bytes"] / number["copy_bytes_per_s"], rel=digits)
    assert number["multiply_add_share"] == pytest.approx(
        rate * number["step_multiply_adds"] / number["multiply_adds_per_s"], rel=digits
    )
    assert "multiply-adds" in printed.splitlines()[-1]
    assert rows("boxes:2")[0][0]["copy_share"] == ""


def test_a_batch_beyond_the_memory_is_refused_before_anything_is_measured(stiction, tmp_path):
    run = stiction("bench", "boxes:4", "--batch", "1,2000000000", "--out", tmp_path / "bench.csv")
    assert_one_line(run, 1)
    assert "out of memory" in run.stderr and " fit" in run.stderr
    assert run.stdout == "" and not (tmp_path / "bench.csv").exists()


def test_a_scene_keeps_its_choices_unless_they_are_named(rows, scene):
    (own,), _ = rows(scene)
    (named,), _ = rows(scene, "--step-size", 0.05, "--law", "coulomb", "--tolerance", "1e-5")
    assert (named["step_size_s"], named["law"], named["tolerance"]) == ("0.05", "coulomb", "1e-05")
    assert own["law"] == "anitescu" and own["step_size_s"] == "0.02"
