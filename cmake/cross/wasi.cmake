# wasi.cmake: WebAssembly, with clang and wasi-libc, run by Node.
# SPDX-License-Identifier: MIT

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
include("${CMAKE_CURRENT_LIST_DIR}/search.cmake")
