#include "host/scene/mujoco_additions.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "host/model/error.hpp"
#include "host/scene/mujoco_assets.hpp"
#include "host/scene/toml_table.hpp"

namespace stiction {
namespace {

// --- settings of the compiler ---------------------------------------------------------------------------------------

/// The bits of mjsCompiler.authored: MuJoCo writes to MJCF what is authored.
enum class CompilerField : std::uint8_t {
#define X(type, name, size) name,
#define XVEC(type, name, size) name,
  MJSCOMPILER_FIELDS
#undef X
#undef XVEC
};

void mark(CompilerField field, mjsCompiler& compiler) {
  compiler.authored |= std::uint64_t{1} << static_cast<unsigned>(field);
}

template <class Value, class Field>
void set(const std::optional<Value>& value, CompilerField bit, mjsCompiler& compiler, Field& field) {
  if (!value) return;
  field = static_cast<Field>(*value);
  mark(bit, compiler);
}

mjtInertiaFromGeom inertia_from_geom(const std::string& word) {
  if (word == "auto") return mjINERTIAFROMGEOM_AUTO;
  return word == "true" ? mjINERTIAFROMGEOM_TRUE : mjINERTIAFROMGEOM_FALSE;
}

// --- actuators ------------------------------------------------------------------------------------------------------

bool is_driven_by_one_number(mjsElement* joint) {
  const int type = mjs_asJoint(joint)->type;
  return type == mjJNT_HINGE || type == mjJNT_SLIDE;
}

/// The actuator that acts on the joint, or "" if there is none.
std::string actuator_of(const std::string& joint, mjSpec* spec) {
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_ACTUATOR); e; e = mjs_nextElement(spec, e)) {
    const mjsActuator& actuator = *mjs_asActuator(e);
    const bool of_joint = actuator.trntype == mjTRN_JOINT || actuator.trntype == mjTRN_JOINTINPARENT;
    if (of_joint && text_of(actuator.target) == joint) return text_of(mjs_getName(e));
  }
  return "";
}

/// Whether a joint equality makes it follow another joint, as <mimic> of a URDF does.
bool follows_another(const std::string& joint, mjSpec* spec) {
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_EQUALITY); e; e = mjs_nextElement(spec, e)) {
    const mjsEquality& equality = *mjs_asEquality(e);
    if (equality.type == mjEQ_JOINT && text_of(equality.name1) == joint) return true;
  }
  return false;
}

void add_actuator(const AddedActuator& added, const std::string& joint, mjSpec* spec) {
  mjsActuator* actuator = mjs_addActuator(spec, nullptr);
  if (mjs_setName(actuator->element, joint.c_str()) != 0)
    throw InputError(added.where + ": actuator.joint = \"" + joint + "\": the name is taken by another actuator");
  actuator->trntype = mjTRN_JOINT;
  mjs_setString(actuator->target, joint.c_str());
  double kv = added.kv;
  mjs_setToPosition(actuator, added.kp, &kv, nullptr, nullptr, 0.0);
  if (added.force_range) {
    std::copy(added.force_range->begin(), added.force_range->end(), actuator->forcerange);
    actuator->forcelimited = mjLIMITED_TRUE;
  }
  if (added.ctrl_range) {
    std::copy(added.ctrl_range->begin(), added.ctrl_range->end(), actuator->ctrlrange);
    actuator->ctrllimited = mjLIMITED_TRUE;
  }
}

std::vector<std::string> drivable_joints(mjSpec* spec) {
  std::vector<std::string> names;
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_JOINT); e; e = mjs_nextElement(spec, e)) {
    const std::string name = text_of(mjs_getName(e));
    if (is_driven_by_one_number(e) && !name.empty()) names.push_back(name);
  }
  return names;
}

void add_to_named(const AddedActuator& added, mjSpec* spec) {
  const std::string said = added.where + ": actuator.joint = \"" + added.joint + "\" ";
  mjsElement* joint = mjs_findElement(spec, mjOBJ_JOINT, added.joint.c_str());
  if (!joint) {
    const std::vector<std::string> known = drivable_joints(spec);
    throw InputError(
        said + "is no joint of the model; " +
        (known.empty() ? "it has no hinges and slides" : "the nearest is \"" + nearest(added.joint, known) + "\""));
  }
  if (!is_driven_by_one_number(joint))
    throw InputError(said + "is a ball or free joint, supported are hinges and slides");
  if (const std::string other = actuator_of(added.joint, spec); !other.empty())
    throw InputError(said + "has the actuator '" + other + "' already: leave one of them out");
  add_actuator(added, added.joint, spec);
}

void add_to_all(const AddedActuator& added, mjSpec* spec) {
  int count = 0;
  for (const std::string& joint : drivable_joints(spec)) {
    if (!actuator_of(joint, spec).empty() || follows_another(joint, spec)) continue;
    add_actuator(added, joint, spec);
    ++count;
  }
  if (count == 0)
    throw InputError(added.where + ": actuator.joint = \"*\": no hinge or slide with a name is without an actuator");
}

/// Gives keyframes that command the model's own actuators zeros for those that were added.
void extend_keyframes(int added, mjSpec* spec) {
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_KEY); e; e = mjs_nextElement(spec, e)) {
    int size = 0;
    const double* ctrl = mjs_getDouble(mjs_asKey(e)->ctrl, &size);
    if (size == 0) continue;
    std::vector<double> extended(ctrl, ctrl + size);
    extended.resize(static_cast<std::size_t>(size + added), 0.0);
    mjs_setDouble(mjs_asKey(e)->ctrl, extended.data(), static_cast<int>(extended.size()));
  }
}

int number_of_actuators(mjSpec* spec) {
  int count = 0;
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_ACTUATOR); e; e = mjs_nextElement(spec, e)) ++count;
  return count;
}

}  // namespace

void apply_settings(const CompilerSettings& settings, mjSpec* spec) {
  using F = CompilerField;
  mjsCompiler& c = spec->compiler;
  set(settings.balanceinertia, F::balanceinertia, c, c.balanceinertia);
  set(settings.discardvisual, F::discardvisual, c, c.discardvisual);
  set(settings.fusestatic, F::fusestatic, c, c.fusestatic);
  set(settings.alignfree, F::alignfree, c, c.alignfree);
  set(settings.boundmass, F::boundmass, c, c.boundmass);
  set(settings.boundinertia, F::boundinertia, c, c.boundinertia);
  set(settings.settotalmass, F::settotalmass, c, c.settotalmass);
  if (settings.strippath) spec->strippath = *settings.strippath;
  if (settings.meshdir) mjs_setString(c.meshdir, settings.meshdir->c_str());
  if (settings.texturedir) mjs_setString(c.texturedir, settings.texturedir->c_str());
  if (settings.inertiafromgeom) {
    c.inertiafromgeom = inertia_from_geom(*settings.inertiafromgeom);
    mark(F::inertiafromgeom, c);
  }
  if (settings.inertiagrouprange) {
    std::copy(settings.inertiagrouprange->begin(), settings.inertiagrouprange->end(), c.inertiagrouprange);
    mark(F::inertiagrouprange, c);
  }
}

void add_actuators(const std::vector<AddedActuator>& actuators, mjSpec* spec) {
  if (actuators.empty()) return;
  const int before = number_of_actuators(spec);
  for (const AddedActuator& added : actuators)
    if (added.joint != "*") add_to_named(added, spec);
  for (const AddedActuator& added : actuators)
    if (added.joint == "*") add_to_all(added, spec);
  extend_keyframes(number_of_actuators(spec) - before, spec);
}

}  // namespace stiction
