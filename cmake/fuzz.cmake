# fuzz.cmake: each fuzz/fuzz_*.c as a libFuzzer program, and as a test that replays our own files.
# SPDX-License-Identifier: MIT

# Their inputs are models: fields are changed, not only bytes.
set(mutating_fuzzers fuzz_api fuzz_budget fuzz_convert fuzz_files fuzz_formats fuzz_quick fuzz_read
    fuzz_render fuzz_scene)
# Their inputs are several files.
set(bundle_fuzzers fuzz_beside fuzz_tool)
# They need the tool's sources.
set(tool_fuzzers fuzz_picture fuzz_tool)

if(TENON_FUZZ_WORK AND TARGET tenon_cli)  # Only the fuzzers have the function that counts.
    set_target_properties(tenon_cli PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

# The tool without its main(), for programs that have another.
if(TARGET tenon_cli_objects)
    add_library(tenon_main_objects OBJECT EXCLUDE_FROM_ALL cli/main.c)
    tenon_flags(tenon_main_objects)
    target_include_directories(tenon_main_objects PRIVATE "${PROJECT_SOURCE_DIR}/cli")
    target_link_libraries(tenon_main_objects PUBLIC tenon::tenon)
    target_compile_definitions(tenon_main_objects PRIVATE main=tenon_main)
    target_compile_options(tenon_main_objects PRIVATE -Wno-missing-prototypes)
endif()

# Add to program `target` what the fuzzer `name` needs.
function(tenon_fuzz_sources target name)
    target_sources(${target} PRIVATE fuzz/work.c)
    if(name IN_LIST tool_fuzzers)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:tenon_main_objects>
            $<FILTER:$<TARGET_OBJECTS:tenon_cli_objects>,EXCLUDE,/main\\.c>)
        target_link_libraries(${target} PRIVATE ${picture_libraries} m)
    endif()
endfunction()

file(GLOB fuzzers CONFIGURE_DEPENDS fuzz/fuzz_*.c)
foreach(source ${fuzzers})
    get_filename_component(name "${source}" NAME_WE)
    if(name IN_LIST tool_fuzzers AND (NOT TENON_TOOL OR NOT TENON_PNG OR NOT UNIX))
        if(TENON_TESTS)
            tenon_skip(replay.${name} "the tool, POSIX folders and libpng are needed")
        endif()
        continue()
    endif()
    if(TENON_FUZZ)
        add_executable(${name} "${source}")
        tenon_flags(${name})
        target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src")
        tenon_fuzz_sources(${name} ${name})
        if(name IN_LIST mutating_fuzzers)
            target_sources(${name} PRIVATE fuzz/mutator.c fuzz/mutate.c fuzz/mutate_fbx.c)
        elseif(name IN_LIST bundle_fuzzers)
            target_sources(${name} PRIVATE fuzz/bundle_mutator.c fuzz/mutate.c)
        endif()
        target_link_libraries(${name} PRIVATE tenon)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer)
        if(TENON_FUZZ_WORK)
            target_link_options(${name} PRIVATE -Wl,--wrap=__sanitizer_cov_trace_pc)
        endif()
    endif()
    if(TENON_TESTS)
        tenon_program(replay_${name} "${source}" tests)
        tenon_fuzz_sources(replay_${name} ${name})
        target_sources(replay_${name} PRIVATE fuzz/replay.c)
        target_link_libraries(replay_${name} PRIVATE ${TENON_TEST_LIBRARY})
        tenon_test(replay.${name} replay_${name} tests/fixtures samples)
        add_dependencies(portable_tests replay_${name})
    endif()
endforeach()

# The same once more with the library that counts branches, where limits of work are tested.
if(TARGET tenon_counted)
    foreach(name fuzz_budget fuzz_read fuzz_scene)
        tenon_program(counted_${name} "fuzz/${name}.c;fuzz/replay.c;fuzz/work.c" tests -O1)
        set_target_properties(counted_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
        add_dependencies(tenon_counting_programs counted_${name})
        target_link_libraries(counted_${name} PRIVATE tenon_counted)
        target_link_options(counted_${name} PRIVATE -Wl,--wrap=__sanitizer_cov_trace_pc)
        tenon_test(limits.${name} counted_${name} tests/fixtures samples)
        set_tests_properties(limits.${name} PROPERTIES FIXTURES_REQUIRED counting
            LABELS "slow;once")
    endforeach()
endif()

# Inputs that the fuzzers found for each format, kept by tools/fuzz.py --minimize.
file(GLOB corpora CONFIGURE_DEPENDS fuzz/corpus/*)
if(TENON_TESTS)
    foreach(folder ${corpora})
        get_filename_component(format "${folder}" NAME)
        set(program replay_fuzz_read)
        if(TARGET replay_fuzz_${format})
            set(program replay_fuzz_${format})
        elseif(fuzz_${format} IN_LIST tool_fuzzers)
            continue()
        endif()
        tenon_test(replay.corpus_${format} ${program} fuzz/corpus/${format})
        set_tests_properties(replay.corpus_${format} PROPERTIES
            ENVIRONMENT "TENON_FUZZ_FORMAT=${format}")
    endforeach()
endif()
