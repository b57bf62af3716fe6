# Warnings, hardening and sanitizers, as one interface target that every target of ours links.
add_library(gpusel_options INTERFACE)
target_compile_options(gpusel_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
                                                -Wnon-virtual-dtor -fno-semantic-interposition)
# Sums come out the same on processors that multiply and add at once.
target_compile_options(gpusel_options INTERFACE -ffp-contract=off)
if(GPUSEL_WERROR)
  target_compile_options(gpusel_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlapping copies in std::string's operator+ that are not there (GCC bug 105651).
  target_compile_options(gpusel_options INTERFACE -Wno-restrict)
endif()

# Coverage that libFuzzer reads; only the program that fuzzes links its main().
if(GPUSEL_FUZZ)
  target_compile_options(gpusel_options INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(gpusel_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(GPUSEL_SANITIZE)
  target_compile_options(gpusel_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                  -fno-omit-frame-pointer)
  # Clang counts it to "undefined".
  target_compile_options(gpusel_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fsanitize=float-cast-overflow>)
  target_link_options(gpusel_options INTERFACE -fsanitize=address,undefined)
else()
  target_compile_options(gpusel_options INTERFACE $<$<CONFIG:Release>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>)
endif()
if(GPUSEL_COVERAGE)
  target_link_options(gpusel_options INTERFACE --coverage)
endif()

# Hardening: tests/package/hardening.cmake finds it on the built program, docs/security.md says what for. Of control
# flow, returns alone: marks of branches cost 1 % and take effect only where every library has them, unlike Debian 12.
target_compile_options(gpusel_options INTERFACE -fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
  target_compile_options(gpusel_options INTERFACE -fcf-protection=return)
endif()
target_compile_definitions(gpusel_options INTERFACE _GLIBCXX_ASSERTIONS)
target_link_options(gpusel_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
