// How large an MJCF model becomes, told from its text: a line with <replicate>, <attach> or a grid of vertices asks for
// millions of elements, which MuJoCo makes one by one, in a time that grows with their square, before it says a word.
#pragma once

#include <string>

namespace stiction {

/// `max_elements` of scene.toml: bodies, geoms, sites, frames, cameras and lights of a model, and how often it
/// attaches and includes others. That many copies of one body take MuJoCo about ten seconds.
constexpr int kMaxElements = 10000;

/// Counts the elements of models against a limit, replicated ones as often as they are replicated, included and
/// attached files with theirs. Text that is not well-formed is counted as far as it goes.
class ModelSize {
 public:
  explicit ModelSize(int max_elements) : max_elements_(max_elements) {}

  /// Adds a model file with all that it includes and attaches; what cannot be read counts nothing. Throws InputError
  /// with the line at which there are too many.
  void add_file(const std::string& file);
  /// The same for text; `name` is for messages. Files are relative to the working directory.
  void add_text(const std::string& text, const std::string& name);

 private:
  int max_elements_;
  double elements_ = 0.0;
};

}  // namespace stiction
