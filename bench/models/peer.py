"""One file in MuJoCo: does it load, and how fast does it step? Prints a line of JSON. A process of its own, for its time limit.

    python peer.py FILE ROOT STEP DURATION
"""

import json
import pathlib
import sys
import time

import mujoco
import urdf

REPEATS = 3  # the fastest counts: the machine may be busy


def load(path, root):
    """(model, whether the text had to be changed for it); a URDF is tried as it is first. Raises the last error."""
    try:
        return mujoco.MjModel.from_xml_path(str(path)), False
    except ValueError:
        if path.suffix != ".urdf":
            raise
        return mujoco.MjModel.from_xml_string(urdf.resolved_text(path, root)), True


def contacts_of(model, steps):
    """(contacts per step, warnings) from the model's reference with zero controls."""
    data = mujoco.MjData(model)
    contacts = 0
    for _ in range(steps):
        mujoco.mj_step(model, data)
        contacts += data.ncon
    return contacts / steps, int(sum(warning.number for warning in data.warning))


def seconds_of(model, steps):
    """Processor time of these steps [s]."""
    data = mujoco.MjData(model)
    begin = time.process_time()
    mujoco.mj_step(model, data, steps)
    return time.process_time() - begin


def measure(path, root, step, duration):
    try:
        model, changed = load(path, root)
    except (ValueError, OSError, RuntimeError, SyntaxError) as error:  # SyntaxError: a URDF that is not XML
        return {"loads": False, "error": (str(error).strip() or repr(error)).splitlines()[0]}
    model.opt.timestep = step
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_SENSOR  # ours computes none
    steps = round(duration / step)
    contacts, warnings = contacts_of(model, steps)
    seconds = min(seconds_of(model, steps) for _ in range(REPEATS))
    return {"loads": True, "changed": changed, "dofs": model.nv, "bodies": model.nbody, "geoms": model.ngeom,
            "actuators": model.nu, "keyframes": model.nkey, "contacts": contacts,
            "steps_per_s": steps / seconds, "warnings": warnings}  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(measure(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))))
