"""Claims: a body without joints moves with what carries it. A robot whose links are split into such bodies, some without
mass, moves as the same robot with whole links does: in the air, in contact, driven, and on a free joint."""

import numpy as np
import pytest
import stiction

_GEOMS = [
    ("0 0 -.1", "capsule", ".03 .1", "1"),
    ("0 .05 -.25", "box", ".04 .03 .05", ".4"),
    (".06 0 -.32", "sphere", ".04", ".3"),
]


def _geom(place: str, kind: str, size: str, mass: str, moved: str = "0 0 0") -> str:
    pos = np.fromstring(place, sep=" ") - np.fromstring(moved, sep=" ")
    return f'<geom type="{kind}" pos="{" ".join(map(str, pos))}" size="{size}" mass="{mass}"/>'


def _link(split: bool, inner: str) -> str:
    """One link: all of its geoms in one body, or each in a body of its own below a frame without mass."""
    if not split:
        return "".join(_geom(*g) for g in _GEOMS) + inner
    bodies = "".join(f'<body pos="{g[0]}"><body>{_geom(*g, moved=g[0])}</body></body>' for g in _GEOMS)
    return f'<body pos="0 0 0">{bodies}<body>{inner}</body></body>'


def _robot(split: bool, root: str, motors: bool) -> str:
    tip = _link(split, "")
    below = f'<body pos="0 0 -.4"><joint name="elbow" axis="0 1 0" range="-1.2 1.2" limited="true"/>{tip}</body>'
    shoulder = root + _link(split, below)
    actuator = '<actuator><position joint="elbow" kp="30" forcerange="-4 4"/></actuator>' if motors else ""
    return f"""<mujoco><option timestep=".005"/><worldbody><geom type="plane" size="2 2 1"/>
      <body pos="0 0 .74">{shoulder}</body></worldbody>{actuator}</mujoco>"""


_ROOTS = {"hinge": '<joint axis="1 0 0" damping=".1"/>', "ball": '<joint type="ball"/>', "free": "<freejoint/>"}


def _pair(tmp_path, root: str, motors: bool, **choices) -> list[stiction.Simulator]:
    sims = []
    for split in (False, True):
        path = tmp_path / f"split_{split}.xml"
        path.write_text(_robot(split, _ROOTS[root], motors))
        sims.append(stiction.Simulator(stiction.load_model(path, **choices), batch=1))
    return sims


@pytest.mark.parametrize("root", ["hinge", "ball"])
@pytest.mark.parametrize("motors", [False, True])
def test_a_split_robot_moves_as_a_whole_one(tmp_path, root, motors):
    whole, split = _pair(tmp_path, root, motors, law="anitescu", cone="pyramid", regions="off")
    velocity = np.random.default_rng(3).normal(0, 2, whole.qvel.shape)
    for sim in (whole, split):
        sim.qpos[:, -1] = 0.9  # the tip is above the ground, and strikes it
        sim.qvel[:] = velocity
        if motors:
            sim.ctrl[:] = 0.7
    touched = 0
    for _ in range(120):
        whole.step(), split.step()
        np.testing.assert_array_equal(whole.status, split.status)
        np.testing.assert_allclose(split.qvel, whole.qvel, rtol=0, atol=1e-6)
        split.set_state({**split.state(), "qpos": whole.qpos.copy(), "qvel": whole.qvel.copy()})
        touched += int(whole.contacts.count[0] > 0)
    assert touched > 0


@pytest.mark.parametrize("root", _ROOTS)
def test_a_split_robot_has_the_inertia_of_a_whole_one(tmp_path, root):
    whole, split = _pair(tmp_path, root, False)
    generator = np.random.default_rng(4)
    for sim in (whole, split):
        sim.params.mass[:] *= 2.0
        sim.params.inertia[:] *= 2.0
    for _ in range(5):
        qpos = generator.normal(size=whole.qpos.shape)
        qvel = generator.normal(size=whole.qvel.shape)
        for sim in (whole, split):
            sim.qpos[:], sim.qvel[:] = qpos, qvel
        np.testing.assert_allclose(split.mass_matrix(), whole.mass_matrix(), atol=1e-12)
        np.testing.assert_allclose(split.bias(), whole.bias(), atol=1e-10)


def test_a_split_body_flies_straight(tmp_path):
    """Free, spinning at 17 rad/s: the energy and the momentum of the split body are those of the whole one."""
    energy = []
    for split in (False, True):
        path = tmp_path / f"flies_{split}.xml"
        path.write_text(
            f"""<mujoco><option gravity="0 0 0"/><worldbody><body name="root"><freejoint/>{_link(split, "")}</body>
            </worldbody></mujoco>"""
        )
        sim = stiction.Simulator(stiction.load_model(path, step_size=0.01), batch=1)
        sim.qvel[:] = [0.3, -1.0, 0.5, 10.0, 9.0, -10.0]
        sim.step()
        start = np.asarray(sim.mass_matrix())[0, :3] @ np.asarray(sim.qvel)[0]
        sim.step(steps=200)
        end = np.asarray(sim.mass_matrix())[0, :3] @ np.asarray(sim.qvel)[0]
        np.testing.assert_allclose(end, start, atol=1e-12)
        energy.append(sim.stats.energy[0, 1])
    assert energy[0] == pytest.approx(energy[1], rel=1e-9)
