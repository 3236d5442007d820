"""pile: the scene is made by its script, and its bodies end in a heap inside the bin, every step converged."""

import os
import pathlib
import subprocess
import sys

import h5py
import pytest

ROOT = pathlib.Path(__file__).parents[2]
BINARY = pathlib.Path(os.environ.get("STICTION_BIN", ROOT / "build/host-release/bin/stiction"))
BODIES = 18
INNER = 0.135       # half width of the bin [m]
RIM = 0.3           # of the bin [m]
DEEPEST = 0.01      # overlap in any step: what the linearised gaps of tumbling bodies miss [m]
CONTACTS = (40, 150)  # within reach of the last step, on average
TOUCHING = 1.0      # mN that a contact carries at least to count
LOADED = 2 * BODIES  # contacts that carry something in the end: a heap, not bodies side by side


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """8 environments to the end, with contacts."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built (STICTION_BIN names another)")
    file = tmp_path_factory.mktemp("pile") / "pile.h5"
    command = [BINARY, "run", ROOT / "scenes/pile", "--batch", 8, "--record", "contacts", "--out", file, "--quiet"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    with h5py.File(file) as source:
        yield source


def test_the_scene_is_what_its_script_makes():
    script = ROOT / "scripts/make_pile.py"
    made = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, timeout=120, check=False)
    assert made.returncode == 0, made.stdout + made.stderr


def test_every_step_converges_and_nothing_is_pushed_in(recording):
    assert (recording["status"][1:] == 1).all()
    assert recording["penetration"][1:].max() < DEEPEST


def test_the_bodies_end_in_a_heap_in_the_bin(recording):
    places = recording["qpos"][-1].reshape(8, BODIES, 7)[:, :, :3]
    assert abs(places[..., :2]).max() < INNER
    assert 0 < places[..., 2].min() and places[..., 2].max() < RIM
    assert CONTACTS[0] <= recording["contact/count"][-1].mean() <= CONTACTS[1]
    normal = recording["contact/force"][-1, :, :, 0]
    assert ((normal > 1e-3 * TOUCHING).sum(axis=1) >= LOADED).all()


def test_environments_differ(recording):
    start = recording["qpos"][0]
    assert all((start[0] != other).any() for other in start[1:])
