// Numbers of a text file, one after the other, between white space.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

/// Reads the numbers. All errors are InputErrors of one line: the file, which number of what is wrong, and the text
/// there.
class TokenReader {
 public:
  /// `text` is the content of the file `name`.
  TokenReader(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

  const std::string& name() const { return name_; }
  /// Starts again from the first number.
  void rewind() { position_ = 0; }

  /// Up to `count` words from here on, without advancing.
  std::vector<std::string_view> peek(std::size_t count) const;
  /// The next word. `what` names what is missing if the file ends here.
  std::string_view word(const std::string& what);
  /// A whole number from `least` to `most`.
  int integer(const std::string& what, int least, int most);
  std::vector<int> integers(const std::string& what, std::size_t count, int least, int most);
  /// A number; NaN and infinity are allowed.
  double number(const std::string& what);
  std::vector<double> numbers(const std::string& what, std::size_t count);

  /// Throws if `count` > 0 numbers are left, unless known(count) is true; words may be left. `whole` names what should
  /// end here.
  void expect_end(const std::string& whole, const std::function<bool(std::size_t)>& known);

  /// Throws the InputError "name: text".
  [[noreturn]] void fail(const std::string& text) const;

 private:
  std::string_view next();
  int line_of(std::string_view word) const;

  std::string name_, text_;
  std::size_t position_ = 0;
};

/// The content of a file. Throws InputError.
std::string read_file(const std::string& file);

}  // namespace stiction
