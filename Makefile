# Makefile: the everyday commands. CMake does the work; build/PRESET holds what it makes.
# SPDX-License-Identifier: MIT

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
TIME ?= 600
SEED ?= 1
COUNT ?= 50
# Files of tests are kept in memory where 4 GB of it are free: flushing them to a disk takes longer
# than all the rest.
SCRATCH = $(shell [ -z "$$TMPDIR" ] && [ -w /dev/shm ] && df -Pk /dev/shm | \
            awk 'NR == 2 && $$4 > 4000000 { print "TMPDIR=/dev/shm" }')
CTEST = $(SCRATCH) ctest --output-on-failure -j$(JOBS)
CLANG_FORMAT ?= $(shell command -v clang-format-14 || echo clang-format)
C_FILES = $(shell find include src cli import tests fuzz examples bench tools web \
            -name node_modules -prune -o -name '*.[ch]' -print)

# CMake starts a make of its own, which must not take itself for a part of this one.
BUILD = env -u MAKEFLAGS -u MAKELEVEL cmake --build

.PHONY: all configure test test-slow test-long demo asan tsan valgrind fuzz coverage mutation \
        test-cluster amalgamation pictures format format-check style tidy bench portability dist \
        web page install clean help

# What is installed: the library, the tool and, if Assimp is installed, tenon-import.
all: configure
	@$(BUILD) build/release --target tenon_programs -j$(JOBS)

help:
	@echo 'make             build all that is installed: build/release/tenon and the library'
	@echo 'make test        build everything and run the tests that take seconds'
	@echo 'make test-slow   run those that compile or count more, which .ci/run adds'
	@echo 'make test-long   run those that take minutes, and those on other systems'
	@echo 'make test-cluster  install Slurm, and run shards on it'
	@echo 'make demo        show the tool at work on a model of our own'
	@echo 'make asan        run the tests under AddressSanitizer and UBSan'
	@echo 'make tsan        run many threads under ThreadSanitizer'
	@echo 'make valgrind    run the tests of the library under valgrind'
	@echo 'make fuzz        run the fuzzers, for TIME=600 seconds, ONLY=read.*; needs clang'
	@echo 'make coverage    run the tests and see that they reach the library; needs gcc'
	@echo 'make mutation    see whether the tests notice COUNT=50 random mistakes of SEED=1'
	@echo 'make format      reformat the C files; format-check only looks'
	@echo 'make style       check the house rules'
	@echo 'make tidy        run clang-tidy over the library and the tool'
	@echo 'make bench       measure times, memory and instructions: docs/performance.md'
	@echo 'make portability run the tests on other systems; TARGETS names some of them'
	@echo 'make dist        make a static tenon for Linux, and tenon.exe: build/dist'
	@echo 'make web         build the library as WebAssembly, and its npm package: build/web'
	@echo 'make amalgamation  write the library as tenon.c and tenon.h: build/amalgamation'
	@echo 'make pictures    draw the pictures of the documents'
	@echo 'make install     install into PREFIX (/usr/local), below DESTDIR if that is set'
	@echo 'make clean       remove build/'

configure:
	@cmake -S . -B build/release --log-level=WARNING $(CMAKE_OPTIONS)

test: configure
	@$(BUILD) build/release -j$(JOBS)
	cd build/release && $(CTEST) -LE slow

test-slow: configure
	@$(BUILD) build/release -j$(JOBS)
	cd build/release && $(CTEST) -L slow

# What .ci/run leaves out of the sanitizer build.
LONG_ASAN = ^(bad$$|costs$$|document_|fail|features|import|matrix|rules|salvage|samples|.*golden)

test-long:
	@cmake -S . -B build/long -DTENON_LONG_TESTS=ON --log-level=WARNING
	@$(BUILD) build/long -j$(JOBS)
	cd build/long && $(CTEST) -L long
	@cmake --preset asan --log-level=WARNING
	@$(BUILD) build/asan -j$(JOBS)
	cd build/asan && $(CTEST) -R '$(LONG_ASAN)'
	@for program in build/asan/tests/robust*; do echo $$program; $$program --all || exit 1; done
	@python3 tools/portability --jobs $(JOBS)

# Slurm on this machine, as root; skipped where it cannot be installed.
test-cluster: configure
	@$(BUILD) build/release -j$(JOBS) --target tenon_cli
	@./bootstrap.sh cluster
	TENON=build/release/tenon python3 -B tests/cluster/test_slurm.py || [ $$? -eq 77 ]

demo: all
	@rm -rf build/demo
	@sh tools/demo.sh build/release/tenon build/demo
	@printf '\nThe tool is build/release/tenon; try: build/release/tenon help\n'

asan:
	@cmake --preset asan --log-level=WARNING
	@$(BUILD) build/asan -j$(JOBS)
	cd build/asan && $(CTEST) -LE 'once|slow'

tsan:
	@cmake --preset tsan --log-level=WARNING
	@$(BUILD) build/tsan -j$(JOBS) --target robust_threads tenon_cli
	build/tsan/tests/robust_threads
	TENON=$(CURDIR)/build/tsan/tenon python3 -B tests/test_batch.py
	TENON=$(CURDIR)/build/tsan/tenon python3 -B tests/test_batch_manifest.py

valgrind: configure
	@$(BUILD) build/release -j$(JOBS)
	tools/valgrind build/release

fuzz:
	@cmake --preset fuzz --log-level=WARNING
	@$(BUILD) build/fuzz -j$(JOBS)
	python3 -B tools/fuzz.py build/fuzz --time $(TIME) --jobs $(JOBS) $(addprefix --only ,$(ONLY))

# Without what needs more than the repository, what only runs the tool again and again, and what
# links the library without gcov's: the figure is the same on every machine.
NOT_FOR_COVERAGE = ^(big_|broken_|completions|corpus|docs|fail|generated|gltf_val|import|paths)

coverage:
	@cmake --preset coverage --log-level=WARNING
	@$(BUILD) build/coverage -j$(JOBS)
	@find build/coverage -name '*.gcda' -delete
	cd build/coverage && TENON_CORPUS= $(CTEST) -LE 'once|slow' -E '$(NOT_FOR_COVERAGE)'
	@python3 tools/coverage.py --require 95 90 build/coverage

# The mutants of one seed are the same for the same sources; the seed is printed. ONLY='*/gpb/*'
# takes them from some files. Every object has an allocation of its own, which tests can make fail.
mutation:
	@cmake -S . -B build/mutation -DTENON_ARENA_DEBUG=ON -DTENON_IMPORT=OFF \
	    -DTENON_CCACHE=OFF --log-level=WARNING
	@$(BUILD) build/mutation -j$(JOBS) --target tenon_cli portable_tests
	@python3 -B tools/mutation.py --build build/mutation --seed $(SEED) --count $(COUNT) \
	    --jobs $(JOBS) $(addprefix --only ,$(ONLY))

format:
	$(CLANG_FORMAT) -i $(C_FILES)

format-check:
	$(CLANG_FORMAT) --dry-run -Werror $(C_FILES)

style:
	python3 tools/style.py
	python3 tools/measure.py $(wildcard build/release)

tidy: configure
	clang-tidy -p build/release --quiet $(shell find src cli -name '*.c')

# Systems that are not installed here are named, with what they need.
portability:
	@python3 tools/portability --jobs $(JOBS) $(TARGETS)

dist:
	@python3 tools/dist --jobs $(JOBS)

web:
	@python3 -B tools/build_web.py --jobs $(JOBS)

page:
	@python3 -B tools/build_page.py --jobs $(JOBS) --build build/release/page

# Those of the documents, which have the same bytes on every machine.
pictures: all
	@python3 -B tools/make_pictures.py
	@python3 -B tests/page/run_page.py build/release build && \
	python3 -B tests/page/run_page.py build/release pictures || [ $$? -eq 77 ]

amalgamation:
	@python3 -B tools/amalgamate.py

# BEFORE names an older tool, which conversions of real files are compared with.
bench: configure
	@cmake -S . -B build/bench -DCMAKE_BUILD_TYPE=Release -DTENON_BENCH=ON -DTENON_TESTS=OFF \
	    -DTENON_IMPORT=OFF --log-level=WARNING
	@$(BUILD) build/bench -j$(JOBS)
	@$(BUILD) build/release -j$(JOBS) --target limits_conversions
	python3 -B bench/bench.py build/bench build/bench/files --restart \
	    $(if $(BEFORE),--before $(BEFORE))
	python3 -B bench/bench_batch.py build/bench build/bench/files

install: all
	cmake --install build/release --prefix "$(PREFIX)"

clean:
	rm -rf build
