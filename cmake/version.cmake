# version.cmake: the version, taken from the public header, which is the only place that states it.
# SPDX-License-Identifier: MIT

set(header "${CMAKE_CURRENT_LIST_DIR}/../include/tenon/tenon.h")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")

file(STRINGS "${header}" text REGEX "^#define TENON_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
foreach(part MAJOR MINOR PATCH)
    if(NOT text MATCHES "TENON_VERSION_${part} +([0-9]+)")
        message(FATAL_ERROR "${header} does not define TENON_VERSION_${part}")
    endif()
    list(APPEND parts ${CMAKE_MATCH_1})
endforeach()
list(JOIN parts "." TENON_VERSION)
