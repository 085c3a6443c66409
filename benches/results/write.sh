#!/usr/bin/env bash
# Runs the side-by-side benchmarks and writes what they print, with machine, date and commit, into a file
# beside this script. Arguments go to the benchmarks. README.md says what is in such a file.
set -euo pipefail
cd "$(dirname "$0")/../.."

began=$(date -u +%Y-%m-%dT%H:%M:%SZ)
commit=$(git rev-parse HEAD)
changes=""
[ -z "$(git status --porcelain)" ] || changes=" with changes"
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
memory=$(sed -n 's/^MemTotal: *//p' /proc/meminfo)
file="benches/results/${began%T*}-${commit:0:12}.txt"
[ ! -e "$file" ] || { echo "$file is there already" >&2; exit 2; }

# Built first, so that the raw output is the benchmarks' alone. One of them runs the product itself.
cargo build --release --package reelgauge --package reelgauge-benches
export CARGO_TERM_QUIET=true

output=$(mktemp)
trap 'rm -f "$output"' EXIT
code=0
cargo xtask bench "$@" 2>&1 | tee "$output" || code=$?
{
    echo "date: $began"
    echo "commit: $commit$changes"
    echo "machine: ${processor:-unknown processor}, $(nproc) processors, $memory of memory"
    echo "kernel: $(uname -srm)"
    echo "rust: $(rustc --version)"
    echo "command: cargo xtask bench${*:+ $*}"
    echo "exit code: $code"
    echo
    cat "$output"
} >"$file"
echo "$file" >&2
exit "$code"
