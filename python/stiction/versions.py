"""Finds MuJoCo's library in the package mujoco-core, and checks that it fits the headers that were compiled in."""

from importlib import metadata, util
from pathlib import Path

from stiction import _core

__version__ = _core.version


def _find_mujoco_library() -> Path | None:
    """The file libmujoco.so.* of the installed package mujoco-core, without importing it; None if there is none."""
    spec = util.find_spec("mujoco")
    folders = (spec and spec.submodule_search_locations) or []
    return next((file for folder in folders for file in sorted(Path(folder).glob("libmujoco.so.*"))), None)


def check_versions() -> None:
    """Has the compiled half use the library of mujoco-core. Raises ImportError, in one line, if that is not installed, is
    of another minor release than the headers that were compiled in, or is not what the package says it is."""
    file = _find_mujoco_library()
    if file:
        _core.use_mujoco_library(str(file))
    try:
        _, library = _core.mujoco_versions()
        package = metadata.version("mujoco-core")
    except (_core.InputError, metadata.PackageNotFoundError) as error:
        raise ImportError(f"stiction {__version__}: {error}") from None
    if library != package:
        raise ImportError(
            f"stiction {__version__}: MuJoCo's library {file} is of version {library}, but the package mujoco-core is "
            f"{package}: pip install --force-reinstall mujoco-core=={package}"
        )
