#include "host/reference/patch_scene.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "host/model/choices.hpp"
#include "host/model/error.hpp"
#include "host/reference/contact_rows.hpp"

namespace stiction::reference {
namespace {

constexpr double kCentred = 1e-9;  // a centre of mass this near to the body's origin is there, as a share of the size

[[noreturn]] void refuse(const std::string& what, const std::string& instead) {
  throw InputError("device reference: " + what + "; " + instead +
                   ", or choose another device (compare: --b cpu --solver-b NAME)");
}

std::string body_name(const Model& m, int b) { return "body '" + m.body_names[static_cast<std::size_t>(b)] + "'"; }
std::string geom_name(const Model& m, int g) { return "geom '" + m.geom_names[static_cast<std::size_t>(g)] + "'"; }

GeomType type_of(const Model& m, int g) { return static_cast<GeomType>(m.geom_type[static_cast<std::size_t>(g)]); }

bool is_free(const Model& m, int b) {
  const auto at = static_cast<std::size_t>(b);
  return m.body_joint_num[at] == 1 && m.body_parent[at] == 0 &&
         static_cast<JointType>(m.joint_type[static_cast<std::size_t>(m.body_joint_adr[at])]) == JointType::kFree;
}

bool has_value(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double x) { return x != 0.0; });
}

/// Adds `geometry is "start"` to the choices that the reference has not.
template <class Enum>
void note(bool has, const Choice& choice, Enum value, std::string& others) {
  if (!has) others += (others.empty() ? "" : ", ") + choice.name + " is \"" + choice_name(choice, value) + "\"";
}

void check_choices(const PhysicsConfig& p) {
  std::string others;
  note(p.dynamics == Dynamics::kDynamic, dynamics_choice(), p.dynamics, others);
  note(!hovers(p.law), law_choice(), p.law, others);
  note(p.contact == ContactModel::kPatch, contact_choice(), p.contact, others);
  note(p.geometry == ContactGeometry::kEnd, geometry_choice(), p.geometry, others);
  note(p.rotation == Rotation::kLinear, rotation_choice(), p.rotation, others);
  note(p.torsion_radius == TorsionRadius::kModel, torsion_radius_choice(), p.torsion_radius, others);
  if (!others.empty())
    refuse("it seeks the end of a step with the choices of the preset \"ecp\" only, and " + others, "use that preset");
}

void check_bodies(const Model& m) {
  for (int b = 1; b < m.nbody; ++b) {
    if (m.body_last_dof[static_cast<std::size_t>(b)] < 0) continue;
    if (!is_free(m, b)) refuse(body_name(m, b) + " has other joints than one of its own that is free", "make it free");
    const auto geoms = std::count(m.geom_body.begin(), m.geom_body.end(), b);
    if (geoms != 1)
      refuse(
          body_name(m, b) + " has " + std::to_string(geoms) + " geoms that collide, and a patch is that of one shape",
          "give it one");
    const double* centre = &m.body_ipos[3 * static_cast<std::size_t>(b)];
    if (std::hypot(centre[0], centre[1], centre[2]) > kCentred * m.body_radius[static_cast<std::size_t>(b)])
      refuse("the centre of mass of " + body_name(m, b) + " is not its origin", "move its geom by as much");
  }
}

void check_geom(const Model& m, int g) {
  const GeomType type = type_of(m, g);
  if (type != GeomType::kPlane && type != GeomType::kBox && type != GeomType::kCylinder && type != GeomType::kMesh)
    refuse(geom_name(m, g) + " is no plane, box, cylinder or mesh", "use one of these shapes");
  const auto b = static_cast<std::size_t>(m.geom_body[static_cast<std::size_t>(g)]);
  const double* at = &m.geom_pos[3 * static_cast<std::size_t>(g)];
  if (type == GeomType::kCylinder && m.body_last_dof[b] >= 0 &&
      std::hypot(at[0], at[1], at[2]) > kCentred * m.body_radius[b])
    refuse(geom_name(m, g) + ", a cylinder, is not centred on its body", "move it to the body's origin");
}

void check_pair(const Model& m, const PhysicsConfig& physics, int p) {
  const int A = m.pair_geom[2 * static_cast<std::size_t>(p)], B = m.pair_geom[2 * static_cast<std::size_t>(p) + 1];
  const std::string names = "geoms '" + m.geom_names[static_cast<std::size_t>(A)] + "' and '" +
                            m.geom_names[static_cast<std::size_t>(B)] + "'";
  check_geom(m, A), check_geom(m, B);
  if (type_of(m, A) == GeomType::kCylinder && type_of(m, B) == GeomType::kCylinder)
    refuse("it has no patches of two cylinders, " + names, "exclude the pair, make one of them a mesh");
  if (!has_friction(physics.law)) return;
  const Eigen::Vector3d mu = friction_of(m, p);
  if (mu[0] != mu[1]) refuse(names + " have two coefficients of sliding friction", "make them equal");
  if (mu[0] > 0.0 && !(mu[2] > 0.0))
    refuse("its patches resist turning, and " + names + " have no torsional friction",
           "use condim 4 and friction=\"mu mu*e_r 0\", e_r in metres");
}

}  // namespace

void check_patch_forces(const Model& m) {
  const auto refuse_any = [](bool any, const char* what) {
    if (any) refuse(std::string("its patches are those of free bodies, and the model has ") + what, "leave them out");
  };
  refuse_any(m.nu > 0, "actuators");
  refuse_any(m.fluid[0] > 0.0 || m.fluid[1] > 0.0, "a fluid (option density or viscosity)");
  refuse_any(m.nmocap > 0, "mocap bodies");
  refuse_any(m.ntendon > 0, "tendons");
  refuse_any(m.ncoupling > 0, "equality constraints");
  refuse_any(has_value(m.dof_damping) || has_value(m.dof_frictionloss) || has_value(m.dof_armature),
             "damping, friction or armature of joints");
  refuse_any(has_value(m.body_gravcomp), "gravity compensation");
  refuse_any(has_value(m.pair_margin), "margins of geoms");
  refuse_any(std::any_of(m.pair_kinetic.begin(), m.pair_kinetic.end(), [](double mu) { return mu >= 0.0; }),
             "kinetic friction of materials");
}

bool has_patches(const Scene& scene) { return scene.physics.contact == ContactModel::kPatch; }

void check_patch_scene(const Scene& scene) {
  const PhysicsConfig& physics = scene.physics;
  if (!seeks_end(physics)) return;
  check_choices(physics);
  check_patch_forces(*scene.model);
  check_bodies(*scene.model);
  for (int p = 0; p < scene.model->npair; ++p) check_pair(*scene.model, physics, p);
}

}  // namespace stiction::reference
