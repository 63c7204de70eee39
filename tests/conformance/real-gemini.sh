#!/usr/bin/env bash
# Replays the recorded decisions of Gemini CLI, and compares policies that are written for it with what its real policy engine
# decides of them: a call that it lets pass, or asks about, more freely than the policy is a failure.
#
#   real-gemini.sh [--whole] [--seed N]
#
# Bounded by default: about a minute. With --whole: 300 policies and 12,000 calls. Installs from the npm registry into a cache
# folder outside the project (GEMINI_CACHE, else the user's cache). Where npm or its registry cannot be had it says so and
# passes.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=0.61.0
cache=${GEMINI_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/policyc-conformance/gemini-$version}

skip() { echo "real-gemini: skipped, $1"; exit 0; }

for needed in npm node; do
  command -v "$needed" >/dev/null || skip "$needed is not installed"
done
if [ ! -e "$cache/done" ]; then
  mkdir -p "$cache"
  printf '{"private":true}\n' >"$cache/package.json"
  timeout 240 npm install --prefix "$cache" --ignore-scripts --no-audit --no-fund --silent \
    "@google/gemini-cli-core@$version" >"$cache/npm.log" 2>&1 || skip "npm could not install it (see $cache/npm.log)"
  touch "$cache/done"
fi

cargo test --quiet --no-run --test all
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
seconds=60
for argument in "$@"; do [ "$argument" != --whole ] || seconds=1500; done
timeout $((seconds + 120)) node tests/conformance/real_gemini.mjs --core "$cache/node_modules/@google/gemini-cli-core" \
  --policyc "${CARGO_TARGET_DIR:-target}/debug/policyc" --work "$work" --vectors tests/conformance/gemini.json \
  --seconds "$seconds" "$@"
