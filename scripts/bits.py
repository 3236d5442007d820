#!/usr/bin/env python3
"""Do two builds compute the same bits? Writes or compares hashes of all results of a matrix of simulations.

    PYTHONPATH=build/host-release/python .venv/bin/python scripts/bits.py write FILE [--only gripper2d newton] [--steps 20]
    .venv/bin/python scripts/bits.py compare FILE OTHER

The matrix: every scene of scenes/, a bin of mixed bodies and a tray of bodies with torsion; every dynamics, law, cone, solver
and precision; the host's own way of solving, and those of a GPU with 8 and 32 lanes (`solve_threads`). Each simulation has two
environments; its hash is that of all readouts after the last step, by their public names, so that memory may be laid
out differently. For a combination that is refused, the refusal is recorded. `compare` prints the differences and exits with
1 if there are any. FILE is JSON. Hashes can only be compared on one machine, as the
mathematical library picks its instructions by the processor.
"""

import argparse
import hashlib
import itertools
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[1]
DYNAMICS = ("quasistatic", "quasidynamic", "kinematic", "dynamic", "dynamic_fitted")
LAWS = ("anitescu", "coulomb", "frictionless")
CONES = ("pyramid", "quadratic")
SOLVERS = ("interior_point", "admm", "pgs", "lemke", "newton")
DTYPES = ("float64", "float32")
WIDTHS = (0, 8, 32)
TRAY = """<mujoco><default><geom condim="4" friction=".6 .02 .001"/></default><worldbody><geom type="plane" size="1 1 1"/>
<body pos="0 0 .05"><freejoint/><geom type="box" size=".05 .05 .05" mass="1"/></body>
<body pos=".02 0 .139"><freejoint/><geom type="sphere" size=".04" mass=".5"/></body>
<body pos=".2 0 .03" quat=".7071 0 .7071 0"><freejoint/><geom type="capsule" size=".03 .06" mass=".3"/></body>
<body pos=".21 .01 .11"><freejoint/><geom type="cylinder" size=".05 .05" mass=".8"/></body></worldbody></mujoco>"""


def models():
    """{name: function of keys that loads it}"""
    import stiction as st

    sys.path.insert(0, str(ROOT / "bench"))
    import bins

    named = {path.name: path for path in sorted((ROOT / "scenes").iterdir()) if (path / "scene.toml").is_file()}
    found = {name: lambda keys, path=path: st.load_scene(path, **keys) for name, path in named.items()}
    found["bin"] = lambda keys: st.load_model(bins.model(12, 0)[0], step_size=0.01, **keys)
    found["tray"] = lambda keys: st.load_model(TRAY, step_size=0.005, **keys)
    return found


def readouts(sim):
    """Every public array of a simulator, by name."""
    for name in ("time", "qpos", "qvel", "status", "body_pose"):
        yield name, getattr(sim, name)
    for name in (name for name in dir(type(sim.stats)) if not name.startswith("_")):
        yield f"stats.{name}", getattr(sim.stats, name)
    for name, values in sorted(sim.contacts.padded().items()):
        yield f"contacts.{name}", values


def hash_of(load, keys, dtype, width, steps):
    import numpy as np
    import stiction as st

    try:
        with st.Simulator(load(keys), batch=2, device="cpu", dtype=dtype, threads=1, solve_threads=width) as sim:
            sim.step(steps=steps)
            digest = hashlib.sha256()
            for name, values in readouts(sim):
                digest.update(name.encode() + np.ascontiguousarray(values).tobytes())
            return digest.hexdigest()[:16]
    except st.InputError:
        return "refused"


def write(args):
    found, hashes = models(), {}
    for choice in itertools.product(found, DYNAMICS, LAWS, CONES, SOLVERS, DTYPES, WIDTHS):
        name, dynamics, law, cone, solver, dtype, width = choice
        label = " ".join(map(str, choice))
        if set(args.only) <= set(label.split()):
            keys = {"dynamics": dynamics, "law": law, "cone": cone, "solver": solver, "max_total_iterations": args.iterations}
            hashes[label] = hash_of(found[name], keys, dtype, width, args.steps)
    if not hashes:
        sys.exit(f"bits: no simulation has all of {' '.join(args.only)}")
    print(f"bits: {len(hashes)} simulations")
    pathlib.Path(args.file).write_text(json.dumps({"steps": args.steps, "iterations": args.iterations, "hashes": hashes}, indent=0))


def compare(args):
    one, other = (json.loads(pathlib.Path(file).read_text()) for file in (args.file, args.other))
    for key in ("steps", "iterations"):
        if one[key] != other[key]:
            sys.exit(f"bits: the files differ in {key}: {one[key]} and {other[key]}")
    labels = sorted(one["hashes"].keys() | other["hashes"].keys())
    different = [label for label in labels if one["hashes"].get(label) != other["hashes"].get(label)]
    for label in different:
        print(label, one["hashes"].get(label, "missing"), other["hashes"].get(label, "missing"))
    refused = sum(value == "refused" for value in one["hashes"].values())
    print(f"bits: {len(labels)} simulations, {refused} refused, {len(different)} differ")
    sys.exit(1 if different else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("write", help="run the matrix and write its hashes")
    command.add_argument("file")
    command.add_argument("--only", nargs="+", default=[], metavar="WORD", help="those that have all words, such as bin pgs 32")
    command.add_argument("--steps", type=int, default=20)
    command.add_argument("--iterations", type=int, default=2000, help="max_total_iterations of a solve (default 2000)")
    command.set_defaults(run=write)
    command = commands.add_parser("compare", help="compare two files")
    command.add_argument("file")
    command.add_argument("other")
    command.set_defaults(run=compare)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
