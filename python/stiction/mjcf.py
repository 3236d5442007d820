"""The model of a recording, compiled by MuJoCo, and the relation of its geoms to the recorded contacts."""

import pathlib
import re

import numpy as np

from stiction.errors import InputError, optional
from stiction.recording import Recording
from stiction.stage import set_stage


def compile_model(
    recording: Recording, assets: str | pathlib.Path | None = None, stage: bool = False, variant: int = 0
):
    """mujoco.MjModel of the recorded text. `assets` is the folder with the mesh and texture files that the text names,
    if they are no longer where the program found them; `stage` adds sky and light to a model without; `variant` chooses
    among the models of a list.

    Raises InputError if the text does not compile or does not fit the recording.
    """
    model = compile_text(recording.variant_xml(variant), recording.name, assets, stage)
    if recording.qpos.shape[2] != model.nq:
        raise InputError(f"{recording.name}: /qpos has {recording.qpos.shape[2]} columns, its model has {model.nq}")
    return model


def compile_text(xml: str, name: str, assets: str | pathlib.Path | None = None, stage: bool = False):
    """mujoco.MjModel of a text, with sky and light where `stage` asks for them; error messages begin with `name`."""
    mujoco = optional("mujoco", "a picture of the model")
    needed = re.findall(r'<(?:mesh|texture|hfield)\b[^>]*\bfile="([^"]+)"', xml)
    files = {path: _read_asset(path, name, assets) for path in needed}
    xml = re.sub(r'\b(?:meshdir|texturedir|assetdir)="[^"]*"', "", xml) if needed else xml
    try:
        if not stage:
            return mujoco.MjModel.from_xml_string(xml, files)
        spec = mujoco.MjSpec.from_string(xml, assets=files)
        set_stage(spec)
        return spec.compile()
    except ValueError as error:
        raise InputError(f"{name}: the model does not compile: {str(error).splitlines()[0]}") from error


def _read_asset(path: str, name: str, assets: str | pathlib.Path | None) -> bytes:
    """A file that the text names, from `assets` or from where it was when it was compiled."""
    file = pathlib.Path(path)
    for candidate in [pathlib.Path(assets) / file.name, pathlib.Path(assets) / file] if assets is not None else [file]:
        if candidate.is_file():
            return candidate.read_bytes()
    raise InputError(f"{name}: its model needs the file {path}; say with --assets which folder it is in")


def source_geoms(model, geom_names: list[str]) -> np.ndarray:
    """MuJoCo's geom id of every geom that contacts count, (len(geom_names)). "#5" is MuJoCo's unnamed geom 5."""
    mujoco = optional("mujoco", "a picture of the model")
    ids = [int(name[1:]) if re.fullmatch(r"#\d+", name) else mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, name)
           for name in geom_names]
    if any(not 0 <= id < model.ngeom for id in ids):
        raise InputError(f"geom {geom_names[int(np.argmin(ids))]} is not in the model")
    return np.array(ids, dtype=int)


def pair_friction(model, geom0: np.ndarray, geom1: np.ndarray, sliding: np.ndarray | None = None) -> np.ndarray:
    """Friction coefficients along t and o for pairs of MuJoCo's geoms, (N, 2): those of an explicit <pair>, or of the
    geom with the higher priority, otherwise the larger ones; 0 for condim 1. `sliding` (N, 2) is the sliding friction
    of both geoms in their environment; None: that of the model."""
    rank = np.sign(model.geom_priority[geom0] - model.geom_priority[geom1])
    own = model.geom_friction[np.column_stack([geom0, geom1]), 0] if sliding is None else sliding
    mu0, mu1 = own[:, 0], own[:, 1]
    dim0, dim1 = model.geom_condim[geom0], model.geom_condim[geom1]
    mu = np.select([rank > 0, rank < 0], [mu0, mu1], np.maximum(mu0, mu1))
    dim = np.select([rank > 0, rank < 0], [dim0, dim1], np.maximum(dim0, dim1))
    friction = np.repeat(np.where(dim == 1, 0.0, mu)[:, None], 2, axis=1)
    for pair in range(model.npair):
        a, b = model.pair_geom1[pair], model.pair_geom2[pair]
        here = ((geom0 == a) & (geom1 == b)) | ((geom0 == b) & (geom1 == a))
        friction[here] = model.pair_friction[pair, :2] if model.pair_dim[pair] > 1 else 0.0
    return friction
