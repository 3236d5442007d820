#!/usr/bin/env python3
"""Makes scenes/objects: bodies to grasp, each of convex pieces that touch in faces and do not overlap.

    make_grasp_objects.py [--check]     --check: compare with the committed files instead of writing them

Every object is a free body `object` of MASS and of one density throughout. Its frame is at its centre of mass; its longest side is along x and
at most 78 mm are along y, where the jaws of scenes/grasp_jaws close. For a piece with the volume V, the centre c and the moments I about c

    m = Σ V,   p = Σ V c / m,   I_object = Σ I + V ((c - p)² 1 - (c - p)(c - p)ᵀ),   all times MASS / m
"""

import argparse
import pathlib
import sys
from dataclasses import dataclass, replace

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "scenes/objects"
MASS = 0.1  # [kg]
SLIDING, TORSION = 0.6, 0.02  # friction [-], torsional friction [m]
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Piece:
    """A convex piece: a shape of MuJoCo with its `size` [m], or the hull of `corners`.

    `center` is that of mass [m], `axis` is the shape's z. `moments` (3, 3) are those of the volume about `center` [m⁵].
    """

    kind: str
    center: np.ndarray
    volume: float
    moments: np.ndarray
    size: tuple[float, ...] = ()
    axis: tuple[float, ...] = Z
    corners: np.ndarray | None = None


def millimetres(*values):
    return 1e-3 * np.array(values, float)


def box(length, width, height, at=(0, 0, 0)):
    """Edges along x, y and z, and the centre [mm]."""
    edges = millimetres(length, width, height)
    volume = float(edges.prod())
    moments = volume / 12 * np.diag((edges**2).sum() - edges**2)
    return Piece("box", millimetres(*at), volume, moments, tuple(edges / 2))


def ellipsoid(length, width, height):
    """Diameters along x, y and z [mm]."""
    half = millimetres(length, width, height) / 2
    volume = float(4 / 3 * np.pi * half.prod())
    return Piece("ellipsoid", np.zeros(3), volume, volume / 5 * np.diag((half**2).sum() - half**2), tuple(half))


def sphere(diameter):
    """[mm]"""
    ball = ellipsoid(diameter, diameter, diameter)
    return replace(ball, kind="sphere", size=ball.size[:1])


def round_piece(kind, radius, half, volume, along, across, axis, center):
    """A piece with moments `along` its axis and `across` it."""
    moments = across * np.eye(3) + (along - across) * np.outer(axis, axis)
    return Piece(kind, center, volume, moments, (radius, half), axis)


def cylinder(diameter, length, axis=Z, at=(0, 0, 0)):
    """[mm]"""
    r, half = 0.5e-3 * diameter, 0.5e-3 * length
    volume = 2 * np.pi * r**2 * half
    return round_piece("cylinder", r, half, volume, volume * r**2 / 2, volume * (r**2 / 4 + half**2 / 3), axis, millimetres(*at))


def capsule(diameter, length, axis=Z):
    """`length` is that of the whole capsule [mm]."""
    r, half = 0.5e-3 * diameter, 0.5e-3 * (length - diameter)
    tube, caps = 2 * np.pi * r**2 * half, 4 / 3 * np.pi * r**3
    along = tube * r**2 / 2 + caps * 2 / 5 * r**2
    across = tube * (r**2 / 4 + half**2 / 3) + caps * (2 / 5 * r**2 + 3 / 4 * half * r + half**2)
    return round_piece("capsule", r, half, tube + caps, along, across, axis, np.zeros(3))


def loft(bottom, top):
    """The hull of two polygons with as many corners (n, 3), which face each other [mm]."""
    n = len(bottom)
    corners = 1e-3 * np.concatenate([bottom, top])
    faces = [(0, i + 1, i) for i in range(1, n - 1)] + [(n, n + i, n + i + 1) for i in range(1, n - 1)]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, n + j), (i, n + j, n + i)]
    triangles = (corners - corners.mean(axis=0))[np.array(faces)]
    parts = np.linalg.det(triangles) / 6
    total, volume = triangles.sum(axis=1), float(parts.sum())
    center = parts @ total / (4 * volume)
    outer = np.einsum("fki,fkj->fij", triangles, triangles) + np.einsum("fi,fj->fij", total, total)
    second = np.einsum("f,fij->ij", parts, outer) / 20 - volume * np.outer(center, center)
    moments = np.trace(second) * np.eye(3) - second
    return Piece("mesh", corners.mean(axis=0) + center, volume, moments, corners=corners)


def polygon(sides, radius, turn=0.5):
    """The corners (sides, 2) of a regular polygon, the first at `turn` of the angle between two; with 0.5 a side faces +x."""
    angle = 2 * np.pi * (np.arange(sides) + turn) / sides
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def level(outline, z):
    return np.column_stack([outline, np.full(len(outline), float(z))])


def bar(outline, length):
    """A prism along x with an outline (n, 2) in y and z, counter-clockwise [mm]."""
    ends = [np.column_stack([np.full(len(outline), x), outline]) for x in (-length / 2, length / 2)]
    return loft(*ends)


def staves(sides, below, above):
    """A ring of convex pieces between two heights; each height is (z, inner radius, outer radius) [mm]."""
    pieces = []
    for i in range(sides):
        j, ends = (i + 1) % sides, []
        for z, inner, outer in (below, above):
            a, b = polygon(sides, inner), polygon(sides, outer)
            ends.append(level([a[i], b[i], b[j], a[j]], z))
        pieces.append(loft(*ends))
    return pieces


def plate(sides, below, above):
    """A regular frustum; each height is (z, radius) [mm]."""
    return loft(*(level(polygon(sides, radius), z) for z, radius in (below, above)))


def mug():
    handle = 32 * np.cos(np.pi / 12)  # where the flat side of a stave is
    bars = [box(14, 8, 7, (handle + 7, 0, z)) for z in (16, 42)]
    grip = box(6, 8, 33, (handle + 17, 0, 29))
    return [plate(12, (0, 32), (5, 32)), *staves(12, (5, 28, 32), (56, 28, 32)), *bars, grip]


def bowl():
    heights = [(4, 18, 23), (16, 28, 32), (36, 34, 38)]
    return [plate(10, (0, 20), (4, 23)), *staves(10, *heights[:2]), *staves(10, *heights[1:])]


def handset():
    ends = [box(52, 50, 30, (x, 0, 7)) for x in (-82, 82)]
    caps = [cylinder(48, 16, Z, (x, 0, -16)) for x in (-82, 82)]
    return [box(112, 32, 22, (0, 0, 11)), *ends, *caps]


def hammer():
    face = cylinder(22, 20, Z, (125, 0, -31))
    rectangle = lambda half: np.array([(113, -half), (137, -half), (137, half), (113, half)], float)
    peen = loft(level(rectangle(12), 21), level(rectangle(2), 45))
    return [cylinder(20, 226, X), box(24, 24, 42, (125, 0, 0)), face, peen]


def bracket():
    gusset = np.array([(-24, 6), (0, 6), (-24, 30)], float)
    ends = [np.column_stack([gusset[:, 0], np.full(3, y), gusset[:, 1]]) for y in (3.0, -3.0)]
    return [box(60, 40, 6, (0, 0, 3)), box(6, 40, 54, (-27, 0, 33)), loft(*ends)]


def jack():
    arms = [box(22, 10, 10, (s * 19, 0, 0)) for s in (-1, 1)]
    arms += [box(10, 22, 10, (0, s * 19, 0)) for s in (-1, 1)]
    arms += [box(10, 10, 22, (0, 0, s * 19)) for s in (-1, 1)]
    return [box(16, 16, 16), *arms]


def dumbbell():
    return [cylinder(20, 70, X), *(cylinder(50, 25, X, (x, 0, 0)) for x in (-47.5, 47.5))]


OBJECTS = {  # name: (what it is, color, pieces)
    "cube": ("wooden cube, 50 mm", ".90 .33 .13", [box(50, 50, 50)]),
    "die": ("die, 16 mm", ".93 .93 .90", [box(16, 16, 16)]),
    "matchbox": ("box of matches, 53 x 36 x 15 mm", ".84 .22 .18", [box(53, 36, 15)]),
    "carton": ("drinks carton of 200 ml, 116 x 48 x 38 mm", ".98 .70 .18", [box(116, 48, 38)]),
    "battery": ("D cell (IEC R20), 34.2 x 61.5 mm, lying", ".20 .22 .26", [cylinder(34.2, 61.5, X)]),
    "can": ("can of 330 ml, 66 x 115 mm, lying", ".75 .12 .15", [cylinder(66, 115, X)]),
    "tealight": ("tealight, 38 x 16 mm", ".94 .92 .84", [cylinder(38, 16)]),
    "marker": ("felt pen, 16 x 138 mm", ".16 .45 .70", [cylinder(16, 138, X)]),
    "puck": ("ice hockey puck, 76.2 x 25.4 mm", ".13 .13 .15", [cylinder(76.2, 25.4)]),
    "golf_ball": ("golf ball, 42.7 mm", ".95 .95 .95", [sphere(42.7)]),
    "tennis_ball": ("tennis ball, 67 mm", ".80 .90 .25", [sphere(67)]),
    "egg": ("hen's egg as an ellipsoid, 57 x 44 mm", ".92 .80 .66", [ellipsoid(57, 44, 44)]),
    "soap": ("piece of soap as an ellipsoid, 90 x 56 x 28 mm", ".70 .86 .78", [ellipsoid(90, 56, 28)]),
    "sausage": ("sausage as a capsule, 28 x 120 mm", ".66 .34 .22", [capsule(28, 120, X)]),
    "pencil": ("pencil with six sides, 7 mm across, 175 mm", ".95 .75 .15", [bar(polygon(6, 7 / 3**0.5), 175)]),
    "chocolate": ("bar of chocolate with three sides of 35 mm, 208 mm", ".93 .83 .45", [bar(polygon(3, 35 / 3**0.5, 0.75), 208)]),
    "jar": ("jar with eight sides, 56 mm across, 60 mm", ".55 .75 .80", [plate(8, (0, 28 / np.cos(np.pi / 8)), (60, 28 / np.cos(np.pi / 8)))]),
    "doorstop": ("wedge, 120 x 40 x 30 mm", ".62 .45 .28", [loft(*(np.array([(-60, y, 0), (60, y, 0), (-60, y, 30)], float) for y in (20, -20)))]),
    "ring": ("roll of tape, 76 mm outside, 52 mm inside, 25 mm", ".85 .76 .55", staves(12, (0, 26, 38), (25, 26, 38))),
    "mug": ("espresso cup, 64 x 56 mm, with a handle", ".26 .45 .72", mug()),
    "handset": ("telephone handset, 216 x 50 x 46 mm", ".16 .17 .19", handset()),
    "hammer": ("hammer, 250 mm, head of 86 mm", ".72 .52 .30", hammer()),
    "bowl": ("small bowl, 76 x 36 mm", ".90 .88 .82", bowl()),
    "bracket": ("angle of 60 x 60 x 40 mm with a rib", ".60 .63 .68", bracket()),
    "jack": ("six arms, 60 mm from end to end", ".70 .25 .55", jack()),
    "dumbbell": ("dumbbell, 50 x 120 mm", ".30 .32 .36", dumbbell()),
}


def mass_properties(pieces):
    """Volume [m³], centre of mass (3) [m] and moments about it with the mass MASS (3, 3) [kg m²]."""
    volume = sum(piece.volume for piece in pieces)
    center = sum(piece.volume * piece.center for piece in pieces) / volume
    moments = np.zeros((3, 3))
    for piece in pieces:
        arm = piece.center - center
        moments += piece.moments + piece.volume * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return volume, center, MASS / volume * moments


def words(values):
    """Lengths, to 10 nm."""
    return " ".join(f"{round(float(x), 8) + 0.0:.8g}" for x in np.ravel(values))


def inertia_words(moments):
    diagonal, rest = np.diag(moments), moments[(0, 0, 1), (1, 2, 2)]
    small = abs(rest).max() < 1e-9 * diagonal.max()
    return (f'diaginertia="{" ".join(f"{x:.7g}" for x in diagonal)}"' if small else
            f'fullinertia="{" ".join(f"{x:.7g}" for x in [*diagonal, *np.where(abs(rest) < 1e-9 * diagonal.max(), 0.0, rest)])}"')


def geom(name, piece, center):
    if piece.kind == "mesh":
        return f'      <geom name="{name}" type="mesh" mesh="{name}"/>'
    place = "" if np.allclose(piece.center, center, atol=1e-9) else f' pos="{words(piece.center - center)}"'
    turn = "" if piece.axis == Z else f' zaxis="{words(piece.axis)}"'
    return f'      <geom name="{name}" type="{piece.kind}" size="{words(piece.size)}"{place}{turn}/>'


def model(name, what, color, pieces):
    """MJCF of an object."""
    _, center, moments = mass_properties(pieces)
    names = [name] if len(pieces) == 1 else [f"{name}_{k}" for k in range(len(pieces))]
    meshes = [f'    <mesh name="{part}" vertex="{words(piece.corners - center)}"/>' for part, piece in zip(names, pieces) if piece.kind == "mesh"]
    assets = ["  <asset>", *meshes, "  </asset>"] if meshes else []
    return "\n".join([
        f'<mujoco model="{name}">',
        f"  <!-- made by scripts/make_grasp_objects.py: {what} -->",
        *assets,
        "  <default>",
        f'    <geom friction="{SLIDING:g} {TORSION:g} 0" condim="4" priority="1" contype="2" conaffinity="3" rgba="{color} 1"/>',
        "  </default>",
        "  <worldbody>",
        '    <body name="object">',
        '      <freejoint name="object"/>',
        f'      <inertial pos="0 0 0" mass="{MASS:g}" {inertia_words(moments)}/>',
        *(geom(part, piece, center) for part, piece in zip(names, pieces)),
        "    </body>", "  </worldbody>", "</mujoco>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed files, write nothing")
    check = parser.parse_args().check
    FOLDER.mkdir(exist_ok=True)
    for name, description in OBJECTS.items():
        file, text = FOLDER / f"{name}.xml", model(name, *description)
        if not check:
            file.write_text(text)
        elif not file.is_file() or file.read_text() != text:
            sys.exit(f"{file.name} is not what this script makes")
    strangers = {file.stem for file in FOLDER.glob("*.xml")} - set(OBJECTS)
    if strangers:
        sys.exit(f"scenes/objects: made by no script: {' '.join(sorted(strangers))}")


if __name__ == "__main__":
    main()
