"""Materials: pairs of them have a static and a kinetic coefficient, chosen by the speed at the start of a step (2003, (13))."""

import numpy as np
import pytest
import stiction as st

STATIC, KINETIC, G, MASS = 0.5, 0.3, 9.81, 2.0
BLOCK = """<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1" friction="{floor}"/>
    <body name="block" pos="0 0 .05"><freejoint/><geom name="block" type="box" size=".1 .1 .05" mass="2" friction="{own}"/></body>
  </worldbody>
</mujoco>"""
MATERIALS = {
    "material": [{"name": "steel", "geoms": ["floor"]}, {"name": "rubber", "bodies": ["block"]}],
    "material_pair": [{"materials": ["rubber", "steel"], "static": STATIC, "kinetic": KINETIC}],
}
SECOND_ORDER = ("dynamic", "dynamic_fitted")


def block(step_size=0.005, **keys):
    return st.Simulator(st.load_model(BLOCK.format(floor=1, own=1), step_size=step_size, **({**MATERIALS, "law": "coulomb", "cone": "quadratic"} | keys)), device="cpu")


def frictions(sim):
    return sim.contacts.friction[0, : sim.contacts.count[0], 0]


@pytest.mark.parametrize("dynamics", SECOND_ORDER)
@pytest.mark.parametrize("cone", ["quadratic", "pyramid", "box"])
def test_a_slide_is_braked_by_the_kinetic_coefficient_and_stops_within_a_step(dynamics, cone):
    h, speed = 0.005, 1.0
    with block(h, dynamics=dynamics, cone=cone) as sim:
        sim.qvel[0, 0] = speed
        stop = speed / (KINETIC * G)
        for k in range(int(stop / h)):
            assert sim.step()[0] == st.Status.CONVERGED
            assert sim.qvel[0, 0] == pytest.approx(speed - KINETIC * G * h * (k + 1), abs=1e-7)
            np.testing.assert_allclose(frictions(sim), KINETIC, atol=1e-12)
        sim.step(steps=2)
        assert abs(sim.qvel[0, 0]) <= 1e-9
        sim.step()
        np.testing.assert_allclose(frictions(sim), STATIC, atol=1e-12)
        assert sim.qpos[0, 0] == pytest.approx(speed**2 / (2 * KINETIC * G), abs=speed * h)


@pytest.mark.parametrize("dynamics", SECOND_ORDER)
def test_a_growing_push_starts_the_block_at_the_static_coefficient(dynamics):
    h, rate = 0.005, 20.0  # [N/s]
    starts = STATIC * MASS * G / rate
    with block(h, dynamics=dynamics) as sim:
        moved = None
        for k in range(int(1.2 * starts / h)):
            sim.applied_wrench[0, 1, 0] = rate * h * k
            sim.step()
            if moved is None and sim.qvel[0, 0] > 1e-9:
                moved = k
        assert moved is not None and abs(moved * h - starts) <= h * (1 + 1e-9)
        push = rate * h * (int(1.2 * starts / h) - 1)
        before = sim.qvel[0, 0]
        sim.applied_wrench[0, 1, 0] = push
        sim.step()
        assert (sim.qvel[0, 0] - before) / h == pytest.approx((push - KINETIC * MASS * G) / MASS, abs=1e-6)


def test_the_threshold_says_what_is_slow():
    h, speed = 1e-3, 0.02
    for threshold, mu in ((0.0201, STATIC), (0.0199, KINETIC)):
        with block(h, threshold_speed=threshold) as sim:
            sim.qvel[0, 0] = speed
            sim.step()
            assert (speed - sim.qvel[0, 0]) / h == pytest.approx(mu * G, rel=1e-6)


def test_first_order_dynamics_have_the_static_coefficient():
    with block(0.01, dynamics="quasidynamic") as sim:
        sim.qvel[0, 0] = 1.0
        sim.step()
        np.testing.assert_allclose(frictions(sim), STATIC)


def test_pairs_without_an_entry_keep_the_friction_of_their_geoms():
    keys = MATERIALS | {"material_pair": [{"materials": ["steel", "steel"], "static": 0.1}]}
    with block(**keys) as sim:
        sim.step()
        np.testing.assert_allclose(frictions(sim), 1.0)


def test_a_pair_of_the_model_keeps_its_own_friction():
    pair = '<contact><pair geom1="floor" geom2="block" friction=".7 .7" condim="3"/></contact></mujoco>'
    scene = st.load_model(BLOCK.format(floor=1, own=1).replace("</mujoco>", pair), **MATERIALS)
    with st.Simulator(scene, device="cpu") as sim:
        sim.step()
        np.testing.assert_allclose(frictions(sim), 0.7)


def test_torsion_of_a_pair_slows_a_spin():
    torsional, spin, h = 0.02, 5.0, 1e-3
    ball = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1"/>
      <body name="ball" pos="0 0 .1"><freejoint/><geom name="ball" type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>"""
    keys = {"material": [{"name": "a", "geoms": ["floor", "ball"]}], "material_pair": [{"materials": ["a", "a"], "static": 0.5, "torsional": torsional}]}
    with st.Simulator(st.load_model(ball, step_size=h, **keys), device="cpu") as sim:
        sim.qvel[0, 5] = spin
        sim.step(steps=10)
        inertia = 0.4 * 1 * 0.1**2
        assert sim.qvel[0, 5] == pytest.approx(spin - 10 * h * torsional * G / inertia, abs=1e-6)


STOOL = """<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="block" pos="0 0 .05"><freejoint/><geom type="box" size=".1 .1 .02" mass="2" contype="0" conaffinity="0"/>
      <geom name="a" type="sphere" size=".01" pos=".1 0 -.04" mass="0"/><geom name="b" type="sphere" size=".01" pos="-.05 .08 -.04" mass="0"/>
      <geom name="c" type="sphere" size=".01" pos="-.05 -.08 -.04" mass="0"/></body>
  </worldbody>
</mujoco>"""


def test_the_reference_chooses_the_same():
    states = []
    for device in ("cpu", "reference"):
        scene = st.load_model(STOOL, step_size=0.01, law="coulomb", cone="quadratic", dynamics="dynamic", threshold_speed=0.3, **MATERIALS)
        with st.Simulator(scene, device=device) as sim:
            sim.qvel[0] = [0.8, 0.3, 0, 0, 0, 2.0]
            sim.step(steps=30)
            states.append(np.r_[sim.qpos[0], sim.qvel[0]])
    np.testing.assert_allclose(states[0], states[1], atol=1e-7)


def test_variants_may_have_materials_of_their_own(tmp_path):
    for name, geom in (("disc", 'type="cylinder" size=".1 .05"'), ("brick", 'type="box" size=".1 .1 .05"')):
        (tmp_path / f"{name}.xml").write_text(f'<mujoco><worldbody><body name="thing" pos="0 0 .05"><freejoint/><geom name="{name}" {geom} mass="2"/></body></worldbody></mujoco>')
    (tmp_path / "world.xml").write_text('<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1"/></worldbody></mujoco>')
    (tmp_path / "scene.toml").write_text("""model = "world.xml"
[[attach]]
model = ["disc.xml", "brick.xml"]
[[material]]
name = "floor"
geoms = ["floor"]
[[material]]
name = "ice"
geoms = ["disc"]
[[material]]
name = "wood"
geoms = ["brick"]
[[material_pair]]
materials = ["floor", "ice"]
static = 0.1
kinetic = 0.05
[[material_pair]]
materials = ["floor", "wood"]
static = 0.6
kinetic = 0.4
[step]
step_size = 0.005
""")
    with st.Simulator(st.load_scene(tmp_path), batch=4, device="cpu") as sim:
        sim.qvel[:, 0] = 1.0
        sim.step(steps=10)
        np.testing.assert_allclose(sim.qvel[:, 0], 1 - np.array([0.05, 0.4, 0.05, 0.4]) * G * 0.05, atol=1e-6)


WRONG = [
    ({"material": [{"geoms": ["floor"]}]}, "material.name is missing"),
    ({"material": [{"name": "a"}]}, "names neither geoms nor bodies"),
    ({"material": [{"name": "a", "geoms": "floor"}]}, "is no array of names"),
    ({"material": [{"name": "a", "geoms": [1]}]}, "is no array of names"),
    ({"material": [{"name": "a", "geoms": ["flor"]}]}, "no geom that collides is called 'flor'; the nearest is 'floor'"),
    ({"material": [{"name": "a", "bodies": ["blok"]}]}, "no body is called 'blok'; the nearest is 'block'"),
    ({"material": [{"name": "a", "geoms": ["floor"]}, {"name": "a", "geoms": ["block"]}]}, "is there twice"),
    ({"material": [{"name": "a", "geoms": ["block"]}, {"name": "b", "bodies": ["block"]}]}, "geom 'block' is of 'a' and of 'b'"),
    ({"material": [{"name": "a", "geom": ["floor"]}]}, "geoms"),
    ({"material_pair": [{"materials": ["a", "b"], "static": 1}]}, "no [[material]] is called 'a'"),
    (MATERIALS | {"material_pair": [{"materials": ["steel"], "static": 1}]}, "must be two names"),
    (MATERIALS | {"material_pair": [{"materials": ["steel", "ruber"], "static": 1}]}, "the nearest is 'rubber'"),
    (MATERIALS | {"material_pair": [{"materials": ["steel", "rubber"]}]}, "material_pair.static is missing"),
    (MATERIALS | {"material_pair": [{"materials": ["steel", "rubber"], "static": -1}]}, "at least 0"),
    (MATERIALS | {"material_pair": [{"materials": ["steel", "rubber"], "static": 0.2, "kinetic": 0.3}]}, "at most that of static"),
    (MATERIALS | {"material_pair": [{"materials": ["steel", "rubber"], "static": 0.2, "torsional": float("nan")}]}, "torsional"),
    (MATERIALS | {"material_pair": 2 * MATERIALS["material_pair"]}, "are there twice"),
    ({"threshold_speed": 0.0}, "more than 0"),
]


@pytest.mark.parametrize(("keys", "words"), WRONG)
def test_wrong_tables_are_refused_in_one_line(keys, words):
    with pytest.raises(st.InputError) as caught:
        st.load_model(BLOCK.format(floor=1, own=1), **keys)
    text = str(caught.value)
    assert words in text and "\n" not in text
