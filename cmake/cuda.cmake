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
set(nvcc_version ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
if(nvcc_version VERSION_LESS 12.4)
  if(STICTION_CUDA STREQUAL "ON")
    message(FATAL_ERROR "STICTION_CUDA is ON but ${STICTION_NVCC} is older than 12.4 (C++20, loops in graphs); point STICTION_NVCC elsewhere")
  endif()
  message(STATUS "CUDA backend: off, ${STICTION_NVCC} is older than 12.4 (C++20, loops in graphs)")
  return()
endif()

# The runtime that programs are linked with says which drivers they need; it may be older than nvcc (scripts/cuda12).
get_filename_component(toolkit ${STICTION_NVCC} DIRECTORY)
set(runtime_version unknown)
if(EXISTS ${toolkit}/../include/cuda_runtime_api.h)
  file(STRINGS ${toolkit}/../include/cuda_runtime_api.h line REGEX "define CUDART_VERSION +[0-9]+")
  string(REGEX MATCH "([0-9]+)0([0-9])0" unused "${line}")
  set(runtime_version ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
endif()

set(CMAKE_CUDA_COMPILER ${STICTION_NVCC})
set(CMAKE_CUDA_ARCHITECTURES ${STICTION_CUDA_ARCHITECTURES})
# Where the oldest is kept as PTX, all are made from it: no kernel asks for its architecture, so the machine code is the same
# as from PTX of its own, and nvcc's front end, up to half of a unit's time, runs once.
list(TRANSFORM STICTION_CUDA_ARCHITECTURES REPLACE "-.*" "" OUTPUT_VARIABLE numbers)
list(SORT numbers COMPARE NATURAL)
list(GET numbers 0 oldest)
if(STICTION_CUDA_ARCHITECTURES MATCHES "^([0-9]+-real;)*${oldest}-virtual$")
  set(codes ${STICTION_CUDA_ARCHITECTURES})
  list(TRANSFORM codes REPLACE "(.*)-real" "sm_\\1")
  list(TRANSFORM codes REPLACE "(.*)-virtual" "compute_\\1")
  list(JOIN codes "," codes)
  set(CMAKE_CUDA_ARCHITECTURES OFF)
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:--generate-code=arch=compute_${oldest},code=[${codes}]>")
endif()
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
# kernels compressed for size: a quarter of the bytes in every program (scripts/gpu_bundle has to stay small). Drivers older
# than CUDA 12.4 (550) can not read them.
if(nvcc_version VERSION_GREATER_EQUAL 12.8)
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>")
endif()
# registers, stack and spills of every kernel, kept by cmake/timed_compile and read by scripts/kernel_resources
add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=-v>")
string(REGEX MATCH "V[0-9.]+" nvcc_build "${version}")
execute_process(COMMAND ${toolkit}/ptxas --version OUTPUT_VARIABLE version ERROR_QUIET)
string(REGEX MATCH "V[0-9.]+" ptxas_build "${version}")
if(ptxas_build AND NOT ptxas_build STREQUAL nvcc_build)
  string(APPEND nvcc_build " with ptxas ${ptxas_build}")
endif()
file(WRITE ${PROJECT_BINARY_DIR}/kernel_resources/nvcc_version "${nvcc_build}\n")
if(STICTION_WERROR)
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings>")
endif()
set(STICTION_HAS_CUDA ON)
message(STATUS "CUDA backend: on, nvcc ${nvcc_version}, runtime ${runtime_version}, architectures ${STICTION_CUDA_ARCHITECTURES}")
