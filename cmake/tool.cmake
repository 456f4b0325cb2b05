# tool.cmake: the command-line tool.
# SPDX-License-Identifier: MIT

include(CheckCSourceCompiles)

# -- Sources

file(GLOB cli_sources CONFIGURE_DEPENDS cli/*.c cli/*/*.c)
if(WIN32)
    list(FILTER cli_sources EXCLUDE REGEX "/(threads|workers)_none\\.c$")
    set(elsewhere "/(platform|guard|guard_plain|import_run|import_start|threads|workers)\\.c$")
elseif(UNIX)
    set(elsewhere "(_windows|_none|/guard_plain)\\.c$")
else()  # WebAssembly.
    set(elsewhere "(_windows|/guard|/import_run|/import_start|/threads|/workers)\\.c$")
endif()
list(FILTER cli_sources EXCLUDE REGEX "${elsewhere}")
add_library(tenon_cli_objects OBJECT ${cli_sources})
tenon_flags(tenon_cli_objects)
tenon_harden(tenon_cli_objects)
target_include_directories(tenon_cli_objects PRIVATE "${PROJECT_SOURCE_DIR}/cli")
target_link_libraries(tenon_cli_objects PUBLIC tenon::tenon)
if(UNIX)
    find_package(Threads REQUIRED)
    target_link_libraries(tenon_cli_objects PUBLIC Threads::Threads)
endif()
if(TENON_INSTALL)
    file(RELATIVE_PATH helpers "${CMAKE_INSTALL_FULL_BINDIR}"
        "${CMAKE_INSTALL_FULL_LIBEXECDIR}/tenon")
    set_property(SOURCE cli/import/import_start.c PROPERTY
        COMPILE_DEFINITIONS "TENON_HELPERS=\"${helpers}\"")
endif()

# -- Pictures

# Sets `result` to the libraries; a static one beside a shared one takes its place, if wanted.
function(tenon_prefer_static result)
    set(found)
    foreach(library ${ARGN})
        string(REGEX REPLACE "\\.so$" ".a" archive "${library}")
        if(TENON_PICTURES_INSIDE AND EXISTS "${archive}")
            set(library "${archive}")
        endif()
        list(APPEND found "${library}")
    endforeach()
    set(${result} ${found} PARENT_SCOPE)
endfunction()

if(TENON_PNG)
    find_package(PNG REQUIRED)
    find_package(JPEG)
    find_path(WEBP_INCLUDE_DIR webp/decode.h)
    find_library(WEBP_LIBRARY webp)
    set(webp_library)
    if(WEBP_INCLUDE_DIR AND WEBP_LIBRARY)
        set(webp_library "${WEBP_LIBRARY}")
        target_compile_definitions(tenon_cli_objects PRIVATE TENON_WEBP)
        target_include_directories(tenon_cli_objects PRIVATE "${WEBP_INCLUDE_DIR}")
    endif()
    tenon_prefer_static(picture_libraries ${webp_library} ${JPEG_LIBRARIES} ${PNG_LIBRARIES})
    target_compile_definitions(tenon_cli_objects PRIVATE TENON_PNG)
    target_include_directories(tenon_cli_objects PRIVATE ${PNG_INCLUDE_DIRS} ${JPEG_INCLUDE_DIRS})
    target_link_libraries(tenon_cli_objects PUBLIC ${picture_libraries} $<$<BOOL:${UNIX}>:m>)
    if(JPEG_FOUND)
        target_compile_definitions(tenon_cli_objects PRIVATE TENON_JPEG)
    endif()
endif()

# -- Programs

# Whether the tool can be linked without shared libraries, which take longer to load than `tenon
# info` of a small file to run. Sanitizers and gcov need some.
function(tenon_can_be_static result)
    set(${result} OFF PARENT_SCOPE)
    if(NOT TENON_STATIC OR BUILD_SHARED_LIBS OR CMAKE_CROSSCOMPILING
            OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux"
            OR "${CMAKE_C_FLAGS} ${CMAKE_EXE_LINKER_FLAGS}" MATCHES "-fsanitize|--coverage|-static"
            OR "${picture_libraries}" MATCHES "\\.so(;|$)")
        return()
    endif()
    set(CMAKE_REQUIRED_FLAGS "-fPIE -static-pie")
    set(CMAKE_REQUIRED_LIBRARIES m)
    check_c_source_compiles(
        "#include <math.h>\n#include <stdlib.h>\nint main(void) { return (int)pow(rand(), 0.5); }"
        TENON_LINKS_STATICALLY)
    set(${result} ${TENON_LINKS_STATICALLY} PARENT_SCOPE)
endfunction()

add_executable(tenon_cli $<TARGET_OBJECTS:tenon_cli_objects>)
target_link_libraries(tenon_cli PRIVATE tenon_cli_objects)
set_target_properties(tenon_cli PROPERTIES OUTPUT_NAME tenon)
tenon_harden_program(tenon_cli)

# Tests put libraries of theirs in front of a dynamic tool, and valgrind replaces its malloc().
set(TENON_DYNAMIC_TOOL tenon_cli)
tenon_can_be_static(is_static)
if(is_static)
    target_link_options(tenon_cli PRIVATE -static-pie)
    if(TENON_TESTS)
        add_executable(tenon_dynamic $<TARGET_OBJECTS:tenon_cli_objects>)
        target_link_libraries(tenon_dynamic PRIVATE tenon_cli_objects)
        set_target_properties(tenon_dynamic PROPERTIES OUTPUT_NAME tenon-dynamic)
        set(TENON_DYNAMIC_TOOL tenon_dynamic)
    endif()
endif()
