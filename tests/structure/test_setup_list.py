"""Everything that the project uses from outside is on the list of `scripts/setup --list`."""

import ast
import re
import subprocess
import sys

import sources

# find_package name -> what provides it
PACKAGES = {
    "GTest": "apt libgtest-dev",
    "HDF5": "apt libhdf5-dev",
    "Eigen3": "apt libeigen3-dev",
    "CLI11": "apt libcli11-dev",
    "tomlplusplus": "apt libtomlplusplus-dev",
    "fmt": "apt libfmt-dev",
    "benchmark": "apt libbenchmark-dev",
    "Python": "apt python3-dev",
    "nanobind": "pip nanobind",
    "Threads": "apt g++",
    "CUDAToolkit": None,  # optional, never installed by us
    "stiction": None,  # this project, as its consumer sees it
}
# first path component of a system include -> what provides it
HEADERS = {
    "gtest": "apt libgtest-dev",
    "gmock": "apt libgtest-dev",
    "hdf5.h": "apt libhdf5-dev",
    "Eigen": "apt libeigen3-dev",
    "unsupported": "apt libeigen3-dev",  # unsupported/Eigen
    "CLI": "apt libcli11-dev",
    "toml++": "apt libtomlplusplus-dev",
    "fmt": "apt libfmt-dev",
    "benchmark": "apt libbenchmark-dev",
    "mujoco": "pip mujoco-core",
    "nanobind": "pip nanobind",
    "cuda_runtime.h": None,  # the CUDA toolkit
    "cuda_runtime_api.h": None,
    "vector_types.h": None,
}
POSIX = {"unistd.h", "fcntl.h", "cpuid.h", "cxxabi.h", "dlfcn.h", "link.h", "pthread.h", "signal.h", "sys"}
# Python module -> what provides it
MODULES = {
    "numpy": "pip numpy",
    "scipy": "pip scipy",
    "h5py": "pip h5py",
    "matplotlib": "pip matplotlib",
    "PIL": "pip matplotlib",  # which needs it
    "mujoco": "pip mujoco",
    "pytest": "pip pytest",
    "hypothesis": "pip hypothesis",
    "coal": "pip coal",
    "clarabel": "pip clarabel",
    "daqp": "pip daqp",
    "piqp": "pip piqp",
    "proxsuite": "pip proxsuite",
    "pinocchio": "pip pin",
    "siconos": None,  # of Debian's Python; bench/profiles/run installs it where it may
    "griffe": "pip griffelib",
    "mkdocs": "pip mkdocs",
    "nbclient": "pip nbclient",
    "nbformat": "pip nbformat",
    "osqp": "pip osqp",
    "pybullet": None,  # bench/patches/run installs it where it may
    "pydrake": "pip drake",
    "mujoco_warp": "pip mujoco-warp",
    "warp": "pip warp-lang",
    "viser": "pip viser",
    "gymnasium": "pip gymnasium",
    "torch": None,  # of the user's choice: large, and another one for every GPU
    "tensordict": None,
    "stable_baselines3": None,  # examples
    "rsl_rl": None,
    "imageio_ffmpeg": "pip imageio-ffmpeg",
    "playwright": "pip playwright",
    "websockets": "pip websockets",
    "zstandard": "pip zstandard",
}
# program that a script calls -> what provides it
PROGRAMS = {
    "cmake": "apt cmake",
    "ctest": "apt cmake",
    "ninja": "apt ninja-build",
    "clang-format": "apt clang-format",
    "clang-tidy": "apt clang-tidy",
    "ruff": "pip ruff",
    "basedpyright": "pip basedpyright",
}


def listed():
    out = subprocess.run(["scripts/setup", "--list"], cwd=sources.ROOT, capture_output=True, text=True, check=True)
    return {line.split("==")[0] for line in out.stdout.splitlines()}


def optional():
    """What bench/peers/run and bench/profiles/run install for themselves, and what only looking and learning need."""
    names = ("peers", "profiles", "look", "learn")
    lines = [line for name in names for line in sources.text(f"requirements/{name}.txt").splitlines()]
    return {f"pip {line.split('==')[0]}" for line in lines if not line.startswith("#")}


def missing(used, providers):
    """Uses whose provider is unknown or not listed."""
    names = listed() | optional()
    return sorted(f"{use} ({where})" for use, where in used if use not in providers
                  or (providers[use] is not None and providers[use] not in names))


def test_every_find_package_is_on_the_list():
    used = set()
    for path in sources.files():
        if path.name == "CMakeLists.txt" or path.suffix == ".cmake":
            used |= {(name, str(path)) for name in re.findall(r"find_(?:system_)?package\(\s*(\w+)", sources.text(path))}
    assert any(name == "GTest" for name, _ in used)
    assert missing(used, PACKAGES) == []


def test_every_system_include_is_on_the_list():
    used = set()
    for path in sources.code_files():
        for system, name in sources.includes(path):
            first = name.split("/")[0]
            standard = re.fullmatch(r"[a-z_0-9]+", name) or first in POSIX
            if system and not standard:
                used.add((first, str(path)))
    assert any(name == "gtest" for name, _ in used)
    assert missing(used, HEADERS) == []


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0]


def test_every_python_import_is_on_the_list():
    scripts = [p for p in sources.files() if p.suffix == ".py"]
    own = {p.stem for p in scripts} | {p.parent.name for p in scripts}
    used = set()
    for path in scripts:
        names = set(imported(ast.parse(sources.text(path)))) - sys.stdlib_module_names - own
        used |= {(name, str(path)) for name in names}
    assert missing(used, MODULES) == []


def setup_pins():
    out = subprocess.run(["scripts/setup", "--list"], cwd=sources.ROOT, capture_output=True, text=True, check=True)
    return [line[len("pip ") :] for line in out.stdout.splitlines() if line.startswith("pip ")]


def test_every_program_of_the_scripts_is_on_the_list():
    names = listed()
    used = {
        program
        for path in [*sources.ROOT.glob("scripts/*"), *sources.ROOT.glob("tests/structure/*.py")]
        if path.is_file()
        for program in PROGRAMS
        if re.search(rf"(?m)(^|[\s(\"]|\.venv/bin/){program}[\s\"]", path.read_text(encoding="utf-8"))
    }
    assert {"cmake", "ctest", "clang-format", "clang-tidy", "ruff", "basedpyright"} <= used
    assert {program for program in used if PROGRAMS[program] not in names} == set()


def test_python_packages_are_pinned_exactly():
    for file in sources.ROOT.glob("requirements/*.txt"):
        lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
        assert lines and all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9a-z.]*", line) for line in lines), file
    pinned = set(sources.text("requirements/constraints.txt").splitlines())
    assert set(setup_pins()) <= pinned


def test_setup_refuses_an_unknown_option():
    run = subprocess.run(["scripts/setup", "--fast"], cwd=sources.ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 2 and run.stderr.startswith("usage: scripts/setup")


def test_setup_does_nothing_where_everything_is_in_place():
    subprocess.run(["scripts/setup"], cwd=sources.ROOT, capture_output=True, check=True)
    again = subprocess.run(["scripts/setup"], cwd=sources.ROOT, capture_output=True, text=True, check=True)
    assert again.stdout == "setup: everything is in place\n"
