# The tests under valgrind's memcheck, the tests' program and every gpusel that they start, through whatever shell.
# What valgrind finds goes to one file: the standard error of a program belongs to its test.
find_program(GPUSEL_VALGRIND valgrind)
if(NOT GPUSEL_VALGRIND)
  message(FATAL_ERROR "valgrind was not found. On Debian 12: apt install valgrind libc6-dbg")
endif()
# Most of these programs run for a moment: the options of --vex spare valgrind the work of making them faster.
set(memcheck ${PROJECT_BINARY_DIR}/memcheck)
set(findings ${memcheck}/findings.txt)
file(
  CONFIGURE
  OUTPUT ${memcheck}/memcheck
  CONTENT "#!/bin/sh
exec 9>>'${findings}'
exec '${GPUSEL_VALGRIND}' --quiet --log-fd=9 --error-exitcode=97 --child-silent-after-fork=yes \\
  --suppressions='${CMAKE_CURRENT_SOURCE_DIR}/valgrind.supp' --vex-guest-chase=no --vex-iropt-level=1 --read-inline-info=no \\
  --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite -- \"$@\"
"
  @ONLY)
file(CHMOD ${memcheck}/memcheck PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
# In place of the program, under its name.
set(program ${memcheck}/gpusel)
file(
  GENERATE
  OUTPUT ${program}
  CONTENT "#!/bin/sh
exec '${memcheck}/memcheck' '$<TARGET_FILE:gpusel>' \"$@\"
"
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)

# What valgrind itself falls under is left out, [bare]: limits on memory and on the size of files, and how long it took.
# gpusel_memcheck(TARGET FILES...): a test for each name of a file; starting valgrind 1,500 times would take longer.
function(gpusel_memcheck target)
  set(names)
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME_WE)
    list(APPEND names ${name})
  endforeach()
  list(REMOVE_DUPLICATES names)
  list(FILTER names INCLUDE REGEX "_test$")
  foreach(name ${names})
    add_test(NAME "${name} under memcheck" COMMAND ${memcheck}/memcheck $<TARGET_FILE:${target}> -\# -w NoTests "[#${name}]~[bare]")
    set_tests_properties("${name} under memcheck" PROPERTIES FIXTURES_REQUIRED memcheck TIMEOUT 3600)
  endforeach()

  add_test(NAME "memcheck begins" COMMAND ${CMAKE_COMMAND} -E rm -f ${findings})
  add_test(NAME "memcheck found nothing" COMMAND ${CMAKE_COMMAND} -DFINDINGS=${findings} -P ${CMAKE_CURRENT_SOURCE_DIR}/findings.cmake)
  set_tests_properties("memcheck begins" PROPERTIES FIXTURES_SETUP memcheck)
  set_tests_properties("memcheck found nothing" PROPERTIES FIXTURES_CLEANUP memcheck)
endfunction()
