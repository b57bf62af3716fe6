#!/bin/sh
# run.sh SECONDS [TARGET...]: feeds each target (all of them) for so long, two at a time, and tells what came of it.
# Status 1: something was found. What it learns is kept in build/fuzz/work and used the next time.
set -eu
cd "$(dirname "$0")/../.."
program=$PWD/build/fuzz/tests/fuzz/gpusel_fuzz
work=$PWD/build/fuzz/work

# The figure behind a name in libFuzzer's log.
figure() { sed -n "s/.*$1:* *\([0-9][0-9]*\).*/\1/p" "$log" | tail -1; }

# one SECONDS TARGET: a line about it; status 1 where it found something.
one() {
  own=$work/$2
  log=$own/log
  mkdir -p "$own/corpus" "$own/found" "$own/home"
  # shellcheck disable=SC2046 # one folder or file a line, none with a space
  if (cd "$own/home" && env -i PATH="$PATH" HOME="$own/home" "$program" "$2" "$own/corpus" "$own/made" \
    $(cat "$own/places") -max_total_time="$1" -dict="$own/words" -artifact_prefix="$own/found/" -max_len=65536 \
    -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=1024 -report_slow_units=10 -reload=0 -print_final_stats=1) >"$log" 2>&1; then
    outcome="nothing found"
  else
    outcome="FOUND: $(sed -n 's/^gpusel_fuzz: //p; s/^SUMMARY: //p' "$log" | head -1); input: $(sed -n 's/.*Test unit written to //p' "$log" | tail -1); log: $log"
  fi
  printf '%-14s %9s runs, %6s/s, %6s edges, %4s MB: %s\n' "$2" "$(figure number_of_executed_units)" \
    "$(figure average_exec_per_sec)" "$(figure cov)" "$(figure peak_rss_mb)" "$outcome"
  case $outcome in FOUND*) return 1 ;; esac
}

if [ "${1:-}" = --one ]; then
  one "$2" "$3"
  exit
fi
# 0 would be without end for libFuzzer.
case "${1:-}" in '' | *[!0-9]* | 0*)
  echo "usage: ./dev fuzz SECONDS [TARGET...]; targets: $("$program" --list | tr '\n' ' ')" >&2
  exit 2
  ;;
esac
seconds=$1
shift
# shellcheck disable=SC2046 # a list of words
[ $# -gt 0 ] || set -- $("$program" --list)
for target in "$@"; do
  "$program" --list | grep -qx -- "$target" || {
    echo "there is no target '$target'; there are: $("$program" --list | tr '\n' ' ')" >&2
    exit 2
  }
done
"$program" --prepare "$work"
printf '%s\n' "$@" | xargs -n 1 -P 2 tests/fuzz/run.sh --one "$seconds" && exit 0
echo "to reduce an input: $program TARGET -minimize_crash=1 -runs=20000 INPUT; then mend the cause and keep it as tests/fuzz/findings/TARGET/what-it-was" >&2
exit 1
