"""The package of the build under test, and recordings that the tests share, made once."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(os.environ["STICTION_BUILD"]) / "python"))
os.chdir(Path(__file__).parents[2])

from recordings import record  # noqa: E402  # after the package can be found


@pytest.fixture(scope="session")
def gripper_file(tmp_path_factory):
    """gripper2d, 3 environments, 35 steps of 0.01 s, with contacts."""
    file = tmp_path_factory.mktemp("gripper") / "gripper.h5"
    options = ("--batch", 3, "--record", "contacts", "--step-size", 0.01, "--duration", 0.35)
    return record("scenes/gripper2d", file, *options)


@pytest.fixture(scope="session")
def stack_file(tmp_path_factory):
    """iiwa_stack_1, 2 environments, 5 s at h = 0.1 s, with contacts."""
    file = tmp_path_factory.mktemp("stack") / "stack.h5"
    return record("scenes/iiwa_stack_1", file, "--batch", 2, "--record", "contacts", "--duration", 5)


MOVED = """<mujoco><worldbody>
  <geom name="floor" type="plane" size="2 2 1"/>
  <body name="lid" mocap="true" pos="0 0 1"><geom name="lid" type="box" size=".3 .1 .05" rgba="1 0 0 1"/></body>
  <body name="ball" pos="0 0 .1"><freejoint/><geom name="ball" size=".1"/></body>
</worldbody></mujoco>"""


@pytest.fixture(scope="session")
def moved_file(tmp_path_factory):
    """A lid that a table moves and turns above a ball, 3 environments with a friction of their own, 10 steps."""
    folder = tmp_path_factory.mktemp("moved")
    (folder / "model.xml").write_text(MOVED)
    (folder / "lid.csv").write_text("0,0,0,0.5,1,0,0,0\n0.1,0.5,0,0.7,0,1,0,0\n")
    text = 'model = "model.xml"\n[step]\nduration = 0.1\n[[mocap]]\nbody = "lid"\nfile = "lid.csv"\n[randomize]\n'
    (folder / "scene.toml").write_text(text + "friction = [0.2, 0.9]\n")
    return record(folder, folder / "moved.h5", "--batch", 3, "--record", "contacts")
