"""Grasps: how well they hold, and files of them.

    from stiction import grasp

    grasp.quality(position, normal, friction=0.6, length=0.1).epsilon
    grasp.of_contacts(sim, "cube", by=["left", "right"]).quality(length=0.05).closure
    grasp.read_grasps("mug.yaml").position
"""

from stiction.grasp.contacts import GraspContacts, of_contacts
from stiction.grasp.files import read_grasps, write_grasps
from stiction.grasp.grasps import Grasps
from stiction.grasp.quality import Quality, quality

__all__ = ["GraspContacts", "Grasps", "Quality", "of_contacts", "quality", "read_grasps", "write_grasps"]
