"""Rooms may include only the rooms that the table names (docs/rooms.md shows the same table to readers)."""

import pathlib
import re

import pytest
import sources

# room: rooms it may include directly; what those may include is allowed too
ROOMS = {
    "kernels/team": [],
    "kernels/linalg": ["kernels/team"],
    "kernels/model": ["kernels/linalg"],
    "kernels/kinematics": ["kernels/model"],
    "kernels/collision": ["kernels/kinematics"],
    "kernels/problem": ["kernels/linalg"],
    "kernels/contact": ["kernels/collision", "kernels/problem"],
    "kernels/dynamics": ["kernels/contact"],
    "kernels/solver/ground": ["kernels/problem"],
    "kernels/solver/polish": ["kernels/solver/ground"],
    "kernels/solver/path": ["kernels/solver/polish"],
    "kernels/solver/active_set": ["kernels/solver/ground"],
    "kernels/solver/impulses": ["kernels/solver/ground"],
    "kernels/solver/proximal": ["kernels/solver/polish"],
    "kernels/solver/splitting": ["kernels/solver/ground"],
    "kernels/solver/default": [
        "kernels/solver/active_set", "kernels/solver/impulses", "kernels/solver/path", "kernels/solver/proximal",
    ],
    "kernels/solver/proof": ["kernels/solver/default"],
    "kernels/solver/pivots": ["kernels/solver/proof"],
    "kernels/solver": ["kernels/solver/splitting", "kernels/solver/pivots"],
    "kernels/patch": ["kernels/contact"],
    "kernels/step": ["kernels/dynamics", "kernels/solver", "kernels/patch"],
    "kernels/sensing": ["kernels/dynamics"],
    "kernels/launch": ["kernels/step", "kernels/sensing"],
    "host/model": ["kernels/model"],
    "host/scene": ["host/model"],
    "host/backend": ["kernels/launch", "host/scene"],
    "host/reference": ["host/scene"],
    "host/api": ["host/backend", "host/scene", "host/reference"],
    "host/record": ["host/api"],
    "host/grasp": ["host/api"],
    "host/cli": ["host/api", "host/record", "host/grasp"],
}
# single headers that more rooms may include: words and memory, no mechanics
SHARED = {
    "kernels/dynamics/dynamics.inc": ["kernels/model"],
    "kernels/model/traits.hpp": ["kernels/problem"],
    "kernels/problem/laws.inc": ["kernels/model"],
    "kernels/problem/cones.inc": ["kernels/model"],
    "kernels/solver/solvers.inc": ["kernels/model"],
    "kernels/solver/solver.hpp": ["kernels/solver/ground"],
    "kernels/model/arena.hpp": ["kernels/linalg"],
    "kernels/problem/contact_problem.hpp": ["host/reference"],
    "kernels/collision/contact_point.hpp": ["host/reference", "host/model"],
    "kernels/collision/facing_table.hpp": ["host/model"],  # the layout of a table that the model holds
}
GENERATED = {"stiction_cpu_features.inc"}  # written by a CMakeLists.txt into the build folder
FREE = ("tests", "bench", "python", "examples")  # may include any room


def room_of(path):
    """The room of a file: the innermost folder of the table that it lies in, else its first two folders."""
    folders = [str(folder) for folder in pathlib.PurePosixPath(path).parents]
    return next((folder for folder in folders if folder in ROOMS), "/".join(pathlib.PurePosixPath(path).parts[:2]))


def reachable(room):
    seen, todo = set(), [room]
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo.extend(ROOMS[current])
    return seen


def allowed(room, header):
    return room_of(header) in reachable(room) or any(r in reachable(room) for r in SHARED.get(header, []))


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_room_includes_only_rooms_before_it(room):
    bad = [
        f"{path} includes {name}"
        for path in sources.code_files(room)
        if room_of(path) == room
        for system, name in sources.includes(path)
        if not system and name not in GENERATED and not allowed(room, name)
    ]
    assert bad == []


def test_every_source_is_in_a_room_of_the_table():
    strangers = [
        str(path)
        for path in sources.code_files()
        if room_of(path) not in ROOMS and path.parts[0] not in FREE
    ]
    assert strangers == []


def test_includes_are_written_from_the_root():
    bad = [
        f"{path}: {name}"
        for path in sources.code_files()
        for system, name in sources.includes(path)
        if not system and name not in GENERATED and not (sources.ROOT / name).is_file()
    ]
    assert bad == []


def test_a_detail_namespace_serves_one_room():
    rooms, uses = {}, []
    for path in sources.code_files("kernels", "host"):
        source = sources.without_comments(sources.text(path))
        for space in re.findall(r"\bnamespace (?:stiction::)?(\w*detail) \{", source):
            rooms.setdefault(space, set()).add(room_of(path))
        uses += [(path, space) for space in re.findall(r"(?<!CLI::)\b(\w*detail)(?:::|;)", source)]
    assert len(rooms) > 20
    assert {space: where for space, where in rooms.items() if len(where) > 1} == {}
    assert [f"{path}: {space}" for path, space in uses if room_of(path) not in rooms[space]] == []


def test_mujoco_is_known_to_the_scene_room_only():
    users = {
        room_of(path)
        for path in sources.code_files("kernels", "host")
        for system, name in sources.includes(path)
        if system and name.startswith("mujoco/")
    }
    assert users <= {"host/scene"}


def test_eigen_is_kept_out_of_the_kernels():
    users = [str(p) for p in sources.code_files("kernels") for system, name in sources.includes(p) if "Eigen" in name]
    assert users == []


def test_the_table_is_the_one_in_the_documentation():
    documented = {}
    for line in sources.text("docs/rooms.md").splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 5 and cells[1].strip("`") in ROOMS:
            names = [name.strip(" `") for name in cells[3].split(",")]
            documented[cells[1].strip("`")] = [name for name in names if name not in ("", "-")]
    assert documented == ROOMS
