"""Meshes as convex pieces: the body has the mesh's mass and inertia, its pieces cover the mesh and little more."""

import subprocess
import sys

import numpy as np
import pytest
import stiction as st
from recordings import BINARY, ENVIRONMENT
from stiction.errors import InputError, MissingPackage

mujoco = pytest.importorskip("mujoco", reason="no mujoco: requirements/look.txt")
pytest.importorskip("coacd", reason="no coacd: requirements/grasp.txt")

from stiction.decompose import decompose, mass_properties, read_mesh  # noqa: E402

ROUNDING = 1e-5  # of vertices that MuJoCo keeps in single precision


def prism(outline, height):
    """Triangles of a prism over a polygon that is star-shaped about its first corner, in one direction of turning."""
    n = len(outline)
    vertices = [(x, y, z) for z in (0, height) for x, y in outline]
    faces = [(0, i + 1, i) for i in range(1, n - 1)] + [(n, n + i, n + i + 1) for i in range(1, n - 1)]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, n + j), (i, n + j, n + i)]
    return np.array(vertices, float), np.array(faces)


def ring(radius=0.05, tube=0.015, around=24, across=12):
    a, b = (2 * np.pi * np.arange(n) / n for n in (around, across))
    x = (radius + tube * np.cos(b)) * np.cos(a)[:, None]
    y = (radius + tube * np.cos(b)) * np.sin(a)[:, None]
    vertices = np.stack([x, y, np.broadcast_to(tube * np.sin(b), x.shape)], axis=-1).reshape(-1, 3)
    at = lambda i, j: (i % around) * across + j % across
    squares = [(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)) for i in range(around) for j in range(across)]
    return vertices, np.array([t for a, b, c, d in squares for t in ((a, b, c), (a, c, d))])


L_SHAPE = prism([(0, 0), (0.1, 0), (0.1, 0.03), (0.03, 0.03), (0.03, 0.12), (0, 0.12)], 0.04)


def write(path, mesh):
    vertices, faces = mesh
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices] + [f"f {a} {b} {c}" for a, b, c in faces + 1]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def bracket(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bracket")
    found = decompose(write(folder / "mesh.obj", L_SHAPE), folder / "bracket.xml", density=500)
    return folder / "bracket.xml", found


def test_mass_and_inertia_are_those_of_the_mesh(bracket):
    file, found = bracket
    blocks = np.array([[0.1 * 0.03, 0.05, 0.015], [0.03 * 0.09, 0.015, 0.075]])  # area, centre
    volume = 0.04 * blocks[:, 0].sum()
    assert found.volume == pytest.approx(volume, rel=ROUNDING) and found.mass == pytest.approx(500 * volume, rel=ROUNDING)
    model = mujoco.MjModel.from_xml_path(str(file))
    assert model.body_mass[1] == pytest.approx(500 * volume, rel=ROUNDING)
    center = blocks[:, 0] @ blocks[:, 1:] / blocks[:, 0].sum()
    assert model.body_ipos[1] == pytest.approx([*center, 0.02], abs=ROUNDING)
    about_z = 0.0
    for (area, x, y), (a, b) in zip(blocks, ((0.1, 0.03), (0.03, 0.09)), strict=True):
        about_z += 500 * 0.04 * area * ((a**2 + b**2) / 12 + (x - center[0]) ** 2 + (y - center[1]) ** 2)
    assert sorted(model.body_inertia[1])[-1] == pytest.approx(about_z, rel=1e-4)


def test_pieces_are_convex_small_and_fill_the_mesh(bracket):
    file, found = bracket
    assert 2 <= len(found.pieces) <= 4 and found.ratio == pytest.approx(1, abs=0.06)
    model = mujoco.MjModel.from_xml_path(str(file))
    assert model.ngeom == 1 + len(found.pieces) and (model.geom_contype[1:] == 1).all() and model.geom_contype[0] == 0
    for vertices, faces in found.pieces:
        assert len(vertices) <= 32
        normals = np.cross(*(vertices[faces[:, k]] - vertices[faces[:, 0]] for k in (1, 2)))
        above = np.einsum("fi,fvi->fv", normals, vertices[None] - vertices[faces[:, 0]][:, None])
        assert above.max() < 1e-3 * np.linalg.norm(normals, axis=1).max() * 0.1


def test_a_peg_falls_through_the_ring_and_not_through_its_hull(tmp_path):
    mesh = write(tmp_path / "ring.obj", ring())
    decompose(mesh, tmp_path / "pieces.xml")
    peg = '<body name="peg" pos="0 0 .12"><freejoint/><geom type="capsule" size=".01 .03" density="3000"/></body>'
    scene = f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{peg}</worldbody></mujoco>'
    (tmp_path / "peg.xml").write_text(scene)
    whole = f"""<mujoco><asset><mesh name="ring" file="{mesh}"/></asset><worldbody>
        <body name="ring"><freejoint/><geom type="mesh" mesh="ring" density="1000"/></body></worldbody></mujoco>"""
    (tmp_path / "whole.xml").write_text(whole)
    heights = {}
    for name in ("pieces", "whole"):
        attach = f'model = "peg.xml"\n[[attach]]\nmodel = "{name}.xml"\nprefix = "r_"\npos = [0, 0, 0.016]\n'
        (tmp_path / "scene.toml").write_text(attach)
        with st.Simulator(st.load_scene(tmp_path / "scene.toml"), batch=1) as sim:
            for _ in range(60):
                sim.step()
            heights[name] = float(sim.body("peg").pos[0, 2])
    assert heights["pieces"] < 0.045 < heights["whole"]  # half its length above the floor, or on the filled ring


def test_info_and_run_name_meshes_whose_hulls_fill_hollows(tmp_path):
    write(tmp_path / "ring.obj", ring()), write(tmp_path / "block.obj", prism([(0, 0), (0.1, 0), (0.1, 0.1), (0, 0.1)], 0.1))
    body = '<body pos="0 0 {z}"><freejoint/><geom type="mesh" mesh="{mesh}"/></body>'
    bodies = "".join(body.format(mesh=mesh, z=z) for mesh, z in (("ring", 0.1), ("block", 0.5)))
    assets = '<mesh name="ring" file="ring.obj"/><mesh name="block" file="block.obj"/>'
    model = tmp_path / "model.xml"
    model.write_text(f'<mujoco><asset>{assets}</asset><worldbody><geom type="plane" size="1 1 1"/>{bodies}</worldbody></mujoco>')
    for command in (["info", str(model)], ["run", str(model), "--duration", "0.01"]):
        run = subprocess.run([str(BINARY), *command], capture_output=True, text=True, check=False)
        assert run.returncode == 0
        (line,) = [line for line in run.stderr.splitlines() if "convex" in line]
        assert "1 colliding mesh is not convex, and its hull collides: ring (" in line and "block" not in line
        ratio = float(line.partition("ring (")[2].partition(" ")[0])
        assert ratio == pytest.approx(1.75, abs=0.2)  # a disc with round edges by a torus


def shaped(tmp_path, change):
    vertices, faces = (part.copy() for part in L_SHAPE)
    vertices, faces = change(vertices, faces)
    return write(tmp_path / "bad.obj", (vertices, faces))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda v, f: (v, f[1:]), "bad.obj: the mesh is open: 3 edges belong to one face only"),
        (lambda v, f: (v * [1, 1, 0], f), "bad.obj: the mesh is flat"),
        (lambda v, f: (v, f[:, ::-1]), "bad.obj: the mesh is inside out"),
        (lambda v, f: (v[:0], f[:0]), "bad.obj: cannot be read as a mesh"),
    ],
    ids=["open", "flat", "inside_out", "empty"],
)
def test_meshes_without_a_volume_are_refused(tmp_path, change, match):
    with pytest.raises(InputError, match=match):
        decompose(shaped(tmp_path, change), tmp_path / "out.xml")
    assert not (tmp_path / "out.xml").exists() and not (tmp_path / "out").exists()


def test_what_is_refused_says_why(tmp_path, monkeypatch):
    mesh = write(tmp_path / "mesh.obj", L_SHAPE)
    out = tmp_path / "out.xml"
    for arguments, match in (
        ({"threshold": 2}, "threshold: 2 given"), ({"max_vertices": 3}, "max_vertices: 3 given"), ({"mass": -1}, "mass: -1 given"),
        ({"density": float("nan")}, "density: nan given"), ({"max_pieces": 0}, "max_pieces: 0 given"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=match):
            decompose(mesh, out, **arguments)
    with pytest.raises(InputError, match=r"none.obj: no such file"):
        decompose(tmp_path / "none.obj", out)
    with pytest.raises(InputError, match=r"ends in .xml"):
        decompose(mesh, tmp_path / "out.obj")
    (tmp_path / "text.stl").write_text("no mesh")
    with pytest.raises(InputError, match=r"text.stl: cannot be read as a mesh"):
        decompose(tmp_path / "text.stl", out)
    monkeypatch.setattr("stiction.decompose.MOST_FACES", 10)
    with pytest.raises(InputError, match="20 faces, at most 10: simplify it first"):
        decompose(mesh, out)
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(MissingPackage, match="decomposition needs the package coacd"):
        decompose(mesh, out)


def test_the_command_writes_the_model_and_says_what(tmp_path):
    write(tmp_path / "mesh.obj", L_SHAPE)
    command = [sys.executable, "-m", "stiction", "decompose", "mesh.obj", "made/hook.xml", "--mass", "0.2", "--max-pieces", "2"]
    run = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("made/hook.xml: 2 pieces, ") and "0.2 kg" in run.stdout and run.stderr == ""
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "made/hook.xml"))
    assert model.body_mass[1] == pytest.approx(0.2) and model.ngeom == 3
    run = subprocess.run([*command[:4], "none.obj", "made/hook.xml"], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert run.returncode == 2 and run.stderr == "stiction: none.obj: no such file; give an OBJ or STL mesh\n"


def test_stl_files_are_read_where_they_are(tmp_path):
    vertices, faces = L_SHAPE
    lines = ["solid l"]
    for face in faces:
        corners = "".join(f"vertex {x} {y} {z}\n" for x, y, z in vertices[face] + [1, 2, 3])
        lines.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet")
    (tmp_path / "moved.stl").write_text("\n".join([*lines, "endsolid l\n"]))
    try:
        found = read_mesh(tmp_path / "moved.stl")
    except InputError as error:  # MuJoCo reads binary STL only
        assert "cannot be read as a mesh" in str(error)
        record = np.zeros(len(faces), dtype=[("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
        record["v"] = vertices[faces] + [1, 2, 3]
        (tmp_path / "moved.stl").write_bytes(b" " * 80 + np.uint32(len(faces)).tobytes() + record.tobytes())
        found = read_mesh(tmp_path / "moved.stl")
    volume, center, _ = mass_properties(*found)
    expected = mass_properties(vertices, faces)
    assert volume == pytest.approx(expected[0], rel=1e-4) and center == pytest.approx(expected[1] + [1, 2, 3], abs=ROUNDING)
    assert len(found[0]) == len(vertices)
