# The two commands are `make demo` and `make test`. Both install the Debian packages that are missing.
# JOBS=N sets how many processors are used, PRESET=dev another build (see CMakePresets.json).
JOBS ?= $(shell nproc)
PRESET ?= release
BUILD := build/$(PRESET)
export JOBS

# Where `make install` puts the program; DESTDIR stands before it for packagers.
PREFIX ?= /usr/local

.PHONY: help demo install deb runner site playground test-playground test test-all asan asan-short tsan fuzz fuzz-models fuzz-front fuzz-peer fuzz-kernels fuzz-parsers fuzz-program mutate plant plant-certificates bench pictures program format tidy clean

help:
	@echo 'make demo          build, decide the bundled litmus tests, show why one is forbidden'
	@echo 'make install       program, models, manual pages, completions into PREFIX=/usr/local; the folder may be moved later'
	@echo 'make deb           Debian packages fencepost and fencepost-prove, in build/deb'
	@echo 'make runner        one archive for a machine with a device where nothing can be installed, in build/runner'
	@echo 'make site          the documents as static pages with search, in build/site'
	@echo 'make playground    a page that answers in a browser, in build/playground/page: 15 processor-minutes'
	@echo 'make test-playground   the page in a Chromium, held against the program'
	@echo 'make test          build and run every test'
	@echo 'make test-all      make test, then the long forms: asan, tsan, long fuzzing'
	@echo 'make fuzz          20,000 random programs x 4 models, one engine held against the other; as many held against laws'
	@echo 'make fuzz-models   50 random models, likewise'
	@echo 'make fuzz-front    20,000 random programs in OpenCL C, GLSL and SPIR-V each, held against real implementations'
	@echo 'make fuzz-peer     PEER=DIR: random variants of the tests of Dartagnan, a checkout that is built, asked of both'
	@echo 'make fuzz-kernels  50,000 random kernels: prove held against an oracle that runs them, and against check'
	@echo 'make fuzz-parsers  libFuzzer on every parser, FUZZ_SECONDS=600 each'
	@echo 'make fuzz-program  100,000 runs of all verbs on mutated files: no signal, no internal error, no budget overrun'
	@echo 'make mutate        plant one-line faults and count how many the fuzzing catches'
	@echo 'make plant-certificates   draw faults in the engines and ask for certificates of 200 wrong answers: none'
	@echo 'make plant         draw 60 faults over the front ends and layouts and count how many the tests catch'
	@echo 'make asan-short    readers and engines under the address and undefined-behaviour sanitizers'
	@echo 'make format        lay out the sources as .clang-format has it (clang-format 19)'
	@echo 'make tidy          clang-tidy 19 on all sources, 25 processor-minutes; tools/tidy FILE on one'
	@echo 'make bench         benchmarks, with table and plot in docs/'

program:
	@tools/install_packages build
	@tools/build $(PRESET) fencepost

# The demo asks nothing of the kernel verifier, which takes long to build: it answers first.
demo:
	@tools/install_packages build
	@tools/build $(PRESET) fencepost_alone
	@tools/demo $(BUILD)/fencepost_alone
	@tools/build $(PRESET) fencepost

install: program
	@tools/make_pages $(BUILD)/fencepost $(BUILD)/pages
	@cmake --install $(BUILD) --prefix $(PREFIX)

deb: program
	@tools/make_pages $(BUILD)/fencepost $(BUILD)/pages
	@tools/make_deb $(BUILD) build/deb

runner:
	@tools/install_packages build
	@tools/build $(PRESET) fencepost_alone
	@tools/make_runner $(BUILD) build/runner

site:
	@tools/install_packages test
	@tools/make_site build/site
	@echo 'build/site/index.html'

playground:
	@tools/install_packages build playground
	@tools/build release fencepost_ask
	@tools/make_playground build/playground/page

test-playground: playground
	@python3 -B tests/system/playground_test.py build/playground/page build/release/fencepost_ask .

test:
	@tools/install_packages build test
	@tools/build $(PRESET) all
	@tools/build $(PRESET) fencepost_alone
	@tools/run_tests $(BUILD)

asan tsan:
	@tools/install_packages build test
	@tools/build $@ all
	@tools/run_tests build/$@

asan-short:
	@tools/install_packages build test
	@tools/test_sanitized

format:
	@tools/install_packages test
	@git ls-files -z '*.h' '*.cpp' '*.cc' | xargs -0 clang-format-19 -i
	@tools/check_format

tidy:
	@tools/install_packages build test
	@tools/build $(PRESET) fencepost
	@tools/tidy

FUZZ_SEED ?= 1
FUZZ_COUNT ?= 20000
fuzz:
	@tools/install_packages build test
	@tools/build $(PRESET) fuzz_engines
	@tools/build $(PRESET) fuzz_unrolled fuzz_weaker
	@tools/build $(PRESET) fuzz_liveness
	@tools/build $(PRESET) fuzz_laws
	$(BUILD)/tests/fuzz/fuzz_laws --seed $(FUZZ_SEED) --count $(FUZZ_COUNT) -j $(JOBS) --save $(BUILD)/disagreements
	$(BUILD)/tests/fuzz/fuzz_unrolled --seed $(FUZZ_SEED) --count 5000 -j $(JOBS)
	$(BUILD)/tests/fuzz/fuzz_weaker --seed $(FUZZ_SEED) --count 4000 -j $(JOBS)
	$(BUILD)/tests/fuzz/fuzz_liveness --kind loops --seed $(FUZZ_SEED) --count 5000 -j $(JOBS)
	$(BUILD)/tests/fuzz/fuzz_liveness --kind states --seed $(FUZZ_SEED) --count 2000 -j $(JOBS)
	$(BUILD)/tests/fuzz/fuzz_liveness --kind published -j $(JOBS)
	$(BUILD)/tests/fuzz/fuzz_engines --seed $(FUZZ_SEED) --count $(FUZZ_COUNT) -j $(JOBS) --check-statistics --save $(BUILD)/disagreements
	$(BUILD)/tests/fuzz/fuzz_engines --launches --seed $(FUZZ_SEED) --count 10000 -j $(JOBS) --save $(BUILD)/disagreements

fuzz-models:
	@tools/install_packages build test
	@tools/build $(PRESET) fuzz_models
	$(BUILD)/tests/fuzz/fuzz_models --seed $(FUZZ_SEED) --models 50 -j $(JOBS) --save $(BUILD)/disagreements

FRONT_COUNT ?= 20000
FRONT = python3 tests/fuzz/front/differ.py --driver $(BUILD)/tests/fuzz/front_driver --count $(FRONT_COUNT) --seed $(FUZZ_SEED) --jobs $(JOBS) \
  --opencl "$(OPENCL)" --histogram --keep $(BUILD)/disagreements
# OPENCL=DIR is where a further OpenCL implementation is (tests/fuzz/README.md).
fuzz-front:
	@tools/install_packages build test
	@tools/build $(PRESET) front_driver
	@tools/build $(PRESET) front_interpreter
	$(FRONT) --language glsl
	$(FRONT) --language spirv
	$(FRONT) --language opencl
	$(FRONT) --language opencl --against interpreter
	python3 tests/fuzz/front/builtins.py --driver $(BUILD)/tests/fuzz/front_driver --count 30 --seed $(FUZZ_SEED) || [ $$? = 77 ]
	python3 tests/fuzz/front/litmus_c.py --driver $(BUILD)/tests/fuzz/front_driver --count 5000 --seed $(FUZZ_SEED) --keep $(BUILD)/disagreements || [ $$? = 77 ]
	python3 tests/fuzz/front/ptx.py run --driver $(BUILD)/tests/fuzz/front_driver --count 2000 --seed $(FUZZ_SEED) --keep $(BUILD)/disagreements \
	  $(BUILD)/ptx || test $$? = 77

# PEER=DIR is a checkout of Dat3M in which dartagnan is built (tests/fuzz/peer.py); without it nothing is compared, and that is said.
PEER_COUNT ?= 3000
fuzz-peer:
	@tools/build $(PRESET) fencepost
	python3 tests/fuzz/peer.py $(BUILD)/fencepost "$(PEER)" --seed $(FUZZ_SEED) --count $(PEER_COUNT) --keep $(BUILD)/disagreements || [ $$? = 77 ]

# Random kernels: `prove` against an oracle that runs them, and against `check`.
KERNEL_COUNT ?= 50000
fuzz-kernels:
	@tools/install_packages build test
	@tools/build $(PRESET) fencepost
	@tools/build $(PRESET) kernel_prover
	python3 tests/fuzz/kernels/hold.py $(BUILD)/fencepost --prover $(BUILD)/tests/fuzz/kernel_prover --seed $(FUZZ_SEED) --count $(KERNEL_COUNT) --jobs $(JOBS) --check --save $(BUILD)/disagreements

FUZZ_SECONDS ?= 600
fuzz-parsers:
	@tools/install_packages build test fuzz
	@tests/fuzz/parsers/run $(FUZZ_SECONDS)

PROGRAM_COUNT ?= 100000
fuzz-program: program
	python3 tests/fuzz/whole_program.py $(BUILD)/fencepost --runs $(PROGRAM_COUNT) --seed $(FUZZ_SEED) --jobs $(JOBS) --save $(BUILD)/whole-program

test-all: test asan tsan fuzz fuzz-models

mutate:
	@tools/install_packages build test
	@tools/mutate

PLANT_ROOMS ?= lang/spirv lang/shader lang/prog
PLANT_TESTS ?= tests/mutation/front.tests
PLANT_TARGETS ?= fencepost front_driver test_prog test_shader test_spirv
plant:
	@tools/install_packages build test
	@tools/build $(PRESET) all
	@for l in opencl glsl spirv; do python3 tests/fuzz/front/differ.py --driver $(BUILD)/tests/fuzz/front_driver --language $$l \
	  --count 320 --batch 80 --seed 5000 --patience 0.15 --save build/plant/jobs || exit 1; done
	@tools/plant/plant build $(PLANT_ROOMS) --targets "$(PLANT_TARGETS)" --build $(BUILD)
	@tools/plant/plant draw --tests $(PLANT_TESTS) --count 60 --seed $(FUZZ_SEED)

ENGINE_ROOMS := logic/encode logic/bounds logic/check/check.cpp logic/check/solve.cpp logic/check/races.cpp
plant-certificates:
	@tools/install_packages build test
	@tools/build $(PRESET) fencepost_alone
	@tools/build $(PRESET) fencepost-verify
	@tools/plant/plant build $(ENGINE_ROOMS) --targets fencepost_alone --build $(BUILD)
	@tools/plant/wrong_answers --program build/plant/bin/fencepost_alone --verify $(BUILD)/fencepost-verify --seed $(FUZZ_SEED) --jobs $(JOBS)

bench:
	@tools/install_packages build test bench
	@cmake --preset release -DFENCEPOST_BENCH=ON >build/bench-configure.log || (cat build/bench-configure.log; exit 1)
	@tools/build release all
	@bench/run $(BUILD)

pictures: program
	@docs/pictures/make $(BUILD)/fencepost

clean:
	rm -rf build
