#!/bin/sh
# What ./dev lint checks: tests/lint.sh [FILE.cpp…], clang-tidy's share for these files alone.
# Needs build/debug/compile_commands.json and the generated headers, which ./dev lint makes first.
set -u
cd "$(dirname "$0")/.." || exit 1
database=build/debug
failed=""

# check NAME COMMAND...: goes on after a failure, so that one run shows everything.
check() {
  name=$1
  shift
  printf 'lint: %s\n' "$name" >&2
  "$@" || failed="$failed $name"
}

sources() { find "$@" \( -name '*.cpp' -o -name '*.cc' -o -name '*.hpp' \) -print | LC_ALL=C sort; }

shell_syntax() {
  for script in dev .ci/run .ci/daily $(find tests -name '*.sh'); do
    sh -n "$script" || return 1
  done
}

# A question walks one way: no room includes a room that comes after it.
rooms() {
  later="base catalog rules job physics serve money answer show cli"
  while [ "$later" != "${later#* }" ]; do
    room=${later%% *}
    later=${later#* }
    # shellcheck disable=SC2046 # a list of words
    if grep -nE "#include [\"<](gpusel/)?($(echo "$later" | tr ' ' '|'))/" $(sources $(ls -d "src/$room" "include/gpusel/$room" 2>/dev/null)); then
      echo "lint: '$room' includes a room that comes after it" >&2
      return 1
    fi
  done
}

# shellcheck disable=SC2046 # a list of words
format() { clang-format-19 --dry-run -Werror $(sources src include tests bench); }

# Cppcheck cannot tell that a Currency is smaller than a reference to it, takes what moves out of an expected's error
# for a local, and follows neither the two arms of a condition, what emplace_back() returns nor a lambda's template:
# clang-tidy sees all of these.
cpp_check() {
  # shellcheck disable=SC2046 # a list of words
  cppcheck --project="$database/compile_commands.json" -i tests --enable=warning,performance,portability \
    --inline-suppr $(printf -- '--suppress=%s ' passedByValue returnStdMoveLocal accessMoved nullPointerRedundantCheck \
      invalidContainerReference stlIfFind syntaxError) --error-exitcode=1 --quiet -j "$(nproc)"
}

tidy() {
  log=$(mktemp)
  [ $# -gt 0 ] || set -- $(sources src | grep '\.cpp$')
  printf '%s\n' "$@" | xargs -P "$(nproc)" -n 1 clang-tidy-19 --quiet -p "$database" 2>"$log"
  status=$?
  grep -v 'warnings\{0,1\} generated\.$' "$log" >&2 # the counts of what was kept quiet
  rm -f "$log"
  return $status
}

check shell-syntax shell_syntax
check rooms rooms
check clang-format format
check cppcheck cpp_check
check clang-tidy tidy "$@"
[ -z "$failed" ] || {
  printf 'lint: failed:%s\n' "$failed" >&2
  exit 1
}
