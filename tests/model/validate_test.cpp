// validate() names the field, the value and the range of what is wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "host/model/error.hpp"
#include "tests/model/slider_model.hpp"

namespace stiction::test {
namespace {

std::string error_after(const std::function<void(Model&)>& change) {
  Model model = slider_model();
  change(model);
  try {
    validate(model);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Validate, AcceptsAGoodModel) {
  EXPECT_EQ(error_after([](Model&) {}), "");
}

TEST(Validate, NoticesEveryArrayOfAWrongLength) {
#define ST_INT(name, length) \
  EXPECT_NE(error_after([](Model& m) { m.name.push_back(0); }).find("length of " #name), std::string::npos);
#define ST_REAL(name, length) ST_INT(name, length)
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
}

TEST(Validate, NoticesEveryNumberThatIsNone) {
#define ST_INT(name, length)
#define ST_REAL(name, length) \
  EXPECT_NE(error_after([](Model& m) { m.name.at(0) = NAN; }).find(#name "[0] = nan"), std::string::npos);
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
}

TEST(Validate, NoticesIdsOutOfRange) {
  const auto notices = [](std::vector<int> Model::*field, const char* name) {
    const std::string message = error_after([&](Model& m) { (m.*field).at(0) = 99; });
    return message.find(name) != std::string::npos && message.find("99") != std::string::npos;
  };
  EXPECT_TRUE(notices(&Model::body_parent, "body_parent[0]"));
  EXPECT_TRUE(notices(&Model::body_tree, "body_tree[0]"));
  EXPECT_TRUE(notices(&Model::body_mocap_root, "body_mocap_root[0]"));
  EXPECT_TRUE(notices(&Model::joint_type, "joint_type[0]"));
  EXPECT_TRUE(notices(&Model::joint_body, "joint_body[0]"));
  EXPECT_TRUE(notices(&Model::dof_parent, "dof_parent[0]"));
  EXPECT_TRUE(notices(&Model::geom_type, "geom_type[0]"));
  EXPECT_TRUE(notices(&Model::mesh_neighbor, "mesh_neighbor[0]"));
  EXPECT_TRUE(notices(&Model::mesh_face_vert, "mesh_face_vert[0]"));
  EXPECT_TRUE(notices(&Model::mesh_vert_adr, "mesh_vert_adr[0]"));
  EXPECT_TRUE(notices(&Model::pair_geom, "pair_geom[0]"));
  EXPECT_TRUE(notices(&Model::term_dof, "term_dof[0]"));
  EXPECT_TRUE(notices(&Model::actuator_length, "actuator_length[0]"));
  EXPECT_TRUE(notices(&Model::coupling_length, "coupling_length[0]"));
}

TEST(Validate, NamesFieldValueAndRange) {
  EXPECT_EQ(error_after([](Model& m) { m.body_mass[1] = -2; }),
            "model 'slider': body_mass[1] = -2 but must be at least 0 kg");
  EXPECT_EQ(error_after([](Model& m) { m.pair_condim[0] = 6; }),
            "model 'slider': pair_condim[0] = 6 but must be 1, 3 or 4");
  EXPECT_EQ(error_after([](Model& m) {
              m.joint_range = {2, 1};
            }),
            "model 'slider': joint_range[0] = [2, 1] but must be ordered");
  EXPECT_EQ(error_after([](Model& m) {
              m.joint_axis = {0, 0, 2};
            }),
            "model 'slider': joint_axis[0] = of norm 2 but must be of norm 1");
  EXPECT_EQ(error_after([](Model& m) {
              m.pair_geom = {1, 0};
            }),
            "model 'slider': pair_geom[0] = unordered but must be ordered by geom type");
  EXPECT_EQ(error_after([](Model& m) { m.nv = -1; }), "model 'slider': nv = -1 but must be at least 0");
  EXPECT_EQ(error_after([](Model& m) {
              m.geom_mesh = {-1, -1};
            }),
            "model 'slider': geom_mesh[1] = -1 but must be a mesh for meshes only, else -1");
  EXPECT_EQ(error_after([](Model& m) {
              m.geom_piece = {-1, 2};
            }),
            "model 'slider': geom_piece[1] = 2 but must be in [-1, 2)");
}

TEST(Validate, AcceptsRangesThatAreNotUsed) {
  EXPECT_EQ(error_after([](Model& m) {
              m.joint_limited = {0};
              m.joint_range = {2, 1};
            }),
            "");
}

}  // namespace
}  // namespace stiction::test
