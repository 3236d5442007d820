#include "tests/emulated_gpu/lanes.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/emulated_gpu/accesses.hpp"
#include "tests/emulated_gpu/faults.hpp"
#include "tests/emulated_gpu/meter.hpp"

// Saves the registers that a call keeps on this stack, and goes on with those kept on another.
extern "C" void emulated_gpu_switch(void** kept, void* other);
asm(R"(
.text
.type emulated_gpu_switch, @function
emulated_gpu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulated_gpu_switch, .-emulated_gpu_switch
)");

namespace emulated_gpu {

Caller caller;

namespace {

constexpr int kWarp = 32, kMostThreads = 1024;
constexpr std::size_t kStackBytes = std::size_t{1} << 19;

enum class Wait { kNone, kBlock, kMeeting, kWarp, kShuffle, kEnded };

struct Lane {
  void* registers = nullptr;  // the stack pointer, while others run
  Wait wait = Wait::kNone;
  bool in_kernel = false;
  unsigned mask = 0;  // of the barrier it waits at
  unsigned team = 0;  // mask of the last barrier; 0: none yet, or all of the block
  bool team_is_block = false;
  std::uint32_t fences = 0;
  bool agrees = false;             // with the others of a meeting
  std::uint64_t sent[2] = {0, 0};  // to shuffles, the last two
  unsigned shuffles = 0;
};

struct Block {
  std::vector<Lane> lane;
  int threads = 0;
  void* scheduler = nullptr;
  const std::function<void()>* body = nullptr;
};
Block block;

/// Stacks, made once; below each one a page that stops whoever overruns it.
char* stack_of(int thread) {
  static char* const all = [] {
    void* memory = mmap(nullptr, kMostThreads * kStackBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    for (int t = 0; t < kMostThreads; ++t)
      mprotect(static_cast<char*>(memory) + static_cast<std::size_t>(t) * kStackBytes, 4096, PROT_NONE);
    return static_cast<char*>(memory);
  }();
  return all + static_cast<std::size_t>(thread) * kStackBytes;
}

Lane& current() { return block.lane[static_cast<std::size_t>(caller.thread)]; }

void wait(Wait kind, unsigned mask) {
  Lane& lane = current();
  lane.wait = kind;
  lane.mask = mask;
  emulated_gpu_switch(&lane.registers, block.scheduler);
}

void begin_lane() {
  (*block.body)();
  for (;;) wait(Wait::kEnded, 0);
}

void prepare(int thread) {
  auto** top = reinterpret_cast<void**>(stack_of(thread) + kStackBytes - 64);
  *--top = nullptr;  // where begin_lane would return to
  *--top = reinterpret_cast<void*>(begin_lane);
  for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
  block.lane[static_cast<std::size_t>(thread)] = Lane{};
  block.lane[static_cast<std::size_t>(thread)].registers = top;
}

/// Lets the threads of a meeting go on if all that have not ended are there.
bool release_meeting() {
  bool agreed = true;
  for (const Lane& lane : block.lane) {
    if (lane.wait != Wait::kMeeting && lane.wait != Wait::kEnded) return false;
    agreed = agreed && (lane.agrees || lane.wait == Wait::kEnded);
  }
  for (Lane& lane : block.lane)
    if (lane.wait == Wait::kMeeting) lane.agrees = agreed, lane.wait = Wait::kNone;
  return true;
}

/// Lets the threads of a barrier go on if all of them are there, where `thread` waits.
bool release(int thread) {
  const Lane lane = block.lane[static_cast<std::size_t>(thread)];
  if (lane.wait == Wait::kNone || lane.wait == Wait::kEnded) return false;
  if (lane.wait == Wait::kMeeting) return release_meeting();
  const bool whole = lane.wait == Wait::kBlock;
  const int first = whole ? 0 : thread / kWarp * kWarp, last = whole ? block.threads : first + kWarp;
  const auto lane_of = [](int t) -> Lane& { return block.lane[static_cast<std::size_t>(t)]; };
  const auto each_member = [&](auto f) {
    for (int t = first; t < std::min(last, block.threads); ++t)
      if (whole || (lane.mask >> (t - first) & 1)) f(t);
  };
  bool complete = true;
  each_member([&](int t) { complete = complete && lane_of(t).wait == lane.wait && lane_of(t).mask == lane.mask; });
  if (!complete) return false;
  if (is_metered() && lane.wait != Wait::kShuffle) {
    std::vector<int> team;
    each_member([&](int t) { team.push_back(t); });
    meter_interval(team);
  }
  each_member([&](int t) {
    Lane& other = lane_of(t);
    if (lane.wait != Wait::kShuffle) {  // a shuffle orders no memory
      ++other.fences;
      other.team = lane.mask;
      other.team_is_block = whole;
    }
    other.wait = Wait::kNone;
  });
  return true;
}

void run_block(Order order, std::mt19937& random) {
  block.lane.resize(static_cast<std::size_t>(block.threads));
  std::vector<int> turn(static_cast<std::size_t>(block.threads));
  std::iota(turn.begin(), turn.end(), 0);
  if (order == Order::kBackward) std::reverse(turn.begin(), turn.end());
  for (const int t : turn) prepare(t);
  for (bool moved = true; moved;) {
    moved = false;
    if (order == Order::kShuffled) std::shuffle(turn.begin(), turn.end(), random);
    for (const int t : turn) {
      Lane& lane = block.lane[static_cast<std::size_t>(t)];
      if (lane.wait != Wait::kNone) continue;
      moved = true;
      caller.thread = t;
      caller.in_kernel = lane.in_kernel;
      caller.fences = lane.fences;
      caller.stack_begin = stack_of(t), caller.stack_end = caller.stack_begin + kStackBytes;
      emulated_gpu_switch(&block.scheduler, lane.registers);
      caller.in_kernel = false;
    }
    for (int t = 0; t < block.threads; ++t) moved = release(t) || moved;
  }
  for (int t = 0; t < block.threads; ++t)
    if (block.lane[static_cast<std::size_t>(t)].wait != Wait::kEnded)
      return report_fault("thread " + std::to_string(t) + " of block " + std::to_string(caller.block) +
                          " waits at a barrier that others do not reach");
}

/// What the rows of the block did after their last barriers.
void meter_rows(BlockSize size) {
  if (!is_metered()) return;
  std::vector<int> row(static_cast<std::size_t>(size.row));
  for (int first = 0; first < block.threads; first += size.row) {
    std::iota(row.begin(), row.end(), first);
    meter_interval(row);
  }
}

}  // namespace

void enter_kernel() { current().in_kernel = caller.in_kernel = true; }

void block_barrier() { wait(Wait::kBlock, 0); }

bool block_meeting(bool condition) {
  current().agrees = condition;
  wait(Wait::kMeeting, 0);
  return current().agrees;
}

void warp_barrier(unsigned mask) {
  if (!(mask >> (caller.thread % kWarp) & 1)) report_fault("a thread waits at a barrier whose mask leaves it out");
  wait(Wait::kWarp, mask);
}

std::uint64_t shuffle(unsigned mask, std::uint64_t value, int source, int width) {
  const int thread = caller.thread;
  const unsigned turn = current().shuffles++ % 2;
  current().sent[turn] = value;
  wait(Wait::kShuffle, mask);
  const int in_warp = thread % kWarp / width * width + source % width;
  if (!(mask >> in_warp & 1)) report_fault("a thread reads from one that the shuffle's mask leaves out");
  return block.lane[static_cast<std::size_t>(thread / kWarp * kWarp + in_warp)].sent[turn];
}

int exchange(int* at, int value) { return std::exchange(*at, value); }

long long read_clock() {
  static long long readings = 0;
  return ++readings;
}

bool in_one_team(int thread, int other) {
  const Lane &a = block.lane[static_cast<std::size_t>(thread)], &b = block.lane[static_cast<std::size_t>(other)];
  if (a.team_is_block && b.team_is_block) return true;
  return !a.team_is_block && !b.team_is_block && thread / kWarp == other / kWarp && a.team == b.team && a.team != 0;
}

Order chosen_order() {
  const char* name = std::getenv("EMULATED_GPU_ORDER");
  if (!name || !std::strcmp(name, "forward")) return Order::kForward;
  if (!std::strcmp(name, "backward")) return Order::kBackward;
  if (!std::strcmp(name, "shuffled")) return Order::kShuffled;
  std::fprintf(stderr, "EMULATED_GPU_ORDER: \"%s\" is not one of forward, backward, shuffled\n", name);
  std::exit(2);
}

Barriers run_blocks(int blocks, BlockSize size, Order order, const std::function<void()>& body) {
  static std::mt19937 random(1);
  block.threads = caller.threads = size.row * size.rows;
  caller.row = size.row;
  block.body = &body;
  caller.blocks = blocks;
  Barriers passed;
  for (caller.block = 0; caller.block < blocks; ++caller.block) {
    begin_block();
    meter_block();
    run_block(order, random);
    meter_rows(size);
    const auto fences = [](const Lane& a, const Lane& b) { return a.fences < b.fences; };
    const std::uint64_t count = std::max_element(block.lane.begin(), block.lane.end(), fences)->fences;
    passed.sum += count;
    passed.most = std::max(passed.most, count);
  }
  return passed;
}

}  // namespace emulated_gpu
