// Claims about what a driver may do: refuse a graph, report the error of a kernel late, or record a stream for a
// caller.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "host/api/simulator.hpp"
#include "kernels/launch/cuda_stream.hpp"
#include "kernels/step/stages.hpp"
#include "tests/emulated_gpu/faults.hpp"
#include "tests/step/patch_bodies.hpp"
#include "tests/step/pushed_boxes.hpp"
#include "tests/step/touching_pieces.hpp"
#include "tests/support/shapes_and_rays.hpp"

namespace stiction {
namespace {

Simulator on_the_gpu(const Scene& scene, std::optional<std::uintptr_t> stream = {}) {
  return Simulator(scene, {.batch = 3, .device = "cuda", .stream = stream});
}

/// What `call` throws.
template <class Error>
std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

void expect_same_bits(const Simulator& a, const Simulator& b) {
  for (std::size_t f = 0; f < kEnvFields; ++f) {
    const auto field = static_cast<EnvField>(f);
    EXPECT_TRUE(test::same_bits(a.read(field), b.read(field))) << "field " << f;
  }
}

class Driver : public ::testing::Test {
 protected:
  ~Driver() override {
    for (const char* variable : {"EMULATED_GPU_REFUSES", "EMULATED_GPU_BREAKS", "CUDA_LAUNCH_BLOCKING"})
      unsetenv(variable);
    EXPECT_EQ(emulated_gpu::take_faults(), 0);
  }
};

class WithoutLoops : public Driver, public ::testing::WithParamInterface<const char*> {};

TEST_P(WithoutLoops, StepsHaveTheSameBitsAndAWarningSaysWhy) {
  const std::string refused = GetParam();
  Simulator graph = on_the_gpu(test::outrun_boxes());
  setenv("EMULATED_GPU_REFUSES", GetParam(), 1);
  Simulator plain = on_the_gpu(test::outrun_boxes());
  const std::string code = "(" + refused.substr(refused.find(':') + 1) + ")";
  EXPECT_NE(plain.device_warning().find(code), std::string::npos) << plain.device_warning();
  EXPECT_EQ(plain.device_name(), graph.device_name() + " kernel by kernel");
  EXPECT_EQ(graph.device_warning(), "");
  int rounds = 0;
  for (const int steps : {1, 2}) {
    for (Simulator* sim : {&graph, &plain}) sim->step(steps);
    expect_same_bits(graph, plain);
    rounds = std::max(rounds, std::ranges::max(plain.stats().rounds));
  }
  EXPECT_GT(rounds, 1) << "the host had nothing to decide";
}

INSTANTIATE_TEST_SUITE_P(Every, WithoutLoops,
                         testing::Values("cudaGraphInstantiate:801", "cudaGraphConditionalHandleCreate:36",
                                         "cudaGraphAddNode:1", "cudaStreamBeginCaptureToGraph:36"),
                         [](const auto& refused) {
                           const std::string text = refused.param;
                           return text.substr(0, text.find(':'));
                         });

TEST_F(Driver, ThatHasNoMemoryForTheGraphIsOutOfMemory) {
  setenv("EMULATED_GPU_REFUSES", "cudaGraphInstantiate:2", 1);
  EXPECT_THROW(on_the_gpu(test::pushed_boxes()), OutOfMemory);
}

TEST_F(Driver, ThatLostItsContextIsNotAskedAgain) {
  setenv("EMULATED_GPU_REFUSES", "cudaGraphInstantiate:700", 1);
  EXPECT_NE(refusal_of<CudaError>([] { on_the_gpu(test::pushed_boxes()); }).find("context is lost"), std::string::npos);
}

TEST_F(Driver, WhoseKernelFailsIsReportedByTheCallThatWaits) {
  Simulator sim = on_the_gpu(test::pushed_boxes());
  sim.step();
  setenv("EMULATED_GPU_BREAKS", "judge_kernel:700", 1);
  sim.enqueue_step();
  const std::string error = refusal_of<CudaError>([&] { sim.wait(); });
  for (const char* part : {"stepping on cuda:0", "cudaErrorIllegalAddress (700)", "start it anew",
                           "any kernel before this call", "CUDA_LAUNCH_BLOCKING=1"})
    EXPECT_NE(error.find(part), std::string::npos) << error;
  for (int call = 0; call < 2; ++call) {
    EXPECT_THROW(sim.step(), CudaError);
    EXPECT_THROW(sim.qpos(), CudaError);
  }
}

TEST_F(Driver, ThatWaitsForEveryKernelNamesTheStageOfAFault) {
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  for (const std::string stage : kStageNames) {
    const bool ends = stage == "arrive" || stage == "confirm";               // of steps that seek their end
    const bool ahead = stage == "gaps" || stage == "go" || stage == "stop";  // whose bodies move first
    Simulator sim = on_the_gpu(ends               ? test::patch_bodies()
                               : ahead            ? test::boxes_that_move_first()
                               : stage == "merge" ? test::touching_pieces()
                                                  : test::pushed_boxes());
    EXPECT_EQ(sim.device_warning(), "");  // as it was asked for
    const std::string kernel = stage == "warm"      ? "WarmPhase"
                               : stage == "solve"   ? "SolvePhase"
                               : stage == "explain" ? "ExplainPhase"
                                                    : stage + "_kernel";
    setenv("EMULATED_GPU_BREAKS", (kernel + ":700").c_str(), 1);
    const std::string error = refusal_of<CudaError>([&] { sim.step(); });
    EXPECT_EQ(error.find("the stage " + stage + " of a step: cudaErrorIllegalAddress (700)"), 0u) << error;
    EXPECT_EQ(error.find("CUDA_LAUNCH_BLOCKING"), std::string::npos) << error;
    unsetenv("EMULATED_GPU_BREAKS");
    EXPECT_EQ(emulated_gpu::take_faults(), 0);  // mends the device
  }
}

TEST_F(Driver, ThatWaitsForEveryKernelChangesNoBits) {
  Simulator graph = on_the_gpu(test::outrun_boxes());
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  Simulator plain = on_the_gpu(test::outrun_boxes());
  for (Simulator* sim : {&graph, &plain}) sim->step(2);
  expect_same_bits(graph, plain);
}

/// A stream of a caller, who begins and ends a capture of it.
class Captured : public Driver {
 protected:
  Captured() { cudaGraphCreate(&graph_, 0); }
  ~Captured() override { cudaGraphDestroy(graph_); }

  void begin() {
    ASSERT_EQ(cudaStreamBeginCaptureToGraph(stream_.get(), graph_, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed),
              cudaSuccess);
  }
  void end() {
    cudaGraph_t recorded = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream_.get(), &recorded), cudaSuccess);
  }

  CudaStream stream_;
  cudaGraph_t graph_ = nullptr;
};

TEST_F(Captured, StreamIsRefusedByEveryCallAndTheBatchStaysAsItWas) {
  const auto id = reinterpret_cast<std::uintptr_t>(stream_.get());
  Simulator sim = on_the_gpu(test::pushed_boxes(), id), other = on_the_gpu(test::pushed_boxes());
  for (Simulator* each : {&sim, &other}) each->step(2);
  const std::vector<int> ids = {0};
  const std::vector<double> qpos(sim.length(EnvField::qpos));
  begin();
  for (const std::function<void()>& call : std::initializer_list<std::function<void()>>{
           [&] { sim.step(); }, [&] { sim.enqueue_step(); }, [&] { sim.wait(); }, [&] { sim.wait_for_device(); },
           [&] { sim.forward(); }, [&] { sim.measure_energy(); }, [&] { sim.measure_sensors(); },
           [&] { sim.cast_rays(test::rays_in_all_directions(1)); }, [&] { sim.linearize(1e-3); }, [&] { sim.reset(); },
           [&] { sim.qpos(); }, [&] { sim.status(); }, [&] { sim.memory(EnvField::qpos); }, [&] { sim.state(); },
           [&] { sim.write(EnvField::qpos, ids, qpos); }, [&] { sim.overwrite(EnvField::qpos, nullptr); },
           [&] { on_the_gpu(test::pushed_boxes(), id); }})
    EXPECT_EQ(refusal_of<InputError>(call).find("stream: it is being captured into a CUDA graph"), 0u);
  end();
  for (Simulator* each : {&sim, &other}) each->step(2);
  expect_same_bits(sim, other);
}

TEST_F(Captured, StreamOfAnotherIsNamedWhereTheWholeDeviceIsWaitedFor) {
  Simulator sim = on_the_gpu(test::pushed_boxes());
  begin();
  EXPECT_NE(refusal_of<CudaError>([&] { sim.wait_for_device(); }).find("before or after the capture"),
            std::string::npos);
  end();
  sim.wait_for_device();
}

}  // namespace
}  // namespace stiction
