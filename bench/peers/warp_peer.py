"""The same world in MuJoCo Warp, on its CPU device where there is no GPU."""

import time

import mujoco
import mujoco_peer
import mujoco_warp as warp_mujoco
import numpy as np
import warp as wp

wp.config.quiet = True


def throughput(world, integrator, cone, contact, step, environments, seconds):
    """(environment-steps per wall second, device, largest difference of qpos from MuJoCo's at the end) of a batch.

    It begins at the start; the time of the compiler does not count."""
    model = mujoco_peer.prepare(world, integrator, cone, contact, step)
    data = mujoco.MjData(model)
    mujoco_peer.initial_state(world, model, data)
    mujoco.mj_forward(model, data)
    device_model = warp_mujoco.put_model(model)
    state = warp_mujoco.put_data(model, data, nworld=environments, nconmax=64, njmax=512)
    ctrl = [wp.array(np.tile(row, (environments, 1)), dtype=float) for row in mujoco_peer.controls(world, step)]
    steps = 0
    for k, row in enumerate(ctrl):
        if k == 2:  # the kernels are compiled
            wp.synchronize()
            begin = time.perf_counter()
        wp.copy(state.ctrl, row)
        warp_mujoco.step(device_model, state)
        steps = k - 1
        if k > 2 and time.perf_counter() - begin > seconds:
            break
    wp.synchronize()
    rate = environments * steps / (time.perf_counter() - begin)
    return rate, str(wp.get_device()), np.abs(state.qpos.numpy() - after(world, model, k + 1)).max()


def after(world, model, steps):
    """MuJoCo's own qpos after so many steps."""
    data = mujoco.MjData(model)
    mujoco_peer.initial_state(world, model, data)
    for ctrl in mujoco_peer.controls(world, model.opt.timestep)[:steps]:
        data.ctrl[:] = ctrl
        mujoco.mj_step(model, data)
    return data.qpos
