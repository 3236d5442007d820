#include "host/record/answer_file.hpp"

#include "host/record/attributes.hpp"
#include "host/record/hdf5_handle.hpp"
#include "host/record/partial_file.hpp"

namespace stiction {
namespace {

/// An open file, the length of the batch, and the beginning of an error message.
struct Output {
  hid_t file;
  hsize_t batch;
  const std::string& what;

  /// Writes an array of shape (batch), or with `per_problem` (batch, values per problem).
  template <class Number>
  void write(const char* name, hid_t type, const std::vector<Number>& values, bool per_problem) const {
    const hsize_t shape[] = {batch, values.size() / batch};
    const Hdf5Handle space(H5Screate_simple(per_problem ? 2 : 1, shape, nullptr), H5Sclose);
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(creation.get(), false);
    const Hdf5Handle dataset(
        check_hdf5(H5Dcreate2(file, name, type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), what),
        H5Dclose);
    if (!values.empty()) check_hdf5(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  }
};

void write_arrays(const Output& out, const ProblemBatch& problems, const ContactAnswers& answers) {
  const ProblemKind kind = problems.kind;
  const bool complementarity = kind == ProblemKind::kLcp || kind == ProblemKind::kMlcp;
  if (!problems.ids.empty()) out.write("problem", H5T_NATIVE_INT32, problems.ids, false);
  out.write(complementarity ? "z" : "v", H5T_NATIVE_DOUBLE, answers.v, true);
  out.write("status", H5T_NATIVE_UINT32, answers.status, false);
  out.write("residual", H5T_NATIVE_DOUBLE, answers.residual, false);
  out.write("iterations", H5T_NATIVE_INT32, answers.iterations, false);
  out.write("farkas", H5T_NATIVE_DOUBLE, answers.farkas, true);
  if (complementarity) return;
  out.write("lambda", H5T_NATIVE_DOUBLE, answers.lambda, true);
  if (!answers.row_lambda.empty()) {
    out.write("row_lambda", H5T_NATIVE_DOUBLE, answers.row_lambda, true);
    out.write("row_farkas", H5T_NATIVE_DOUBLE, answers.row_farkas, true);
  }
  out.write("violation", H5T_NATIVE_DOUBLE, answers.violation, false);
  out.write("asymmetry", H5T_NATIVE_DOUBLE, answers.asymmetry, false);
  if (kind != ProblemKind::kDelassus) out.write("direction", H5T_NATIVE_DOUBLE, answers.direction, true);
}

void write_file(const std::string& name, const ProblemBatch& problems, const ContactAnswers& answers,
                const std::vector<RecordingAttribute>& attributes) {
  const std::string what = "cannot write " + name;
  const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_obj_track_times(creation.get(), false);   // same problems, same bytes
  H5Pset_file_locking(access.get(), false, true);  // PartialFile locks
  Hdf5Handle file(check_hdf5(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), what), H5Fclose);
  write_arrays({file.get(), answers.status.size(), what}, problems, answers);
  for (const auto& attribute : attributes) write_attribute(file.get(), attribute, what);
  check_hdf5(H5Fflush(file.get(), H5F_SCOPE_LOCAL), what);
  check_hdf5(file.close(), what);
}

}  // namespace

void check_answer_file(const std::string& file) { PartialFile(file).remove(); }

void write_answers(const std::string& file, const ProblemBatch& problems, const ContactAnswers& answers,
                   const std::vector<RecordingAttribute>& attributes) {
  silence_hdf5();
  PartialFile partial(file);
  try {
    write_file(partial.partial_name(), problems, answers, attributes);
    partial.publish();
  } catch (...) {
    partial.remove();
    throw;
  }
}

}  // namespace stiction
