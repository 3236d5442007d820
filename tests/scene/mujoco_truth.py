"""What MuJoCo itself says about a model, as lines `name count values...` that the tests compare with ours.

Usage: mujoco_truth.py MODEL.xml
"""

import sys

import mujoco
import numpy as np

COPIED = """nq nv nu nbody njnt ntree nmocap body_parentid body_treeid body_mocapid body_jntadr body_jntnum body_dofadr
body_dofnum body_pos body_quat body_ipos body_iquat body_mass body_inertia body_gravcomp jnt_type jnt_bodyid jnt_qposadr
jnt_dofadr jnt_limited jnt_pos jnt_axis jnt_range jnt_stiffness qpos0 qpos_spring dof_bodyid dof_jntid dof_parentid
dof_treeid dof_frictionloss tree_dofadr tree_dofnum geom_type geom_bodyid geom_size geom_pos geom_quat geom_friction
geom_aabb geom_rbound actuator_ctrlrange key_qpos key_ctrl""".split()


def show(name, values):
    flat = np.asarray(values).ravel()
    print(name, flat.size, *(repr(float(v)) for v in flat))


def show_contacts(model, data):
    """Every pair that MuJoCo's filters let through, found by detecting contacts at any distance."""
    far = 1e4  # [m] more than the size of any model here
    shaped = model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE
    model.geom_type[shaped] = mujoco.mjtGeom.mjGEOM_SPHERE  # boxes find no contact at such distances
    model.geom_gap[:] = far
    model.pair_gap[:] = far
    model.body_margin[:] = 2 * far
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    rows = {}
    for contact in data.contact:
        first, second = sorted(contact.geom)
        rows[first, second] = [first, second, contact.dim, *contact.friction, contact.includemargin]
    show("contacts", [value for key in sorted(rows) for value in rows[key]])


def show_dof_laws(model, data):
    """Inertia that does not depend on the pose, and damping, both with what actuators contribute."""
    data.qpos[:] = model.qpos0
    data.qvel[:] = 1.0
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    bare = mujoco.MjModel.from_xml_path(sys.argv[1])
    bare.dof_armature[:] = 0
    bare.actuator_armature[:] = 0
    bare_data = mujoco.MjData(bare)
    mujoco.mj_forward(bare, bare_data)
    without = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(bare, bare_data, without)
    show("armature", np.diag(full) - np.diag(without))
    show("damper_force", data.qfrc_damper)


def main():
    spec = mujoco.MjSpec.from_file(sys.argv[1])
    spec.memory = 1 << 28
    model = spec.compile()
    for name in COPIED:
        show(name, getattr(model, name))
    show("gravity", model.opt.gravity)
    data = mujoco.MjData(model)
    show_dof_laws(model, data)
    show_contacts(model, mujoco.MjData(model))


main()
