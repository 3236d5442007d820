"""MuJoCo's renderer without a display: EGL, or else OSMesa; MUJOCO_GL chooses another."""

import functools
import importlib
import os
import subprocess
import sys
from types import TracebackType
from typing import Any, Self

import numpy as np

from stiction.errors import InputError, optional

GEOMS = 20_000  # room in a frame
MOST_SAMPLES = 4  # a pixel: more cost a processor much and show little
PLATFORMS = ("egl", "osmesa")


@functools.cache
def platform() -> str:
    """The platform that can render here. Each is tried in its own process: the first choice in a process is final."""
    chosen = os.environ.get("MUJOCO_GL", "").lower()
    if chosen:
        return chosen
    for name in PLATFORMS:
        probe = f"from mujoco.{name} import GLContext as G; c = G(16, 16); c.make_current(); c.free()"
        environment = {**os.environ, "MUJOCO_GL": name, "PYOPENGL_PLATFORM": name}
        run = subprocess.run([sys.executable, "-c", probe], env=environment, capture_output=True, check=False)
        if run.returncode == 0:
            return name
    raise InputError("neither EGL nor OSMesa renders here: apt-get install libegl1 or libosmesa6")


def _gl_context(size: tuple[int, int]):
    name = platform()
    if name in PLATFORMS:
        os.environ.setdefault("PYOPENGL_PLATFORM", name)
    try:
        return importlib.import_module(f"mujoco.{name}").GLContext(*size)
    except (ImportError, RuntimeError, AttributeError) as error:
        raise InputError(f"MUJOCO_GL={name} does not render here ({str(error).splitlines()[0]})") from error


def choose_camera(model: Any, name: str, wanted: Any = None) -> Any:
    """mujoco.MjvCamera called `wanted`, or the first of the model, or one that sees everything; `name` is for messages.
    A mujoco.MjvCamera is returned as it is."""
    mujoco = optional("mujoco", "a picture")
    if isinstance(wanted, mujoco.MjvCamera):
        return wanted
    names = [model.camera(i).name for i in range(model.ncam)]
    if wanted is not None and wanted not in names:
        raise InputError(f"{name}: camera {wanted} is not in the model; it has {', '.join(names) or 'none'}")
    camera: Any = mujoco.MjvCamera()
    mujoco.mjv_defaultFreeCamera(model, camera)
    if names:
        camera.type = mujoco.mjtCamera.mjCAMERA_FIXED
        camera.fixedcamid = names.index(wanted) if wanted is not None else 0
    return camera


class Renderer:
    """Draws states of one model into pictures of `size` (width, height) [pixels]; a context manager."""

    def __init__(self, model, size: tuple[int, int]):
        self._mujoco = mujoco = optional("mujoco", "a picture")
        self._model, self._size = model, size
        model.vis.global_.offwidth, model.vis.global_.offheight = size
        model.vis.quality.offsamples = min(model.vis.quality.offsamples, MOST_SAMPLES)
        self._gl = _gl_context(size)
        self._gl.make_current()
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_150)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._options, self._perturb = mujoco.MjvOption(), mujoco.MjvPerturb()
        self.scene = mujoco.MjvScene(model, GEOMS)  # geoms may be added between `update` and `picture`

    def update(self, data, camera) -> None:
        """Takes the scene from mujoco.MjData, as seen by a mujoco.MjvCamera."""
        self._mujoco.mjv_updateScene(self._model, data, self._options, self._perturb, camera,
                                     self._mujoco.mjtCatBit.mjCAT_ALL, self.scene)

    def picture(self) -> np.ndarray:
        """The picture (height, width, 3) uint8."""
        width, height = self._size
        rectangle, pixels = self._mujoco.MjrRect(0, 0, width, height), np.empty((height, width, 3), dtype=np.uint8)
        self._gl.make_current()
        self._mujoco.mjr_render(rectangle, self.scene, self._context)
        self._mujoco.mjr_readPixels(pixels, None, rectangle, self._context)
        return np.flipud(pixels)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._context.free()
        self._gl.free()
