#!/usr/bin/env bash
# How well do models read windows that are longer than those of their training, by pattern?
set -euo pipefail

usage="Usage: scripts/read_on.sh [SWEEP]
For each run seed=N of the sweep (runs/21_sinks): the loss on the validation text in windows of 1, 4 and 16 times the
context of the training, with full attention, with a window as long as the context, and with the first four tokens and a
window, together as long. Writes read_on.csv into the sweep."

sweep=${1:-runs/21_sinks}
tapehead=${TAPEHEAD:-build/tapehead}

fail() {
  echo "read_on: $*" >&2
  exit 1
}

[[ $sweep != -* ]] || { echo "$usage" >&2 && exit 2; }
[[ -x $tapehead ]] || fail "there is no program $tapehead: ./dev build"
compgen -G "$sweep/seed=*/config.yaml" >/dev/null ||
  fail "no runs in $sweep: $tapehead sweep configs/experiments/21_sinks.yaml"

table="seed,pattern,context,loss"
echo "$table"
for run in "$sweep"/seed=*/; do
  run=${run%/}
  context=$(sed -nE 's/^ *context: *([0-9]+).*/\1/p' "$run/config.yaml")
  for pattern in full "window $((context - 1)) 0" "sink_window 4 $((context - 5))"; do
    for times in 1 4 16; do
      loss=$("$tapehead" evaluate "$run" --split validation --pattern "$pattern" --context $((times * context)) --json |
        sed -nE 's/^[^[]*"loss":([0-9.e+-]+).*/\1/p') && [[ $loss ]] || fail "no loss of $run"
      row=${run##*=},$pattern,$((times * context)),$loss
      echo "$row"
      table+=$'\n'$row
    done
  done
done
echo "$table" >"$sweep/read_on.csv"
