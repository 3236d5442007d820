"""The sliding cube of sliding_cube.py in other simulators, one function each: (spin [rad/s], choice) -> rows x, y [m], yaw [rad].

All take the same step, 0.01 s, and the same friction. None but stiction knows friction of a patch; where points can have
torsional friction, its coefficient is μ e_r times the normal force of the point, as at a patch.
"""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from sliding_cube import FRICTION, GRAVITY, MASS, RADIUS, SIDE, STEP_SIZE, STEPS, VELOCITY

MODEL = """<mujoco><option gravity="0 0 {gravity}" timestep="{step}" tolerance="0" iterations="200" {option}/>
<worldbody><geom name="floor" type="plane" size="50 50 1" {geom}/><body name="cube" pos="0 0 {half}"><freejoint/>
<geom name="cube" type="box" size="{half} {half} {half}" mass="{mass}" {geom}/></body></worldbody></mujoco>"""


def model_text(condim, option="", contact=""):
    geom = f'friction="{FRICTION} {FRICTION * RADIUS} 0" condim="{condim}" {contact}'
    return MODEL.format(gravity=-GRAVITY, step=STEP_SIZE, option=option, geom=geom, half=SIDE / 2, mass=MASS)


def yaw_of(w, x, y, z):
    return np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))


def rows_of(poses):
    """Rows of position, quaternion w x y z."""
    poses = np.array(poses)
    return np.column_stack([poses[:, :2], np.unwrap(yaw_of(*poses[:, 3:7].T))])


# stiction: the physics of scene.toml, and condim
STICTION = {"patch": ('preset = "ecp"', 4),
            "points": ('dynamics = "dynamic"\nlaw = "coulomb"\ncone = "quadratic"', 3),
            "points, condim 4": ('dynamics = "dynamic"\nlaw = "coulomb"\ncone = "quadratic"', 4)}  # fmt: skip


def stiction(spin, choice, program):
    import h5py

    physics, condim = STICTION[choice]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "model.xml").write_text(model_text(condim))
        (folder / "scene.toml").write_text(
            f'model = "model.xml"\n[physics]\n{physics}\n[solver]\nname = "newton"\ntolerance = 1e-10\n[step]\n'
            f"step_size = {STEP_SIZE}\nduration = {STEPS * STEP_SIZE}\n[initial]\nqpos = [0, 0, {SIDE / 2}, 1, 0, 0, 0]\n"
            f"qvel = [{VELOCITY[0]}, {VELOCITY[1]}, 0, 0, 0, {spin}]\n")
        command = [program, "run", folder, "--quiet", "--device", "cpu", "--out", folder / "cube.h5"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        with h5py.File(folder / "cube.h5") as file:
            return rows_of(file["qpos"][:, 0])


# MuJoCo: condim, attributes of <option>, attributes of geoms
HARD = f'solref="{2 * STEP_SIZE} 1" solimp=".99 .999 .001"'
ELLIPTIC, HARDEST = 'cone="elliptic"', 'cone="elliptic" impratio="100"'
MUJOCO = {"defaults": (3, "", ""), "elliptic, condim 3": (3, ELLIPTIC, ""), "elliptic, condim 4": (4, ELLIPTIC, ""),
          "elliptic, condim 4, hard, impratio 100": (4, HARDEST, HARD),
          "elliptic, condim 4, hard, impratio 100, no-slip": (4, HARDEST + ' noslip_iterations="100"', HARD),
          "elliptic, condim 4, hard, impratio 100, implicitfast": (4, HARDEST + ' integrator="implicitfast"', HARD),
          "elliptic, condim 4, hard, impratio 100, discrete": (4, HARDEST + ' integrator="discrete"', HARD)}  # fmt: skip


def mujoco(spin, choice):
    import mujoco

    model = mujoco.MjModel.from_xml_string(model_text(*MUJOCO[choice]))
    data = mujoco.MjData(model)
    data.qvel[:] = [*VELOCITY, 0, 0, 0, spin]
    poses = [data.qpos.copy()]
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
        poses.append(data.qpos.copy())
    return rows_of(poses)


# Bullet: iterations of its solver, spinning friction
BULLET = {"defaults": (50, 0.0), "1000 iterations": (1000, 0.0),
          "1000 iterations, spinning friction": (1000, FRICTION * RADIUS)}  # fmt: skip


def bullet(spin, choice):
    with quiet():
        import pybullet as bullet

        client = bullet.connect(bullet.DIRECT)
    iterations, spinning = BULLET[choice]
    try:
        bullet.setGravity(0, 0, -GRAVITY)
        bullet.setPhysicsEngineParameter(fixedTimeStep=STEP_SIZE, numSubSteps=1, numSolverIterations=iterations,
                                         solverResidualThreshold=0.0)
        floor = bullet.createMultiBody(0, bullet.createCollisionShape(bullet.GEOM_PLANE))
        box = bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=[SIDE / 2] * 3)
        cube = bullet.createMultiBody(MASS, box, basePosition=[0, 0, SIDE / 2])
        bullet.changeDynamics(floor, -1, lateralFriction=1.0, restitution=0.0)  # a pair has the product
        bullet.changeDynamics(cube, -1, lateralFriction=FRICTION, restitution=0.0, linearDamping=0.0, angularDamping=0.0,
                              spinningFriction=spinning, activationState=bullet.ACTIVATION_STATE_DISABLE_SLEEPING)
        bullet.resetBaseVelocity(cube, [*VELOCITY, 0], [0, 0, spin])
        poses = []
        for step in range(STEPS + 1):
            if step:
                bullet.stepSimulation()
            position, (x, y, z, w) = bullet.getBasePositionAndOrientation(cube)
            poses.append([*position, w, x, y, z])
        return rows_of(poses)
    finally:
        bullet.disconnect(client)


@contextlib.contextmanager
def quiet():
    """Without what a compiled module prints."""
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    sys.stdout.flush()
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


# Drake: discrete contact approximation, contact model
DRAKE = {"tamsi, points": ("tamsi", "point"), "sap, points": ("sap", "point"),
         "tamsi, hydroelastic": ("tamsi", "hydroelastic"), "similar, hydroelastic": ("similar", "hydroelastic"),
         "lagged, hydroelastic": ("lagged", "hydroelastic"), "sap, hydroelastic": ("sap", "hydroelastic")}  # fmt: skip
STIFFNESS, DISSIPATION, CORNER = 1e6, 50.0, 1e-4  # [N/m, Pa], [s/m], radius of the spheres at corners [m]


def drake(spin, choice):
    import pydrake.all as pd

    solver, contact = DRAKE[choice]
    builder = pd.DiagramBuilder()
    plant, _ = pd.AddMultibodyPlant(pd.MultibodyPlantConfig(
        time_step=STEP_SIZE, contact_model="point" if contact == "point" else "hydroelastic_with_fallback",
        discrete_contact_approximation=solver, use_sampled_output_ports=False), builder)  # fmt: skip
    cube = plant.AddRigidBody("cube", pd.SpatialInertia.SolidBoxWithMass(MASS, SIDE, SIDE, SIDE))
    add_drake_shapes(pd, plant, cube, contact)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -GRAVITY])
    plant.Finalize()
    diagram = builder.Build()
    simulator = pd.Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    sunk = MASS * GRAVITY / ((4 if contact == "point" else SIDE) * STIFFNESS)  # where it floats
    plant.SetFreeBodyPose(context, cube, pd.RigidTransform([0, 0, SIDE / 2 - sunk]))
    plant.SetFreeBodySpatialVelocity(context, cube, pd.SpatialVelocity([0, 0, spin], [*VELOCITY, 0]))
    poses = []
    for step in range(STEPS + 1):
        simulator.AdvanceTo(step * STEP_SIZE)
        pose = plant.EvalBodyPoseInWorld(context, cube)
        poses.append([*pose.translation(), *pose.rotation().ToQuaternion().wxyz()])
    return rows_of(poses)


def add_drake_shapes(pd, plant, cube, contact):
    """The floor is rigid and the cube compliant, or the cube has spheres at its corners."""
    def properties(add=None, stiffness=None):
        found = pd.ProximityProperties()
        pd.AddContactMaterial(DISSIPATION, stiffness, pd.CoulombFriction(FRICTION, FRICTION), found)
        found.AddProperty("material", "relaxation_time", STEP_SIZE)
        if add:
            add(found)
        return found

    world, eye = plant.world_body(), pd.RigidTransform()
    if contact == "point":
        plant.RegisterCollisionGeometry(world, eye, pd.HalfSpace(), "floor", properties(stiffness=1e12))
        for k, sign in enumerate(np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), -1).reshape(8, 3)):
            place = pd.RigidTransform((SIDE / 2 - CORNER) * sign)
            plant.RegisterCollisionGeometry(cube, place, pd.Sphere(CORNER), f"corner_{k}", properties(stiffness=STIFFNESS))
        return
    rigid = properties(lambda found: pd.AddRigidHydroelasticProperties(SIDE, found))
    soft = properties(lambda found: pd.AddCompliantHydroelasticProperties(SIDE, STIFFNESS, found))
    plant.RegisterCollisionGeometry(world, eye, pd.HalfSpace(), "floor", rigid)
    plant.RegisterCollisionGeometry(cube, eye, pd.Box(SIDE, SIDE, SIDE), "cube", soft)
