#include "kernels/collision/contact_frame.hpp"

#include "tests/collision/narrow_phase_fixture.hpp"

namespace stiction::test {
namespace {

constexpr double kRounding = 1e-14;  // of a few products of unit vectors

TEST(ContactFrame, IsAxisAlignedForAxisAlignedNormals) {
  struct Case {
    Vec n, t, o;
  };
  // MuJoCo: t = y unless the normal is near y, then z
  const Case cases[] = {{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}, {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}},
                        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},  {{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
                        {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},  {{0, -1, 0}, {0, 0, 1}, {-1, 0, 0}}};
  for (const Case& c : cases) {
    const ContactFrame<double> frame = make_contact_frame(c.n);
    expect_vec_near(frame.t, c.t, 0);
    expect_vec_near(frame.o, c.o, 0);
  }
}

TEST(ContactFrame, IsRightHandedAndOrthonormal) {
  Random random(3);
  for (int k = 0; k < 1000; ++k) {
    const ContactFrame<double> frame = make_contact_frame(random_direction(random));
    EXPECT_NEAR(norm(frame.t), 1, kRounding);
    EXPECT_NEAR(dot(frame.n, frame.t), 0, kRounding);
    expect_vec_near(cross(frame.n, frame.t), frame.o, kRounding);
  }
}

TEST(ContactFrame, ChoosesItsTangentByTheNormalsShareOfY) {
  const double s = std::sqrt(0.75);
  EXPECT_GT(make_contact_frame(Vec{0, 0.49, std::sqrt(1 - 0.49 * 0.49)}).t.y, 0.8);
  EXPECT_GT(make_contact_frame(Vec{0, 0.5, s}).t.z, 0.4);
  EXPECT_LT(make_contact_frame(Vec{0, 0.5, s}).t.y, 0);
}

}  // namespace
}  // namespace stiction::test
