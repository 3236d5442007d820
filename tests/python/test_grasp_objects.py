"""Objects to grasp: made by their script, of one density, without overlaps, and they fall on a floor and stay there."""

import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import stiction as st
from load_script import load_script
from stiction.quaternions import matrix_of
from stiction.status import Status

mujoco = pytest.importorskip("mujoco", reason="no mujoco: requirements/look.txt")

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "scenes/objects"
made = load_script("scripts/make_grasp_objects.py")
NAMES = list(made.OBJECTS)
ROUNDING = 5e-6     # relative, of masses and inertias: MuJoCo keeps vertices in single precision, files in steps of 10 nm
FLUSH = 1e-7        # pieces that touch may overlap by that much, for the same reason [m]
STROKE = 0.08       # of the jaws [m]
HEIGHT = 0.12       # from which objects fall [m]
DEEPEST = 1e-6      # overlap with the floor [m]
GROWTH = 1e-9       # energy that a step may add, by its tolerance [J]; an object has 0.1 J at the start
REST = 1e-12        # kinetic energy at rest [J]


def own_inertia(model):
    """Of the only body, in its own axes (3, 3) [kg m²]."""
    axes = matrix_of(model.body_iquat[1:2])[0]
    return axes @ np.diag(model.body_inertia[1]) @ axes.T


def test_the_script_makes_the_files():
    script = ROOT / "scripts/make_grasp_objects.py"
    run = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 0, run.stderr
    assert {file.stem for file in FOLDER.glob("*.xml")} == set(NAMES)


def test_the_scenes_list_all_objects():
    for scene in ("grasp_jaws", "grasp_hand"):
        listed = re.findall(r'"\.\./objects/(\w+)\.xml"', (ROOT / f"scenes/{scene}/scene.toml").read_text())
        assert listed == NAMES, scene
    assert len(NAMES) >= 20


@pytest.mark.parametrize("name", NAMES)
def test_mass_and_inertia_are_those_of_the_pieces(name):
    text, pieces = (FOLDER / f"{name}.xml").read_text(), made.OBJECTS[name][2]
    stated = mujoco.MjModel.from_xml_string(text)
    density = made.MASS / made.mass_properties(pieces)[0]
    weighed = re.sub(r"<inertial [^>]*/>", "", text).replace("<geom friction", f'<geom density="{density:.12g}" friction')
    computed = mujoco.MjModel.from_xml_string(weighed.replace("<mesh ", '<mesh inertia="exact" '))
    assert stated.body_mass[1] == made.MASS
    assert computed.body_mass[1] == pytest.approx(made.MASS, rel=ROUNDING)
    assert abs(computed.body_ipos[1]).max() < FLUSH and not stated.body_ipos[1].any()
    inertia = own_inertia(computed)
    assert own_inertia(stated) == pytest.approx(inertia, abs=ROUNDING * abs(inertia).max())


@pytest.mark.parametrize("name", [name for name in NAMES if len(made.OBJECTS[name][2]) > 1])
def test_pieces_do_not_overlap(name):
    model = mujoco.MjModel.from_xml_path(str(FOLDER / f"{name}.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    pairs = [(a, b) for a in range(model.ngeom) for b in range(a)]
    distances = np.array([mujoco.mj_geomDistance(model, data, a, b, 1.0, None) for a, b in pairs])
    assert distances.min() > -FLUSH
    assert (distances < FLUSH).sum() >= model.ngeom - 1  # and hang together


@pytest.mark.parametrize("name", NAMES)
def test_the_jaws_can_close_on_it(name):
    widest = 0.0
    for piece in made.OBJECTS[name][2]:
        corners = piece.corners
        half = piece.size[1 if piece.kind in ("box", "ellipsoid") else 0] if corners is None else 0
        widest = max(widest, 2 * half, 0 if corners is None else 2 * abs(corners[:, 1]).max())
    assert widest < STROKE


@pytest.fixture(scope="module")
def fallen(tmp_path_factory):
    """Of every object that fell on a floor: worst status, deepest overlap, largest growth of energy, kinetic energy at the end."""
    folder = tmp_path_factory.mktemp("floor")
    (folder / "world.xml").write_text('<mujoco><worldbody><geom name="floor" type="plane" size="2 2 .1"/></worldbody></mujoco>')
    models = ", ".join(f'"{FOLDER}/{name}.xml"' for name in NAMES)
    (folder / "scene.toml").write_text(f'model = "world.xml"\n[[attach]]\nmodel = [{models}]\npos = [0, 0, {HEIGHT}]\n')
    loaded = [mujoco.MjModel.from_xml_path(str(FOLDER / f"{name}.xml")) for name in NAMES]
    inertia = np.array([own_inertia(model) for model in loaded])
    with st.Simulator(st.load_scene(folder), batch=len(NAMES)) as sim:
        kinetic = lambda: (made.MASS * (sim.qvel[:, :3] ** 2).sum(axis=1) + np.einsum("bi,bij,bj->b", sim.qvel[:, 3:], inertia, sim.qvel[:, 3:])) / 2
        energy = lambda: kinetic() + made.MASS * 9.81 * sim.qpos[:, 2]
        wrong, deepest, growth, before = np.zeros(len(NAMES)), np.zeros(len(NAMES)), np.zeros(len(NAMES)), energy()
        for _ in range(300):
            wrong = np.maximum(wrong, np.asarray(sim.step()) != Status.CONVERGED)
            deepest = np.maximum(deepest, sim.stats.penetration)
            growth, before = np.maximum(growth, energy() - before), energy()
        return wrong, deepest, growth, kinetic()


@pytest.mark.parametrize("name", NAMES)
def test_it_falls_on_a_floor_and_stays_there(fallen, name):
    wrong, deepest, growth, kinetic = (values[NAMES.index(name)] for values in fallen)
    assert not wrong
    assert deepest < DEEPEST
    assert growth < GROWTH
    assert kinetic < REST
