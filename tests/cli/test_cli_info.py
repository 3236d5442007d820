"""`info` and `doctor` say what is in a scene and what the program needs."""

import re

import pytest
from stiction_program import assert_one_line


def test_info_names_sizes_trees_actuators_choices_and_memory(stiction, scene):
    run = stiction("info", scene)
    assert run.returncode == 0 and run.stderr == ""
    assert "nq 8  nv 7  nu 1  bodies 3  joints 2  geoms 3" in run.stdout
    assert re.search(r"trees +6 dofs from body box \(1 free\), 0 actuated\n +1 dofs from body pusher \(1 slide\), 1 actuated", run.stdout)  # fmt: skip
    assert re.search(r"actuators +push on push: position +kp 500", run.stdout)
    for choice in ("dynamics", "law", "cone", "solver"):
        assert re.search(rf"^{choice} .*built: .*default: ", run.stdout, re.MULTILINE)
    assert "duration 0.2 s: 10 steps; 2 command knots" in run.stdout
    assert re.search(r"memory .* kB.*; a step of one works in .* kB on the host", run.stdout)
    assert re.search(r"on a GPU .* kB an environment \(float64\), and .* kB for each of those that it works on at once", run.stdout)


def test_info_says_how_contacts_are_read_where_it_is_not_the_default(stiction, scene):
    assert "contact  " not in stiction("info", scene).stdout
    text = (scene / "scene.toml").read_text().replace('law = "anitescu"\ncone = "pyramid"\n', "")
    (scene / "scene.toml").write_text(text.replace('dynamics = "quasidynamic"', 'preset = "ecp"\ntorsion_radius = "uniform"'))
    assert "contact    patch, geometry end, rotation linear, torsion radius uniform\n" in stiction("info", scene).stdout
    (scene / "scene.toml").write_text(text.replace("[physics]", '[physics]\ngeometry = "end"'))
    run = stiction("info", scene)
    assert run.returncode == 0 and "contact    points, geometry end\n" in run.stdout
    assert re.search(r"^law .*built: anitescu, coulomb, frictionless, patch;", run.stdout, re.MULTILINE)


def test_info_counts_the_impulses_of_a_file(stiction, scene):
    (scene / "pushes.csv").write_text("step,px,py,pz,tx,ty,tz\n" + "".join(f"{step},0,0,0.1,0,0,0\n" for step in range(5)))
    with (scene / "scene.toml").open("a") as file:
        file.write('[[impulse]]\nbody = "box"\nfile = "pushes.csv"\n')
    assert "scripts    5 impulses\n" in stiction("info", scene).stdout


def test_info_of_a_bare_model(stiction, scene):
    run = stiction("info", scene / "model.xml")
    assert run.returncode == 0 and "nq 8  nv 7" in run.stdout


def test_info_shows_couplings(stiction, tmp_path):
    model = tmp_path / "m.xml"
    model.write_text("""<mujoco><worldbody><body><joint name="a" type="slide"/><geom size=".1" mass="1"/></body>
        <body pos="1 0 0"><joint name="b" type="slide"/><geom size=".1" mass="1"/></body></worldbody>
        <equality><joint joint1="a" joint2="b" polycoef="0 2 0 0 0"/></equality></mujoco>""")
    run = stiction("info", model)
    assert run.returncode == 0, run.stderr
    assert re.search(r"couplings +a = polynomial \(0, 2, 0, 0, 0\) of b", run.stdout)


def test_doctor_reports_every_version_and_a_gpu_or_why_none(stiction):
    run = stiction("doctor")
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"stiction +\d+\.\d+\.\d+", run.stdout) and re.search(r"hdf5 +\d+\.\d+\.\d+", run.stdout)
    assert re.search(r"MuJoCo +header 4\.0\.0, library 4\.0\.0, Python ", run.stdout)
    assert re.search(r"CPU +needs", run.stdout) and re.search(r"threads +\d+", run.stdout)
    assert re.search(r"CUDA +(cuda:0|no usable GPU: .+)", run.stdout)


def test_doctor_refuses_a_python_with_another_mujoco(stiction, tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 3.9.9\n")
    python.chmod(0o755)
    run = stiction("doctor", env={"STICTION_PYTHON": str(python), "PATH": "/usr/bin:/bin"})
    assert_one_line(run, 2)
    assert "Python 3.9.9" in run.stdout


def test_version_is_that_of_the_project(stiction):
    assert re.fullmatch(r"stiction \d+\.\d+\.\d+\n", stiction("--version").stdout)


def test_overlaps_of_one_robot_are_listed_and_counted(stiction, tmp_path):
    model = tmp_path / "m.xml"
    model.write_text("""<mujoco><worldbody><body name="arm"><joint axis="0 0 1"/><geom size=".1"/>
        <body name="elbow" pos=".1 0 0"><joint axis="0 1 0"/><geom size=".01"/>
        <body name="hand"><joint axis="1 0 0"/><geom name="palm" size=".05"/></body></body></body></worldbody></mujoco>""")
    info, run = stiction("info", model), stiction("run", model, "--duration", 0.02)
    assert "arm and hand/palm overlap by 50 mm at the start: never checked" in info.stdout
    assert "1 pairs of one robot overlap at the start" in run.stdout


def test_info_names_what_the_first_step_can_not_separate(stiction, tmp_path):
    model = tmp_path / "m.xml"
    model.write_text("""<mujoco><option gravity="0 0 0"/><worldbody>
        <geom name="left" type="plane" size="1 1 1" pos="-.075 0 0" zaxis="1 0 0"/>
        <geom name="right" type="plane" size="1 1 1" pos=".075 0 0" zaxis="-1 0 0"/>
        <body name="stuck" pos=".02 0 0"><joint type="slide" axis="1 0 0" damping="1"/><geom name="ball" size=".1" mass="1"/></body>
        </worldbody></mujoco>""")
    run = stiction("info", model)
    assert run.returncode == 0, run.stderr
    assert re.search(
        r"infeasible world/(left|right) and stuck/ball overlap by [\d.]+ mm after step 1: no motion separates them\n", run.stdout
    )
    model.write_text(model.read_text().replace('size=".1" mass', 'size=".05" mass'))
    assert "infeasible" not in stiction("info", model).stdout


def test_info_lists_welds_and_connects(stiction, tmp_path):
    (tmp_path / "m.xml").write_text("""<mujoco><worldbody><body name="hand" mocap="true"/>
      <body name="cube"><freejoint/><geom size=".1"/></body></worldbody>
      <equality><weld name="grip" body1="hand" body2="cube"/><connect name="pin" body1="cube" anchor="0 0 0"/></equality></mujoco>""")
    run = stiction("info", tmp_path / "m.xml")
    assert run.returncode == 0, run.stderr
    assert "welds      weld grip holds hand to cube\n           connect pin holds cube to world\n" in run.stdout
    assert run.stdout.startswith("m: dynamics dynamic, law coulomb, cone quadratic, step 0.01 s (model: 0.002, not used)\n")


def test_info_refuses_and_warns_as_run_does(stiction, scene):
    text = (scene / "scene.toml").read_text()
    (scene / "scene.toml").write_text(text.replace('cone = "pyramid"', 'cone = "pyramid"\ncontact = "patch"'))
    for command in ("info", "run"):
        assert 'contact = "patch" needs a round friction cone' in stiction(command, scene).stderr


@pytest.mark.parametrize("given", ["dynamics", "law"])
def test_the_first_line_says_what_was_chosen(stiction, scene, given):
    value = {"dynamics": "dynamic", "law": "frictionless"}[given]
    first = stiction("run", scene, f"--{given}", value).stdout.splitlines()[0]
    assert f"{given} {value}" in first and "step 0.02 s (model: 0.002, not used)" in first
    assert ("cone" in first) == (given == "dynamics")
