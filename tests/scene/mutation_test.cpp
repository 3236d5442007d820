// Mutated scenes: loading succeeds or throws an InputError of one line, whatever the bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/scene/scene_testing.hpp"
#include "tests/support/models.hpp"

namespace stiction::test {
namespace {

namespace fs = std::filesystem;

/// Mutations of all folders together; ten times as many with ST_FULL=1.
int mutations() { return std::getenv("ST_FULL") ? 20000 : 2000; }

/// The k-th number of a fixed sequence (splitmix64).
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

 private:
  std::uint64_t state_;
};

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string mutate_bytes(std::string text, Sequence& random) {
  static const std::string kLikely = "\"'<>[]{}=.,-+e0123456789 \n/_#";
  for (std::size_t edits = 1 + random.below(4); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = random.below(text.size());
    switch (random.below(4)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text[at] = kLikely[random.below(kLikely.size())];
        break;
      case 2:
        text.erase(at, 1 + random.below(8));
        break;
      default:
        text.insert(at, 1, kLikely[random.below(kLikely.size())]);
    }
  }
  return text;
}

std::string mutate_lines(const std::string& text, Sequence& random) {
  std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) return text;
  const std::size_t a = random.below(lines.size()), b = random.below(lines.size());
  switch (random.below(4)) {
    case 0:
      lines.erase(lines.begin() + static_cast<long>(a));
      break;
    case 1:
      lines.insert(lines.begin() + static_cast<long>(b), lines[a]);
      break;
    case 2:
      std::swap(lines[a], lines[b]);
      break;
    default:
      lines.resize(a);
  }
  std::string result;
  for (const std::string& line : lines) result += line + "\n";
  return result;
}

/// A folder of scene files that is copied, one file mutated, and loaded.
class MutatedScene : public testing::TestWithParam<std::string> {
 protected:
  fs::path source = fs::path(STICTION_SOURCE_DIR) / "tests/scene/valid" / GetParam();
  fs::path folder = fs::path(write_temporary("marker", "")).parent_path() / ("mutated_" + GetParam());

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(source)) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  }
};

TEST_P(MutatedScene, LoadsOrSaysWhyInOneLine) {
  fs::create_directories(folder);
  const std::vector<fs::path> originals = files();
  for (const fs::path& file : originals)
    fs::copy_file(file, folder / file.filename(), fs::copy_options::overwrite_existing);
  ASSERT_EQ(error_of([&] { load_scene(folder.string()); }), "");
  Sequence random(17);
  int refused = 0;
  for (int k = 0; k < mutations() / 5; ++k) {
    const fs::path original = originals[random.below(originals.size())];
    const std::string text = read_file(original);
    const std::string mutated = k % 2 ? mutate_lines(text, random) : mutate_bytes(text, random);
    std::ofstream(folder / original.filename(), std::ios::binary) << mutated;
    const std::string message = error_of([&] { validate(load_scene(folder.string())); });
    if (!message.empty()) {
      ++refused;
      EXPECT_TRUE(is_one_line(message)) << k << ": " << message;
    }
    fs::copy_file(original, folder / original.filename(), fs::copy_options::overwrite_existing);
  }
  EXPECT_GT(refused, mutations() / 40);  // the mutations reach what is checked
}

INSTANTIATE_TEST_SUITE_P(OfFolder, MutatedScene,
                         testing::Values("slider", "arm_and_hand", "urdf", "many_features", "scripted"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace stiction::test
