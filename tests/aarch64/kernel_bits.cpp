// Prints the bits of kernels' answers, projections onto every kind of cone and contacts of every pair of shapes without
// a hull, so that what two processors print can be compared (tests/structure/test_aarch64.py).
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include "kernels/collision/narrow_phase.hpp"
#include "kernels/linalg/rotation.hpp"
#include "kernels/problem/cone.hpp"
#include "kernels/team/team.hpp"

namespace {

using namespace stiction;

std::mt19937_64 random_bits(1);

/// A number from -1 to 1; the same on every processor.
double draw() { return 2 * static_cast<double>(random_bits() >> 11) * 0x1.0p-53 - 1; }

void print_projections(ConeType cone, int facets, const Friction<double>& mu) {
  std::vector<double> cosine(static_cast<std::size_t>(facets)), sine(cosine);
  FacetTable<double> table{facets, cosine.data(), sine.data(), cone};
  fill_facet_table(HostTeam<>{}, table);
  for (int i = 0; i < 20; ++i) {
    const ContactVector<double> x{draw(), draw(), draw(), mu.mu_r > 0 ? draw() : 0.0};
    const ContactVector<double> p = project_to_cone(table, mu, x).point;
    std::printf("%a %a %a %a\n", p.n, p.t, p.o, p.r);
  }
}

PlacedShape<double> make_shape(int type, double height) {
  PlacedShape<double> shape{};
  shape.type = type;
  shape.size = {0.03, 0.04, 0.025};
  shape.position = {0.001 * draw(), 0.001 * draw(), height};
  shape.rotation = to_matrix(exp_quat(Vec3<double>{0.3 * draw(), 0.3 * draw(), draw()}));
  return shape;
}

void print_contacts(int a, int b) {
  const auto scratch = std::make_unique<CollisionScratch<double>>();
  scratch->A = make_shape(a, 0);
  scratch->B = make_shape(b, 0.05);
  scratch->guess = {0, 0, 0};
  collide_placed(0.1, *scratch, scratch->manifold);
  for (int i = 0; i < scratch->manifold.count; ++i) {
    const ContactPoint<double>& c = scratch->manifold.point[i];
    std::printf("%a %a %a %a %a %a %a\n", c.gap, c.normal.x, c.normal.y, c.normal.z, c.p_A.x, c.p_A.y, c.p_A.z);
  }
}

}  // namespace

int main() {
  print_projections(ConeType::kPyramid, 8, {0.5, 0.5, 0});
  print_projections(ConeType::kBox, 4, {0.5, 0.5, 0});
  print_projections(ConeType::kQuadratic, 3, {0.7, 0.3, 0});
  print_projections(ConeType::kQuadratic, 3, {0.5, 0.5, 0.1});
  const int mesh = static_cast<int>(GeomType::kMesh), plane = static_cast<int>(GeomType::kPlane);
  for (int a = 0; a < kGeomTypes; ++a)
    for (int b = a; b < kGeomTypes; ++b)
      if (a != mesh && b != mesh && b != plane) print_contacts(a, b);
}
