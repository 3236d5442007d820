"""The four scenes of Xie and Chakraborty, section VI, and two with bodies that push one another; made, run and recorded.

World axes; q = [position, quaternion w x y z], ν = [v; ω], p_app = [N s; N m s]. g = 9.8 m/s², h = 0.01 s, floor z = 0.
Steps count from 0. S2 is pushed in every step that starts without turning about z: in steps 27, 38, 49, ..., 995.
"""

import dataclasses
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest
import recorded

ROOT = pathlib.Path(__file__).parents[2]
BINARY = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction"))
S4_IMPULSES = ROOT / "scenes/walked_cylinder/impulses.csv"
H, G = 0.01, 9.8
CUBE = 'type="box" size=".5 .5 .5" mass="1"'
PULSES = range(27, 1000, 11)  # of S2


@dataclasses.dataclass
class Scene:
    """`geoms`: of the bodies; `q` (bodies, 7) with unit quaternions and `nu` (bodies, 6) at the start; `pushes`: step -> p_app of body 0."""

    geoms: list
    friction: float  # μ
    radius: float    # e_r [m]
    q: list
    nu: list
    steps: int
    pushes: dict = dataclasses.field(default_factory=dict)
    impulse_file: pathlib.Path | None = None
    floor: str = '<geom name="floor" type="plane" size="50 50 1" {grip}/>'
    assets: str = ""
    tables: str = ""  # more of scene.toml
    tolerance: float = 1e-12


def corner_cube():
    half = 0.5 * np.arctan(np.sqrt(2.0))
    share = np.sin(half) * np.sqrt(0.5)
    q = [0, 0, np.sqrt(0.75), np.cos(half), share, -share, 0]
    nu = [-np.sqrt(6) / 4, -np.sqrt(6) / 4, 0, np.sqrt(0.5), -np.sqrt(0.5), 0]
    pushes = {100: [np.sqrt(0.5), -np.sqrt(0.5), 0, 0.5, 0.5, 0], 180: [10, -10, 0, 0, 0, 0]}
    return Scene([CUBE], 0.2, 1.0, [q], [nu], 400, pushes)


SCENES = {
    "s1": Scene([CUBE], 0.12, 1.0, [[0, 0, 0.5, 1, 0, 0, 0]], [[4, 3, 0, 0, 0, 0]], 400),
    "s1_spin": Scene([CUBE], 0.12, 1.0, [[0, 0, 0.5, 1, 0, 0, 0]], [[4, 3, 0, 0, 0, 2]], 400),
    "s2": Scene(['type="cylinder" size="1 2.5" mass="10"'], 0.3, 1.0,
                [[0, 0, 1, np.sqrt(0.5), 0, np.sqrt(0.5), 0]], [[0, -1.4, 0, 0, 0, 0.2]], 1000,
                {step: [0, 0, 0, 0, 0, 3] for step in PULSES}),
    "s3": corner_cube(),
    "s4": Scene(['type="cylinder" size=".1 .15" mass="75"'], 0.8, 0.1, [[0, 0, 0.15, 1, 0, 0, 0]], [np.zeros(6)], 500,
                impulse_file=S4_IMPULSES),
    "box_on_box": Scene([CUBE, 'type="box" size=".2 .3 .1" mass=".4"'], 0.3, 0.2,
                        [[0, 0, 0.5, 1, 0, 0, 0], [0.1, 0, 1.4, 0.9, 0.1, 0.3, 0.3]],
                        [[2, 0, 0, 0, 0, 1], [2.5, 0.5, 0, 0, 1, -3]], 150),
    "cylinder_on_box": Scene([CUBE, 'type="cylinder" size=".1 .15" mass="2"'], 0.3, 0.1,
                             [[0, 0, 0.5, 1, 0, 0, 0], [0, 0.1, 1.3, 0.9, 0.1, 0.3, 0.3]],
                             [[1, 0, 0, 0, 0, 0.5], [1, 0, 0, 2, 0, 3]], 150),
}  # fmt: skip


def model_text(scene):
    grip = f'friction="{scene.friction!r} {scene.friction * scene.radius!r} 0" condim="4"'
    bodies = "\n".join(f'  <body name="b{k}" pos="0 0 {10 * k}"><freejoint/><geom name="g{k}" {geom} {grip}/></body>'
                       for k, geom in enumerate(scene.geoms))  # fmt: skip
    return (f'<mujoco><option gravity="0 0 {-G}"/>{scene.assets}<worldbody>\n'
            f"  {scene.floor.format(grip=grip)}\n{bodies}\n</worldbody></mujoco>\n")  # fmt: skip


def listed(numbers):
    return str([float(number) for number in np.ravel(numbers)])


def scene_text(scene, physics):
    """A free joint's qvel has its angular velocity in the body's axes."""
    turns = [recorded.rotation_of(np.array(q[3:], float)) for q in scene.q]
    qvel = [np.append(nu[:3], turn.T @ np.array(nu[3:], float)) for nu, turn in zip(scene.nu, turns, strict=True)]
    pushes = [f'[[impulse]]\nstep = {step}\nbody = "b0"\nvalue = {listed(p)}\n' for step, p in scene.pushes.items()]
    if scene.impulse_file:
        pushes.append('[[impulse]]\nbody = "b0"\nfile = "impulses.csv"\n')
    return (f'model = "model.xml"\n[physics]\n{physics}\n[solver]\nname = "newton"\ntolerance = {scene.tolerance!r}\n[step]\n'
            f"step_size = {H}\nduration = {scene.steps * H}\n[initial]\nqpos = {listed(scene.q)}\nqvel = {listed(qvel)}\n"
            + "".join(pushes) + scene.tables)  # fmt: skip


def write(name, folder, physics='preset = "ecp"'):
    """Writes the scene, or the one of that name, into `folder`."""
    scene = SCENES[name] if isinstance(name, str) else name
    if scene.impulse_file:
        shutil.copy(scene.impulse_file, folder / "impulses.csv")
    (folder / "model.xml").write_text(model_text(scene))
    (folder / "scene.toml").write_text(scene_text(scene, physics))


def run(name, folder, physics='preset = "ecp"', *options):
    """Writes the scene, or the one of that name, into `folder`, runs it, and returns its recording."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built (STICTION_BIN names another)")
    write(name, folder, physics)
    file = folder / "recording.h5"
    command = [BINARY, "run", folder, "--device", "cpu", "--record", "contacts", "--out", file, "--quiet", *options]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return file
