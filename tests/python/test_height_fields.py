"""A level height field is a box; one that is not level is refused where something can touch it."""

import numpy as np
import pytest
import stiction as st

MODEL = """<mujoco><asset><hfield name="ground" nrow="3" ncol="4" size="2 1 .5 .3" {heights}/></asset><worldbody>
  <geom name="ground" type="hfield" hfield="ground" pos="0 0 1" euler="0 {tilt} 0"/>{ball}</worldbody></mujoco>"""
BALL = '<body pos="0 0 1.2"><freejoint/><geom name="ball" size=".1"/></body>'
HILLS = 'elevation="0 0 0 0  0 1 2 0  0 0 0 0"'


def test_a_ball_rests_on_a_level_field():
    with st.Simulator(st.load_model(MODEL.format(heights="", tilt=0, ball=BALL)), device="cpu") as sim:
        sim.step(steps=100)
        assert np.allclose(sim.qpos[0, :3], [0, 0, 1.1], atol=1e-8)


def test_a_tilted_level_field_has_its_surface_in_its_own_frame():
    scene = st.load_model(MODEL.format(heights='elevation="' + "3 " * 12 + '"', tilt=30, ball=BALL))
    field = list(scene.model.geom_names).index("ground")
    size, pos = scene.model.geom_size[field], scene.model.geom_pos[field]
    assert np.allclose(size, [2, 1, 0.15])
    assert np.allclose(pos, [-0.15 * np.sin(np.pi / 6), 0, 1 - 0.15 * np.cos(np.pi / 6)])


def test_hills_are_refused_by_name_where_something_can_touch_them():
    with pytest.raises(st.InputError, match=r"geom 'ground'.*height field.*only if it is level.*--ignore height_field"):
        st.load_model(MODEL.format(heights=HILLS, tilt=0, ball=BALL))
    assert st.load_model(MODEL.format(heights=HILLS, tilt=0, ball="")).model.ngeom == 0
    assert st.load_model(MODEL.format(heights=HILLS, tilt=0, ball=BALL), ignore=["height_field"]).model.ngeom == 0
