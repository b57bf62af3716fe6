# The program as it is handed out: what makes a fault of it hard to use, and what it has no code for at all.
# cmake -DPROGRAM=build/gpusel -DLIBRARY=build/src/libgpusel.a -DCOMMANDS=build/compile_commands.json -P hardening.cmake
set(failures "")

function(run variable)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE ignored COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()

# expect(TEXT PATTERN SENTENCE), reject(TEXT PATTERN SENTENCE): what must and what must not be there.
function(expect text pattern sentence)
  if(NOT text MATCHES "${pattern}")
    set(failures "${failures}\n  ${sentence}" PARENT_SCOPE)
  endif()
endfunction()
function(reject text pattern sentence)
  if(text MATCHES "${pattern}")
    set(failures "${failures}\n  ${sentence}: ${CMAKE_MATCH_0}" PARENT_SCOPE)
  endif()
endfunction()

run(elf readelf -W -h -l -d ${PROGRAM})
expect("${elf}" "Type: +DYN" "it is loaded at the same address every time")
expect("${elf}" "GNU_STACK[^\n]* RW +0" "its stack is executable, or unmarked")
expect("${elf}" "GNU_RELRO" "its relocated data stay writable")
expect("${elf}" "BIND_NOW|FLAGS_1\\)[^\n]*NOW" "addresses of functions are filled in late, and stay writable")
reject("${elf}" "\n +LOAD[^\n]* RWE " "a segment is both writable and executable")
reject("${elf}" "TEXTREL" "its code is written when it is loaded")
reject("${elf}" "RPATH|RUNPATH" "libraries are looked for in a folder of its own")

# What stands in for each flag in what was compiled; the flags themselves on every line that compiled it.
run(symbols nm ${LIBRARY})
expect("${symbols}" " U __stack_chk_fail" "no function guards its stack")
expect("${symbols}" " U __[a-z]+_chk\n" "no call is fortified")
expect("${symbols}" " U _ZSt21__glibcxx_assert_fail" "no index of a vector is checked")
if(CMAKE_HOST_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  run(notes readelf -W -n ${LIBRARY})
  string(REGEX MATCHALL "\nFile: " objects "\n${notes}")
  string(REGEX MATCHALL "x86 feature:[^\n]*SHSTK" marked "${notes}")
  list(LENGTH objects objects)
  list(LENGTH marked marked)
  if(NOT objects EQUAL marked)
    string(APPEND failures "\n  ${marked} of ${objects} objects of the library have returns guarded")
  endif()
endif()
# Of this checkout: a folder above it may be called src too.
get_filename_component(sources "${CMAKE_CURRENT_LIST_DIR}/../../src" ABSOLUTE)
# The one file that leaves the checks of its containers out; src/CMakeLists.txt tells why.
set(without_assertions "${sources}/rules/evaluate.cpp")
# expect_last(FLAGS RIGHT): of all such flags of a command the last, which is the one that counts.
macro(expect_last flags right)
  string(REGEX MATCHALL "[ ,]${flags}[^ ,]*" given "${command}")
  list(POP_BACK given last)
  if(NOT last MATCHES "^[ ,](${right})$")
    string(APPEND failures "\n  ${source} is compiled without ${right}: ${last}")
  endif()
endmacro()
file(READ ${COMMANDS} commands)
string(JSON count LENGTH "${commands}")
math(EXPR final "${count} - 1")
set(judged 0)
foreach(at RANGE ${final})
  string(JSON command GET "${commands}" ${at} command)
  string(JSON source GET "${commands}" ${at} file)
  string(FIND "${source}" "${sources}/" begin)
  if(NOT begin EQUAL 0 OR NOT source MATCHES "\\.cpp$")
    continue()
  endif()
  math(EXPR judged "${judged} + 1")
  set(assertions "-D_GLIBCXX_ASSERTIONS")
  if(source STREQUAL without_assertions)
    set(assertions "-U_GLIBCXX_ASSERTIONS")
  endif()
  expect_last("-[DU] ?_GLIBCXX_ASSERTIONS" "${assertions}")
  expect_last("-[DU] ?_FORTIFY_SOURCE" "-D_FORTIFY_SOURCE=3")
  expect_last("-O" "-O[123s]")  # without, no call is fortified
  expect_last("-f(no-)?stack-protector" "-fstack-protector-strong")
  expect_last("-f(no-)?stack-clash-protection" "-fstack-clash-protection")
  expect_last("-f(no-)?[Pp][Ii][CcEe]" "-fPI[CE]")
endforeach()
if(judged EQUAL 0)
  string(APPEND failures "\n  ${COMMANDS} tells of no source of ${sources}")
endif()

# No library brings them in either: whoever takes the program over finds none of it.
run(symbols nm ${PROGRAM})
expect("${symbols}" " [Tt] main\n" "its symbols are not there to be looked through")
reject("${symbols}"
       " (_*(libc_)?(socket|socketpair|connect|bind|listen|accept4?|send|sendto|sendm?msg|recv|recvfrom|recvm?msg|shutdown|[gs]etsockopt|getsockname|getpeername|getaddrinfo|getnameinfo|gethostby[a-z0-9_]*|getservby[a-z_]*|res_n?query|res_n?search))(@|\n)"
       "it has code for networks")
reject("${symbols}"
       " (_*(libc_)?(system|popen|fork|vfork|execvp?|execl[pe]*|execveat|fexecve|wordexp|forkpty))(@|\n)"
       "it has code that starts programs otherwise than by posix_spawn()")
# Of a static C library posix_spawn() brings execve and execvpe in.
# A static C library has a loader for its own conversions of text: nothing here calls it.
run(ours nm -u ${LIBRARY})
reject("${ours}" " U (_*(libc_)?(dlopen|dlmopen|dlsym|dlvsym))(@|\n)" "it has code that loads libraries")
# Programs are started in one place, src/base/io/process.cpp, and asked for in these: the pager, git for the day of a
# commit, the drivers' tools, curl for catalog update.
file(GLOB_RECURSE texts ${sources}/*.cpp ${sources}/*.hpp)
foreach(file IN LISTS texts)
  file(READ "${file}" text)
  if(text MATCHES "posix_spawn" AND NOT file MATCHES "/base/io/process[.]cpp$")
    string(APPEND failures "\n  ${file} starts programs itself")
  endif()
  if(text MATCHES "start_program\\(|run_program_for\\(|output_of\\(" AND NOT file MATCHES
     "/(base/io/process[.][ch]pp|cli/pager[.]cpp|base/io/commit_day[.]cpp|answer/here/gpus_here[.]cpp|catalog/update/fetch[.]cpp)$")
    string(APPEND failures "\n  ${file} starts a program that docs/security.md does not name")
  endif()
endforeach()
reject("${ours}" " U (_*(libc_)?(execve|execvpe|clone3?))(@|\n)"
       "its library has code that starts programs otherwise than by posix_spawn()")

if(failures)
  message(FATAL_ERROR "${PROGRAM}:${failures}")
endif()
