// Refuses by name what the simulator cannot simulate. Ignored on purpose: everything that is only drawn or sensed, and
// MuJoCo's own soft-contact and integrator settings (solref, solimp, timestep, cone, solver, sleep).
#include <algorithm>
#include <cmath>

#include "host/model/error.hpp"
#include "host/scene/mujoco_importer.hpp"

namespace stiction {
namespace {

[[noreturn]] void refuse_option(const CompiledModel& compiled, const std::string& what) {
  throw InputError(compiled.files.file + ": option " + what);
}

template <class T>
bool any(const T* values, mjtSize count) {
  return std::any_of(values, values + count, [](T value) { return value != T(0); });
}

/// Notes which forces of air or water are left out. Without --ignore fluid they act on the boxes of inertia.
void leave_out_fluid(const CompiledModel& compiled, Model& model) {
  const mjOption& opt = compiled.model->opt;
  const bool moves = opt.density != 0.0 || opt.viscosity != 0.0;
  if (!moves || !compiled.ignore.holds("fluid")) return;
  const auto note = [&](const char* option, bool acts) {
    if (acts) model.ignored.push_back(std::string("option ") + option + " (fluid)");
  };
  note("wind", any(opt.wind, 3));
  note("density", opt.density != 0.0);
  note("viscosity", opt.viscosity != 0.0);
}

/// Refuses the fluid forces of ellipsoids: lift, added mass and their own drag.
void refuse_ellipsoids_in_fluid(const CompiledModel& compiled) {
  const mjModel& m = *compiled.model;
  if ((m.opt.density == 0.0 && m.opt.viscosity == 0.0) || compiled.ignore.holds("fluid")) return;
  for (int g = 0; g < m.ngeom; ++g)
    if (m.geom_fluid[mjNFLUID * g] > 0.0)
      refuse(compiled, mjOBJ_GEOM, g,
             "has fluidshape ellipsoid, supported are the forces on the box of a body's inertia (fluidshape none)" +
                 offer_to_ignore("fluid"));
}

void refuse_options(const CompiledModel& compiled, Model& model) {
  const mjOption& opt = compiled.model->opt;
  leave_out_fluid(compiled, model);
  if (opt.disableactuator != 0) refuse_option(compiled, "actuatorgroupdisable is not supported: remove the actuators");
  if (opt.disableflags & mjDSBL_ACTUATION) refuse_option(compiled, "flag actuation=\"disable\" is not supported");
  if (opt.enableflags & mjENBL_OVERRIDE) refuse_option(compiled, "flag override=\"enable\" is not supported");
}

void refuse_element_kinds(const CompiledModel& compiled) {
  const mjModel& m = *compiled.model;
  if (m.nflex > 0) refuse(compiled, mjOBJ_FLEX, 0, "is deformable, which is not supported: remove the flex");
  if (m.nplugin > 0) refuse(compiled, mjOBJ_PLUGIN, 0, "is not supported: remove the plugin");
}

void refuse_joints(const CompiledModel& compiled) {
  const mjModel& m = *compiled.model;
  for (int j = 0; j < m.njnt; ++j) {
    if (any(m.jnt_stiffnesspoly + j * mjNPOLY, mjNPOLY)) {
      refuse(compiled, mjOBJ_JOINT, j, "has a stiffness polynomial, supported is a linear stiffness");
    }
    if (m.jnt_springyield[j] != 0.0)
      refuse(compiled, mjOBJ_JOINT, j, "has a plastic spring (springyield), not supported");
    if (m.jnt_actgravcomp[j] && m.jnt_actfrclimited[j] && m.ngravcomp > 0) {
      refuse(compiled, mjOBJ_JOINT, j,
             "has actuatorgravcomp with actuatorfrcrange, which is not supported: use forcerange");
    }
  }
  for (int d = 0; d < m.nv; ++d) {
    if (any(m.dof_dampingpoly + d * mjNPOLY, mjNPOLY)) {
      refuse(compiled, mjOBJ_JOINT, m.dof_jntid[d], "has a damping polynomial, supported is a linear damping");
    }
  }
}

void refuse_geoms(const CompiledModel& compiled) {
  const mjModel& m = *compiled.model;
  for (int g = 0; g < m.ngeom; ++g) {
    if (any(m.geom_surfacevel + 6 * g, 6)) refuse(compiled, mjOBJ_GEOM, g, "has a surfacevel, which is not supported");
    if (m.geom_adhesion[g] != 0.0) refuse(compiled, mjOBJ_GEOM, g, "has adhesion, which is not supported");
  }
  for (int p = 0; p < m.npair; ++p) {
    if (m.pair_adhesion[p] != 0.0) refuse(compiled, mjOBJ_PAIR, p, "has adhesion, which is not supported");
  }
}

void refuse_equalities(const CompiledModel& compiled) {
  const mjModel& m = *compiled.model;
  for (int e = 0; e < m.neq; ++e) {
    const int type = m.eq_type[e];
    if (type == mjEQ_JOINT || type == mjEQ_TENDON || type == mjEQ_WELD || type == mjEQ_CONNECT) continue;
    refuse(compiled, mjOBJ_EQUALITY, e,
           "is a flex or distance constraint, supported are connect, weld, joint and fixed-tendon equalities");
  }
}

/// Refuses what a path has besides sites that move with joints.
void refuse_path(const CompiledModel& compiled, int tendon) {
  const mjModel& m = *compiled.model;
  const auto refuse_any = [&](bool found, const std::string& what) {
    if (found) refuse(compiled, mjOBJ_TENDON, tendon, what + "; supported are straight segments from site to site");
  };
  for (int w = m.tendon_adr[tendon]; w < m.tendon_adr[tendon] + m.tendon_num[tendon]; ++w) {
    const int type = m.wrap_type[w];
    refuse_any(type == mjWRAP_SPHERE || type == mjWRAP_CYLINDER, "wraps around a geom");
    refuse_any(type == mjWRAP_PULLEY, "has a pulley");
    if (type != mjWRAP_SITE) continue;
    const int mocap = m.body_mocapid[m.body_rootid[m.site_bodyid[m.wrap_objid[w]]]];
    refuse_any(mocap >= 0, "is fixed to a mocap body");
  }
  for (int e = 0; e < m.neq; ++e)
    refuse_any(m.eq_type[e] == mjEQ_TENDON && (m.eq_obj1id[e] == tendon || m.eq_obj2id[e] == tendon),
               "is spatial and part of an equality");
}

void refuse_tendons(const CompiledModel& compiled) {
  const mjModel& m = *compiled.model;
  for (int t = 0; t < m.ntendon; ++t) {
    if (m.tendon_type[t] == mjTENDON_SPATIAL) refuse_path(compiled, t);
    if (m.tendon_armature[t] != 0.0) refuse(compiled, mjOBJ_TENDON, t, "has armature, which is not supported");
    if (m.tendon_springyield[t] != 0.0) {
      refuse(compiled, mjOBJ_TENDON, t, "has a plastic spring (springyield), which is not supported");
    }
    if (any(m.tendon_stiffnesspoly + t * mjNPOLY, mjNPOLY) || any(m.tendon_dampingpoly + t * mjNPOLY, mjNPOLY)) {
      refuse(compiled, mjOBJ_TENDON, t, "has a stiffness or damping polynomial, supported are linear ones");
    }
  }
}

std::string transmission_name(int type) {
  switch (type) {
    case mjTRN_SLIDERCRANK:
      return "a slider-crank";
    case mjTRN_SITE:
      return "a site";
    case mjTRN_BODY:
      return "a body (adhesion)";
    case mjTRN_SO3:
      return "an orientation";
    default:
      return "an unknown target";
  }
}

void refuse_transmission(const CompiledModel& compiled, int a) {
  const mjModel& m = *compiled.model;
  const int type = m.actuator_trntype[a];
  if (type != mjTRN_JOINT && type != mjTRN_JOINTINPARENT && type != mjTRN_TENDON) {
    refuse(compiled, mjOBJ_ACTUATOR, a,
           "acts on " + transmission_name(type) + ", supported are joints and tendons: remove the actuator");
  }
  if (type == mjTRN_TENDON) return;
  const int joint = m.jnt_type[m.actuator_trnid[2 * a]];
  if (joint != mjJNT_HINGE && joint != mjJNT_SLIDE) {
    refuse(compiled, mjOBJ_ACTUATOR, a, "acts on a ball or free joint, supported are hinges and slides");
  }
}

std::string dynamics_name(int type) {
  switch (type) {
    case mjDYN_MUSCLE:
      return "muscle";
    case mjDYN_DCMOTOR:
      return "dcmotor";
    case mjDYN_PID:
      return "pid";
    default:
      return "user";
  }
}

std::string gain_name(int type) {
  switch (type) {
    case mjGAIN_AFFINE:
      return "affine (as of damper)";
    case mjGAIN_MUSCLE:
      return "muscle";
    case mjGAIN_DCMOTOR:
      return "dcmotor";
    case mjGAIN_SO3:
      return "orientation servo";
    case mjGAIN_PID:
      return "pid";
    default:
      return "user";
  }
}

/// Refuses activations that are neither filters nor integrals of their control; notes filters that are left out.
void refuse_activation(const CompiledModel& compiled, int a, Model& model) {
  const int type = compiled.model->actuator_dyntype[a];
  if (leaves_out_filter(compiled, a)) {
    model.ignored.push_back("filter of actuator '" + name_of(compiled.model.get(), mjOBJ_ACTUATOR, a) +
                            "' (activation)");
    return;
  }
  if (type == mjDYN_NONE || type == mjDYN_INTEGRATOR || type == mjDYN_FILTER || type == mjDYN_FILTEREXACT) return;
  refuse(compiled, mjOBJ_ACTUATOR, a,
         "has activation dynamics " + dynamics_name(type) +
             ", supported are filter, filterexact and integrator: use one of them, or a motor");
}

void refuse_actuators(const CompiledModel& compiled, Model& model) {
  const mjModel& m = *compiled.model;
  for (int a = 0; a < m.nactuator; ++a) {
    if (m.actuator_gaintype[a] != mjGAIN_FIXED) {
      refuse(compiled, mjOBJ_ACTUATOR, a,
             "has gain " + gain_name(m.actuator_gaintype[a]) + ", supported is a fixed gain");
    }
    refuse_activation(compiled, a, model);
    refuse_transmission(compiled, a);
    if (m.actuator_biastype[a] != mjBIAS_NONE && m.actuator_biastype[a] != mjBIAS_AFFINE) {
      refuse(compiled, mjOBJ_ACTUATOR, a, "has a bias that is neither none nor affine, which is not supported");
    }
    if (m.actuator_ctrlnum[a] != 1)
      refuse(compiled, mjOBJ_ACTUATOR, a, "has more or less than one control, not supported");
    if (m.actuator_delay[a] != 0.0) refuse(compiled, mjOBJ_ACTUATOR, a, "has a delay, which is not supported");
    if (any(m.actuator_dampingpoly + a * mjNPOLY, mjNPOLY)) {
      refuse(compiled, mjOBJ_ACTUATOR, a, "has a damping polynomial, supported is a linear damping");
    }
    if (m.actuator_trntype[a] == mjTRN_TENDON && m.actuator_armature[a] != 0.0) {
      refuse(compiled, mjOBJ_ACTUATOR, a, "has armature on a tendon, which is not supported");
    }
  }
}

}  // namespace

bool leaves_out_filter(const CompiledModel& compiled, int actuator) {
  const int type = compiled.model->actuator_dyntype[actuator];
  return (type == mjDYN_FILTER || type == mjDYN_FILTEREXACT) && compiled.ignore.holds("activation");
}

void refuse_unsupported(const CompiledModel& compiled, Model& model) {
  refuse_options(compiled, model);
  refuse_element_kinds(compiled);
  refuse_ellipsoids_in_fluid(compiled);
  refuse_joints(compiled);
  refuse_geoms(compiled);
  refuse_equalities(compiled);
  refuse_tendons(compiled);
  refuse_actuators(compiled, model);
}

}  // namespace stiction
