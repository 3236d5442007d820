#include "host/scene/mujoco_assets.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace stiction {
namespace {

namespace fs = std::filesystem;

const std::string kScheme = "package://";

// --- paths ----------------------------------------------------------------------------------------------------------

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

fs::path made_absolute(const fs::path& path) {
  std::error_code ignored;
  const fs::path result = fs::absolute(path, ignored);
  return (ignored ? path : result).lexically_normal();
}

/// Whether the folder's package.xml names this package.
bool is_package(const fs::path& folder, const std::string& name) {
  std::ifstream stream(folder / "package.xml");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return text.find("<name>" + name + "</name>") != std::string::npos;
}

/// The folders that may be the package, nearest first.
std::vector<fs::path> package_folders(const std::string& name, const fs::path& model_folder,
                                      const std::map<std::string, std::string>& packages) {
  if (const auto given = packages.find(name); given != packages.end()) return {made_absolute(given->second)};
  std::vector<fs::path> folders;
  for (fs::path folder = made_absolute(model_folder.empty() ? "." : model_folder);; folder = folder.parent_path()) {
    if (folder.filename() == name || is_package(folder, name)) folders.push_back(folder);
    if (is_folder(folder / name)) folders.push_back(folder / name);
    if (folder == folder.parent_path()) return folders;
  }
}

/// The file of package://NAME/REST: of the folders that may be the package the first that has it; none if there are no
/// such folders.
std::optional<fs::path> find_in_package(const std::string& asset, const fs::path& model_folder,
                                        const std::map<std::string, std::string>& packages) {
  const std::size_t slash = std::min(asset.find('/', kScheme.size()), asset.size());
  const std::string name = asset.substr(kScheme.size(), slash - kScheme.size());
  const fs::path rest = asset.substr(std::min(slash + 1, asset.size()));
  const std::vector<fs::path> folders = package_folders(name, model_folder, packages);
  if (folders.empty()) return std::nullopt;
  const auto has_it = [&](const fs::path& folder) { return is_file(folder / rest); };
  const auto found = std::find_if(folders.begin(), folders.end(), has_it);
  return made_absolute((found == folders.end() ? folders.front() : *found) / rest);
}

std::string resolve_asset(const std::string& asset, const fs::path& model_folder, const std::string& asset_folder,
                          bool strip) {
  if (asset.empty()) return asset;
  const fs::path path(asset);
  const fs::path kept = strip ? path.filename() : path;
  const fs::path folder(asset_folder);
  return made_absolute(kept.is_absolute() ? kept
                                          : (folder.is_absolute() ? folder / kept : model_folder / folder / kept))
      .string();
}

// --- meshes that cannot be read -------------------------------------------------------------------------------------

/// Whether MuJoCo may be able to read the file: it is there, and of a format for which there is a decoder.
bool may_be_readable(const std::string& file) {
  std::string extension = fs::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return is_file(file) && (extension == ".obj" || extension == ".stl" || extension == ".msh");
}

std::vector<mjsGeom*> geoms_of(const std::string& mesh, mjSpec* spec) {
  std::vector<mjsGeom*> geoms;
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_GEOM); e; e = mjs_nextElement(spec, e))
    if (text_of(mjs_asGeom(e)->meshname) == mesh) geoms.push_back(mjs_asGeom(e));
  return geoms;
}

/// Whether the geom is only to be seen: it collides with nothing, and its body's inertia does not come from it.
bool is_only_seen(const mjsGeom& geom, const mjSpec& spec) {
  const bool inertia_is_given =
      mjs_getParent(geom.element)->explicitinertial && spec.compiler.inertiafromgeom != mjINERTIAFROMGEOM_TRUE;
  return geom.contype == 0 && geom.conaffinity == 0 && (inertia_is_given || geom.mass == 0.0 || geom.density == 0.0);
}

/// Removes a mesh and its geoms; false if one of them is more than to be seen.
bool leave_out(mjsMesh* mesh, mjSpec* spec) {
  const std::vector<mjsGeom*> geoms = geoms_of(text_of(mjs_getName(mesh->element)), spec);
  const auto seen = [&](const mjsGeom* geom) { return is_only_seen(*geom, *spec); };
  if (geoms.empty() || !std::all_of(geoms.begin(), geoms.end(), seen)) return false;
  for (mjsGeom* geom : geoms) mjs_delete(spec, geom->element);
  mjs_delete(spec, mesh->element);
  return true;
}

/// Whether MuJoCo's message is about the file: it writes package:/ for package://.
bool is_about(const std::string& message, const std::string& path) {
  const std::string shown =
      path.starts_with(kScheme) ? path.substr(0, kScheme.size() - 1) + path.substr(kScheme.size()) : path;
  return !path.empty() && message.find("'" + shown + "'") != std::string::npos;
}

/// The mesh whose file or name MuJoCo's message has; null: none.
mjsMesh* mesh_of(const std::string& message, mjSpec* spec) {
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_MESH); e; e = mjs_nextElement(spec, e)) {
    const std::string name = "'" + text_of(mjs_getName(e)) + "'";
    const bool is_named =
        message.find("mesh " + name) != std::string::npos || message.find("Element name " + name) != std::string::npos;
    if (is_named || is_about(message, text_of(mjs_asMesh(e)->file))) return mjs_asMesh(e);
  }
  return nullptr;
}

/// What is wrong with a mesh file that MuJoCo cannot open or decode; "" if it is something else.
std::string reason_of(const std::string& path, const std::string& message) {
  if (path.starts_with(kScheme)) {
    const std::string name = path.substr(kScheme.size(), path.find('/', kScheme.size()) - kScheme.size());
    return "package '" + name + "' of '" + path + "' is neither the model's folder nor one at or above it: say where " +
           "it is, --package " + name + "=DIR or [packages] of scene.toml";
  }
  if (message.find("opening file '") != std::string::npos)
    return "file '" + path + "' cannot be opened; check mesh.file and compiler.meshdir";
  if (message.find("no decoder found") != std::string::npos)
    return "file '" + path + "' collides and is of a format that MuJoCo does not read: convert it to .obj or .stl";
  return "";
}

}  // namespace

std::string text_of(const mjString* text) {
  const char* characters = text ? mjs_getString(text) : nullptr;
  return characters ? characters : "";
}

void resolve_assets(const std::string& file, const std::map<std::string, std::string>& packages, mjSpec* spec) {
  const fs::path folder = fs::path(file).parent_path();
  const std::string meshes = text_of(spec->compiler.meshdir);
  const std::string textures = text_of(spec->compiler.texturedir);
  const bool strip = spec->strippath;
  const auto resolve = [&](mjString* asset, const std::string& subfolder) {
    const std::string path = text_of(asset);
    const bool in_package = path.starts_with(kScheme) && !strip;
    const std::string resolved = in_package ? find_in_package(path, folder, packages).value_or(path).string()
                                            : resolve_asset(path, folder, subfolder, strip);
    mjs_setString(asset, resolved.c_str());
  };
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_MESH); e; e = mjs_nextElement(spec, e)) {
    resolve(mjs_asMesh(e)->file, meshes);
  }
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_HFIELD); e; e = mjs_nextElement(spec, e)) {
    resolve(mjs_asHField(e)->file, meshes);
  }
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_SKIN); e; e = mjs_nextElement(spec, e)) {
    resolve(mjs_asSkin(e)->file, meshes);
  }
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_TEXTURE); e; e = mjs_nextElement(spec, e)) {
    resolve(mjs_asTexture(e)->file, textures);
  }
  spec->strippath = false;
}

std::vector<std::string> leave_out_unreadable(mjSpec* spec) {
  std::vector<std::string> files;
  for (mjsElement* e = mjs_firstElement(spec, mjOBJ_MESH); e;) {
    mjsMesh* mesh = mjs_asMesh(e);
    const std::string file = text_of(mesh->file);
    e = mjs_nextElement(spec, e);
    if (!file.empty() && !may_be_readable(file) && leave_out(mesh, spec)) files.push_back(file);
  }
  return files;
}

std::string leave_out_mesh_of(const std::string& message, mjSpec* spec) {
  mjsMesh* mesh = mesh_of(message, spec);
  const std::string file = mesh ? text_of(mesh->file) : "";
  return !file.empty() && leave_out(mesh, spec) ? file : "";
}

std::string describe_unreadable(const SourceFiles& files, const std::string& message, mjSpec* spec) {
  const mjsMesh* mesh = mesh_of(message, spec);
  const std::string reason = mesh ? reason_of(text_of(mesh->file), message) : "";
  if (reason.empty()) return "";
  const std::string name = text_of(mjs_getName(mesh->element));
  const std::string source = files.of(name);
  const int line = source.empty() ? 0 : line_in(text_of(mesh->info));
  return at_line(source.empty() ? files.file : source, line) + ": mesh '" + name + "': " + reason;
}

}  // namespace stiction
