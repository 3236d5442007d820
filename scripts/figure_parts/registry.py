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
PICKS = [
    pick_error.IntegralError("2021_fig7", "2021, Fig. 7: total integral error against the step", pick.STACK),
    pick_path.Trajectories("2021_fig8", "2021, Fig. 8: trajectories of the cube", pick.STACK),
    pick_error.IntegralError("2021_fig7_one_cube", "2021, Fig. 7 again, with one cube and no stack", pick.ONE),
    pick_path.Trajectories("2021_fig8_one_cube", "2021, Fig. 8 again, with one cube and no stack", pick.ONE),
]
GRIPPER = [grazing, finger_balance, contact_modes, finger_positions, gripper_forces]
FENCE = [fence_cones, fence_paths, fence_starts, fence_theorem]
FIGURES = [stacks, *GRIPPER, *PICKS, solve_time, *FENCE]
