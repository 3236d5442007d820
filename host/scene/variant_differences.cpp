// In what models of one list may differ: shapes, inertia, and where free bodies start.
#include <array>
#include <set>
#include <string_view>

#include "host/model/error.hpp"
#include "host/scene/number_rows.hpp"
#include "host/scene/variants.hpp"

namespace stiction {
namespace {

/// Arrays that are not compared: those of geoms, hulls and pairs, which get slots, and those that follow from them.
bool may_differ(std::string_view field) {
  static const std::set<std::string_view> kOwn = {
#define ST_PARAMETER(name, length) #name,
#define ST_INT_PARAMETER(name, length) #name,
#include "kernels/model/variant_parameters.inc"
#undef ST_INT_PARAMETER
#undef ST_PARAMETER
      "tree_shared_dof"};
  return field.starts_with("geom_") || field.starts_with("mesh_") || field.starts_with("pair_") || kOwn.count(field);
}

bool is_counted_apart(std::string_view count) {
  return count == "ngeom" || count == "npair" || count.starts_with("nmesh");
}

bool is_free(const Model& m, int joint) { return m.joint_type[joint] == static_cast<int>(JointType::kFree); }

/// The model with all free bodies at the origin, so that where they start is not compared.
Model without_starts(Model m) {
  constexpr std::array<double, 7> kOrigin{0, 0, 0, 1, 0, 0, 0};
  for (int j = 0; j < m.njoint; ++j) {
    if (!is_free(m, j)) continue;
    const auto q = static_cast<std::ptrdiff_t>(m.joint_qpos_adr[j]), b = static_cast<std::ptrdiff_t>(m.joint_body[j]);
    std::copy(kOrigin.begin(), kOrigin.end(), m.qpos0.begin() + q);
    std::copy(kOrigin.begin(), kOrigin.end(), m.qpos_spring.begin() + q);
    std::copy(kOrigin.begin(), kOrigin.begin() + 3, m.body_pos.begin() + 3 * b);
    std::copy(kOrigin.begin() + 3, kOrigin.end(), m.body_quat.begin() + 4 * b);
  }
  return m;
}

/// "of joint 'lid'" for a row of a field whose first word says of what it is; else its number.
std::string row_name(const Model& m, std::string_view field, std::size_t row) {
  const auto named = [&](const char* kind, const std::vector<std::string>& names, std::size_t i) {
    return std::string(" of ") + kind + " '" + (i < names.size() ? names[i] : "") + "'";
  };
  if (field.starts_with("body_")) return named("body", m.body_names, row);
  if (field.starts_with("joint_")) return named("joint", m.joint_names, row);
  if (field.starts_with("dof_")) return named("joint", m.joint_names, static_cast<std::size_t>(m.dof_joint[row]));
  if (field.starts_with("actuator_")) return named("actuator", m.actuator_names, row);
  if (field.starts_with("site_")) return named("site", m.site_names, row);
  if (field.starts_with("sensor_")) return named("sensor", m.sensor_names, row);
  return "[" + std::to_string(row) + "]";
}

/// Compares another model with the first one.
class Comparison {
 public:
  Comparison(const ReadVariant& first, const ReadVariant& other, const std::string& where)
      : first_(first), other_(other), where_(where) {}

  void counts(const char* name, std::size_t a, std::size_t b) const {
    if (a != b) fail(std::string(name) + " (" + std::to_string(a) + " and " + std::to_string(b) + ")");
  }

  void words(const char* what, const std::vector<std::string>& a, const std::vector<std::string>& b) const {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) fail(std::string(what) + " " + std::to_string(i) + " ('" + a[i] + "' and '" + b[i] + "')");
  }

  void camera(const std::string& name, const ModelCamera& a, const ModelCamera& b) const {
    const bool same = a.body == b.body && a.pos == b.pos && a.quat == b.quat && a.fovy == b.fovy && a.gap == b.gap;
    if (!same) fail("pose, fovy or mode of camera '" + name + "'");
  }

  template <class T>
  void values(const char* name, int rows, const std::vector<T>& a, const std::vector<T>& b) const {
    if (may_differ(name)) return;
    const std::size_t width = rows > 0 ? a.size() / static_cast<std::size_t>(rows) : a.size();
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i])
        fail(name + row_name(first_.model, name, i / width) + " (" + print_number(a[i]) + " and " + print_number(b[i]) +
             ")");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(where_ + ": attach.model: '" + first_.name + "' and '" + other_.name + "' differ in " + what +
                     ": models of one list may differ in geoms and inertia, the rest must be equal");
  }

  const ReadVariant &first_, &other_;
  const std::string& where_;
};

/// Rows of an array whose length is `length`, by the first word of its name.
int rows_of(const Model& m, std::string_view field) {
  const std::pair<std::string_view, int> kinds[] = {{"body_", m.nbody},    {"joint_", m.njoint}, {"dof_", m.nv},
                                                    {"actuator_", m.nu},   {"site_", m.nsite},   {"sensor_", m.nsensor},
                                                    {"tendon_", m.ntendon}};
  for (const auto& [start, count] : kinds)
    if (field.starts_with(start)) return count;
  return 0;
}

void compare(const Model& a, const Model& b, const Comparison& with) {
#define ST_COUNT(name) \
  if (!is_counted_apart(#name)) with.counts(#name, static_cast<std::size_t>(a.name), static_cast<std::size_t>(b.name));
#include "kernels/model/model_counts.inc"
#undef ST_COUNT
  with.counts("number of keyframes", a.keyframe_names.size(), b.keyframe_names.size());
  with.words("name of keyframe", a.keyframe_names, b.keyframe_names);
  with.counts("number of cameras", a.cameras.size(), b.cameras.size());
  with.words("name of camera", a.camera_names, b.camera_names);
  for (std::size_t i = 0; i < a.cameras.size(); ++i) with.camera(a.camera_names[i], a.cameras[i], b.cameras[i]);
  for (std::size_t k = 0; k < a.keyframe_ctrl.size(); ++k)
    with.values("ctrl of a keyframe", 0, a.keyframe_ctrl[k], b.keyframe_ctrl[k]);
#define ST_INT(name, length) with.values(#name, rows_of(a, #name), a.name, b.name);
#define ST_REAL(name, length) with.values(#name, rows_of(a, #name), a.name, b.name);
#include "kernels/model/model_fields.inc"
#undef ST_INT
#undef ST_REAL
}

}  // namespace

void check_alike(const std::vector<ReadVariant>& read, const std::string& where) {
  const Model first = without_starts(read.front().model);
  for (std::size_t v = 1; v < read.size(); ++v)
    compare(first, without_starts(read[v].model), Comparison(read.front(), read[v], where));
}

}  // namespace stiction
