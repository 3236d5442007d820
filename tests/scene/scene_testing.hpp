// What the tests of this room share: files beside them, errors as values, MuJoCo's own view of a model.
#pragma once

#include <cstdio>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/model/error.hpp"
#include "host/scene/scene.hpp"

namespace stiction::test {

/// A file of tests/scene.
inline std::string test_file(const std::string& name) {
  return std::string(STICTION_SOURCE_DIR) + "/tests/scene/" + name;
}

/// The message of the InputError that `load` throws, or "" if it throws none. Any other exception passes through.
template <class Load>
std::string error_of(const Load& load) {
  try {
    load();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

inline bool has_words(const std::string& message, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (message.find(word) == std::string::npos) return false;
  }
  return true;
}

inline bool is_one_line(const std::string& message) {
  return !message.empty() && message.find_first_of("\n\r") == std::string::npos;
}

using Truth = std::map<std::string, std::vector<double>>;

/// The arrays that mujoco_truth.py prints for a model file.
inline Truth run_mujoco_truth(const std::string& file) {
  const std::string command = std::string(STICTION_PYTHON) + " " + test_file("mujoco_truth.py") + " " + file;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  char block[4096];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, pipe)) > 0;) text.append(block, n);
  if (::pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  Truth truth;
  std::istringstream lines(text);
  std::string name;
  for (std::size_t count; lines >> name >> count;) {
    std::vector<double>& values = truth[name];
    for (std::string word; values.size() < count && lines >> word;) values.push_back(std::stod(word));
  }
  return truth;
}

/// The same, asked once a file.
inline const Truth& mujoco_truth(const std::string& file) {
  static std::map<std::string, Truth> known;
  const auto found = known.find(file);
  return found != known.end() ? found->second : known[file] = run_mujoco_truth(file);
}

inline std::vector<double> as_reals(const std::vector<int>& values) { return {values.begin(), values.end()}; }

}  // namespace stiction::test
