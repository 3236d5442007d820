// The model's arrays in both precisions.
#include <gtest/gtest.h>

#include "tests/model/slider_model.hpp"

namespace stiction::test {
namespace {

template <class Real>
void expect_copied(const Model& model, const ModelStorage<Real>& storage) {
  const ModelView<Real>& view = storage.view();
#define ST_COUNT(name) EXPECT_EQ(view.name, model.name) << #name;
#include "kernels/model/model_counts.inc"
#undef ST_COUNT
#define ST_INT(name, length) \
  for (std::size_t i = 0; i < model.name.size(); ++i) EXPECT_EQ(view.name[i], model.name[i]) << #name;
#define ST_REAL(name, length)                         \
  for (std::size_t i = 0; i < model.name.size(); ++i) \
    EXPECT_EQ(view.name[i], static_cast<Real>(model.name[i])) << #name;
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
  for (int k = 0; k < 3; ++k) EXPECT_EQ(view.gravity[k], static_cast<Real>(model.gravity[k]));
}

TEST(ModelStorage, HoldsEveryArrayInDouble) {
  const Model model = slider_model();
  expect_copied(model, ModelStorage<double>(model));
}

TEST(ModelStorage, HoldsEveryArrayInFloat) {
  const Model model = slider_model();
  expect_copied(model, ModelStorage<float>(model));
}

}  // namespace
}  // namespace stiction::test
