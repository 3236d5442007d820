"""Motions that robots are asked for, and torques that make joints follow them.

    from stiction import control

    reach = control.JointTrajectory([0, 1.5], [start, goal])           # fifth degree, from rest to rest
    lift = control.CartesianLine(sim, "wrist", [0, 0, 0.2], relative=True, duration=2.0)
    tracker = control.Tracker(sim, lift.joints, kp=400, kd=40, limit=87)
"""

from stiction.control.cartesian import CartesianLine
from stiction.control.kinematics import Reached, inverse_kinematics
from stiction.control.tracking import Tracker
from stiction.control.trajectory import JointTrajectory, Motion

__all__ = ["CartesianLine", "JointTrajectory", "Motion", "Reached", "Tracker", "inverse_kinematics"]
