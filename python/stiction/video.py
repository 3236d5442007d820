"""Films and pictures of a recording, by MuJoCo's renderer without a display: EGL, or else OSMesa."""

import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from stiction.errors import InputError, make_folder_of, optional
from stiction.mjcf import compile_model, pair_friction
from stiction.recording import Recording
from stiction.renderer import Renderer, choose_camera
from stiction.stage import soften_shadows

ARROW = np.array([0.82, 0.2, 0.17, 1.0], dtype=np.float32)
CONE = np.array([0.95, 0.66, 0.23, 0.13], dtype=np.float32)


def write_video(
    recording: Recording, path: str | pathlib.Path, *, env: int = 0, fps: float = 30, speed: float = 1,
    size: tuple[int, int] = (960, 720), camera: str | None = None, forces: bool = False, assets: str | None = None,
) -> int:
    """Writes a film (H.264).

    Args:
        recording: a recording with state; `forces` needs one with contacts.
        path: path of the film, OUT.mp4.
        env: recorded environment.
        fps: frames per second.
        speed: seconds of the recording per second of film; between two rows the motion is uniform.
        size: (width, height) [pixels], even numbers.
        camera: name of a camera of the model; None: its first camera, or if it has none, one that sees everything.
        forces: draws contact forces as arrows inside their friction cones.
        assets: folder with the files that the model names.

    Returns:
        The number of frames.

    Raises:
        InputError: an argument is wrong, no renderer works here, or the file can not be written.
        MissingPackage: mujoco or imageio-ffmpeg is not installed.
    """
    ffmpeg = optional("imageio_ffmpeg", "a video")
    _check(path, fps, speed, size)
    frames = render(recording, _frame_times(recording, fps, speed), env=env, size=size, camera=camera, forces=forces,
                    assets=assets)
    first = next(frames)  # what is wrong with the recording shows before the file is made
    writer = ffmpeg.write_frames(str(path), size, fps=fps, quality=8, macro_block_size=2, ffmpeg_log_level="error")
    try:
        writer.send(None)
        writer.send(np.ascontiguousarray(first))
        count = 1 + sum(1 for picture in frames if writer.send(np.ascontiguousarray(picture)) is None)
        writer.close()
    except (OSError, RuntimeError) as error:
        raise InputError(f"{path}: cannot be written ({str(error).strip().splitlines()[-1]})") from error
    return count


def render(
    recording: Recording, times: Iterable[float], *, env: int = 0, size: tuple[int, int] = (960, 720),
    camera: Any = None, forces: bool = False, assets: str | None = None,
) -> Iterator[np.ndarray]:
    """Pictures of one environment.

    Args:
        recording: a recording with state; `forces` needs one with contacts.
        times: times of the pictures [s].
        env: recorded environment.
        size: (width, height) [pixels].
        camera: name of a camera of the model; None: its first camera, or if it has none, one that sees everything. Or a
            mujoco.MjvCamera, which may be moved between pictures.
        forces: draws contact forces as arrows inside their friction cones.
        assets: folder with the files that the model names.

    Yields:
        (height, width, 3) uint8.
    """
    env = recording.env_index(env)
    mujoco = optional("mujoco", "a picture")
    model = compile_model(recording, assets, stage=True, variant=int(recording.variant[env]))
    view = choose_camera(model, recording.name, camera)
    data, motion = mujoco.MjData(model), _Motion(model, recording, env)
    arrows = _Arrows(model, recording, env) if forces else None
    with Renderer(model, size) as renderer:
        for time in times:
            data.qpos[:] = motion.at(time)
            if motion.mocap is not None:
                data.mocap_pos[:], data.mocap_quat[:] = motion.mocap_at(time)
            mujoco.mj_kinematics(model, data)
            mujoco.mj_camlight(model, data)
            renderer.update(data, view)
            soften_shadows(renderer.scene)
            if arrows is not None:
                arrows.add(renderer.scene, motion.row_after(time))
            yield renderer.picture()


class _Motion:
    """qpos and mocap poses between the rows of one environment: uniform velocity on their manifolds."""

    def __init__(self, model, recording: Recording, env: int):
        import mujoco

        self._mujoco, self._model, self._times = mujoco, model, recording.time
        self._qpos = recording.qpos[:, env].astype(float)
        self._velocity = np.zeros(model.nv)
        mocap = recording.mocap_pose
        self.mocap = None if mocap is None else mocap[:, env].astype(float)  # (S, nmocap, 7)

    def row_after(self, time: float) -> int:
        """The first row that is not earlier than a time."""
        return min(int(np.searchsorted(self._times, time - 1e-9)), len(self._times) - 1)

    def _around(self, time: float) -> tuple[int, int, float]:
        """The rows before and after a time, and its share of the interval between them."""
        after = self.row_after(time)
        before = max(after - 1, 0)
        span = self._times[after] - self._times[before]
        return before, after, min((time - self._times[before]) / span, 1.0) if span > 0 else 0.0

    def at(self, time: float) -> np.ndarray:
        """The configuration at a time (nq) [m, rad]."""
        before, after, share = self._around(time)
        qpos = self._qpos[before].copy()
        self._mujoco.mj_differentiatePos(self._model, self._velocity, 1.0, qpos, self._qpos[after])
        self._mujoco.mj_integratePos(self._model, qpos, self._velocity, share)
        return qpos

    def mocap_at(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """The mocap poses at a time: (nmocap, 3) [m] and (nmocap, 4) wxyz."""
        assert self.mocap is not None
        before, after, share = self._around(time)
        pose, turn = self.mocap[before].copy(), np.zeros(3)
        pose[:, :3] += share * (self.mocap[after, :, :3] - pose[:, :3])
        for quat, end in zip(pose[:, 3:], self.mocap[after, :, 3:]):
            self._mujoco.mju_subQuat(turn, end, quat)
            self._mujoco.mju_quatIntegrate(quat, turn, share)
        return pose[:, :3], pose[:, 3:]


class _Arrows:
    """Contact forces of a row, the resultant of each pair of geoms, as geoms of the renderer."""

    def __init__(self, model, recording: Recording, env: int):
        from stiction.view.forces import cone_mesh
        from stiction.view.geometry import handled_bodies, longest_arrow, loose_bodies, object_size, reach
        from stiction.view.play import RecordingSource

        if not recording.has_contacts:
            raise InputError(f"{recording.name}: --forces needs recorded contacts: stiction run .. --record contacts")
        self._model, self._source = model, RecordingSource(recording, [env])
        self._loose = loose_bodies(model)[model.geom_bodyid]      # (ngeom)
        self._handled = handled_bodies(model)[model.geom_bodyid]  # (ngeom)
        low, high = reach(model, self._source.frame(0).body_pose)
        largest = self._source.largest_force()
        self._length = longest_arrow(model, high - low) / largest if largest > 0 else 0.0  # [m/N]
        self._width = 0.08 * object_size(model, high - low)
        self._rim = cone_mesh(self._source.cone_sides)[0][1:]  # (k, 3)

    def add(self, scene, row: int) -> None:
        """Adds arrows and cones to the scene and makes handled bodies half transparent, because the arrows lie inside."""
        from stiction.view.forces import facing

        self._clear(scene)
        frame = self._source.frame(row)
        arrows = facing(frame.resultants(), self._loose)
        for start, force in zip(arrows.point, arrows.force):
            if scene.ngeom < scene.maxgeom:
                self._add_arrow(scene, start, start + self._length * force)
        for apex, rim in zip(arrows.point, self._rims(arrows, frame.friction)):
            if scene.ngeom + 2 * len(rim) <= scene.maxgeom:
                self._add_cone(scene, apex, rim)

    def _rims(self, arrows, friction: np.ndarray | None) -> np.ndarray:
        """Corners of the friction cones around the arrows (M, k, 3) [m]."""
        from stiction.view.forces import cone_scales

        sliding = None if friction is None else friction[arrows.env[:, None], arrows.geom]
        mu = pair_friction(self._model, arrows.geom[:, 0], arrows.geom[:, 1], sliding)
        local = cone_scales(arrows, mu, self._length)[:, None] * self._rim
        return arrows.point[:, None] + np.einsum("mij,mki->mkj", arrows.frame, local)

    def _clear(self, scene) -> None:
        import mujoco

        for geom in scene.geoms[: scene.ngeom]:
            if geom.objtype == mujoco.mjtObj.mjOBJ_GEOM and self._handled[geom.objid]:
                geom.rgba[3], geom.transparent = 0.4, 1

    def _add_arrow(self, scene, start: np.ndarray, end: np.ndarray) -> None:
        import mujoco

        geom, kind = scene.geoms[scene.ngeom], mujoco.mjtGeom.mjGEOM_ARROW
        mujoco.mjv_initGeom(geom, kind, np.zeros(3), np.zeros(3), np.zeros(9), ARROW)
        mujoco.mjv_connector(geom, kind, self._width, start, end)
        scene.ngeom += 1

    @staticmethod
    def _add_cone(scene, apex: np.ndarray, rim: np.ndarray) -> None:
        """Adds triangles from the apex (3) to the corners (k, 3), each with both sides."""
        import mujoco

        sides = rim - apex
        for a, b in zip(sides, np.roll(sides, -1, axis=0)):
            normal = np.cross(a, b)
            normal /= max(np.linalg.norm(normal), 1e-12)
            for axes in ((a, b, normal), (b, a, -normal)):
                geom = scene.geoms[scene.ngeom]
                mujoco.mjv_initGeom(geom, mujoco.mjtGeom.mjGEOM_TRIANGLE, np.ones(3), apex, np.column_stack(axes).ravel(), CONE)
                geom.emission, geom.castshadow = 0.5, 0
                scene.ngeom += 1


def _check(path, fps: float, speed: float, size: tuple[int, int]) -> None:
    for name, value in (("fps", fps), ("speed", speed)):
        if not (np.isfinite(value) and value > 0):
            raise InputError(f"{name} {value:g}: more than 0")
    if any(not 16 <= side <= 8192 or side % 2 for side in size):
        raise InputError(f"{size[0]} x {size[1]} pixels: even numbers from 16 to 8192")
    make_folder_of(path)


def _frame_times(recording: Recording, fps: float, speed: float) -> np.ndarray:
    start, end = recording.time[0], recording.time[-1]
    return np.minimum(start + np.arange(int(np.ceil((end - start) * fps / speed - 1e-6)) + 1) * speed / fps, end)
