# Fails with what valgrind wrote to FINDINGS, if anything.
if(EXISTS ${FINDINGS})
  file(READ ${FINDINGS} text)
  if(NOT text STREQUAL "")
    message(FATAL_ERROR "valgrind found:\n${text}")
  endif()
endif()
