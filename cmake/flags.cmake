# flags.cmake: how every target of the project is compiled.
# SPDX-License-Identifier: MIT

set(TENON_WARNINGS
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wundef -Wpointer-arith
    -Wwrite-strings -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition)

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
