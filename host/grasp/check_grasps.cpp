#include "host/grasp/check_grasps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "host/model/error.hpp"
#include "kernels/linalg/vec3.hpp"

namespace stiction {
namespace {

constexpr int kMostWrenches = 65535;  // a facet's key has 16 bits for each
constexpr double kMost = 1e50;        // squares of products of such numbers are finite

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
  const int edges = d == 2 ? 2 : grasps.facets;
  if (static_cast<double>(n) * (edges + 2.0) > kMostWrenches)
    fail("facets", std::to_string(n) + " contacts of " + std::to_string(edges) + " edges are more than " +
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

/// Finite, and not so large that wrenches would not be.
void check_amount(const Column& column, const Grasps& grasps, int grasp, int contact) {
  check_finite(column, grasps, grasp, contact);
  const double* values = row(column, grasps, grasp, contact);
  for (int k = 0; k < column.width; ++k)
    if (std::fabs(values[k]) > kMost)
      fail(column.name, contact_name(grasp, contact) + " is " + text(values[k]) + ", must be within " + text(kMost));
}

/// The largest component becomes 1.
Vec3<double> scaled(const Column& column, const Grasps& grasps, int grasp, int contact) {
  const double* v = row(column, grasps, grasp, contact);
  const double z = column.width == 3 ? v[2] : 0.0;
  const double largest = std::max({std::fabs(v[0]), std::fabs(v[1]), std::fabs(z)});
  return {v[0] / largest, v[1] / largest, z / largest};
}

void check_direction(const Column& column, const Grasps& grasps, int grasp, int contact) {
  check_finite(column, grasps, grasp, contact);
  const double* v = row(column, grasps, grasp, contact);
  bool zero = true;
  for (int k = 0; k < column.width; ++k) zero = zero && v[k] == 0.0;
  if (zero) fail(column.name, contact_name(grasp, contact) + " is zero; it may have any other length");
}

void check_positive(const Column& column, const Grasps& grasps, int grasp, int contact) {
  check_amount(column, grasps, grasp, contact);
  const double value = *row(column, grasps, grasp, contact);
  if (value < 0.0) fail(column.name, contact_name(grasp, contact) + " is " + text(value) + ", must be at least 0");
}

void check_tangent(const Column& tangent, const Column& normal, const Grasps& grasps, int grasp, int contact) {
  check_direction(tangent, grasps, grasp, contact);
  const Vec3<double> t = scaled(tangent, grasps, grasp, contact), n = scaled(normal, grasps, grasp, contact);
  const double sine = norm(cross(t, n)) / (norm(t) * norm(n));
  if (!(sine > 1e-6)) fail("tangent", contact_name(grasp, contact) + " is along its normal");
}

void check_grasp(const Grasps& grasps, int grasp) {
  const auto i = static_cast<std::size_t>(grasp);
  const std::string name = " of grasp " + std::to_string(grasp);
  for (int k = 0; k < grasps.dimension; ++k) {
    const double value = grasps.center[i * static_cast<std::size_t>(grasps.dimension) + static_cast<std::size_t>(k)];
    if (!std::isfinite(value)) fail("center", "that" + name + " is " + text(value));
    if (std::fabs(value) > kMost)
      fail("center", "that" + name + " is " + text(value) + ", must be within " + text(kMost));
  }
  const double length = grasps.length[i];
  if (length > 0.0 && !(length >= 1.0 / kMost && length <= kMost))
    fail("length",
         "that" + name + " is " + text(length) + ", must be between " + text(1.0 / kMost) + " and " + text(kMost));
  if (!(length > 0.0)) fail("length", "that" + name + " is " + text(length) + ", must be positive [m]");
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
      check_amount(position, grasps, grasp, contact);
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
