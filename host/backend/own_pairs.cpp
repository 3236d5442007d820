#include "host/backend/own_pairs.hpp"

#include <cstddef>
#include <utility>

#include "kernels/collision/contact_point.hpp"

namespace stiction {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The body that carries a body: the topmost static one among the body and its ancestors; 0, the world, if there is
/// none.
int carrier_of(const Model& m, int body) {
  int carrier = 0;
  for (int b = body; b > 0; b = m.body_parent[at(b)])
    if (m.body_tree[at(b)] < 0) carrier = b;
  return carrier;
}

bool of_one_robot(const Model& m, int body1, int body2) {
  const int tree1 = m.body_tree[at(body1)], tree2 = m.body_tree[at(body2)];
  if (tree1 >= 0 && tree1 == tree2) return true;
  const int carrier = carrier_of(m, body1);
  return carrier == carrier_of(m, body2) && (carrier != 0 || m.world_is_robot);
}

std::pair<int, int> bodies_of(const Model& m, int pair) {
  return {m.geom_body[at(m.pair_geom[at(2 * pair)])], m.geom_body[at(m.pair_geom[at(2 * pair + 1)])]};
}

/// Marks the trees that have pairs with themselves or with what carries them, and counts these pairs.
void count_pairs_within(const Model& m, OwnPairs& own) {
  for (int p = 0; p < m.npair; ++p) {
    const auto [first, second] = bodies_of(m, p);
    if (!of_one_robot(m, first, second)) continue;
    ++own.count;
    for (const int b : {first, second})
      if (m.body_tree[at(b)] >= 0) own.tree[at(m.body_tree[at(b)])] = 1;
  }
}

bool is_wide(const Model& m, int pair) {
  const auto type = [&](int side) { return static_cast<GeomType>(m.geom_type[at(m.pair_geom[at(2 * pair + side)])]); };
  return most_points(type(0), type(1)) > kFewPoints;
}

/// Counts the pairs of one robot with another.
void count_pairs_between(const Model& m, OwnPairs& own) {
  for (int p = 0; p < m.npair; ++p) {
    const auto [first, second] = bodies_of(m, p);
    const int tree1 = m.body_tree[at(first)], tree2 = m.body_tree[at(second)];
    if (tree1 < 0 || tree2 < 0 || of_one_robot(m, first, second)) continue;
    if (!own.tree[at(tree1)] || !own.tree[at(tree2)]) continue;
    ++own.count;
    if (is_wide(m, p)) ++own.wide_between;
  }
}

}  // namespace

OwnPairs find_own_pairs(const Model& m) {
  OwnPairs own;
  own.tree.assign(at(m.ntree), 0);
  count_pairs_within(m, own);
  count_pairs_between(m, own);
  for (const int body : m.geom_body) {
    const int tree = m.body_tree[at(body)];
    if (tree >= 0 && own.tree[at(tree)]) ++own.moving_geoms;
  }
  return own;
}

}  // namespace stiction
