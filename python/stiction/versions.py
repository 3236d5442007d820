"""Checks that MuJoCo has one version: the header of the build, the library that is loaded, and the Python package."""

from importlib import metadata

from stiction import _core

__version__ = _core.version


def check_versions() -> None:
    """Raises ImportError, in one line, if the versions of MuJoCo's header, library and Python package differ."""
    header, library = _core.mujoco_versions()
    try:
        package = metadata.version("mujoco-core")
    except metadata.PackageNotFoundError:
        package = "none"
    if header == library == package:
        return
    raise ImportError(
        f"stiction {__version__} was built for MuJoCo {header}, but the library is {library} and the package mujoco-core "
        f"is {package}: pip install mujoco-core=={header}"
    )
