// The vertex of a cell is found by a climb along edges from that of the cell before. For the lists of faces, squares of
// cells are split until they are single cells; each half keeps those of the whole's faces that can face one
// of its directions. With c the direction of its middle and a the angle from there to its farthest corner:
//
//   face i is kept where   angle(n_i, c) <= min_j angle(n_j, c) + 2 a + tie
//
// (by their cosines), because no direction of the square is farther than a from c.
#include "host/model/facing_table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/collision/facing_table.hpp"
#include "kernels/linalg/vec3.hpp"

namespace stiction {
namespace {

using Vec = Vec3<double>;

// Beyond this the cells are smaller than most hulls' faces are apart.
constexpr int kMostEdge = 32;
// A table may have so many entries for each face, else it has fewer cells.
constexpr std::size_t kMostEntries = 64;
// Angle of a direction that falls into the next cell, or of a normal, by rounding in single precision [rad].
constexpr double kSlack = 1e-4;
constexpr double kHalfTurn = 3.141592653589793;

/// Cells [i0, i1) × [j0, j1) of a side.
struct Square {
  int side, i0, i1, j0, j1;
};

double angle_of(double cosine) { return std::acos(std::clamp(cosine, -1.0, 1.0)); }

class Builder {
 public:
  Builder(const PlacedShape<double>& hull, int edge)
      : hull_(hull), edge_(edge), lists_(static_cast<std::size_t>(count_facing_cells(edge))) {}

  void split(const Square& square, const std::vector<int>& faces) {
    const std::vector<int> kept = keep(square, faces);
    const int rows = square.i1 - square.i0, columns = square.j1 - square.j0;
    if (rows == 1 && columns == 1) {
      lists_[static_cast<std::size_t>((square.side * edge_ + square.i0) * edge_ + square.j0)] = kept;
      return;
    }
    Square low = square, high = square;
    if (rows >= columns)
      low.i1 = high.i0 = square.i0 + rows / 2;
    else
      low.j1 = high.j0 = square.j0 + columns / 2;
    split(low, kept);
    split(high, kept);
  }

  std::vector<int> table() const {
    std::vector<int> out(lists_.size() + 2, edge_);
    int vertex = 0;
    for (int side = 0; side < 6; ++side)
      for (int i = 0; i < edge_; ++i)
        for (int j = 0; j < edge_; ++j) out.push_back(vertex = climb(direction(side, i + 0.5, j + 0.5), vertex));
    for (std::size_t cell = 0; cell < lists_.size(); ++cell) {
      out[cell + 1] = static_cast<int>(out.size());
      out.insert(out.end(), lists_[cell].begin(), lists_[cell].end());
    }
    out[lists_.size() + 1] = static_cast<int>(out.size());
    return out;
  }

 private:
  /// The unit vector through a point of a side, in cells.
  Vec direction(int side, double i, double j) const {
    const int axis = side / 2;
    Vec d;
    d[axis] = side % 2 == 0 ? 1.0 : -1.0;
    d[(axis + 1) % 3] = 2.0 * i / edge_ - 1.0;
    d[(axis + 2) % 3] = 2.0 * j / edge_ - 1.0;
    return (1.0 / norm(d)) * d;
  }

  /// The farthest vertex along d, along edges from the vertex `best`.
  int climb(const Vec& d, int best) const {
    const auto height = [&](int v) { return dot(d, load3(hull_.vertices + 3 * v)); };
    for (int here = -1; here != best;) {
      here = best;
      const int* neighbors = hull_.neighbors + hull_.neighbor_adr[here];
      for (int k = 0; k < hull_.neighbor_num[here]; ++k)
        if (height(neighbors[k]) > height(best)) best = neighbors[k];
    }
    return best;
  }

  std::vector<int> keep(const Square& square, const std::vector<int>& faces) const {
    const Vec middle = direction(square.side, 0.5 * (square.i0 + square.i1), 0.5 * (square.j0 + square.j1));
    const auto cosine = [&](int face) { return dot(middle, load3(hull_.face_normals + 3 * face)); };
    double reach = 0.0, most = -1.0;
    for (int i : {square.i0, square.i1})
      for (int j : {square.j0, square.j1}) reach = std::max(reach, angle_of(dot(middle, direction(square.side, i, j))));
    for (int face : faces) most = std::max(most, cosine(face));
    const double farthest = angle_of(most) + 2.0 * reach + angle_of(1.0 - kFaceTie) + kSlack;
    const double least = farthest < kHalfTurn ? std::cos(farthest) : -2.0;
    std::vector<int> kept;
    kept.reserve(faces.size());
    std::copy_if(faces.begin(), faces.end(), std::back_inserter(kept), [&](int face) { return cosine(face) >= least; });
    return kept;
  }

  const PlacedShape<double>& hull_;
  int edge_;
  std::vector<std::vector<int>> lists_;
};

/// As many cells as faces, or a few more.
int first_edge(int num_faces) {
  int edge = 1;
  while (6 * edge * edge < num_faces && edge < kMostEdge) ++edge;
  return edge;
}

}  // namespace

std::vector<int> facing_table(const PlacedShape<double>& hull) {
  std::vector<int> all;
  for (int face = 0; face < hull.num_faces; ++face) all.push_back(face);
  for (int edge = first_edge(hull.num_faces);; edge /= 2) {
    Builder builder(hull, edge);
    for (int side = 0; side < 6; ++side) builder.split({side, 0, edge, 0, edge}, all);
    std::vector<int> table = builder.table();
    if (edge == 1 || table.size() <= kMostEntries * all.size()) return table;
  }
}

void append_facing(Model& model) {
  const int first = model.mesh_vert_adr.back();
  PlacedShape<double> hull{};
  hull.vertices = model.mesh_vert.data() + 3 * first;
  hull.neighbor_adr = model.mesh_neighbor_adr.data() + first;
  hull.neighbor_num = model.mesh_neighbor_num.data() + first;
  hull.neighbors = model.mesh_neighbor.data();
  hull.num_faces = model.mesh_face_num.back();
  hull.face_normals = model.mesh_face_normal.data() + 3 * model.mesh_face_adr.back();
  const auto table = facing_table(hull);
  model.mesh_facing_adr.push_back(model.nmeshfacing);
  model.mesh_facing.insert(model.mesh_facing.end(), table.begin(), table.end());
  model.nmeshfacing += static_cast<int>(table.size());
}

}  // namespace stiction
