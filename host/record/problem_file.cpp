#include "host/record/problem_file.hpp"

#include "host/record/fclib_problem.hpp"
#include "host/record/hdf5_problem.hpp"
#include "host/record/text_problem.hpp"

namespace stiction {
namespace {

/// A group of problems in the file.
struct Found {
  std::string group;
  ProblemKind kind;
};

std::vector<Found> groups_of(const Hdf5Input& in) {
  std::vector<Found> found;
  for (const auto kind :
       {ProblemKind::kContact, ProblemKind::kDelassus, ProblemKind::kLcp, ProblemKind::kMlcp, ProblemKind::kQp})
    if (in.has(problem_kind_name(kind))) found.push_back({problem_kind_name(kind), kind});
  if (in.has(kFclibGroup)) found.push_back({kFclibGroup, ProblemKind::kDelassus});
  return found;
}

/// The groups of a kind; for contact problems also that of the Delassus form, if there is no other.
std::vector<Found> of_kind(const std::vector<Found>& all, ProblemKind kind) {
  std::vector<Found> chosen;
  for (const Found& found : all)
    if (found.kind == kind) chosen.push_back(found);
  return chosen.empty() && kind == ProblemKind::kContact ? of_kind(all, ProblemKind::kDelassus) : chosen;
}

/// Applies `choose` to a batch of one problem.
ProblemBatch only_one(ProblemBatch one, const ChooseProblems& choose) {
  if (choose) one.ids = choose(1);
  return one;
}

ProblemBatch read_hdf5(const std::string& file, std::optional<ProblemKind> kind, const ChooseProblems& choose) {
  const Hdf5Input in(file);
  std::vector<Found> found = groups_of(in);
  if (found.empty()) in.fail("there is none of the groups /contact, /delassus, /lcp, /mlcp, /qp, /fclib_local");
  if (kind) found = of_kind(found, *kind);
  if (found.empty()) in.fail("there is no group /" + problem_kind_name(*kind));
  if (found.size() > 1)
    in.fail("there are /" + found[0].group + " and /" + found[1].group +
            (kind ? ": expected one of them" : ": say which with --kind"));
  if (found[0].group == kFclibGroup) return only_one(read_fclib_problem(in), choose);
  return read_hdf5_problems(in, found[0].kind, choose);
}

}  // namespace

ProblemBatch read_problems(const std::string& file, std::optional<ProblemKind> kind, const ChooseProblems& choose) {
  if (is_hdf5(file)) return read_hdf5(file, kind, choose);
  TokenReader in(file, read_file(file));
  return only_one(read_text_problem(in, kind), choose);
}

}  // namespace stiction
