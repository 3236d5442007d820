"""The same world in Drake: its multibody plant, built body by body from the compiled model."""

import time

import mujoco
import numpy as np
import pydrake.all as pd

RELAXATION = 0.1     # of SAP's contacts [s], Drake's default; with shorter ones cubes jump at steps from 10 ms on
DISSIPATION = 50.0   # of Hunt and Crossley's law, for the other solvers [s/m]
CORNER = 1e-4        # radius of the spheres at a cube's corners, which point contact between boxes needs [m]


def pose(position, quaternion):
    return pd.RigidTransform(pd.RotationMatrix(pd.Quaternion(quaternion / np.linalg.norm(quaternion))), position)


def spatial_inertia(model, body):
    """About the body's origin, in its axes."""
    turn = pose(np.zeros(3), model.body_iquat[body]).rotation()
    central = pd.RotationalInertia(*model.body_inertia[body]).ReExpress(turn)
    return pd.SpatialInertia.MakeFromCentralInertia(model.body_mass[body], model.body_ipos[body], central)


def shape_of(kind, size):
    return {
        mujoco.mjtGeom.mjGEOM_PLANE: pd.HalfSpace,
        mujoco.mjtGeom.mjGEOM_SPHERE: lambda: pd.Sphere(size[0]),
        mujoco.mjtGeom.mjGEOM_CAPSULE: lambda: pd.Capsule(size[0], 2 * size[1]),
        mujoco.mjtGeom.mjGEOM_CYLINDER: lambda: pd.Cylinder(size[0], 2 * size[1]),
        mujoco.mjtGeom.mjGEOM_BOX: lambda: pd.Box(*(2 * size)),
    }[kind]()


class Plant:
    """`solver`: a discrete contact approximation of Drake, or cenic, its error-controlled integrator, with `accuracy`."""

    def __init__(self, world, solver, step, contact, stiffness, accuracy=None):
        self.world, self.contact, self.stiffness, self.continuous = world, contact, stiffness, solver == "cenic"
        self.explicit = solver in ("tamsi", "cenic")  # without implicit springs in the actuators
        builder = pd.DiagramBuilder()
        model = "point" if contact == "point" else "hydroelastic_with_fallback"
        config = pd.MultibodyPlantConfig(time_step=0.0 if self.continuous else step, contact_model=model,
                                         use_sampled_output_ports=False)
        if not self.continuous:
            config.discrete_contact_approximation = solver
        self.plant, self.graph = pd.AddMultibodyPlant(config, builder)
        self.add_bodies()
        self.add_geometries()
        self.add_actuators()
        self.plant.Finalize()
        self.filter_pairs()
        self.connect(builder, 0.0 if self.continuous else step)
        self.diagram = builder.Build()
        self.simulator = pd.Simulator(self.diagram)
        if self.continuous:
            pd.ApplySimulatorConfig(pd.SimulatorConfig(integration_scheme="cenic", max_step_size=0.1, accuracy=accuracy),
                                    self.simulator)
        self.set_start()

    def add_bodies(self):
        model, plant = self.world.model, self.plant
        self.robot, self.free = plant.AddModelInstance("robot"), plant.AddModelInstance("free")
        self.bodies, self.joints = [plant.world_body()], {}
        for body in range(1, model.nbody):
            is_free = model.body_dofnum[body] == 6
            self.bodies.append(plant.AddRigidBody(f"{model.body(body).name}", self.free if is_free else self.robot,
                                                  spatial_inertia(model, body)))
            if not is_free:
                self.add_joint(model, body)
        plant.set_gravity_enabled(self.robot, False)  # gravcomp = 1 on every link
        plant.mutable_gravity_field().set_gravity_vector(model.opt.gravity)

    def add_joint(self, model, body):
        parent, child = self.bodies[model.body_parentid[body]], self.bodies[body]
        placed = pose(model.body_pos[body], model.body_quat[body])
        if model.body_jntnum[body] == 0:
            self.plant.WeldFrames(parent.body_frame(), child.body_frame(), placed)
            return
        j = model.body_jntadr[body]
        assert model.body_jntnum[body] == 1 and not model.jnt_pos[j].any() and not model.qpos0[model.jnt_qposadr[j]]
        frame = self.plant.AddFrame(pd.FixedOffsetFrame(f"frame_{body}", parent.body_frame(), placed, self.robot))
        kind = {mujoco.mjtJoint.mjJNT_HINGE: pd.RevoluteJoint, mujoco.mjtJoint.mjJNT_SLIDE: pd.PrismaticJoint}
        lower, upper = model.jnt_range[j] if model.jnt_limited[j] else (-np.inf, np.inf)
        damping = model.dof_damping[model.jnt_dofadr[j]] + (self.actuator_of(j)[1] if self.explicit else 0.0)
        self.joints[j] = self.plant.AddJoint(kind[mujoco.mjtJoint(model.jnt_type[j])](
            model.joint(j).name, frame, child.body_frame(), model.jnt_axis[j], lower, upper, damping))

    def actuator_of(self, joint):
        """kp [N m/rad or N/m] and kv of the position actuator on a joint."""
        a = [a for a in range(self.world.model.nu) if self.world.model.actuator_trnid[a, 0] == joint]
        return (self.world.model.actuator_gainprm[a[0], 0], -self.world.model.actuator_biasprm[a[0], 2]) if a else (0.0, 0.0)

    def add_actuators(self):
        self.gains = []
        for a in range(self.world.model.nu):
            joint = self.world.model.actuator_trnid[a, 0]
            actuator = self.plant.AddJointActuator(f"actuator_{a}", self.joints[joint])
            self.gains.append(self.actuator_of(joint))
            if not self.explicit:
                actuator.set_controller_gains(pd.PdControllerGains(p=self.gains[-1][0], d=self.gains[-1][1]))

    def properties(self, geom):
        model, found = self.world.model, pd.ProximityProperties()
        friction = pd.CoulombFriction(model.geom_friction[geom, 0], model.geom_friction[geom, 0])
        pd.AddContactMaterial(DISSIPATION, self.stiffness if self.contact == "point" else None, friction, found)
        found.AddProperty("material", "relaxation_time", RELAXATION)
        if self.contact == "hydroelastic":
            if model.body_dofnum[model.geom_bodyid[geom]] == 6:
                pd.AddCompliantHydroelasticProperties(0.02, self.stiffness, found)
            else:
                pd.AddRigidHydroelasticProperties(0.02, found)
        return found

    def add_geometries(self):
        model, self.geometries = self.world.model, []
        for g in [g for g in range(model.ngeom) if model.geom_contype[g] or model.geom_conaffinity[g]]:
            body, placed = self.bodies[model.geom_bodyid[g]], pose(model.geom_pos[g], model.geom_quat[g])
            shape = shape_of(mujoco.mjtGeom(model.geom_type[g]), model.geom_size[g])
            shapes = [(shape, placed)]
            if self.contact == "point" and model.body_dofnum[model.geom_bodyid[g]] == 6:
                half = model.geom_size[g] - CORNER
                shapes += [(pd.Sphere(CORNER), pd.RigidTransform(half * sign))
                           for sign in np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), -1).reshape(8, 3)]
            for k, (shape, placed) in enumerate(shapes):
                self.geometries.append((g, self.plant.RegisterCollisionGeometry(
                    body, placed, shape, f"{model.geom(g).name}_{k}", self.properties(g))))

    def filter_pairs(self):
        """Only pairs that the model's contact bits allow."""
        model, groups = self.world.model, {}
        for g, geometry in self.geometries:
            groups.setdefault((model.geom_contype[g], model.geom_conaffinity[g]), []).append(geometry)
        manager = self.graph.collision_filter_manager()
        for (type_a, affinity_a), a in groups.items():
            for (type_b, affinity_b), b in groups.items():
                if not (type_a & affinity_b or type_b & affinity_a):
                    manager.Apply(pd.CollisionFilterDeclaration().ExcludeBetween(pd.GeometrySet(a), pd.GeometrySet(b)))

    def connect(self, builder, ahead):
        """The command of time t + h, as everywhere in this folder, at rest."""
        times, targets = self.world.knots[:, 0] - ahead, self.world.knots[:, 1:].T
        times, targets = np.append(times, times[-1] + 100.0), np.column_stack([targets, targets[:, -1]])
        targets = np.vstack([targets, np.zeros_like(targets)])
        source = builder.AddSystem(pd.TrajectorySource(pd.PiecewisePolynomial.FirstOrderHold(times, targets)))
        if not self.explicit:
            builder.Connect(source.get_output_port(), self.plant.get_desired_state_input_port(self.robot))
            return
        springs = [kp for kp, _ in self.gains]
        control = builder.AddSystem(pd.PidController(springs, np.zeros(len(springs)), np.zeros(len(springs))))
        builder.Connect(source.get_output_port(), control.get_input_port_desired_state())
        builder.Connect(self.plant.get_state_output_port(self.robot), control.get_input_port_estimated_state())
        builder.Connect(control.get_output_port_control(), self.plant.get_actuation_input_port(self.robot))

    def set_start(self):
        model, start = self.world.model, self.world.start
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        for j, joint in self.joints.items():
            getattr(joint, "set_angle" if isinstance(joint, pd.RevoluteJoint) else "set_translation")(
                self.context, start[model.jnt_qposadr[j]])
        self.cubes = []
        for address, _ in self.world.cubes:
            joint = int(np.flatnonzero(model.jnt_qposadr == address)[0])
            self.cubes.append(self.bodies[model.jnt_bodyid[joint]])
            self.plant.SetFreeBodyPose(self.context, self.cubes[-1], pose(start[address : address + 3],
                                                                           start[address + 3 : address + 7]))
        self.simulator.Initialize()

    def poses(self):
        """(cubes, 7): position, quaternion."""
        found = [self.plant.EvalBodyPoseInWorld(self.context, body) for body in self.cubes]
        return np.array([np.append(x.translation(), x.rotation().ToQuaternion().wxyz()) for x in found])

    def contacts(self):
        results = self.plant.get_contact_results_output_port().Eval(self.context)
        return results.num_point_pair_contacts() + results.num_hydroelastic_contacts()


def simulate(world, solver, step, contact, stiffness, accuracy=None, limit=np.inf):
    """(time, poses, processor seconds, contacts on average); ends early where Drake gives up or the limit is over."""
    plant = Plant(world, solver, step, contact, stiffness, accuracy)
    times, poses, contacts, used = [0.0], [plant.poses()], [], 0.0
    for t in world.grid()[1:]:
        begin = time.process_time()
        try:
            plant.simulator.AdvanceTo(t)
            used += time.process_time() - begin
            contacts.append(plant.contacts())
        except RuntimeError:  # its solver did not converge
            break
        times.append(t)
        poses.append(plant.poses())
        if used > limit or not np.abs(poses[-1]).max() < 10:
            break
    return np.array(times), np.array(poses), used, np.mean(contacts or [np.nan])
