#!/usr/bin/env python3
"""Pictures and figures of the gallery: runs every scene, draws it at a telling moment, and prints its figures.

    gallery.py BUILD [NAME ...]    writes docs/images/gallery/NAME.jpg and prints the rows of the table in docs/gallery.md

BUILD is a build folder with the Python package. Renders offscreen: EGL, else OSMesa.
"""

import dataclasses
import io
import pathlib
import sys

import matplotlib.image
import mujoco
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
SIZE = (640, 480)  # pixels
LARGEST = 60_000  # bytes of a picture
ENV_SCENES = "python/stiction/envs/scenes"


@dataclasses.dataclass(frozen=True)
class View:
    """Which moment is shown, and from where."""

    folder: str
    time: float  # [s]
    lookat: tuple[float, float, float] = (0, 0, 0)  # [m]
    distance: float = 1.0  # [m]
    azimuth: float = 90.0  # [degrees]
    elevation: float = -15.0


VIEWS = {
    "autograsp2d": View("scenes/autograsp2d", 1.6, (0, 0, -0.02), 0.36, 75, -12),
    "barrett_puma": View("scenes/barrett_puma", 5.2, (0.35, -0.15, 0.72), 1.35, 150, -12),
    "fence_particle": View("scenes/fence_particle", 1.0, (0.87, 0.14, 0.3), 0.6, 90, -86),
    "grasp_hand": View("scenes/grasp_hand", 3.0, (0.0, 0, 0.02), 0.36, 125, -35),
    "grasp_jaws": View("scenes/grasp_jaws", 1.0, (0, 0, 0.03), 0.45, 30, -15),
    "grazing_grasp": View("scenes/grazing_grasp", 0.3, (0, 0, 0.17), 0.95, 75, -12),
    "gripper2d": View("scenes/gripper2d", 0.2, (0, 0, 0.17), 0.95, 75, -12),
    "hand_cube": View("scenes/hand_cube", 2.2, (0.01, 0, 0.02), 0.34, 125, -40),
    "iiwa_stack": View("scenes/iiwa_stack", 84.8, (0.35, 0, 0.33), 1.7, 145, -18),
    "iiwa_stack_1": View("scenes/iiwa_stack_1", 4.4, (0.4, 0.05, 0.3), 1.45, 130, -16),
    "iiwa_stack_3": View("scenes/iiwa_stack_3", 24.0, (0.4, 0.05, 0.3), 1.45, 130, -16),
    "incline": View("scenes/incline", 1.0, (0, 0, 0.02), 0.75, 80, -14),
    "living_room": View("scenes/living_room", 4.6, (0.0, 0.1, 0.55), 4.6, 112, -24),
    "pile": View("scenes/pile", 4.0, (0, 0, 0.09), 0.75, 125, -38),
    "planar_pick": View("scenes/planar_pick", 2.8, (0.15, 0, 0.12), 0.8, 75, -14),
    "pulsed_cylinder": View("scenes/pulsed_cylinder", 3.0, (1, -3, 0.8), 13.0, 75, -22),
    "push_t": View(f"{ENV_SCENES}/push_t", 0.1, (0, 0.01, 0), 0.6, 70, -50),
    "pushed_block": View("scenes/pushed_block", 2.0, (0, 0, 0.04), 0.55, 70, -40),
    "sliding_cube": View("scenes/sliding_cube", 1.0, (4, 3, 0.4), 6.0, 75, -18),
    "tipping_cylinder": View("scenes/tipping_cylinder", 2.0, (0, 0, 0.13), 1.0, 80, -14),
    "tumbling_cube": View("scenes/tumbling_cube", 0.7, (-0.4, -0.4, 0.6), 4.5, 75, -14),
    "two_link_arm": View("scenes/two_link_arm", 1.2, (0.0, 0, 0.2), 1.1, 75, -12),
    "walked_cylinder": View("scenes/walked_cylinder", 4.2, (0.25, -0.55, 0.13), 1.0, 75, -14),
}


def run(st, view):
    """(the simulator at the end, states at the wanted time, mean and most contacts, worst residual) of environment 0."""
    scene = st.load_scene(ROOT / view.folder)
    sim = st.Simulator(scene, device="cpu")
    contacts, residual, shown = [], 0.0, None
    for step in range(round(scene.duration / scene.step_size) + 1):
        if shown is None and sim.time[0] >= view.time - 1e-9:
            shown = (sim.qpos[0].copy(), sim.mocap_pose[0].copy())
        if step * scene.step_size >= scene.duration - 1e-9:
            break
        if sim.step()[0] != st.Status.CONVERGED:
            raise SystemExit(f"{view.folder}: step {step + 1}: {st.status_names(int(sim.status[0]))}")
        contacts.append(int(sim.stats.contacts[0]))
        residual = max(residual, float(sim.stats.residual[0]))
    return sim, shown, np.array(contacts), residual


def draw(sim, shown, view):
    """(height, width, 3) of the state."""
    from stiction.mjcf import compile_text
    from stiction.renderer import Renderer
    from stiction.stage import soften_shadows

    model = compile_text(sim.model.xml, view.folder, stage=True)
    data, camera = mujoco.MjData(model), mujoco.MjvCamera()
    data.qpos[:] = shown[0]
    data.mocap_pos[:], data.mocap_quat[:] = shown[1][:, :3], shown[1][:, 3:]
    mujoco.mj_kinematics(model, data)
    mujoco.mj_camlight(model, data)
    camera.lookat[:], camera.distance = view.lookat, view.distance
    camera.azimuth, camera.elevation = view.azimuth, view.elevation
    with Renderer(model, SIZE) as renderer:
        renderer.update(data, camera)
        soften_shadows(renderer.scene)
        up = -model.opt.gravity if model.opt.gravity.any() else np.array([0.0, 0.0, 1.0])
        for eye in renderer.scene.camera:  # gravity points down in the picture, even if it is tilted in the scene
            eye.up = upright(up, eye.forward)
        return renderer.picture()


def upright(up, forward):
    """The unit vector nearest to `up` in the plane of a picture that is seen along `forward`."""
    flat = up - (up @ forward) * forward
    return flat / np.linalg.norm(flat)


def save(picture, file):
    """Saves the picture as a JPEG of at most LARGEST bytes."""
    for quality in (88, 80, 70, 55):
        buffer = io.BytesIO()
        matplotlib.image.imsave(buffer, np.ascontiguousarray(picture), format="jpg", pil_kwargs={"quality": quality})
        if buffer.tell() <= LARGEST:
            break
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(buffer.getvalue())


def main(build, *names):
    sys.path.insert(0, str(pathlib.Path(build).resolve() / "python"))
    import stiction as st

    print("| scene | dofs | contacts, mean (most) | residual at most |\n|---|---|---|---|")
    for name in names or VIEWS:
        view = VIEWS[name]
        sim, shown, contacts, residual = run(st, view)
        save(draw(sim, shown, view), ROOT / f"docs/images/gallery/{name}.jpg")
        print(f"| {name} | {sim.model.nv} | {contacts.mean():.1f} ({contacts.max()}) | {residual:.0e} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2 or set(sys.argv[2:]) - set(VIEWS):
        sys.exit(f"usage: gallery.py BUILD [NAME ...]; names: {' '.join(VIEWS)}")
    main(*sys.argv[1:])
