"""The same grasps judged here and by MuJoCo: do the verdicts agree, and what do they cost on one core?"""

import dataclasses
import importlib.metadata
import time

import grasp_sets
import mujoco_judge
import numpy as np
from stiction import grasp
from stiction.grasp.evaluate import with_physics
from stiction.grasp.setting import setting_of
from stiction.grasp.stages import stages_of

COUNT, STEPS, REFERENCE = 200, (20.0, 10.0, 4.0), 2.0  # grasps of each gripper, step sizes [ms]


def ours(chosen, step, batch):
    """(held, processor seconds, steps) on one thread at a step size [ms]."""
    begin = time.process_time()
    found = grasp.evaluate(chosen.scene, chosen.grasps, grasp_sets.PROTOCOL | {"step_size": 1e-3 * step}, variant=chosen.variant, batch=batch, threads=1)
    return found.held, time.process_time() - begin, int(found.steps.sum())


def theirs(chosen, table=grasp_sets.PROTOCOL):
    """(held, seconds in steps, steps, processor seconds with the loop in Python) of MuJoCo."""
    protocol = dataclasses.replace(grasp.read_protocol(table), step_size=mujoco_judge.STEP)
    setting = setting_of(with_physics(chosen.scene, protocol))
    stages = stages_of(setting, chosen.grasps, protocol, variant=chosen.variant, opened=None, closed=None, force=None)
    judges = {int(v): mujoco_judge.Judge(setting.scene.variants[v].model.xml, setting, protocol) for v in np.unique(chosen.variant)}
    begin = time.process_time()
    why = [judges[int(stages.variant[k])].judge(stages.qpos[k], stages.open[k], stages.shut[k], stages.axes[k]) for k in range(len(chosen))]
    whole = time.process_time() - begin
    return np.array(why) == 0, sum(judge.seconds for judge in judges.values()), sum(judge.steps for judge in judges.values()), whole


def measure(options):
    """Rows of grasp_peer.csv: each gripper and judge."""
    for gripper in (name for family in options.grippers for name in grasp_sets.KINDS[family]):
        chosen = grasp_sets.grasp_set(gripper, options.count or COUNT, options.seed, grasp_sets.FEW_OBJECTS[gripper])
        truth, *costs = ours(chosen, REFERENCE, options.batches[0])
        found = {("stiction", REFERENCE): (truth, *costs, "")}
        found |= {("stiction", step): (*ours(chosen, step, options.batches[0]), "") for step in options.steps or STEPS}
        found["MuJoCo " + importlib.metadata.version("mujoco"), 1e3 * mujoco_judge.STEP] = theirs(chosen)
        yield {"peer": [row_of(chosen, judge, step, truth, *figures) for (judge, step), figures in found.items()]}


def row_of(chosen, judge, step, truth, held, seconds, steps, whole):
    row = {
        "gripper": chosen.gripper, "objects": " ".join(chosen.objects), "judge": judge, "step_ms": step, "grasps": len(chosen),
        "held": float(held.mean()), "agree": float((held == truth).mean()), "only_here": int((truth & ~held).sum()),
        "only_there": int((held & ~truth).sum()), "steps_a_grasp": steps / len(chosen), "us_a_step": 1e6 * seconds / steps,
        "ms_a_grasp": 1e3 * seconds / len(chosen), "ms_a_grasp_with_loop": "" if whole == "" else 1e3 * whole / len(chosen),
    }  # fmt: skip
    print(" ".join(f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}" for key, value in row.items()), flush=True)
    return row
