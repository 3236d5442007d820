// Claims: every array of kernels/model/contact_fields.inc is written by every backend, and padded behind the contacts.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "host/api/simulator.hpp"
#include "tests/step/pushed_boxes.hpp"

namespace stiction {
namespace {

constexpr int kBatch = 2;
constexpr double kUnwritten = -12345.0;  // no value of a contact of small boxes

class ContactFieldsOn : public testing::TestWithParam<const char*> {
 protected:
  Simulator simulator() const {
    SimulatorOptions options;
    options.batch = kBatch, options.threads = 1, options.device = GetParam();
    return Simulator(test::pushed_boxes(), options);
  }
};

TEST_P(ContactFieldsOn, AreAllWrittenByAStepAndPadded) {
  Simulator sim = simulator();
  const std::vector<int> ids = {0, 1};
  for (const ContactField& field : contact_fields())
    sim.write(field.id, ids, std::vector<double>(kBatch * sim.length(field.id), kUnwritten));
  sim.step();
  const ContactArrays contacts = sim.contacts();
  ContactArrays::visit([&](const ContactField& field, auto array) {
    const auto& values = contacts.*array;
    const int width = field.numbers();
    EXPECT_TRUE(field.is_real ? std::isnan(field.padding) : field.padding == -1.0) << field.name;
    ASSERT_EQ(values.size(), static_cast<std::size_t>(kBatch * contacts.max_contacts * width)) << field.name;
    for (int env = 0; env < kBatch; ++env) {
      const int count = contacts.count[static_cast<std::size_t>(env)];
      ASSERT_GT(count, 0);
      for (int k = 0; k < contacts.max_contacts * width; ++k) {
        const double value = values[static_cast<std::size_t>(env * contacts.max_contacts * width + k)];
        if (k < count * width)
          EXPECT_TRUE(std::isfinite(value) && value != kUnwritten) << field.name << " " << k << ": " << value;
        else
          EXPECT_TRUE(std::isnan(field.padding) ? std::isnan(value) : value == field.padding) << field.name << " " << k;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Everyone, ContactFieldsOn, testing::Values("cpu", "reference"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace stiction
