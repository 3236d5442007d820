#include "host/api/check_motions.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "host/api/check_problems.hpp"
#include "kernels/linalg/vec3.hpp"

namespace stiction {
namespace {

/// What single precision leaves of a unit vector or of a symmetric matrix, in the components of a vector and relative
/// to the largest entry of a matrix [-].
constexpr double kRounding = 1e-6;

[[noreturn]] void refuse_entry(const std::string& name, std::size_t entry, const std::string& text) {
  throw InputError(name + ": entry " + std::to_string(entry) + ", expected " + text);
}

void expect_finite(const std::string& name, std::span<const double> values, std::size_t width) {
  const auto found = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
  if (found != values.end())
    refuse_entry(name, static_cast<std::size_t>(found - values.begin()) / width,
                 "finite numbers, given " + in_digits(*found) + "; leave such entries out");
}

/// An array with `shape` numbers per entry, all finite.
void expect_numbers(const std::string& name, std::span<const double> values, int count,
                    std::initializer_list<int> shape) {
  std::string text = "(count";
  std::size_t width = 1;
  for (const int size : shape) text += ", " + std::to_string(size), width *= static_cast<std::size_t>(size);
  const std::size_t expected = width * static_cast<std::size_t>(count);
  if (values.size() != expected)
    throw InputError(name + ": expected " + text + "), " + std::to_string(expected) + " numbers for a count of " +
                     std::to_string(count) + ", given " + std::to_string(values.size()));
  expect_finite(name, values, width);
}

void expect_positive(const std::string& name, std::span<const double> values, const std::string& unit) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > 0)) refuse_entry(name, i, "a positive number of " + unit + ", given " + in_digits(values[i]));
}

void expect_inertia(const std::string& name, std::span<const double> all) {
  using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  for (std::size_t i = 0; i < all.size() / 9; ++i) {
    const Matrix I = Eigen::Map<const Matrix>(all.data() + 9 * i);
    const double largest = I.cwiseAbs().maxCoeff(), asymmetry = (I - I.transpose()).cwiseAbs().maxCoeff();
    if (!(asymmetry <= kRounding * largest))
      refuse_entry(name, i, "a symmetric matrix, given entries that differ by " + in_digits(asymmetry));
    const Matrix S = 0.5 * I + 0.5 * I.transpose();
    if (Eigen::LLT<Matrix>(S).info() == Eigen::Success) continue;
    const double least = Eigen::SelfAdjointEigenSolver<Matrix>(S, Eigen::EigenvaluesOnly).eigenvalues()[0];
    refuse_entry(name, i, "a positive definite matrix, given one with the eigenvalue " + in_digits(least));
  }
}

void expect_unit(const std::string& name, std::span<const double> all) {
  for (std::size_t i = 0; i < all.size() / 3; ++i) {
    const double length = norm(load3(all.data() + 3 * i));
    if (!(std::fabs(length - 1) <= kRounding))
      refuse_entry(name, i, "a unit vector, given one of length " + in_digits(length));
  }
}

void expect_tangents(std::span<const double> normals, std::span<const double> tangents) {
  expect_unit("tangent", tangents);
  for (std::size_t i = 0; i < tangents.size() / 3; ++i) {
    const double along = dot(load3(normals.data() + 3 * i), load3(tangents.data() + 3 * i));
    if (!(std::fabs(along) <= 2 * kRounding))
      refuse_entry("tangent", i, "a vector perpendicular to the normal, given one with n·t = " + in_digits(along));
  }
}

void check_numbers(const BodyMotions& m) {
  expect_at_least("count", m.count, 0);
  expect_numbers("position", m.position, m.count, {3});
  expect_numbers("velocity_before", m.velocity_before, m.count, {6});
  expect_numbers("velocity_after", m.velocity_after, m.count, {6});
  expect_numbers("mass", m.mass, m.count, {});
  expect_numbers("inertia", m.inertia, m.count, {3, 3});
  expect_numbers("impulse", m.impulse, m.count, {6});
  expect_numbers("normal", m.normal, m.count, {3});
  expect_numbers("plane_offset", m.plane_offset, m.count, {});
  if (!m.tangent.empty()) expect_numbers("tangent", m.tangent, m.count, {3});
  if (!m.step_size.empty()) expect_numbers("step_size", m.step_size, m.count, {});
  if (!m.inertia_after.empty()) expect_numbers("inertia_after", m.inertia_after, m.count, {3, 3});
}

}  // namespace

void check_motions(const BodyMotions& m) {
  check_numbers(m);
  expect_positive("mass", m.mass, "kg");
  expect_positive("step_size", m.step_size, "seconds");
  expect_inertia("inertia", m.inertia);
  expect_inertia("inertia_after", m.inertia_after);
  expect_unit("normal", m.normal);
  expect_tangents(m.normal, m.tangent);
  if (!m.step_size.empty() && !m.inertia_after.empty())
    throw InputError(
        "step_size: expected none with inertia_after, whose change contains the gyroscopic impulse; leave out one");
}

}  // namespace stiction
