# Every library comes from a Debian package; what is missing is named with the package to install.
# A macro, not a function: Catch2 sets CMAKE_MODULE_PATH for include(Catch).
macro(gpusel_need package debian)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found. On Debian 12: apt install ${debian}")
  endif()
endmacro()

# gpusel_library(TARGET DEBIAN_PACKAGE NAME): the static archive where there is one.
function(gpusel_library target debian name)
  if(GPUSEL_STATIC)
    find_library(${target}_path NAMES lib${name}.a)
  else()
    find_library(${target}_path NAMES lib${name}.a ${name})
  endif()
  if(NOT ${target}_path)
    message(FATAL_ERROR "lib${name} was not found. On Debian 12: apt install ${debian}")
  endif()
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE ${${target}_path})
endfunction()

gpusel_need(CLI11 libcli11-dev 2.1)
gpusel_need(nlohmann_json nlohmann-json3-dev 3.11)
# src/base/words/message.cpp instantiates what fmt 9 keeps in its library.
gpusel_need(fmt libfmt-dev 9.1...<10)
gpusel_need(FlatBuffers libflatbuffers-dev 2.0)
# yaml-cpp's and RE2's CMake targets name the shared libraries only.
gpusel_need(yaml-cpp libyaml-cpp-dev 0.7)
gpusel_library(gpusel_yaml_cpp libyaml-cpp-dev yaml-cpp)
gpusel_library(gpusel_re2 libre2-dev re2)
gpusel_library(gpusel_xxhash libxxhash-dev xxhash)
gpusel_library(gpusel_utf8proc libutf8proc-dev utf8proc)

# The solver behind fleets, and what it is built on, in the order in which archives are linked.
add_library(gpusel_cbc INTERFACE)
foreach(
  library
  coinor-libcbc-dev:Cbc
  coinor-libcgl-dev:Cgl
  coinor-libclp-dev:OsiClp
  coinor-libclp-dev:Clp
  coinor-libosi-dev:Osi
  coinor-libcoinutils-dev:CoinUtils
  liblapack-dev:lapack
  libblas-dev:blas
  libbz2-dev:bz2
  zlib1g-dev:z)
  string(REGEX MATCH "^(.*):(.*)$" _ ${library})
  gpusel_library(gpusel_${CMAKE_MATCH_2} ${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
  target_link_libraries(gpusel_cbc INTERFACE gpusel_${CMAKE_MATCH_2})
endforeach()

find_package(Threads REQUIRED)
target_link_libraries(gpusel_re2 INTERFACE Threads::Threads)

find_program(GPUSEL_MSGFMT msgfmt)
if(NOT GPUSEL_MSGFMT)
  message(FATAL_ERROR "msgfmt was not found. On Debian 12: apt install gettext")
endif()
find_program(GPUSEL_FLATC flatc)
if(NOT GPUSEL_FLATC)
  message(FATAL_ERROR "flatc was not found. On Debian 12: apt install flatbuffers-compiler")
endif()
