# tests.cmake: what CTest runs. A test that lacks something it needs is skipped and says why.
# SPDX-License-Identifier: MIT
#
# Every test runs in the project's root folder, except examples. Labels: `once` marks tests whose
# outcome does not depend on how the library was compiled, or that do with many files what others do
# with few; `slow` those that `make test` leaves to `.ci/run`; `long` those that only
# `make test-long` runs.

set(TENON_SKIP_STATUS 77)
set(TENON_TEST_SECONDS 3600)  # Only against hanging: no test depends on how busy the machine is.

# -- Helpers

# Test `name` runs the command given.
function(tenon_test name)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(${name} PROPERTIES
        SKIP_RETURN_CODE ${TENON_SKIP_STATUS} TIMEOUT ${TENON_TEST_SECONDS})
endfunction()

# Test `name` cannot run here; `reason` is shown instead.
function(tenon_skip name reason)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
    set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
endfunction()

# Program `target` from `source`, left in `folder` of the build tree. Optimizing one takes longer
# than running it; those that work hard themselves have the last argument -O1.
function(tenon_program target source folder)
    add_executable(${target} ${source})
    tenon_flags(${target})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    if(CMAKE_C_FLAGS MATCHES "-fsanitize")
        # What the library does is under suspicion; of tests, bad addresses are enough.
        target_compile_options(${target} PRIVATE -O0 -fno-sanitize=undefined,float-cast-overflow)
    elseif(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT MSVC)
        target_compile_options(${target} PRIVATE -O0 ${ARGN})
    endif()
    set_target_properties(${target} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${folder}")
endfunction()

# Test `name` is the program `source`, which may use the library's internals.
function(tenon_test_program name source)
    get_filename_component(target "${source}" NAME_WE)
    tenon_program(${target} "${source}" tests)
    target_link_libraries(${target} PRIVATE ${TENON_TEST_LIBRARY})
    tenon_test(${name} ${target})
endfunction()

# Test `name` is a Python program with its arguments.
function(tenon_python_test name)
    if(Python3_FOUND)
        tenon_test(${name} ${Python3_EXECUTABLE} -B ${ARGN})
    else()
        tenon_skip(${name} "Python 3.9 or newer is not installed")
    endif()
endfunction()

# The same for a program that runs the tool, whose path is in TENON.
function(tenon_tool_test name)
    if(TENON_TOOL)
        tenon_python_test(${name} ${ARGN})
        set_tests_properties(${name} PROPERTIES ENVIRONMENT "TENON=$<TARGET_FILE:tenon_cli>")
    else()
        tenon_skip(${name} "the tool is not built")
    endif()
endfunction()

# -- C programs

# A shared library hides what the tests look at.
set(TENON_TEST_LIBRARY tenon)
if(TENON_VISIBILITY STREQUAL "default")
    tenon_library(tenon_for_tests tenon_objects SHARED)
    target_link_libraries(tenon_for_tests INTERFACE m)
    set(TENON_TEST_LIBRARY tenon_for_tests)
elseif(BUILD_SHARED_LIBS)
    tenon_library(tenon_for_tests tenon_objects STATIC)
    set(TENON_TEST_LIBRARY tenon_for_tests)
endif()

# The programs that tools/portability runs on every system.
add_custom_target(portable_tests)

string(COMPARE EQUAL "${CMAKE_C_COMPILER_TARGET}" wasm32-wasi is_wasi)
set(posix_tests)
if(WIN32 OR is_wasi)
    set(posix_tests unit.file unit.file_beside unit.file_crash unit.file_output unit.file_race
        unit.file_system)
endif()
if(is_wasi)
    list(APPEND posix_tests unit.file_batch)
endif()

foreach(group unit formats scene)
    file(GLOB programs CONFIGURE_DEPENDS tests/${group}/test_*.c)
    list(FILTER programs EXCLUDE REGEX "_long\\.c$")
    foreach(source ${programs})
        get_filename_component(name "${source}" NAME_WE)
        string(REGEX REPLACE "^test_" "${group}." name "${name}")
        if(name IN_LIST posix_tests)
            tenon_skip(${name} "links, pipes and signals of POSIX systems are needed")
        else()
            tenon_test_program(${name} "${source}")
            if(name MATCHES "golden")  # What they run, other programs run under sanitizers, too.
                set_tests_properties(${name} PROPERTIES LABELS once)
            endif()
            get_filename_component(target "${source}" NAME_WE)
            add_dependencies(portable_tests ${target})
        endif()
    endforeach()
endforeach()

# The same once more, as on systems that have no openat2().
if(NOT "unit.file_race" IN_LIST posix_tests)
    tenon_program(test_file_race_steps "tests/unit/test_file_race.c;src/core/files/file_posix.c"
        tests)
    target_compile_definitions(test_file_race_steps PRIVATE TENON_NO_OPENAT2)
    target_link_libraries(test_file_race_steps PRIVATE ${TENON_TEST_LIBRARY})
    tenon_test(unit.file_race_steps test_file_race_steps)
    add_dependencies(portable_tests test_file_race_steps)
endif()

# What the tool does with libpng and libjpeg.
if(TENON_TOOL AND TENON_PNG)
    foreach(name picture png_reference)
        set(target test_${name})
        tenon_program(${target}
            "tests/cli/${target}.c;cli/pictures/picture.c;cli/pictures/picture_jpeg.c;\
cli/pictures/picture_webp.c" tests)
        target_compile_definitions(${target} PRIVATE TENON_PNG $<$<BOOL:${JPEG_FOUND}>:TENON_JPEG>
            $<$<BOOL:${webp_library}>:TENON_WEBP>)
        target_include_directories(${target} PRIVATE cli ${PNG_INCLUDE_DIRS} ${JPEG_INCLUDE_DIRS})
        target_link_libraries(${target} PRIVATE ${TENON_TEST_LIBRARY} ${picture_libraries}
            $<$<BOOL:${UNIX}>:m>)
        tenon_test(unit.${name} ${target})
        add_dependencies(portable_tests ${target})
    endforeach()
else()
    tenon_skip(unit.picture "the tool is not built with libpng")
    tenon_skip(unit.png_reference "the tool is not built with libpng")
endif()

if(TENON_LONG_TESTS)
    file(GLOB programs CONFIGURE_DEPENDS tests/unit/*_long.c)
    foreach(source ${programs})
        get_filename_component(name "${source}" NAME_WE)
        tenon_test_program(long.${name} "${source}")
        set_tests_properties(long.${name} PROPERTIES LABELS long TIMEOUT 14400)
    endforeach()
endif()

# Sets `reason` to why the program `name` of the robust ones cannot run here, if it cannot.
function(tenon_find_obstacle name reason)
    set(found)
    if(NOT Threads_FOUND AND (NOT is_wasi OR name STREQUAL "robust_threads"))
        set(found "POSIX threads are needed")
    endif()
    set(${reason} "${found}" PARENT_SCOPE)
endfunction()

find_package(Threads)
set(threads $<TARGET_NAME_IF_EXISTS:Threads::Threads>)
set(TENON_ROBUST_ARGUMENTS "" CACHE STRING "Arguments of the programs that damage files (--few)")
file(GLOB programs CONFIGURE_DEPENDS tests/robust*.c)
foreach(source ${programs})
    get_filename_component(name "${source}" NAME_WE)
    tenon_find_obstacle(${name} reason)
    if(reason)
        tenon_skip(${name} "${reason}")
        continue()
    endif()
    tenon_program(${name} "${source}" tests -O1)
    target_link_libraries(${name} PRIVATE ${TENON_TEST_LIBRARY} ${threads})
    add_dependencies(portable_tests ${name})
    tenon_test(${name} ${name} ${TENON_ROBUST_ARGUMENTS})
    set_tests_properties(${name} PROPERTIES COST 100)  # Started first, since they take longest.
    if(TENON_LONG_TESTS)
        tenon_test(long.${name} ${name} --long)
        set_tests_properties(long.${name} PROPERTIES LABELS long TIMEOUT 14400)
    endif()
endforeach()

# -- Limits. For some of them the library is compiled once more, so that the branches it takes and
# the bytes it moves are counted. That takes time, so that only what needs it builds it.

include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize-coverage=trace-pc)
set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,--wrap=memcpy)
check_c_source_compiles("
    void __sanitizer_cov_trace_pc(void);
    void __sanitizer_cov_trace_pc(void) {}
    int main(void) { return 0; }" TENON_CAN_COUNT_WORK)
unset(CMAKE_REQUIRED_FLAGS)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
set(counting_tests counts linear prompt)
if(TENON_CAN_COUNT_WORK AND Threads_FOUND AND NOT WIN32)
    tenon_compile(tenon_counted_objects -fsanitize-coverage=trace-pc -O1)
    tenon_library(tenon_counted tenon_counted_objects STATIC)
    add_custom_target(tenon_counting_programs)
    set_target_properties(tenon_counted_objects tenon_counted PROPERTIES EXCLUDE_FROM_ALL ON)
    add_test(NAME limits.build COMMAND ${CMAKE_COMMAND} --build "${PROJECT_BINARY_DIR}"
             --parallel 2 --target tenon_counting_programs)
    set_tests_properties(limits.build PROPERTIES FIXTURES_SETUP counting COST 1000
        LABELS "slow;once" TIMEOUT ${TENON_TEST_SECONDS})
    foreach(part ${counting_tests})
        tenon_program(limits_${part} tests/limits/limits_${part}.c tests -O1)
        set_target_properties(limits_${part} PROPERTIES EXCLUDE_FROM_ALL ON)
        add_dependencies(tenon_counting_programs limits_${part})
        target_link_libraries(limits_${part} PRIVATE tenon_counted Threads::Threads)
        foreach(name memcpy memmove memset memcmp strlen)
            target_link_options(limits_${part} PRIVATE -Wl,--wrap=${name})
        endforeach()
        tenon_test(limits.${part} limits_${part})
        set_tests_properties(limits.${part} PROPERTIES COST 100 FIXTURES_REQUIRED counting
            LABELS "slow;once")
        if(TENON_LONG_TESTS AND NOT part STREQUAL "counts")
            tenon_test(long.limits.${part} limits_${part} --long)
            set_tests_properties(long.limits.${part} PROPERTIES LABELS long
                FIXTURES_REQUIRED counting)
        endif()
    endforeach()
    if(TENON_TOOL)
        # The tool as well, whose commands are run.
        add_library(tenon_counted_cli OBJECT EXCLUDE_FROM_ALL ${cli_sources})
        tenon_flags(tenon_counted_cli)
        target_compile_options(tenon_counted_cli PRIVATE -fsanitize-coverage=trace-pc -O1)
        target_compile_definitions(tenon_counted_cli PRIVATE
            $<TARGET_PROPERTY:tenon_cli_objects,COMPILE_DEFINITIONS>)
        target_include_directories(tenon_counted_cli PRIVATE
            $<TARGET_PROPERTY:tenon_cli_objects,INCLUDE_DIRECTORIES>)
        add_executable(tenon_counted_tool EXCLUDE_FROM_ALL tests/limits/count_tool.c
            $<TARGET_OBJECTS:tenon_counted_cli>)
        target_link_libraries(tenon_counted_tool PRIVATE tenon_counted ${picture_libraries} m)
        add_dependencies(tenon_counting_programs tenon_counted_tool)
    endif()
else()
    foreach(part ${counting_tests})
        tenon_skip(limits.${part} "the compiler or the linker cannot count what is done")
    endforeach()
endif()

if(TENON_CAN_COUNT_WORK AND NOT WIN32)
    tenon_test_program(limits.conversions tests/limits/limits_conversions.c)
    foreach(name tn_channel_sample_near tn_channel_sample tn_export_scene tn_verify)
        target_link_options(limits_conversions PRIVATE -Wl,--wrap=${name})
    endforeach()
    # Sanitizers have all of the library in one object, in which nothing can be replaced.
    set_tests_properties(limits.conversions PROPERTIES LABELS once)
else()
    tenon_skip(limits.conversions "the linker cannot count calls")
endif()

if(Threads_FOUND OR is_wasi)
    tenon_test_program(limits.refused tests/limits/limits_refused.c)
    target_link_libraries(limits_refused PRIVATE ${threads})
    add_dependencies(portable_tests limits_refused)
else()
    tenon_skip(limits.refused "POSIX threads are needed")
endif()

# -- Examples
# Each runs in a folder of the build tree that holds `samples`, with the arguments of its line
# `// Run: program argument...`. Those without such a line are run by a program in Python.

set(examples_folder "${PROJECT_BINARY_DIR}/examples")
add_custom_target(portable_examples)
add_dependencies(portable_tests portable_examples)
if(WIN32 AND BUILD_SHARED_LIBS)  # Programs find a DLL beside them.
    add_custom_command(TARGET tenon POST_BUILD COMMAND
        ${CMAKE_COMMAND} -E copy $<TARGET_FILE:tenon> "${examples_folder}")
endif()
file(MAKE_DIRECTORY "${examples_folder}")
if(is_wasi)
    # A link would lead out of the only folder that the program sees.
    file(COPY "${PROJECT_SOURCE_DIR}/samples" DESTINATION "${examples_folder}")
else()
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/samples" "${examples_folder}/samples" SYMBOLIC)
endif()

# Test `example.NAME` runs the example `source`, by the command in the other arguments, if any.
function(tenon_example source)
    get_filename_component(name "${source}" NAME_WE)
    file(STRINGS "${source}" run_line REGEX "^// Run: " LIMIT_COUNT 1)
    string(REGEX REPLACE "^// Run: +[^ ]+ *" "" arguments "${run_line}")
    separate_arguments(arguments UNIX_COMMAND "${arguments}")
    tenon_program(example_${name} "${source}" examples)
    set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name})
    target_link_libraries(example_${name} PRIVATE tenon::tenon)
    add_dependencies(portable_examples example_${name})
    if(run_line)
        set(program example_${name})  # By its name it is run by an emulator, where there is one.
        if(ARGN)
            set(program $<TARGET_FILE:example_${name}>)
        endif()
        tenon_test(example.${name} ${ARGN} ${program} ${arguments})
        set_tests_properties(example.${name} PROPERTIES WORKING_DIRECTORY "${examples_folder}")
    endif()
endfunction()

file(GLOB programs CONFIGURE_DEPENDS examples/*.c)
list(FILTER programs EXCLUDE REGEX "load_and_upload\\.c$")
foreach(source ${programs})
    tenon_example("${source}")
endforeach()

# What needs a screen gets one in memory.
find_package(SDL2 QUIET)
set(OpenGL_GL_PREFERENCE GLVND)
find_package(OpenGL QUIET)
find_program(TENON_XVFB_RUN xvfb-run)
if(TARGET SDL2::SDL2 AND TARGET OpenGL::GL AND TENON_XVFB_RUN AND NOT CMAKE_CROSSCOMPILING AND
   NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
    tenon_example("${PROJECT_SOURCE_DIR}/examples/load_and_upload.c" ${TENON_XVFB_RUN} -a)
    tenon_program(check_upload tests/examples/check_upload.c tests)
    foreach(target example_load_and_upload check_upload)
        target_link_libraries(${target} PRIVATE tenon::tenon SDL2::SDL2 OpenGL::GL m)
    endforeach()
    foreach(sample crane.bbmod crane.gpb)
        tenon_test(upload.${sample} ${TENON_XVFB_RUN} -a $<TARGET_FILE:check_upload>
            samples/${sample} travel)
    endforeach()
else()
    foreach(name example.load_and_upload upload.crane.bbmod upload.crane.gpb)
        tenon_skip(${name} "needs SDL2, OpenGL and xvfb-run, and no sanitizer: libsdl2-dev xvfb")
    endforeach()
endif()

if(CMAKE_CXX_COMPILER AND NOT CMAKE_CROSSCOMPILING)
    tenon_example("${PROJECT_SOURCE_DIR}/examples/follow_joints.cpp")
    target_compile_features(example_follow_joints PRIVATE cxx_std_17)
else()
    tenon_skip(example.follow_joints "there is no C++ compiler for this system")
endif()

# -- Public headers: each compiles on its own, as C and as C++

file(GLOB headers CONFIGURE_DEPENDS include/tenon/*.h)
set(header_flags -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only
    "-I${PROJECT_SOURCE_DIR}/include")
foreach(header ${headers})
    get_filename_component(name "${header}" NAME_WE)
    tenon_test(header.c.${name} ${CMAKE_C_COMPILER} -std=c11 ${header_flags} -x c ${header})
    if(CMAKE_CXX_COMPILER)
        tenon_test(header.cxx.${name}
            ${CMAKE_CXX_COMPILER} -std=c++11 ${header_flags} -x c++ ${header})
    else()
        tenon_skip(header.cxx.${name} "there is no C++ compiler")
    endif()
    set_tests_properties(header.c.${name} header.cxx.${name} PROPERTIES LABELS once)
endforeach()

# The file operations of C alone, which no system that we test on needs, still compile.
tenon_test(plain_files ${CMAKE_C_COMPILER} -std=c11 ${header_flags} -Isrc -DTENON_PLAIN_FILES
    src/core/files/file_plain.c)
set_tests_properties(plain_files PROPERTIES LABELS once)

# -- Python programs

find_package(Python3 3.9 COMPONENTS Interpreter)

file(GLOB scripts CONFIGURE_DEPENDS tests/cli/*.txt)
foreach(script ${scripts})
    get_filename_component(name "${script}" NAME_WE)
    tenon_tool_test(cli.${name} tests/run_cli.py ${script})
endforeach()
tenon_tool_test(bad tests/run_bad.py)
if(TARGET tenon_counted_tool)
    tenon_python_test(limits.commands tests/limits/test_commands.py)
    set_tests_properties(limits.commands PROPERTIES LABELS "slow;once" COST 100
        ENVIRONMENT "TENON=$<TARGET_FILE:tenon_counted_tool>" FIXTURES_REQUIRED counting)
    if(TENON_LONG_TESTS)
        tenon_python_test(long.limits.commands tests/limits/test_commands.py --long)
        set_tests_properties(long.limits.commands PROPERTIES LABELS long
            ENVIRONMENT "TENON=$<TARGET_FILE:tenon_counted_tool>" FIXTURES_REQUIRED counting)
    endif()
else()
    tenon_skip(limits.commands "the compiler or the linker cannot count what is done")
endif()

# What our tokenizer says of many texts, for a program that knows better.
tenon_program(json_verdicts tests/json_verdicts.c tests)
target_link_libraries(json_verdicts PRIVATE ${TENON_TEST_LIBRARY})
tenon_python_test(json_reference tests/test_json_reference.py $<TARGET_FILE:json_verdicts>)

file(GLOB programs CONFIGURE_DEPENDS tests/test_*.py)
list(FILTER programs EXCLUDE REGEX "test_(install|instructions|json_reference)\\.py$")
foreach(program ${programs})
    get_filename_component(name "${program}" NAME_WE)
    string(REGEX REPLACE "^test_" "" name "${name}")
    tenon_tool_test(${name} ${program})
endforeach()
set_tests_properties(corpus_matrix engine features paths samples_gpb PROPERTIES LABELS slow)
set_tests_properties(broken_gltf claims corpus corpus_scene document_bbmod document_bmw document_gpb
    document_modeldata generated gltf_everywhere gltf_transform gltf_validator salvage
    scene.golden_random
    PROPERTIES LABELS "slow;once")
set_tests_properties(bad costs document_bplx matrix outputs rules sbom PROPERTIES LABELS once)
if(TENON_LONG_TESTS)
    tenon_tool_test(long.claims.real tests/test_claims.py --real)
    tenon_tool_test(long.outputs.corpus tests/test_outputs.py --corpus)
    set_tests_properties(long.claims.real long.outputs.corpus PROPERTIES LABELS long)
endif()

# Skipped where Slurm is not installed.
tenon_tool_test(cluster.slurm tests/cluster/test_slurm.py)
set_tests_properties(cluster.slurm PROPERTIES LABELS "slow;once" RUN_SERIAL ON)

# Some of them are skipped where tenon-import is not built.
file(GLOB programs CONFIGURE_DEPENDS tests/import/test_import_*.py)
foreach(program ${programs})
    get_filename_component(name "${program}" NAME_WE)
    string(REGEX REPLACE "^test_import_" "import." name "${name}")
    tenon_tool_test(${name} ${program})
endforeach()
set_tests_properties(import.damage PROPERTIES LABELS "slow;once")
set_tests_properties(import.run import.sandbox PROPERTIES LABELS slow)

file(GLOB programs CONFIGURE_DEPENDS tests/fbx/test_fbx_*.py)
foreach(program ${programs})
    get_filename_component(name "${program}" NAME_WE)
    string(REGEX REPLACE "^test_fbx_" "fbx." name "${name}")
    tenon_tool_test(${name} ${program})
endforeach()
set_tests_properties(fbx.layers fbx.poses fbx.tangents PROPERTIES LABELS slow)
set_tests_properties(fbx.character fbx.omissions fbx.pairs PROPERTIES LABELS once)

# -- WebAssembly: the npm package, installed from its archive

tenon_python_test(web.build tests/web/run_web.py ${PROJECT_BINARY_DIR} build)
set_tests_properties(web.build PROPERTIES FIXTURES_SETUP web COST 1000 LABELS "slow;once")
file(GLOB programs CONFIGURE_DEPENDS tests/web/test_*.mjs)
foreach(program ${programs})
    get_filename_component(name "${program}" NAME_WE)
    string(REGEX REPLACE "^test_" "web." test "${name}")
    string(REGEX REPLACE "^test_" "" name "${name}")
    tenon_tool_test(${test} tests/web/run_web.py ${PROJECT_BINARY_DIR} ${name})
    set_tests_properties(${test} PROPERTIES FIXTURES_REQUIRED web LABELS "slow;once")
endforeach()
tenon_tool_test(web.node18 tests/web/run_web.py ${PROJECT_BINARY_DIR} node18)
set_tests_properties(web.node18 PROPERTIES FIXTURES_REQUIRED web LABELS "slow;once")
if(TENON_LONG_TESTS)
    tenon_tool_test(long.web.cli tests/web/run_web.py ${PROJECT_BINARY_DIR} cli)
    set_tests_properties(long.web.cli PROPERTIES FIXTURES_REQUIRED web LABELS long)
    set_property(TEST long.web.cli APPEND PROPERTY ENVIRONMENT TENON_LONG=1)
endif()

# -- The page, in Chromium

tenon_python_test(page.build tests/page/run_page.py ${PROJECT_BINARY_DIR} build)
set_tests_properties(page.build PROPERTIES FIXTURES_SETUP page COST 1000 LABELS "slow;once")
foreach(name samples use hostile served)
    tenon_tool_test(page.${name} tests/page/run_page.py ${PROJECT_BINARY_DIR} ${name})
    set_tests_properties(page.${name} PROPERTIES FIXTURES_REQUIRED page LABELS "slow;once")
endforeach()
if(TENON_LONG_TESTS)
    foreach(name hostile bytes poses real speed)
        tenon_tool_test(long.page.${name} tests/page/run_page.py ${PROJECT_BINARY_DIR} ${name}
            --long)
        set_tests_properties(long.page.${name} PROPERTIES FIXTURES_REQUIRED page LABELS long)
    endforeach()
    set_tests_properties(long.page.speed PROPERTIES RUN_SERIAL ON)
endif()

# -- Instructions: what GCC makes of the library as it is used.

if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_C_COMPILER_ID STREQUAL "GNU" AND
   CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND
   NOT CMAKE_CROSSCOMPILING AND NOT BUILD_SHARED_LIBS)
    include(cmake/bench.cmake)
    tenon_python_test(instructions tests/test_instructions.py ${PROJECT_BINARY_DIR})
else()
    tenon_skip(instructions "they are counted in a release for x86-64 Linux, made by GCC")
endif()
set_tests_properties(instructions PROPERTIES LABELS "slow;once")

# -- Failures: commands whose memory, files and time run out. The library that makes single calls
# fail is preloaded, so it is for Linux only.

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_library(faults MODULE tests/failures/faults.c)
    tenon_flags(faults)
    set_target_properties(faults PROPERTIES C_VISIBILITY_PRESET default
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    # What it takes the place of must not be replaced in it by something that calls it.
    target_compile_options(faults PRIVATE -fno-builtin -fno-sanitize=all)
    target_link_options(faults PRIVATE -fno-sanitize=all)
    target_link_libraries(faults PRIVATE ${CMAKE_DL_LIBS})
endif()
tenon_program(locale_bytes tests/failures/locale_bytes.c tests)
target_link_libraries(locale_bytes PRIVATE tenon::tenon)

# Test `name` runs a program of tests/failures with a tool; and again, for longer, as a long test.
function(tenon_failure_test name tool program)
    set(names ${name})
    tenon_tool_test(${name} tests/failures/${program}.py ${ARGN})
    if(TENON_LONG_TESTS)
        tenon_tool_test(long.${name} tests/failures/${program}.py ${ARGN} --long)
        list(APPEND names long.${name})
        set_tests_properties(long.${name} PROPERTIES LABELS long)
    endif()
    set_property(TEST ${names} PROPERTY ENVIRONMENT
        "TENON_LOCALE_PROGRAM=$<TARGET_FILE:locale_bytes>")
    if(TENON_TOOL)
        set_property(TEST ${names} APPEND PROPERTY ENVIRONMENT "TENON=$<TARGET_FILE:${tool}>")
    endif()
    if(TARGET faults)
        set_property(TEST ${names} APPEND PROPERTY ENVIRONMENT
            "TENON_FAULTS=$<TARGET_FILE:faults>")
    endif()
endfunction()

foreach(part memory files signals batch)
    tenon_failure_test(fail.${part} "${TENON_DYNAMIC_TOOL}" test_fail_${part})
endforeach()
foreach(part disk output locale writers shrink)
    tenon_failure_test(fail.${part} tenon_cli test_fail_system ${part})
endforeach()
tenon_python_test(fail.api tests/failures/test_fail_api.py)
tenon_python_test(wrong_calls tests/failures/test_wrong_calls.py)
set_tests_properties(fail.api wrong_calls PROPERTIES LABELS once)
set_tests_properties(fail.locale fail.signals PROPERTIES LABELS "slow;once")
set_tests_properties(fail.files fail.memory PROPERTIES LABELS slow)
set_tests_properties(fail.batch PROPERTIES LABELS "slow;once")

# What installing and embedding needs. Those that compile the library again are slow or long.
foreach(part static clone amalgamation)
    tenon_python_test(install.${part} tests/test_install.py ${part} ${PROJECT_BINARY_DIR})
    set_tests_properties(install.${part} PROPERTIES ENVIRONMENT "CC=${CMAKE_C_COMPILER}"
        LABELS "slow;once")
endforeach()
set_tests_properties(install.static PROPERTIES LABELS once)
if(TENON_LONG_TESTS)
    foreach(part sources shared subproject windows reproduce)
        tenon_python_test(long.install.${part} tests/test_install.py ${part} ${PROJECT_BINARY_DIR})
        set_tests_properties(long.install.${part} PROPERTIES ENVIRONMENT "CC=${CMAKE_C_COMPILER}"
            LABELS long)
    endforeach()
endif()
tenon_python_test(portability.list tools/portability --list)
tenon_python_test(style tools/style.py)
tenon_python_test(style.self_test tools/style.py --self-test)
tenon_python_test(style.layers tools/measure.py --check ${PROJECT_BINARY_DIR})
set_tests_properties(portability.list style style.layers style.self_test PROPERTIES LABELS once)
if(TENON_LONG_TESTS)
    tenon_python_test(long.mutation.self_test tools/mutation.py --self-test)
    set_tests_properties(long.mutation.self_test PROPERTIES LABELS long)
endif()
