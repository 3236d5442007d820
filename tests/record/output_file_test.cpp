// The output file appears complete or not at all, and what a broken run leaves is readable.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "host/record/recorder.hpp"
#include "host/record/recording_reader.hpp"
#include "tests/record/recording_files.hpp"
#include "tests/record/synthetic_batch.hpp"

namespace stiction::test {
namespace {

RecordingLayout layout_of(int batch) {
  return {.batch = batch, .nq = 10, .nv = 10, .nu = 3, .max_contacts = 20, .expected_rows = 100000};
}

class OutputFile : public RecordingFiles {
 protected:
  std::string error_of_opening(const std::string& file) {
    return input_error([&] { Recorder(file, layout_of(1), {}); });
  }
};

TEST_F(OutputFile, IsNamedPartialUntilItIsComplete) {
  SyntheticBatch batch(layout_of(1));
  Recorder recorder(path("a.h5"), layout_of(1), {});
  EXPECT_EQ(recorder.partial_name(), path("a.h5.partial"));
  recorder.append(batch.start());
  EXPECT_TRUE(exists(path("a.h5.partial")));
  EXPECT_FALSE(exists(path("a.h5")));
  recorder.finish();
  EXPECT_FALSE(exists(path("a.h5.partial")));
  EXPECT_TRUE(exists(path("a.h5")));
}

TEST_F(OutputFile, ReplacesAnOlderOneOnlyWhenComplete) {
  write_text(path("a.h5"), "old");
  SyntheticBatch batch(layout_of(1));
  {
    Recorder recorder(path("a.h5"), layout_of(1), {});
    recorder.append(batch.start());
    recorder.append(batch.row(1));
    EXPECT_EQ(read_text(path("a.h5")), "old");
  }
  EXPECT_EQ(read_text(path("a.h5")), "old");
  EXPECT_EQ(RecordingReader(path("a.h5.partial")).rows(), 2);
  Recorder recorder(path("a.h5"), layout_of(1), {});
  recorder.append(batch.start());
  recorder.finish();
  EXPECT_EQ(RecordingReader(path("a.h5")).rows(), 1);
}

TEST_F(OutputFile, IsRemovedWhenNoStepWasRecorded) {
  {
    SyntheticBatch batch(layout_of(1));
    Recorder recorder(path("a.h5"), layout_of(1), {});
    recorder.append(batch.start());
  }
  EXPECT_FALSE(exists(path("a.h5.partial")));
}

TEST_F(OutputFile, IsMadeWithItsFolder) {
  SyntheticBatch batch(layout_of(1));
  Recorder recorder(path("none/yet/a.h5"), layout_of(1), {});
  recorder.append(batch.start());
  recorder.finish();
  EXPECT_TRUE(exists(path("none/yet/a.h5")));
}

TEST_F(OutputFile, CannotBeADirectoryOrADevice) {
  EXPECT_NE(error_of_opening(path("")).find("directory"), std::string::npos);
  EXPECT_NE(error_of_opening("/dev/full").find("not a regular file"), std::string::npos);
  write_text(path("file"), "");
  EXPECT_NE(error_of_opening(path("file/a.h5")).find("is not a directory"), std::string::npos);
  EXPECT_NE(error_of_opening("/proc/a.h5"), "");
  EXPECT_NE(error_of_opening(path(std::string(300, 'a'))).find("name too long"), std::string::npos)
      << error_of_opening(path(std::string(300, 'a')));
}

TEST_F(OutputFile, HasOneWriterOnly) {
  Recorder first(path("a.h5"), layout_of(1), {});
  EXPECT_NE(error_of_opening(path("a.h5")).find("another run"), std::string::npos);
}

TEST_F(OutputFile, RefusesEnvironmentsThatTheBatchLacks) {
  auto layout = layout_of(4);
  layout.envs = {0, 4};
  const auto error = input_error([&] { Recorder(path("a.h5"), layout, {}); });
  EXPECT_NE(error.find("environment 4"), std::string::npos);
  EXPECT_FALSE(exists(path("a.h5.partial")));
}

TEST_F(OutputFile, IsReadableWhileItGrows) {
  SyntheticBatch batch(layout_of(2));
  Recorder recorder(path("a.h5"), layout_of(2), {});
  recorder.append(batch.start());
  for (int row = 1; row < 10; ++row) {
    recorder.append(batch.row(row));
    recorder.flush();
    const pid_t child = fork();
    if (child == 0) {  // another process: HDF5 shares open files within one
      try {
        const RecordingReader reader(path("a.h5.partial"));
        _exit(reader.rows() == row + 1 && reader.read("qpos", row)[0] == marked_value(row, 0, 0) ? 0 : 1);
      } catch (...) {
        _exit(2);
      }
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0) << "row " << row;
  }
}

/// Records without end in a child process, which is killed `delay` after its first step was written.
void record_until_killed(const std::string& file, std::chrono::microseconds delay) {
  int first_step[2];
  ASSERT_EQ(pipe(first_step), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto layout = layout_of(64);
    SyntheticBatch batch(layout);
    Recorder recorder(file, layout, {});
    recorder.append(batch.start());
    for (std::int64_t row = 1;; ++row) {
      recorder.append(batch.row(row));
      recorder.flush();
      if (row == 1 && write(first_step[1], "", 1) != 1) _exit(1);
    }
  }
  char byte;
  EXPECT_EQ(read(first_step[0], &byte, 1), 1);
  std::this_thread::sleep_for(delay);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(first_step[0]);
  close(first_step[1]);
}

void expect_complete_rows(const std::string& file) {
  const RecordingReader reader(file);
  EXPECT_GT(reader.rows(), 1);
  for (std::int64_t row = 1; row < reader.rows(); ++row) {
    ASSERT_EQ(reader.read("time", row)[0], 0.25 * row) << "row " << row;
    ASSERT_EQ(reader.read("qpos", row)[635], marked_value(row, 63, 5)) << "row " << row;
    ASSERT_EQ(reader.read("penetration", row)[63], marked_value(row, 63, 0)) << "row " << row;
  }
}

TEST_F(OutputFile, OfAKilledRunIsReadable) {
  const int kills = std::getenv("ST_FULL") ? 1000 : 40;
  for (int i = 0; i < kills; ++i) {
    SCOPED_TRACE("kill " + std::to_string(i));
    record_until_killed(path("a.h5"), std::chrono::microseconds(1237 * (i % 128)));
    EXPECT_EQ(input_error([&] { expect_complete_rows(path("a.h5.partial")); }), "");
    EXPECT_FALSE(exists(path("a.h5")));
  }
}

constexpr int kRowsPerFlush = 4;

/// Records until a write fails: the error. Every row that a flush has written goes into the pipe `flushed`.
std::string record_until_full(const std::string& file, const RecordingLayout& layout, int flushed) {
  return input_error([&] {
    SyntheticBatch batch(layout);
    Recorder recorder(file, layout, {});
    recorder.append(batch.start());
    for (std::int64_t row = 1; row < 1000; ++row) {
      recorder.append(batch.row(row));
      if (row % kRowsPerFlush != 0) continue;
      recorder.flush();
      if (write(flushed, "", 1) != 1) _exit(3);
    }
  });
}

/// Bytes that come out of the pipe until its other end is closed.
std::int64_t count_bytes(int descriptor) {
  char byte;
  std::int64_t count = 0;
  while (read(descriptor, &byte, 1) == 1) ++count;
  return count;
}

/// In a child process whose files may have `bytes` at most. Returns the rows that were flushed; fails where the error
/// is not one that names the file.
std::int64_t record_within(const std::string& file, const RecordingLayout& layout, rlim_t bytes) {
  int flushed[2];
  EXPECT_EQ(pipe(flushed), 0);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto error = record_until_full(file, layout, flushed[1]);
    const bool good = error == "cannot write " + file + ".partial: File too large";
    if (!good) std::fprintf(stderr, "error: %s\n", error.c_str());
    _exit(good ? 0 : 1);
  }
  close(flushed[1]);
  const std::int64_t flushes = count_bytes(flushed[0]);
  close(flushed[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return flushes * kRowsPerFlush + 1;
}

TEST_F(OutputFile, OnAFullDiskIsOneErrorAndLeavesTheOlderFile) {
  write_text(path("a.h5"), "old");
  for (const rlim_t bytes : {rlim_t{0}, rlim_t{100}, rlim_t{20000}}) {
    EXPECT_EQ(record_within(path("a.h5"), layout_of(64), bytes), 1) << bytes << " bytes";
    EXPECT_EQ(read_text(path("a.h5")), "old");
    EXPECT_FALSE(exists(path("a.h5.partial")));
  }
}

TEST_F(OutputFile, OnAFullDiskKeepsEveryRowThatWasFlushed) {
  for (const std::int64_t expected_rows : {1, 100000}) {  // many index nodes, one
    RecordingLayout layout = layout_of(64);
    layout.expected_rows = expected_rows;
    for (rlim_t bytes = 1000000; bytes < 12000000; bytes += bytes / 11 + 1) {  // it ends within rows and within indices
      SCOPED_TRACE(std::to_string(expected_rows) + " rows expected, " + std::to_string(bytes) + " bytes");
      const std::int64_t flushed = record_within(path("a.h5"), layout, bytes);
      if (flushed == 1) continue;
      ASSERT_TRUE(exists(path("a.h5.partial")));
      EXPECT_GE(RecordingReader(path("a.h5.partial")).rows(), flushed);
      EXPECT_EQ(input_error([&] { expect_complete_rows(path("a.h5.partial")); }), "");
    }
  }
}

TEST_F(OutputFile, ThatFilledTheDiskCanBeRecordedAgain) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {2000000, RLIM_INFINITY}, large = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &small);
    const int nowhere = open("/dev/null", O_WRONLY);
    if (record_until_full(path("a.h5"), layout_of(64), nowhere).empty()) _exit(1);
    setrlimit(RLIMIT_FSIZE, &large);
    if (!record_until_full(path("a.h5"), layout_of(64), nowhere).empty()) _exit(2);
    expect_complete_rows(path("a.h5.partial"));
    _exit(HasFailure() ? 3 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace stiction::test
