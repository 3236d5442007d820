# Links the Python half of the package FROM into the package TO, beside TO's own compiled half.
file(GLOB entries RELATIVE ${FROM} ${FROM}/*)
list(FILTER entries EXCLUDE REGEX "^_core\\.|__pycache__")
foreach(entry ${entries})
  file(CREATE_LINK ${FROM}/${entry} ${TO}/${entry} SYMBOLIC)
endforeach()
