"""Pictures of environments, for `render_mode="rgb_array"`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import stiction
from stiction._core import InputError
from stiction.errors import optional
from stiction.mjcf import compile_text
from stiction.renderer import Renderer, choose_camera

MODES = ("rgb_array",)


class Pictures:
    """Draws states of a scene by MuJoCo's renderer, from the model's first camera, or if it has none, one that sees all.

    Args:
        scene: the scene.
        size: (width, height) of the pictures [pixels].
    """

    def __init__(self, scene: stiction.Scene, size: tuple[int, int] = (640, 480)) -> None:
        self._mujoco = optional("mujoco", 'render_mode "rgb_array"')
        self._model = compile_text(scene.model.xml, scene.name, stage=True)
        self._data = self._mujoco.MjData(self._model)
        self._camera = choose_camera(self._model, scene.name)
        self._renderer = Renderer(self._model, size)

    def draw(self, qpos: NDArray[Any], mocap_pose: NDArray[Any]) -> NDArray[np.uint8]:
        """A picture (height, width, 3) of a state: qpos (nq), poses of mocap bodies (nmocap, 7)."""
        self._data.qpos[:] = qpos
        self._data.mocap_pos[:], self._data.mocap_quat[:] = mocap_pose[:, :3], mocap_pose[:, 3:]
        self._mujoco.mj_kinematics(self._model, self._data)
        self._mujoco.mj_camlight(self._model, self._data)
        self._renderer.update(self._data, self._camera)
        return np.ascontiguousarray(self._renderer.picture())

    def close(self) -> None:
        self._renderer.__exit__(None, None, None)


def checked_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in MODES:
        raise InputError(f"render_mode: expected None or {', '.join(MODES)}, got {mode!r}; stiction view shows a scene live")
    return mode
