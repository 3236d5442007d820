// The GPU's memory: addresses that nothing else has, and for each of its words who touched it last.
//
// Each allocation has a gap behind it that no kernel may touch, and no address is given twice. Beside the memory that
// is allocated: the shared memory that a launch asks for, and this library's own variables, which hold shared memory of
// fixed size; both are a block's own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulated_gpu {

constexpr std::size_t kTotalBytes = std::size_t{6} << 30;
constexpr std::size_t kLaunchedBytes = 227 * 1024;  // of shared memory, that a block may ask for
constexpr std::size_t kWord = 4;                    // bytes

/// The last of its kind at a word.
struct Access {
  std::uint32_t kernel;  // number of its launch; 0: none
  std::uint32_t fences;  // that the thread had passed
  std::int32_t block;
  std::int16_t thread;  // kMany: several of a team
  std::uint16_t bytes;  // of the word, a bit each
};
constexpr std::int16_t kMany = -1;

struct Word {
  Access write, read;
};

/// Addresses and their words.
struct Range {
  char *begin, *end;
  Word* word;
  bool of_block;  // each block has its own in their place

  bool holds(const char* at, std::size_t bytes) const { return at >= begin && at + bytes <= end; }
  Word& word_of(const char* at) const { return word[static_cast<std::size_t>(at - begin) / kWord]; }
};

Range& allocated_memory();
Range& launched_memory();
Range& library_variables();
/// True for what this library may only read.
bool is_constant(const char* at, std::size_t bytes);

/// Memory of `bytes`, or null where too little is left.
void* allocate(std::size_t bytes);
/// False where `memory` was not allocated.
bool release(void* memory);
std::size_t free_bytes();
/// Takes `bytes` from what is free, as other programs do; those of the last call are given back.
void withhold(std::size_t bytes);
/// False where the bytes are not wholly in one allocation.
bool is_allocated(const void* at, std::size_t bytes);

/// Fills memory with what says that nothing was written there.
void blank(void* at, std::size_t bytes);
bool is_blank(const char* word);

}  // namespace emulated_gpu
