// The report of gpu_check: one CSV row a figure or a check, always the same columns.
//
//   commit, device                        what was measured
//   part, scene, dynamics, law, cone,     of what; "-" where it does not apply, "all" over every value
//   solver, factor, dtype, solve_threads, batch
//   quantity, value, unit                 the figure; empty where it was skipped
//   limit                                 a check passes where value <= limit; empty: a measurement
//   outcome                               pass | fail | measured | skipped
//   note                                  why it was skipped, where it failed, a figure in words
//
// The program that runs the parts and the processes of the parts add to one file, one after the other.
#pragma once

#include <fstream>
#include <map>
#include <optional>
#include <string>

namespace stiction::gpu_check {

enum class Outcome { kPass, kFail, kMeasured, kSkipped };

/// What a row is about.
struct Subject {
  std::string part;
  std::string scene = "-", dynamics = "-", law = "-", cone = "-", solver = "-", factor = "-", dtype = "-";
  int solve_threads = 0;  // 0: by the model's size
  int batch = 0;          // 0: does not apply
};

/// Rows at the end of a report.
class Report {
 public:
  /// Begins the report at `path` if there is none.
  Report(const std::string& path, const std::string& commit, const std::string& device);

  void measured(const Subject& subject, const std::string& quantity, double value, const std::string& unit,
                const std::string& note = {});
  /// Passes where value <= limit; NaN fails.
  void checked(const Subject& subject, const std::string& quantity, double value, const std::string& unit, double limit,
               const std::string& note = {});
  void skipped(const Subject& subject, const std::string& quantity, const std::string& why);

 private:
  struct Figure {
    std::string quantity;
    std::optional<double> value, limit;
    std::string unit, note;
    Outcome outcome;
  };
  void add(const Subject& subject, const Figure& figure);

  std::ofstream file_;
  std::string commit_, device_;
};

/// How many rows a report has, by part and outcome.
using Tally = std::map<std::string, std::map<Outcome, int>>;
Tally count_rows(const std::string& path);

int total(const Tally& tally, Outcome outcome);
/// One line per part on standard output: passed, failed, measured, skipped.
void print(const Tally& tally);

/// Cuts off a last row without its end, as a process that was killed may leave it.
void cut_torn_row(const std::string& path);

/// What is wrong with the file at `path` as a report; empty if nothing is.
std::string find_fault(const std::string& path);

}  // namespace stiction::gpu_check
