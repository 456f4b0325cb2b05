# flags.cmake: how every target of the project is compiled.
# SPDX-License-Identifier: MIT

set(TENON_WARNINGS
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wundef -Wpointer-arith
    -Wwrite-strings -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition)

# The same input gives the same bytes on every machine: no fused multiply-add, no x87 registers.
# GCC's vectorizer of straight-line code fuses all the same where the machine can, so it is off.
set(TENON_FLOAT_FLAGS -ffp-contract=off)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND TENON_FLOAT_FLAGS -fno-tree-slp-vectorize)
endif()
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86|AMD64|i[3-6]86")
    list(APPEND TENON_FLOAT_FLAGS -msse2 -mfpmath=sse)
endif()

function(tenon_flags target)
    set_target_properties(${target} PROPERTIES
        C_STANDARD 11
        C_STANDARD_REQUIRED ON
        C_EXTENSIONS OFF
        C_VISIBILITY_PRESET hidden
        POSITION_INDEPENDENT_CODE ON)
    if(NOT MSVC)
        target_compile_options(${target} PRIVATE ${TENON_FLOAT_FLAGS} ${TENON_WARNINGS})
        if(TENON_WERROR)
            target_compile_options(${target} PRIVATE -Werror)
        endif()
    endif()
endfunction()
