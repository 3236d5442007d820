"""Grasps: how well they hold.

    from stiction import grasp

    grasp.quality(position, normal, friction=0.6, length=0.1).epsilon
    grasp.of_contacts(sim, "cube", by=["left", "right"]).quality(length=0.05).closure
"""

from stiction.grasp.contacts import GraspContacts, of_contacts
from stiction.grasp.quality import Quality, quality

__all__ = ["GraspContacts", "Quality", "of_contacts", "quality"]
