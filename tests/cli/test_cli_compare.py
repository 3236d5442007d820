"""What `compare` measures: against the recordings of two runs, against itself, and what its exit code means."""

import h5py
import numpy as np
import pytest
from stiction_program import assert_one_line

QUANTITIES = {  # more contact arrays may stand among them
    "contacts": ["count", "gap [m]", "position [m]", "frame"],
    "solution": ["velocity [m/s, rad/s]", "gap_next [m]", "normal force of a pair [N]", "torsion of a pair [N m]",
                 "residual"],
    "integration": ["qpos [m, rad]"],
}
# Of qpos between solvers that agree to the scene's residual of 1e-6: impulses are m g h = 0.2 N s and masses 1 kg, so
# 1e-6 of them moves 1e-6 * 0.2 * h = 4e-9 m a step, 4e-8 m in ten.
SOLVER_AGREEMENT = 1e-7  # [m, rad]
PRINTED = 0.06  # two digits are printed: 1.05 becomes 1.0 or 1.1


def table(text):
    """{quantity: (first, restarted, free)}, each a list of absolute, relative [, step, environment]."""
    rows = {}
    for line in text.splitlines():
        name, *columns = line.split("|")
        stage = name.split()[0] if name.split() else ""
        if stage in QUANTITIES and len(columns) == 2:
            quantity, first = name[13:41].strip(), name[41:]
            rows[quantity] = [[0.0 if v == "-" else float(v) for v in c.split()] for c in (first, *columns)]
    wanted = [name for names in QUANTITIES.values() for name in names]
    assert [name for name in rows if name in wanted] == wanted, text
    return rows


def test_names_both_sides_and_every_quantity(stiction, scene):
    run = stiction("compare", scene, "--a", "cpu", "--b", "reference", "--batch", 2, "--threads", 1)
    assert run.returncode == 0 and run.stderr == ""
    assert "2 environments of 7 dofs, 10 steps of 0.02 s" in run.stdout
    assert "a: cpu (1 thread), float64, solver interior_point\nb: reference, float64\n" in run.stdout
    table(run.stdout)


def test_says_how_contacts_are_read_where_it_is_not_the_default(stiction, scene):
    run = stiction("compare", scene, "--b", "cpu", "--preset", "ecp", "--duration", 0.02)
    assert run.returncode == 0, run.stderr
    assert "coulomb with quadratic cone, contact patch, geometry end, rotation linear\n" in run.stdout


def test_host_and_reference_agree(stiction, scene):
    run = stiction("compare", scene, "--batch", 2, "--tolerance", SOLVER_AGREEMENT)
    assert run.returncode == 0, run.stdout + run.stderr


def test_side_does_not_differ_from_itself(stiction, scene):
    run = stiction("compare", scene, "--b", "cpu", "--batch", 2, "--tolerance", 0)
    assert run.returncode == 0, run.stdout + run.stderr
    assert table(run.stdout)["qpos [m, rad]"][2][:2] == [0, 0]
    assert table(run.stdout)["gap [m]"][1][:2] == [0, 0]


def test_trajectory_difference_is_that_of_two_recordings(stiction, scene, tmp_path):
    q = {}
    for dtype in ("float64", "float32"):
        out = tmp_path / f"{dtype}.h5"
        assert stiction("run", scene, "--device", "cpu", "--batch", 3, "--dtype", dtype, "--out", out).returncode == 0
        with h5py.File(out) as file:
            q[dtype] = file["qpos"][1:].astype(float)
    apart = np.abs(q["float32"] - q["float64"])
    step, env, _ = np.unravel_index(apart.argmax(), apart.shape)
    size = max(np.abs(values).max() for values in q.values())
    run = stiction("compare", scene, "--b", "cpu", "--dtype-b", "float32", "--batch", 3)
    assert run.returncode == 0, run.stderr
    first, _, free = table(run.stdout)["qpos [m, rad]"]
    assert apart.max() > 0
    assert free == [
        pytest.approx(apart.max(), rel=PRINTED), pytest.approx(apart.max() / size, rel=PRINTED), step + 1, env
    ]  # fmt: skip
    assert first[0] == pytest.approx(apart[0].max(), rel=PRINTED)


def test_first_step_is_the_same_however_it_is_started(stiction, scene):
    run = stiction("compare", scene, "--b", "cpu", "--dtype-b", "float32", "--duration", 0.02)
    rows = table(run.stdout)
    assert rows["qpos [m, rad]"][0][0] > 0
    for name, (first, restarted, free) in rows.items():
        assert first == restarted[:2] == free[:2], name


def test_restarted_steps_begin_where_a_begins(stiction, scene):
    run = stiction("compare", scene, "--b", "cpu", "--solver-b", "pgs")
    _, restarted, free = table(run.stdout)["gap [m]"]
    assert restarted[:2] == [0, 0]
    assert free[0] > 0 and free[2] > 1


def test_too_large_a_difference_ends_with_3(stiction, scene):
    run = stiction("compare", scene, "--b", "cpu", "--dtype-b", "float32", "--batch", 2, "--tolerance", 0)
    assert_one_line(run, 3)
    assert "qpos differs by" in run.stderr and "more than --tolerance 0" in run.stderr
    assert table(run.stdout)["qpos [m, rad]"][2][0] > 0
    assert stiction("compare", scene, "--b", "cpu", "--dtype-b", "float32", "--tolerance", 1).returncode == 0


def test_sides_may_differ_in_the_solver(stiction, scene):
    run = stiction("compare", scene, "--b", "cpu", "--solver-a", "lemke", "--solver-b", "interior_point",
                   "--tolerance", SOLVER_AGREEMENT)  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    lines = run.stdout.splitlines()
    assert lines[1].endswith("solver lemke") and lines[2].endswith("solver interior_point")
