#include "host/record/hdf5_handle.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace stiction {
namespace {

struct ErrorText {
  std::string system;     // message of the operating system, from the first frame that quotes errno
  std::string innermost;  // message of the frame where the error arose
};

/// The part between the quotes of "error message = '...'", or nothing.
std::string quoted_system_error(const std::string& description) {
  const std::string opening = "error message = '";
  const auto begin = description.find(opening);
  if (begin == std::string::npos) return {};
  const auto end = description.find('\'', begin + opening.size());
  if (end == std::string::npos) return {};
  return description.substr(begin + opening.size(), end - begin - opening.size());
}

herr_t collect_error(unsigned, const H5E_error2_t* frame, void* data) {
  auto& text = *static_cast<ErrorText*>(data);
  const std::string description = frame->desc ? frame->desc : "";
  if (text.system.empty()) text.system = quoted_system_error(description);
  if (text.innermost.empty()) text.innermost = description;
  return 0;
}

}  // namespace

void silence_hdf5() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

void abandon_file(Hdf5Handle& file) noexcept {
  // HDF5 can not close a file without writing, so it gets a descriptor whose writes have no effect
  void* descriptor = nullptr;
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  const bool redirected = nowhere >= 0 && H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &descriptor) >= 0 &&
                          dup2(nowhere, *static_cast<int*>(descriptor)) >= 0;
  if (nowhere >= 0) close(nowhere);
  redirected ? static_cast<void>(file.close()) : static_cast<void>(file.release());
  H5Eclear2(H5E_DEFAULT);
}

std::string hdf5_version() {
  silence_hdf5();
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

std::string take_hdf5_error() {
  ErrorText text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect_error, &text);
  H5Eclear2(H5E_DEFAULT);
  if (!text.system.empty()) return text.system;
  return text.innermost.empty() ? "HDF5 gives no reason" : text.innermost;
}

}  // namespace stiction
