# The program, the library with its public headers, and a package that find_package(gpusel) finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS gpusel RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS gpusel_library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/gpusel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(FILES ${PROJECT_BINARY_DIR}/src/generated/gpusel/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gpusel)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gpusel)
configure_package_config_file(cmake/gpuselConfig.cmake.in ${PROJECT_BINARY_DIR}/gpuselConfig.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gpuselConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gpuselConfig.cmake ${PROJECT_BINARY_DIR}/gpuselConfigVersion.cmake
        DESTINATION ${package})

include(cmake/shell.cmake)
