# What a user may choose; every option has a default that works.

set(STICTION_ARCH "x86-64-v3" CACHE STRING "-march of host code; empty: the compiler's default (docs/building.md)")
set(STICTION_CUDA "AUTO" CACHE STRING "Build the CUDA backend: AUTO (if nvcc is found), ON or OFF")
set_property(CACHE STICTION_CUDA PROPERTY STRINGS AUTO ON OFF)
set(STICTION_CUDA_ARCHITECTURES "90-real;80-virtual" CACHE STRING "CUDA architectures: sm_90, and PTX for the rest")
if(SKBUILD)
  # a wheel: the interpreter it is built for, and nothing of the system's libraries
  set(STICTION_PYTHON ${Python_EXECUTABLE} CACHE FILEPATH "interpreter that has mujoco-core")
  set(HDF5_USE_STATIC_LIBRARIES ON)
endif()
set(STICTION_HDF5_COMPRESSORS "sz;aec;z" CACHE STRING "what a static HDF5 (HDF5_USE_STATIC_LIBRARIES) compresses with")
option(STICTION_ONE_LIBRARY "Module and program of a wheel share libstiction.so (scripts/wheel); wants an HDF5 compiled with -fPIC" OFF)
option(STICTION_SANITIZE "Address and undefined-behaviour sanitizers" OFF)
option(STICTION_WERROR "Warnings are errors" ON)
option(STICTION_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(STICTION_PYTHON_PACKAGE "Build the Python package" ${PROJECT_IS_TOP_LEVEL})
option(STICTION_CCACHE "Compile through ccache where it is installed" ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
