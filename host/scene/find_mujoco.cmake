# MuJoCo's headers and library, from the Python package mujoco-core of the interpreter ${STICTION_PYTHON}.
#
# Defines the imported targets `stiction_mujoco_headers`, which the scene room compiles against (it loads the library at
# run time, mujoco_library.hpp), and `stiction_mujoco` with the library for tests that call MuJoCo themselves. Sets
# `mujoco_folders`: where the program and the module look for the library, relative to their own file.
set(STICTION_MUJOCO_VERSION 4.0)
set(STICTION_PYTHON "${CMAKE_SOURCE_DIR}/.venv/bin/python" CACHE FILEPATH "interpreter that has mujoco-core")

execute_process(
  COMMAND ${STICTION_PYTHON} -c
          "import importlib.util as u; print(u.find_spec('mujoco').submodule_search_locations[0])"
  OUTPUT_VARIABLE mujoco_root ERROR_VARIABLE mujoco_error RESULT_VARIABLE mujoco_result
  OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT mujoco_result EQUAL 0)
  message(FATAL_ERROR "${STICTION_PYTHON} has no mujoco-core ${STICTION_MUJOCO_VERSION}: "
                      "run scripts/setup, or give another interpreter with -DSTICTION_PYTHON=...\n${mujoco_error}")
endif()

file(STRINGS ${mujoco_root}/include/mujoco/mujoco.h mujoco_define REGEX "define mjVERSION_HEADER")
string(REGEX REPLACE ".*mjVERSION_HEADER +([0-9]+).*" "\\1" mujoco_number "${mujoco_define}")
math(EXPR mujoco_major "${mujoco_number} / 1000000")
math(EXPR mujoco_minor "${mujoco_number} / 1000 % 1000")
math(EXPR mujoco_patch "${mujoco_number} % 1000")
if(NOT "${mujoco_major}.${mujoco_minor}" STREQUAL STICTION_MUJOCO_VERSION)
  message(FATAL_ERROR "MuJoCo's headers are of version ${mujoco_major}.${mujoco_minor}.${mujoco_patch}, needed is "
                      "${STICTION_MUJOCO_VERSION}: run scripts/setup again (found in ${mujoco_root})")
endif()
set(mujoco_library "${mujoco_root}/libmujoco.so.${mujoco_major}.${mujoco_minor}.${mujoco_patch}")
if(NOT EXISTS ${mujoco_library})
  message(FATAL_ERROR "MuJoCo's library ${mujoco_library} is missing: run scripts/setup again")
endif()

add_library(stiction_mujoco_headers INTERFACE IMPORTED GLOBAL)
set_target_properties(stiction_mujoco_headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${mujoco_root}/include)
add_library(stiction_mujoco SHARED IMPORTED GLOBAL)
set_target_properties(stiction_mujoco PROPERTIES
  IMPORTED_LOCATION ${mujoco_library}
  INTERFACE_INCLUDE_DIRECTORIES ${mujoco_root}/include)

# site-packages/stiction/_core, site-packages/stiction/bin/stiction, lib/libstiction.so, bin/stiction; then, for the
# build folder, where it was found now
set(mujoco_folders ../mujoco ../../mujoco stiction ../${CMAKE_INSTALL_LIBDIR}/stiction)
if(NOT SKBUILD)
  list(APPEND mujoco_folders ${mujoco_root})
endif()
list(JOIN mujoco_folders ":" mujoco_folders)
