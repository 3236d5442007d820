#include "host/record/token_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/model/error.hpp"

namespace stiction {
namespace {

constexpr const char* kSpace = " \t\r\n\f\v";
constexpr std::size_t kQuoted = 24;  // most characters of a word that a message quotes

std::string quoted(std::string_view word) {
  return "'" + std::string(word.substr(0, kQuoted)) + (word.size() > kQuoted ? "...'" : "'");
}

/// True if the whole word is a number.
template <class Number>
bool parse(std::string_view word, Number& value) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

void TokenReader::fail(const std::string& text) const { throw InputError(name_ + ": " + text); }

std::string_view TokenReader::next() {
  const std::size_t begin = std::min(text_.find_first_not_of(kSpace, position_), text_.size());
  position_ = std::min(text_.find_first_of(kSpace, begin), text_.size());
  return std::string_view(text_).substr(begin, position_ - begin);
}

std::vector<std::string_view> TokenReader::peek(std::size_t count) const {
  std::vector<std::string_view> words;
  const std::string_view text = text_;
  for (std::size_t end = position_; words.size() < count;) {
    const std::size_t begin = std::min(text.find_first_not_of(kSpace, end), text.size());
    end = std::min(text.find_first_of(kSpace, begin), text.size());
    if (begin == end) break;
    words.push_back(text.substr(begin, end - begin));
  }
  return words;
}

std::string_view TokenReader::word(const std::string& what) {
  const std::string_view found = next();
  if (found.empty()) fail("ends before " + what);
  return found;
}

int TokenReader::integer(const std::string& what, int least, int most) {
  const std::string_view found = word(what);
  int value = 0;
  if (!parse(found, value)) fail(what + " is not a whole number: " + quoted(found));
  if (value < least || value > most)
    fail(what + ": expected " + std::to_string(least) + " to " + std::to_string(most) + ", given " +
         std::string(found));
  return value;
}

std::vector<int> TokenReader::integers(const std::string& what, std::size_t count, int least, int most) {
  std::vector<int> values;
  for (std::size_t k = 1; k <= count; ++k)
    values.push_back(integer("value " + std::to_string(k) + " of " + what, least, most));
  return values;
}

double TokenReader::number(const std::string& what) {
  const std::string_view found = word(what);
  double value = 0.0;
  if (!parse(found, value)) fail(what + " is not a number: " + quoted(found));
  return value;
}

std::vector<double> TokenReader::numbers(const std::string& what, std::size_t count) {
  std::vector<double> values;
  for (double value = 0.0; values.size() < count; values.push_back(value)) {
    const std::string_view found = next();
    const std::string place = std::to_string(values.size() + 1) + " of ";
    if (found.empty()) fail("ends before value " + place + "the " + std::to_string(count) + " of " + what);
    if (!parse(found, value)) fail("value " + place + what + " is not a number: " + quoted(found));
  }
  return values;
}

/// The number of the word's line, counted from 1.
int TokenReader::line_of(std::string_view word) const {
  return 1 + static_cast<int>(std::count(text_.data(), word.data(), '\n'));
}

void TokenReader::expect_end(const std::string& whole, const std::function<bool(std::size_t)>& known) {
  const std::string_view first = next();
  double value = 0.0;
  std::size_t count = 0;
  for (std::string_view word = first; !word.empty() && parse(word, value); word = next()) ++count;
  if (count == 0 || known(count)) return;
  throw InputError(name_ + ":" + std::to_string(line_of(first)) + ": the number " + quoted(first) +
                   " follows the end of " + whole + ": only words may follow");
}

std::string read_file(const std::string& file) {
  if (std::filesystem::is_directory(file)) throw InputError("cannot read " + file + ": it is a directory");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw InputError("cannot read " + file + ": " + std::strerror(errno));
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (in.bad()) throw InputError("cannot read " + file + ": " + std::strerror(errno));
  return text;
}

}  // namespace stiction
