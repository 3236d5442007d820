# Runs every benchmark of PROGRAM for a moment. Fails if one reports an error, because it checks its result before it is
# timed, or if one is registered and does not run.

set(kernels collide project factor solve multiply build_rows)  # each has benchmarks

function(run_program out)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ${ARGN}: ${code}\n${errors}")
  endif()
  set(${out} "${output}" PARENT_SCOPE)
endfunction()

run_program(names --benchmark_list_tests)
string(REGEX MATCHALL "[^\n]+" names "${names}")
foreach(kernel ${kernels})
  if(NOT names MATCHES "(^|;)${kernel}")
    message(FATAL_ERROR "no benchmark of ${kernel}")
  endif()
endforeach()

run_program(report --benchmark_min_time=0.001 --benchmark_format=json)
list(LENGTH names registered)
string(JSON ran LENGTH "${report}" benchmarks)
if(NOT ran EQUAL registered)
  message(FATAL_ERROR "${registered} benchmarks are registered, ${ran} ran")
endif()
math(EXPR last "${ran} - 1")
foreach(i RANGE ${last})
  string(JSON fault ERROR_VARIABLE absent GET "${report}" benchmarks ${i} error_message)
  if(NOT absent)
    string(JSON name GET "${report}" benchmarks ${i} name)
    string(APPEND faults "${name}: ${fault}\n")
  endif()
endforeach()
if(faults)
  message(FATAL_ERROR "${faults}")
endif()
message("${ran} benchmarks ran")
