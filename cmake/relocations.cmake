# A static program that may lie anywhere has 15,000 addresses to fill in when it starts. Packed they are read from one
# page instead of 90: binutils 2.38 writes them so and glibc 2.36 reads them, which a program tells that needs one.
include(CheckCXXSourceRuns)

set(GPUSEL_PACKED_RELOCATIONS)
if(GPUSEL_STATIC AND NOT CMAKE_CROSSCOMPILING)
  set(packed -Wl,-z,pack-relative-relocs)
  set(CMAKE_REQUIRED_FLAGS -fPIE)
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie ${packed})
  check_cxx_source_runs("static int seven = 7; int* volatile place = &seven; int main() { return *place - 7; }"
                        GPUSEL_READS_PACKED_RELOCATIONS)
  unset(CMAKE_REQUIRED_FLAGS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  if(GPUSEL_READS_PACKED_RELOCATIONS)
    set(GPUSEL_PACKED_RELOCATIONS ${packed})
  endif()
endif()
