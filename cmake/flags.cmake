# flags.cmake: how every target of the project is compiled.
# SPDX-License-Identifier: MIT

set(TENON_WARNINGS
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wundef -Wpointer-arith
    -Wwrite-strings -Wformat=2
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes;-Wold-style-definition>)

# The same input gives the same bytes on every machine: no fused multiply-add, no x87 registers.
# GCC's vectorizer of straight-line code fuses all the same where the machine can, so it is off.
# Nobody asks errno: a square root is one instruction, not also a call for what has none.
set(TENON_FLOAT_FLAGS -ffp-contract=off -fno-math-errno)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND TENON_FLOAT_FLAGS -fno-tree-slp-vectorize)
    # On s390x it would compute with floats as if they were doubles, because C once did.
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "s390")
        list(APPEND TENON_FLOAT_FLAGS -fexcess-precision=fast)
    endif()
endif()
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86|AMD64|i[3-6]86")
    list(APPEND TENON_FLOAT_FLAGS -msse2 -mfpmath=sse)
endif()

# Windows' own printf() knows neither %zu nor the sizes of <inttypes.h>, so MinGW's is used; but the
# compiler checks formats for the other. Macros of its <math.h> convert in branches not taken.
set(TENON_DEFINITIONS)
if(MINGW)
    set(TENON_DEFINITIONS __USE_MINGW_ANSI_STDIO=1)
    list(APPEND TENON_WARNINGS -Wno-format -Wno-format-nonliteral -Wno-float-conversion)
endif()

# The library hides what is not its interface. The tests use that, too: with sanitizers, where
# linking each of them with all of the library takes longer than compiling it, from a shared one.
set(TENON_VISIBILITY hidden)
if(TENON_TESTS AND UNIX AND CMAKE_C_FLAGS MATCHES "-fsanitize=address")
    set(TENON_VISIBILITY default)
    add_compile_options(-fno-semantic-interposition)
endif()

function(tenon_flags target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11
        C_STANDARD_REQUIRED ON
        C_EXTENSIONS OFF
        C_VISIBILITY_PRESET ${TENON_VISIBILITY}
        POSITION_INDEPENDENT_CODE ON)
    target_compile_definitions(${target} PRIVATE ${TENON_DEFINITIONS})
    if(NOT MSVC)
        target_compile_options(${target} PRIVATE ${TENON_FLOAT_FLAGS} ${TENON_WARNINGS})
        if(TENON_WERROR)
            target_compile_options(${target} PRIVATE -Werror)
        endif()
    endif()
endfunction()

# -- Hardening
# What is installed is compiled so that a mistake in it, or in a library that it uses, ends the
# program rather than runs what a file brought along. Sanitizers and gcov do their own checks. The
# DLLs that GCC's checks need on Windows would have to be beside tenon.exe.

include(CheckCSourceCompiles)
include(CheckCCompilerFlag)
include(CheckLinkerFlag)

function(tenon_find_hardening)
    set(flags)
    set(links)
    set(fortify)
    if(TENON_HARDEN AND CMAKE_C_COMPILER_ID MATCHES "GNU|Clang" AND UNIX
            AND NOT CMAKE_SYSTEM_NAME STREQUAL "WASI"
            AND NOT "${CMAKE_C_FLAGS} ${CMAKE_EXE_LINKER_FLAGS}" MATCHES "-fsanitize|--coverage")
        set(CMAKE_REQUIRED_FLAGS "-Werror -fstack-protector-strong")
        check_c_source_compiles("#include <stdio.h>
            int main(void) { char text[64]; return !fgets(text, 64, stdin); }"
            TENON_HAS_STACK_PROTECTOR)
        if(TENON_HAS_STACK_PROTECTOR)
            list(APPEND flags -fstack-protector-strong)
        endif()
        # Shadow stacks cost nothing. Checks of jumps cost an instruction in every function, and
        # Linux does not have them for programs.
        set(CMAKE_REQUIRED_FLAGS "-Werror")
        check_c_compiler_flag(-fcf-protection=return TENON_HAS_CF_PROTECTION)
        if(TENON_HAS_CF_PROTECTION)
            list(APPEND flags -fcf-protection=return)
        endif()
        # The third level, which GCC 12 knows, calls memcpy() where the second copies a few bytes.
        set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
        set(CMAKE_REQUIRED_FLAGS "")
        check_linker_flag(C "-Wl,-z,relro,-z,now" TENON_HAS_BIND_NOW)
        if(TENON_HAS_BIND_NOW)
            list(APPEND links -Wl,-z,relro,-z,now)
        endif()
    endif()
    set(TENON_HARDENING_FLAGS ${flags} PARENT_SCOPE)
    set(TENON_HARDENING_LINKS ${links} PARENT_SCOPE)
    set(TENON_FORTIFY_FLAGS ${fortify} PARENT_SCOPE)
endfunction()
tenon_find_hardening()

# Objects that are installed. The checks of buffers need an optimizing compiler.
function(tenon_harden target)
    set(is_optimized $<OR:$<CONFIG:Release>,$<CONFIG:RelWithDebInfo>,$<CONFIG:MinSizeRel>>)
    target_compile_options(${target} PRIVATE ${TENON_HARDENING_FLAGS}
        "$<${is_optimized}:${TENON_FORTIFY_FLAGS}>")
endfunction()

# A program that is installed. Where it is static by the toolchain, that says how.
function(tenon_harden_program target)
    target_link_options(${target} PRIVATE ${TENON_HARDENING_LINKS})
    if(TENON_HARDENING_FLAGS AND NOT APPLE AND NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-static")
        target_link_options(${target} PRIVATE -pie)
    endif()
endfunction()
