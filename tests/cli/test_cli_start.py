"""Starts that are nearly right: warnings that name what is wrong, and failures only where it stays."""

import pytest
from stiction_program import assert_one_line

KEYFRAMES = '<keyframe><key name="home" qpos=".5"/><key name="far" qpos=".9"/></keyframe>'


def model(tmp_path, body, more=""):
    path = tmp_path / "model.xml"
    path.write_text(f'<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>{body}</worldbody>{more}</mujoco>')
    return path


def hinge(limits, start=""):
    return f'<body><joint name="elbow" axis="0 0 1" range="{limits}" limited="true" {start}/><geom size=".1" mass="1"/></body>'


@pytest.fixture
def bent(tmp_path):
    """A joint 0.3 rad below its limits, and keyframes within them."""
    return model(tmp_path, hinge("0.3 1"), KEYFRAMES)


def test_a_joint_outside_its_limits_is_named_with_the_amount_and_keyframes(stiction, bent):
    says = "at the start joint elbow is beyond its limit by 0.3 rad; the model has the keyframes 'home', 'far': --keyframe 'home'\n"
    run, info = stiction("run", bent, "--dynamics", "dynamic", "--duration", "0.1"), stiction("info", bent)
    assert run.returncode == 0 and f"stiction: warning: {says}" in run.stderr
    assert info.returncode == 0 and f"bad start  {says}" in info.stdout


def test_a_keyframe_with_a_good_start_has_no_warning(stiction, bent):
    run = stiction("run", bent, "--keyframe", "home", "--duration", "0.1")
    assert run.returncode == 0 and "at the start" not in run.stderr
    assert "at the start" not in stiction("info", bent, "--keyframe", "home").stdout


def test_bodies_inside_each_other_are_named_and_parted(stiction, tmp_path):
    balls = "".join(f'<body name="{name}" pos="{x} 0 0"><freejoint/><geom size=".1"/></body>' for name, x in (("a", 0), ("b", 0.197)))
    run = stiction("run", model(tmp_path, balls), "--dynamics", "dynamic", "--duration", "0.1")
    assert run.returncode == 0 and "stiction: warning: at the start a and b overlap by 3 mm\n" in run.stderr


@pytest.mark.parametrize("infeasible", ["least_violation", "keep"])
def test_what_no_step_undoes_is_a_failure_with_its_name(stiction, tmp_path, infeasible):
    stuck = model(tmp_path, hinge("0.3 1"), '<equality><joint joint1="elbow" polycoef="0 0 0 0 0"/></equality>')
    run = stiction("run", stuck, "--dynamics", "dynamic", "--duration", "0.1", "--infeasible", infeasible)
    assert run.returncode == 3 and "environments failed         1" in run.stdout
    assert "joint elbow" in run.stderr.splitlines()[-1] and "after step 1" in run.stderr.splitlines()[-1]
    assert_one_line(stiction("run", stuck, "--duration", "0.1", "--infeasible", infeasible, "--quiet"), 3)


def test_steps_without_a_solution_that_undo_a_start_are_counted_and_no_failure(stiction, tmp_path):
    """An arm has to turn by 1 rad and a post stands in its way: no motion of the first step does both, and it is past the post then."""
    arm = '<body><joint name="elbow" axis="0 0 1" range="1 2" limited="true"/><geom type="capsule" fromto="0 0 0 .8 0 0" size=".02"/></body>'
    post = '<geom name="post" pos=".5 .12 0" size=".05"/>'
    run = stiction("run", model(tmp_path, arm + post), "--dynamics", "dynamic", "--duration", "0.1")
    assert run.returncode == 0, run.stderr
    assert "joint elbow is beyond its limit by 1 rad" in run.stderr
    assert "warning: the start of 1 environments was undone in steps without a solution, the last is step 1\n" in run.stdout
    kept = stiction("run", model(tmp_path, arm + post), "--dynamics", "dynamic", "--duration", "0.1", "--infeasible", "keep")
    assert kept.returncode == 3 and "joint elbow is beyond its limit by 1 rad after step 1" in kept.stderr
