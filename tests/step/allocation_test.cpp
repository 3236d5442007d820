// Claim: a step takes no memory from the heap, with any solver, on one thread and on several.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "host/api/simulator.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/support/solver_names.hpp"

namespace {
std::atomic<long> allocations{0};
}

// inlined on one side only, what is replaced here looks like malloc beside delete
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

// every form of new ends in one of these two
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace stiction {
namespace {

TEST(Step, AllocatesNothing) {
  for (const SolverName solver : test::kEverySolver)
    for (const int threads : {1, 2})
      for (const Dtype dtype : {Dtype::kFloat64, Dtype::kFloat32}) {
        Scene scene = test::pushed_boxes();
        test::add_paddle_script(scene);
        scene.solver.name = solver;
        Simulator simulator(scene, {.batch = 3, .device = "cpu", .dtype = dtype, .threads = threads});
        const long before = allocations;
        for (int step = 0; step < 5; ++step) simulator.step();
        EXPECT_EQ(allocations - before, 0) << test::name_of(solver) << ", " << threads << " threads";
      }
}

TEST(Step, AllocationsAreSeenByThisTest) {
  const long before = allocations;
  std::vector<double> taken(1000);
  EXPECT_EQ(allocations - before, 1) << taken.size();
}

}  // namespace
}  // namespace stiction
