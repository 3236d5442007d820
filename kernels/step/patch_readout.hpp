// The patches that carry force, as a step leaves them: the ECP a = Σ p_k x_k / Σ p_k, the sum of the impulses of its
// points as force and torsion at a, and on how many smooth faces of the second geom a lies.
//
//   box       its six faces           cylinder   side and caps        others      1: smooth everywhere
//   mesh      its faces               capsule    1
#pragma once

#include "kernels/patch/patches.hpp"
#include "kernels/step/judge_pairs.hpp"

namespace stiction {

namespace step_detail {

/// A point this near to a face lies on it [m].
template <class Real>
constexpr Real kOnFace = sizeof(Real) == 8 ? Real(1e-7) : Real(1e-5);

/// Number of smooth faces of the shape on which the world point p lies; at least 1.
template <class Real>
ST_FN int count_faces(const PlacedShape<Real>& shape, const Vec3<Real>& p) {
  const Vec3<Real> local = transpose_mul(shape.rotation, p - shape.position);
  const auto on = [](Real height) { return std::fabs(height) <= kOnFace<Real> ? 1 : 0; };
  int count = 0;
  switch (static_cast<GeomType>(shape.type)) {
    case GeomType::kBox:
      for (int i = 0; i < 3; ++i) count += on(std::fabs(local[i]) - shape.size[i]);
      break;
    case GeomType::kCylinder:
      count =
          on(std::sqrt(local.x * local.x + local.y * local.y) - shape.size.x) + on(std::fabs(local.z) - shape.size.y);
      break;
    case GeomType::kMesh:
      for (int f = 0; f < shape.num_faces; ++f) {
        const Vec3<Real> corner = load3(shape.vertices + 3 * shape.face_verts[shape.face_vert_adr[f]]);
        count += on(dot(load3(shape.face_normals + 3 * f), local - corner));
      }
      break;
    default:
      break;
  }
  return larger(count, 1);
}

/// Writes patch `k` of the readout from the contacts of a slot. `poses`: those of the rows.
template <class Real>
ST_FN void write_patch(const ModelView<Real>& model, const Poses<Real>& poses, const StepScratch<Real>& s, Real h,
                       int slot, int k, EnvView<Real>& env) {
  const int pair = s.slots.pair[slot], rows = s.contact_rows.dimension, first = s.slots.first[slot];
  const double* lambda = s.solution.lambda;
  const Vec3<Real> centre = find_centre(s.slots, s.contacts, lambda, rows, slot);
  double impulse[4] = {0.0, 0.0, 0.0, 0.0};
  for_each_contact(s, slot, [&](int i) {
    for (int r = 0; r < rows; ++r) impulse[r] += lambda[rows * i + r];
  });
  for (int side = 0; side < 2; ++side) env.patch_geom[2 * k + side] = model.pair_geom[2 * pair + side];
  store3(env.patch_point + 3 * k, centre);
  for (int j = 0; j < 9; ++j) env.patch_frame[9 * k + j] = s.contacts.frame[9 * first + j];
  for (int axis = 0; axis < 3; ++axis) env.patch_force[3 * k + axis] = static_cast<Real>(impulse[axis]) / h;
  env.patch_torsion[k] = static_cast<Real>(impulse[3]) / h;
  env.patch_active_faces[k] = count_faces(shape_in_world(model, poses, model.pair_geom[2 * pair + 1]), centre);
}

}  // namespace step_detail

/// Writes the patches whose impulse along n counts as carrying.
template <class Team, class Real>
ST_FN void write_patches(Team team, const ModelView<Real>& model, const StepConfig<Real>& config, StepScratch<Real>& s,
                         EnvView<Real>& env) {
  if (config.contact != ContactModel::kPatch) return;
  const Poses<Real>& poses = config.geometry == ContactGeometry::kEnd ? s.next.poses : s.poses;
  const int rows = s.contact_rows.dimension;
  find_carrying_impulse(team, model, config, s);
  team.once([&] {
    int count = 0;
    for (int slot = 0; slot < *s.slots.count; ++slot) {
      double impulse = 0.0;
      step_detail::for_each_contact(s, slot, [&](int i) { impulse += s.solution.lambda[rows * i]; });
      s.patches.place[slot] = impulse > *s.meetings.carrying ? count++ : -1;
    }
    *env.patch_count = count;
  });
  team.each(*s.slots.count, [&](int slot) {
    if (s.patches.place[slot] >= 0)
      step_detail::write_patch(model, poses, s, config.step_size, slot, s.patches.place[slot], env);
  });
}

}  // namespace stiction
