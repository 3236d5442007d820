#include "host/grasp/check_grasps.hpp"

#include <cmath>
#include <string>

#include "host/model/error.hpp"

namespace stiction {
namespace {

constexpr int kMostWrenches = 65535;  // a facet's key has 16 bits for each

std::string text(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", value);
  return digits;
}

[[noreturn]] void fail(const char* name, const std::string& what) { throw InputError(name + (": " + what)); }

/// One array of numbers, `width` of them a contact or a grasp.
struct Column {
  const char* name;
  const std::vector<double>& values;
  int width;
};

void check_size(const Grasps& grasps, const char* name, std::size_t size, int each) {
  const std::size_t expected = static_cast<std::size_t>(grasps.batch) * static_cast<std::size_t>(each);
  if (size != expected) fail(name, "expected " + std::to_string(expected) + " values, got " + std::to_string(size));
}

void check_shape(const Grasps& grasps) {
  if (grasps.batch < 0 || grasps.contacts < 0) fail("position", "negative number of grasps or contacts");
  if (grasps.dimension != 2 && grasps.dimension != 3)
    fail("position", "points have " + std::to_string(grasps.dimension) + " coordinates, must be 2 or 3");
  if (grasps.facets < 3) fail("facets", std::to_string(grasps.facets) + " given, must be at least 3");
  const int n = grasps.contacts, d = grasps.dimension;
  if (static_cast<double>(n) * (grasps.facets + 2.0) > kMostWrenches)
    fail("facets", std::to_string(n) + " contacts of " + std::to_string(grasps.facets) + " edges are more than " +
                       std::to_string(kMostWrenches) + " wrenches");
  check_size(grasps, "position", grasps.position.size(), n * d);
  check_size(grasps, "normal", grasps.normal.size(), n * d);
  check_size(grasps, "friction", grasps.friction.size(), n);
  check_size(grasps, "torsion", grasps.torsion.size(), n);
  if (!grasps.tangent.empty()) check_size(grasps, "tangent", grasps.tangent.size(), 3 * n);
  check_size(grasps, "center", grasps.center.size(), d);
  check_size(grasps, "length", grasps.length.size(), 1);
  if (!grasps.count.empty()) check_size(grasps, "count", grasps.count.size(), 1);
}

std::string contact_name(int grasp, int contact) {
  return "that of contact " + std::to_string(contact) + " of grasp " + std::to_string(grasp);
}

const double* row(const Column& column, const Grasps& grasps, int grasp, int contact) {
  return column.values.data() + static_cast<std::size_t>(column.width) *
                                    (static_cast<std::size_t>(grasp) * static_cast<std::size_t>(grasps.contacts) +
                                     static_cast<std::size_t>(contact));
}

void check_finite(const Column& column, const Grasps& grasps, int grasp, int contact) {
  const double* values = row(column, grasps, grasp, contact);
  for (int k = 0; k < column.width; ++k)
    if (!std::isfinite(values[k])) fail(column.name, contact_name(grasp, contact) + " is " + text(values[k]));
}

void check_direction(const Column& column, const Grasps& grasps, int grasp, int contact) {
  check_finite(column, grasps, grasp, contact);
  const double* v = row(column, grasps, grasp, contact);
  const double length = std::hypot(v[0], v[1], column.width == 3 ? v[2] : 0.0);
  if (!(length > 0.0) || !std::isfinite(1.0 / length))
    fail(column.name, contact_name(grasp, contact) + " is zero; it may have any other length");
}

void check_positive(const Column& column, const Grasps& grasps, int grasp, int contact) {
  check_finite(column, grasps, grasp, contact);
  const double value = *row(column, grasps, grasp, contact);
  if (value < 0.0) fail(column.name, contact_name(grasp, contact) + " is " + text(value) + ", must be at least 0");
}

void check_tangent(const Column& tangent, const Column& normal, const Grasps& grasps, int grasp, int contact) {
  check_direction(tangent, grasps, grasp, contact);
  const double *t = row(tangent, grasps, grasp, contact), *n = row(normal, grasps, grasp, contact);
  const double cross[3] = {t[1] * n[2] - t[2] * n[1], t[2] * n[0] - t[0] * n[2], t[0] * n[1] - t[1] * n[0]};
  const double sine =
      std::hypot(cross[0], cross[1], cross[2]) / (std::hypot(t[0], t[1], t[2]) * std::hypot(n[0], n[1], n[2]));
  if (!(sine > 1e-6)) fail("tangent", contact_name(grasp, contact) + " is along its normal");
}

void check_grasp(const Grasps& grasps, int grasp) {
  const auto i = static_cast<std::size_t>(grasp);
  const std::string name = " of grasp " + std::to_string(grasp);
  for (int k = 0; k < grasps.dimension; ++k) {
    const double value = grasps.center[i * static_cast<std::size_t>(grasps.dimension) + static_cast<std::size_t>(k)];
    if (!std::isfinite(value)) fail("center", "that" + name + " is " + text(value));
  }
  const double length = grasps.length[i];
  if (!(length > 0.0) || !std::isfinite(length))
    fail("length", "that" + name + " is " + text(length) + ", must be positive [m]");
  if (!grasps.count.empty() && (grasps.count[i] < 0 || grasps.count[i] > grasps.contacts))
    fail("count", "that" + name + " is " + std::to_string(grasps.count[i]) + ", must be in [0, " +
                      std::to_string(grasps.contacts) + "]");
}

}  // namespace

int contacts_of(const Grasps& grasps, int grasp) {
  return grasps.count.empty() ? grasps.contacts : grasps.count[static_cast<std::size_t>(grasp)];
}

void check_grasps(const Grasps& grasps) {
  check_shape(grasps);
  const Column position{"position", grasps.position, grasps.dimension},
      normal{"normal", grasps.normal, grasps.dimension};
  const Column friction{"friction", grasps.friction, 1}, torsion{"torsion", grasps.torsion, 1};
  const Column tangent{"tangent", grasps.tangent, 3};
  for (int grasp = 0; grasp < grasps.batch; ++grasp) {
    check_grasp(grasps, grasp);
    for (int contact = 0; contact < contacts_of(grasps, grasp); ++contact) {
      check_finite(position, grasps, grasp, contact);
      check_direction(normal, grasps, grasp, contact);
      check_positive(friction, grasps, grasp, contact);
      check_positive(torsion, grasps, grasp, contact);
      if (!grasps.tangent.empty()) check_tangent(tangent, normal, grasps, grasp, contact);
      if (grasps.dimension == 2 && *row(torsion, grasps, grasp, contact) > 0.0)
        fail("torsion", contact_name(grasp, contact) + " is not 0: in a plane nothing turns about a normal");
    }
  }
}

}  // namespace stiction
