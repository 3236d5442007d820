"""Claim: a standing cylinder or prism tips over where its centre of mass passes the border of its foot, at the slope tan φ = d/z, d
being the way from its axis to the border downhill and z the height of its centre: from 16 azimuths, with patches and with points.

ST_FULL=1 takes all prisms of 4 to 16 sides.
"""

import os

import numpy as np
import pytest

st = pytest.importorskip("stiction", reason="no package: STICTION_BUILD names a build")

RADIUS, HALF = 0.1, 0.15  # of the circle through the corners of the foot, and half the height [m]
NEAR = np.radians(1e-3)  # a slope that is less or more by this does not tip it, or does
AZIMUTHS = 2 * np.pi * np.arange(16) / 16 + 0.01
FEET = ("cylinder", *(range(4, 17) if os.environ.get("ST_FULL") == "1" else (4, 7, 16)))
MOVES = 0.05  # [m/s], [rad/s]
GRIP = 'condim="4" friction="2 .02 0"'
MODELS = {"patch": {"contact": "patch", "geometry": "end"}, "points": {}}


def corners(sides):
    angles = 2 * np.pi * np.arange(sides) / sides
    return np.column_stack([RADIUS * np.cos(angles), RADIUS * np.sin(angles)])


def border(foot, azimuth):
    """Distance from the axis to the border of the foot along an azimuth [m]."""
    if foot == "cylinder":
        return RADIUS
    middles = 2 * np.pi * (np.arange(foot) + 0.5) / foot  # azimuths of the sides' normals
    facing = np.cos(azimuth - middles)
    return np.min(RADIUS * np.cos(np.pi / foot) / facing[facing > 1e-9])


def model_text(foot, azimuth, slope):
    down = 9.81 * np.array([np.sin(slope) * np.cos(azimuth), np.sin(slope) * np.sin(azimuth), -np.cos(slope)])
    asset, shape = "", f'type="cylinder" size="{RADIUS} {HALF}"'
    if foot != "cylinder":
        vertices = [[x, y, z] for z in (-HALF, HALF) for x, y in corners(foot)]
        asset = f'<asset><mesh name="prism" vertex="{" ".join(map(repr, map(float, np.ravel(vertices))))}"/></asset>'
        shape = 'type="mesh" mesh="prism"'
    return f"""<mujoco><option gravity="{down[0]:.17g} {down[1]:.17g} {down[2]:.17g}"/>{asset}<worldbody><geom type="plane" size="0 0 1" {GRIP}/>
      <body pos="0 0 {HALF}"><freejoint/><geom {shape} mass="1" {GRIP}/></body></worldbody></mujoco>"""  # fmt: skip


def tips(foot, azimuth, slope, words):
    """Whether it moves within 4 s."""
    scene = st.load_model(model_text(foot, azimuth, slope), dynamics="dynamic", law="coulomb", cone="quadratic",
                          solver="newton", tolerance=1e-10, step_size=0.01, **words)  # fmt: skip
    with st.Simulator(scene, device="cpu", threads=1) as sim:
        for _ in range(40):
            assert (sim.step(steps=10) == st.Status.CONVERGED).all()
            if np.linalg.norm(sim.qvel[0]) > MOVES:
                return True
    return False


@pytest.mark.parametrize("words", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("foot", FEET)
def test_a_foot_tips_at_the_slope_of_its_border(foot, words):
    limits = [(azimuth, np.arctan(border(foot, azimuth) / HALF)) for azimuth in AZIMUTHS]
    assert [tips(foot, azimuth, slope - NEAR, words) for azimuth, slope in limits] == [False] * len(AZIMUTHS)
    assert [tips(foot, azimuth, slope + NEAR, words) for azimuth, slope in limits] == [True] * len(AZIMUTHS)
