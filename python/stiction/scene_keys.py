"""The keyword arguments of `load_scene` and `load_model` as type checkers and editors read them.

A test holds names and words against the list of scene.toml's keys, so that nothing is missing here or too much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = Sequence[float] | NDArray[np.floating[Any]] | NDArray[np.integer[Any]]
Dynamics: TypeAlias = Literal["quasistatic", "quasidynamic", "kinematic", "dynamic", "dynamic_fitted"]
Law: TypeAlias = Literal["anitescu", "coulomb", "frictionless", "patch"]
Cone: TypeAlias = Literal["pyramid", "quadratic", "box"]
Preset: TypeAlias = Literal["quasistatic_lcp", "quasistatic_qp", "kinematic_lcp", "dlc", "dqc", "ecp", "graspit"]
Solver: TypeAlias = Literal["interior_point", "admm", "pgs", "lemke", "newton"]


class SceneKeys(TypedDict, total=False):
    """The keys of scene.toml that `load_scene` and `load_model` take, for a dictionary `keys` of them: `load_scene(path, **keys)`.

    None leaves a key as it is. What each means: the properties of `Scene`, and the page about scene.toml.
    """

    max_elements: int | None
    ignore: Sequence[Literal["fluid", "activation", "height_field"]] | None
    packages: Mapping[str, str] | None  # folders by the names of packages
    compiler: Mapping[str, Any] | None
    actuator: Sequence[Mapping[str, Any]] | None
    material: Sequence[Mapping[str, Any]] | None
    material_pair: Sequence[Mapping[str, Any]] | None

    preset: Preset | None
    dynamics: Dynamics | None
    law: Law | None
    cone: Cone | None
    facets: int | None
    contact: Literal["points", "patch"] | None
    geometry: Literal["start", "end"] | None
    rotation: Literal["exact", "linear"] | None
    torsion_radius: Literal["model", "uniform"] | None
    regions: Literal["auto", "off"] | None
    equality: Literal["solref", "hard"] | None
    order: Literal["solve_first", "move_first"] | None
    correction: float | None
    threshold_speed: float | None  # [m/s]
    contact_distance: float | Literal["auto"] | None  # [m]
    mass_ratio: float | None
    hover_warning: float | None  # [m]

    solver: Solver | None
    factor: Literal["float64", "float32"] | None
    tolerance: float | None
    max_iterations: int | None
    max_total_iterations: int | None
    max_contacts: int | Literal["auto"] | None
    max_pairs: int | Literal["auto"] | None
    start: Numbers | None  # (nv)
    infeasible: Literal["least_violation", "keep"] | None

    step_size: float | None  # [s]
    duration: float | None  # [s]

    qpos: Numbers | None  # (nq)
    qvel: Numbers | None  # (nv)
    keyframe: str | int | None

    seed: int | None
    qpos_noise: float | Mapping[str, Numbers] | None
    friction: Numbers | None  # least, most
    mass_scale: Numbers | None  # least, most
