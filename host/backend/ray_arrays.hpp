// The memory of rays and of what they meet, which outlives the call that cast them.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "host/model/rays.hpp"
#include "kernels/launch/run_rays.hpp"

namespace stiction {

/// Rays as RayBatch has them. Directions get their length 1 in double, so that no length is too large or too small.
template <class Real>
std::vector<Real> packed_rays(const Rays& rays) {
  std::vector<Real> packed;
  packed.reserve(rays.origin.size() / 3 * kRayNumbers);
  for (std::size_t i = 0; i < rays.origin.size(); i += 3) {
    const double* d = &rays.direction[i];
    const double length = std::hypot(d[0], d[1], d[2]);
    for (std::size_t k = 0; k < 3; ++k) packed.push_back(static_cast<Real>(rays.origin[i + k]));
    for (std::size_t k = 0; k < 3; ++k) packed.push_back(static_cast<Real>(d[k] / length));
    packed.push_back(static_cast<Real>(rays.answer == RayAnswer::kDepth ? length : 1.0));
  }
  return packed;
}

/// 1 for the geoms of bodies that rays pass through (ngeom); `model` is in host memory.
template <class Real>
std::vector<int> hidden_geoms(const ModelView<Real>& model, const Rays& rays) {
  std::vector<int> hidden(static_cast<std::size_t>(model.ngeom), 0);
  for (std::size_t g = 0; g < hidden.size(); ++g)
    for (const int body : rays.hidden_bodies)
      if (model.geom_body[g] == body) hidden[g] = 1;
  return hidden;
}

/// `Array<T>` is memory that kernels can write, made from a length; `device` is the cuda_device of FieldMemory.
template <template <class> class Array, class Real>
class RayArrays {
 public:
  RayArrays(const Rays& rays, int batch, int device)
      : count_(static_cast<std::size_t>(rays.count)),
        device_(device),
        distance_(static_cast<std::size_t>(batch) * count_),
        geom_(rays.answer == RayAnswer::kHits ? distance_.size() : 0),
        normal_(3 * geom_.size()) {}

  /// `ray`, `hidden`: what packed_rays and hidden_geoms give, where kernels can read it.
  RayBatch<Real> view(const Rays& rays, int batch, const Real* ray, const int* hidden) {
    const bool depth = rays.answer == RayAnswer::kDepth;
    RayBatch<Real> view = {};
    view.batch = batch, view.count = rays.count, view.own = rays.own;
    view.ray = ray, view.hidden = hidden;
    view.frame_body = rays.frame_body;
    for (std::size_t k = 0; k < 3; ++k) view.frame_pos[k] = static_cast<Real>(rays.frame_pos[k]);
    for (std::size_t k = 0; k < 4; ++k) view.frame_quat[k] = static_cast<Real>(rays.frame_quat[k]);
    view.cutoff = static_cast<Real>(rays.cutoff);
    view.missed = depth ? std::numeric_limits<Real>::infinity() : Real(-1);
    view.distance = distance_.data();
    view.geom = depth ? nullptr : geom_.data(), view.normal = depth ? nullptr : normal_.data();
    return view;
  }

  /// A depth image has distances alone.
  RayHits described(std::shared_ptr<void> owner) {
    const std::size_t geoms = geom_.size() > 0 ? count_ : 0;
    return {std::move(owner),
            {distance_.data(), kValueType<Real>, count_, device_},
            {geom_.data(), ValueType::kInt32, geoms, device_},
            {normal_.data(), kValueType<Real>, 3 * geoms, device_}};
  }

 private:
  std::size_t count_;
  int device_;
  Array<Real> distance_;
  Array<int> geom_;
  Array<Real> normal_;
};

}  // namespace stiction
