# wasi.cmake: WebAssembly, with clang and wasi-libc, run by Node.
# SPDX-License-Identifier: MIT
#
# By default the stack is 64 KiB and runs into the data behind it when it is full. Tests that
# measure time need a clock, which takes a library of its own; nothing else does.

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_C_FLAGS_INIT -D_WASI_EMULATED_PROCESS_CLOCKS)
set(CMAKE_C_STANDARD_LIBRARIES_INIT -lwasi-emulated-process-clocks)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--stack-first,-z,stack-size=1048576")
set(CMAKE_CROSSCOMPILING_EMULATOR node "${CMAKE_CURRENT_LIST_DIR}/../../tools/wasi_run.mjs")
include("${CMAKE_CURRENT_LIST_DIR}/search.cmake")
