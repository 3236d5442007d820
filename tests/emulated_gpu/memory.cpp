#include "tests/emulated_gpu/memory.hpp"

#include <link.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace emulated_gpu {
namespace {

constexpr std::size_t kAddresses = std::size_t{1} << 38;  // most of them never used
constexpr std::size_t kGap = 256;
constexpr std::uint32_t kBlank = 0xcbcbcbcb;

char* reserve(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("emulated GPU: reserving addresses");
    std::abort();
  }
  return static_cast<char*>(memory);
}

Range make_range(char* begin, std::size_t bytes, bool of_block) {
  return {begin, begin + bytes, reinterpret_cast<Word*>(reserve(bytes / kWord * sizeof(Word))), of_block};
}

/// The parts of this library in the process.
struct Library {
  Range variables{};
  std::vector<std::pair<const char*, const char*>> constants;
};

/// Fills in the Library at `out` if `info` is this library.
int find_self(dl_phdr_info* info, std::size_t, void* out) {
  const auto* self = reinterpret_cast<const char*>(&find_self);
  std::vector<std::pair<char*, const ElfW(Phdr)*>> loaded;
  bool mine = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    char* begin = reinterpret_cast<char*>(info->dlpi_addr + part.p_vaddr);
    loaded.emplace_back(begin, &part);
    mine = mine || (self >= begin && self < begin + part.p_memsz);
  }
  if (!mine) return 0;
  Library& library = *static_cast<Library*>(out);
  for (const auto& [begin, part] : loaded) {
    if (part->p_flags & PF_W) {
      char* aligned = begin - reinterpret_cast<std::uintptr_t>(begin) % kWord;
      library.variables = make_range(aligned, (part->p_memsz + 2 * kWord) / kWord * kWord, true);
    } else {
      library.constants.emplace_back(begin, begin + part->p_memsz);
    }
  }
  return 1;
}

Library& library() {
  static Library found = [] {
    Library made;
    dl_iterate_phdr(find_self, &made);
    return made;
  }();
  return found;
}

std::map<char*, std::size_t> allocations;  // begin, bytes
std::pair<char*, std::size_t> last_found;  // most accesses are to the allocation of the one before
std::size_t taken_bytes = 0, withheld_bytes = 0;

/// Gives the whole pages of a range back to the system.
void forget_pages(char* begin, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + kPage - 1) / kPage * kPage;
  const auto last = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / kPage * kPage;
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace

Range& allocated_memory() {
  static Range range = make_range(reserve(kAddresses), kAddresses, false);
  return range;
}

Range& launched_memory() {
  static Range range = make_range(reserve(kLaunchedBytes), kLaunchedBytes, true);
  return range;
}

Range& library_variables() { return library().variables; }

bool is_constant(const char* at, std::size_t bytes) {
  for (const auto& [begin, end] : library().constants)
    if (at >= begin && at + bytes <= end) return true;
  return false;
}

void* allocate(std::size_t bytes) {
  static char* next = allocated_memory().begin;
  const std::size_t with_gap = (bytes + 2 * kGap - 1) / kGap * kGap;
  if (bytes > free_bytes() || next + with_gap > allocated_memory().end) return nullptr;
  char* at = std::exchange(next, next + with_gap);
  allocations[at] = bytes;
  taken_bytes += bytes;
  blank(at, bytes);
  return at;
}

bool release(void* memory) {
  const auto found = allocations.find(static_cast<char*>(memory));
  if (found == allocations.end()) return false;
  const auto [begin, bytes] = *found;
  forget_pages(begin, bytes);
  forget_pages(reinterpret_cast<char*>(&allocated_memory().word_of(begin)), bytes / kWord * sizeof(Word));
  taken_bytes -= bytes;
  allocations.erase(found);
  last_found = {};
  return true;
}

std::size_t free_bytes() { return kTotalBytes - withheld_bytes - taken_bytes; }

void withhold(std::size_t bytes) { withheld_bytes = bytes; }

bool is_allocated(const void* at, std::size_t bytes) {
  char* begin = const_cast<char*>(static_cast<const char*>(at));
  const auto holds = [&](const std::pair<char*, std::size_t>& it) {
    return begin >= it.first && begin + bytes <= it.first + it.second;
  };
  if (holds(last_found)) return true;
  const auto after = allocations.upper_bound(begin);
  if (after == allocations.begin() || !holds(*std::prev(after))) return false;
  last_found = *std::prev(after);
  return true;
}

void blank(void* at, std::size_t bytes) { std::memset(at, kBlank & 0xff, bytes); }

bool is_blank(const char* word) {
  std::uint32_t value;
  std::memcpy(&value, word, sizeof value);
  return value == kBlank;
}

}  // namespace emulated_gpu
