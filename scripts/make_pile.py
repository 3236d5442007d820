#!/usr/bin/env python3
"""Makes scenes/pile: boxes, spheres and capsules of several sizes above a bin, in layers, each turned its own way.

    make_pile.py [--check]     --check: compare with the committed files instead of writing them

Masses are volume times DENSITY: the heaviest body has about 5 times the mass of the lightest.
"""

import pathlib

import numpy as np
from made_files import write_or_compare

SCENE = pathlib.Path(__file__).resolve().parent.parent / "scenes/pile"
SEED = 1
COUNT, LAYER = 18, 4             # bodies, and how many of them a layer has: a square
SPACING = 0.13                   # between the bodies of a layer, and between layers [m]
INNER, HEIGHT, WALL = 0.135, 0.15, 0.02   # half width of the bin, half height and half thickness of its walls [m]
DENSITY = 400.0                  # [kg/m³]
FRICTION = 0.5
NOISE = (0.005, 0.005, 0.0, 0.2, 0.2, 0.2)  # half widths [m], [rad]
KINDS = ("box", "sphere", "box", "capsule", "box")  # the bodies take these in turn
COLORS = (".90 .33 .13 1", ".16 .45 .70 1", ".95 .62 .16 1", ".20 .60 .58 1")


def shape(kind, rng):
    """(MuJoCo's size [m], volume [m³])."""
    if kind == "box":
        half = rng.uniform(0.015, 0.034, 3)
        return half, 8 * half.prod()
    radius = rng.uniform(0.022, 0.038)
    if kind == "sphere":
        return np.array([radius]), 4 / 3 * np.pi * radius**3
    half = rng.uniform(0.015, 0.03)
    return np.array([0.75 * radius, half]), np.pi * (0.75 * radius) ** 2 * (2 * half + radius)


def place(i):
    """Centre of body i [m]."""
    layer, corner = divmod(i, LAYER)
    angle = np.pi / 4 * (1 + 2 * corner)
    return np.array([*SPACING / np.sqrt(2) * np.array([np.cos(angle), np.sin(angle)]), 0.07 + layer * SPACING])


def quaternion(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def words(values):
    return " ".join(f"{x:.4g}" for x in values)


def body(i, rng):
    kind = KINDS[i % len(KINDS)]
    size, volume = shape(kind, rng)
    pose = f'pos="{words(place(i))}" quat="{words(quaternion(rng))}"'
    return (f'    <body name="{kind}_{i}" {pose}><freejoint name="{kind}_{i}"/>\n'
            f'      <geom name="{kind}_{i}" type="{kind}" size="{words(size)}" mass="{DENSITY * volume:.3g}" '
            f'rgba="{COLORS[i % len(COLORS)]}"/></body>')


def wall(name, x, y, half_x, half_y):
    return (f'    <geom name="{name}" type="box" pos="{words([x, y, HEIGHT])}" size="{words([half_x, half_y, HEIGHT])}" '
            'rgba=".75 .78 .82 .12"/>')


def model():
    rng, out = np.random.default_rng(SEED), INNER + WALL
    walls = [wall("west", -out, 0, WALL, out + WALL), wall("east", out, 0, WALL, out + WALL),
             wall("south", 0, -out, INNER, WALL), wall("north", 0, out, INNER, WALL)]
    return "\n".join([
        '<mujoco model="pile">',
        "  <!-- made by scripts/make_pile.py: a bin, and above it bodies in layers -->",
        f'  <default><geom friction="{FRICTION:g} 0 0"/></default>',
        "  <worldbody>",
        '    <light pos="0.3 -0.4 1.5" dir="-0.2 0.3 -1"/>',
        '    <geom name="floor" type="plane" size="1 1 .1" rgba=".92 .92 .90 1"/>',
        *walls, *(body(i, rng) for i in range(COUNT)), "  </worldbody>", "</mujoco>", ""])


def scene():
    noise = ", ".join(f"{x:g}" for x in NOISE)
    names = [f"{KINDS[i % len(KINDS)]}_{i}" for i in range(COUNT)]
    return "\n".join([
        f"# {COUNT} boxes, spheres and capsules fall into a bin and end in a heap (made by scripts/make_pile.py).",
        'model = "model.xml"', "", "[physics]", 'dynamics = "quasidynamic"', 'law = "anitescu"', 'cone = "pyramid"',
        "facets = 4", "", "[solver]", 'name = "interior_point"', "tolerance = 1e-6", "",
        "[step]", "step_size = 0.02  # [s]", "duration = 4  # [s]", "",
        "[randomize]", "seed = 1", "", "# half widths: along x, y, z [m]; about x, y, z [rad]", "[randomize.qpos_noise]",
        *(f"{name} = [{noise}]" for name in names), ""])


def files():
    return {"model.xml": model(), "scene.toml": scene()}


if __name__ == "__main__":
    write_or_compare(__doc__.splitlines()[0], SCENE, files)
