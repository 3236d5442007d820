"""The output file appears complete or not at all; what a broken run leaves can be read."""

import os
import resource
import signal
import subprocess
import time

import h5py
import numpy as np
import pytest
from stiction_program import assert_one_line

LONG = ("--duration", 100000, "--batch", 4, "--record", "contacts", "--allow-failures", 4)


def wait_for_rows(partial, rows, seconds=40):
    """Until the growing file has so many rows for a reader."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with h5py.File(partial, locking=False) as file:
                if len(file["time"]) >= rows:
                    return
        except (OSError, KeyError):
            pass
        time.sleep(0.05)
    pytest.fail(f"{partial} has not {rows} rows after {seconds} s")


def assert_rows_are_complete(partial):
    with h5py.File(partial) as file:
        rows = len(file["time"])
        assert rows > 1
        np.testing.assert_allclose(file["time"], 0.02 * np.arange(rows), rtol=1e-12)
        for name in ("qpos", "qvel", "ctrl"):
            assert np.isfinite(file[name][:rows]).all(), name
        assert np.isfinite(file["residual"][1:rows]).all()
        used = np.arange(file["contact/gap"].shape[2]) < file["contact/count"][:rows][..., None]
        assert (np.isfinite(file["contact/gap"][:rows]) == used).all()


def test_killed_run_leaves_a_readable_partial_file(start, scene, tmp_path):
    out = tmp_path / "a.h5"
    process = start("run", scene, "--out", out, *LONG)
    wait_for_rows(f"{out}.partial", 20)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not out.exists()
    assert_rows_are_complete(f"{out}.partial")


@pytest.mark.parametrize("sent, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_run_closes_its_file_and_says_where_it_is(start, scene, tmp_path, sent, code):
    out = tmp_path / "a.h5"
    out.write_text("old")
    process = start("run", scene, "--out", out, *LONG)
    wait_for_rows(f"{out}.partial", 3)
    process.send_signal(sent)
    output, error = process.communicate(timeout=30)
    assert process.returncode == code
    assert error.startswith("stiction: interrupted after ") and error.count("\n") == 1
    assert f"{out}.partial" in error and "environment-steps/s" in output
    assert out.read_text() == "old"
    assert_rows_are_complete(f"{out}.partial")
    with h5py.File(f"{out}.partial") as file:
        assert f"the first {len(file['time'])} rows" in error


def test_interrupt_without_recording(start, scene):
    process = start("run", scene, *LONG[:4])
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 130 and error.count("\n") == 1


def test_existing_output_is_replaced_by_a_complete_one(stiction, scene, tmp_path):
    out = tmp_path / "a.h5"
    out.write_text("old")
    assert stiction("run", scene, "--out", out).returncode == 0
    with h5py.File(out) as file:
        assert len(file["time"]) == 11
    assert not (tmp_path / "a.h5.partial").exists()


def test_existing_output_is_kept_if_the_run_is_refused(stiction, scene, tmp_path):
    out = tmp_path / "a.h5"
    out.write_text("old")
    assert_one_line(stiction("run", scene, "--out", out, "--envs", 7), 2)
    assert out.read_text() == "old" and not (tmp_path / "a.h5.partial").exists()


def test_second_run_does_not_disturb_the_first(start, stiction, scene, tmp_path):
    out = tmp_path / "a.h5"
    first = start("run", scene, "--out", out, *LONG)
    wait_for_rows(f"{out}.partial", 2)
    second = stiction("run", scene, "--out", out)
    assert_one_line(second, 2)
    assert "another run" in second.stderr
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=30)
    assert_rows_are_complete(f"{out}.partial")


def assert_disk_full(run, out):
    """One line with the reason and what is kept, and that is in the partial file. The number of its rows."""
    assert_one_line(run, 2)
    partial = out.with_name("a.h5.partial")
    assert run.stderr.startswith(f"stiction: cannot write {partial}: ")
    assert out.read_text() == "old"
    if not partial.exists():
        assert "the first" not in run.stderr
        return 0
    assert_rows_are_complete(partial)
    with h5py.File(partial) as file:
        assert run.stderr.endswith(f"; the first {len(file['time'])} rows are in {partial}\n")
        return len(file["time"])


@pytest.mark.parametrize("limit, rows", [(0, 0), (1000, 0), (30_000, 0), (3_500_000, 2), (9_000_000, 257)])
def test_full_disk_is_one_line_and_the_rows_before_and_the_older_output_stay(stiction, scene, tmp_path, limit, rows):
    out = tmp_path / "a.h5"
    out.write_text("old")
    run = stiction("run", scene, "--out", out, *LONG,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))  # fmt: skip
    assert assert_disk_full(run, out) >= rows
    assert "File too large" in run.stderr


@pytest.fixture
def tiny_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4000k", "tmpfs", disk]
    mounted = os.geteuid() == 0 and subprocess.run(mount, check=False).returncode == 0
    if not mounted:
        pytest.skip("a file system of 4 MB needs the right to mount one")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


def test_disk_that_fills_up_while_recording(stiction, scene, tiny_disk):
    out = tiny_disk / "a.h5"
    out.write_text("old")
    run = stiction("run", scene, "--out", out, *LONG)
    assert assert_disk_full(run, out) > 1
    assert "No space left on device" in run.stderr
