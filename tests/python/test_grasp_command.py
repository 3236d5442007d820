"""Claims: every format of grasps is judged and written back; what does not go together is one line; protocols are names, files or
tables; a hand closes until it touches."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import stiction as st
from jaws import PRESS, STRAIGHT, H, around, jaws, many, same_bits, text
from stiction import grasp
from stiction.__main__ import main
from stiction.errors import InputError

FILES = [("isaac_grasp", "g.yaml"), ("graspgen", "g.json"), ("acronym", "g.h5"), ("dexgraspnet", "g.npy"), ("dexgraspbench", "g.npy")]


@pytest.mark.parametrize(("format", "file"), FILES)
def test_every_format_is_read_judged_and_written_back(tmp_path, format, file, capsys):
    pytest.importorskip("yaml" if format == "isaac_grasp" else "h5py" if format == "acronym" else "numpy")
    (tmp_path / "jaws.xml").write_text(text())
    grasp.write_grasps(tmp_path / file, around(np.tile([1.0, 0, 0, 0], (2, 1)), [[0, 0, 0], [0, 0.06, 0]]), format)
    out = tmp_path / "out" / file
    arguments = ["grasp", tmp_path / "jaws.xml", tmp_path / file, "--out", out, "--format", format, "--table", tmp_path / "t.csv", "--joints", "left,right"]
    assert main([str(one) for one in arguments]) == 0
    assert "1 of 2 grasps held\n     1 no contact" in capsys.readouterr().out
    again = grasp.read_grasps(out, joint_names=["left", "right"])
    if format in ("isaac_grasp", "graspgen", "acronym"):
        assert again.confidence.tolist() == [1, 0]
    assert main([str(one) for one in [*arguments, "--only-held"]]) == 0
    assert len(grasp.read_grasps(out, joint_names=["left", "right"])) == 1
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert len(lines) == 3 and lines[0].startswith("name,held") and ",no contact,converged" in lines[2]


def test_the_command_prints_its_help_and_refuses_in_one_line(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(Path(os.environ["STICTION_BUILD"]) / "python")}
    run = lambda *words: subprocess.run([sys.executable, "-m", "stiction", "grasp", *words], capture_output=True, text=True, env=environment, check=False)
    shown = run("--help")
    assert shown.returncode == 0 and "six_forces" in shown.stdout and "--protocol" in shown.stdout
    (tmp_path / "jaws.xml").write_text(text())
    grasp.write_grasps(tmp_path / "g.json", around(STRAIGHT))
    for words, line in (
        (["jaws.xml", "no.json"], "no.json: no such file"), (["no.xml", "g.json"], "no.xml"),
        (["jaws.xml", "g.json", "--protocol", "six_force"], "there is no 'six_force'; did you mean 'six_forces'?"),
        (["jaws.xml", "g.json", "--set", "frictoin=1"], "there is no 'frictoin'; did you mean 'friction'?"),
        (["jaws.xml", "g.json", "--set", "friction"], "--set: 'friction' is no KEY=VALUE"),
    ):  # fmt: skip
        shown = run(*[str(tmp_path / word) if "." in word else word for word in words])
        assert shown.returncode == 2 and line in shown.stderr and shown.stderr.count("\n") == 1, shown.stderr


WRONG = [
    ({"grasps": 3}, "grasps: expected Grasps, got int"),
    ({"scene": 3}, "scene: expected a Scene or a path, got int"),
    ({"batch": 0}, "batch: 0 given, must be an integer of at least 1"),
    ({"palm": "left"}, "palm: body 'left' moves"),
    ({"palm": "plam"}, "did you mean 'palm'"),
    ({"object": "palm"}, "object: body 'palm' has no free joint"),
    ({"force": -1.0}, "force: -1.0 given, must be a positive number"),
    ({"grasps": around(STRAIGHT, joint_names=["left", "rigth"])}, "no actuator of the hand moves a joint 'rigth'.* did you mean 'right'"),
    ({"grasps": around(STRAIGHT, joint_names=["left", "left"])}, "joint 'left' is named twice"),
    ({"grasps": around(STRAIGHT, joint_names=["left"], grasp=[[0]], pregrasp=None, squeeze=None)}, "1 joints are named, and 'right' of the hand's 2 is not"),
    ({"grasps": around(STRAIGHT, pregrasp=None, squeeze=None), "closed": {"left": 1.0}}, "closed: 1 joints are named, and 'right'"),
    ({"grasps": around(STRAIGHT, pregrasp=None, squeeze=None), "closed": "shut"}, "keyframe: the model has no keyframe 'shut'"),
    ({"protocol": {"friction": -1}}, "friction: -1 given, must be a number of at least 0"),
    ({"protocol": {"friction": "slippery"}}, "friction: 'slippery' given"),
    ({"protocol": {"loads": ["+x -w"]}}, "loads: '-w' is no direction"),
    ({"protocol": {"loads": []}}, "loads: .* must be a list of texts"),
    ({"protocol": {"law": "newton"}}, "law: 'newton' given, must be one of coulomb, anitescu"),
    ({"protocol": {"step_size": 0}}, "step_size: 0 given, must be a number above 0"),
    ({"protocol": "none.toml"}, "none.toml: cannot be read"),
    ({"protocol": 7}, "protocol: expected a name, a path or a table, got int"),
    ({"scene": st.load_model(text(condim=3), step_size=H)}, 'have condim 3 where .* give the object\'s geoms condim="4"'),
    ({"scene": st.load_model(text(), step_size=H, friction=[0.2, 0.8]), "protocol": {"friction": "model"}}, r"\[randomize\] draws friction"),
    ({"scene": st.load_model(text(), step_size=H, mass_scale=[0.5, 2.0])}, r"\[randomize\] draws mass"),
    ({"scene": st.load_model(text(moves=""), step_size=H)}, "no actuator moves a hinge or slide"),
    ({"object": "none"}, "body: the model has no body 'none'"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "line"), WRONG, ids=[line[:40] for _, line in WRONG])
def test_what_does_not_go_together_is_one_line(changes, line):
    given = {"scene": jaws(), "grasps": around(STRAIGHT), "protocol": "six_forces"} | changes
    with pytest.raises(InputError, match=line) as caught:
        grasp.evaluate(given.pop("scene"), given.pop("grasps"), given.pop("protocol"), **given)
    assert "\n" not in str(caught.value)


def test_a_protocol_is_a_name_a_file_or_a_table(tmp_path):
    (tmp_path / "mine.toml").write_text('base = "six_forces"\nacceleration = 3.0\n')
    mine = grasp.read_protocol(tmp_path / "mine.toml")
    assert (mine.name, mine.acceleration, mine.loads) == ("mine", 3.0, grasp.read_protocol("six_forces").loads)
    (tmp_path / "bad.toml").write_text("acceleration = \n")
    with pytest.raises(InputError, match=r"bad\.toml: is not TOML"):
        grasp.read_protocol(tmp_path / "bad.toml")
    assert grasp.read_protocol(mine) is mine and set(grasp.protocol_names()) == {"lift", "shake", "six_forces", "six_gravities", "tugs"}


def test_what_a_scene_draws_does_not_matter_where_the_protocol_says_it():
    random = st.load_model(text(), step_size=H, friction=[0.2, 0.8], qpos_noise=0.01, seed=3)
    same_bits(grasp.evaluate(jaws(), many()), grasp.evaluate(random, many(), batch=5))


def test_chosen_grasps_keep_their_bits():
    grasps, order = many(500), np.random.default_rng(1).permutation(500)
    assert np.array_equal(grasps.select(order).quat, grasps.quat[order])


def test_no_grasps_have_no_verdicts():
    found = grasp.evaluate(jaws(), around(STRAIGHT).select([]))
    assert len(found) == 0 and "0 of 0 grasps held" in found.summary()


def test_a_scene_of_other_steps_is_loaded_anew():
    found = grasp.evaluate(st.load_model(text(), step_size=0.005, law="anitescu"), around(STRAIGHT))
    same_bits(found, grasp.evaluate(jaws(), around(STRAIGHT)))


@pytest.mark.parametrize("static", [True, False])
def test_fingers_close_until_each_touches(static):
    """The object is 5 mm nearer to one pad: held still, each pad stops at its own face; free, one pushes it to the other, and both press."""
    model = text().replace('<equality><joint joint1="left" joint2="right"/></equality>', "").replace('quat=".6 .8 0 0"', "").replace("-9.81", "0")
    with st.Simulator(st.load_model(model.replace(" 1 1 1 1 0 0 0", " .105 .2 .44 1 0 0 0"), step_size=0.01), batch=3) as sim:
        sim.reset(keyframe="open")
        found = grasp.auto_grasp(sim, speed=0.05, static=static)
        assert found.joint_names == ["left", "right"] and found.touching.all() and found.closure.all() and (found.epsilon > 0).all()
        gaps = found.joints.sum(axis=1)
        np.testing.assert_allclose(gaps, -0.04, atol=2e-5)
        assert not sim.params.frozen.any()
        if static:
            np.testing.assert_allclose(found.joints, [[-0.015, -0.025]] * 3, atol=2e-5)
            np.testing.assert_array_equal(sim.body("cube").pos[:, 0], 0.105)
        else:
            assert (np.abs(np.asarray(sim.body("cube").pos)[:, 0] - 0.105) > 1e-3).all()
            np.testing.assert_allclose(found.contacts.force.sum(axis=1), 2 * PRESS, rtol=1e-3)


def test_fingers_that_never_touch_arrive():
    with st.Simulator(jaws(), batch=1) as sim:
        found = grasp.auto_grasp(sim, static=True, time=2.0)
        assert not found.touching.any() and not found.closure.any() and found.epsilon[0] == 0 and found.contacts.count[0] == 0
    for given, line in (
        ({"joints": ["lift"]}, "joint"), ({"closed": {"left": 0.1}}, "closed: joint 'right' is missing"), ({"speed": 0.0}, "speed: 0.0 given"),
        ({"object": "palm"}, "has no free joint"), ({"closed": "shut"}, "no keyframe 'shut'"), ({"joints": []}, "joints: expected names"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=line):
            grasp.auto_grasp(jaws(), **given)
