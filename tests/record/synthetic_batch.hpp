// Rows whose every value says where it belongs, so that a misplaced one shows.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "host/record/recorder.hpp"

namespace stiction::test {

/// value = 1000 row + 10 env + 0.125 index: exact in both precisions for the sizes used here.
inline double marked_value(std::int64_t row, int env, int index) { return 1000.0 * row + 10.0 * env + 0.125 * index; }

/// Environment e has (row + e) % (max_contacts + 1) contacts and (row + e) % (max_patches + 1) patches.
class SyntheticBatch {
 public:
  explicit SyntheticBatch(const RecordingLayout& layout) : layout_(layout) {
    contacts_.max_contacts = layout.max_contacts;
    patches_.max_patches = layout.max_patches;
  }

  RecordedRow start() {
    fill_state(0);
    return {.time = 0.0, .qpos = qpos_, .qvel = qvel_, .ctrl = ctrl_, .mocap_pose = mocap_pose_};
  }

  RecordedRow row(std::int64_t row) {
    fill_state(row);
    fill_figures(row);
    fill_arrays(row, layout_.max_contacts, contacts_);
    fill_arrays(row, layout_.max_patches, patches_);
    return {0.25 * row, qpos_,        qvel_,      ctrl_,       status_,  iterations_,
            residual_,  penetration_, &contacts_, mocap_pose_, &patches_};
  }

  int contact_count(std::int64_t row, int env) const { return count(row, env, layout_.max_contacts); }
  int patch_count(std::int64_t row, int env) const { return count(row, env, layout_.max_patches); }

 private:
  static int count(std::int64_t row, int env, int slots) { return static_cast<int>((row + env) % (slots + 1)); }
  std::vector<double> marked(std::int64_t row, int length) const {
    std::vector<double> values;
    for (int env = 0; env < layout_.batch; ++env)
      for (int i = 0; i < length; ++i) values.push_back(marked_value(row, env, i));
    return values;
  }
  void fill_state(std::int64_t row) {
    qpos_ = marked(row, layout_.nq);
    qvel_ = marked(row, layout_.nv);
    ctrl_ = marked(row, layout_.nu);
    mocap_pose_ = marked(row, 7 * layout_.nmocap);
  }
  void fill_figures(std::int64_t row) {
    residual_ = penetration_ = marked(row, 1);
    status_.clear();
    iterations_.clear();
    for (int env = 0; env < layout_.batch; ++env) {
      status_.push_back(static_cast<std::uint32_t>(row * 100 + env));
      iterations_.push_back(static_cast<int>(row * 10 + env));
    }
  }
  /// Length values a slot, padding after the environment's count.
  std::vector<double> marked_slots(std::int64_t row, int slots, int length) const {
    auto values = marked(row, slots * length);
    for (int env = 0; env < layout_.batch; ++env)
      for (int i = count(row, env, slots) * length; i < slots * length; ++i)
        values[env * slots * length + i] = std::numeric_limits<double>::quiet_NaN();
    return values;
  }
  template <class Arrays>
  void fill_arrays(std::int64_t row, int slots, Arrays& arrays) const {
    arrays.count.clear();
    for (int env = 0; env < layout_.batch; ++env) arrays.count.push_back(count(row, env, slots));
    Arrays::visit([&](const ReadoutField& field, auto array) {
      auto& values = arrays.*array;
      values.clear();
      for (const double value : marked_slots(row, slots, field.numbers()))
        values.push_back(static_cast<typename std::decay_t<decltype(values)>::value_type>(
            std::isnan(value) ? field.padding : value));
    });
  }

  RecordingLayout layout_;
  std::vector<double> qpos_, qvel_, ctrl_, mocap_pose_, residual_, penetration_;
  std::vector<std::uint32_t> status_;
  std::vector<int> iterations_;
  ContactArrays contacts_;
  PatchArrays patches_;
};

}  // namespace stiction::test
