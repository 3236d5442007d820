#include "host/scene/mujoco_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "host/model/error.hpp"
#include "host/scene/mujoco_functions.hpp"
#include "host/scene/own_folder.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNames[] = {
#define X(name) #name,
    ST_MUJOCO_FUNCTIONS(X)
#undef X
};

constexpr int kMinor = mjVERSION_HEADER / 1000;  // 4000 for 4.0

std::string text_of_minor(int minor) { return std::to_string(minor / 1000) + "." + std::to_string(minor % 1000); }

std::string what_to_install() {
  return "pip install 'mujoco-core>=" + text_of_minor(kMinor) + ".0,<" + text_of_minor(kMinor + 1) + "'";
}

std::string& given_file() {
  static std::string file;
  return file;
}

/// The newest libmujoco.so.* in the folder; one of our minor release before all others. Empty if there is none.
std::string newest_in(const fs::path& folder) {
  const std::string stem = "libmujoco.so.", wanted = stem + text_of_minor(kMinor) + ".";
  std::vector<std::string> fitting, other;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(stem)) (name.starts_with(wanted) ? fitting : other).push_back(name);
  }
  const std::vector<std::string>& names = fitting.empty() ? other : fitting;
  const auto older = [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  };
  return names.empty() ? "" : (folder / *std::max_element(names.begin(), names.end(), older)).string();
}

std::string find_library() {
  if (!given_file().empty()) return given_file();
  if (const char* file = std::getenv("STICTION_MUJOCO_LIBRARY"); file && *file) return file;
  const fs::path own = own_folder();
  std::istringstream folders(STICTION_MUJOCO_FOLDERS);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::string file = newest_in(own / folder); !file.empty()) return file;
  throw InputError("MuJoCo's library was not found: " + what_to_install() +
                   ", or name the file in STICTION_MUJOCO_LIBRARY");
}

void* address_in(void* library, const char* name, const std::string& file) {
  if (void* address = dlsym(library, name)) return address;
  throw InputError("MuJoCo's library " + file + " has no function " + name + ": " + what_to_install());
}

std::vector<void*> load() {
  const std::string file = find_library();
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw InputError("MuJoCo's library cannot be loaded: " + std::string(dlerror()));
  const auto version = reinterpret_cast<int (*)()>(address_in(library, "mj_version", file));
  if (version() / 1000 != kMinor)
    throw InputError("MuJoCo's library " + file + " is of version " + text_of_minor(version() / 1000) + "." +
                     std::to_string(version() % 1000) + ", which does not fit: " + what_to_install());
  std::vector<void*> addresses;
  for (const char* name : kNames) addresses.push_back(address_in(library, name, file));
  return addresses;
}

}  // namespace

void use_mujoco_library(const std::string& file) { given_file() = file; }

void* mujoco_function(int number) {
  static const std::vector<void*> addresses = load();
  return addresses[static_cast<std::size_t>(number)];
}

}  // namespace stiction
