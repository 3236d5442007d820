#include "host/scene/mujoco_messages.hpp"

#include <cstdlib>

namespace stiction {
namespace {

bool starts_with(const std::string& text, const std::string& start) { return text.rfind(start, 0) == 0; }

/// The text between the first `open` and the next quote after it, or "".
std::string quoted_after(const std::string& text, const std::string& open) {
  const std::size_t first = text.find(open);
  if (first == std::string::npos) return "";
  const std::size_t begin = first + open.size();
  return text.substr(begin, text.find('\'', begin) - begin);
}

/// The text between `open` and the next blank.
std::string word_after(const std::string& text, const std::string& open) {
  const std::size_t first = text.find(open);
  if (first == std::string::npos) return "";
  const std::size_t begin = first + open.size();
  return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

/// The message without MuJoCo's prefixes and its lines about the element.
std::string sentence_of(std::string message) {
  if (starts_with(message, "XML parse error")) return "not well-formed XML (" + word_after(message, "Error=") + ")";
  for (const std::string prefix : {"XML Error: ", "Error: ", "ParseXML: "}) {
    if (starts_with(message, prefix)) message.erase(0, prefix.size());
  }
  for (const char* tail : {"\nElement name ", "\nElement "}) message = message.substr(0, message.find(tail));
  while (!message.empty() && (message.back() == '\n' || message.back() == '.')) message.pop_back();
  return message;
}

}  // namespace

std::string SourceFiles::of(const std::string& element_name) const {
  const std::pair<std::string, std::string>* best = nullptr;
  for (const auto& candidate : attached) {
    const bool matches = starts_with(element_name, candidate.first);
    if (matches && (!best || candidate.first.size() > best->first.size())) best = &candidate;
  }
  if (element_name.empty() && !attached.empty()) return "";
  return best ? best->second : file;
}

int line_in(const std::string& text) {
  for (const std::string mark : {"line ", "Line number="}) {
    const std::size_t found = text.rfind(mark);
    if (found != std::string::npos) return std::atoi(text.c_str() + found + mark.size());
  }
  return 0;
}

std::string at_line(const std::string& file, int line) { return line > 0 ? file + ":" + std::to_string(line) : file; }

std::string describe(const std::string& message, const SourceFiles& files) {
  const std::string element = quoted_after(message, "\nElement name '");
  const std::string kind = quoted_after(message, "\nElement '");
  const std::string source = files.of(element);
  const std::string where = source.empty() ? files.file : at_line(source, line_in(message));
  std::string sentence = sentence_of(message);
  if (!element.empty()) sentence += " (element '" + element + "')";
  if (!kind.empty()) sentence += " (element '" + kind + "')";
  if (sentence.find("'balanceinertia'") != std::string::npos)
    sentence += "; it is balanceinertia = true in [compiler] of scene.toml, and of MJCF";
  return where + ": " + sentence;
}

}  // namespace stiction
