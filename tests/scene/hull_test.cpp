// Imported hulls are closed convex polytopes with the vertices of the mesh.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "kernels/linalg/vec3.hpp"
#include "tests/scene/scene_testing.hpp"

namespace stiction::test {
namespace {

using Vec = Vec3<double>;

// Vertices may stick out of a face's plane by the tolerance with which coplanar triangles were merged.
constexpr double kPlanar = 5e-6;
constexpr double kUnit = 1e-12;

struct Hull {
  std::vector<Vec> vertices;
  std::vector<std::set<int>> neighbors;
  std::vector<std::vector<int>> faces;
  std::vector<Vec> normals;
  double size = 0.0;
};

Hull hull_of(const Model& model, int mesh) {
  Hull hull;
  Vec mean{0, 0, 0};
  for (int v = model.mesh_vert_adr[mesh]; v < model.mesh_vert_adr[mesh] + model.mesh_vert_num[mesh]; ++v) {
    hull.vertices.push_back(load3(&model.mesh_vert[3 * v]));
    mean += hull.vertices.back();
    const auto first = model.mesh_neighbor.begin() + model.mesh_neighbor_adr[v];
    hull.neighbors.emplace_back(first, first + model.mesh_neighbor_num[v]);
  }
  mean = mean * (1.0 / static_cast<double>(hull.vertices.size()));
  for (const Vec& v : hull.vertices) hull.size = std::max(hull.size, norm(v - mean));
  for (int f = model.mesh_face_adr[mesh]; f < model.mesh_face_adr[mesh] + model.mesh_face_num[mesh]; ++f) {
    const auto first = model.mesh_face_vert.begin() + model.mesh_face_vert_adr[f];
    hull.faces.emplace_back(first, first + model.mesh_face_vert_num[f]);
    hull.normals.push_back(load3(&model.mesh_face_normal[3 * f]));
  }
  return hull;
}

std::vector<Hull> hulls_of(const Model& model) {
  std::vector<Hull> hulls;
  for (int mesh = 0; mesh < model.nmesh; ++mesh) hulls.push_back(hull_of(model, mesh));
  return hulls;
}

/// Directed edges of all faces and how often each occurs.
std::map<std::pair<int, int>, int> edges_of(const Hull& hull) {
  std::map<std::pair<int, int>, int> edges;
  for (const auto& face : hull.faces) {
    for (std::size_t i = 0; i < face.size(); ++i) ++edges[{face[i], face[(i + 1) % face.size()]}];
  }
  return edges;
}

class Hulls : public testing::Test {
 protected:
  Model model = load_model(test_file("models/meshes.xml"));
  std::vector<Hull> hulls = hulls_of(model);
};

TEST_F(Hulls, AreOnePerCollidingMesh) { EXPECT_EQ(model.nmesh, 4); }

TEST_F(Hulls, FacesCloseTheSurface) {
  for (const Hull& hull : hulls) {
    for (const auto& [edge, count] : edges_of(hull)) {
      EXPECT_EQ(count, 1);
      EXPECT_EQ(edges_of(hull).count({edge.second, edge.first}), 1u);
    }
  }
}

TEST_F(Hulls, SatisfyEulersFormula) {
  for (const Hull& hull : hulls) {
    std::set<int> corners;
    for (const auto& face : hull.faces) corners.insert(face.begin(), face.end());
    const long edges = static_cast<long>(edges_of(hull).size()) / 2;
    EXPECT_EQ(static_cast<long>(corners.size()) - edges + static_cast<long>(hull.faces.size()), 2);
  }
}

TEST_F(Hulls, NormalsAreUnitOutwardAndNothingIsOutside) {
  for (const Hull& hull : hulls) {
    for (std::size_t f = 0; f < hull.faces.size(); ++f) {
      EXPECT_NEAR(norm(hull.normals[f]), 1.0, kUnit);
      const Vec origin = hull.vertices[hull.faces[f][0]];
      for (const Vec& v : hull.vertices) EXPECT_LE(dot(v - origin, hull.normals[f]), kPlanar * hull.size);
    }
  }
}

TEST_F(Hulls, FacesRunCounterClockwiseFromOutside) {
  for (const Hull& hull : hulls) {
    for (std::size_t f = 0; f < hull.faces.size(); ++f) {
      const auto& face = hull.faces[f];
      ASSERT_GE(face.size(), 3u);
      Vec area{0, 0, 0};
      for (std::size_t i = 1; i + 1 < face.size(); ++i) {
        area +=
            cross(hull.vertices[face[i]] - hull.vertices[face[0]], hull.vertices[face[i + 1]] - hull.vertices[face[0]]);
      }
      EXPECT_GT(dot(area, hull.normals[f]), 0.0);
    }
  }
}

TEST_F(Hulls, NeighboursAreMutualAndTriangulateTheSurface) {
  for (const Hull& hull : hulls) {
    std::size_t directed = 0;
    for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
      directed += hull.neighbors[v].size();
      for (int w : hull.neighbors[v]) EXPECT_EQ(hull.neighbors[w].count(static_cast<int>(v)), 1u);
    }
    EXPECT_EQ(directed / 2, 3 * hull.vertices.size() - 6);  // E of a triangulated sphere
  }
}

TEST_F(Hulls, HillClimbingOverNeighboursFindsEverySupportPoint) {
  for (const Hull& hull : hulls) {
    for (int k = 0; k < 500; ++k) {
      const Vec d{std::sin(1.0 + 12.9 * k), std::sin(2.0 + 78.2 * k), std::sin(3.0 + 37.7 * k)};
      double best = -INFINITY;
      for (const Vec& v : hull.vertices) best = std::max(best, dot(v, d));
      int at = 0;
      for (bool climbed = true; climbed;) {
        climbed = false;
        for (int w : hull.neighbors[at]) {
          if (dot(hull.vertices[w], d) > dot(hull.vertices[at], d)) at = w, climbed = true;
        }
      }
      EXPECT_NEAR(dot(hull.vertices[at], d), best, kPlanar * hull.size);
    }
  }
}

TEST_F(Hulls, ACubeWithPointsInItsFacesHasSixFaces) {
  const Hull& cube = hulls.at(0);
  EXPECT_EQ(cube.faces.size(), 6u);
  std::set<int> corners;
  for (const auto& face : cube.faces) corners.insert(face.begin(), face.end());
  EXPECT_GE(corners.size(), 8u);
  EXPECT_LE(corners.size(), 9u);  // one point lies on an edge
}

TEST_F(Hulls, ATetrahedronHasFourTriangles) {
  EXPECT_EQ(hulls.at(1).faces.size(), 4u);
  EXPECT_EQ(hulls.at(1).vertices.size(), 4u);
}

TEST_F(Hulls, AConeHasOneBaseAndItsSides) { EXPECT_EQ(hulls.at(2).faces.size(), 25u); }

TEST_F(Hulls, AreSharedByGeomsOfTheSameMesh) {
  std::map<std::string, int> mesh_of_body;
  for (int g = 0; g < model.ngeom; ++g) mesh_of_body[model.body_names[model.geom_body[g]]] = model.geom_mesh[g];
  EXPECT_EQ(mesh_of_body.at("cube"), mesh_of_body.at("cube_again"));
  EXPECT_NE(mesh_of_body.at("cube"), mesh_of_body.at("tilted"));
}

}  // namespace
}  // namespace stiction::test
