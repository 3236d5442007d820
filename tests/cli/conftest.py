"""The program under test, and a small scene for it: a box that a position actuator pushes over the floor."""

import subprocess

import pytest
from stiction_program import BINARY

MODEL = """
<mujoco model="push">
  <default><geom friction=".3"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="box" pos="0 0 .1">
      <freejoint name="free"/>
      <geom name="box" type="box" size=".1 .1 .1" mass="1"/>
    </body>
    <body name="pusher" pos="-.25 0 .1">
      <joint name="push" type="slide" axis="1 0 0"/>
      <geom name="pusher" type="sphere" size=".05" mass="1"/>
    </body>
  </worldbody>
  <actuator><position name="push" joint="push" kp="500"/></actuator>
</mujoco>
"""
SCENE = """
model = "model.xml"
[physics]
dynamics = "quasidynamic"
law = "anitescu"
cone = "pyramid"
[solver]
tolerance = 1e-6
[step]
step_size = 0.02
duration = 0.2
[[command]]
time = 0.0
ctrl = [0.0]
[[command]]
time = 0.2
ctrl = [0.2]
[randomize]
seed = 3
qpos_noise = { push = [0.01] }
"""


@pytest.fixture
def stiction():
    """Runs the program; a run that does not end within a minute is an error."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built (STICTION_BIN names another)")

    def run(*arguments, **keywords):
        return subprocess.run([str(BINARY), *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False, **keywords)

    return run


@pytest.fixture
def start():
    """Starts the program and returns the process, which is ended after the test."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built (STICTION_BIN names another)")
    started = []

    def run(*arguments):
        process = subprocess.Popen(
            [str(BINARY), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def scene(tmp_path):
    folder = tmp_path / "push"
    folder.mkdir()
    (folder / "model.xml").write_text(MODEL)
    (folder / "scene.toml").write_text(SCENE)
    return folder
