// The projection of a vector onto a contact's cone, with its derivative (kernels/problem/cone.hpp), for every kind of
// cone. The vectors are inside and outside the cone and in its polar cone.
#include "kernels/problem/cone.hpp"

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "bench/micro/time_checked.hpp"
#include "kernels/team/team.hpp"

namespace stiction::bench {
namespace {

struct Kind {
  const char* name;
  ConeType cone;
  int facets;
  double mu_t, mu_o;  // [-]
  double mu_r;        // μ_r/a; 0: no torsion [-]
};
constexpr Kind kKinds[] = {
    {"line", ConeType::kPyramid, 2, 0.5, 0, 0},
    {"pyramid_of_4", ConeType::kPyramid, 4, 0.5, 0.5, 0},
    {"pyramid_of_8", ConeType::kPyramid, 8, 0.5, 0.5, 0},
    {"box", ConeType::kBox, 4, 0.5, 0.5, 0},
    {"quadratic", ConeType::kQuadratic, 3, 0.5, 0.5, 0},
    {"quadratic_uneven", ConeType::kQuadratic, 3, 0.7, 0.3, 0},
    {"quadratic_torsion", ConeType::kQuadratic, 3, 0.5, 0.5, 0.1},
};

constexpr std::size_t kVectors = 1024;
template <class Real>
constexpr Real kProjectionError = sizeof(Real) == 8 ? Real(1e-12) : Real(1e-5);  // of vectors of length about 1

template <class Real>
struct Cone {
  explicit Cone(const Kind& kind)
      : cosine(static_cast<std::size_t>(kind.facets)),
        sine(static_cast<std::size_t>(kind.facets)),
        table{kind.facets, cosine.data(), sine.data(), kind.cone},
        mu{Real(kind.mu_t), Real(kind.mu_o), Real(kind.mu_r)} {
    fill_facet_table(HostTeam<>{}, table);
  }
  Cone(const Cone&) = delete;
  ContactProjection<Real> project(const ContactVector<Real>& x) const { return project_to_cone(table, mu, x); }

  std::vector<Real> cosine, sine;
  FacetTable<Real> table;
  Friction<Real> mu;
};

template <class Real>
std::array<ContactVector<Real>, kVectors> make_vectors(bool twists) {
  std::mt19937_64 random(1);
  const auto draw = [&] { return static_cast<Real>(2 * static_cast<double>(random() >> 11) * 0x1.0p-53 - 1); };
  std::array<ContactVector<Real>, kVectors> vectors;
  for (auto& x : vectors) {
    x = {draw(), draw(), draw(), draw()};
    if (!twists) x.r = Real(0);
  }
  return vectors;
}

/// Moreau: p = P_K(x) exactly if p ∈ K, p − x ∈ K*, and the two are perpendicular.
template <class Real>
bool is_nearest(const Cone<Real>& cone, const ContactVector<Real>& x) {
  const ContactVector<Real> p = cone.project(x).point, rest = p - x;
  const Real allowed = kProjectionError<Real>;
  return norm(cone.project(p).point - p) <= allowed &&
         support_friction(cone.table, cone.mu, rest) <= rest.n + allowed && std::fabs(dot(p, rest)) <= allowed;
}

template <class Real>
const char* find_fault(const Cone<Real>& cone, const std::array<ContactVector<Real>, kVectors>& vectors) {
  for (const auto& x : vectors)
    if (!is_nearest(cone, x)) return "a projection is not the nearest point of the cone";
  return nullptr;
}

template <class Real>
void project(benchmark::State& state, const Kind& kind) {
  const Cone<Real> cone(kind);
  const auto vectors = make_vectors<Real>(kind.mu_r > 0);
  std::size_t next = 0;
  const auto run = [&] {
    auto projection = cone.project(vectors[next++ % kVectors]);
    benchmark::DoNotOptimize(projection);
  };
  time_checked(state, run, [&] { return find_fault(cone, vectors); });
}

bool register_kinds() {
  for (const Kind& kind : kKinds) {
    benchmark::RegisterBenchmark((std::string("project<double>/") + kind.name).c_str(), project<double>, kind);
    benchmark::RegisterBenchmark((std::string("project<float>/") + kind.name).c_str(), project<float>, kind);
  }
  return true;
}

[[maybe_unused]] const bool registered = register_kinds();

}  // namespace
}  // namespace stiction::bench
