# The two commands of the README, and further ones. Each target sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SERVICES := $(VENV)/.services
DEMO := .venv-demo
DEMO_READY := $(DEMO)/.ready
DEMO_NEEDS := examples/service/requirements.txt
PACKAGES := packages/document packages/server packages/client packages/codecs packages/contract
# What the example service needs of them.
SERVICE_PACKAGES := $(filter-out packages/contract,$(PACKAGES))
JAVASCRIPT := packages/javascript
MODULES := $(JAVASCRIPT)/node_modules/.ready
GENERATORS := tests/generators/node_modules/.ready
MOCK := tests/mock/node_modules/.ready
JOBS ?= 2
# A worker that crashes ends the run: pytest-xdist 3.8 waits forever for its replacement (#1323).
PARALLEL = -n $(JOBS) --dist loadgroup --max-worker-restart=0
# The parts of the contract that involve compiled functions, which must also pass without them.
COMPILED := $(foreach part,fields model_fields http messages ecosystem,packages/server/tests/test_contract_$(part).py)
HOUSE := tests/test_house.py packages/server/tests/test_private_names.py
QUIETLY := --quiet --disable-pip-version-check --no-compile
PIN = $(BIN)/uv pip compile -q --upgrade --no-header --no-emit-index-url --no-annotate

# Tests start many programs, which begin sooner where their bytecode is kept.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo production faults reloads load soak test check test-javascript test-matrix lint format typecheck imports unit bench ecosystem fuzz hostile clients generators screenshots docs wheels release-check constraints clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /  make \1\t/' | expand -t 22

define CHECK_PYTHON
@$(PYTHON) -c 'import sys; sys.exit("lintel needs Python 3.11 or newer, %s is %s" % (sys.executable, sys.version.split()[0]) if sys.version_info < (3, 11) else 0)'
@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { echo "Python lacks ensurepip: install the python3-venv package of your system"; exit 1; }
endef

$(READY): constraints.txt requirements.in requirements-ecosystem.txt $(addsuffix /pyproject.toml,$(PACKAGES))
	$(CHECK_PYTHON)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -r requirements.in
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-ecosystem.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps $(addprefix -e ,$(PACKAGES))
	@touch $@

# Only what the example service needs: small, and quick to set up. Afterwards the build backend,
# pip and the sources of translations are removed.
$(DEMO_READY): constraints.txt $(DEMO_NEEDS) $(addsuffix /pyproject.toml,$(SERVICE_PACKAGES))
	$(CHECK_PYTHON)
	@echo "Setting up $(DEMO) (about 55 MB; once)"
	@if $(PYTHON) -m pip --python $(PYTHON) --version >/dev/null 2>&1; then \
		$(PYTHON) -m venv --clear --without-pip $(DEMO); pip="$(PYTHON) -m pip --python $(DEMO)/bin/python"; \
	else \
		$(PYTHON) -m venv --clear $(DEMO); pip="$(DEMO)/bin/python -m pip"; \
	fi; \
	$$pip install $(QUIETLY) -c constraints.txt -r $(DEMO_NEEDS) && \
	$$pip install $(QUIETLY) -c constraints.txt --target $(DEMO)/build hatchling editables && \
	PYTHONPATH="$(CURDIR)/$(DEMO)/build" $$pip install $(QUIETLY) --no-build-isolation --no-deps $(addprefix -e ,$(SERVICE_PACKAGES)) && \
	{ ! test -e $(DEMO)/bin/pip || $$pip uninstall --quiet --yes --disable-pip-version-check pip setuptools 2>/dev/null; }
	@rm -rf $(DEMO)/build
	@find $(DEMO) -name '*.po' -delete
	@touch $@

# Redis, PostgreSQL, Chromium and shells, which the tests start.
$(SERVICES): tools/services.py | $(READY)
	@$(PYTHON) tools/services.py
	@touch $@

$(MODULES) $(GENERATORS) $(MOCK): %/node_modules/.ready: %/package.json %/package-lock.json
	@command -v node >/dev/null && command -v npm >/dev/null || { echo "the JavaScript client and the tests need Node.js 20 or newer, with npm: install them"; exit 1; }
	@node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' || { echo "the JavaScript client and the tests need Node.js 20 or newer, this is $$(node --version): Debian 12 has 18, take a package of Node.js itself"; exit 1; }
	cd $* && npm ci --silent --no-audit --no-fund
	@touch $@

demo: $(DEMO_READY) ## run the example service on SQLite, with sample data and a token (PORT=8000 HOST=127.0.0.1)
	@$(DEMO)/bin/python examples/service/manage.py demo $(if $(PORT),--port $(PORT)) $(if $(HOST),--host $(HOST))

production: $(READY) $(SERVICES) ## run the example service behind nginx, with PostgreSQL, PgBouncer, Redis and workers (HOSTS=2 PROCESSES=2 SERVER=lintel PORT=8443)
	@PYTHONPATH=tools HOSTS=$(HOSTS) PROCESSES=$(PROCESSES) SERVER=$(SERVER) PORT=$(PORT) exec $(BIN)/python -m production

faults: $(READY) $(SERVICES) ## break PostgreSQL, PgBouncer, Redis, processes and clients of that stack, into docs/server/faults.md (FAULT=Redis)
	@PYTHONPATH=tools FAULT="$(FAULT)" exec $(BIN)/python -m production.faults

reloads: $(READY) $(SERVICES) ## send it 10,000 requests during 20 reloads and 10 restarts
	@PYTHONPATH=tools exec $(BIN)/python -m production.reloads

load: $(READY) $(SERVICES) ## measure it with 1, 2 and 4 processes, on 1 host and 2, and beside peers (SECONDS=10)
	@PYTHONPATH=tools SECONDS=$(SECONDS) exec $(BIN)/python -m production.load

soak: $(READY) $(SERVICES) ## load it, and compare memory, threads, files and connections (SECONDS=3600 CLIENTS=8 RATE=)
	@PYTHONPATH=tools SECONDS=$(SECONDS) CLIENTS=$(CLIENTS) RATE=$(RATE) exec $(BIN)/python -m production.soak

test: lint unit ## run everything that CI runs

# For the inner loop, about a minute: the rules of the house, and the tests of changed modules.
check: lint $(SERVICES) ## check the rules of the house, and run the tests of what has changed
	$(BIN)/python -m pytest $(PARALLEL) $(HOUSE) $$($(BIN)/python tools/changed_tests.py)

lint: $(READY) ## check formatting, lint rules, types, the layers of imports, the numbers of the house and the review of dependencies
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/house.py
	$(BIN)/python tools/dependencies.py

test-javascript: $(READY) $(SERVICES) $(MODULES) ## run the tests of the JavaScript client, in Node.js and in Chromium
	@cd $(JAVASCRIPT) && PATH="$(CURDIR)/$(BIN):$$PATH" npm test --silent

screenshots: $(READY) $(SERVICES) $(MODULES) ## take the pictures of docs/pictures.md again, in Chromium
	@cd $(JAVASCRIPT) && PATH="$(CURDIR)/$(BIN):$$PATH" GALLERY_PICTURES=$(CURDIR)/docs/pictures npx vitest run tests/pictures.test.ts

generators: $(GENERATORS) ## install the npm generators that tests run on the description

unit: $(READY) $(SERVICES) $(GENERATORS) test-javascript ## run the tests of every package and the end-to-end tests
	$(BIN)/python -m pytest $(PARALLEL)
	LINTEL_COMPILE_SERIALIZERS=never $(BIN)/python -m pytest $(PARALLEL) $(COMPILED)

test-matrix: $(READY) $(SERVICES) $(GENERATORS) ## run the tests on the oldest and the newest Django and Python, and in states (STATES="pool schema" for these alone)
	STATES="$(STATES)" $(BIN)/python tools/matrix.py $(PARALLEL)

format: $(READY) ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

typecheck: $(READY) ## run only mypy
	$(BIN)/mypy

imports: $(READY) ## check only the layers of imports
	$(BIN)/lint-imports

bench: $(READY) ## measure lintel and its peers and print the ratios
	$(BIN)/python -m benchmarks

fuzz: $(READY) hostile ## check the running example service against its description, and codecs with damaged ones (SECONDS=600 each)
	@$(BIN)/python tools/fuzz.py $(SECONDS)
	@$(BIN)/python tools/fuzz_codecs.py $(SECONDS)

hostile: .venv-fuzz/.ready ## send hostile requests to lintel, with Django REST framework beside it (SECONDS=600 SEED=1)
	@PYTHONPATH=tools .venv-fuzz/bin/python -m hostile --seconds $(or $(SECONDS),600) $(if $(SEED),--seed $(SEED))
	@PYTHONPATH=tools .venv-fuzz/bin/python -m hostile.network --seconds $(or $(SECONDS),600) $(if $(SEED),--seed $(SEED))
	@PYTHONPATH=tools .venv-fuzz/bin/python -m hostile.guided --seconds $(or $(SECONDS),600) $(if $(SEED),--seed $(SEED))

.venv-fuzz/.ready: requirements-fuzz.txt constraints.txt $(addsuffix /pyproject.toml,$(SERVICE_PACKAGES))
	$(CHECK_PYTHON)
	$(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/python -m pip install $(QUIETLY) -c constraints.txt -r requirements-fuzz.txt -e ./packages/document -e ./packages/server[openapi,markdown,highlight] -e ./packages/client -e ./packages/codecs
	@touch $@

clients: $(READY) $(MODULES) $(MOCK) ## make random calls with the three clients against a mock that validates them (SECONDS=60 SEED=1 DESCRIPTIONS=)
	@$(BIN)/python tools/clients.py --seconds $(or $(SECONDS),60) --seed $(or $(SEED),1) $(DESCRIPTIONS)

ecosystem: ## run the test suites of third-party packages on lintel (downloads them)
	@$(PYTHON) tools/ecosystem.py

docs: .venv-docs/.ready ## build the documentation site, with a reference of all modules, in site/
	@.venv-docs/bin/python tools/docs.py

.venv-docs/.ready: requirements-docs.txt constraints.txt $(addsuffix /pyproject.toml,$(PACKAGES))
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install $(QUIETLY) -c constraints.txt -r requirements-docs.txt $(addprefix -e ,./packages/document ./packages/server[openapi,markdown,highlight,hal,filter,guardian,jwt,accounts,telemetry,test] ./packages/client[cli,http2,compression,keyring,mcp] ./packages/codecs ./packages/contract)
	@touch $@

wheels: ## build the wheels of all packages in wheels/, from which other projects install them
	@$(PYTHON) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir wheels $(addprefix ./,$(PACKAGES))
	@echo "python -m pip install $(CURDIR)/wheels/*.whl 'django-lintel[openapi]'"

release-check: $(READY) $(MODULES) ## build the distributions and the npm package, install them into an empty environment, run the quickstart
	@$(BIN)/python tools/release.py check

constraints: $(READY) ## pin requirements.in again, for the oldest and for the newest Django
	$(PIN) requirements.in --python-version 3.11 -o constraints.txt
	sed 's/^django>=.*/django>=6/' requirements.in | $(PIN) - --python-version 3.12 -o constraints-newest.txt

clean: ## remove the files that the commands created
	rm -rf $(VENV) $(DEMO) $(JAVASCRIPT)/node_modules $(JAVASCRIPT)/dist .venv-matrix-* .venv-peers .venv-docs .venv-fuzz site build wheels .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
