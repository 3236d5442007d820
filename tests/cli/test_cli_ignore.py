"""`--ignore` leaves features out of a model, by name and with a line; without it they act or are refused."""

import pytest
from stiction_program import assert_one_line

AIR = '<option density="1.2" viscosity="2e-5" wind="1 0 0"/>'
FILTER = '<actuator><general name="lazy" joint="hinge" gainprm="1" dyntype="filter" dynprm=".1"/></actuator>'
FIELD = '<asset><hfield name="hills" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 0 1"/></asset>'
MODEL = """<mujoco>{air}{field}<worldbody>{hills}<body pos="0 0 3"><joint name="hinge" axis="0 1 0"/><geom size=".1" pos=".2 0 0"{condim}/></body>
  </worldbody>{actuator}</mujoco>"""


def write(folder, **parts):
    file = folder / "model.xml"
    file.write_text(MODEL.format(**{"air": "", "field": "", "hills": "", "condim": "", "actuator": ""} | parts))
    return file


@pytest.mark.parametrize(
    ("feature", "parts", "refused", "left_out"),
    [
        ("fluid", {"air": AIR}, None, "option wind (fluid), option density (fluid), option viscosity (fluid)"),
        ("activation", {"actuator": FILTER}, None, "filter of actuator 'lazy' (activation)"),
        ("height_field", {"field": FIELD, "hills": '<geom name="hills" type="hfield" hfield="hills"/>'},
         "geom 'hills' of body 'world' collides and is a height field", "geom 'hills' (height_field)"),
    ],
)  # fmt: skip
def test_a_feature_acts_or_is_refused_or_left_out_with_a_line(stiction, tmp_path, feature, parts, refused, left_out):
    model = write(tmp_path, **parts)
    for command in ("info", "run"):
        run = stiction(command, model)
        if refused:
            assert_one_line(run, 2)
            assert refused in run.stderr and f"--ignore {feature}" in run.stderr
        else:
            assert run.returncode == 0 and "left out" not in run.stderr
        run = stiction(command, model, "--ignore", feature)
        assert run.returncode == 0 and left_out in run.stderr and "left out of" not in run.stdout


def test_an_unknown_feature_is_answered_with_the_nearest(stiction, tmp_path):
    run = stiction("run", write(tmp_path), "--ignore", "fluids")
    assert_one_line(run, 2)
    assert 'the nearest is "fluid"' in run.stderr and "activation, height_field" in run.stderr


def test_condim_6_is_read_as_4_with_a_line(stiction, tmp_path):
    hills = '<geom name="floor" type="plane" size="5 5 1"/>'
    run = stiction("run", write(tmp_path, hills=hills, condim=' name="tip" condim="6"'))
    assert run.returncode == 0 and "rolling friction of geom 'tip' (condim 6 is read as 4)" in run.stderr


def test_without_constraints_nothing_collides_or_stops(stiction, tmp_path):
    option = '<option><flag constraint="disable"/></option>'
    run = stiction("info", write(tmp_path, air=option, hills='<geom type="plane" size="5 5 1" pos="0 0 2.9"/>'))
    assert run.returncode == 0 and "geoms 0" in run.stdout
