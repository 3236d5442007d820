# MuJoCo's headers and library, taken from the Python package so that both languages run the same compiler.
#
# Defines the imported target `stiction_mujoco`. The interpreter is ${STICTION_PYTHON}; header, library and package
# must say the same version.
set(STICTION_MUJOCO_VERSION 4.0.0)
set(STICTION_PYTHON "${CMAKE_SOURCE_DIR}/.venv/bin/python" CACHE FILEPATH "interpreter that has mujoco-core")

execute_process(
  COMMAND ${STICTION_PYTHON} -c
          "import importlib.metadata as d, importlib.util as u, mujoco
print(u.find_spec('mujoco').submodule_search_locations[0], mujoco.__version__, mujoco.mj_versionString(), sep=';')"
  OUTPUT_VARIABLE mujoco_found ERROR_VARIABLE mujoco_error RESULT_VARIABLE mujoco_result
  OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT mujoco_result EQUAL 0)
  message(FATAL_ERROR "mujoco-core ${STICTION_MUJOCO_VERSION} is not importable by ${STICTION_PYTHON}: "
                      "run scripts/setup, or give another interpreter with -DSTICTION_PYTHON=...\n${mujoco_error}")
endif()
list(GET mujoco_found 0 mujoco_root)
list(GET mujoco_found 1 mujoco_package_version)
list(GET mujoco_found 2 mujoco_library_version)

set(mujoco_header "${mujoco_root}/include/mujoco/mujoco.h")
file(STRINGS ${mujoco_header} mujoco_define REGEX "define mjVERSION_HEADER")
string(REGEX REPLACE ".*mjVERSION_HEADER +([0-9]+).*" "\\1" mujoco_header_number "${mujoco_define}")
math(EXPR mujoco_major "${mujoco_header_number} / 1000000")
math(EXPR mujoco_minor "${mujoco_header_number} / 1000 % 1000")
math(EXPR mujoco_patch "${mujoco_header_number} % 1000")
set(mujoco_header_version "${mujoco_major}.${mujoco_minor}.${mujoco_patch}")
foreach(part package library header)
  if(NOT mujoco_${part}_version STREQUAL STICTION_MUJOCO_VERSION)
    message(FATAL_ERROR "MuJoCo's ${part} says version '${mujoco_${part}_version}', needed is ${STICTION_MUJOCO_VERSION}: "
                        "run scripts/setup again (found in ${mujoco_root})")
  endif()
endforeach()

set(mujoco_library "${mujoco_root}/libmujoco.so.${STICTION_MUJOCO_VERSION}")
if(NOT EXISTS ${mujoco_library})
  message(FATAL_ERROR "MuJoCo's library ${mujoco_library} is missing: run scripts/setup again")
endif()
add_library(stiction_mujoco SHARED IMPORTED GLOBAL)
set_target_properties(stiction_mujoco PROPERTIES
  IMPORTED_LOCATION ${mujoco_library}
  INTERFACE_INCLUDE_DIRECTORIES ${mujoco_root}/include)
