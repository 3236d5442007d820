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
string(REGEX MATCHALL "\"error_message\": [^\n]+" errors "${report}")
if(errors)
  message(FATAL_ERROR "${errors}")
endif()
list(LENGTH names registered)
string(JSON ran LENGTH "${report}" benchmarks)
if(NOT ran EQUAL registered)
  message(FATAL_ERROR "${registered} benchmarks are registered, ${ran} ran")
endif()
message("${ran} benchmarks ran")
