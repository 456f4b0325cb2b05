# musl.cmake: Linux on this machine's processor, with the C library musl, linked statically.
# SPDX-License-Identifier: MIT

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR "${CMAKE_HOST_SYSTEM_PROCESSOR}")
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
include("${CMAKE_CURRENT_LIST_DIR}/search.cmake")
