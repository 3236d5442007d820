#!/usr/bin/env python3
"""Draws all objects of scenes/objects on a floor, in rows: writes docs/images/grasp_objects.jpg.

    draw_grasp_objects.py BUILD

BUILD is a build folder with the Python package. Renders offscreen: EGL, else OSMesa.
"""

import pathlib
import sys

import gallery
import mujoco
import numpy as np
from make_grasp_objects import FOLDER, OBJECTS

SIZE = (960, 400)  # pixels
PER_ROW, WIDTH, DEPTH = 9, 0.14, 0.21  # objects of a row, between objects and between rows [m]
LONG = 0.16  # objects longer than this lie along the view [m]


def lowest(model):
    """Of the only body's geoms [m]."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    reach = lambda g: np.abs(data.geom_xmat[g].reshape(3, 3) @ np.diag(model.geom_aabb[g, 3:])).sum(axis=1)
    ends = [data.geom_xpos[g] + data.geom_xmat[g].reshape(3, 3) @ model.geom_aabb[g, :3] - reach(g) for g in range(model.ngeom)]
    return np.min(ends, axis=0)


def on_a_floor():
    """A model of all objects."""
    floor = mujoco.MjSpec()
    for k, name in enumerate(OBJECTS):
        file = str(FOLDER / f"{name}.xml")
        low = lowest(mujoco.MjModel.from_xml_path(file))
        turn = [np.sqrt(0.5), 0, 0, np.sqrt(0.5)] if -2 * low[0] > LONG else [1, 0, 0, 0]
        row, column = divmod(k, PER_ROW)
        place = [WIDTH * (column - (PER_ROW - 1) / 2), DEPTH * (1 - row), -low[2]]
        floor.attach(mujoco.MjSpec.from_file(file), prefix=f"{name}/", frame=floor.worldbody.add_frame(pos=place, quat=turn))
    return floor.to_xml()


def main(build):
    sys.path.insert(0, str(pathlib.Path(build).resolve() / "python"))
    from stiction.mjcf import compile_text
    from stiction.renderer import Renderer
    from stiction.stage import soften_shadows

    model = compile_text(on_a_floor(), "objects", stage=True)
    data, camera = mujoco.MjData(model), mujoco.MjvCamera()
    mujoco.mj_kinematics(model, data)
    mujoco.mj_camlight(model, data)
    camera.lookat[:], camera.distance, camera.azimuth, camera.elevation = (0, -0.03, 0), 0.85, 90, -48
    with Renderer(model, SIZE) as renderer:
        renderer.update(data, camera)
        soften_shadows(renderer.scene)
        gallery.save(renderer.picture(), gallery.ROOT / "docs/images/grasp_objects.jpg")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: draw_grasp_objects.py BUILD")
    main(sys.argv[1])
