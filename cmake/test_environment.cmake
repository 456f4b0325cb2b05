# test_environment.cmake: read by CTest before it runs anything; sets what the user has not.
# SPDX-License-Identifier: MIT

# Real models, which are not part of the project. Tests that want them are skipped without.
if(NOT DEFINED ENV{TENON_CORPUS})
    get_filename_component(corpus "${CMAKE_CURRENT_LIST_DIR}/../../shared/corpus" ABSOLUTE)
    if(IS_DIRECTORY "${corpus}")
        set(ENV{TENON_CORPUS} "${corpus}")
    endif()
endif()
