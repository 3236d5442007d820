"""A mesh that is not convex as a body of convex pieces, by CoACD.

    V = Σ det(a, b, c)/6,   c = Σ V_i (a + b + c)/4 / V,   ∫ x xᵀ = Σ V_i/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ),  s = a + b + c

over the triangles (a, b, c) of the closed surface: the body has the mass and inertia of the mesh, not of its pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stiction.errors import InputError, make_folder_of, optional

MOST_FACES = 200_000  # of a mesh: more take CoACD minutes
FLAT = 1e-6  # spread of a mesh across its flattest direction, by that along its longest, below which it is flat

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]  # vertices (n, 3) [m], triangles (m, 3)


@dataclass(frozen=True)
class Decomposition:
    """What was written.

    Attributes:
        pieces: convex pieces, vertices (n, 3) [m] and triangles (m, 3) each.
        volume: of the mesh [m³].
        ratio: volume of all pieces by that of the mesh [-].
        mass: of the body [kg].
    """

    pieces: list[Mesh]
    volume: float
    ratio: float
    mass: float


def decompose(
    mesh: str | Path,
    out: str | Path,
    *,
    threshold: float = 0.05,
    max_pieces: int | None = None,
    max_vertices: int = 32,
    density: float = 1000.0,
    mass: float | None = None,
    seed: int = 0,
) -> Decomposition:
    """Writes OUT.xml, a free body of convex pieces, and its meshes into the folder OUT beside it.

    Args:
        mesh: path of an OBJ or STL file; closed.
        out: path of the MJCF model, .xml.
        threshold: concavity that is left, from 0.01 (fine) to 1 (coarse).
        max_pieces: most pieces; None: as many as the threshold asks for.
        max_vertices: most vertices of a piece, at least 4.
        density: [kg/m³].
        mass: [kg]; None: by the density.
        seed: of CoACD.

    Returns:
        The pieces and the mass.

    Raises:
        InputError: the mesh cannot be read, is empty, flat, open or has too many faces, or an argument is wrong.
        MissingPackage: coacd or mujoco is not installed.
    """
    coacd = optional("coacd", "decomposition", "grasp")
    mesh, out = Path(mesh), Path(out)
    _check(out, threshold, max_pieces, max_vertices, density, mass)
    vertices, faces = read_mesh(mesh)
    _check_mesh(mesh, vertices, faces)
    volume, center, inertia = mass_properties(vertices, faces)
    kilograms = density * volume if mass is None else mass
    coacd.set_log_level("error")
    found = coacd.run_coacd(
        coacd.Mesh(vertices, faces),
        threshold=threshold,
        max_convex_hull=-1 if max_pieces is None else max_pieces,
        decimate=True,
        max_ch_vertex=max_vertices,
        seed=seed,
    )
    pieces = [(np.asarray(v, float), np.asarray(f, np.int64)) for v, f in found]
    filled = sum(abs(mass_properties(*piece)[0]) for piece in pieces)
    _write(out, (vertices, faces), pieces, kilograms, center, inertia * kilograms / volume)
    return Decomposition(pieces, volume, filled / volume, kilograms)


def read_mesh(path: Path) -> Mesh:
    """Vertices and triangles of a file that MuJoCo reads, in the file's frame.

    Raises:
        InputError: MuJoCo cannot read it.
    """
    mujoco = optional("mujoco", "decomposition", "grasp")
    if not path.is_file():
        raise InputError(f"{path}: no such file; give an OBJ or STL mesh")
    spec = mujoco.MjSpec()
    asset = spec.add_mesh(name="mesh", file=str(path.absolute()))
    asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # it may be open, which is found out later
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="mesh", contype=0, conaffinity=0)
    try:
        model = spec.compile()
    except ValueError as error:
        raise InputError(f"{path}: cannot be read as a mesh: {str(error).splitlines()[0]}") from error
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.mesh_quat[0])
    vertices = model.mesh_vert.astype(float) @ turn.reshape(3, 3).T + model.mesh_pos[0]
    places, ids = np.unique(vertices.round(12), axis=0, return_inverse=True)  # STL repeats a vertex for every face
    faces = ids.reshape(-1)[model.mesh_face.astype(np.int64)]
    distinct = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    return places, faces[distinct]


def mass_properties(vertices: NDArray[Any], faces: NDArray[Any]) -> tuple[float, NDArray[Any], NDArray[Any]]:
    """Volume [m³], centre of mass (3) [m] and moments of inertia about it at a density of 1 (3, 3) [m⁵]."""
    corners = vertices[faces]
    parts = np.linalg.det(corners) / 6
    volume = float(parts.sum())
    total = corners.sum(axis=1)
    center = parts @ total / (4 * volume) if volume != 0 else np.zeros(3)
    outer = np.einsum("fki,fkj->fij", corners, corners) + np.einsum("fi,fj->fij", total, total)
    second = np.einsum("f,fij->ij", parts, outer) / 20 - volume * np.outer(center, center)
    return volume, center, np.trace(second) * np.eye(3) - second


def _check(out: Path, threshold: float, pieces: int | None, vertices: int, density: float, mass: float | None) -> None:
    if out.suffix != ".xml":
        raise InputError(f"{out}: the model to write ends in .xml")
    if not 0.01 <= threshold <= 1:
        raise InputError(f"threshold: {threshold:g} given, must be from 0.01 to 1")
    for name, value, least in (("max_pieces", pieces, 1), ("max_vertices", vertices, 4)):
        if value is not None and value < least:
            raise InputError(f"{name}: {value} given, must be at least {least}")
    for name, number in (("density", density), ("mass", mass)):
        if number is not None and not (np.isfinite(number) and number > 0):
            raise InputError(f"{name}: {number:g} given, must be positive")


def _check_mesh(path: Path, vertices: NDArray[Any], faces: NDArray[Any]) -> None:
    if len(faces) == 0:
        raise InputError(f"{path}: the mesh is empty: it has no triangle")
    if len(faces) > MOST_FACES:
        raise InputError(f"{path}: the mesh has {len(faces)} faces, at most {MOST_FACES}: simplify it first")
    size = np.ptp(vertices, axis=0).max()
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    _, which = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    open_edges = int((np.bincount(which.reshape(-1), weights=np.where(edges[:, 0] < edges[:, 1], 1, -1)) != 0).sum())
    spread = np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False)
    if spread[2] < FLAT * spread[0]:
        raise InputError(f"{path}: the mesh is flat: it has no volume")
    if open_edges:
        raise InputError(f"{path}: the mesh is open: {open_edges} edges belong to one face only, or faces turn against each other; close it")
    if mass_properties(vertices, faces)[0] < FLAT * FLAT * size**3:
        raise InputError(f"{path}: the mesh is inside out or has no volume: turn its faces so that they are counter-clockwise from outside")


def _obj(mesh: Mesh) -> str:
    vertices, faces = mesh
    return "".join(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in vertices) + "".join(
        f"f {a} {b} {c}\n" for a, b, c in faces + 1
    )


def _write(out: Path, mesh: Mesh, pieces: list[Mesh], mass: float, center: NDArray[Any], inertia: NDArray[Any]) -> None:
    name, folder = out.stem, out.with_suffix("")
    names = [f"{name}_{i}" for i in range(len(pieces))]
    make_folder_of(out)
    try:
        folder.mkdir(exist_ok=True)
        for old in folder.glob(f"{name}*.obj"):
            old.unlink()
        for part, shape in zip([name, *names], [mesh, *pieces], strict=True):
            (folder / f"{part}.obj").write_text(_obj(shape))
        out.write_text(_model(name, names, mass, center, inertia))
    except OSError as error:
        raise InputError(f"{error.filename or out}: cannot be written ({error.strerror})") from error


def _numbers(values: Any) -> str:
    return " ".join(f"{value:.9g}" for value in values)


def _model(name: str, pieces: list[str], mass: float, center: NDArray[Any], inertia: NDArray[Any]) -> str:
    full = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    assets = "\n".join(f'    <mesh name="{part}" file="{part}.obj"/>' for part in [name, *pieces])
    geoms = "\n".join(f'      <geom name="{part}" type="mesh" mesh="{part}" group="3"/>' for part in pieces)
    return f"""<mujoco model="{name}">
  <compiler meshdir="{name}"/>
  <asset>
{assets}
  </asset>
  <worldbody>
    <body name="{name}">
      <freejoint/>
      <inertial pos="{_numbers(center)}" mass="{mass:.9g}" fullinertia="{_numbers(full)}"/>
      <geom name="{name}" type="mesh" mesh="{name}" contype="0" conaffinity="0" group="1"/>
{geoms}
    </body>
  </worldbody>
</mujoco>
"""
