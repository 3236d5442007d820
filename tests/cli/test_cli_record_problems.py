"""`run --record-problems`: any problem of a run, solved again alone, has the same answer; another program verifies every
status."""

import subprocess
import sys

import h5py
import numpy as np
import pytest
from stiction_program import ROOT, assert_one_line

VERIFY = ROOT / "scripts/verify_answers.py"
SAME = 1e-12  # relative to the largest entry, as asked; it is 0 where one processor does both
SPINNING = """<mujoco><worldbody><geom type="plane" size="2 2 .1" condim="4" friction=".5 .02 0"/>
<body pos="0 0 .11"><freejoint/><geom type="box" size=".1 .1 .1" condim="4" friction=".5 .02 0"/></body>
<body pos=".05 0 .32"><freejoint/><geom size=".1" condim="4" friction=".5 .02 0"/></body></worldbody></mujoco>"""
SPINNING_SCENE = """model = "model.xml"
[physics]
dynamics = "dynamic"
cone = "quadratic"
[initial]
qvel = [0, 0, 0, 0, 0, 9, 0.3, 0, 0, 0, 0, -9]
[step]
duration = 0.3
[randomize]
qpos_noise = 0.01
"""
RUNS = {  # scene and options, more than one kind of row among them
    "gripper2d": ["--batch", 2],
    "fence_particle": ["--duration", 2],
    "planar_pick": ["--law", "coulomb", "--cone", "quadratic", "--solver", "newton"],
    "two_link_arm": ["--duration", 1, "--batch", 2],  # limits, a coupling, dry friction, bounded motors
    "incline": ["--duration", 0.2, "--dtype", "float32"],
    "grazing_grasp": ["--solver", "admm"],
    "hand_cube": ["--duration", 3, "--cone", "box"],
    "iiwa_stack_1": ["--duration", 8, "--solver", "pgs", "--allow-failures", 1],
    "iiwa_stack_3": ["--duration", 8, "--dynamics", "kinematic", "--allow-failures", 1],
    "iiwa_stack": ["--every", 9, "--batch", 2, "--threads", 2],
}


def record_and_solve(stiction, folder, scene, *options):
    """The recorded group and the answers of solving it again, as dicts of arrays."""
    problems, answers = folder / "problems.h5", folder / "answers.h5"
    run = stiction("run", scene, "--record-problems", problems, "--out", folder / "run.h5", *options)
    assert run.returncode == 0, run.stderr
    solved = stiction("solve", problems, "--out", answers, "--allow-failures", 10000)
    assert solved.returncode == 0 and "from the recorded answers" in solved.stdout, solved.stderr
    with h5py.File(problems) as a, h5py.File(answers) as b:
        return {k: a["contact"][k][()] for k in a["contact"]}, {k: b[k][()] for k in b}


def assert_same_answers(recorded, again):
    for name in ("v", "lambda", "row_lambda"):
        if "answer_" + name not in recorded:
            continue
        had = np.isfinite(recorded["answer_v"][:, 0])
        before, now = recorded["answer_" + name][had], again[name][had]
        assert np.abs(now - before).max(initial=0) <= SAME * np.abs(before).max(initial=0), name
    assert (recorded["answer_status"] & 1 == again["status"] & 1).all()


def verify(folder):
    command = [sys.executable, VERIFY, folder / "problems.h5", folder / "answers.h5"]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("scene, options", RUNS.items(), ids=RUNS)
def test_problems_solved_alone_have_the_answers_of_the_run(stiction, tmp_path, scene, options):
    recorded, again = record_and_solve(stiction, tmp_path, ROOT / "scenes" / scene, *options)
    assert len(recorded["step"]) > 20
    assert_same_answers(recorded, again)
    verified = verify(tmp_path)
    assert verified.returncode == 0 and "WRONG" not in verified.stdout, verified.stdout + verified.stderr


def test_a_factor_in_single_precision_is_kept_with_the_problems(stiction, tmp_path):
    options = ["--solver", "newton", "--factor", "float32", "--duration", 4]
    recorded, again = record_and_solve(stiction, tmp_path, ROOT / "scenes/iiwa_stack_1", *options)
    assert_same_answers(recorded, again)
    with h5py.File(tmp_path / "problems.h5") as file, h5py.File(tmp_path / "answers.h5") as answers:
        assert file["contact"].attrs["factor"] == answers.attrs["factor"] == "float32"
    for choice in (["--factor", "float64"], ["--solver", "pgs"]):  # the file's factor is for its solver
        other = tmp_path / "other.h5"
        solved = stiction("solve", tmp_path / "problems.h5", "--out", other, "--allow-failures", 10000, *choice)
        assert solved.returncode == 0, solved.stderr
        with h5py.File(other) as answers:
            assert answers.attrs["factor"] == "float64" and not np.array_equal(answers["v"][()], again["v"])


@pytest.mark.parametrize("cone", ["quadratic", "pyramid", "box"])
@pytest.mark.parametrize("law", ["anitescu", "coulomb"])
def test_problems_with_torsion(stiction, tmp_path, law, cone):
    (tmp_path / "model.xml").write_text(SPINNING)
    (tmp_path / "scene.toml").write_text(SPINNING_SCENE)
    recorded, again = record_and_solve(stiction, tmp_path, tmp_path, "--batch", 3, "--law", law, "--cone", cone)
    assert recorded["mu"].shape[2] == 3 and np.abs(recorded["answer_lambda"].reshape(len(recorded["step"]), -1, 4)[:, :, 3]).max() > 0
    assert_same_answers(recorded, again)
    assert verify(tmp_path).returncode == 0


def test_the_problems_are_those_of_the_run(stiction, scene, tmp_path):
    recorded, _ = record_and_solve(stiction, tmp_path, scene, "--batch", 2, "--every", 1)
    with h5py.File(tmp_path / "run.h5") as run:
        qvel = run["qvel"][()]
    np.testing.assert_array_equal(recorded["answer_v"], qvel[recorded["step"], recorded["env"]])
    assert sorted(zip(recorded["step"], recorded["env"], strict=True)) == [(s, e) for s in range(1, 11) for e in range(2)]


def test_every_and_envs_choose_the_problems(stiction, scene, tmp_path):
    file = tmp_path / "p.h5"
    run = stiction("run", scene, "--batch", 4, "--envs", "1,3", "--every", 4, "--record-problems", file)
    assert run.returncode == 0 and f"6 in {file}" in run.stdout, run.stderr
    with h5py.File(file) as problems:
        assert problems["contact/step"][()].tolist() == [4, 4, 8, 8, 10, 10]
        assert problems["contact/env"][()].tolist() == [1, 3] * 3
        assert problems.attrs["scene"] and problems["contact"].attrs["solver"] == "interior_point"


def test_one_problem_alone(stiction, scene, tmp_path):
    record_and_solve(stiction, tmp_path, scene, "--batch", 3)
    out = tmp_path / "some.h5"
    run = stiction("solve", tmp_path / "problems.h5", "--problems", "17,2-4", "--out", out)
    assert run.returncode == 0 and "batch 4" in run.stdout and "\n     17  converged" in run.stdout, run.stderr
    with h5py.File(out) as some, h5py.File(tmp_path / "answers.h5") as answers:
        assert some["problem"][()].tolist() == [2, 3, 4, 17]
        for name in ("v", "lambda", "row_lambda", "status", "residual", "iterations"):
            if name in answers:
                np.testing.assert_array_equal(some[name], answers[name][[2, 3, 4, 17]], name)


def test_the_command_line_overrules_the_file(stiction, scene, tmp_path):
    record_and_solve(stiction, tmp_path, scene)
    out = tmp_path / "other.h5"
    options = ["--solver", "newton", "--law", "coulomb", "--cone", "quadratic", "--tolerance", "1e-9"]
    assert stiction("solve", tmp_path / "problems.h5", *options, "--out", out).returncode == 0
    with h5py.File(out) as file:
        assert (file.attrs["solver"], file.attrs["law"], file.attrs["tolerance"]) == ("newton", "coulomb", 1e-9)
    assert_one_line(stiction("solve", tmp_path / "problems.h5", "--facets", 2), 2)


TAMPERED = {
    "a force": lambda a: a["lambda"].__setitem__((0, 0), a["lambda"][0, 0] + 1e-3),
    "a motion": lambda a: a["v"].__setitem__((3, 2), a["v"][3, 2] - 1e-3),
    "a status": lambda a: a["status"].__setitem__(5, 1 << 1),
    "a proof": lambda a: a["status"].__setitem__(5, 1 << 4),
}


@pytest.mark.parametrize("tamper", TAMPERED.values(), ids=TAMPERED)
def test_the_verifier_sees_a_wrong_answer(stiction, scene, tmp_path, tamper):
    record_and_solve(stiction, tmp_path, scene)
    assert verify(tmp_path).returncode == 0
    with h5py.File(tmp_path / "answers.h5", "r+") as answers:
        tamper(answers)
    verified = verify(tmp_path)
    assert verified.returncode == 1 and "WRONG" in verified.stdout, verified.stdout + verified.stderr


def write_pushed_apart(folder, friction):
    """d = (1, -1) has no mass and g·d = 1, against dry friction along it."""
    arrays = {"H": np.ones((2, 2)), "g": [1.0, 0], "J": np.zeros((0, 2)), "phi": np.zeros(0), "mu": np.zeros((0, 2)),
              "dof_radius": np.ones(2), "radius": np.zeros(0), "offset": np.zeros(0), "row_J": [[1.0, 0]],
              "row_offset": [0.0], "row_lower": [-friction], "row_upper": [friction], "row_compliance": [0.0],
              "row_radius": [1.0]}  # fmt: skip
    with h5py.File(folder / "problems.h5", "w") as file:
        for name, array in arrays.items():
            file[f"contact/{name}"] = np.array(array)[np.newaxis]
        file["contact/count"] = np.zeros(1, np.int32)
        file["contact"].attrs["step_size"] = 0.01


@pytest.mark.parametrize("friction, status, claim", [(0.1, 32, "unbounded"), (1.5, 1, "converged")])
def test_the_verifier_knows_how_far_bounded_rows_resist(stiction, tmp_path, friction, status, claim):
    write_pushed_apart(tmp_path, friction)
    answers = tmp_path / "answers.h5"
    solved = stiction("solve", tmp_path / "problems.h5", "--out", answers, "--allow-failures", 1)
    assert solved.returncode == 0, solved.stderr
    with h5py.File(answers) as file:
        assert file["status"][0] == status
    assert f"1  {claim}: verified" in verify(tmp_path).stdout
    with h5py.File(answers, "r+") as file:
        file["status"][0], file["direction"][0] = 32, [1, -1]
    assert ("verified" if claim == "unbounded" else "WRONG") in verify(tmp_path).stdout


def test_the_verifier_is_short_and_knows_nothing_of_this_project():
    text = VERIFY.read_text()
    assert len(text.splitlines()) <= 60
    imported = {line.split()[1] for line in text.splitlines() if line.startswith(("import ", "from "))}
    assert imported == {"collections", "sys", "h5py", "numpy"}


@pytest.mark.parametrize("options, says", [
    (["--device", "reference"], "the device cpu only"),
    (["--record-problems", "/proc/p.h5"], "cannot write /proc/p.h5"),
    (["--out", "p.h5"], "p.h5: it is the file of --out"),
])  # fmt: skip
def test_bad_wishes_are_refused_in_one_line(stiction, scene, tmp_path, options, says):
    given = options if "--record-problems" in options else [*options, "--record-problems", "p.h5"]
    run = stiction("run", scene, *given, cwd=tmp_path)
    assert_one_line(run, 2)
    assert says in run.stderr and not list(tmp_path.glob("p.h5*"))


def spoil(file, name, change):
    with h5py.File(file, "r+") as problems:
        values = problems["contact"][name][()]
        attributes = dict(problems["contact"][name].attrs)
        del problems["contact"][name]
        problems["contact"][name] = change(values)
        problems["contact"][name].attrs.update(attributes)


SPOILED = {
    "shape": ("row_upper", lambda x: x[:, :1], "/contact/row_upper: expected the shape"),
    "sides": ("sides", lambda x: x + 9, "sides: problem 0, item 0: expected two different blocks"),
    "wrong sides": ("sides", lambda x: np.full_like(x, -1), "J: problem 0, contact 0: acts on block"),
    "blocks": ("blocks", lambda x: x[:1], "blocks: expected a sum of nv"),
    "other blocks": ("blocks", lambda x: x[::-1], "lies outside the blocks"),
    "bounds": ("row_lower", lambda x: x + 1.0, "row_lower: problem 0, entry"),
    "radius": ("dof_radius", lambda x: 0 * x, "dof_radius: problem 0, entry 0: expected a positive length, given 0"),
    "friction": ("mu", lambda x: -x, "mu: problem 0, contact 0: expected 0 or more"),
}


@pytest.mark.parametrize("name, change, says", SPOILED.values(), ids=SPOILED)
def test_spoiled_files_are_refused_in_one_line(stiction, tmp_path, name, change, says):
    record_and_solve(stiction, tmp_path, ROOT / "scenes/iiwa_stack_1", "--duration", 0.5, "--dynamics", "dynamic")
    spoil(tmp_path / "problems.h5", name, change)
    run = stiction("solve", tmp_path / "problems.h5")
    assert_one_line(run, 2)
    assert f"{tmp_path}/problems.h5: " in run.stderr and says in run.stderr


def test_an_interrupted_run_leaves_its_problems(start, scene, tmp_path, stiction):
    process = start("run", scene, "--duration", 1000, "--record-problems", tmp_path / "p.h5")
    partial = tmp_path / "p.h5.partial"
    while not (partial.exists() and partial.stat().st_size > 200000):
        assert process.poll() is None
    process.terminate()
    _, error = process.communicate(timeout=60)
    assert process.returncode == 143 and error.count("\n") == 1 and f"problems are in {partial}" in error
    assert not (tmp_path / "p.h5").exists()
    assert stiction("solve", partial, "--problems", "0-9").returncode == 0
