#!/usr/bin/env bash
# Holds what policyc says of Claude Code's settings to the program's own validator, `claude doctor`: the recorded rules and files
# get the recorded answers, and every rule that policyc writes, for generated policies, is taken without a word. The program
# decides nothing without an account, so its decisions are not compared.
#
#   real-claude-code.sh [--full] [--seed N]
#
# Installs `@anthropic-ai/claude-code` from the npm registry into a cache folder outside the project (CLAUDE_CACHE, else the
# user's cache). Bounded without `--full`: 40 policies, one or two minutes; with it 400. Where npm or its registry cannot be had
# it says so and passes.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=2.1.332
cache=${CLAUDE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/policyc-conformance/claude-code-$version}

skip() { echo "real-claude-code: skipped, $1"; exit 0; }

for needed in npm python3; do
  command -v "$needed" >/dev/null || skip "$needed is not installed"
done
mkdir -p "$cache"
program() { find "$cache/node_modules/@anthropic-ai" -type f -name claude -path '*claude-code-*' 2>/dev/null | grep -v musl | head -n 1; }
if [ -z "$(program)" ]; then
  [ -f "$cache/package.json" ] || printf '{"private":true}\n' >"$cache/package.json"
  timeout 240 npm install --prefix "$cache" --ignore-scripts --no-audit --no-fund --silent \
    "@anthropic-ai/claude-code@$version" >"$cache/npm.log" 2>&1 \
    || skip "npm could not install @anthropic-ai/claude-code@$version (see $cache/npm.log)"
fi
bin=$(program)
[ -n "$bin" ] || skip "@anthropic-ai/claude-code@$version has no program for this machine"
chmod +x "$bin"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HOME=$work timeout 60 "$bin" --version >/dev/null 2>&1 || skip "the program of @anthropic-ai/claude-code@$version does not run here"

cargo test --quiet --no-run --test all
policyc=$(realpath "${CARGO_TARGET_DIR:-target}/debug/policyc")
python3 tests/conformance/real_claude_code.py "$bin" "$policyc" "$work" "$@"
