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
    assert "push: dynamics quasidynamic, law anitescu, cone pyramid of 4 facets, step 0.02 s (model: 0.002, not used)\n2 environments of 7 dofs, 10 steps\n" in run.stdout
    assert "a: cpu (1 thread), float64, solver interior_point\nb: reference, float64\n" in run.stdout
    table(run.stdout)


def test_says_how_contacts_are_read_where_it_is_not_the_default(stiction, scene):
    run = stiction("compare", scene, "--b", "cpu", "--preset", "ecp", "--duration", 0.02)
    assert run.returncode == 0, run.stderr
    assert "law coulomb, cone quadratic, contact patch, geometry end, rotation linear, step 0.02 s" in run.stdout


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
    assert lines[2].endswith("solver lemke") and lines[3].endswith("solver interior_point")


PATCH_QUANTITIES = ["count", "point [m]", "frame", "velocity [m/s, rad/s]", "force of a patch [N]", "torsion of a patch [N m]", "residual",
                    "qpos [m, rad]"]  # fmt: skip
TOWER = """<mujoco><option gravity="0 0 -9.8"/><default><geom friction=".5 .05 0" condim="4"/></default><worldbody>
  <geom name="floor" type="plane" size="5 5 1"/>
  <body pos="0 0 .1"><freejoint/><geom name="cube" type="box" size=".1 .1 .1"/></body>
  <body pos=".02 .01 .3"><freejoint/><geom name="lid" type="box" size=".1 .1 .05"/></body></worldbody></mujoco>"""
MEETS = 0.09  # the lid falls 5 cm, in whole steps of 0.01 s; after that the cube has two patches [s]


@pytest.fixture
def tower(tmp_path):
    """tower(text) writes another model and returns its path."""

    def write(text=TOWER):
        (tmp_path / "tower.xml").write_text(text)
        return tmp_path / "tower.xml"

    return write


def patch_table(text):
    """{quantity: (first, restarted, free)} of a comparison of patches."""
    rows = {line[13:41].strip(): line for line in text.splitlines() if line.count("|") == 2}
    assert [name for name in rows if name in PATCH_QUANTITIES] == PATCH_QUANTITIES, text
    return {
        name: [[0.0 if v == "-" else float(v) for v in part.split()] for part in rows[name][41:].split("|")]
        for name in PATCH_QUANTITIES
    }


def test_patches_of_the_reference_are_those_of_the_step(stiction, tower):
    run = stiction("compare", tower(), "--preset", "ecp", "--step-size", 0.01, "--duration", MEETS, "--solver", "newton",
                   "--tolerance", 1e-9)  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    rows = patch_table(run.stdout)
    assert rows["count"][2][0] == 0 and rows["point [m]"][2][0] < 1e-8 and rows["force of a patch [N]"][2][0] < 1e-6
    assert "patches of one side only, most in a step                            0             0\n" in run.stdout
    assert "contacts" not in run.stdout


def test_patches_are_compared_where_no_side_is_the_reference(stiction, tower):
    run = stiction(
        "compare",
        tower(),
        "--b",
        "cpu",
        "--dtype-b",
        "float32",
        "--preset",
        "ecp",
        "--step-size",
        0.01,
        "--duration",
        0.3,
    )
    assert run.returncode == 0, run.stderr
    assert 0 < patch_table(run.stdout)["point [m]"][1][0] < 1e-3


ARM = """<mujoco><worldbody><geom type="plane" size="5 5 1" friction=".5 .05 0" condim="4"/><body pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
  <geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("change", "options", "wanted"),
    [
        ({}, ["--preset", "ecp"], "in the step from 0.09 s geom 'cube' touches 'floor' and 'lid'"),
        ({}, ["--preset", "ecp", "--batch", 2], "environment 0: device reference: in the step from 0.09 s geom 'cube'"),
        ({}, ["--geometry", "end", "--cone", "quadratic"], 'and contact is "points", rotation is "exact"; use that preset'),
        ({}, ["--preset", "ecp", "--torsion-radius", "uniform"], 'torsion-radius is "uniform"'),
        ({"condim=\"4\"": "condim=\"3\""}, ["--preset", "ecp"], "geoms 'floor' and 'cube' have no torsional friction; use condim 4"),
        ({'name="lid" type="box" size=".1 .1 .05"': 'name="lid" type="sphere" size=".1"'}, ["--preset", "ecp"], "geom 'lid' is no plane, box, cylinder or mesh"),
        ({'name="lid"': 'name="lid" pos=".1 0 0"'}, ["--preset", "ecp"], "is not its origin; move its geom by as much"),
        ({'type="box"': 'type="cylinder"'}, ["--preset", "ecp"], "no patches of two cylinders, geoms 'cube' and 'lid'"),
        ({"</worldbody>": '</worldbody><actuator><motor joint="hinge"/></actuator>'}, ["--preset", "ecp"], "the model has actuators; leave them out"),
        ({}, ["--preset", "ecp", "arm"], "has other joints than one of its own that is free"),
    ],
)  # fmt: skip
def test_what_the_reference_cannot_do_is_said_in_one_line(stiction, tower, change, options, wanted):
    text = ARM if "arm" in options or "motor" in str(change) else TOWER
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    run = stiction(
        "compare", tower(text), *[word for word in options if word != "arm"], "--step-size", 0.01, "--duration", 0.2
    )
    assert_one_line(run, 2)
    assert wanted in run.stderr and "or choose another device (compare: --b cpu --solver-b NAME)" in run.stderr
