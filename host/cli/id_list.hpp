// Lists of environments or problems as on the command line: "0,5,10-19".
#pragma once

#include <string>
#include <vector>

namespace stiction {

/// The words that messages use for a list's items.
struct IdWords {
  const char* option;  // "--envs"
  const char* item;    // "environment"
  const char* whole;   // "the batch"
};

/// The ids in the given order. Throws InputError for anything that is no list, repeats an id, or has an id that is not
/// below `count`.
std::vector<int> parse_id_list(const IdWords& words, const std::string& text, int count);

/// A list of environments, from --envs.
std::vector<int> parse_env_list(const std::string& text, int batch);

}  // namespace stiction
