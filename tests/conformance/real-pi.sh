#!/usr/bin/env bash
# Compiles the examples of pi, type-checks and lints what was written, and plays scenarios with it against real pis: the current
# one, on the Node that it needs, and the last of its older major. The model is a script on the loopback address.
#
#   real-pi.sh [--only ID,...]
#
# Installs from the npm registry into a cache folder outside the project (PI_CACHE, else the user's cache). Bounded: at most
# fifteen minutes for each pi, a few on a machine at rest. Where npm or its registry cannot be had it says so and passes.
set -euo pipefail
cd "$(dirname "$0")/../.."
current=1.6.0 older=0.73.1
cache=${PI_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/policyc-conformance/pi-$current-$older}

skip() { echo "real-pi: skipped, $1"; exit 0; }

for needed in npm node; do
  command -v "$needed" >/dev/null || skip "$needed is not installed"
done

# install FOLDER PACKAGE...: once
install() {
  local folder=$cache/$1
  shift
  [ ! -e "$folder/done" ] || return 0
  mkdir -p "$folder"
  printf '{"private":true}\n' >"$folder/package.json"
  timeout 240 npm install --prefix "$folder" --no-audit --no-fund --silent "$@" >"$folder/npm.log" 2>&1 \
    || skip "npm could not install $* (see $folder/npm.log)"
  touch "$folder/done"
}
install current "@earendil-works/pi-coding-agent@$current" node@22
install older "@mariozechner/pi-coding-agent@$older"
install tools typescript@5.9.3 @biomejs/biome@2.6.8 @types/node@22

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo test --quiet --no-run --test all
policyc=${CARGO_TARGET_DIR:-target}/debug/policyc
for policy in policies/examples/pi/*.policy; do
  "$policyc" compile "$policy" --target pi --out "$work/extensions/$(basename "$policy" .policy)"
done
"$policyc" compile policies/examples/plan-mode/pi.policy --target pi --out "$work/extensions/core"

# Each extension is one that both pis take, by their published types.
mkdir -p "$work/types/node_modules"
ln -s "$cache/current/node_modules/@earendil-works" "$cache/older/node_modules/@mariozechner" \
  "$cache/tools/node_modules/@types" "$work/types/node_modules/"
for folder in "$work"/extensions/*; do
  name=$(basename "$folder")
  cp "$folder/index.ts" "$work/types/$name.ts"
  for scope in @earendil-works @mariozechner; do
    printf 'import type { ExtensionAPI } from "%s/pi-coding-agent";\nimport policy from "./%s";\n%s\n' "$scope" "$name" \
      'export const taken: (pi: ExtensionAPI) => void = policy;' >"$work/types/$name-${scope#@}.ts"
  done
done
"$cache/tools/node_modules/.bin/tsc" --strict --noEmit --skipLibCheck --target es2022 --module esnext \
  --moduleResolution bundler --typeRoots "$work/types/node_modules/@types" --types node "$work"/types/*.ts
"$cache/tools/node_modules/.bin/biome" check --error-on-warnings "$work/extensions"

# play NODE CLI VERSION
play() {
  timeout 960 "$1" tests/conformance/real_pi.mjs --node "$1" --pi "$2" --version "$3" --extensions "$work/extensions" \
    --scenarios tests/conformance/pi.json --scenarios tests/conformance/pi_gate.json --seconds 900 "${@:4}"
}
node22=$cache/current/node_modules/.bin/node
"$node22" --version >/dev/null 2>&1 || skip "the Node of node@22 does not run here"
play "$(readlink -f "$node22")" "$cache/current/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js" "$current" "$@"
play "$(command -v node)" "$cache/older/node_modules/@mariozechner/pi-coding-agent/dist/cli.js" "$older" "$@"
