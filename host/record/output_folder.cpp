#include "host/record/output_folder.hpp"

#include <filesystem>

#include "host/model/error.hpp"

namespace stiction {

void make_folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (folder.empty()) return;
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return;
  if (std::filesystem::exists(folder, error))
    throw InputError("cannot write " + file + ": " + folder.string() + " is not a directory");
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError("cannot write " + file + ": the folder " + folder.string() +
                     " cannot be made: " + error.message());
}

}  // namespace stiction
