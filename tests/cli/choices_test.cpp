#include "host/cli/choices.hpp"

#include <gtest/gtest.h>

#include "host/scene/presets.hpp"
#include "tests/cli/input_error.hpp"

namespace stiction::test {
namespace {

const Choice* all_choices[] = {&dynamics_choice(),       &law_choice(),     &cone_choice(),     &solver_choice(),
                               &dtype_choice(),          &contact_choice(), &geometry_choice(), &rotation_choice(),
                               &torsion_radius_choice(), &preset_choice(),  &law_words()};

TEST(Choices, BuiltNamesAreTheEnumeratorsInTheirOrder) {
  EXPECT_EQ(parse_choice<Dynamics>(dynamics_choice(), "quasistatic"), Dynamics::kQuasistatic);
  EXPECT_EQ(parse_choice<Dynamics>(dynamics_choice(), "quasidynamic"), Dynamics::kQuasidynamic);
  EXPECT_EQ(parse_choice<ContactLaw>(law_choice(), "anitescu"), ContactLaw::kAnitescu);
  EXPECT_EQ(parse_choice<ContactLaw>(law_choice(), "frictionless"), ContactLaw::kFrictionless);
  EXPECT_EQ(parse_choice<ConeType>(cone_choice(), "pyramid"), ConeType::kPyramid);
  EXPECT_EQ(parse_choice<ConeType>(cone_choice(), "box"), ConeType::kBox);
  EXPECT_EQ(parse_choice<SolverName>(solver_choice(), "interior_point"), SolverName::kInteriorPoint);
  EXPECT_EQ(parse_choice<ContactModel>(contact_choice(), "patch"), ContactModel::kPatch);
  EXPECT_EQ(parse_choice<ContactGeometry>(geometry_choice(), "end"), ContactGeometry::kEnd);
  EXPECT_EQ(parse_choice<Rotation>(rotation_choice(), "linear"), Rotation::kLinear);
  EXPECT_EQ(parse_choice<TorsionRadius>(torsion_radius_choice(), "uniform"), TorsionRadius::kUniform);
  EXPECT_EQ(parse_choice<Dtype>(dtype_choice(), "float32"), Dtype::kFloat32);
  for (const Choice* choice : all_choices)
    for (const auto& name : choice->built) EXPECT_EQ(choice->built[find_choice(*choice, name)], name);
}

TEST(Choices, UnknownNamesListTheBuiltOnes) {
  for (const Choice* choice : all_choices)
    for (const char* name : {"", "nonsense", "Anitescu", "pyramid "}) {
      const auto error = input_error([&] { find_choice(*choice, name); });
      EXPECT_NE(error.find("unknown"), std::string::npos) << error;
      for (const auto& built : choice->built) EXPECT_NE(error.find(built), std::string::npos) << error;
    }
}

}  // namespace
}  // namespace stiction::test
