"""bench/models: what counts as a model, how URDFs are resolved, what is read from the program, and what the page says."""

import json
import os
import pathlib
import stat
import subprocess
import sys

import pytest
from load_script import load_script

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench/models"))  # the files there import each other


def load(name):
    return load_script(f"bench/models/{name}.py", f"models_{name}")


causes, ours, packages, report, speed, urdf = map(load, ("causes", "ours", "packages", "report", "speed", "urdf"))

BALL = '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .2"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
WING = BALL.replace("<worldbody>", '<option density="1"/><worldbody>').replace('".1"/>', '".1" fluidshape="ellipsoid"/>')
PART = "<mujocoinclude><body/></mujocoinclude>"


def program(tmp_path, text):
    """A program that is a shell script."""
    path = tmp_path / "program"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return ours.Program(str(path), 10.0, 2)


def model_file(folder, name, text="<mujoco/>"):
    (folder / name).write_text(text)
    return packages.ModelFile("p", folder, name)


def test_candidates_are_whole_models_in_a_fixed_order(tmp_path):
    folder = tmp_path / "unpacked/gymnasium"
    folder.mkdir(parents=True)
    for name, text in (("b.xml", BALL), ("a.xml", BALL), ("part.xml", PART), ("pom.xml", "<project/>"), ("c.urdf", "<robot name='r'/>"), ("t.txt", BALL)):
        (folder / name).write_text(text)
    names = [file.name for file in packages.candidates(tmp_path, tmp_path / "nowhere")]
    assert names == ["a.xml", "b.xml", "c.urdf"]


def test_the_sample_of_pybullet_is_a_rule():
    names = sorted([f"data/{i:03}.urdf" for i in range(9)] + [f"data/random_urdfs/{i:03}/{i:03}.urdf" for i in range(401)] + ["data/ant.xml"])
    assert packages.sample(names) == ["data/ant.xml", *(f"data/{i:03}.urdf" for i in range(0, 9, 2)),
                                      *(f"data/random_urdfs/{i}/{i}.urdf" for i in ("000", "200", "400"))]  # fmt: skip


def test_a_package_is_the_nearest_folder_above_or_any_in_the_archive(tmp_path):
    for folder in ("a/robot/urdf", "a/meshes", "far/away/hand"):
        (tmp_path / folder).mkdir(parents=True)
    file = tmp_path / "a/robot/urdf/r.urdf"
    assert urdf.find_package("robot", file, tmp_path) == tmp_path / "a/robot"
    assert urdf.find_package("meshes", file, tmp_path) == tmp_path / "a/meshes"
    assert urdf.find_package("hand", file, tmp_path) == tmp_path / "far/away/hand"
    assert urdf.find_package("nowhere", file, tmp_path) is None


def test_a_resolved_urdf_has_absolute_meshes_and_no_visuals(tmp_path):
    (tmp_path / "arm").mkdir()
    shape = '<{0}><geometry><mesh filename="{1}"/></geometry></{0}>'
    text = f"<robot><link name='l'>{shape.format('visual', 'x.dae')}{shape.format('collision', 'package://arm/m.obj')}{shape.format('collision', 'n.obj')}</link></robot>"
    (tmp_path / "arm/r.urdf").write_text(text)
    resolved = urdf.resolved_text(tmp_path / "arm/r.urdf", tmp_path)
    assert "visual" not in resolved and "x.dae" not in resolved and 'strippath="false"' in resolved
    assert f'"{tmp_path}/arm/m.obj"' in resolved and f'"{tmp_path}/arm/n.obj"' in resolved


def test_figures_are_read_from_the_program(tmp_path):
    fake = program(tmp_path, '[ "$2" = --help ] || echo "contacts, mean              4.5"\n')
    assert fake.run(model_file(tmp_path, "m.xml"), "convex", 0.01, 1.0) == {"exit": 0, "line": "", "contacts": 4.5}


def test_the_fastest_of_the_runs_after_the_first_counts(monkeypatch):
    clock, calls = [0.0], []

    class Fake:
        def step(self, steps):
            clock[0] += (9.0, 5.0, 3.0, 4.0)[len(calls) // 2]
            calls.append(steps)

        def reset(self):
            calls.append("reset")

    monkeypatch.setattr(speed.time, "process_time", lambda: clock[0])
    assert speed.seconds_of(Fake(), 7, 3) == 3.0
    assert calls == [7, "reset", 7, "reset", 7, "reset", 7]


def test_a_missing_package_is_no_speed(tmp_path):
    fake = program(tmp_path, "exit 0\n")
    with pytest.raises(RuntimeError, match="/python has no Python package to time"):
        fake.speed(model_file(tmp_path, "m.xml"), "defaults", 0.01, 1.0)


def test_the_refusal_is_the_line_that_ends_the_program(tmp_path):
    refused = program(tmp_path, 'echo "stiction: warning: odd" >&2; echo "stiction: m.xml: is a weld constraint" >&2; exit 2\n')
    row = refused.run(model_file(tmp_path, "m.xml"), "convex", 0.01, 1.0)
    assert (row["exit"], row["line"]) == (2, "stiction: m.xml: is a weld constraint")


def test_a_program_that_does_not_end_is_ended(tmp_path):
    slow = program(tmp_path, '[ "$2" = --help ] || exec sleep 60\n')
    slow.limit = 0.2
    assert slow.info(model_file(tmp_path, "m.xml"))["exit"] == ours.TIMED_OUT


def test_options_are_used_once_the_program_has_them(tmp_path):
    (tmp_path / "far/hand").mkdir(parents=True)
    (tmp_path / "robot").mkdir()
    file = packages.ModelFile("p", tmp_path, "robot/r.urdf")
    file.path.write_text('<robot><mesh filename="package://hand/m.obj"/></robot>')
    without = program(tmp_path, "echo '  --batch INT  number'\n")
    assert without.ignored_words() == [] and without.package_options(file) == []
    with_both = program(tmp_path, "printf '  --ignore NAME   What is ignored: fluid | weld | filter\\n  --package TEXT ... NAME=DIR\\n'\n")
    assert with_both.ignored_words() == ["--ignore", "fluid", "--ignore", "weld", "--ignore", "filter"]
    assert with_both.package_options(file) == ["--package", f"hand={tmp_path / 'far/hand'}"]


@pytest.mark.parametrize(("line", "cause"), [
    ("stiction: a.xml: equality '#0' is a weld constraint, supported are joint and fixed-tendon equalities", "weld"),
    ("stiction: a.xml: option density is not 0: fluid forces are not supported", "density, viscosity, wind"),
    ("stiction: a.xml:90: geom 'FR' of body 'b' has contacts of condim 6, supported are 1, 3 and 4 (no rolling friction)", "condim 6"),
    ("stiction: a.xml: geom 'g' collides and is a height field, which is not supported: use boxes or meshes", "height field"),
    ("stiction: a.xml:47: tendon 'string' is spatial, supported are fixed tendons", "spatial tendon"),
    ("stiction: 1 of 1 environments failed: 0 (infeasible: joint j is beyond its limit by 0.5 rad after step 1)", "infeasible start or step"),
    ("stiction: something new", "other"),
])  # fmt: skip
def test_causes_are_told_from_the_line(line, cause):
    assert causes.cause_of(line) == cause


def test_the_whole_run_writes_page_and_table_and_goes_on_where_it_ended(tmp_path):
    binary = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction"))
    if not binary.exists():
        pytest.skip(f"{binary} is not built (STICTION_BIN names another)")
    own = tmp_path / "own"
    own.mkdir()
    for name, text in (("ball.xml", BALL), ("wing.xml", WING), ("part.xml", PART), ("broken.xml", "<mujoco><nothing/></mujoco>")):
        (own / name).write_text(text)
    command = [sys.executable, ROOT / "bench/models/run", "--cache", tmp_path / "cache", "--own", own, "--binary", binary, "--repeats", "1", "--no-page"]
    (tmp_path / "cache").mkdir()
    first, again = (subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout for _ in range(2))
    assert "2 of 3 files load in MuJoCo; run 1 (50 %)" in first and "1 lift and drag of shapes" in first
    assert "3/3" in first and "/3 " not in again and again.splitlines()[0] in first
    rows = [json.loads(line) for kept in (tmp_path / "cache").glob("results-*.jsonl") for line in kept.read_text().splitlines()]
    speeds = [row["runs"][choice]["steps_per_s"] for row in rows if row["file"] == "ball.xml" for choice in ours.CHOICES]
    assert len(speeds) == 2 and min(speeds) > 0
    page = report.page(rows, {"mujoco": "4.0.0", "step": 0.01, "duration": 1.0, "packages": ["mjlab"]})
    assert "| **all** | 3 | 2 | 1 (50 %) |" in page and "Not there when this was measured: mjlab." in page
    report.write_csv(rows, tmp_path / "models.csv")
    assert len((tmp_path / "models.csv").read_text().splitlines()) == 4
    assert str(tmp_path) not in page + (tmp_path / "models.csv").read_text()
