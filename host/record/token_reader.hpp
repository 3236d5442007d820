// Numbers of a text file, one after the other, between white space.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stiction {

/// All errors are InputErrors of one line: the file, which number of what, and what stands there.
class TokenReader {
 public:
  /// `text` is the content of the file `name`.
  TokenReader(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

  const std::string& name() const { return name_; }
  /// From the first number again.
  void rewind() { position_ = 0; }

  /// Up to `count` words from here on, which are not passed over.
  std::vector<std::string_view> peek(std::size_t count) const;
  /// The next word. `what` says what is missing where the file ends.
  std::string_view word(const std::string& what);
  /// A whole number from `least` to `most`.
  int integer(const std::string& what, int least, int most);
  std::vector<int> integers(const std::string& what, std::size_t count, int least, int most);
  /// NaN and infinity are numbers.
  double number(const std::string& what);
  std::vector<double> numbers(const std::string& what, std::size_t count);

  /// Throws if numbers are left, other than so many that known(count) holds; words may be. `whole`: what should end
  /// here.
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
