# Defines kCommit in FILE: the commit of SOURCE, and "-changed" after it where files differ from that commit.
cmake_minimum_required(VERSION 3.25)
set(commit "unknown")
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE hash RESULT_VARIABLE failed
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed EQUAL 0)
  set(commit ${hash})
  execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD RESULT_VARIABLE changed ERROR_QUIET)
  if(NOT changed EQUAL 0)
    set(commit ${hash}-changed)
  endif()
endif()
file(CONFIGURE OUTPUT ${FILE} @ONLY CONTENT
"#include \"bench/gpu_check/commit.hpp\"

const char* const stiction::gpu_check::kCommit = \"@commit@\";
")
