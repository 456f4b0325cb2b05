# bench.cmake: the programs of `make bench`: a maker of big files, a measuring program, and one that
# does nothing.
# SPDX-License-Identifier: MIT

file(GLOB bench_sources CONFIGURE_DEPENDS bench/bench*.c)
list(FILTER bench_sources EXCLUDE REGEX "bench_(empty|many)\\.c$")
add_executable(tenon_bench ${bench_sources})
tenon_flags(tenon_bench)
target_include_directories(tenon_bench PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(tenon_bench PRIVATE tenon)

file(GLOB maker_sources CONFIGURE_DEPENDS tools/make_big_*.c)
add_executable(make_big_models ${maker_sources})
tenon_flags(make_big_models)
if(UNIX)
    target_link_libraries(make_big_models PRIVATE m)
endif()

add_executable(bench_empty bench/bench_empty.c)
tenon_flags(bench_empty)

# What a run over many files is compared with.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    add_executable(bench_many bench/bench_many.c)
    tenon_flags(bench_many)
    target_link_libraries(bench_many PRIVATE tenon)
endif()
