# Run by CPack between staging and packing, once for all components: what Debian's policy asks of a package beside the
# files that are installed. https://www.debian.org/doc/debian-policy/ch-docs.html
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# write(FILE TEXT): a compressed file, the same bytes each time.
function(write_compressed file text)
  file(WRITE ${file} "${text}")
  run(gzip -9nf ${file})
  file(CHMOD ${file}.gz PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endfunction()

set(sources ${CPACK_GPUSEL_SOURCE})
file(READ ${sources}/CHANGELOG.md changes)
if(NOT changes MATCHES "## ${CPACK_PACKAGE_VERSION} \\(([0-9-]+)\\)")
  message(FATAL_ERROR "CHANGELOG.md has no heading '## ${CPACK_PACKAGE_VERSION} (YYYY-MM-DD)'")
endif()
run(date -u -R -d ${CMAKE_MATCH_1})
set(released "${output}")

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(stage ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(doc ${stage}/share/doc/${component})

  file(GLOB_RECURSE pages ${stage}/share/man/*.[1-9])
  foreach(page IN LISTS pages)
    run(gzip -9nf ${page})
  endforeach()

  # Not file(INSTALL): CPack has set DESTDIR, and that would prefix it.
  file(COPY ${sources}/cmake/package/copyright DESTINATION ${doc})
  file(COPY ${sources}/cmake/package/overrides/${component} DESTINATION ${stage}/share/lintian/overrides)
  write_compressed(${doc}/changelog "${changes}")
  write_compressed(
    ${doc}/changelog.Debian
    "gpusel (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}; changelog.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${released}
")
endforeach()
