// MuJoCo's functions that this room calls, by their own names: inside namespace stiction, mj_compile(...) means the
// function of the library that mujoco_library.hpp loads. Include this instead of <mujoco/mujoco.h>; a function that is
// not on the list does not link.
#pragma once

#include <mujoco/mujoco.h>

#include "host/scene/mujoco_library.hpp"

// clang-format off
#define ST_MUJOCO_FUNCTIONS(X)                                                                                        \
  X(mj_collision) X(mj_comPos) X(mj_compile) X(mj_deleteData) X(mj_deleteModel) X(mj_deleteSpec) X(mj_geomDistance) X(mj_id2name) \
  X(mj_kinematics) X(mj_loadModelBuffer) X(mj_makeData) X(mj_parseXML) X(mj_parseXMLString) X(mj_saveModel)           \
  X(mj_saveXMLString) X(mj_sizeModel) X(mj_versionString) X(mjs_addActuator) X(mjs_addFrame)            \
  X(mjs_asActuator) X(mjs_asBody) X(mjs_asEquality) X(mjs_asFlex) X(mjs_asGeom) X(mjs_asHField) X(mjs_asJoint)        \
  X(mjs_asKey) X(mjs_asMesh) X(mjs_asPair) X(mjs_asPlugin) X(mjs_asSite) X(mjs_asSkin) X(mjs_asTendon)                \
  X(mjs_asTexture) X(mjs_attach) X(mjs_delete) X(mjs_findBody) X(mjs_findElement) X(mjs_findFrame)                    \
  X(mjs_firstElement) X(mjs_getDouble) X(mjs_getError) X(mjs_getFrame) X(mjs_getId) X(mjs_getName)                    \
  X(mjs_getParent) X(mjs_getString) X(mjs_nextElement) X(mjs_setDouble) X(mjs_setName) X(mjs_setString)               \
  X(mjs_setToPosition) X(mju_rotVecQuat) X(mju_setLogHandler) X(mju_type2Str)
// clang-format on

namespace stiction {

/// A function of MuJoCo by its number in the list above.
template <int number, typename Function>
struct MujocoFunction;
template <int number, typename Result, typename... Arguments>
struct MujocoFunction<number, Result(Arguments...)> {
  Result operator()(Arguments... arguments) const {
    return reinterpret_cast<Result (*)(Arguments...)>(mujoco_function(number))(arguments...);
  }
};

namespace mujoco_detail {
enum Number : int {
#define X(name) k_##name,
  ST_MUJOCO_FUNCTIONS(X)
#undef X
};
}  // namespace mujoco_detail

// objects, not functions: a name that is found as an object is looked up nowhere else
#define X(name) inline constexpr MujocoFunction<mujoco_detail::k_##name, decltype(::name)> name{};
ST_MUJOCO_FUNCTIONS(X)
#undef X

}  // namespace stiction
