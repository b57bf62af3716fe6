# A static program that may lie anywhere has 15,000 addresses to fill in when it starts. Packed they are read from one
# page instead of 90. Binutils 2.38 writes them so and glibc 2.36 reads them: a program that needs one shows whether both do.
include(CheckCXXSourceRuns)
include(CMakePushCheckState)

set(GPUSEL_PACKED_RELOCATIONS)
if(GPUSEL_STATIC AND NOT CMAKE_CROSSCOMPILING)
  cmake_push_check_state(RESET)
  set(CMAKE_REQUIRED_FLAGS -fPIE)
  # A linker that does not know the word only warns.
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie -Wl,--fatal-warnings,-z,pack-relative-relocs)
  check_cxx_source_runs("static int seven = 7; int* volatile place = &seven; int main() { return *place - 7; }"
                        GPUSEL_READS_PACKED_RELOCATIONS)
  cmake_pop_check_state()
  if(GPUSEL_READS_PACKED_RELOCATIONS)
    set(GPUSEL_PACKED_RELOCATIONS -Wl,-z,pack-relative-relocs)
  endif()
endif()
