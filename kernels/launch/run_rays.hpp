// Rays of a batch, on the host and on a GPU: first the poses of an environment at its present state, then its rays.
#pragma once

#include "kernels/model/env_view.hpp"
#include "kernels/sensing/rays.hpp"

namespace stiction {

/// Puts the poses of an environment at the begin of its scratch.
template <class Team, class Real>
ST_BODY void pose_stage(Team team, const ModelView<Real>& model, Arena arena, const EnvView<Real>& env) {
  team.fence();
  Poses<Real> poses = take_poses(model, arena);
  update_poses(team, model, env.qpos, env.mocap_pose, poses);
}

/// Traces a ray of an environment whose poses are in its scratch.
template <class Real>
ST_FN void ray_stage(const ModelView<Real>& model, Arena arena, const RayBatch<Real>& rays, int env, int i) {
  const Poses<Real> poses = take_poses(model, arena);
  trace_ray(model, poses, rays, env, i);
}

}  // namespace stiction
