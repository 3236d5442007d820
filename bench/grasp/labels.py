"""Which step size gives the right verdicts: the same grasps judged with several, and compared with the finest but one."""

import time

import grasp_sets
import numpy as np
from stiction import grasp

OBJECTS = {"jaws": None, "displaced jaws": None, "hand": grasp_sets.FEW_OBJECTS["hand"]}  # None: all of the scene
COUNT, STEPS = 1000, (20.0, 10.0, 2.0, 1.0)  # grasps of each gripper, step sizes [ms]


def judged(chosen, step, options):
    """(verdicts, processor milliseconds a grasp) at a step size [ms]."""
    begin = time.process_time()
    found = grasp.evaluate(chosen.scene, chosen.grasps, grasp_sets.PROTOCOL | {"step_size": 1e-3 * step}, variant=chosen.variant,
                           batch=options.batches[0], threads=options.threads)  # fmt: skip
    return found, 1e3 * (time.process_time() - begin) / len(chosen)


def measure(options):
    """Rows of grasp_labels.csv and of grasp_labels_differ.csv, of one gripper after the other."""
    for gripper in (name for family in options.grippers for name in grasp_sets.KINDS[family]):
        chosen = grasp_sets.grasp_set(gripper, options.count or COUNT, options.seed, OBJECTS[gripper])
        found = {}
        for step in sorted(options.steps or STEPS, reverse=True):
            found[step] = judged(chosen, step, options)
            print(f"{gripper} {step:g} ms: {found[step][0].summary()}; {found[step][1]:.2f} ms a grasp", flush=True)
        yield {"labels": rows_of(chosen, found), "labels_differ": differing_rows(chosen, {step: verdicts for step, (verdicts, _) in found.items()})}


def reference_of(steps, step):
    """The step size that verdicts at `step` are compared with: the finest but one; that itself with the finest; None for the finest."""
    order = sorted(steps, reverse=True)
    if step == order[-1]:
        return None
    return order[-1] if step == order[-2] else order[-2]


def rows_of(chosen, found):
    """One row for each step size and object, and for all objects."""
    rows = []
    for name in ("all", *dict.fromkeys(chosen.objects[k] for k in chosen.of)):
        mine = np.full(len(chosen), True) if name == "all" else chosen.of == chosen.objects.index(name)
        for step, (verdicts, milliseconds) in found.items():
            reference = reference_of(found, step)
            same = None if reference is None else verdicts.held == found[reference][0].held
            rows.append(row_of(chosen.gripper, name, step, verdicts, mine, reference, same)
                        | {"ms_a_grasp": milliseconds if name == "all" else ""})  # fmt: skip
    return rows


def row_of(gripper, name, step, verdicts, mine, reference, same):
    clear = mine & ((verdicts.why & grasp.Why.START_OVERLAP.value) == 0)
    steps = verdicts.steps[mine]
    return {
        "gripper": gripper, "object": name, "step_ms": step, "grasps": int(mine.sum()), "without_overlap": int(clear.sum()),
        "held": float(verdicts.held[mine].mean()), "against_ms": "" if reference is None else reference,
        "agree": "" if same is None else float(same[mine].mean()),
        "agree_without_overlap": "" if same is None or not clear.any() else float(same[clear].mean()),
        "steps_a_grasp": float(steps.mean()), "converged": converged_of(verdicts, mine), "converged_without_overlap": converged_of(verdicts, clear),
        "residual": float(verdicts.residual[mine].max()),
    }  # fmt: skip


def converged_of(verdicts, some):
    """Share of the steps that converged; 1 without any."""
    steps = verdicts.steps[some]
    return float(verdicts.converged[some] @ steps / max(steps.sum(), 1))


def differing_rows(chosen, found):
    """Grasps that do not have one verdict at all step sizes, with the reasons."""
    held = np.array([verdicts.held for verdicts in found.values()])
    return [
        {"gripper": chosen.gripper, "object": chosen.objects[chosen.of[k]], "grasp": int(k)}
        | {f"at_{step:g}_ms": grasp.why_names(verdicts.why[k]) for step, verdicts in found.items()}
        for k in np.flatnonzero((held != held[0]).any(axis=0))
    ]
