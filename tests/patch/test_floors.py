"""Claims: a course does not depend on what the floor and the body are made of, nor on whether they move together.

s1 with spin and s3 of p5.py on a plane; on a fixed box; on a free box of 1e11 kg without weight, which the cube pushes by
less than 1e-9 m; on a slab that a table moves at a constant velocity, where positions are those in the slab's frame (Galileo);
and with hulls of eight points for boxes.
"""

import dataclasses
import functools
import itertools

import h5py
import numpy as np
import p5
import pytest

WITHIN = {"s1_spin": 1e-8, "s3": 1e-7}  # after every step [m], [-]
HEAVY = 1e11  # [kg]
HALF = np.array([50.0, 50.0, 2.0])  # half lengths of the floor [m]
DRIFT = np.array([0.3, -0.2, 0.1])  # of the slab [m/s]
SIZE = " ".join(map(str, HALF))


def corners(half):
    return " ".join(str(sign * length) for signs in itertools.product((-1, 1), repeat=3)
                    for sign, length in zip(signs, half, strict=True))  # fmt: skip


HULLS = f'<asset><mesh name="cube" vertex="{corners([0.5] * 3)}"/><mesh name="slab" vertex="{corners(HALF)}"/></asset>'
SOLIDS = {"cube": p5.CUBE, "cube as mesh": 'type="mesh" mesh="cube" mass="1"'}
PLANE = p5.SCENES["s1"].floor
BOX = f'<geom name="floor" type="box" size="{SIZE}" {{grip}} '
FLOORS = {
    "plane": PLANE,
    "box": f'{BOX} pos="0 0 {-HALF[2]}"/>',
    "mesh": f'<geom name="floor" type="mesh" mesh="slab" pos="0 0 {-HALF[2]}" {{grip}}/>',
    "free box": f'<body name="slab" gravcomp="1"><freejoint/>{BOX} mass="{HEAVY}"/></body>',
    "moving slab": f'<body name="slab" mocap="true" pos="0 0 {-HALF[2]}">{BOX}/></body>',
}


def scene_on(name, floor, solid):
    scene = dataclasses.replace(p5.SCENES[name], floor=FLOORS[floor], geoms=[SOLIDS[solid]], assets=HULLS)
    if floor == "free box":
        return dataclasses.replace(scene, q=[[0, 0, -HALF[2], 1, 0, 0, 0], *scene.q], nu=[np.zeros(6), *scene.nu])
    if floor == "moving slab":
        nu = [np.array(scene.nu[0], float) + np.append(DRIFT, np.zeros(3))]
        return dataclasses.replace(scene, nu=nu, tables='[[mocap]]\nbody = "slab"\nfile = "slab.csv"\n')
    return scene


def write_table(path, seconds):
    rows = [
        np.concatenate([[t], [0, 0, -HALF[2]] + t * DRIFT, [1, 0, 0, 0], DRIFT, np.zeros(3)]) for t in (0.0, seconds)
    ]
    path.write_text("".join(",".join(map(repr, map(float, row))) + "\n" for row in rows))


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """course(name, floor, solid): rows of the cube's position in the floor's frame [m] and quaternion."""

    @functools.cache
    def take(name, floor="plane", solid="cube"):
        folder, scene = tmp_path_factory.mktemp("floor"), scene_on(name, floor, solid)
        write_table(folder / "slab.csv", (scene.steps + 1) * p5.H)
        with h5py.File(p5.run(scene, folder)) as file:
            assert (file["status"][1:, 0] == 1).all()
            rows, time = file["qpos"][:, 0, -7:], file["time"][:]
        if floor == "moving slab":
            rows[:, :3] -= np.outer(time, DRIFT)
        return rows

    return take


@pytest.mark.parametrize(
    "floor, solid", [pair for pair in itertools.product(FLOORS, SOLIDS) if pair != ("plane", "cube")]
)
@pytest.mark.parametrize("name", WITHIN)
def test_a_cube_on_any_floor_moves_as_on_a_plane(course, name, floor, solid):
    assert np.abs(course(name, floor, solid) - course(name)).max() <= WITHIN[name]
