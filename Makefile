# The two commands: `make demo` runs the whole loop on real data, `make test` passes the tests. Each sets up what it needs first.
.POSIX:
.PHONY: help setup demo test test-slow check lock

DEMO_FLAGS =
TEST_FLAGS =

help:
	@echo 'make demo       the whole loop on real data, at most 12 minutes on 2 cores once installed'
	@echo 'make test       the tests, at most 12 minutes on 2 cores'
	@echo 'make test-slow  kills, PostgreSQL and a browser'
	@echo 'make check      ruff, mypy, import contracts'
	@echo 'make setup      only set up: .venv with pinned requirements (about 7 GB)'
	@echo 'make lock       compile requirements/*.in into pins'

setup:
	@sh scripts/setup.sh

demo: setup
	.venv/bin/lode demo $(DEMO_FLAGS)

test: setup
	.venv/bin/python -m pytest -m 'not slow and not gpu' $(TEST_FLAGS)

test-slow: setup
	.venv/bin/python -m pytest -m 'slow and not gpu' $(TEST_FLAGS)

check: setup
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

lock: setup
	sh scripts/lock.sh
