"""The sliding cube in the Open Dynamics Engine (Debian's libode8), with contacts at its four lowest corners, as in the paper."""

import ctypes
import itertools

import numpy as np
from sliding_cube import FRICTION, GRAVITY, INERTIA, MASS, RADIUS, SIDE, STEP_SIZE, STEPS, VELOCITY

Real, Int, Pointer = ctypes.c_double, ctypes.c_int, ctypes.c_void_p
APPROX1, ROLLING, AXIS_DEPENDENT = 0x7000, 0x400, 0x1  # mode of a surface: dContactApprox1, dContactRolling, dContactAxisDep
# quick: dWorldQuickStep instead of dWorldStep; spinning friction at the corners
CHOICES = {"world step": (False, 0.0), "quick step, 1000 iterations": (True, 0.0),
           "world step, spinning friction": (False, FRICTION * RADIUS)}  # fmt: skip


class Surface(ctypes.Structure):
    _fields_ = [("mode", Int), *((name, Real) for name in
                ("mu", "mu2", "rho", "rho2", "rhoN", "bounce", "bounce_vel", "soft_erp", "soft_cfm", "motion1", "motion2",
                 "motionN", "slip1", "slip2"))]  # fmt: skip


class Touch(ctypes.Structure):
    _fields_ = [("pos", Real * 4), ("normal", Real * 4), ("depth", Real), ("g1", Pointer), ("g2", Pointer),
                ("side1", Int), ("side2", Int)]  # fmt: skip


class Contact(ctypes.Structure):
    _fields_ = [("surface", Surface), ("geom", Touch), ("fdir1", Real * 4)]


def load():
    """The library with the types of what is called; OSError where it is not installed."""
    ode = ctypes.CDLL("libode.so.8")
    ode.dCheckConfiguration.argtypes = [ctypes.c_char_p]
    if not ode.dCheckConfiguration(b"ODE_double_precision"):
        raise OSError("libode.so.8 is of single precision")
    ode.dWorldCreate.restype = ode.dBodyCreate.restype = ode.dJointGroupCreate.restype = Pointer
    ode.dJointCreateContact.restype = Pointer
    ode.dBodyGetPosition.restype = ode.dBodyGetQuaternion.restype = ctypes.POINTER(Real)
    three = [Pointer, Real, Real, Real]
    ode.dWorldSetGravity.argtypes = ode.dBodySetPosition.argtypes = three
    ode.dBodySetLinearVel.argtypes = ode.dBodySetAngularVel.argtypes = three
    ode.dWorldStep.argtypes = ode.dWorldQuickStep.argtypes = [Pointer, Real]
    ode.dMassSetParameters.argtypes = [Pointer, *[Real] * 10]
    ode.dJointCreateContact.argtypes = [Pointer, Pointer, ctypes.POINTER(Contact)]
    ode.dJointAttach.argtypes = [Pointer] * 3
    ode.dWorldSetQuickStepNumIterations.argtypes = [Pointer, Int]
    for name in ("dBodyCreate", "dBodyGetPosition", "dBodyGetQuaternion", "dJointGroupEmpty", "dWorldDestroy"):
        getattr(ode, name).argtypes = [Pointer]
    ode.dBodySetMass.argtypes = [Pointer, Pointer]
    ode.dJointGroupCreate.argtypes = [Int]
    return ode


def lowest_corners(pose):
    """(4, 3) of position, quaternion w x y z."""
    w, v = pose[3], pose[4:]
    local = SIDE / 2 * np.array(list(itertools.product((-1, 1), repeat=3)))
    turned = local + 2 * np.cross(v, np.cross(v, local) + w * local)
    corners = pose[:3] + turned
    return corners[np.argsort(corners[:, 2])[:4]]


def ode(spin, choice):
    """Rows x, y [m], yaw [rad]."""
    library, (quick, spinning) = load(), CHOICES[choice]
    library.dInitODE2(0)
    world = library.dWorldCreate()
    library.dWorldSetGravity(world, 0, 0, -GRAVITY)
    library.dWorldSetQuickStepNumIterations(world, 1000)
    body, joints = library.dBodyCreate(world), library.dJointGroupCreate(0)
    mass = ctypes.create_string_buffer(256)  # a dMass has 17 reals
    library.dMassSetParameters(mass, MASS, 0, 0, 0, INERTIA, INERTIA, INERTIA, 0, 0, 0)
    library.dBodySetMass(body, mass)
    library.dBodySetPosition(body, 0, 0, SIDE / 2)
    library.dBodySetLinearVel(body, *VELOCITY, 0)
    library.dBodySetAngularVel(body, 0, 0, spin)
    poses = []
    for step in range(STEPS + 1):
        if step:
            touch_floor(library, world, body, joints, poses[-1], spinning)
            (library.dWorldQuickStep if quick else library.dWorldStep)(world, STEP_SIZE)
            library.dJointGroupEmpty(joints)
        poses.append(np.array([*library.dBodyGetPosition(body)[:3], *library.dBodyGetQuaternion(body)[:4]]))
    library.dWorldDestroy(world)
    w, x, y, z = np.array(poses)[:, 3:].T
    return np.column_stack([np.array(poses)[:, :2], np.unwrap(np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)))])


def touch_floor(library, world, body, joints, pose, spinning):
    for corner in lowest_corners(pose):
        contact = Contact()
        contact.surface.mode, contact.surface.mu = APPROX1, FRICTION
        if spinning:
            contact.surface.mode |= ROLLING | AXIS_DEPENDENT
            contact.surface.mu2, contact.surface.rhoN = FRICTION, spinning
        contact.geom.pos[:3], contact.geom.normal[:3], contact.geom.depth = list(corner), [0, 0, 1], -corner[2]
        library.dJointAttach(library.dJointCreateContact(world, joints, ctypes.byref(contact)), body, None)
