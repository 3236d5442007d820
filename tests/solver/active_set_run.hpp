// The active set by itself.
#pragma once

#include "kernels/solver/default/plan.hpp"
#include "tests/solver/method_run.hpp"

namespace stiction::test {

/// Cones with facets: their number, and the box.
struct FlatCone {
  ConeType cone;
  int facets;
};
inline constexpr FlatCone kFlatCones[] = {{ConeType::kPyramid, 1}, {ConeType::kPyramid, 2}, {ConeType::kPyramid, 3},
                                          {ConeType::kPyramid, 4}, {ConeType::kPyramid, 5}, {ConeType::kPyramid, 8},
                                          {ConeType::kBox, 4}};

template <class Real, class Team = HostTeam<>>
class ActiveSetRun : public MethodRun<Real, Team, ActiveSetState<Real>, take_active_set<Real>> {
  using Base = MethodRun<Real, Team, ActiveSetState<Real>, take_active_set<Real>>;

 public:
  using Base::Base, Base::s, Base::x;

  /// From a start in the problem's units, to a tolerance of the certified residual.
  Answer<Real> run(double tolerance, const Answer<Real>* warm = nullptr) {
    this->begin(warm);
    run_active_set(Team{}, s, Real(0.5 * tolerance), this->speed_floor(), most_changes(), x);
    return this->leave(x.now->solved, x.now->changes);
  }

  /// The state of the first solve.
  bool start(const Answer<Real>* warm) {
    this->begin(warm);
    Team{}.each(s.nv, [&](int j) { x.center[j] = x.v[j]; });
    whiten_problem(Team{}, s, x);
    return active_set_detail::start_rows(x);
  }

  int most_changes() const {
    return most_active_set_changes(s.nv, SolverConfig{}.max_iterations, most_iterations(SolverConfig{}));
  }
};

}  // namespace stiction::test
