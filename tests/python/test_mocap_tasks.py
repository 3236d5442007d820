"""bench/models/picks: scripts of metaworld's and Fetch's tasks, where these packages are in the cache, and what the page says."""

import csv
import itertools
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from load_script import ROOT, load_script

sys.path.insert(0, str(ROOT / "bench/models"))  # the files there import each other
tasks, worlds, scripted, page = (load_script(f"bench/models/{name}.py") for name in ("mocap_tasks", "mocap_worlds", "scripted", "mocap_page"))

CACHE = Path(os.environ.get("STICTION_MODELS", ROOT / "build/models"))
H = 0.01  # [s]


def measured(task, controlled=False, mujoco=False):
    file = CACHE / "unpacked" / task.file
    if not file.exists():
        pytest.skip(f"no {task.file.split('/')[0]} in {CACHE}: bench/models/run --fetch, or STICTION_MODELS names another cache")
    model = worlds.load(file, task)
    world = worlds.MujocoWorld(model, task.start) if mujoco else worlds.StictionWorld(model, task.start, H)
    return scripted.run(world, task, controlled), world


@pytest.mark.parametrize("task", tasks.TASKS, ids=lambda task: task.name)
def test_a_script_does_what_it_does_in_mujoco(task):
    outcome, world = measured(task)
    there, _ = measured(task, mujoco=True)
    assert world.failed() == 0 and sum(world.statuses.values()) == sum(round(leg.seconds / H) for leg in task.legs)
    assert world.largest["residual"] <= 1e-8 and world.largest["penetration"] <= 1e-5 and world.largest["hover"] <= 1e-6
    assert outcome.moved > task.least and there.moved > task.least
    assert outcome.moved == pytest.approx(there.moved + there.slip, abs=task.near)
    assert outcome.slip < 1e-3 and outcome.weld < 0.01


@pytest.mark.parametrize("task", tasks.TASKS, ids=lambda task: task.name)
def test_what_is_not_gripped_or_touched_stays(task):
    outcome, world = measured(task, controlled=True)
    assert world.failed() == 0
    assert abs(outcome.moved) < 1e-6


def test_a_script_begins_and_ends_at_rest_and_its_steps_join():
    start, end = np.array([0.0, 0.6, 0.2]), np.array([0.1, 0.6, 0.05])
    poses = scripted.poses_between(start, end, 100)
    assert len(poses) == 100 and (poses[0][0][:3] == start).all() and np.allclose(poses[-1][1][:3], end, atol=1e-15)
    assert all((before[1] == after[0]).all() for before, after in itertools.pairwise(poses))
    first, middle = (np.linalg.norm(np.subtract(*poses[step])) for step in (0, 50))
    assert first < 0.03 * middle


def test_a_pose_is_seen_from_a_frame_as_it_was_put_there():
    frame = np.array([1.0, 2.0, 3.0, 0.5, 0.5, 0.5, 0.5])  # its x is the world's y
    seen = worlds.seen_from(frame, np.array([1.0, 2.5, 3.0, 0.5, 0.5, 0.5, 0.5]))
    np.testing.assert_allclose(seen, [0.5, 0, 0, 1, 0, 0, 0], atol=1e-15)
    distance, angle = worlds.apart(frame, np.array([1.0, 2.0, 3.1, 0.5, -0.5, 0.5, 0.5]))
    assert (distance, angle) == pytest.approx((0.1, 2 * np.pi / 3))


def test_the_section_is_what_the_tables_say():
    text = page.section(ROOT)
    assert text.startswith(page.HEADING) and text in (ROOT / "docs/models.md").read_text()
    with (ROOT / "bench/results/mocap_tasks.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [task.name for task in tasks.TASKS] == list(dict.fromkeys(row["task"] for row in rows))
    assert all(row["not_good"] == "0" for row in rows if row["world"] != "MuJoCo")
