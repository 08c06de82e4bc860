# Drover. `make` alone prints this help.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

##@ Use
.PHONY: run
run: compile ## Start a control plane, the CRDs, the operators and the API; Ctrl-C ends all of it (ARGS="--https-listen-port 10443")
	@exec node server/dist/main.js dev $(ARGS)

# What Node sends and receives, in huge pages where the kernel gives them to programs that ask (docs/guide/api.md).
run bench: export GLIBC_TUNABLES ?= glibc.malloc.hugetlb=1

##@ Check
.PHONY: test
test: build prepare ## Run the whole suite against real API servers
	@mocha

.PHONY: bench
bench: build prepare ## Measure us and the peers in one run (ONLY=sync,reconcile N=10000 ROUNDS=5)
	@node test/dist/bench/main.js

.PHONY: soak
soak: build prepare ## Run the long versions of the fault and fuzz tests (20 minutes, a line per seed)
	@DROVER_SOAK=1 mocha --no-parallel --grep '@soak'

.PHONY: lint
lint: build ## Biome, unused code (knip), gofmt, go vet
	@biome check .
	@knip
	@unformatted=$$(gofmt -l $(GO)); test -z "$$unformatted" || { echo "not formatted by gofmt: $$unformatted"; exit 1; }
	@cd hack/controlplane && $(GO_AS_BUILT) go vet .
	@for program in load peers/controller-runtime peers/steve; do \
		cd $(CURDIR)/test/bench/$$program || exit 1; \
		if go version >/dev/null 2>&1; then CGO_ENABLED=0 go vet -trimpath . || exit 1; else echo "$$program not vetted: needs a newer Go"; fi; \
	done

.PHONY: verify
verify: build ## Check that generated files equal what their generators make
	@node crds/dist/reference.js
	@node platform/dist/reference.js
	@node operators/dist/reference.js
	@node api/dist/reference.js
	@node test/dist/conformance/reference.js
	@git diff --exit-code -- docs/reference || { echo "docs/reference was out of date: commit what was generated"; exit 1; }

.PHONY: ci
ci: clean lint verify test ## What CI runs

.PHONY: prepare
prepare: build
	@node test/env/dist/cli.js prepare

##@ Work
.PHONY: build
build: node_modules ## Compile all workspaces from nothing: what a deleted test left must not run
	@rm -rf $(DIST)
	@tsc -b

.PHONY: compile
compile: node_modules
	@for w in $(WORKSPACES); do test -d $$w/dist || rm -f $$w/tsconfig.tsbuildinfo; done # else tsc takes what is gone for up to date
	@tsc -b

.PHONY: fmt
fmt: node_modules ## Format and fix what can be fixed
	@biome check --write .

.PHONY: clean
clean: ## Remove everything that was built
	@rm -rf $(DIST)

.PHONY: help
help: ## Print this help
	@awk 'BEGIN {FS = ":.*##"; printf "usage: make <target>\n"} \
	  /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z_-]+:.*##/ {printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

WORKSPACES := test/env kopf-ts crds platform operators api server examples test
DIST := $(foreach w,$(WORKSPACES),$(w)/dist $(w)/tsconfig.tsbuildinfo)

# The Go programs. The first is vetted with the settings that test/env builds it with (build.ts), so that what is compiled for one is there for
# the other. The first time of all takes minutes, as the first build does; later it takes seconds.
GO := hack/controlplane test/bench/load test/bench/peers/controller-runtime
GO_AS_BUILT := CGO_ENABLED=0 GOWORK=off GOFLAGS='-mod=readonly -trimpath -buildvcs=false -gcflags=all=-dwarf=false'

# npm itself runs on the machine's Node; everything after it on the one that npm installs. Not `npm ci`: it refuses a lockfile that lacks
# a prebuilt binary of some other platform, and registries do not have all of them at all times. This installs what the lockfile says.
node_modules: package.json package-lock.json
	@npm install --no-save --no-audit --no-fund --loglevel=error
	@touch node_modules
