"""A simulation that steps while it is shown, with commands on sliders."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.mjcf import compile_text
from stiction.view.forces import Arrows, carry_along, flatten, patch_forces
from stiction.view.geometry import JOINT_TRANSMISSIONS, moving_bodies
from stiction.view.models import DrawnModels
from stiction.view.play import Frame, at_end, cone_sides


class LiveSource:
    """A simulation that steps while it is shown.

    Args:
        sim: a `stiction.Simulator`. The page uses step(ctrl), reset(), body_pose (batch, nbody, 7) [m, wxyz],
            ctrl (batch, nu), time (batch), and contacts with count, geom, gap, position, frame, force; for the cones
            also params.friction (batch, ngeom, 3), if there is one, and patches with count, geom, point, frame, force.
        model: the mujoco.MjModel that is drawn, or `DrawnModels` where environments have different ones.
        geom_names: names of the geoms in the numbering of contacts, `scene.model.geom_names`; of one model.
        step_size: size of a step [s].
        title: title of the page.
        choices: cone and facets, for the friction cones that are drawn; geometry, for where contacts are.
        num_envs: number of environments that are shown, from the first on; None: all.
        first_env_id: number of the first environment.
        duration: time after which the scene has ended [s]; None: never.
    """

    live = True

    def __init__(
        self, sim: Any, model: Any, geom_names: Sequence[str], *, step_size: float, title: str = "simulation",
        choices: dict | None = None, num_envs: int | None = None, first_env_id: int = 0,
        duration: float | None = None,
    ):
        self.sim, self.title, self.step_size = sim, title, step_size
        self._duration = duration
        batch = on_host(sim.body_pose).shape[0]
        self._envs = slice(0, batch if num_envs is None else min(num_envs, batch))
        self.env_ids = list(range(first_env_id, first_env_id + len(range(batch)[self._envs])))
        self.cone_sides = cone_sides(choices or {})
        self._carries = not at_end(choices or {})
        self._has_patches = getattr(sim, "max_patches", 0) > 0
        shown = len(self.env_ids)
        self.models = model if isinstance(model, DrawnModels) else DrawnModels.alike(model, shown, geom_names)
        self.model = self.models.first
        self._moves = moving_bodies(self.model)
        self._commanded: np.ndarray | None = None

    def now(self) -> Frame:
        """The present frame, without contacts."""
        return Frame(self._time(), self._pose(), None, np.zeros(len(self.env_ids), dtype=np.uint32))

    def step(self) -> Frame:
        """Takes one step; the scene's knots command until a slider has been dragged."""
        before = self._pose()
        status = on_host(self.sim.step(self._commanded))[self._envs].copy()
        pose, c = self._pose(), self.sim.contacts
        arrays = (on_host(a)[self._envs] for a in (c.count, c.geom, c.gap, c.position, c.frame, c.force))
        contacts, patches = flatten(*arrays, source_geom=self.models.source_geom), self._patch_forces()
        if self._carries:
            contacts = carry_along(contacts, before, pose, self.models.geom_bodyid, self._moves)
            if patches is not None:
                patches = carry_along(patches, before, pose, self.models.geom_bodyid, self._moves)
        return Frame(self._time(), pose, contacts, status, self._friction(), patches)

    def reset(self) -> Frame:
        """Returns to the start; the scene's knots command again."""
        self._commanded = None
        self.sim.reset()
        return self.now()

    def ended(self) -> bool:
        """Whether the scene has come to its end and nobody commands it."""
        return self._commanded is None and self._duration is not None and self._time() >= self._duration - 0.5 * self.step_size

    def command(self, actuator: int, value: float) -> None:
        """Sets a command from the next step on, in every environment; the other actuators keep their commands."""
        if self._commanded is None:
            self._commanded = on_host(self.sim.ctrl).copy()
        self._commanded[:, actuator] = value

    def commands(self) -> np.ndarray:
        """Commands of the first environment (nu)."""
        return on_host(self.sim.ctrl)[0] if self._commanded is None else self._commanded[0]

    def _patch_forces(self) -> Arrows | None:
        if not self._has_patches:
            return None
        p = self.sim.patches
        arrays = (on_host(a)[self._envs] for a in (p.count, p.geom, p.point, p.frame, p.force))
        return patch_forces(*arrays, source_geom=self.models.source_geom)

    def _friction(self) -> np.ndarray | None:
        """Present sliding friction of every environment (E, ngeom)."""
        if not hasattr(self.sim, "params"):
            return None
        return self.models.sliding_friction(on_host(self.sim.params.friction)[self._envs])

    def _pose(self) -> np.ndarray:
        return on_host(self.sim.body_pose)[self._envs].astype(float)

    def _time(self) -> float:
        return float(np.max(on_host(self.sim.time)))


def on_host(array) -> np.ndarray:
    """A numpy view of an array, or a copy if it is on a GPU."""
    if isinstance(array, np.ndarray) or not hasattr(array, "__dlpack__"):
        return np.asarray(array)
    try:
        return np.from_dlpack(array)
    except (BufferError, RuntimeError):
        return np.from_dlpack(array, device="cpu")


def ctrl_ranges(model) -> np.ndarray:
    """Ranges of the sliders (nu, 2): ctrlrange, otherwise the range of the joint, otherwise one unit around zero."""
    ranges = np.tile([-1.0, 1.0], (model.nu, 1))
    for actuator in range(model.nu):
        joint = int(model.actuator_trnid[actuator, 0])
        of_joint = model.actuator_trntype[actuator] in JOINT_TRANSMISSIONS and model.jnt_limited[joint]
        if model.actuator_ctrllimited[actuator]:
            ranges[actuator] = model.actuator_ctrlrange[actuator]
        elif of_joint and model.actuator_biastype[actuator] != 0:  # a target of the joint
            ranges[actuator] = model.jnt_range[joint] * model.actuator_gear[actuator, 0]
    return np.sort(ranges, axis=1)


def _models_of(sim: Any, scene: Any, assets: str | None) -> Any:
    """The model that is drawn, or the models of the variants that environments have now."""
    if not scene.variants:
        return compile_text(scene.model.xml, scene.name, assets)
    present, of_env = np.unique(on_host(sim.params.variant), return_inverse=True)
    own = [scene.variants[v].model for v in present]
    return DrawnModels(
        [compile_text(m.xml, scene.name, assets) for m in own], of_env, [np.array(m.geom_source_id) for m in own]
    )


def simulate(scene_path: str, batch: int, assets: str | None = None) -> LiveSource:
    """A simulator of a scene, as a source.

    Args:
        scene_path: path of the scene, as for `load_scene`.
        batch: number of environments.
        assets: folder with the files that the model names.

    Raises:
        InputError: the scene can not be loaded.
    """
    if batch < 1:
        raise InputError(f"--batch {batch}: at least 1")
    import stiction

    try:
        scene = stiction.load_scene(scene_path)
        simulator = stiction.Simulator(scene, batch=batch)
    except (ValueError, OSError) as error:
        raise InputError(str(error).splitlines()[0]) from error
    choices = {"cone": str(scene.cone), "facets": scene.facets, "geometry": str(scene.geometry)}
    return LiveSource(simulator, _models_of(simulator, scene, assets), scene.model.geom_names, step_size=scene.step_size,
                      title=f"{scene.name}, h = {scene.step_size:g} s", choices=choices, duration=scene.duration)
