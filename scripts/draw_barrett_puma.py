#!/usr/bin/env python3
"""Draws a hand that closes on a telephone handset, after Fig. 3 of Miller and Christensen 2003: writes docs/images/barrett_puma.png.

    draw_barrett_puma.py BUILD

BUILD is a build folder with the Python package. Renders offscreen: EGL, else OSMesa.
"""

import itertools
import pathlib
import sys

import gallery
import matplotlib
import mujoco
import numpy as np
from PIL import Image

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SCENE = gallery.ROOT / "scenes/barrett_puma"
FINGERS = ["finger_1", "finger_2", "thumb"]
TIMES = (0.0, 1.2, 1.9, 2.2, 2.7)  # [s]; the last four are those of the paper
SIZE = (480, 400)  # pixels of a picture
COLORS = 128       # of the file
LOOKAT, DISTANCE, AZIMUTH, ELEVATION = (0.55, -0.15, 0.635), 0.42, 155, -6
ARROW = np.array([1, 0.85, 0.15, 1], np.float32)
LENGTH, WIDTH = 0.0015, 0.004  # of an arrow [m/N], [m]


def forces(sim):
    """Points and forces of the hand's contacts on the handset [m], [N]."""
    from stiction import grasp

    found = grasp.of_contacts(sim, "handset", by=["hand", *(f"{name}_{part}" for name in FINGERS for part in ("inner", "outer"))])
    total = sim.contacts.force[0, :, None, :] @ sim.contacts.frame[0]
    for k in range(int(found.count[0])):
        slot = int(np.argmin(np.linalg.norm(sim.contacts.position[0, : sim.contacts.count[0]] - found.position[0, k], axis=1)))
        second = sim.model.geom_body[sim.contacts.geom[0, slot, 1]] == sim.model.body_names.index("handset")
        yield found.position[0, k], (1 if second else -1) * total[slot, 0]


def moving(st):
    """(qpos, forces of the hand) at each of TIMES."""
    with st.Simulator(st.load_scene(SCENE), device="cpu") as sim:
        yield sim.qpos[0].copy(), []
        for before, time in itertools.pairwise(TIMES):
            sim.step(steps=round((time - before) / sim.scene.step_size))
            yield sim.qpos[0].copy(), list(forces(sim))


def static(st):
    """The same after an auto-grasp of a handset that does not move."""
    from stiction import grasp

    with st.Simulator(st.load_scene(SCENE), device="cpu") as sim:
        assert not grasp.auto_grasp(sim, static=True, joints=FINGERS, object="handset").closure[0]
        return sim.qpos[0].copy(), list(forces(sim))


def add_arrows(scene, pushes):
    """Arrows that end at the contacts; the handset becomes half transparent."""
    for geom in scene.geoms[: scene.ngeom]:
        if pushes and geom.rgba[0] > 2 * geom.rgba[1]:
            geom.rgba[3], geom.transparent = 0.5, 1
    for point, force in pushes:
        geom, kind = scene.geoms[scene.ngeom], mujoco.mjtGeom.mjGEOM_ARROW
        mujoco.mjv_initGeom(geom, kind, np.zeros(3), np.zeros(3), np.zeros(9), ARROW)
        mujoco.mjv_connector(geom, kind, WIDTH, point - LENGTH * force, point)
        geom.emission = 0.6
        scene.ngeom += 1


def main(build):
    sys.path.insert(0, str(pathlib.Path(build).resolve() / "python"))
    import stiction as st
    from stiction.mjcf import compile_text
    from stiction.renderer import Renderer
    from stiction.stage import soften_shadows

    model = compile_text(st.load_scene(SCENE).model.xml, "barrett_puma", stage=True)
    data, camera = mujoco.MjData(model), mujoco.MjvCamera()
    camera.lookat[:], camera.distance, camera.azimuth, camera.elevation = LOOKAT, DISTANCE, AZIMUTH, ELEVATION
    first, *others = moving(st)
    titles = ["at the start", "closed on a static handset", *(f"{time:g} s" for time in TIMES[1:])]
    figure, axes = plt.subplots(2, 3, figsize=(9.6, 5.8))
    with Renderer(model, SIZE) as renderer:
        for ax, title, (qpos, pushes) in zip(axes.flat, titles, [first, static(st), *others]):
            data.qpos[:] = qpos
            mujoco.mj_kinematics(model, data)
            mujoco.mj_camlight(model, data)
            renderer.update(data, camera)
            soften_shadows(renderer.scene)
            add_arrows(renderer.scene, pushes)
            ax.imshow(np.ascontiguousarray(renderer.picture()))
            ax.set_title(title, fontsize=11)
            ax.axis("off")
    figure.tight_layout(pad=0.4)
    file = gallery.ROOT / "docs/images/barrett_puma.png"
    figure.savefig(file, dpi=100)
    Image.open(file).convert("RGB").quantize(COLORS).save(file, optimize=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: draw_barrett_puma.py BUILD")
    main(sys.argv[1])
