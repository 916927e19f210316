#!/bin/sh
# Stands between cargo and the compiler for the crates of this repository, so that only they count which of their lines are run.
exec "$@" -C instrument-coverage
