// Steps of a scene with contact patches: free bodies, each of which touches at most one other at a time.
//
//   1. fly      every free body moves by (18) without a contact
//   2. touch    a pair of geoms that would then overlap takes the step of patch_step.hpp, alone with its two bodies
//   3. check    no other pair overlaps where these bodies end
//
// A body that touches two others, or that a contact drives into a third, is more than patch_step.hpp solves: the step
// is refused. Bodies that pass through one another within a step are not seen. Of several motions that solve a step the
// one nearest to the flight counts, weighted with the masses (Gauss).
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "host/reference/patch_step.hpp"
#include "host/reference/step.hpp"

namespace stiction::reference {

/// What a patch of the last step has in every array of kernels/model/patch_fields.inc: int geom[2], double point[3],
/// ...
struct PatchReadout {
  using Real = double;
#define ST_PATCH(value, name, padding, unit, meaning) std::type_identity_t<value> name;
#include "kernels/model/patch_fields.inc"
#undef ST_PATCH
};

class PatchStepper {
 public:
  /// Takes a scene that check_patch_scene (patch_scene.hpp) has not refused.
  explicit PatchStepper(const Scene& scene);

  /// Steps qpos, qvel and time, and writes status, residual and penetration; returns the status bits. Throws
  /// InputError, which names the bodies, if the step is more than it can.
  std::uint32_t step(ReferenceEnvironment& environment);

  std::vector<PatchReadout> patches;  // of the last step, in the order of the pairs

 private:
  /// A geom in the axes of which its body moves, with the centre of mass as origin.
  struct Mover {
    Eigen::Quaterniond rotation;  // q⁺, with `position`
    PatchBody start;
    Vector6d velocity = Vector6d::Zero();  // ν⁺
    Eigen::Vector3d position;
    int pair = -1;  // the pair in which it touches; -1: none
  };

  void shape_geoms(const Model& model);
  void place_geoms(const ReferenceEnvironment& environment);
  void fly(Mover& mover) const;
  double gap_at_end(const Model& model, int pair) const;
  bool overlaps(const Model& model, int pair) const;
  PatchProblem problem_of(const Model& model, int pair) const;
  void touch(const ReferenceEnvironment& environment, int pair);
  void find_end(const ReferenceEnvironment& environment);
  void check_alone(const ReferenceEnvironment& environment, int pair, int geom) const;
  void read_out(const Model& model, int pair, const PatchProblem& problem, const PatchSolution& solution);
  void write_state(ReferenceEnvironment& environment) const;

  double h_;
  bool frictionless_;
  Eigen::Vector3d gravity_ = Eigen::Vector3d::Zero();
  std::vector<Impulse> impulses_;
  std::vector<double> shapes_;  // sizes and places of the geoms whose shapes are in `movers_`
  std::vector<Mover> movers_;   // (ngeom)
  std::uint32_t status_ = 0;
  double residual_ = 0.0;
};

}  // namespace stiction::reference
