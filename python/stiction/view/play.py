"""Sources of frames: the interface of a source, and a recording that is played. live.py has one that is simulated."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from stiction.errors import InputError
from stiction.mjcf import compile_model
from stiction.recording import Recording
from stiction.view.forces import Arrows, Contacts, Points, carry_along, flatten, patch_forces, patch_resultants
from stiction.view.geometry import BodyPoses, moving_bodies
from stiction.view.models import DrawnModels

ROUND = 32      # sides of a quadratic cone as drawn
PER_SECOND = 30  # frames that are shown
SAMPLED_ROWS = 12  # of a recording, to find how long arrows get


@dataclass(frozen=True)
class Frame:
    """The environments that are shown, at one moment."""

    time: float                     # [s]
    body_pose: np.ndarray           # (E, nbody, 7) [m, wxyz]
    contacts: Contacts | None       # of the step that ended here; None if they are not known
    status: np.ndarray              # (E) uint32 bits of that step
    friction: np.ndarray | None = None  # (E, ngeom) sliding friction of MuJoCo's geoms; None: the model's
    patches: Arrows | None = None   # forces of that step at its equivalent contact points; None where it has no patches

    def resultants(self) -> Arrows:
        """One arrow for every pair of geoms that carries; the frame needs contacts."""
        if self.patches is not None:
            return self.patches
        assert self.contacts is not None
        return patch_resultants(self.contacts)


class Source(Protocol):
    """The interface that the page needs of a recording or a simulation."""

    title: str
    models: DrawnModels
    env_ids: list[int]     # (E) numbers of the environments looked at, in the run's batch
    cone_sides: int        # of the friction cones as drawn
    live: bool


def cone_sides(choices: dict) -> int:
    """Number of sides with which a cone is drawn: the facets of a pyramid, otherwise ROUND."""
    return int(choices.get("facets", 4)) if choices.get("cone") == "pyramid" else ROUND


def at_end(choices: dict) -> bool:
    """Whether contacts are where a step ends: they do not travel with a body from where it began."""
    return choices.get("geometry") == "end"


def recorded_models(recording: Recording, envs: Sequence[int], assets: str | None) -> DrawnModels:
    """Of recorded environments."""
    if not recording.variant_names:
        return DrawnModels.alike(compile_model(recording, assets), len(envs), recording.geom_names)
    variants, of_env = np.unique(recording.variant[envs], return_inverse=True)
    ids = recording.file["variants/geom_id"][:][variants]
    return DrawnModels([compile_model(recording, assets, variant=int(v)) for v in variants], of_env, ids)


class RecordingSource:
    """A source that shows the rows of a recording.

    Args:
        recording: a recording with state; forces are shown if it has contacts.
        envs: recorded environments, each once; None: all.
        assets: folder with the files that the model names.

    Raises:
        InputError: an environment is not there, or the model does not compile.
    """

    live = False

    def __init__(self, recording: Recording, envs: Sequence[int] | None = None, assets: str | None = None):
        self.recording = recording
        self.envs = [recording.env_index(env) for env in (range(recording.batch) if envs is None else envs)]
        if not self.envs or len(set(self.envs)) < len(self.envs):
            raise InputError(f"{recording.name}: --envs {list(envs or [])} needs different environments, at least one")
        self.models = recorded_models(recording, self.envs, assets)
        self.model = self.models.first
        self.title = f"{recording.scene}, h = {recording.step_size:g} s"
        self.env_ids = [recording.envs[env] for env in self.envs]
        self.times = recording.time
        self.cone_sides = cone_sides(recording.choices)
        self._poses = BodyPoses(self.model)
        self._moves = moving_bodies(self.model)
        self._span = slice(min(self.envs), max(self.envs) + 1)  # HDF5 reads ranges fast, lists slowly
        self._pick = np.array(self.envs) - min(self.envs)
        self._columns = recording.contact if recording.has_contacts else None
        self._patches = recording.patch if recording.has_patches else None
        drawn = recording.geom_friction
        self._friction = None if drawn is None else self.models.sliding_friction(drawn[self.envs])
        self._mocap = recording.mocap_pose
        self._last = (-1, np.zeros((0, 0, 7)))  # row and poses that were asked for last

    def __len__(self) -> int:
        return self.recording.rows

    def row_at(self, time: float) -> int:
        """The last row that is not later than `time` [s]."""
        return max(int(np.searchsorted(self.times, time + 1e-9, side="right")) - 1, 0)

    def frame(self, row: int) -> Frame:
        before = self._last[1] if self._last[0] == row - 1 else self._body_pose(max(row - 1, 0))
        pose = self._body_pose(row)
        self._last = (row, pose)
        contacts, status = self._contacts(row, before, pose), self._read(self.recording.status, row)
        return Frame(float(self.times[row]), pose, contacts, status, self._friction, self._patch_forces(row, before, pose))

    def largest_force(self) -> float:
        """The largest resultant of all patches in a sample of rows [N]."""
        largest = 0.0
        for row in np.unique(np.linspace(0, len(self) - 1, SAMPLED_ROWS).astype(int)):
            frame = self.frame(row)
            if frame.contacts is not None and len(frame.contacts):
                forces = np.linalg.norm(frame.resultants().force, axis=1)
                largest = max(largest, float(forces.max(initial=0)))
        return largest

    def _read(self, column, row: int, *slots) -> np.ndarray:
        return column[(row, self._span, *slots)][self._pick]

    def _body_pose(self, row: int) -> np.ndarray:
        mocap = None if self._mocap is None else self._read(self._mocap, row).astype(float)
        return self._poses(self._read(self.recording.qpos, row).astype(float), mocap)

    def _contacts(self, row: int, before: np.ndarray, pose: np.ndarray) -> Contacts | None:
        """Contacts of the step that ended in `row`, moved to where their bodies are then; none at the start."""
        c = self._columns
        if c is None:
            return None
        columns = (c.count, c.geom, c.gap, c.position, c.frame, c.force)
        return self._moved(flatten(*self._read_used(row, *columns), source_geom=self.models.source_geom), row, before, pose)

    def _patch_forces(self, row: int, before: np.ndarray, pose: np.ndarray) -> Arrows | None:
        p = self._patches
        if p is None:
            return None
        columns = (p.count, p.geom, p.point, p.frame, p.force)
        return self._moved(patch_forces(*self._read_used(row, *columns), source_geom=self.models.source_geom), row, before, pose)

    def _moved(self, points: Points, row: int, before: np.ndarray, pose: np.ndarray) -> Points:
        """Where the bodies are that they were on when the step began; those of its end stay."""
        at_start = not at_end(self.recording.choices)
        if row == 0 or len(points) == 0 or not at_start or self.recording.attribute("every") > 1:
            return points
        return carry_along(points, before, pose, self.models.geom_bodyid, self._moves)

    def _read_used(self, row: int, count, *columns) -> list[np.ndarray]:
        """The counts (E), and what is used of columns with slots (E, C, ...)."""
        counts = self._read(count, row)
        used = slice(0, max(int(counts.max()), 1))
        return [counts, *(self._read(column, row, used) for column in columns)]
