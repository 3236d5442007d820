"""Recordings of `stiction run --out FILE.h5`, read lazily.

    recording = load_recording("out/stack.h5")
    recording.time[-1], recording.qpos[-1, 0]         # only these values are read from the file
    recording.contact.force[10, 0, : recording.contact.count[10, 0]]

S recorded rows, row 0 the start; B recorded environments; C contact slots, P of patches. Padding is NaN, and -1 for geoms.
"""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from stiction import _core
from stiction.errors import InputError, optional
from stiction.recorded_columns import Column, ContactColumns, PatchColumns

if TYPE_CHECKING:
    from stiction._core import Scene
    from stiction.simulator import Simulator

# names of the status bits, from bit 0
STATUS_BITS = tuple(name for name in map(_core.status_names, (1 << bit for bit in range(32))) if name != "none")
CHOICES = (*(key.keyword for key in _core.scene_keys() if key.is_value and key.table in ("physics", "solver")),
           "dtype", "device", "every")  # fmt: skip


class Recording:
    """An open recording of S rows, row 0 the start, and B environments; a context manager.

    What was not recorded (`--record none`: qpos, qvel, ctrl; without `--record contacts`: contact, patch) is an `InputError`
    when it is asked for.

    Attributes:
        time: (S) [s].
        rows: S.
        batch: B.
        status: (S, B) uint32, bits of `Status`.
        iterations: (S, B) of the solver.
        residual: (S, B) [-].
        penetration: (S, B) deepest overlap after the step [m]; up to 1 µm too large, in single precision 10 µm.
        attributes: those of the file, by name.
        name: of the file.
        file: the open h5py.File.
    """

    def __init__(self, file, name: str):
        self.name = name
        self.file = file
        self.time: np.ndarray = file["time"][:]
        self.rows = len(self.time)
        if self.rows < 1:
            raise InputError(f"{name}: holds no rows; the run ended before its first step was written")
        self.status = self._column("status")
        self.iterations = self._column("iterations")
        self.residual = self._column("residual")
        self.penetration = self._column("penetration")
        self.batch: int = self.status.shape[1]
        self.attributes: dict[str, Any] = {key: _plain(value) for key, value in file.attrs.items()}

    def _column(self, name: str) -> Column:
        if name not in self.file:
            raise InputError(f"{self.name}: /{name} was not recorded; {_how_to_record(name)}")
        return Column(self.file[name], self.rows)

    @property
    def qpos(self) -> Column:
        """(S, B, nq) in MuJoCo's order [m, rad]."""
        return self._column("qpos")

    @property
    def qvel(self) -> Column:
        """(S, B, nv) in MuJoCo's order [m/s, rad/s]."""
        return self._column("qvel")

    @property
    def ctrl(self) -> Column:
        """(S, B, nu), sampled for the step that ended in the row."""
        return self._column("ctrl")

    @property
    def has_contacts(self) -> bool:
        return "contact/count" in self.file

    @property
    def contact(self) -> ContactColumns:
        """The contacts; an error if they were not recorded."""
        return ContactColumns(self)

    @property
    def has_patches(self) -> bool:
        return "patch/count" in self.file

    @property
    def patch(self) -> PatchColumns:
        """The contact patches; an error if they were not recorded or the scene has none."""
        return PatchColumns(self)

    def attribute(self, name: str) -> Any:
        """A value of `attributes` that every recording has."""
        if name not in self.attributes:
            raise InputError(f"{self.name}: the attribute {name} is missing; was it written by stiction run?")
        return self.attributes[name]

    @property
    def scene(self) -> str:
        """Name of the scene."""
        return self.attribute("scene")

    @property
    def scene_text(self) -> str:
        """Text of scene.toml."""
        return self.attribute("scene_text")

    @property
    def model_xml(self) -> str:
        """MJCF of the model as compiled."""
        return self.attribute("model_xml")

    @property
    def variant_names(self) -> list[str]:
        """(V) the files of the models that environments have, where the scene lists several; else empty."""
        return list(self.attributes.get("variant_names", []))

    @property
    def variant(self) -> np.ndarray:
        """(B) int, which model each environment has; zeros where the scene lists none."""
        return self.file["variants/of_env"][:] if self.variant_names else np.zeros(len(self.envs), int)

    def variant_xml(self, variant: int) -> str:
        """MJCF of one of the models."""
        return self.model_xml if variant == 0 else self.file[f"variants/{variant}/xml"][:].tobytes().decode()

    @property
    def step_size(self) -> float:
        """Step [s]; rows are `every` steps apart."""
        return self.attribute("step_size")

    @property
    def seed(self) -> int:
        return self.attribute("seed")

    @property
    def envs(self) -> list[int]:
        """(B) numbers that the recorded environments have in the run's batch."""
        return [int(env) for env in self.attribute("envs")]

    @property
    def geom_names(self) -> list[str]:
        """Of the geoms that can touch, in the order that contacts count them; "#5" is MuJoCo's unnamed geom 5."""
        return list(self.attribute("geom_names"))

    @property
    def body_names(self) -> list[str]:
        return list(self.attribute("body_names"))

    @property
    def joint_names(self) -> list[str]:
        return list(self.attribute("joint_names"))

    @property
    def actuator_names(self) -> list[str]:
        return list(self.attribute("actuator_names"))

    @property
    def choices(self) -> dict:
        """Dynamics, law, cone, solver and what goes with them, as run."""
        return {name: self.attributes[name] for name in CHOICES if name in self.attributes}

    @property
    def versions(self) -> dict[str, str]:
        """Of stiction, MuJoCo, HDF5 and the compiler."""
        ending = "_version"
        return {name.removesuffix(ending): text for name, text in self.attributes.items() if name.endswith(ending)}

    @property
    def steps(self) -> np.ndarray:
        """(S) steps done at each row, from 0."""
        return np.rint(self.time / self.step_size).astype(int)

    @property
    def mocap_pose(self) -> Column | None:
        """(S, B, nmocap, 7) position [m] and quaternion (w, x, y, z) of mocap bodies; None where there are none."""
        return self._column("mocap_pose") if "mocap_pose" in self.file else None

    @property
    def geom_friction(self) -> np.ndarray | None:
        """(B, ngeom, 3) sliding [-], torsional [m], rolling [m]; None where the scene does not draw it: the model's."""
        return self.file["geom_friction"][:] if "geom_friction" in self.file else None

    def load_scene(self) -> Scene:
        """The scene as it was run, with what the command line said; needs no file but the recording.

        Raises:
            InputError: it was written with another version of MuJoCo, or by a stiction that did not keep the model.
        """
        from stiction.replay import scene_of

        return scene_of(self)

    def replay(
        self, envs: Sequence[int] | None = None, device: str | None = None, threads: int | None = None
    ) -> Simulator:
        """A simulator of recorded environments at row 0. On the device of the run, `step` gives the qpos, qvel and
        status of every row to the last bit: `step(steps=n)` where rows are n steps apart.

        Where `envs` are not consecutive numbers of the run, `sim.reset` draws other environments: keep `sim.state()`.

        Args:
            envs: recorded environments 0 ... B-1; None: all.
            device: as of `Simulator`; None: the kind that the run had.
            threads: host threads; None: all cores. The bits are the same.

        Raises:
            InputError: it was written by another version of stiction or MuJoCo, an environment is not there, or the
                device is not usable.
        """
        from stiction.replay import replay

        return replay(self, envs, device, threads)

    def env_index(self, env: int) -> int:
        """Checks a recorded environment 0 ... B-1; negative ones count from the end."""
        if not -self.batch <= env < self.batch:
            raise InputError(f"{self.name}: environment {env} is not there; give 0 ... {self.batch - 1}")
        return env % self.batch

    def close(self) -> None:
        self.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        scene = self.attributes.get("scene", "?")
        return f"<recording {self.name}: {self.rows} rows of {self.batch} environments of {scene}>"


def load_recording(path: str | pathlib.Path, partial: bool = False) -> Recording:
    """Opens a recording; values are read when they are indexed.

    Args:
        path: of the file that `stiction run --out` wrote.
        partial: accept FILE.h5.partial, which a run that is still going or was killed leaves; its complete rows are
            there.

    Raises:
        InputError: it is no complete recording; one line that says what it is.
        MissingPackage: h5py is not installed.
    """
    h5py = optional("h5py", "a recording")
    path = pathlib.Path(path)
    _check_path(path, partial)
    try:
        unlocked = {"locking": False} if partial else {}  # a run that goes on holds the lock
        file = h5py.File(path, "r", **unlocked)
    except OSError as error:
        raise InputError(f"{path}: {_why_not_open(path, error)}") from error
    if "time" not in file or "status" not in file:
        file.close()
        raise InputError(f"{path}: an HDF5 file, but not a recording of stiction run")
    try:
        return Recording(file, str(path))
    except (OSError, KeyError) as error:
        file.close()
        raise InputError(f"{path}: a damaged recording ({_first_line(error)})") from error


def _check_path(path: pathlib.Path, partial: bool) -> None:
    unfinished = path.with_name(path.name + ".partial")
    if not path.exists() and unfinished.exists():
        raise InputError(f"{path}: not finished, or killed; rows so far: open {unfinished.name} as partial")
    if not path.exists():
        raise InputError(f"{path}: no such file; record one with stiction run SCENE --out {path}")
    if not path.is_file():
        raise InputError(f"{path}: not a file")
    if path.suffix == ".partial" and not partial:
        raise InputError(f"{path}: of a run that goes on or was killed; open it as partial to read its complete rows")


def _why_not_open(path: pathlib.Path, error: OSError) -> str:
    """HDF5 says too much about too little."""
    try:
        with path.open("rb") as file:
            signature = file.read(8)
    except OSError as refusal:
        return f"cannot be read ({refusal.strerror})"
    if signature != b"\x89HDF\r\n\x1a\n":
        return "not an HDF5 file"
    return f"truncated or damaged HDF5 ({_first_line(error)})"


def _how_to_record(column: str) -> str:
    group, _, _ = column.partition("/")
    if group == "patch":
        return 'use stiction run --record contacts and a scene with contact = "patch"'
    return f"use stiction run --record {'contacts' if group == 'contact' else 'state'}"


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _plain(value):
    """An attribute as Python's own types."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    return value.item() if isinstance(value, np.generic) else value
