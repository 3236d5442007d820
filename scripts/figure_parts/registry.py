"""Every figure, in the order of the page, and every source of numbers."""

from figure_parts import (
    contact_modes,
    fence,
    fence_cones,
    fence_paths,
    fence_starts,
    fence_theorem,
    finger_balance,
    finger_positions,
    grazing,
    gripper,
    gripper_forces,
    pick,
    pick_error,
    pick_path,
    solve_time,
    stacks,
)

SOURCES = [gripper, stacks, pick, solve_time, fence]
FIGURES = [
    stacks,
    grazing,
    finger_balance,
    contact_modes,
    finger_positions,
    gripper_forces,
    pick_error,
    pick_path,
    solve_time,
    fence_cones,
    fence_paths,
    fence_starts,
    fence_theorem,
]
