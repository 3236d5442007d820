// How large an MJCF model becomes, estimated from its text: a single line with <replicate>, <attach> or a grid of
// vertices can ask for millions of elements. MuJoCo makes them one by one, in a time that grows with their square,
// before it reports anything.
#pragma once

#include <string>

namespace stiction {

/// Default of `max_elements` in scene.toml: the most bodies, geoms, sites, frames, cameras and lights of a model, plus
/// the models that it attaches and includes. MuJoCo needs about ten seconds for that many copies of one body.
constexpr int kMaxElements = 10000;

/// Counts the elements of models against a limit. Replicated elements count as often as they are replicated, and those
/// of included and attached files count too. Text that is not well-formed is counted up to the error.
class ModelSize {
 public:
  explicit ModelSize(int max_elements) : max_elements_(max_elements) {}

  /// Adds a model file with all that it includes and attaches; files that cannot be read count nothing. Throws
  /// InputError with the line at which the elements become too many.
  void add_file(const std::string& file);
  /// The same for text; messages call it `name`. Files are relative to the working directory.
  void add_text(const std::string& text, const std::string& name);

 private:
  int max_elements_;
  double elements_ = 0.0;
};

}  // namespace stiction
