// Claims: gpu_check tells a device that steps otherwise from a course that the host itself does not determine.
#include "bench/gpu_check/comparison.hpp"

#include <gtest/gtest.h>

#include "bench/gpu_check/batch.hpp"

namespace stiction::gpu_check {
namespace {

constexpr int kEnvironments = 4, kSteps = 20;

/// A batch whose coordinates change in their last places before every call.
class Rounded : public Backend {
 public:
  explicit Rounded(std::unique_ptr<Backend> batch) : batch_(std::move(batch)) {}

  void step(int steps) override {
    change_last_places(0, kEnvironments, *batch_);
    batch_->step(steps);
  }
  void forward() override { batch_->forward(); }
  void place_bodies(std::span<const int> ids) override { batch_->place_bodies(ids); }
  void measure_energy() override { batch_->measure_energy(); }
  void measure_sensors() override { batch_->measure_sensors(); }
  RayHits cast_rays(const Rays& rays) override { return batch_->cast_rays(rays); }
  Linearization linearize(double smoothing) override { return batch_->linearize(smoothing); }
  FieldMemory memory(EnvField field) override { return batch_->memory(field); }
  void overwrite(EnvField field, const void* source) override { batch_->overwrite(field, source); }
  std::size_t length(EnvField field) const override { return batch_->length(field); }
  std::vector<double> read(EnvField field) const override { return batch_->read(field); }
  std::string device_name() const override { return batch_->device_name(); }
  std::size_t scratch_bytes() const override { return batch_->scratch_bytes(); }
  void write(std::span<const int> ids, std::span<const FieldRows> rows) override { batch_->write(ids, rows); }

 private:
  std::unique_ptr<Backend> batch_;
};

Scene boxes(const Choices& choices) { return with(checked_scene(SCENES, "pushed_boxes").scene, choices); }

std::unique_ptr<Backend> start(const Scene& scene) {
  return start_batch(scene, on("cpu", kEnvironments, Dtype::kFloat64));
}

Comparison compare_with_rounded(const Scene& scene) {
  return compare({[&] { return start(scene); }, [&] { return std::make_unique<Rounded>(start(scene)); }, kEnvironments,
                  Dtype::kFloat64},
                 kSteps);
}

Comparison compare_with(const Scene& scene, const Scene& of_device) {
  return compare({[&] { return start(scene); }, [&] { return start(of_device); }, kEnvironments, Dtype::kFloat64},
                 kSteps);
}

Scene with_longer_steps(Scene scene) {
  scene.step_size *= 1.001;
  return scene;
}

constexpr Choices kDetermined = {Dynamics::kQuasidynamic, ContactLaw::kAnitescu, ConeType::kBox,
                                 SolverName::kInteriorPoint, Dtype::kFloat64};
constexpr Choices kSensitive = {Dynamics::kQuasistatic, ContactLaw::kCoulomb, ConeType::kQuadratic,
                                SolverName::kInteriorPoint, Dtype::kFloat64};

TEST(Comparison, OfACourseThatTheHostDeterminesIsThatOfTheCourse) {
  const Comparison seen = compare_with_rounded(boxes(kDetermined));
  EXPECT_FALSE(seen.has_failed());
  EXPECT_GT(seen.share, 0.0);
  EXPECT_EQ(seen.undetermined, 0);
  EXPECT_EQ(seen.environments, kEnvironments);
}

TEST(Comparison, FindsADeviceThatStepsOtherwise) {
  const Scene scene = boxes(kDetermined);
  const Comparison seen = compare_with(scene, with_longer_steps(scene));
  EXPECT_TRUE(seen.has_failed());
  EXPECT_EQ(seen.undetermined, 0);
}

TEST(Comparison, OfACourseThatTheHostDoesNotDetermineIsThatOfItsSteps) {
  const Comparison seen = compare_with_rounded(boxes(kSensitive));
  EXPECT_FALSE(seen.has_failed());
  EXPECT_EQ(seen.undetermined, 1);
  EXPECT_GT(seen.undetermined_share, 1.0);
  EXPECT_EQ(seen.steps, kSteps);
  EXPECT_GT(seen.undetermined_steps, 0);
  EXPECT_LT(seen.undetermined_steps, kSteps / 2);
  EXPECT_EQ(seen.environments, kEnvironments);
}

TEST(Comparison, FindsADeviceThatStepsOtherwiseThereToo) {
  const Scene scene = boxes(kSensitive);
  const Comparison seen = compare_with(scene, with_longer_steps(scene));
  EXPECT_EQ(seen.undetermined, 1);
  EXPECT_TRUE(seen.has_failed());
}

}  // namespace
}  // namespace stiction::gpu_check
