#include "bench/gpu_check/report.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace stiction::gpu_check {
namespace {

constexpr const char* kHeader =
    "commit,device,part,scene,dynamics,law,cone,solver,factor,dtype,solve_threads,batch,quantity,value,unit,limit,"
    "outcome,"
    "note";
constexpr const char* kOutcomes[] = {"pass", "fail", "measured", "skipped"};
constexpr std::size_t kColumns = 18, kPart = 2, kValue = 13, kLimit = 15, kOutcome = 16;

constexpr std::size_t kLongestCell = 400;

/// One cell: commas and line breaks would end it, and half a letter of UTF-8 could not be read.
std::string cell(std::string text) {
  if (text.size() > kLongestCell) text.resize(kLongestCell);
  for (char& letter : text) {
    if (letter == ',' || letter == '\n' || letter == '"')
      letter = ';';
    else if (letter < ' ' || letter > '~')
      letter = '?';
  }
  return text;
}

std::string cell(std::optional<double> number) {
  if (!number) return {};
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", *number);
  return text;
}

bool is_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char letter : line) {
    if (letter == ',')
      cells.emplace_back();
    else
      cells.back() += letter;
  }
  return cells;
}

/// What is wrong with one row; empty if nothing is.
std::string fault_of_row(const std::vector<std::string>& cells) {
  if (cells.size() != kColumns) return std::to_string(cells.size()) + " cells";
  const std::string& outcome = cells[kOutcome];
  const bool value = is_number(cells[kValue]), limit = is_number(cells[kLimit]);
  if (outcome == "skipped") return cells[kValue].empty() ? "" : "a skipped row has a value";
  if (outcome == "measured") return value && cells[kLimit].empty() ? "" : "a measured row needs a value and no limit";
  if (outcome == "pass" || outcome == "fail") return value && limit ? "" : "a check needs a value and a limit";
  return "outcome " + outcome;
}

}  // namespace

Report::Report(const std::string& path, const std::string& commit, const std::string& device)
    : file_(path, std::ios::app), commit_(cell(commit)), device_(cell(device)) {
  if (!file_) throw std::runtime_error("cannot write " + path);
  if (std::filesystem::file_size(path) == 0) file_ << kHeader << std::endl;
}

void Report::measured(const Subject& subject, const std::string& quantity, double value, const std::string& unit,
                      const std::string& note) {
  add(subject, {quantity, value, {}, unit, note, Outcome::kMeasured});
}

void Report::checked(const Subject& subject, const std::string& quantity, double value, const std::string& unit,
                     double limit, const std::string& note) {
  const Outcome outcome = value <= limit ? Outcome::kPass : Outcome::kFail;
  add(subject, {quantity, value, limit, unit, note, outcome});
  if (outcome == Outcome::kFail)
    std::printf("FAIL %s %s %s %s %s %s %s %s: %s = %g %s, limit %g %s\n", subject.part.c_str(), subject.scene.c_str(),
                subject.dynamics.c_str(), subject.law.c_str(), subject.cone.c_str(), subject.solver.c_str(),
                subject.factor.c_str(), subject.dtype.c_str(), quantity.c_str(), value, unit.c_str(), limit,
                note.c_str());
}

void Report::skipped(const Subject& subject, const std::string& quantity, const std::string& why) {
  add(subject, {quantity, {}, {}, {}, why, Outcome::kSkipped});
}

void Report::add(const Subject& s, const Figure& f) {
  file_ << commit_ << ',' << device_;
  for (const std::string& text : {s.part, s.scene, s.dynamics, s.law, s.cone, s.solver, s.factor, s.dtype})
    file_ << ',' << cell(text);
  file_ << ',' << s.solve_threads << ',' << s.batch << ',' << cell(f.quantity) << ',' << cell(f.value) << ','
        << cell(f.unit) << ',' << cell(f.limit) << ',' << kOutcomes[static_cast<int>(f.outcome)] << ',' << cell(f.note)
        << std::endl;  // flushed: a run that is killed leaves what it found
}

Tally count_rows(const std::string& path) {
  Tally tally;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(line);
    if (cells.size() != kColumns) continue;
    const auto outcome = std::ranges::find(kOutcomes, cells[kOutcome]);
    if (outcome != std::end(kOutcomes)) ++tally[cells[kPart]][static_cast<Outcome>(outcome - std::begin(kOutcomes))];
  }
  return tally;
}

int total(const Tally& tally, Outcome outcome) {
  int sum = 0;
  for (const auto& [part, counts] : tally)
    if (const auto found = counts.find(outcome); found != counts.end()) sum += found->second;
  return sum;
}

void print(const Tally& tally) {
  std::printf("%-14s %8s %8s %8s %8s\n", "part", "passed", "failed", "measured", "skipped");
  for (const auto& [part, counts] : tally) {
    const auto number = [&counts = counts](Outcome outcome) {
      const auto found = counts.find(outcome);
      return found == counts.end() ? 0 : found->second;
    };
    std::printf("%-14s %8d %8d %8d %8d\n", part.c_str(), number(Outcome::kPass), number(Outcome::kFail),
                number(Outcome::kMeasured), number(Outcome::kSkipped));
  }
}

void cut_torn_row(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t end = text.rfind('\n');
  std::filesystem::resize_file(path, end == std::string::npos ? 0 : end + 1);
}

std::string find_fault(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != kHeader) return "line 1: not the header of a report";
  int number = 1;
  while (std::getline(file, line)) {
    ++number;
    const std::string fault = fault_of_row(split(line));
    if (!fault.empty()) return "line " + std::to_string(number) + ": " + fault;
  }
  return number == 1 ? "no rows" : "";
}

}  // namespace stiction::gpu_check
