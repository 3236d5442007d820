"""A body that spins on another without sliding has the torsion mu e_r p_n of its patch. With torsion_radius = "uniform", e_r is the mean distance of the
area from its centroid, also where the area has more corners than a patch has points, and however the bodies are turned about the normal."""

import numpy as np
import pytest
import stiction as st

MU = 0.3
SHARE = 1e-6  # of e_r: quadrature is as good
PATCH = {
    "dynamics": "dynamic",
    "law": "patch",
    "torsion_radius": "uniform",
    "solver": "newton",
    "tolerance": 1e-11,
    "step_size": 0.002,
}
PLANE = '<geom type="plane" size="9 9 1"/>'
BLOCK = '<geom type="box" size=".2 .2 .1" pos="0 0 -.1"/>'  # its top is z = 0
DRUM = '<geom type="cylinder" size=".1 .1" pos="0 0 -.1"/>'


def mean_distance(corners):
    """Of a convex polygon (n, 2) with many or few corners from its centroid: triangles from there, with Gauss points along and across."""
    following = np.roll(corners, -1, axis=0)
    turn = corners[:, 0] * following[:, 1] - corners[:, 1] * following[:, 0]
    centroid = (turn[:, None] * (corners + following)).sum(axis=0) / (3 * turn.sum())
    p, way = corners - centroid, following - corners
    nodes, weights = np.polynomial.legendre.leggauss(40)
    border = (
        p[:, None] + 0.5 * (1 + nodes)[None, :, None] * way[:, None]
    )  # ∫ r² dr along each ray is a third of the distance of the border
    doubled = p[:, 0] * way[:, 1] - p[:, 1] * way[:, 0]
    return (doubled * (0.5 * weights * np.linalg.norm(border, axis=2)).sum(axis=1)).sum() / 3 / (0.5 * doubled.sum())


def circle(radius, count=10000):
    """A polygon with the corners of a circle; its mean distance is smaller than that of the disk by a share of 7/count²."""
    angle = 2 * np.pi * np.arange(count) / count
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def cut(corners, inside):
    """The part of a convex polygon where inside (n, 3): a x + b y + c >= 0, for each row."""
    for a, b, c in inside:
        height = corners @ [a, b] + c
        kept = []
        for k, (p, h) in enumerate(zip(corners, height, strict=True)):
            q, g = corners[(k + 1) % len(corners)], height[(k + 1) % len(corners)]
            kept += [p] if h >= 0 else []
            kept += [p + h / (h - g) * (q - p)] if h * g < 0 else []
        corners = np.array(kept)
    return corners


def sides(corners):
    """Rows of `cut` for a convex polygon."""
    way = np.roll(corners, -1, axis=0) - corners
    return np.stack([-way[:, 1], way[:, 0], way[:, 1] * corners[:, 0] - way[:, 0] * corners[:, 1]], axis=1)


def turned(corners, yaw, at=(0, 0)):
    return corners @ np.array([[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]]) + at


def square(half):
    return half * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])


def lens(radius, other, apart, count=5000):
    """The part that two circles share, of which the second has its centre on the x axis."""
    along = 0.5 * (apart + (radius**2 - other**2) / apart)
    half, its_half = np.arccos(along / radius), np.arccos((apart - along) / other)
    angle, its_angle = np.linspace(-half, half, count), np.linspace(np.pi - its_half, np.pi + its_half, count)[1:-1]
    return np.concatenate([
        radius * np.stack([np.cos(angle), np.sin(angle)], axis=1),
        other * np.stack([np.cos(its_angle), np.sin(its_angle)], axis=1) + [apart, 0],
    ])  # fmt: skip


def torsion_arm(support, geom, height, yaw, at=(0, 0), assets=""):
    """e_r of a body that spins on z = 0 and ends the step with the yaw; `height` of its centre [m]."""
    text = (f'<mujoco><option gravity="0 0 -9.8"/><default><geom friction="{MU}" mass=".5"/></default><asset>{assets}</asset><worldbody>{support}'
            f'<body pos="{at[0]} {at[1]} {height}"><freejoint/><geom {geom}/></body></worldbody></mujoco>')  # fmt: skip
    with st.Simulator(st.load_model(text, **PATCH), device="cpu") as sim:
        start = yaw
        for _ in range(3):  # the spin hardly depends on the yaw
            sim.reset()
            sim.qpos[0, 3:] = [np.cos(start / 2), 0, 0, np.sin(start / 2)]
            sim.qvel[0] = [0, 0, 0, 0, 0, 3]
            assert (sim.step() & st.Status.CONVERGED).all()
            start += yaw - 2 * np.arctan2(sim.qpos[0, 6], sim.qpos[0, 3])
        assert sim.patches.count[0] == 1
        return -sim.patches.torsion[0, 0] / (MU * sim.patches.force[0, 0, 0])


CAN = 'type="cylinder" size=".05 .03"'
YAWS = np.linspace(0, 2, 9)


@pytest.mark.parametrize("support", [PLANE, BLOCK, DRUM])
def test_a_disk_has_two_thirds_of_its_radius_however_it_is_turned(support):
    assert [torsion_arm(support, CAN, 0.03, yaw) for yaw in YAWS] == pytest.approx(
        [0.05 * 2 / 3] * len(YAWS), rel=SHARE
    )


@pytest.mark.parametrize("over", [0.045, 0.02, 0.001])
def test_a_disk_over_an_edge_has_that_of_the_segment(over):
    """`over`: of the centre from the edge, inwards [m]."""
    expected = mean_distance(cut(circle(0.05), [[-1, 0, over]]))
    arms = [torsion_arm(BLOCK, CAN, 0.03, yaw, (0.2 - over, 0.03)) for yaw in YAWS]
    assert arms == pytest.approx([expected] * len(YAWS), rel=SHARE)


def test_a_disk_at_a_corner_has_that_of_the_part_between_both_edges():
    expected = mean_distance(cut(circle(0.05), [[-1, 0, 0.01], [0, -1, 0.02]]))
    arms = [torsion_arm(BLOCK, CAN, 0.03, yaw, (0.19, 0.18)) for yaw in YAWS]
    assert arms == pytest.approx([expected] * len(YAWS), rel=SHARE)


def test_a_disk_on_another_has_that_of_the_lens():
    expected = mean_distance(lens(0.1, 0.05, 0.09))
    arms = [torsion_arm(DRUM, CAN, 0.03, yaw, (0.09, 0)) for yaw in YAWS]
    assert arms == pytest.approx([expected] * len(YAWS), rel=SHARE)


@pytest.mark.parametrize("corners", [5, 8, 12, 16, 40])
def test_a_prism_of_many_sides_has_that_of_all_its_corners(corners):
    """A patch has at most eight points, whose hull has up to 5 % less."""
    base = 0.06 * circle(1, corners)
    vertices = np.concatenate([np.pad(base, ((0, 0), (0, 1)), constant_values=z) for z in (-0.03, 0.03)])
    mesh = f'<mesh name="prism" vertex="{" ".join(map(repr, vertices.ravel().tolist()))}"/>'
    arms = [torsion_arm(PLANE, 'type="mesh" mesh="prism"', 0.03, yaw, assets=mesh) for yaw in YAWS[:4]]
    assert arms == pytest.approx([mean_distance(base)] * 4, rel=SHARE)


@pytest.mark.parametrize("yaw", [0, 1e-3, 0.3, np.pi / 4, 1.2])
def test_a_box_on_a_box_has_that_of_the_overlap(yaw):
    """Two squares have eight corners in common, two boxes four points."""
    expected = mean_distance(cut(turned(square(0.2), yaw, (0.01, 0.02)), sides(square(0.2))))
    arm = torsion_arm(BLOCK, 'type="box" size=".2 .2 .05"', 0.05, yaw, (0.01, 0.02))
    assert arm == pytest.approx(expected, rel=SHARE)


def test_a_round_side_across_a_cap_has_a_quarter_of_the_chord():
    chord = 2 * np.sqrt(0.1**2 - 0.03**2)
    arms = [
        torsion_arm(
            DRUM, 'type="cylinder" size=".05 .3" euler="0 90 0"', 0.05, yaw, (-0.03 * np.sin(yaw), 0.03 * np.cos(yaw))
        )
        for yaw in YAWS
    ]
    assert arms == pytest.approx([chord / 4] * len(YAWS), rel=SHARE)
