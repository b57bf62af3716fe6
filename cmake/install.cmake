# The program, the library with its public headers, and a package that find_package(gpusel) finds. What names no
# component belongs to the program; 'plain' is what a package for Debian brings in a form of its own.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME gpusel)

install(TARGETS gpusel RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT plain)

install(TARGETS gpusel_library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libgpusel-dev)
install(DIRECTORY include/gpusel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libgpusel-dev
        FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY src/base src/catalog src/rules src/job src/physics src/serve src/money src/answer
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpusel/rooms COMPONENT libgpusel-dev FILES_MATCHING PATTERN "*.hpp")
install(FILES ${PROJECT_BINARY_DIR}/src/generated/gpusel/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpusel
        COMPONENT libgpusel-dev)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libgpusel-dev COMPONENT libgpusel-dev)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gpusel)
configure_package_config_file(cmake/gpuselConfig.cmake.in ${PROJECT_BINARY_DIR}/gpuselConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gpuselConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gpuselConfig.cmake ${PROJECT_BINARY_DIR}/gpuselConfigVersion.cmake
        DESTINATION ${package} COMPONENT libgpusel-dev)

include(cmake/shell.cmake)
