// The name of a kernel, from the symbols of the program.
#pragma once

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <string>

namespace emulated_gpu {

inline std::string name_of(const void* function) {
  Dl_info found{};
  if (!dladdr(function, &found) || !found.dli_sname) return "a kernel";
  int status = 0;
  char* plain = abi::__cxa_demangle(found.dli_sname, nullptr, nullptr, &status);
  std::string name = status == 0 ? plain : found.dli_sname;
  std::free(plain);
  const std::size_t arguments = name.find(">(");  // of a template; its own arguments may have brackets too
  return name.substr(0, arguments == std::string::npos ? name.find('(') : arguments + 1);
}

}  // namespace emulated_gpu
