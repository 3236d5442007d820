"""One version of MuJoCo everywhere: the header that was compiled against, the library that is loaded, the package."""

from importlib import metadata

from stiction import _core

__version__ = _core.version


def check_versions() -> None:
    """Raises ImportError, in one line, where MuJoCo's header, library and Python package differ."""
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
