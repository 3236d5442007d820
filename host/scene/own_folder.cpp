#include "host/scene/own_folder.hpp"

#include <dlfcn.h>
#include <link.h>

namespace stiction {

std::filesystem::path own_folder() {
  Dl_info info{};
  link_map* map = nullptr;
  void* code = reinterpret_cast<void*>(&own_folder);
  if (!dladdr1(code, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) || !map) return {};
  const bool is_program = !map->l_name || !*map->l_name;
  std::error_code failed;
  return std::filesystem::canonical(is_program ? "/proc/self/exe" : map->l_name, failed).parent_path();
}

}  // namespace stiction
