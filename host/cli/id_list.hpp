// Lists of environments or problems as on the command line: "0,5,10-19".
#pragma once

#include <string>
#include <vector>

namespace stiction {

/// What a list is of, for messages.
struct IdWords {
  const char* option;  // "--envs"
  const char* item;    // "environment"
  const char* whole;   // "the batch"
};

/// The ids in the given order. Throws InputError for anything that is no list, repeats an id, or names one that is not
/// below `count`.
std::vector<int> parse_id_list(const IdWords& words, const std::string& text, int count);

/// Of environments, by --envs.
std::vector<int> parse_env_list(const std::string& text, int batch);

}  // namespace stiction
