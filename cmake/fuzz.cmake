# fuzz.cmake: each fuzz/fuzz_*.c as a libFuzzer program, and as a test that replays our own files.
# SPDX-License-Identifier: MIT

file(GLOB fuzzers CONFIGURE_DEPENDS fuzz/fuzz_*.c)
foreach(source ${fuzzers})
    get_filename_component(name "${source}" NAME_WE)
    if(TENON_FUZZ)
        add_executable(${name} "${source}")
        tenon_flags(${name})
        target_link_libraries(${name} PRIVATE tenon)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    endif()
    if(TENON_TESTS)
        tenon_program(replay_${name} "${source}" tests)
        target_sources(replay_${name} PRIVATE fuzz/replay.c)
        target_link_libraries(replay_${name} PRIVATE ${TENON_TEST_LIBRARY})
        tenon_test(replay.${name} replay_${name} tests/fixtures samples)
    endif()
endforeach()

# What the fuzzers learned of each format, kept by tools/fuzz.py --minimise.
file(GLOB corpora CONFIGURE_DEPENDS fuzz/corpus/*)
foreach(folder ${corpora})
    get_filename_component(format "${folder}" NAME)
    if(TENON_TESTS)
        tenon_test(replay.corpus_${format} replay_fuzz_read "${folder}")
        set_tests_properties(replay.corpus_${format} PROPERTIES
            ENVIRONMENT "TENON_FUZZ_FORMAT=${format}")
    endif()
endforeach()
