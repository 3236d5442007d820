// What `stiction bench` takes from the command line: lists, of which every combination is one case.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/cli/bench_case.hpp"
#include "host/cli/given_keys.hpp"

namespace CLI {
class App;
}

namespace stiction {

struct BenchOptions {
  std::vector<std::string> scenes;
  GivenKeys keys;
  std::vector<long long> batches = {1};
  std::vector<std::string> devices = {"auto"}, dtypes = {"float64"};
  std::vector<std::string> presets, dynamics, laws, cones;                  // empty: the scene's
  std::vector<std::string> contacts, geometries, rotations, torsion_radii;  // empty: the scene's
  std::vector<std::string> solvers, factors;                                // empty: the scene's
  std::vector<double> step_sizes;                                           // [s]; empty: the scene's
  std::vector<double> mass_ratios;                                          // empty: the scene's
  std::vector<long long> threads = {0};
  std::optional<double> tolerance;  // none: the scene's
  double seconds = 1.0;             // of one case in one round [s]
  long long rounds = 1;
  std::string out;  // CSV; empty: none
  bool stages = false, limits = false;
};

void add_bench_options(CLI::App& app, BenchOptions& options);

/// Every combination, checked. Throws InputError before anything is measured.
std::vector<BenchCase> bench_cases(const BenchOptions& options);

}  // namespace stiction
