"""Runs of the program, and access to their recordings by the names in the model."""

import pathlib
import shutil
import subprocess

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONVERGED = 1  # bit of /status
MODEL_OF = {"grazing_grasp": "gripper2d"}  # scenes that use another scene's model


def copy_scene(name, folder, *edits):
    """A copy of the scene in its own folder; `edits` are pairs (text in a file, its replacement)."""
    target = folder / name
    for source in {name, MODEL_OF.get(name, name)}:
        shutil.copytree(ROOT / "scenes" / source, folder / source)
    for old, new in edits:
        files = [file for file in target.iterdir() if file.suffix in (".toml", ".xml") and old in file.read_text()]
        if len(files) != 1:
            raise ValueError(f"{name}: {old!r} is in {len(files)} files, not in one")
        files[0].write_text(files[0].read_text().replace(old, new))
    return target


class Recording:
    """Environment 0 of FILE.h5, in memory; row 0 is the start, each further row the end of a step."""

    def __init__(self, file):
        with h5py.File(file) as data:
            self.time, self.qpos, self.ctrl = data["time"][:], data["qpos"][:, 0], data["ctrl"][:, 0]
            self.converged = (data["status"][:, 0] & CONVERGED) != 0
            self.residual = data["residual"][:, 0]
            self.names = [n.decode() if isinstance(n, bytes) else n for n in data.attrs["geom_names"]]
            self.model_xml = data.attrs["model_xml"]
            self.contact = {key: data["contact"][key][:, 0] for key in data["contact"]} if "contact" in data else None

    def of_pair(self, geom, other):
        """(gap_next [m] (rows), force on `geom` [N] (rows, 3), world axes) of the one contact of two geoms."""
        pair = {self.names.index(geom), self.names.index(other)}
        geoms = self.contact["geom"]
        gap, force = np.full(len(geoms), np.nan), np.full((len(geoms), 3), np.nan)
        for row, pairs in enumerate(geoms):
            slots = [k for k, found in enumerate(pairs) if set(found) == pair]
            if row > 0 and len(slots) == 1:
                slot = slots[0]
                sign = 1.0 if pairs[slot][1] == self.names.index(geom) else -1.0
                gap[row] = self.contact["gap_next"][row, slot]
                force[row] = sign * self.contact["force"][row, slot] @ self.contact["frame"][row, slot]
        return gap, force


def run(program, scene, *options, keep=None):
    """A recording of one environment on the CPU, also kept as a file if `keep` names one; steps may fail in it."""
    file = keep or scene / "run.h5"
    command = [
        program,
        "run",
        scene,
        "--device",
        "cpu",
        "--threads",
        1,
        "--allow-failures",
        1,
        "--quiet",
        "--out",
        file,
    ]
    done = subprocess.run([str(word) for word in (*command, *options)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"figures: {scene.name} {' '.join(map(str, options))}: {done.stderr.strip()}")
    recording = Recording(file)
    if not keep:
        file.unlink()
    return recording
