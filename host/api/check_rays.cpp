#include "host/api/check_rays.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "host/model/error.hpp"

namespace stiction {
namespace {

/// "ray 3", or "ray 3 of environment 1".
std::string ray_name(const Rays& rays, std::size_t i) {
  const auto count = static_cast<std::size_t>(rays.count);
  const std::string name = "ray " + std::to_string(i % count);
  return rays.own ? name + " of environment " + std::to_string(i / count) : name;
}

bool is_finite(const double* v) { return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]); }

void check_values(const Rays& rays) {
  for (std::size_t i = 0; i < rays.origin.size() / 3; ++i) {
    const double *o = &rays.origin[3 * i], *d = &rays.direction[3 * i];
    if (!is_finite(o)) throw InputError("origin: " + ray_name(rays, i) + " starts at a point that is not finite");
    if (!is_finite(d)) throw InputError("direction: that of " + ray_name(rays, i) + " is not finite");
    const double length = std::hypot(d[0], d[1], d[2]);
    if (!(length > 0.0) || !std::isfinite(1.0 / length))
      throw InputError("direction: that of " + ray_name(rays, i) + " is zero; it may have any other length");
  }
}

void check_body(const char* what, int body, int bodies) {
  if (body < 0 || body >= bodies)
    throw InputError(std::string(what) + ": body " + std::to_string(body) + " is not in [0, " + std::to_string(bodies) +
                     ")");
}

}  // namespace

void check_rays(const Rays& rays, int batch, int bodies) {
  if (rays.count < 1) throw InputError("origin: no rays are given; give at least one");
  const std::int64_t all = static_cast<std::int64_t>(rays.count) * batch;
  if (all > INT32_MAX)
    throw InputError("origin: " + std::to_string(all) +
                     " rays in all environments are more than 2147483647; cast them in parts");
  const std::size_t values = 3 * static_cast<std::size_t>(rays.own ? all : rays.count);
  if (rays.origin.size() != values || rays.direction.size() != values)
    throw InputError("origin, direction: expected " + std::to_string(values) + " values each, got " +
                     std::to_string(rays.origin.size()) + " and " + std::to_string(rays.direction.size()));
  check_values(rays);
  check_body("frame", rays.frame_body, bodies);
  for (const int body : rays.hidden_bodies) check_body("exclude", body, bodies);
  if (!(rays.cutoff > 0.0)) throw InputError("cutoff: " + std::to_string(rays.cutoff) + " given, must be positive [m]");
}

}  // namespace stiction
