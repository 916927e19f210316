#!/bin/sh
# RUSTC_WORKSPACE_WRAPPER of `cargo xtask coverage`: instruments the crates of this repository, but not their dependencies.
exec "$@" -C instrument-coverage
