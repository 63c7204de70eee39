#!/usr/bin/env bash
# Asks the real OpenCode for its resolved agents on configs of our own, and compares them with policyc's, rule by rule; for
# what it asks for command lines, request by request; and has it make calls that policyc shows as witnesses.
#
#   real-opencode.sh [--full] [--seed N]
#
# Installs `opencode-ai` from the npm registry into a cache folder outside the project (OPENCODE_CACHE, else the user's
# cache). Bounded without `--full`: under eight minutes. Where npm or its registry cannot be had it says so and passes.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=1.18.33
cache=${OPENCODE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/policyc-conformance/opencode-$version}

skip() { echo "real-opencode: skipped, $1"; exit 0; }

for needed in npm git python3; do
  command -v "$needed" >/dev/null || skip "$needed is not installed"
done
mkdir -p "$cache"
program() { find "$cache/node_modules" -path '*/opencode-*/bin/opencode' -type f 2>/dev/null | grep -v -e baseline -e musl | head -n 1; }
if [ -z "$(program)" ]; then
  [ -f "$cache/package.json" ] || printf '{"private":true}\n' >"$cache/package.json"
  timeout 150 npm install --prefix "$cache" --no-audit --no-fund --silent "opencode-ai@$version" >"$cache/npm.log" 2>&1 \
    || skip "npm could not install opencode-ai@$version (see $cache/npm.log)"
fi
bin=$(program)
[ -n "$bin" ] || skip "opencode-ai@$version has no program for this machine"
"$bin" --version >/dev/null 2>&1 || skip "the program of opencode-ai@$version does not run here"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 tests/conformance/real_opencode.py "$bin" "$work" "$@"
python3 tests/conformance/real_commands.py "$bin" "$work" "$@"
cargo test --quiet --no-run --test all
python3 tests/conformance/real_witnesses.py "$bin" "$work" "${CARGO_TARGET_DIR:-target}/debug/policyc" "$@"
POLICYC_REAL_OPENCODE="$work/answers.json" POLICYC_REAL_COMMANDS="$work/commands.json" \
  cargo test --quiet --test all real_opencode -- --ignored --nocapture
