#!/usr/bin/env bash
# Is a model that was pruned better than one of the same shape trained from scratch?
#
# Expected before the runs, with half of 24 heads gone, of the test's loss in each of three seeds:
#   without any further training, pruning costs more than 0.05 nats;
#   trained on for 300 steps, the pruned model is within 0.02 nats of the whole one;
#   it is better than the same shape trained from scratch for as many steps as both trainings had.
set -euo pipefail

usage="Usage: scripts/pruned_or_from_scratch.sh [SWEEP [COUNT [STEPS]]]
For each run gates=none,seed=N of the sweep (runs/06_matter_grammar): takes COUNT heads (12) out, trains on for STEPS
(300), and trains the same shape from scratch for as many steps as the run and those. Writes pruned.csv into the sweep."

sweep=${1:-runs/06_matter_grammar} count=${2:-12} steps=${3:-300}
tapehead=${TAPEHEAD:-build/tapehead}

fail() {
  echo "pruned_or_from_scratch: $*" >&2
  exit 1
}

[[ $sweep != -* ]] || { echo "$usage" >&2 && exit 2; }
[[ -x $tapehead ]] || fail "there is no program $tapehead: ./dev build"
compgen -G "$sweep/gates=none,seed=*/config.yaml" >/dev/null ||
  fail "no runs in $sweep: $tapehead sweep configs/experiments/06_matter_grammar.yaml"

# Writes the loss of the test to standard output; the checkpoint is the one a user would get.
loss_of() { # RUN
  local loss
  loss=$("$tapehead" evaluate "$1" --split test --json | sed -nE 's/.*"loss":([0-9.e+-]+).*/\1/p') && [[ $loss ]] ||
    fail "no loss of $1"
  echo "$loss"
}

train() { # RUN STEPS [--set ...]
  local run=$1 all=$2
  shift 2
  "$tapehead" train "$pruned/config.yaml" --run "$run" --overwrite --no-report \
    --set "training.steps=$all" --set "evaluation.every=$all" "$@" >"$run.log" 2>&1 ||
    fail "a training failed: $run.log"
}

table="seed,steps,whole,pruned,pruned and trained on,from scratch"
echo "$table"
for whole in "$sweep"/gates=none,seed=*/; do
  whole=${whole%/}
  seed=${whole##*=}
  trained=$(sed -nE 's/^ *steps: *([0-9]+).*/\1/p' "$whole/config.yaml")
  pruned=$sweep/pruned,seed=$seed
  "$tapehead" prune "$whole" "$pruned" --count "$count" --overwrite >"$pruned.log" 2>&1 ||
    fail "pruning failed: $pruned.log"
  train "$sweep/trained_on,seed=$seed" "$steps" --set "model.init_from=$pruned"
  train "$sweep/from_scratch,seed=$seed" $((trained + steps))
  row=$seed,$trained
  for run in "$whole" "$pruned" "$sweep/trained_on,seed=$seed" "$sweep/from_scratch,seed=$seed"; do
    loss=$(loss_of "$run")
    row+=,$loss
  done
  echo "$row"
  table+=$'\n'$row
done
echo "$table" >"$sweep/pruned.csv"
