"""Contact regions: where a body consists of pieces that touch, few of its points are contacts, and it moves as with all of them."""

import math

import numpy as np
import pytest
import stiction as st
from stiction.status import Status

FLOOR = '<geom type="plane" size="5 5 .1"/>'
STEP = 0.005
NEAR = 1e-4        # between the poses of one body with its regions and without [m], in parts of a quaternion
SAME = 1e-7        # the same where both answers are the same motion, by the tolerance of the steps [m]
DEEPEST = 1e-6     # overlap of a body that lies [m]
GROWTH = 1e-9      # energy that a step may add, by its tolerance [J]
TIPPING = 0.1      # by how much the angle may be missed at which a body tips [deg]
AT_REST = 1e-5     # turn of a body that stands [rad]


def world(*bodies, static="", options=""):
    return f"<mujoco><option {options}/><worldbody>{FLOOR}{static}{''.join(bodies)}</worldbody></mujoco>"


def body(geoms, pos=(0, 0, 0), more=""):
    return f'<body pos="{" ".join(map(str, pos))}" {more}><freejoint/>{geoms}</body>'


def box(half, pos=(0, 0, 0), more=""):
    return f'<geom type="box" size="{" ".join(map(str, half))}" pos="{" ".join(map(str, pos))}" {more}/>'


def cube():
    """2 x 2 x 2 boxes, 0.1 m wide."""
    return "".join(box((0.025,) * 3, (x, y, z)) for x in (-0.025, 0.025) for y in (-0.025, 0.025) for z in (-0.025, 0.025))


def ring(count):
    """Boxes around a hole, 0.02 m high."""
    geoms = ""
    for angle in np.arange(count) * 2 * math.pi / count:
        place = (0.08 * math.cos(angle), 0.08 * math.sin(angle), 0)
        geoms += box((0.01, 0.09 * math.tan(math.pi / count), 0.01), place, f'euler="0 0 {math.degrees(angle)}"')
    return geoms


def table():
    """A top of four boxes on four legs, 0.4 by 0.2 m between the outer sides of the legs; its centre of mass is 0.3 m high by a heavy top."""
    top = "".join(box((0.1, 0.05, 0.01), (x, y, 0.31), 'mass="1"') for x in (-0.1, 0.1) for y in (-0.05, 0.05))
    legs = "".join(box((0.01, 0.01, 0.15), (x, y, 0.15), 'mass="1e-6"') for x in (-0.19, 0.19) for y in (-0.09, 0.09))
    return top + legs


def two(count, text, steps, step_size=STEP, **options):
    """The end, the contacts at the start and the steps' overlaps and energies, with regions and without."""
    found = []
    for regions in ("auto", "off"):
        scene = st.load_model(text, step_size=step_size, regions=regions)
        with st.Simulator(scene, batch=count, **options) as sim:
            qvel = sim.qvel.copy()
            sim.forward()
            contacts, energies, deepest = sim.contacts.count.copy(), [sim.stats.energy.sum(axis=-1)], []
            for _ in range(steps):
                status = np.asarray(sim.step())
                assert (status == Status.CONVERGED).all()
                energies.append(sim.stats.energy.sum(axis=-1))
                deepest.append(sim.stats.penetration.max())
            found.append((sim.qpos.copy(), contacts, np.array(energies), max(deepest), qvel))
    return found


@pytest.mark.parametrize(
    ("geoms", "height", "few", "all_"),
    [(cube(), 0.05, 4, 16), (ring(8), 0.01, 8, 32), (ring(12), 0.01, 8, 48), (table(), 0, 4, 16)],
    ids=["cube", "ring of 8", "ring of 12", "table"],
)
def test_a_body_of_pieces_lies_and_slides_as_with_all_its_contacts(geoms, height, few, all_):
    for push in ("0 0 0", "1.5 .5 0"):
        gravity = f'gravity="{push.split()[0]} {push.split()[1]} -9.81"'
        (merged, count, energies, deepest, _), (whole, all_count, *_) = two(1, world(body(geoms, (0, 0, height)), options=gravity), 60)
        assert (count[0], all_count[0]) == (few, all_)
        assert abs(merged - whole).max() < SAME
        assert deepest < DEEPEST
        assert np.diff(energies[:, 0]).max() < GROWTH


def test_bodies_fall_on_one_another_as_with_all_contacts():
    text = world(body(ring(12), (0, 0, 0.02)), body(cube(), (0.03, 0.01, 0.09)), body(box((0.02, 0.02, 0.02)), (-0.08, 0, 0.06)))
    (merged, _, energies, deepest, _), (whole, *_) = two(1, text, 100)
    assert abs(merged - whole).max() < NEAR
    assert deepest < DEEPEST
    assert np.diff(energies[:, 0]).max() < GROWTH


@pytest.mark.parametrize("axis", ["x", "y"])
def test_a_table_of_pieces_tips_at_the_angle_of_its_legs(axis):
    """With its centre of mass at the height c over feet that reach r along the slope it stands below atan(r / c)."""
    angle = math.degrees(math.atan((0.2 if axis == "x" else 0.1) / 0.31))
    for off, tips in ((-TIPPING, False), (TIPPING, True)):
        slope = math.radians(angle + off)
        along = [math.sin(slope), 0] if axis == "x" else [0, math.sin(slope)]
        gravity = 'gravity="{} {} {}"'.format(*(9.81 * np.array([*along, -math.cos(slope)])))
        geoms = table().replace("<geom ", '<geom friction="2 0 0" ')
        (merged, *_), _ = two(1, world(body(geoms), options=gravity), 200)
        assert (abs(merged[0, 4:]).max() > AT_REST) == tips


def test_a_cube_of_pieces_tips_as_a_cube():
    for angle, tips in ((45 - TIPPING, False), (45 + TIPPING, True)):
        slope = math.radians(angle)
        gravity = f'gravity="{9.81 * math.sin(slope)} 0 {-9.81 * math.cos(slope)}"'
        geoms = cube().replace("<geom ", '<geom friction="2 0 0" ')
        (merged, *_), _ = two(1, world(body(geoms, (0, 0, 0.05)), options=gravity), 200)
        assert (abs(merged[0, 4:]).max() > AT_REST) == tips


@pytest.mark.parametrize("turn", range(0, 360, 25))
def test_a_ring_of_twelve_corners_tips_over_its_edge(turn):
    """Eight of the corners are contacts. It tips where the edge 0.09 m from its axis is, over 0.21 m high, seen along the slope."""
    aside = math.radians((turn + 15) % 30 - 15)
    angle = math.degrees(math.atan(0.09 / math.cos(aside) / 0.21))
    geoms = ring(12).replace("<geom ", '<geom mass="1e-6" friction="3 0 0" ') + box((0.01, 0.01, 0.1), (0, 0, 0.2), 'mass="1"')
    for off, tips in ((-TIPPING, False), (TIPPING, True)):
        slope = math.radians(angle + off)
        pull = 9.81 * np.array([math.sin(slope) * math.cos(math.radians(turn)), math.sin(slope) * math.sin(math.radians(turn)), -math.cos(slope)])
        (merged, count, *_), _ = two(1, world(body(geoms, (0, 0, 0.01)), options='gravity="{} {} {}"'.format(*pull)), 200)
        assert count[0] == 8
        assert (abs(merged[0, 4:]).max() > AT_REST) == tips


def thrown(text, qvel, regions, steps, step_size=STEP):
    """The end of a scene whose bodies have these velocities, the most energy that a step added, and the deepest overlap."""
    with st.Simulator(st.load_model(text, step_size=step_size, regions=regions)) as sim:
        sim.qvel[0] = qvel
        energies, deepest = [sim.stats.energy.sum()], 0.0
        for _ in range(steps):
            assert sim.step() == Status.CONVERGED
            energies.append(sim.stats.energy.sum())
            deepest = max(deepest, sim.stats.penetration[0])
        return sim.qpos[0].copy(), max(np.diff(energies[1:])), deepest


@pytest.mark.parametrize("step_size", [0.005, 0.02])
@pytest.mark.parametrize("geoms", [cube(), ring(12), table()], ids=["cube", "ring", "table"])
def test_bodies_of_pieces_tumble_without_energy_or_overlap_that_others_lack(geoms, step_size):
    for seed in range(4):
        qvel = np.random.default_rng(seed).uniform(-1, 1, 6) * [1, 1, 1, 8, 8, 8]
        (_, gained, deepest), (_, _, by_all) = (thrown(world(body(geoms, (0, 0, 0.3))), qvel, regions, 200, step_size) for regions in ("auto", "off"))
        assert gained < GROWTH
        assert deepest < 1.1 * by_all + DEEPEST


@pytest.mark.parametrize("hit", [False, True])
def test_a_board_that_lifts_its_end_keeps_its_support(hit):
    """The pairs of its far pieces part while those of the middle have no contacts of their own; a ball strikes the far end down again."""
    board = "".join(box((0.1, 0.05, 0.01), (0.2 * k + 0.1, 0, 0.01)) for k in range(5))
    for tilt in (0, 1e-4, 0.01, 0.1):
        more = f'euler="0 {-math.degrees(tilt)} 0"'
        ball = body('<geom type="sphere" size=".02" mass="2"/>', (0.95, 0, 0.1 + math.tan(tilt)))
        for lift in (0.05, 0.5, 3):
            qvel = [0, 0, 0, 0, -lift, 0, *((0, 0, -30, 0, 0, 0) if hit else ())]
            text = world(body(board, more=more), *([ball] if hit else []))
            (end, _, deepest), (whole, _, by_all) = (thrown(text, qvel, regions, 60) for regions in ("auto", "off"))
            assert abs(end[:7] - whole[:7]).max() < NEAR, (tilt, lift)
            assert deepest < 1.1 * by_all + DEEPEST, (tilt, lift)


def test_what_slides_over_a_seam_is_not_stopped():
    """Two boxes side by side that slide as one over a floor of two boxes, along which friction alone brakes them."""
    tiles = box((1, 1, 0.05), (-1, 0, 0.05)) + box((1, 1, 0.05), (1, 0, 0.05))
    block = box((0.05, 0.05, 0.02), (-0.05, 0, 0)) + box((0.05, 0.05, 0.02), (0.05, 0, 0))
    found = []
    for regions in ("auto", "off"):
        scene = st.load_model(world(body(block, (-0.2, 0, 0.12)), static=tiles), step_size=STEP, regions=regions, friction=[0.2, 0.2])
        with st.Simulator(scene) as sim:
            sim.qvel[:, 0] = 1.5
            for _ in range(200):
                assert sim.step() == Status.CONVERGED
                assert sim.qpos[0, 2] == pytest.approx(0.12, abs=DEEPEST)
            found.append(sim.qpos[0].copy())
    assert abs(found[0] - found[1]).max() < NEAR
    assert found[0][0] == pytest.approx(-0.2 + 1.5**2 / (2 * 0.2 * 9.81), abs=1.5 * STEP)


def test_a_box_rests_on_a_stair_of_touching_pieces():
    stair = "".join(box((0.1, 0.2, 0.05 * (k + 1)), (0.2 * k, 0, 0.05 * (k + 1))) for k in range(3))
    legs = "".join(box((0.05, 0.1, 0.12 - 0.05 * k), (0.2 * k - 0.2, 0, 0.05 * k - 0.13)) for k in range(3))
    text = world(body(box((0.25, 0.1, 0.01)) + legs, (0.22, 0, 0.351)), body(box((0.05, 0.05, 0.02)), (0.2, 0, 0.39)), static=stair)
    (merged, _, energies, deepest, _), (whole, *_) = two(1, text, 100)
    assert abs(merged - whole).max() < NEAR
    assert deepest < DEEPEST
    assert np.diff(energies[:, 0]).max() < GROWTH


def test_pieces_of_different_friction_keep_their_contacts():
    halves = box((0.05, 0.05, 0.02), (-0.05, 0, 0)) + box((0.05, 0.05, 0.02), (0.05, 0, 0), 'friction="2 0 0"')
    (_, count, *_), (_, all_, *_) = two(1, world(body(halves, (0, 0, 0.02))), 1)
    assert count[0] == all_[0] == 8


def test_bodies_without_touching_pieces_keep_their_bits():
    apart = box((0.03, 0.03, 0.02), (-0.05, 0, 0)) + box((0.03, 0.03, 0.02), (0.05, 0, 0))
    for geoms in (box((0.05, 0.05, 0.02)), '<geom type="cylinder" size=".05 .02"/>', apart):
        (merged, *_), (whole, *_) = two(1, world(body(geoms, (0, 0, 0.03)), body(cube(), (1, 0, 0.06))), 40)
        assert (merged[0, :7] == whole[0, :7]).all()


def test_a_scene_without_pieces_takes_no_memory_for_regions():
    text = world(body(box((0.05, 0.05, 0.02)), (0, 0, 0.02)))
    (merged, *_), (whole, *_) = two(1, text, 20)
    assert (merged == whole).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_regions_have_the_same_bits_in_every_batch(dtype):
    text = world(body(ring(12), (0, 0, 0.02)), body(cube(), (0.03, 0.01, 0.09)))
    ends = []
    for batch in (1, 7, 64):
        with st.Simulator(st.load_model(text, step_size=STEP), batch=batch, dtype=dtype) as sim:
            sim.step(steps=40)
            assert (sim.qpos == sim.qpos[0]).all()
            ends.append((sim.qpos[0].copy(), int(sim.contacts.count[0])))
    assert all((end == ends[0][0]).all() and count == ends[0][1] for end, count in ends)


def test_single_precision_has_the_same_regions():
    counts = []
    for dtype in ("float64", "float32"):
        with st.Simulator(st.load_model(world(body(ring(12), (0, 0, 0.01))), step_size=STEP), dtype=dtype) as sim:
            sim.step(steps=20)
            counts.append(int(sim.contacts.count[0]))
    assert counts == [8, 8]


def held(scene, number, regions, **options):
    """The object of a grasping scene at its end, in one environment, and its contacts then."""
    loaded = st.load_scene(scene, regions=regions)
    with st.Simulator(loaded, batch=26, **options) as sim:
        for _ in range(round(loaded.duration / loaded.step_size)):
            assert np.asarray(sim.step())[number] == Status.CONVERGED
        return sim.qpos[number, -7:].copy(), int(sim.contacts.count[number])


@pytest.mark.parametrize("scene", ["grasp_hand", "grasp_jaws"])
def test_a_ring_is_held_with_fewer_contacts(scene):
    (merged, few), (whole, all_) = (held(f"scenes/{scene}", 18, regions) for regions in ("auto", "off"))
    assert abs(merged - whole).max() < NEAR
    assert few < 0.8 * all_
