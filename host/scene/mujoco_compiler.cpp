#include "host/scene/mujoco_compiler.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <mutex>

#include "host/model/error.hpp"
#include "host/scene/mujoco_additions.hpp"
#include "host/scene/mujoco_assets.hpp"
#include "host/scene/mujoco_messages.hpp"

namespace stiction {
namespace {

namespace fs = std::filesystem;

constexpr int kErrorLength = 2000;

// MuJoCo's fatal errors arrive here as well; they do not return to their caller, so they leave as an exception.
void keep_quiet(const mjLogMessage* message) {
  if (message->level == mjLOG_ERROR) throw InputError(std::string("MuJoCo: ") + message->subject);
}

/// Locks the compiler, and replaces its log handler, during one compilation.
class CompilerLock {
 public:
  CompilerLock() : lock_(mutex()), previous_(mju_setLogHandler(keep_quiet)) {}
  ~CompilerLock() { mju_setLogHandler(previous_); }
  CompilerLock(const CompilerLock&) = delete;
  CompilerLock& operator=(const CompilerLock&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  std::lock_guard<std::mutex> lock_;
  mjfLogHandler previous_;
};

/// Silences C's stderr while it lives: qhull, which makes MuJoCo's convex hulls, reports in no other way. MuJoCo's
/// error, or is_flat (mujoco_hull.cpp), reports flat meshes instead, in a line that names the mesh.
class QuietQhull {
 public:
  QuietQhull() : nowhere_(std::fopen("/dev/null", "w")), previous_(stderr) {
    if (nowhere_) stderr = nowhere_;
  }
  ~QuietQhull() {
    stderr = previous_;
    if (nowhere_) std::fclose(nowhere_);
  }
  QuietQhull(const QuietQhull&) = delete;
  QuietQhull& operator=(const QuietQhull&) = delete;

 private:
  std::FILE* nowhere_;
  std::FILE* previous_;
};

SpecPtr parse_file(const std::string& file, const ModelReading& reading) {
  std::error_code failed;
  const fs::file_status status = fs::status(file, failed);
  if (!fs::exists(status)) throw InputError(file + ": no such file; give an MJCF (.xml) or URDF (.urdf) model");
  if (!fs::is_regular_file(status)) throw InputError(file + ": not a file; give an MJCF (.xml) or URDF (.urdf) model");
  char error[kErrorLength] = "";
  SpecPtr spec(mj_parseXML(file.c_str(), nullptr, error, kErrorLength));
  if (!spec) throw InputError(describe(error, {file, {}}));
  apply_settings(reading.compiler, spec.get());
  resolve_assets(file, reading.packages, spec.get());
  return spec;
}

mjsFrame* add_frame(mjsBody* body, mjsFrame* parent, const double* pos, const double* quat) {
  mjsFrame* frame = mjs_addFrame(body, parent);
  std::copy_n(pos, 3, frame->pos);
  std::copy_n(quat, 4, frame->quat);
  return frame;
}

/// A new frame at the site's pose, in the site's body and frame.
mjsFrame* add_frame_at_site(mjsSite* site) {
  mjsFrame* frame = add_frame(mjs_getParent(site->element), mjs_getFrame(site->element), site->pos, site->quat);
  frame->alt = site->alt;
  return frame;
}

/// The frame that `attachment.to` means, moved by its pos and quat.
mjsFrame* frame_for(mjSpec* spec, const Attachment& attachment) {
  const double* pos = attachment.pos.data();
  const double* quat = attachment.quat.data();
  const std::string to = attachment.to.empty() ? "world" : attachment.to;
  if (mjsBody* body = mjs_findBody(spec, to.c_str())) return add_frame(body, nullptr, pos, quat);
  if (mjsFrame* frame = mjs_findFrame(spec, to.c_str())) {
    return add_frame(mjs_getParent(frame->element), frame, pos, quat);
  }
  if (mjsElement* site = mjs_findElement(spec, mjOBJ_SITE, to.c_str())) {
    mjsFrame* at_site = add_frame_at_site(mjs_asSite(site));
    return add_frame(mjs_getParent(site), at_site, pos, quat);
  }
  throw InputError(attachment.where + ": attach.to = \"" + to + "\" is no body, frame or site of the model so far");
}

void attach(mjSpec* spec, const Attachment& attachment, const ModelReading& reading) {
  const SpecPtr child = parse_file(attachment.model, reading);
  mjsFrame* frame = frame_for(spec, attachment);
  if (mjs_attach(frame->element, child->element, attachment.prefix.c_str(), "")) return;
  throw InputError(attachment.where + ": attach " + describe(mjs_getError(spec), {attachment.model, {}}));
}

std::string save_xml(mjSpec* spec, const std::string& file) {
  char error[kErrorLength] = "";
  std::string text(1 << 16, '\0');
  int needed = mj_saveXMLString(spec, text.data(), static_cast<int>(text.size()), error, kErrorLength);
  if (needed > 0) {
    text.assign(static_cast<std::size_t>(needed) + 1, '\0');
    needed = mj_saveXMLString(spec, text.data(), static_cast<int>(text.size()), error, kErrorLength);
  }
  if (needed != 0) throw InputError(file + ": cannot be written as MJCF: " + error);
  text.resize(text.find('\0'));
  return text;
}

[[noreturn]] void refuse_uncompiled(const std::string& message, const SourceFiles& files, mjSpec* spec) {
  const std::string unreadable = describe_unreadable(files, message, spec);
  throw InputError(unreadable.empty() ? describe(message, files) : unreadable);
}

/// Compiles; meshes that are only to be seen and cannot be read are left out.
CompiledModel compile(SpecPtr spec, const SourceFiles& files, const Ignored& ignore) {
  CompiledModel compiled;
  compiled.files = files;
  compiled.spec = std::move(spec);
  mjSpec* plan = compiled.spec.get();
  compiled.left_out = leave_out_unreadable(plan);
  const QuietQhull quiet;
  while (!compiled.model) {
    compiled.model.reset(mj_compile(plan, nullptr));
    if (compiled.model) break;
    const std::string message = mjs_getError(plan);
    const std::string left_out = leave_out_mesh_of(message, plan);
    if (left_out.empty()) refuse_uncompiled(message, files, plan);
    compiled.left_out.push_back(left_out);
  }
  compiled.xml = save_xml(compiled.spec.get(), files.file);
  compiled.ignore = ignore;
  return compiled;
}

mjString* info_of(mjsElement* element, mjtObj type) {
  switch (type) {
    case mjOBJ_BODY:
      return mjs_asBody(element)->info;
    case mjOBJ_JOINT:
      return mjs_asJoint(element)->info;
    case mjOBJ_GEOM:
      return mjs_asGeom(element)->info;
    case mjOBJ_PAIR:
      return mjs_asPair(element)->info;
    case mjOBJ_EQUALITY:
      return mjs_asEquality(element)->info;
    case mjOBJ_TENDON:
      return mjs_asTendon(element)->info;
    case mjOBJ_ACTUATOR:
      return mjs_asActuator(element)->info;
    case mjOBJ_FLEX:
      return mjs_asFlex(element)->info;
    case mjOBJ_PLUGIN:
      return mjs_asPlugin(element)->info;
    default:
      return nullptr;
  }
}

}  // namespace

CompiledModel compile_file(const std::string& file, const std::vector<Attachment>& attachments,
                           const ModelReading& reading) {
  ModelSize size(reading.max_elements);
  size.add_file(file);
  for (const Attachment& attachment : attachments) size.add_file(attachment.model);
  const CompilerLock lock;
  SpecPtr spec = parse_file(file, reading);
  SourceFiles files{file, {}};
  for (const Attachment& attachment : attachments) {
    attach(spec.get(), attachment, reading);
    files.attached.emplace_back(attachment.prefix, attachment.model);
  }
  add_actuators(reading.actuators, spec.get());
  return compile(std::move(spec), files, reading.ignore);
}

CompiledModel compile_text(const std::string& text, const ModelReading& reading) {
  ModelSize(reading.max_elements).add_text(text, "model text");
  const CompilerLock lock;
  char error[kErrorLength] = "";
  SpecPtr spec(mj_parseXMLString(text.c_str(), nullptr, error, kErrorLength));
  if (!spec) throw InputError(describe(error, {"model text", {}}));
  apply_settings(reading.compiler, spec.get());
  resolve_assets("", reading.packages, spec.get());
  add_actuators(reading.actuators, spec.get());
  return compile(std::move(spec), {"model text", {}}, reading.ignore);
}

CompiledModel load_compiled(std::span<const std::byte> mjb) {
  const CompilerLock lock;
  CompiledModel compiled;
  compiled.files = {"MuJoCo model", {}};
  compiled.model.reset(mj_loadModelBuffer(mjb.data(), static_cast<mjtSize>(mjb.size())));
  if (!compiled.model)
    throw InputError("MuJoCo model: not one that version " + std::string(mj_versionString()) + " saved");
  return compiled;
}

std::vector<std::byte> save_compiled(const CompiledModel& compiled) {
  const mjtSize size = mj_sizeModel(compiled.model.get());
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  mj_saveModel(compiled.model.get(), nullptr, bytes.data(), size);
  return bytes;
}

std::string where_is(const CompiledModel& compiled, mjtObj type, int id) {
  mjSpec* spec = compiled.spec.get();
  if (!spec) return compiled.files.file;
  for (mjsElement* e = mjs_firstElement(spec, type); e; e = mjs_nextElement(spec, e)) {
    if (mjs_getId(e) != id) continue;
    const std::string source = compiled.files.of(text_of(mjs_getName(e)));
    if (source.empty()) break;
    return at_line(source, line_in(text_of(info_of(e, type))));
  }
  return compiled.files.file;
}

std::string name_of(const mjModel* model, mjtObj type, int id) {
  const char* name = mj_id2name(model, type, id);
  return name && *name ? name : "#" + std::to_string(id);
}

}  // namespace stiction
