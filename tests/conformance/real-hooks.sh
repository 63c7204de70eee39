#!/usr/bin/env bash
# Has real programs call `policyc hook`, and looks at what they do: Codex as a whole agent with a scripted model on the
# loopback address, Gemini CLI's own hook runner, and Amp's `permissions test`.
#
#   real-hooks.sh
#
# Installs @openai/codex, @google/gemini-cli-core and @ampcode/cli-linux-x64 from the npm registry into a cache folder outside
# the project (HOOKS_CACHE, else the user's cache). What cannot be installed or does not run here is skipped with a line.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=${HOOKS_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/policyc-conformance/hooks}

skip() { echo "real-hooks: skipped${2:+ $2}, $1"; }

for needed in npm node python3; do
  command -v "$needed" >/dev/null || { skip "$needed is not installed"; exit 0; }
done

# Installs a package into a folder of its own; says why it is left out if that fails.
install() {
  local folder=$cache/$1
  mkdir -p "$folder"
  if [ ! -d "$folder/node_modules/$2" ]; then
    [ -f "$folder/package.json" ] || printf '{"private":true}\n' >"$folder/package.json"
    timeout 240 npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --silent "$2@$3" >"$folder/npm.log" 2>&1 \
      || { skip "npm could not install $2@$3 (see $folder/npm.log)" "$1"; return 1; }
  fi
}

cargo test --quiet --no-run --test all
policyc=$(realpath "${CARGO_TARGET_DIR:-target}/debug/policyc")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/conformance/hooks.policy "$work/hooks.policy"
failed=0

if install gemini @google/gemini-cli-core 0.61.0; then
  node tests/conformance/real_hooks_gemini.mjs "$cache/gemini/node_modules/@google/gemini-cli-core" "$policyc" "$work" || failed=1
fi

if install codex @openai/codex 0.171.0; then
  codex=$(find "$cache/codex/node_modules/@openai" -type f -name codex -path '*vendor*' | head -n 1)
  if [ -n "$codex" ] && "$codex" --version >/dev/null 2>&1; then
    python3 tests/conformance/real_hooks_codex.py "$codex" "$policyc" "$work" || failed=1
  else
    skip "its program does not run on this machine" codex
  fi
fi

if install amp @ampcode/cli-linux-x64 latest; then
  amp=$cache/amp/node_modules/@ampcode/cli-linux-x64/amp
  chmod +x "$amp"
  if HOME=$work timeout 60 "$amp" --version >/dev/null 2>&1; then
    python3 tests/conformance/real_hooks_amp.py "$amp" "$policyc" "$work" || failed=1
  else
    skip "its program does not run on this machine" amp
  fi
fi
exit "$failed"
