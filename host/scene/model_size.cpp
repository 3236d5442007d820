#include "host/scene/model_size.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "host/model/error.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

constexpr int kMostNesting = 32;  // levels of included files; a file that includes itself would never end

/// Most samples of one height field or texture: 64 MB in single precision. MuJoCo allocates them while it reads the
/// model, and ends the process if it gets no memory.
constexpr double kMostSamples = 1 << 24;

/// A start tag, an end tag, or one that is both.
struct Tag {
  std::string_view name;
  std::map<std::string_view, std::string_view> attributes;
  bool opens = false, closes = false;
  int line = 0;
};

/// The tags of an XML text in their order; comments, declarations and text between tags are passed over.
class TagReader {
 public:
  explicit TagReader(std::string_view text) : text_(text) {}

  std::optional<Tag> next() {
    for (;;) {
      move_to(text_.find('<', position_));
      if (position_ == text_.size()) return std::nullopt;
      if (!skip("<!--", "-->") && !skip("<![CDATA[", "]]>") && !skip("<?", "?>") && !skip("<!", ">")) return read_tag();
    }
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void move_to(std::size_t position) {
    position = std::min(position, text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + position_, text_.begin() + position, '\n'));
    position_ = position;
  }

  bool skip(std::string_view begin, std::string_view end) {
    if (text_.substr(position_, begin.size()) != begin) return false;
    const std::size_t found = text_.find(end, position_ + begin.size());
    move_to(found == std::string_view::npos ? found : found + end.size());
    return true;
  }

  std::string_view read_until(std::string_view stops) {
    const std::size_t begin = position_;
    move_to(text_.find_first_of(stops, position_));
    return text_.substr(begin, position_ - begin);
  }

  Tag read_tag() {
    Tag tag;
    tag.line = line_;
    move_to(position_ + 1);
    tag.closes = position_ < text_.size() && text_[position_] == '/';
    tag.opens = !tag.closes;
    if (tag.closes) move_to(position_ + 1);
    tag.name = read_until(" \t\r\n/>");
    while (position_ < text_.size() && text_[position_] != '>') read_attribute(tag);
    move_to(position_ + 1);
    return tag;
  }

  /// name="value", or a slash or blank.
  void read_attribute(Tag& tag) {
    if (text_[position_] == '/') tag.closes = true;
    if (text_[position_] == '/' || is_space(text_[position_])) return move_to(position_ + 1);
    std::string_view name = read_until("=>");
    while (!name.empty() && is_space(name.back())) name.remove_suffix(1);
    move_to(text_.find_first_of("\"'>", position_));
    if (position_ == text_.size() || text_[position_] == '>') return;
    const std::string_view quote = text_.substr(position_, 1);
    move_to(position_ + 1);
    tag.attributes[name] = read_until(quote);
    move_to(position_ + 1);
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
};

std::string attribute(const Tag& tag, const std::string& name) {
  const auto found = tag.attributes.find(name);
  return found == tag.attributes.end() ? "" : std::string(found->second);
}

/// The product of an attribute's numbers, each of which counts as at least 1; numbers that are spelt with character
/// references count as more than any limit.
double product(const Tag& tag, const std::string& name) {
  const std::string text = attribute(tag, name);
  if (text.find('&') != std::string::npos) return std::numeric_limits<double>::infinity();
  double result = 1.0, number = 0.0;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    while (at != end && (std::isspace(static_cast<unsigned char>(*at)) || *at == '+')) ++at;
    const auto [next, failed] = std::from_chars(at, end, number);
    if (failed == std::errc::invalid_argument) return result;
    result *= failed == std::errc() ? std::max(number, 1.0) : std::numeric_limits<double>::infinity();
    at = next;
  }
}

std::optional<std::string> read_whole(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// One model with the files that it names; a file is counted at each place that names it.
class Counter {
 public:
  Counter(fs::path folder, int max_elements, double& elements)
      : folder_(std::move(folder)), max_elements_(max_elements), elements_(elements) {}

  /// Counts the elements of `text`, each `copies` times.
  void count(const std::string& text, const std::string& name, double copies, int depth = 0) {
    TagReader reader(text);
    std::vector<double> outside;  // number of copies outside each open <replicate>
    while (const auto tag = reader.next()) {
      const std::string where = name + ":" + std::to_string(tag->line);
      if (tag->opens) open(*tag, where, copies, depth);
      if (tag->name == "worldbody") worlds_ += tag->opens - tag->closes;
      if (tag->name != "replicate") continue;
      if (tag->opens) outside.push_back(copies), copies *= product(*tag, "count");
      if (tag->closes && !outside.empty()) copies = outside.back(), outside.pop_back();
    }
  }

 private:
  void open(const Tag& tag, const std::string& where, double copies, int depth) {
    if (tag.name == "hfield") check_samples(tag, where, product(tag, "nrow") * product(tag, "ncol"));
    if (tag.name == "texture") check_samples(tag, where, product(tag, "width") * product(tag, "height"));
    if (tag.name == "size") add_sizes(tag, where);
    if (tag.name == "numeric" && tag.attributes.contains("size")) add(where, product(tag, "size"));
    if (tag.name == "model") models_[attribute(tag, "name")] = attribute(tag, "file");
    if (tag.name == "flexcomp") add(where, copies * product(tag, "count"));
    if (worlds_ > 0 && is_element(tag.name)) add(where, copies);
    if (tag.name == "include") include(attribute(tag, "file"), copies, depth);
    if (tag.name == "attach") attach(models_[attribute(tag, "model")], copies, depth);
  }

  static bool is_element(std::string_view name) {
    return name == "body" || name == "geom" || name == "site" || name == "frame" || name == "camera" ||
           name == "light" || name == "attach" || name == "include";
  }

  /// Counts what <size> asks for: keyframes, and numbers that a user adds to every element of a kind.
  void add_sizes(const Tag& tag, const std::string& where) {
    for (const auto& [name, value] : tag.attributes)
      if (name == "nkey" || name.starts_with("nuser_")) add(where, product(tag, std::string(name)));
  }

  void add(const std::string& where, double count) {
    elements_ += count;
    if (elements_ <= max_elements_) return;
    std::ostringstream least;
    least << elements_;
    throw InputError(where + ": the model has " + least.str() +
                     " elements or more with what it replicates, includes and attaches, at most max_elements = " +
                     std::to_string(max_elements_) + " are allowed: raise that key of scene.toml");
  }

  static void check_samples(const Tag& tag, const std::string& where, double samples) {
    if (samples <= kMostSamples) return;
    throw InputError(where + ": " + std::string(tag.name) + " '" + attribute(tag, "name") + "' has more than " +
                     std::to_string(static_cast<int>(kMostSamples)) + " samples: make it smaller");
  }

  /// Counts a file that is included as a part of this model.
  void include(const std::string& file, double copies, int depth) {
    if (file.empty() || depth == kMostNesting) return;
    const fs::path path = folder_ / file;
    if (const auto text = read_whole(path)) count(*text, path.string(), copies, depth + 1);
  }

  /// Counts a file that is attached as a model of its own.
  void attach(const std::string& file, double copies, int depth) {
    if (file.empty() || depth == kMostNesting) return;
    const fs::path path = folder_ / file;
    Counter child(path.parent_path(), max_elements_, elements_);
    if (const auto text = read_whole(path)) child.count(*text, path.string(), copies, depth + 1);
  }

  fs::path folder_;
  int max_elements_;
  double& elements_;
  int worlds_ = 0;                             // open <worldbody> elements
  std::map<std::string, std::string> models_;  // <model>: name, file
};

}  // namespace

void ModelSize::add_file(const std::string& file) {
  if (const auto text = read_whole(file))
    Counter(fs::path(file).parent_path(), max_elements_, elements_).count(*text, file, 1.0);
}

void ModelSize::add_text(const std::string& text, const std::string& name) {
  Counter({}, max_elements_, elements_).count(text, name, 1.0);
}

}  // namespace stiction
