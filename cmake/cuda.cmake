# The CUDA backend: on where nvcc is found (AUTO), demanded (ON), or left out (OFF). Sets STICTION_HAS_CUDA.
#
# The toolkit is never installed by this project. Code is built without a GPU present; --fmad=false keeps the
# arithmetic of the host.

set(STICTION_HAS_CUDA OFF)
if(STICTION_CUDA STREQUAL "OFF")
  message(STATUS "CUDA backend: off")
  return()
endif()
if(NOT STICTION_CUDA MATCHES "^(AUTO|ON)$")
  message(FATAL_ERROR "STICTION_CUDA is '${STICTION_CUDA}'; it takes AUTO, ON or OFF")
endif()

find_program(STICTION_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
if(NOT STICTION_NVCC)
  if(STICTION_CUDA STREQUAL "ON")
    message(FATAL_ERROR "STICTION_CUDA is ON but nvcc was not found; put it on PATH or set STICTION_NVCC")
  endif()
  message(STATUS "CUDA backend: off, nvcc was not found")
  return()
endif()

execute_process(COMMAND ${STICTION_NVCC} --version OUTPUT_VARIABLE version ERROR_QUIET)
string(REGEX MATCH "release ([0-9]+)\\.([0-9]+)" unused "${version}")
if(NOT CMAKE_MATCH_1 OR CMAKE_MATCH_1 LESS 12)
  if(STICTION_CUDA STREQUAL "ON")
    message(FATAL_ERROR "STICTION_CUDA is ON but ${STICTION_NVCC} is older than 12 (C++20); point STICTION_NVCC elsewhere")
  endif()
  message(STATUS "CUDA backend: off, ${STICTION_NVCC} is older than 12 (C++20)")
  return()
endif()

set(nvcc_version ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
set(CMAKE_CUDA_COMPILER ${STICTION_NVCC})
set(CMAKE_CUDA_ARCHITECTURES ${STICTION_CUDA_ARCHITECTURES})
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that this compiler has it
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)

list(JOIN host_flags "," nvcc_host_flags)
add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:--fmad=false;-Xcompiler=${nvcc_host_flags}>")
# registers, stack and spills of every kernel, kept by cmake/timed_compile and read by scripts/kernel_resources
add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-v>")
string(REGEX MATCH "V[0-9.]+" nvcc_build "${version}")
file(WRITE ${PROJECT_BINARY_DIR}/kernel_resources/nvcc_version "${nvcc_build}\n")
if(STICTION_WERROR)
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings>")
endif()
set(STICTION_HAS_CUDA ON)
message(STATUS "CUDA backend: on, nvcc ${nvcc_version}, architectures ${STICTION_CUDA_ARCHITECTURES}")
