# Debian packages: gpusel, and libgpusel-dev for programs that are built on the library. ./dev package makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpusel)
set(CPACK_PACKAGE_VENDOR "the authors of gpusel")
# Debian wants an address, and the project has none: .invalid is nobody's (RFC 2606). Who hands packages on sets his own.
set(GPUSEL_MAINTAINER "gpusel packagers <packagers@gpusel.invalid>" CACHE STRING "Maintainer of the Debian packages")
set(CPACK_PACKAGE_CONTACT "${GPUSEL_MAINTAINER}")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)

# One package a component; each says in full what it is.
set(CPACK_COMPONENTS_ALL gpusel libgpusel-dev)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_GPUSEL_PACKAGE_NAME gpusel)
set(CPACK_DEBIAN_GPUSEL_PACKAGE_SECTION utils)
if(NOT GPUSEL_STATIC)
  set(CPACK_DEBIAN_GPUSEL_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_GPUSEL_DESCRIPTION
    "choose cloud GPU instances for a job, with reasons
gpusel answers which cloud instances fit a job, how fast they do it and
what that costs: training, fine-tuning and inference of models, rendering,
simulation, video and data preparation, over the providers of its
catalogue. Prices carry their dates and sources, estimates their
intervals, and what is unknown is called unknown.
.
It works offline and needs no account.")

set(CPACK_DEBIAN_LIBGPUSEL-DEV_PACKAGE_NAME libgpusel-dev)
set(CPACK_DEBIAN_LIBGPUSEL-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBGPUSEL-DEV_PACKAGE_DEPENDS
    "coinor-libcbc-dev, libblas-dev, libbz2-dev, libc6-dev, libfmt-dev, liblapack-dev, libre2-dev, libutf8proc-dev, libxxhash-dev, libyaml-cpp-dev, zlib1g-dev")
set(CPACK_DEBIAN_LIBGPUSEL-DEV_DESCRIPTION
    "choose cloud GPU instances for a job - library for C++
The static library behind gpusel with its catalogue of instances, prices,
GPUs and models, its headers, and a CMake package: find_package(gpusel)
gives the target gpusel::gpusel. Programs need a compiler that knows C++23.")

# What is staged becomes a Debian package: man pages compressed, copyright, changelogs, overrides of lintian.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/stage.cmake)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/package_settings.cmake)
file(CONFIGURE OUTPUT package_settings.cmake CONTENT "set(CPACK_GPUSEL_SOURCE \"@PROJECT_SOURCE_DIR@\")\n" @ONLY)
include(CPack)
