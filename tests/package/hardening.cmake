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
expect("${elf}" "GNU_STACK[^\n]* RW +0x" "its stack is executable, or unmarked")
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
file(READ ${COMMANDS} commands)
string(JSON count LENGTH "${commands}")
math(EXPR last "${count} - 1")
foreach(at RANGE ${last})
  string(JSON command GET "${commands}" ${at} command)
  string(JSON source GET "${commands}" ${at} file)
  if(NOT source MATCHES "/src/.*\\.cpp$")
    continue()
  endif()
  foreach(flag IN ITEMS -fstack-protector-strong -fstack-clash-protection -D_GLIBCXX_ASSERTIONS -D_FORTIFY_SOURCE=3
                        "-fPI[CE]")
    if(NOT command MATCHES " ${flag}( |$)")
      string(APPEND failures "\n  ${source} is compiled without ${flag}")
    endif()
  endforeach()
endforeach()

# No library brings them in either: whoever takes the program over finds none of it.
run(symbols nm ${PROGRAM})
reject("${symbols}"
       " (_*(libc_)?(socket|connect|bind|listen|accept4?|sendto|sendmsg|recvfrom|recvmsg|getaddrinfo|gethostbyname[_r2]*|res_n?query))(@|\n)"
       "it has code for networks")
reject("${symbols}"
       " (_*(libc_)?(system|popen|fork|vfork|execv[pe]*|execl[pe]*|execveat|posix_spawnp?|wordexp))(@|\n)"
       "it has code that starts programs")

if(failures)
  message(FATAL_ERROR "${PROGRAM}:${failures}")
endif()
