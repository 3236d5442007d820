"""Signed distances of random pairs, compared with coal and MuJoCo's mj_geomDistance.

    python bench/collision_oracles.py build/host-release/bin/collision_samples [--count 100] [--csv FILE]

The distance (or depth) of a pair is unique even if its witness points are not, so the gaps are compared. If a program
disagrees by more than TOLERANCE, the support functions decide, which are evaluated here:

    along a normal n the shapes overlap by s(n) = max n.A - min n.B;   apart: -s(n) <= distance;   overlapping: depth <= s(n)

"ours worse": the other program's normal proves a larger distance or attains a smaller depth than ours. The script exits
with 1 if there is such a pair, with 77 if a package is missing.
"""

import argparse
import collections
import csv
import json
import subprocess
import sys

try:
    import coal
    import mujoco
    import numpy as np
    from scipy.spatial import ConvexHull
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TOLERANCE = 1e-6  # [m], the accuracy that the narrow phase claims
FAR = 100.0  # [m]


def support_height(shape, n):
    """max of n.x over the shape; infinite for a plane along any direction but its own normal."""
    rotation = np.reshape(shape["rotation"], (3, 3))
    d, (a, b, _) = rotation.T @ n, shape["size"]
    local = {
        "plane": lambda: 0.0 if d[2] > 1 - 1e-9 else np.inf,
        "sphere": lambda: a * np.linalg.norm(d),
        "capsule": lambda: a * np.linalg.norm(d) + b * abs(d[2]),
        "cylinder": lambda: a * np.hypot(d[0], d[1]) + b * abs(d[2]),
        "ellipsoid": lambda: np.linalg.norm(np.multiply(shape["size"], d)),
        "box": lambda: np.dot(shape["size"], abs(d)),
        "mesh": lambda: np.max(np.reshape(shape["vertices"], (-1, 3)) @ d),
    }[shape["type"]]()
    return local + n @ np.array(shape["position"])


def overlap_along(pair, n):
    return support_height(pair["A"], n) + support_height(pair["B"], -n)


def coal_shape(shape):
    a, b, c = shape["size"]
    if shape["type"] == "mesh":
        points, vertices = np.reshape(shape["vertices"], (-1, 3)), coal.StdVec_Vec3s()
        for point in points:
            vertices.append(point)
        return coal.Convex.convexHull(vertices, True, "Qt")
    return {
        "plane": lambda: coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0),
        "sphere": lambda: coal.Sphere(a),
        "capsule": lambda: coal.Capsule(a, 2 * b),
        "cylinder": lambda: coal.Cylinder(a, 2 * b),
        "ellipsoid": lambda: coal.Ellipsoid(a, b, c),
        "box": lambda: coal.Box(2 * a, 2 * b, 2 * c),
    }[shape["type"]]()


def coal_pose(shape):
    return coal.Transform3s(np.reshape(shape["rotation"], (3, 3)), np.array(shape["position"]))


def distance_by_coal(pair):
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance, request.epa_tolerance = 1e-9, 1e-9
    request.gjk_max_iterations, request.epa_max_iterations = 500, 500
    A, B = pair["A"], pair["B"]
    gap = coal.distance(coal_shape(A), coal_pose(A), coal_shape(B), coal_pose(B), request, result)
    return gap, np.array(result.normal)


def add_geom(spec, name, shape):
    body = spec.worldbody.add_body(name=name, pos=shape["position"])
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.array(shape["rotation"]))
    body.quat = quat
    if shape["type"] == "mesh":
        points = np.reshape(shape["vertices"], (-1, 3))
        hull = ConvexHull(points)
        faces = hull.simplices.copy()
        for k, (i, j, m) in enumerate(faces):
            if np.cross(points[j] - points[i], points[m] - points[i]) @ hull.equations[k, :3] < 0:
                faces[k] = (i, m, j)
        spec.add_mesh(name=name, uservert=points.ravel(), userface=faces.ravel().astype(np.int32))
        body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)
    elif shape["type"] == "plane":
        spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1], pos=body.pos, quat=quat)
    else:
        kind = getattr(mujoco.mjtGeom, "mjGEOM_" + shape["type"].upper())
        body.add_geom(name=name, type=kind, size=shape["size"])


def distance_by_mujoco(pair):
    spec = mujoco.MjSpec()
    spec.option.ccd_tolerance, spec.option.ccd_iterations = 1e-9, 500
    add_geom(spec, "A", pair["A"])
    add_geom(spec, "B", pair["B"])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    fromto = np.zeros(6)
    gap = mujoco.mj_geomDistance(model, data, model.geom("A").id, model.geom("B").id, FAR, fromto)
    between = (fromto[3:] - fromto[:3]) * np.sign(gap)
    length = np.linalg.norm(between)
    return gap, between / length if length > 0 else between


def judge(pair, gap, normal):
    """'agree', 'theirs worse', 'ours worse', or 'undecided' if their normal proves nothing."""
    if abs(gap - pair["gap"]) <= TOLERANCE:
        return "agree"
    ours = -overlap_along(pair, np.array(pair["normal"]))
    length = np.linalg.norm(normal)
    proven = -overlap_along(pair, normal / length) if length > 0 else -np.inf
    if proven > ours + TOLERANCE:  # a larger distance or a smaller depth, by the support functions
        return "ours worse"
    return "theirs worse" if ours >= pair["gap"] - TOLERANCE else "undecided"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("samples", help="the program that prints the pairs")
    parser.add_argument("--count", type=int, default=100, help="pairs of each two shapes")
    parser.add_argument("--csv")
    options = parser.parse_args()
    oracles = {"coal": distance_by_coal, "mujoco": distance_by_mujoco}
    table = collections.defaultdict(collections.Counter)
    spread = collections.defaultdict(list)
    printed = subprocess.run([options.samples, str(options.count)], check=True, capture_output=True, text=True).stdout
    for line in printed.splitlines():
        pair = json.loads(line)
        for name, oracle in oracles.items():
            key = (pair["A"]["type"] + "-" + pair["B"]["type"], name)
            gap, normal = oracle(pair)
            verdict = judge(pair, gap, normal)
            table[key][verdict] += 1
            spread[key].append(abs(gap - pair["gap"]))
            if verdict == "ours worse":
                print("ours worse:", key, "ours", pair["gap"], "theirs", gap, file=sys.stderr)
    columns = ["pair", "oracle", "agree", "theirs worse", "ours worse", "undecided", "median difference [m]", "largest [m]"]
    rows = [
        [*key, *(counts[c] for c in columns[2:6]), f"{np.median(spread[key]):.1e}", f"{max(spread[key]):.1e}"]
        for key, counts in table.items()
    ]
    for row in [columns, *rows]:
        print("".join(str(cell).ljust(22) for cell in row))
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            csv.writer(file).writerows([columns, *rows])
    return 1 if any(counts["ours worse"] for counts in table.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
