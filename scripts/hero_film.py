#!/usr/bin/env python3
"""The film of the first page, 15 s: an arm stacks ten cubes, a hand turns a cube between friction cones, a heap settles.

    hero_film.py [BUILD]    writes out/hero.mp4 and docs/images/hero.webp, which README shows; default build/host-release

BUILD is a build folder with the program and the Python package. Renders offscreen: EGL, else OSMesa.
"""

import dataclasses
import pathlib
import subprocess
import sys

import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[1]
FPS = 20
SIZE = (1280, 720)    # pixels of the film
SMALL = (800, 450)    # pixels of the animated image
LARGEST = 4_000_000   # bytes of it
FADE = 0.4            # between two shots [s]


@dataclasses.dataclass(frozen=True)
class Shot:
    """A scene, what of it is shown, and a camera that moves around it."""

    scene: str
    options: tuple[str, ...]
    start: float    # [s] of the recording
    end: float      # [s]
    seconds: float  # of the film, fades included
    lookat: tuple[float, float, float]  # [m]
    distance: tuple[float, float]       # at the start, at the end [m]
    azimuth: tuple[float, float]        # [degrees]
    elevation: tuple[float, float]
    forces: bool = False


SHOTS = (
    Shot("iiwa_stack", ("--step-size", "0.05"), 0.0, 97.6, 7.4, (0.36, 0, 0.33), (1.9, 1.5), (118, 152), (-16, -19)),
    Shot("hand_cube", ("--step-size", "0.02"), 0.4, 7.0, 4.4, (0.01, 0, 0.02), (0.36, 0.30), (100, 145), (-34, -42), forces=True),
    Shot("pile", (), 0.0, 3.6, 4.0, (0, 0, 0.12), (1.05, 0.75), (105, 140), (-22, -34)),
)


def moved(camera, shot, end):
    """The times of the pictures of a shot [s]; the camera moves on with each."""
    for share in np.linspace(0, 1, round(shot.seconds * FPS)):
        smooth = share * share * (3 - 2 * share)
        for name in ("distance", "azimuth", "elevation"):
            setattr(camera, name, float(np.interp(smooth, (0, 1), getattr(shot, name))))
        yield min(shot.start + share * (shot.end - shot.start), end)


def film(build, shot, folder):
    """Yields the pictures (720, 1280, 3) uint8 of a shot."""
    import mujoco
    from stiction.recording import load_recording
    from stiction.video import render

    file = folder / f"hero_{shot.scene}.h5"
    command = [build / "bin/stiction", "run", ROOT / "scenes" / shot.scene, "--quiet", "--record", "contacts", "--out", file]
    subprocess.run([*command, *shot.options], check=True)
    camera = mujoco.MjvCamera()
    camera.lookat[:] = shot.lookat
    with load_recording(file) as recording:
        times = moved(camera, shot, recording.time[-1])
        yield from render(recording, times, size=SIZE, camera=camera, forces=shot.forces)


def cut(shots):
    """The pictures of all shots, each faded into the next."""
    fade = round(FADE * FPS)
    tail = []
    for pictures in shots:
        pictures = list(pictures)
        for k, before in enumerate(tail):
            share = (k + 1) / (fade + 1)
            pictures[k] = np.round((1 - share) * before + share * pictures[k]).astype(np.uint8)
        yield from pictures[:-fade]
        tail = pictures[-fade:]
    yield from tail


def save_film(frames, file):
    """Writes H.264."""
    import imageio_ffmpeg

    writer = imageio_ffmpeg.write_frames(str(file), SIZE, fps=FPS, quality=8, macro_block_size=2, ffmpeg_log_level="error")
    writer.send(None)
    for frame in frames:
        writer.send(np.ascontiguousarray(frame))
    writer.close()


def save_animation(frames, file):
    """Writes an animated image of at most LARGEST bytes."""
    first, *rest = (Image.fromarray(frame).resize(SMALL, Image.Resampling.LANCZOS) for frame in frames)
    for quality in (80, 72, 64, 56, 48, 40, 32):
        first.save(file, save_all=True, append_images=rest, duration=round(1000 / FPS), loop=0, quality=quality, method=4)
        if file.stat().st_size <= LARGEST:
            return
    sys.exit(f"hero_film: {file} has {file.stat().st_size:,} bytes at the lowest quality, {LARGEST:,} allowed")


def main(build):
    sys.path.insert(0, str(build / "python"))
    out, image = ROOT / "out", ROOT / "docs/images/hero.webp"
    out.mkdir(exist_ok=True)
    frames = list(cut(film(build, shot, out) for shot in SHOTS))
    save_film(frames, out / "hero.mp4")
    save_animation(frames, image)
    print(f"{len(frames) / FPS:g} s: {out / 'hero.mp4'}, {image} ({image.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit("usage: hero_film.py [BUILD]")
    main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/host-release").resolve())
