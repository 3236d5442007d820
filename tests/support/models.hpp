// Models that several tests share: inline MJCF written to a temporary file, and the optional data folder.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace stiction::test {

/// A folder of this process, removed when it ends.
class TemporaryFolder {
 public:
  TemporaryFolder()
      : path(std::filesystem::temp_directory_path() /
             ("stiction_test_" + std::to_string(static_cast<long>(::getpid())))) {
    std::filesystem::create_directories(path);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  const std::filesystem::path path;
};

/// A file in the test's temporary folder that holds `text`; its path.
inline std::string write_temporary(const std::string& name, const std::string& text) {
  static const TemporaryFolder folder;
  const std::filesystem::path path = folder.path / name;
  std::ofstream(path) << text;
  return path.string();
}

/// The optional data folder: STICTION_SHARED, else `shared` beside the repository; empty if neither is there.
inline std::filesystem::path shared_folder() {
  const char* named = std::getenv("STICTION_SHARED");
  const std::filesystem::path folder =
      named ? std::filesystem::path(named) : std::filesystem::path(STICTION_SOURCE_DIR) / ".." / "shared";
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

/// Every kind of joint, offset inertias, several joints on a body, branches, a static child.
inline const char* kEveryJoint = R"(
<mujoco>
  <compiler angle="radian"/>
  <option gravity="1 -2 -9"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="base" pos="0.1 0.2 0.3" quat="0.9 0.1 -0.3 0.2">
      <joint type="slide" axis="1 2 0.5" ref="0.1"/>
      <joint type="hinge" axis="0 1 0.3" pos="0.05 0 0.02" ref="0.3" armature="0.02"/>
      <inertial pos="0.02 0.03 -0.01" mass="1.3" fullinertia="0.02 0.03 0.025 0.001 -0.002 0.003"/>
      <geom type="box" size="0.1 0.05 0.04" mass="0"/>
      <body name="ball_body" pos="0 0.2 0.1" gravcomp="0.5">
        <joint type="ball" pos="0 -0.1 0.03"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.2 0.1 0"/>
        <body name="static_child" pos="0.2 0 0" euler="0.1 0.2 0.3"><geom type="sphere" size="0.04"/></body>
        <body name="tip" pos="0.1 0.1 0.1"><joint type="hinge" axis="1 0 0"/><geom type="ellipsoid" size="0.05 0.02 0.03"/></body>
      </body>
      <body name="branch" pos="-0.1 0 0"><joint type="hinge" axis="0 0 1"/><joint type="slide" axis="1 0 0"/>
        <geom type="cylinder" size="0.03 0.1"/></body>
    </body>
    <body name="free_body" pos="0.5 0 1"><freejoint/>
      <inertial pos="0.02 0.05 -0.03" mass="0.7" fullinertia="0.02 0.03 0.025 0.001 -0.002 0.003"/>
      <geom type="box" size="0.1 0.05 0.04"/>
      <body pos="0 0.1 0"><joint type="hinge" axis="1 1 0"/><geom type="sphere" size="0.05" pos="0.1 0 0"/></body>
    </body>
    <body name="mocap_body" mocap="true" pos="1 1 1"><geom type="box" size="0.1 0.1 0.1"/></body>
  </worldbody>
</mujoco>)";

}  // namespace stiction::test
