"""Claims: the contacts of a simulator are those of a grasp: they point into the body, carry its friction, leave out what
does not press or was not asked for, and their quality is that of the contacts given by hand."""

import numpy as np
import pytest
import stiction as st
from stiction import grasp

PINCH = """<mujoco>
  <option gravity="0 0 {gravity}"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" pos="0 0 -0.5"/>
    <body name="cube"><freejoint/><geom name="cube" type="box" size=".02 .02 .02" mass="0.1" friction="0.6 {torsion} 0" condim="{condim}"/></body>
    <body name="left" pos="-0.03 0 0"><joint name="left" type="slide" axis="1 0 0"/>
      <geom name="left" type="box" size=".01 .01 .01" friction="0.4 {torsion} 0" mass="0.1" condim="{condim}"/></body>
    <body name="right" pos="0.03 0 0"><joint name="right" type="slide" axis="-1 0 0"/>
      <geom name="right" type="box" size=".01 .01 .01" friction="0.4 {torsion} 0" mass="0.1" condim="{condim}"/></body>
  </worldbody>
  <actuator><motor joint="left"/><motor joint="right"/></actuator>
</mujoco>"""


def pinched(batch=2, force=10.0, condim=3, torsion=0.0, gravity=-9.81):
    """A cube between two pads, after some steps."""
    scene = st.load_model(PINCH.format(condim=condim, torsion=torsion, gravity=gravity), dynamics="dynamic", step_size=0.01)
    sim = st.Simulator(scene, batch=batch, device="cpu")
    sim.ctrl[:] = force
    status = sim.step(steps=5)
    assert (np.asarray(status) & int(st.Status.CONVERGED)).all()
    return sim


def test_they_point_into_the_body_and_carry_its_friction():
    with pinched() as sim:
        found = grasp.of_contacts(sim, "cube")
        assert found.count.tolist() == [8, 8]
        assert found.position.shape == (2, 8, 3)
        np.testing.assert_allclose(np.abs(found.position[..., 0]), 0.02, atol=1e-6)
        np.testing.assert_allclose(found.normal[..., 0], -np.sign(found.position[..., 0]), atol=1e-12)
        np.testing.assert_allclose(np.einsum("bni,bni->bn", found.normal, found.tangent), 0, atol=1e-12)
        np.testing.assert_array_equal(found.friction, 0.6)
        np.testing.assert_array_equal(found.torsion, 0.0)
        np.testing.assert_allclose(found.force.sum(axis=1), 20, rtol=1e-6)
        np.testing.assert_allclose(found.center, sim.body("cube").pos, atol=1e-12)


def test_their_quality_is_that_of_the_contacts_given_by_hand():
    with pinched() as sim:
        found = grasp.of_contacts(sim, "cube").quality(0.02, facets=6)
        corners = np.array([[x, y, z] for x in (-0.02, 0.02) for y in (-0.01, 0.01) for z in (-0.01, 0.01)])
        normal = np.where(corners[:, :1] < 0, [[1.0, 0, 0]], [[-1.0, 0, 0]])
        by_hand = grasp.quality(corners, normal, 0.6, 0.02, facets=6)
        assert found.closure.all()
        np.testing.assert_allclose(found.epsilon, by_hand.epsilon, rtol=1e-4)


def test_friction_about_the_normal_is_that_of_the_pair():
    with pinched(condim=4, torsion=0.005) as sim:
        np.testing.assert_array_equal(grasp.of_contacts(sim, "cube").torsion, 0.005)


def test_only_what_is_asked_for_and_presses_counts():
    with pinched(batch=1) as sim:
        one_side = grasp.of_contacts(sim, "cube", by="left")
        assert one_side.count[0] == 4
        assert (one_side.position[..., 0] < 0).all()
        assert not one_side.quality(0.02).closure[0]
        seen_by_the_pad = grasp.of_contacts(sim, "left", by="cube")
        np.testing.assert_array_equal(seen_by_the_pad.normal, -one_side.normal)
        assert grasp.of_contacts(sim, ["cube", "left"]).count[0] == 4
        assert grasp.of_contacts(sim, "cube", least_force=1e3).count[0] == 0
        assert grasp.of_contacts(sim, "cube", by="floor").position.shape == (1, 0, 3)


def test_environments_with_fewer_contacts_are_padded():
    with pinched(batch=3, gravity=0.0) as sim:
        sim.ctrl[1] = -5.0
        sim.step(steps=5)
        found = grasp.of_contacts(sim, "cube")
        assert found.count.tolist() == [8, 0, 8]
        assert np.isnan(found.position[1]).all()
        assert np.isfinite(found.position[[0, 2]]).all()
        assert found.quality(0.02).closure.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"body": 3}, "body: expected names of bodies or geoms, got 3"),
        ({"body": "cube", "by": [1]}, r"by: expected names of bodies or geoms, got \[1\]"),
        ({"body": "cube", "least_force": "x"}, "least_force: 'x' given, must be a finite number"),
        ({"body": "cube", "least_force": np.nan}, "least_force: nan given, must be a finite number"),
    ],
)
def test_other_mistakes_are_named(arguments, line):
    with pinched(batch=1) as sim, pytest.raises(st.InputError, match=line):
        grasp.of_contacts(sim, **arguments)


@pytest.mark.parametrize("names", ["ball", ["cube", "ball"], []])
def test_a_body_that_is_not_there_is_named(names):
    with pinched(batch=1) as sim, pytest.raises(st.InputError, match=r"ball|body: expected names"):
        grasp.of_contacts(sim, names)


def test_contacts_say_their_friction_on_every_host_device():
    scene = st.load_model(PINCH.format(condim=4, torsion=0.003, gravity=-9.81), dynamics="dynamic", step_size=0.01)
    for device in ("cpu", "reference"):
        with st.Simulator(scene, batch=1, device=device) as sim:
            sim.ctrl[:] = 10
            sim.step(steps=3)
            count = int(np.asarray(sim.stats.contacts)[0])
            assert count == 8
            np.testing.assert_array_equal(np.asarray(sim.contacts.friction)[0, :count], [[0.6, 0.6, 0.003]] * count)
