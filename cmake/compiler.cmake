# Warnings, hardening and sanitizers, as one interface target that every target of ours links.
add_library(gpusel_options INTERFACE)
target_compile_options(gpusel_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
                                                -Wnon-virtual-dtor -fstack-protector-strong
                                                -fno-semantic-interposition)
if(GPUSEL_WERROR)
  target_compile_options(gpusel_options INTERFACE -Werror)
endif()
target_link_options(gpusel_options INTERFACE -Wl,-z,relro,-z,now)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlapping copies in std::string's operator+ that are not there (GCC bug 105651).
  target_compile_options(gpusel_options INTERFACE -Wno-restrict)
endif()

if(GPUSEL_SANITIZE)
  target_compile_options(gpusel_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                  -fno-omit-frame-pointer)
  target_link_options(gpusel_options INTERFACE -fsanitize=address,undefined)
else()
  target_compile_options(gpusel_options INTERFACE $<$<CONFIG:Release>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
endif()
if(GPUSEL_COVERAGE)
  target_link_options(gpusel_options INTERFACE --coverage)
endif()
