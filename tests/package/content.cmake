# Packs what is built and looks into the packages: control fields, where files lie, and that man pages are compressed.
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status
                  WORKING_DIRECTORY ${BUILD})
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "no '${pattern}' in\n${text}")
  endif()
endfunction()

function(refuse text pattern)
  if(text MATCHES "${pattern}")
    message(FATAL_ERROR "'${CMAKE_MATCH_0}' should not be in\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
# Packed fast: only what is in them matters here.
run(${CPACK} -G DEB -B ${SCRATCH} -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip)
file(GLOB program ${SCRATCH}/gpusel_*.deb)
file(GLOB library ${SCRATCH}/libgpusel-dev_*.deb)

run(dpkg-deb -f ${program})
foreach(field IN ITEMS "Package: gpusel" "Version: ${VERSION}-1" "Section: utils" "Priority: optional" "Maintainer: "
                       "Description: choose cloud GPU instances for a job, with reasons\n gpusel answers")
  expect("${output}" "${field}")
endforeach()
if(STATIC)
  refuse("${output}" "Depends: [^\n]*")
else()
  expect("${output}" "Depends: libc6 ")
endif()

run(dpkg-deb -c ${program})
foreach(file IN ITEMS usr/bin/gpusel usr/share/doc/gpusel/copyright usr/share/doc/gpusel/changelog.gz
                      usr/share/doc/gpusel/changelog.Debian.gz usr/share/doc/gpusel/README.md
                      usr/share/doc/gpusel/docs/guide.md usr/share/doc/gpusel/docs/limits.md
                      usr/share/man/man1/gpusel.1.gz usr/share/man/man1/gpusel-recommend.1.gz
                      usr/share/bash-completion/completions/gpusel usr/share/zsh/vendor-completions/_gpusel
                      usr/share/fish/vendor_completions.d/gpusel.fish)
  expect("${output}" "root/root [^\n]*\\./${file}\n")
endforeach()
# Only what belongs below /usr, nothing of the library, nothing that others may write to, no page left uncompressed.
refuse("${output}" "\\./[^u\n][^\n]*|[^\n]*(\\.hpp|\\.a)\n|\n-.......w[^\n]*|[^\n]*/man[1-9]/[^\n]*\\.[1-9]\n")

run(dpkg-deb -f ${library})
expect("${output}" "Package: libgpusel-dev")
expect("${output}" "Depends: [^\n]*coinor-libcbc-dev")
run(dpkg-deb -c ${library})
foreach(file IN ITEMS usr/lib/libgpusel.a usr/include/gpusel/advisor.hpp usr/include/gpusel/version.hpp
                      usr/lib/cmake/gpusel/gpuselConfig.cmake usr/share/doc/libgpusel-dev/copyright
                      usr/share/doc/libgpusel-dev/examples/recommend/recommend.cpp)
  expect("${output}" "\\./${file}\n")
endforeach()
refuse("${output}" "\\./usr/bin/[^\n]*|\\./[^u\n][^\n]*")
file(REMOVE_RECURSE ${SCRATCH})
