"""Unit meshes (vertices (V, 3), faces (F, 3)), whose faces point outward by the right-hand rule."""

import numpy as np

AROUND = 24  # corners of what is round


def box() -> tuple[np.ndarray, np.ndarray]:
    """A box with half widths 1. Its faces share no corners, so that edges are drawn sharp."""
    vertices, faces = [], []
    for axis in range(3):
        for side in (-1.0, 1.0):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            corners = np.zeros((4, 3))
            corners[:, axis] = side
            corners[:, u], corners[:, v] = (-1, 1, 1, -1), (-1, -1, 1, 1)
            first = 4 * len(vertices)
            quad = np.array([[0, 1, 2], [0, 2, 3]]) if side > 0 else np.array([[0, 2, 1], [0, 3, 2]])
            vertices.append(corners)
            faces.append(first + quad)
    return np.vstack(vertices), np.vstack(faces)


def ball(rings: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """A ball of radius 1."""
    polar = np.pi * np.arange(1, rings) / rings
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    ring = np.stack([np.outer(np.sin(polar), np.cos(angle)), np.outer(np.sin(polar), np.sin(angle)),
                     np.outer(np.cos(polar), np.ones(AROUND))], axis=-1)
    vertices = np.vstack([[0, 0, 1], ring.reshape(-1, 3), [0, 0, -1]])
    bottom, j, k = len(vertices) - 1, np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
    faces = [np.column_stack([np.zeros(AROUND, dtype=int), 1 + j, 1 + k])]
    for row in range(rings - 2):
        a, b = 1 + row * AROUND, 1 + (row + 1) * AROUND
        faces += [np.column_stack([a + j, b + j, b + k]), np.column_stack([a + j, b + k, a + k])]
    last = 1 + (rings - 2) * AROUND
    faces.append(np.column_stack([last + j, np.full(AROUND, bottom), last + k]))
    return vertices, np.vstack(faces)


def tube() -> tuple[np.ndarray, np.ndarray]:
    """The side of a cylinder of radius 1 and half height 1 along z."""
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    rim = np.column_stack([np.cos(angle), np.sin(angle)])
    vertices = np.vstack([np.column_stack([rim, np.full(AROUND, z)]) for z in (-1.0, 1.0)])
    j, k = np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
    return vertices, np.vstack([np.column_stack([j, k, AROUND + k]), np.column_stack([j, AROUND + k, AROUND + j])])


def disc() -> tuple[np.ndarray, np.ndarray]:
    """A disc of radius 1 in the xy plane, visible from both sides."""
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    one_side = np.vstack([np.zeros(3), np.column_stack([np.cos(angle), np.sin(angle), np.zeros(AROUND)])])
    j, k = np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
    up = np.column_stack([np.zeros(AROUND, dtype=int), 1 + j, 1 + k])
    return np.vstack([one_side, one_side]), np.vstack([up, up[:, ::-1] + len(one_side)])


def sheet() -> tuple[np.ndarray, np.ndarray]:
    """A square with half widths 1 in the xy plane, visible from above."""
    return np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]), np.array([[0, 1, 2], [0, 2, 3]])


def arrow_head() -> tuple[np.ndarray, np.ndarray]:
    """A cone of radius 1 from its base at x = 0 to its tip at x = 1, with the base."""
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    rim = np.column_stack([np.zeros(AROUND), np.cos(angle), np.sin(angle)])
    j, k = np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
    tip, centre = AROUND, AROUND + 1
    faces = [np.column_stack([j, k, np.full(AROUND, tip)]), np.column_stack([k, j, np.full(AROUND, centre)])]
    return np.vstack([rim, [1, 0, 0], [0, 0, 0]]), np.vstack(faces)


def shaft() -> tuple[np.ndarray, np.ndarray]:
    """The side of a cylinder of radius 1 from x = 0 to x = 1."""
    vertices, faces = tube()
    return np.column_stack([(vertices[:, 2] + 1) / 2, vertices[:, 0], vertices[:, 1]]), faces


def of_model(model, mesh: int) -> tuple[np.ndarray, np.ndarray]:
    """A mesh of the compiled model. Its triangles share no corners, so that edges are drawn sharp."""
    v, nv = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    f, nf = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    vertices = model.mesh_vert[v : v + nv][model.mesh_face[f : f + nf].reshape(-1)]
    return vertices.astype(float), np.arange(3 * nf).reshape(-1, 3)
