// What is recorded is what was appended: shapes, places, padding, attributes.
#include "host/record/recorder.hpp"

#include <chrono>
#include <thread>

#include "host/record/recording_reader.hpp"
#include "tests/record/recording_files.hpp"
#include "tests/record/synthetic_batch.hpp"

namespace stiction::test {
namespace {

using Shape = std::vector<std::int64_t>;

RecordingLayout small_layout(RecordLevel level = RecordLevel::kContacts) {
  return {.level = level,
          .batch = 5,
          .nq = 4,
          .nv = 3,
          .nu = 2,
          .nmocap = 2,
          .max_contacts = 37,
          .max_patches = 3,
          .expected_rows = 7};
}

void record(const std::string& file, const RecordingLayout& layout, std::int64_t rows,
            const std::vector<RecordingAttribute>& attributes = {}, const RecordingConstants& constants = {}) {
  SyntheticBatch batch(layout);
  Recorder recorder(file, layout, attributes, constants);
  recorder.append(batch.start());
  for (std::int64_t row = 1; row < rows; ++row) recorder.append(batch.row(row));
  recorder.finish();
}

void expect_marked(const RecordingReader& reader, const std::string& name, std::int64_t row,
                   const std::vector<int>& envs, int length) {
  const auto values = reader.read(name, row);
  ASSERT_EQ(values.size(), envs.size() * length) << name;
  for (std::size_t i = 0; i < envs.size(); ++i)
    for (int k = 0; k < length; ++k)
      ASSERT_EQ(values[i * length + k], marked_value(row, envs[i], k)) << name << " env " << envs[i] << " item " << k;
}

void expect_marked_slots(const RecordingReader& reader, const std::string& name, std::int64_t row,
                         const RecordingLayout& layout, int length) {
  const SyntheticBatch batch(layout);
  const auto values = reader.read("contact/" + name, row);
  const int width = layout.max_contacts * length;
  for (int env = 0; env < layout.batch; ++env)
    for (int k = 0; k < width; ++k) {
      const double value = values[env * width + k];
      if (k < batch.contact_count(row, env) * length)
        ASSERT_EQ(value, marked_value(row, env, k)) << name << " env " << env << " item " << k;
      else
        ASSERT_TRUE(std::isnan(value)) << name << " env " << env << " item " << k;
    }
}

class RecorderFile : public RecordingFiles {};

TEST_F(RecorderFile, HasTheStatedShapes) {
  record(path("a.h5"), small_layout(), 7);
  const RecordingReader reader(path("a.h5"));
  EXPECT_EQ(reader.rows(), 7);
  EXPECT_EQ(reader.shape("time"), (Shape{7}));
  EXPECT_EQ(reader.shape("qpos"), (Shape{7, 5, 4}));
  EXPECT_EQ(reader.shape("qvel"), (Shape{7, 5, 3}));
  EXPECT_EQ(reader.shape("ctrl"), (Shape{7, 5, 2}));
  EXPECT_EQ(reader.shape("mocap_pose"), (Shape{7, 5, 2, 7}));
  for (const char* name : {"status", "iterations", "residual", "penetration", "contact/count"})
    EXPECT_EQ(reader.shape(name), (Shape{7, 5})) << name;
  for (const char* name : {"gap", "gap_next", "torsion"})
    EXPECT_EQ(reader.shape(std::string("contact/") + name), (Shape{7, 5, 37})) << name;
  EXPECT_EQ(reader.shape("contact/geom"), (Shape{7, 5, 37, 2}));
  EXPECT_EQ(reader.shape("contact/position"), (Shape{7, 5, 37, 3}));
  EXPECT_EQ(reader.shape("contact/frame"), (Shape{7, 5, 37, 3, 3}));
  EXPECT_EQ(reader.shape("contact/force"), (Shape{7, 5, 37, 3}));
  EXPECT_EQ(reader.shape("patch/count"), (Shape{7, 5}));
  for (const char* name : {"torsion", "active_faces"})
    EXPECT_EQ(reader.shape(std::string("patch/") + name), (Shape{7, 5, 3})) << name;
  EXPECT_EQ(reader.shape("patch/geom"), (Shape{7, 5, 3, 2}));
  for (const char* name : {"point", "force"})
    EXPECT_EQ(reader.shape(std::string("patch/") + name), (Shape{7, 5, 3, 3})) << name;
  EXPECT_EQ(reader.shape("patch/frame"), (Shape{7, 5, 3, 3, 3}));
}

TEST_F(RecorderFile, HoldsEveryPatchInItsPlaceAndPadsBehindThem) {
  auto layout = small_layout();
  layout.envs = {3, 1};
  record(path("a.h5"), layout, 7);
  const RecordingReader reader(path("a.h5"));
  const SyntheticBatch batch(layout);
  for (std::int64_t row = 1; row < 7; ++row)
    for (const ReadoutField& field : patch_fields()) {
      const auto values = reader.read(std::string("patch/") + field.name, row);
      const int width = layout.max_patches * field.numbers();
      for (int i = 0; i < 2; ++i) {
        const int env = layout.envs[i], count = batch.patch_count(row, env);
        ASSERT_EQ(reader.read("patch/count", row)[i], count);
        for (int k = 0; k < width; ++k) {
          const double value = values[i * width + k], marked = marked_value(row, env, k);
          if (k >= count * field.numbers())
            ASSERT_TRUE(field.is_real ? std::isnan(value) : value == -1.0) << field.name << " row " << row;
          else
            ASSERT_EQ(value, field.is_real ? marked : std::floor(marked)) << field.name << " row " << row;
        }
      }
    }
  EXPECT_EQ(reader.read("patch/count", 0), (std::vector<double>{0, 0}));
  for (const double point : reader.read("patch/point", 0)) EXPECT_TRUE(std::isnan(point));
}

TEST_F(RecorderFile, HasNoGroupOfPatchesWhereThereAreNone) {
  auto layout = small_layout();
  layout.max_patches = 0;
  record(path("points.h5"), layout, 3);
  record(path("state.h5"), small_layout(RecordLevel::kState), 3);
  for (const char* file : {"points.h5", "state.h5"}) {
    EXPECT_EQ(RecordingReader(path(file)).rows(), 3);
    const Hdf5Handle opened(H5Fopen(path(file).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    EXPECT_EQ(H5Lexists(opened.get(), "patch", H5P_DEFAULT), 0) << file;
  }
}

TEST_F(RecorderFile, HoldsEveryValueInItsPlaceInBothPrecisions) {
  for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
    auto layout = small_layout();
    layout.dtype = dtype;
    record(path("a.h5"), layout, 7);
    const RecordingReader reader(path("a.h5"));
    const std::vector<int> envs = {0, 1, 2, 3, 4};
    for (std::int64_t row = 1; row < 7; ++row) {
      EXPECT_EQ(reader.read("time", row), std::vector<double>{0.25 * row});
      expect_marked(reader, "qpos", row, envs, 4);
      expect_marked(reader, "qvel", row, envs, 3);
      expect_marked(reader, "ctrl", row, envs, 2);
      expect_marked(reader, "mocap_pose", row, envs, 14);
      expect_marked(reader, "residual", row, envs, 1);
      expect_marked(reader, "penetration", row, envs, 1);
      for (const char* name : {"gap", "gap_next"}) expect_marked_slots(reader, name, row, layout, 1);
      for (const char* name : {"position", "force"}) expect_marked_slots(reader, name, row, layout, 3);
      expect_marked_slots(reader, "frame", row, layout, 9);
      for (int env = 0; env < 5; ++env) {
        EXPECT_EQ(reader.read("status", row)[env], row * 100 + env);
        EXPECT_EQ(reader.read("iterations", row)[env], row * 10 + env);
        EXPECT_EQ(reader.read("contact/count", row)[env], SyntheticBatch(layout).contact_count(row, env));
      }
    }
  }
}

TEST_F(RecorderFile, PadsGeomWithMinusOneAndTorsionWithNan) {
  const auto layout = small_layout();
  record(path("a.h5"), layout, 3);
  const RecordingReader reader(path("a.h5"));
  const auto geom = reader.read("contact/geom", 2), torsion = reader.read("contact/torsion", 2);
  for (int env = 0; env < 5; ++env)
    for (int slot = 0; slot < 37; ++slot) {
      const bool used = slot < SyntheticBatch(layout).contact_count(2, env);
      const int at = env * 37 + slot;
      EXPECT_EQ(geom[2 * at], used ? std::floor(marked_value(2, env, 2 * slot)) : -1.0);
      EXPECT_EQ(std::isnan(torsion[at]), !used);
      if (used) {
        EXPECT_EQ(torsion[at], marked_value(2, env, slot));
      }
    }
}

TEST_F(RecorderFile, BeginsWithTheStartAndNoStepOutputs) {
  record(path("a.h5"), small_layout(), 2);
  const RecordingReader reader(path("a.h5"));
  expect_marked(reader, "qpos", 0, {0, 1, 2, 3, 4}, 4);
  for (int env = 0; env < 5; ++env) {
    EXPECT_EQ(reader.read("status", 0)[env], 0.0);
    EXPECT_EQ(reader.read("iterations", 0)[env], 0.0);
    EXPECT_EQ(reader.read("contact/count", 0)[env], 0.0);
    EXPECT_TRUE(std::isnan(reader.read("residual", 0)[env]));
    EXPECT_TRUE(std::isnan(reader.read("penetration", 0)[env]));
  }
  for (const double gap : reader.read("contact/gap", 0)) EXPECT_TRUE(std::isnan(gap));
  for (const double geom : reader.read("contact/geom", 0)) EXPECT_EQ(geom, -1.0);
}

TEST_F(RecorderFile, KeepsOnlyTheChosenEnvironmentsInTheirOrder) {
  auto layout = small_layout();
  layout.envs = {3, 1};
  record(path("a.h5"), layout, 4);
  const RecordingReader reader(path("a.h5"));
  EXPECT_EQ(reader.shape("qpos"), (Shape{4, 2, 4}));
  expect_marked(reader, "qpos", 3, {3, 1}, 4);
  EXPECT_EQ(reader.read("contact/count", 3), (std::vector<double>{6, 4}));
}

TEST_F(RecorderFile, OfALongRunIsTheSameAcrossChunks) {
  auto layout = small_layout();
  layout.expected_rows = 3000;
  record(path("a.h5"), layout, 3000);
  const RecordingReader reader(path("a.h5"));
  EXPECT_EQ(reader.rows(), 3000);
  for (const std::int64_t row : {1, 255, 256, 257, 1023, 2048, 2999}) {
    expect_marked(reader, "qpos", row, {0, 1, 2, 3, 4}, 4);
    expect_marked_slots(reader, "frame", row, layout, 9);
  }
}

TEST_F(RecorderFile, GrowsBeyondTheExpectedRows) {
  auto layout = small_layout(RecordLevel::kState);
  layout.expected_rows = 2;
  record(path("a.h5"), layout, 500);
  const RecordingReader reader(path("a.h5"));
  EXPECT_EQ(reader.rows(), 500);
  expect_marked(reader, "qpos", 499, {0, 1, 2, 3, 4}, 4);
}

TEST_F(RecorderFile, MayHaveNoActuatorsNoContactsAndNothingThatIsConstant) {
  auto layout = small_layout();
  layout.nu = layout.nmocap = layout.max_contacts = 0;
  record(path("a.h5"), layout, 3);
  const RecordingReader reader(path("a.h5"));
  EXPECT_EQ(reader.shape("ctrl"), (Shape{3, 5, 0}));
  for (const char* name : {"mocap_pose", "model", "geom_friction"})
    EXPECT_NE(input_error([&] { reader.shape(name); }), "") << name;
  EXPECT_EQ(reader.shape("contact/force"), (Shape{3, 5, 0, 3}));
  expect_marked(reader, "qpos", 2, {0, 1, 2, 3, 4}, 4);
}

TEST_F(RecorderFile, HasNoMoreThanTheLevelAsksFor) {
  record(path("none.h5"), small_layout(RecordLevel::kNone), 3);
  record(path("state.h5"), small_layout(RecordLevel::kState), 3);
  const RecordingReader none(path("none.h5")), state(path("state.h5"));
  EXPECT_EQ(none.shape("residual"), (Shape{3, 5}));
  EXPECT_NE(input_error([&] { none.shape("qpos"); }), "");
  EXPECT_EQ(state.shape("qpos"), (Shape{3, 5, 4}));
  EXPECT_NE(input_error([&] { state.shape("contact/count"); }), "");
}

TEST_F(RecorderFile, KeepsTheModelByteForByteAndTheFrictionOfTheChosenEnvironments) {
  auto layout = small_layout(RecordLevel::kNone);
  layout.envs = {3, 1};
  std::vector<std::byte> model(3u << 20);  // of several chunks
  for (std::size_t i = 0; i < model.size(); ++i) model[i] = static_cast<std::byte>((i * i + i / 251) & 255);
  std::vector<double> friction;  // of two geoms
  for (int env = 0; env < layout.batch; ++env)
    for (int k = 0; k < 6; ++k) friction.push_back(marked_value(0, env, k));
  record(path("a.h5"), layout, 2, {}, {model, friction});
  const RecordingReader reader(path("a.h5"));
  ASSERT_EQ(reader.shape("model"), Shape{3 << 20});
  ASSERT_EQ(reader.shape("geom_friction"), (Shape{2, 2, 3}));
  for (std::int64_t at = 0; at < 3 << 20; at += 4099)
    ASSERT_EQ(reader.read("model", at), std::vector<double>{1.0 * std::to_integer<int>(model[at])}) << at;
  for (int k = 0; k < 6; ++k) {
    EXPECT_EQ(reader.read("geom_friction", 0)[k], marked_value(0, 3, k));
    EXPECT_EQ(reader.read("geom_friction", 1)[k], marked_value(0, 1, k));
  }
}

TEST_F(RecorderFile, KeepsTextOfAnyLength) {
  const std::string model(1 << 20, 'x');
  record(path("a.h5"), small_layout(), 2,
         {{"model_xml", model}, {"geom_names", std::vector<std::string>(20000, "geom")}, {"scene", std::string("µ")}});
  const RecordingReader reader(path("a.h5"));
  EXPECT_EQ(reader.text("model_xml"), model);
  EXPECT_EQ(reader.text("scene"), "µ");
}

TEST_F(RecorderFile, IsTheSameBytesForTheSameRunAtAnotherTime) {
  record(path("a.h5"), small_layout(), 7, {{"step_size", 0.1}});
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5 counts time in seconds
  record(path("b.h5"), small_layout(), 7, {{"step_size", 0.1}});
  EXPECT_TRUE(read_text(path("a.h5")) == read_text(path("b.h5")));
}

TEST_F(RecorderFile, SpendsNoSpaceOnContactSlotsThatNobodyUses) {
  auto few = small_layout();
  few.max_patches = 0;
  auto many = few;
  many.max_contacts = 4000;
  const auto size = [&](const RecordingLayout& layout) {
    SyntheticBatch batch(few);
    Recorder recorder(path("a.h5"), layout, {});
    recorder.append(batch.start());
    auto row = batch.row(1);
    ContactArrays contacts = *row.contacts;
    contacts.max_contacts = layout.max_contacts;
    contacts.count.assign(layout.batch, 1);
    const std::size_t slots = static_cast<std::size_t>(layout.batch) * layout.max_contacts;
    ContactArrays::visit([&](const ContactField& field, auto array) {
      (contacts.*array).assign(slots * static_cast<std::size_t>(field.numbers()), 1);
    });
    row.contacts = &contacts;
    for (int i = 0; i < 6; ++i) recorder.append(row);
    recorder.finish();
    return std::filesystem::file_size(path("a.h5"));
  };
  EXPECT_LT(size(many), 2 * size(few));
}

}  // namespace
}  // namespace stiction::test
