# Toolchain for Linux on arm64, on any Debian 12: Clang and LLD with Debian's own arm64 libraries unpacked below
# GPUSEL_SYSROOT (tools/sysroot). What the build runs of its own runs under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GPUSEL_SYSROOT)

set(CMAKE_SYSROOT ${GPUSEL_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_ASM_COMPILER clang-19)
foreach(language CXX ASM)
  set(CMAKE_${language}_COMPILER_TARGET aarch64-linux-gnu)
endforeach()
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${GPUSEL_SYSROOT})

# BLAS and LAPACK are chosen by links that only an installed system has.
foreach(choice lapack blas)
  list(APPEND CMAKE_LIBRARY_PATH ${GPUSEL_SYSROOT}/usr/lib/aarch64-linux-gnu/${choice})
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
