// gpu_check; with "stiction" as first argument, the program stiction; with "usable", whether it can use a GPU here:
// names the GPUs and ends with 0, or says why not and ends with 4.
#include <cstdio>
#include <cstring>

#include "host/backend/cuda_devices.hpp"

int gpu_check_main(int argc, char** argv);
int stiction_main(int argc, char** argv);

namespace {

int report_usable() {
  const stiction::CudaDevices devices = stiction::find_cuda_devices();
  for (const std::string& name : devices.names) std::printf("%s\n", name.c_str());
  if (devices.names.empty()) std::printf("%s\n", devices.why_none.c_str());
  return devices.names.empty() ? 4 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* first = argc > 1 ? argv[1] : "";
  if (std::strcmp(first, "usable") == 0) return report_usable();
  if (std::strcmp(first, "stiction") == 0) return stiction_main(argc - 1, argv + 1);
  return gpu_check_main(argc, argv);
}
