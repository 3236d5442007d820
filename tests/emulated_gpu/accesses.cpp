// Every access of a kernel to memory, as the compiler reports it with -fsanitize=thread, held against these rules:
//
//   a kernel touches    the stack of its thread, GPU memory that is allocated, shared memory, constants; nothing else
//   two threads         that touch the same bytes, one of them writing, have a barrier of their team in between
//   an address          is a multiple of what is read or written there
//
// That a kernel reads what was never written is said, with EMULATED_GPU_NOTES set, but no fault: it may make no use of
// it.
#include "tests/emulated_gpu/accesses.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "tests/emulated_gpu/faults.hpp"
#include "tests/emulated_gpu/lanes.hpp"
#include "tests/emulated_gpu/memory.hpp"
#include "tests/emulated_gpu/meter.hpp"

namespace emulated_gpu {
namespace {

enum class Kind { kRead, kWrite, kCopy };  // kCopy: a read of a whole object, some of which may be unused

std::uint32_t kernel = 0;        // number of the launch
std::size_t launched_bytes = 0;  // of shared memory, that it asked for

/// An access of the thread that runs.
struct Touch {
  const char* at;
  std::size_t bytes;
  Kind kind;
  const void* instruction;

  bool writes() const { return kind == Kind::kWrite; }
};

/// Where in this library, for addr2line.
std::string place_of(const void* instruction) {
  Dl_info found{};
  dladdr(instruction, &found);
  char text[64];
  std::snprintf(text, sizeof text, "%#tx", static_cast<const char*>(instruction) - static_cast<char*>(found.dli_fbase));
  return text;
}

/// "thread 3 of block 0 reads 8 B at 0x.. (instruction ..)"
std::string described(const Touch& touch) {
  char text[160];
  std::snprintf(text, sizeof text, "thread %d of block %d %s %zu B at %p (instruction %s)", caller.thread, caller.block,
                touch.writes() ? "writes" : "reads", touch.bytes, static_cast<const void*>(touch.at),
                place_of(touch.instruction).c_str());
  return text;
}

/// A fault of an instruction: said once, counted always.
void report(const Touch& touch, const std::string& what) {
  static std::set<const void*> known;
  if (known.insert(touch.instruction).second)
    report_fault(described(touch) + what);
  else
    count_fault();
}

void note_unwritten(const Touch& touch) {
  static const bool asked = std::getenv("EMULATED_GPU_NOTES") != nullptr;
  static std::set<const void*> known;
  if (asked && known.insert(touch.instruction).second)
    std::fprintf(stderr, "emulated GPU: note: %s, never written\n", described(touch).c_str());
}

/// True if nothing orders the present access after `earlier`, of another thread.
bool is_unordered(const Access& earlier, std::uint16_t bytes, bool of_block) {
  if (earlier.kernel != kernel || !(earlier.bytes & bytes)) return false;
  if (earlier.block != caller.block) return !of_block;
  if (earlier.thread == caller.thread) return false;
  return earlier.fences == caller.fences || (earlier.thread != kMany && !in_one_team(earlier.thread, caller.thread));
}

void check_race(const Touch& touch, const Access& earlier, std::uint16_t bytes, bool of_block, const char* did) {
  if (!is_unordered(earlier, bytes, of_block)) return;
  const std::string who = earlier.thread == kMany ? "several threads" : "thread " + std::to_string(earlier.thread);
  report(touch, ", which " + who + " of block " + std::to_string(earlier.block) + did + ", with no barrier in between");
}

void check_word(const Touch& touch, Word& word, std::uint16_t bytes, bool of_block) {
  const Access now{kernel, caller.fences, caller.block, static_cast<std::int16_t>(caller.thread), bytes};
  check_race(touch, word.write, bytes, of_block, " wrote");
  if (touch.writes()) {
    check_race(touch, word.read, bytes, of_block, " read");
    word.write = now;
    return;
  }
  const Access& last = word.read;
  const bool beside = last.kernel == kernel && last.block == now.block && last.fences == now.fences;
  word.read = {now.kernel, now.fences, now.block, beside && last.thread != now.thread ? kMany : now.thread, bytes};
}

void check_words(const Touch& touch, const Range& range) {
  const char* end = touch.at + touch.bytes;
  for (const char* at = touch.at; at < end;) {
    const std::size_t begin = static_cast<std::size_t>(at - range.begin) % kWord;
    const std::size_t count = std::min<std::size_t>(kWord - begin, static_cast<std::size_t>(end - at));
    if (touch.kind == Kind::kRead && count == kWord && is_blank(at)) note_unwritten(touch);
    check_word(touch, range.word_of(at), static_cast<std::uint16_t>(((1u << count) - 1) << begin), range.of_block);
    at += count;
  }
}

/// For the meter: an access to memory that all threads see. Where a thread is, a GPU has in registers.
void count(const Touch& touch, bool shared) {
  const auto* where = reinterpret_cast<const char*>(&caller);
  if (touch.at >= where && touch.at < where + sizeof caller) return;
  meter_access(caller.thread, {touch.instruction, touch.at, touch.bytes, touch.writes(), shared});
}

void check(const Touch& touch) {
  const auto [at, bytes] = std::pair(touch.at, touch.bytes);
  if (!caller.in_kernel || (at >= caller.stack_begin && at + bytes <= caller.stack_end)) return;
  if (allocated_memory().holds(at, bytes)) {
    if (!is_allocated(at, bytes)) return report(touch, ", which is not allocated");
    count(touch, false);
    return check_words(touch, allocated_memory());
  }
  if (launched_memory().holds(at, bytes)) {
    if (at + bytes > launched_memory().begin + launched_bytes)
      return report(touch, ", shared memory that its launch did not ask for");
    count(touch, true);
    return check_words(touch, launched_memory());
  }
  if (library_variables().holds(at, bytes)) {
    count(touch, true);
    return check_words(touch, library_variables());
  }
  if (touch.writes() || !is_constant(at, bytes)) report(touch, ", which is not memory of the GPU");
}

void check_aligned(const Touch& touch) {
  const std::size_t alignment = std::min<std::size_t>(touch.bytes, 8);  // 16 B may be two doubles
  if (caller.in_kernel && reinterpret_cast<std::uintptr_t>(touch.at) % alignment != 0)
    report(touch, ", which is not aligned for them");
  check(touch);
}

}  // namespace

void begin_kernel(std::size_t shared_bytes) {
  ++kernel;
  launched_bytes = shared_bytes;
}

void begin_block() { blank(launched_memory().begin, launched_bytes); }

}  // namespace emulated_gpu

// What the compiler calls.
// NOLINTBEGIN(bugprone-reserved-identifier): by these names
#define ST_TOUCH(bytes, kind) \
  { static_cast<const char*>(at), bytes, emulated_gpu::Kind::kind, __builtin_return_address(0) }
#define ST_ACCESS(bytes)                                                                                           \
  extern "C" void __tsan_read##bytes(void* at) { emulated_gpu::check_aligned(ST_TOUCH(bytes, kRead)); }            \
  extern "C" void __tsan_write##bytes(void* at) { emulated_gpu::check_aligned(ST_TOUCH(bytes, kWrite)); }          \
  extern "C" void __tsan_volatile_read##bytes(void* at) { emulated_gpu::check_aligned(ST_TOUCH(bytes, kRead)); }   \
  extern "C" void __tsan_volatile_write##bytes(void* at) { emulated_gpu::check_aligned(ST_TOUCH(bytes, kWrite)); } \
  extern "C" void __tsan_unaligned_read##bytes(void* at) { emulated_gpu::check(ST_TOUCH(bytes, kCopy)); }          \
  extern "C" void __tsan_unaligned_write##bytes(void* at) { emulated_gpu::check(ST_TOUCH(bytes, kWrite)); }
ST_ACCESS(1)
ST_ACCESS(2)
ST_ACCESS(4)
ST_ACCESS(8)
ST_ACCESS(16)
#undef ST_ACCESS
extern "C" void __tsan_read_range(void* at, std::size_t bytes) { emulated_gpu::check(ST_TOUCH(bytes, kCopy)); }
extern "C" void __tsan_write_range(void* at, std::size_t bytes) { emulated_gpu::check(ST_TOUCH(bytes, kWrite)); }
extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void*) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_update(void*, void*) {}
extern "C" void __tsan_vptr_read(void*) {}
// NOLINTEND(bugprone-reserved-identifier)
