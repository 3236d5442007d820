#include "host/record/partial_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "host/model/error.hpp"
#include "host/record/output_folder.hpp"

namespace stiction {
namespace {

[[noreturn]] void fail(const std::string& file, const std::string& reason) {
  throw InputError("cannot write " + file + ": " + reason);
}

/// Refuses names for which the final rename would be impossible or harmful, before any work is done.
void check_target(const std::string& name) {
  if (name.empty()) throw InputError("the output file needs a name");
  const std::filesystem::path path(name);
  std::error_code error;
  const auto target = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(target)) fail(name, "it is a directory");
  if (std::filesystem::exists(target) && !std::filesystem::is_regular_file(target)) fail(name, "not a regular file");
  make_folder_of(name);
}

/// False if another open file holds the lock; file systems without locks count as free.
bool take_lock(int descriptor) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

}  // namespace

PartialFile::PartialFile(std::string name) : name_(std::move(name)), partial_name_(name_ + ".partial") {
  check_target(name_);
  descriptor_ = open(partial_name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(partial_name_, std::strerror(errno));
  if (!take_lock(descriptor_)) {
    close(std::exchange(descriptor_, -1));
    fail(partial_name_, "another run is writing it");
  }
}

PartialFile::~PartialFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void PartialFile::reserve(std::uint64_t bytes) {
  if (bytes <= reserved_) return;
  const int error = posix_fallocate(descriptor_, static_cast<off_t>(reserved_), static_cast<off_t>(bytes - reserved_));
  const bool impossible = error == EOPNOTSUPP || error == EINVAL;  // this file system can not reserve space
  if (error != 0 && !impossible) fail(partial_name_, std::strerror(error));
  reserved_ = bytes;
}

void PartialFile::publish() {
  if (fsync(descriptor_) != 0 && errno != EINVAL) fail(partial_name_, std::strerror(errno));
  if (std::rename(partial_name_.c_str(), name_.c_str()) != 0) fail(name_, std::strerror(errno));
}

void PartialFile::remove() { unlink(partial_name_.c_str()); }

}  // namespace stiction
