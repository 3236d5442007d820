# Installs BUILD, moves the installed tree, and has the project CONSUMER configure, build and run against it in WORK.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE rc OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT rc EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${rc}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/prefix)

# nothing installed leads back to where it was built
file(GLOB_RECURSE texts ${WORK}/prefix/*.cmake)
foreach(text ${texts})
  file(READ ${text} content)
  string(FIND "${content}" ${BUILD} at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${text} names the build folder")
  endif()
endforeach()

run(${WORK}/prefix/bin/stiction --version)
if(NOT out MATCHES "${VERSION}")
  message(FATAL_ERROR "the installed program says version '${out}', expected ${VERSION}")
endif()

run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
    -D CMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer ${CONSUMER}/scene.toml)
if(NOT out MATCHES "64 environments, 0 failed")
  message(FATAL_ERROR "the consumer printed '${out}'")
endif()
run(${WORK}/prefix/bin/stiction run ${CONSUMER}/scene.toml --batch 2 --quiet)
