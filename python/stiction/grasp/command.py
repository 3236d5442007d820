"""`python -m stiction grasp`: judges a file of grasps in a scene."""

from __future__ import annotations

import argparse
import csv
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stiction.errors import InputError, make_folder_of
from stiction.grasp.evaluate import evaluate
from stiction.grasp.files import FORMATS, read_grasps, write_grasps
from stiction.grasp.grasps import Grasps
from stiction.grasp.protocols import protocol_names
from stiction.grasp.verdicts import Verdicts, why_names
from stiction.status import status_names

_COLUMNS = ("held", "displacement", "rotation", "time_of_loss", "direction", "deepest_overlap", "closure", "epsilon", "residual", "converged", "steps")


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("scene", metavar="SCENE", help="folder, scene.toml or model: a hand that is fixed in the world, and an object")
    command.add_argument("grasps", metavar="GRASPS", help="isaac_grasp .yaml, GraspGen .json, ACRONYM .h5, DexGraspNet or DexGraspBench .npy")
    command.add_argument("--protocol", default="six_forces", help=f"{', '.join(protocol_names())}, or a .toml file; default six_forces")
    command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="another value of the protocol, such as friction=0.4")
    command.add_argument("--palm", help="body or site that the poses of the grasps are of; default: what the fingers hang on")
    command.add_argument("--object", help="body with a free joint; default: the only one")
    command.add_argument("--variant", type=lambda word: int(word) if word.isdigit() else word, help="object of the scene's list of models; default: that of the file's name for it")
    command.add_argument("--joints", help="names of the joints of a DexGraspBench file, separated by commas")
    command.add_argument("--opened", help="keyframe before the contact, for grasps without joints; default open")
    command.add_argument("--closed", help="keyframe that fingers aim at, for grasps that do not say it; default closed")
    command.add_argument("--force", type=float, help="of motors that close the hand [N] or [N m]")
    command.add_argument("--quality", action="store_true", help="also closure and epsilon of the closed hand")
    command.add_argument("--screen", action="store_true", help="discard by a first look with quasidynamic steps")
    command.add_argument("--batch", type=int, help="environments; default: an eighth of the grasps, at least 16 for every core and at most 512, or 1024 of a small hand")
    command.add_argument("--device", default="cpu", help="cpu, cuda or auto; default cpu")
    command.add_argument("--threads", type=int, help="default: all cores")
    command.add_argument("--out", help="write the grasps with confidence 1 where held, else 0, to this file")
    command.add_argument("--only-held", action="store_true", help="write only those that held to --out")
    command.add_argument("--format", choices=FORMATS, help="of --out; default: as its ending says")
    command.add_argument("--table", metavar="FILE.csv", help="write all figures, a line for each grasp")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    grasps = read_grasps(options.grasps, joint_names=None if options.joints is None else options.joints.split(","))
    names = ("palm", "object", "variant", "opened", "closed", "force", "quality", "screen", "batch", "device", "threads")
    show = _show if sys.stderr.isatty() else None
    verdicts = evaluate(options.scene, grasps, _protocol(options.protocol, options.set), progress=show, **{name: getattr(options, name) for name in names})
    if show is not None:
        print(file=sys.stderr)
    print(verdicts.summary())
    if options.out:
        judged = replace(grasps, confidence=verdicts.held)
        write_grasps(options.out, judged.select(verdicts.held) if options.only_held else judged, options.format)
        print(options.out)
    if options.table:
        write_table(options.table, grasps, verdicts)
        print(options.table)


def _protocol(base: str, changes: Sequence[str]) -> dict[str, Any]:
    table: dict[str, Any] = {"base": base, "name": base}
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals or not key.strip():
            raise InputError(f"--set: {change!r} is no KEY=VALUE")
        try:
            table[key.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            table[key.strip()] = value.strip()  # a word
    return table


def _show(decided: int, all: int) -> None:
    print(f"\r{decided} of {all}", end="", file=sys.stderr, flush=True)


def write_table(path: str, grasps: Grasps, verdicts: Verdicts) -> None:
    """A line for each grasp: its name, every figure, why and status in words."""
    make_folder_of(path)
    try:
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["name", *_COLUMNS, "why", "status"])
            for i, name in enumerate(grasps.names):
                values = [np.asarray(getattr(verdicts, column))[i].item() for column in _COLUMNS]
                writer.writerow([name, *values, why_names(verdicts.why[i]), status_names(int(verdicts.status[i]))])
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
