#!/usr/bin/env python3
"""Pictures of a recorded stacking run: a strip of frames and the cubes' heights over time.

    render_stack.py FILE.h5 OUT_DIR [--env 0] [--frames 8] [--camera overview]

Writes OUT_DIR/frames.png and, if the scene has free bodies, OUT_DIR/heights.png. Renders offscreen: EGL, else OSMesa.
"""

import argparse
import os
import pathlib
import subprocess
import sys


def choose_renderer():
    """Sets MUJOCO_GL to a backend that can render on this machine; a value that the user has set stays."""
    if os.environ.get("MUJOCO_GL"):
        return
    probe = "import mujoco; c = mujoco.GLContext(16, 16); c.make_current(); c.free()"
    for name in ("egl", "osmesa"):
        environment = {**os.environ, "MUJOCO_GL": name, "PYOPENGL_PLATFORM": name}
        if subprocess.run([sys.executable, "-c", probe], env=environment, capture_output=True, check=False).returncode == 0:
            os.environ["MUJOCO_GL"] = os.environ["PYOPENGL_PLATFORM"] = name
            return
    print("error: neither EGL nor OSMesa renders here; install libegl1 or libosmesa6", file=sys.stderr)
    sys.exit(2)


choose_renderer()
import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import mujoco  # noqa: E402
import numpy as np  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from scenes.recording import BadInput, Recording, fail  # noqa: E402

FRAME = (640, 560)     # width, height of one frame [pixels]
HIDDEN_GROUP = 3       # collision-only geoms


def frame_rows(recording, num):
    """Rows evenly spaced in time, the first and the last among them."""
    times = np.linspace(recording.time[0], recording.time[recording.rows - 1], num)
    return [int(np.argmin(np.abs(recording.time[: recording.rows] - t))) for t in times]


def camera_of(model, wanted):
    names = [model.camera(i).name for i in range(model.ncam)]
    if wanted not in names:
        raise BadInput(f"camera {wanted} is not in the model; it has {', '.join(names) or 'none'}")
    return wanted


def render_frames(recording, env, num, camera):
    """(time [s], picture) of `num` moments."""
    model, data, qpos = recording.model, mujoco.MjData(recording.model), recording.environment(env)
    model.vis.global_.offwidth, model.vis.global_.offheight = FRAME
    options = mujoco.MjvOption()
    options.geomgroup[HIDDEN_GROUP] = 0
    frames = []
    with mujoco.Renderer(model, FRAME[1], FRAME[0]) as renderer:
        for row in frame_rows(recording, num):
            data.qpos[:] = qpos[row]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_camlight(model, data)
            renderer.update_scene(data, camera=camera, scene_option=options)
            frames.append((recording.time[row], renderer.render().copy()))
    return frames


def save_strip(frames, file):
    """Saves the frames side by side, in two rows if there are five or more, each with its time."""
    rows = 2 if len(frames) > 4 else 1
    columns = -(-len(frames) // rows)
    size = (columns * 3.2, rows * 3.2 * FRAME[1] / FRAME[0])
    figure, axes = plt.subplots(rows, columns, figsize=size, dpi=150, squeeze=False)
    for axis in axes.flat:
        axis.axis("off")
    digits = 0 if frames[-1][0] >= 10 else 2
    for axis, (time, picture) in zip(axes.flat, frames):
        axis.imshow(picture)
        axis.text(0.03, 0.96, f"{time:.{digits}f} s", transform=axis.transAxes, va="top", fontsize=15, color="black",
                  bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 2})
    figure.subplots_adjust(0, 0, 1, 1, 0.012, 0.012)
    figure.savefig(file)
    plt.close(figure)


def save_heights(recording, env, file):
    """Height of every cube's centre; the number at the right is the cube's number."""
    qpos, time = recording.environment(env), recording.time[: recording.rows]
    figure, axis = plt.subplots(figsize=(6.4, 4.4), dpi=150)
    labels = {}
    for number, address in enumerate(recording.cubes.values()):
        shade = plt.cm.viridis(0.78 * number / max(len(recording.cubes) - 1, 1))
        axis.plot(time, qpos[:, address + 2], color=shade, lw=2.2, ls="-" if number % 2 == 0 else (0, (4, 1.5)))
        labels.setdefault(round(qpos[-1, address + 2], 2), []).append(str(number))
    for height, numbers in labels.items():
        axis.annotate(", ".join(numbers), (time[-1], height), xytext=(6, 0), textcoords="offset points", va="center",
                      fontsize=13, annotation_clip=False)
    axis.set_xlabel("time [s]", fontsize=15)
    axis.set_ylabel("height of the cube's centre [m]", fontsize=15)
    axis.set_title(f"cubes of environment {env}, step size {recording.step_size():g} s", fontsize=14)
    axis.tick_params(labelsize=13)
    axis.set_xlim(time[0], time[-1] if len(time) > 1 else time[0] + 1)
    axis.grid(alpha=0.35)
    axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(file)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="recording of stiction run")
    parser.add_argument("out", help="folder for the pictures")
    parser.add_argument("--env", type=int, default=0, help="recorded environment")
    parser.add_argument("--frames", type=int, default=8, help="pictures in the strip, 1 to 20")
    parser.add_argument("--camera", default="overview", help="camera of the model")
    arguments = parser.parse_args()
    if not 1 <= arguments.frames <= 20:
        raise BadInput(f"--frames {arguments.frames} is out of 1 ... 20")
    recording, out = Recording(arguments.file), pathlib.Path(arguments.out)
    camera = camera_of(recording.model, arguments.camera)
    try:
        out.mkdir(parents=True, exist_ok=True)
        save_strip(render_frames(recording, arguments.env, arguments.frames, camera), out / "frames.png")
        if recording.cubes:
            save_heights(recording, arguments.env, out / "heights.png")
    except OSError as error:
        raise BadInput(f"{out}: cannot be written ({error.strerror or error})") from error
    for name in ["frames.png"] + ["heights.png"] * bool(recording.cubes):
        print(out / name)


if __name__ == "__main__":
    try:
        main()
    except BadInput as error:
        fail(error)
