# What makes the program start sooner, where the linker knows how; it is the same program without.
#
# The 15,000 addresses that a static program fills in which may lie anywhere are packed: read from one page instead of 90.
# Binutils 2.38 and LLD 14 write them so and glibc 2.36 reads them, which a program that needs one shows.
# LLD also puts first what every answer runs through (bench/order.py), so that fewer pages of code are mapped, and writes
# the file in one go, which Linux keeps in larger pieces than one written a page at a time, and maps a tenth faster.
include(CheckCXXSourceRuns)
include(CMakePushCheckState)

# gpusel_find_link_options(VARIABLE OPTIONS...): sets VARIABLE to the options if a program linked with them runs.
function(gpusel_find_link_options variable)
  cmake_push_check_state(RESET)
  set(CMAKE_REQUIRED_FLAGS -fPIE)
  # A linker that does not know a word after -z only warns.
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie -Wl,--fatal-warnings ${ARGN})
  check_cxx_source_runs("static int seven = 7; int* volatile place = &seven; int main() { return *place - 7; }"
                        ${variable}_RUNS)
  cmake_pop_check_state()
  if(${variable}_RUNS)
    set(${variable} ${ARGN} PARENT_SCOPE)
  endif()
endfunction()

set(GPUSEL_START)
set(GPUSEL_FIRST_FUNCTIONS)
if(GPUSEL_STATIC AND NOT GPUSEL_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  gpusel_find_link_options(GPUSEL_LLD -fuse-ld=lld -Wl,--pack-dyn-relocs=relr -Wl,-z,separate-code)
  if(GPUSEL_LLD)
    set(GPUSEL_FIRST_FUNCTIONS ${PROJECT_SOURCE_DIR}/cmake/first_functions.txt)
    set(GPUSEL_START ${GPUSEL_LLD} -Wl,--symbol-ordering-file=${GPUSEL_FIRST_FUNCTIONS} -Wl,--no-warn-symbol-ordering
                     -Wl,--no-mmap-output-file)
  else()
    gpusel_find_link_options(GPUSEL_START -Wl,-z,pack-relative-relocs)
  endif()
endif()
