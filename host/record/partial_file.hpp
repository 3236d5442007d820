// An output file that appears under its name only when it is complete.
//
// Until then it is NAME.partial in the same directory, locked against a second writer. If NAME exists, it keeps its old
// content until then.
#pragma once

#include <cstdint>
#include <string>

namespace stiction {

class PartialFile {
 public:
  /// Creates NAME.partial. Throws InputError, and leaves nothing on the disk, if `name` could not be written there.
  explicit PartialFile(std::string name);
  /// Does not change or delete NAME.partial.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  const std::string& name() const { return name_; }
  const std::string& partial_name() const { return partial_name_; }

  /// Reserves disk space for the first `bytes` of NAME.partial, so that writes within them can not fail for lack of
  /// space. Throws InputError.
  void reserve(std::uint64_t bytes);
  /// Forces the content to the disk and renames it to `name`. Throws InputError.
  void publish();
  /// Deletes NAME.partial.
  void remove();

 private:
  std::string name_, partial_name_;
  int descriptor_ = -1;         // holds the lock
  std::uint64_t reserved_ = 0;  // [bytes]
};

}  // namespace stiction
