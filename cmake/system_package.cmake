# find_package for what comes from the system; where it is missing, one line that names its Debian package.
macro(find_system_package name debian)
  find_package(${name} QUIET ${ARGN})
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} is not installed: apt-get install ${debian}")
  endif()
endmacro()
