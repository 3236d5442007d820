"""Protocols: what is done to a grasp, and when it counts as lost. Tables in TOML, the package's own are in the folder `protocols`."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stiction.errors import InputError
from stiction.strict import nearest

FOLDER = Path(__file__).resolve().parent / "protocols"
_DIRECTIONS = {f"{sign}{axis}": number * row for axis, row in zip("xyz", np.eye(3), strict=True) for sign, number in (("+", 1.0), ("-", -1.0))}
_CHOICES = {
    "dynamics": ("dynamic", "dynamic_fitted", "quasidynamic"),
    "law": ("coulomb", "anitescu"),
    "cone": ("quadratic", "pyramid"),
    "on": ("object", "gravity", "frame"),
    "axes": ("object", "palm", "world"),
}
_RANGES = {  # least, whether that itself is allowed, most
    "step_size": (0, False, 1), "friction": (0, True, 1e3), "torsion": (0, True, 1e3), "closing": (0, False, 1e3),
    "settling": (0, True, 1e3), "press": (0, True, 1e3), "closing_distance": (0, False, np.inf), "closing_angle": (0, False, 180),
    "start_overlap": (0, True, np.inf), "acceleration": (0, True, 1e6), "frequency": (0, True, 1e6), "load_time": (0, False, 1e4),
    "distance": (0, False, np.inf), "angle": (0, False, 180), "rest_speed": (0, True, np.inf), "rest_rate": (0, True, np.inf),
    "failed_share": (0, True, 1),
}  # fmt: skip

_COUNTS = {"rest_steps": np.inf, "knock_parts": 100}  # most


@dataclass(frozen=True)
class Protocol:
    """What is done to a grasp; the fields are the keys of a protocol's table.

    Attributes:
        name: of the protocol.
        summary: what it does, in a sentence.
        dynamics: of the steps: dynamic, dynamic_fitted, quasidynamic.
        law: of contact: coulomb, anitescu.
        cone: of friction: quadratic, pyramid.
        step_size: [s].
        friction: of all contacts [-]; "model": friction and torsion are those of the model.
        torsion: friction about the normal of all contacts [m].
        gravity: whether the scene's gravity acts, while the hand closes and under loads.
        closing: time in which the fingers go from before the contact to behind it [s].
        settling: longest time to come to rest after that [s].
        press: how far behind the contact the fingers aim where a grasp does not say, as a share of their way to it.
        closing_distance: the object may move so far while the hand closes [m].
        closing_angle: and turn so far [degrees].
        start_overlap: hand and object may overlap so deep at the start [m].
        on: what loads act on: "object", a force of mass times acceleration; "gravity", a gravity that pulls at everything;
            "frame", the hand is accelerated, seen from the hand.
        axes: of the loads: those of the object at its start, of the palm, or of the world.
        acceleration: of the loads, force by mass [m/s²].
        frequency: of a load that oscillates as a cosine [Hz]; 0: it is constant.
        loads: each begins with the closed hand; words such as "+x" are its directions, one after the other.
        load_time: of each direction [s].
        distance: beyond it the object is lost [m].
        angle: beyond it the object is lost [degrees].
        rest_speed: slower than this is at rest [m/s].
        rest_rate: the same for turning [rad/s].
        rest_steps: steps at rest after which nothing more is expected to happen.
        knock_parts: parts of a step in which the object is knocked while the hand closes; 1: it is taken in one, as all others.
        failed_share: of a grasp's steps that may fail.
    """

    name: str = "protocol"
    summary: str = ""
    dynamics: str = "dynamic"
    law: str = "coulomb"
    cone: str = "quadratic"
    step_size: float = 0.02
    friction: float | str = 0.6
    torsion: float = 0.02
    gravity: bool = False
    closing: float = 0.4
    settling: float = 0.6
    press: float = 0.5
    closing_distance: float = 0.05
    closing_angle: float = 45.0
    start_overlap: float = 0.01
    on: str = "object"
    axes: str = "object"
    acceleration: float = 10.0
    frequency: float = 0.0
    loads: Sequence[str] = ("+x", "-x", "+y", "-y", "+z", "-z")
    load_time: float = 1.0
    distance: float = 0.05
    angle: float = 15.0
    rest_speed: float = 0.0005
    rest_rate: float = 0.01
    rest_steps: int = 2
    knock_parts: int = 2
    failed_share: float = 0.05

    def __post_init__(self) -> None:
        where = f"protocol {self.name}"
        for name, allowed in _CHOICES.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"{where}: {name}: {getattr(self, name)!r} given, must be one of {', '.join(allowed)}")
        for name in _RANGES:
            if not (name == "friction" and self.friction == "model"):
                self._check_range(where, name)
        for name, most in _COUNTS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise InputError(f"{where}: {name}: {value!r} given, must be an integer of at least 1" + (f" and at most {most:g}" if np.isfinite(most) else ""))
        if not isinstance(self.gravity, bool):
            raise InputError(f"{where}: gravity: {self.gravity!r} given, must be true or false")
        self._check_loads(where)

    def _check_range(self, where: str, name: str) -> None:
        value, (least, included, most) = getattr(self, name), _RANGES[name]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not (least <= value <= most) or (value == least and not included):
            raise InputError(f"{where}: {name}: {value!r} given, must be a number {'of at least' if included else 'above'} {least:g}"
                             + (f" and at most {most:g}" if np.isfinite(most) else ""))  # fmt: skip

    def _check_loads(self, where: str) -> None:
        loads = self.loads
        if isinstance(loads, str) or not isinstance(loads, Sequence) or not loads or not all(isinstance(load, str) and load.split() for load in loads):
            raise InputError(f"{where}: loads: {loads!r} given, must be a list of texts such as [\"+x\", \"-z +y\"]")
        wrong = [word for load in loads for word in load.split() if word not in _DIRECTIONS]
        if wrong:
            raise InputError(f"{where}: loads: '{wrong[0]}' is no direction; there are {', '.join(_DIRECTIONS)}")

    @property
    def physics(self) -> dict[str, Any]:
        """Keywords for `load_scene` and `load_model`."""
        return {"dynamics": self.dynamics, "law": self.law, "cone": self.cone, "step_size": self.step_size}

    def steps(self, time: float) -> int:
        """How many steps a time takes, at least 1."""
        return max(1, round(time / self.step_size))

    def course(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Acceleration of every load at every step [m/s²] (loads, steps, 3), 0 after its end, and the steps of each load (loads)."""
        per_word = self.steps(self.load_time)
        words = [[_DIRECTIONS[word] for word in load.split()] for load in self.loads]
        wave = np.cos(2 * np.pi * self.frequency * self.step_size * (np.arange(per_word) + 1))
        course = np.zeros((len(words), per_word * max(map(len, words)), 3))
        for i, directions in enumerate(words):
            for k, direction in enumerate(directions):
                course[i, k * per_word : (k + 1) * per_word] = self.acceleration * wave[:, None] * direction
        return course, np.array([per_word * len(directions) for directions in words])


def protocol_names() -> list[str]:
    """Names of the protocols of the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def read_protocol(protocol: str | Path | Mapping[str, Any] | Protocol) -> Protocol:
    """A protocol by its name, its file or its table.

    Args:
        protocol: a name of the package's, a path of a .toml file, or a mapping. A table with `base = "six_forces"` has
            what it does not say from that protocol, otherwise the defaults of `Protocol`.

    Raises:
        InputError: there is no such protocol or file, or a value of the table is not right.
    """
    if isinstance(protocol, Protocol):
        return protocol
    if isinstance(protocol, Mapping):
        return _of_table(dict(protocol), "of its own")
    if not isinstance(protocol, str | Path):
        raise InputError(f"protocol: expected a name, a path or a table, got {type(protocol).__name__}")
    path = FOLDER / f"{protocol}.toml" if str(protocol) in protocol_names() else Path(protocol)
    if path.suffix != ".toml":
        raise InputError(f"protocol: there is no '{protocol}'{nearest(str(protocol), protocol_names())}, or give a .toml file")
    try:
        return _of_table(tomllib.loads(path.read_text()), path.stem)
    except OSError as error:
        raise InputError(f"protocol: {path}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"protocol: {path}: is not TOML ({error})") from error


def _of_table(table: dict[str, Any], name: str) -> Protocol:
    base = table.pop("base", None)
    own = {"name": name, **table}
    fields = [field.name for field in dataclasses.fields(Protocol)]
    for key in own:
        if key not in fields:
            raise InputError(f"protocol {name}: there is no '{key}'{nearest(key, [*fields, 'base'])}")
    return Protocol(**own) if base is None else dataclasses.replace(read_protocol(base), **own)
