#!/usr/bin/env bash
# Fetches COGS (Kim and Linzen 2020), sentences and their logical forms: https://github.com/najoungkim/COGS, and the
# form without variables (Qiu et al. 2022) of https://github.com/frankaging/ReCOGS.
set -euo pipefail
source "$(dirname "$0")/fetching.bash"

usage="Usage: scripts/fetch_cogs.sh [BASE]
Puts sentences (.src), logical forms (.tgt) and the types of the examples (.type), one a line, into data/cogs (10 MB)
and, with the shorter targets without variables, into data/cogs/variable_free (6 MB): train (24,155), dev and test
(3,000 each, of the same distribution), and gen (21 types of generalisation, 1,000 examples each).
BASE: another place that holds data/*.tsv of COGS and variable_free/*.tsv of ReCOGS, a URL or a directory."

cogs=https://raw.githubusercontent.com/najoungkim/COGS/165a7b669eade971fa47bf568a2e51925360fed8
recogs=https://raw.githubusercontent.com/frankaging/ReCOGS/1b6eca8ff4dca5fd2fb284a7d470998af5083beb

for argument in "$@"; do
  case $argument in
    -h | --help) echo "$usage" && exit ;;
    -*) fail "no option '$argument'.
$usage" ;;
    *) cogs=$(absolute "$argument") recogs=$cogs ;;
  esac
done
cd "$(dirname "$0")/.."
scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT

column() { tr --delete '\r' <"$scratch/tsv" | cut --fields="$1"; }

# NAME SHA256 SHA256 SHA256: of the sentences, of the logical forms and of the types.
part() {
  local file=data/cogs/$1 place=$cogs/data/$1.tsv
  has_digest "$file.src" "$2" && has_digest "$file.tgt" "$3" && has_digest "$file.type" "$4" && return
  [[ $1 != variable_free/* ]] || place=$recogs/$1.tsv
  fetch "$place" >"$scratch/tsv" || fail "could not fetch $place"
  make_file "$file.src" "$2" column 1
  make_file "$file.tgt" "$3" column 2
  make_file "$file.type" "$4" column 3
}

part train \
  084364888f2ed359a44154414427313d340688c07b83d2848172793a4358d248 \
  97d7c9c6d8f95c09704afdd7d9c259e2af1fb4c529c179d5e99411224ce6d7d5 \
  4b4a97b09d5352fe4ec3cf7f856a31c6269c8fc567e01f16a2fd94bfe81ad523
part dev \
  621ac5b3a511b9649e4542f1807d1baeebc7c3e443aa9a8a20dff95aaa433f9c \
  8262ecf86592ef70b5bc3c7bf88162a23fdc9b9741a9ae966cc5aa4e2a333220 \
  84cebcedf00a160ee307e6a14b561653cfde32ccfad16666302c120b960803f2
part test \
  d880c4820ca212b345025b3ef46a6d551ecd1ccdf931dc0d0fe60eafa74024bb \
  33f9160ca6536e41950f2a89e14a925644ce4c2507d0570d420d26e8d2e7382d \
  84cebcedf00a160ee307e6a14b561653cfde32ccfad16666302c120b960803f2
part gen \
  230f3e252995cbf2702f864438ca3233d468b12ae2bbb0f96364c552a2416aef \
  3ae9d99522a601069a323675a70a82de0559f071afb097dde4c58afdfde875e1 \
  7dc6d6b45a7d3b91462494578a0141fd8a4631e5313dfe926e2849e5674d09fe
part variable_free/train \
  084364888f2ed359a44154414427313d340688c07b83d2848172793a4358d248 \
  0ae30ec7e8c0a08af61170e83da96f02099e566d0061404130395d0300c96366 \
  4b4a97b09d5352fe4ec3cf7f856a31c6269c8fc567e01f16a2fd94bfe81ad523
part variable_free/dev \
  621ac5b3a511b9649e4542f1807d1baeebc7c3e443aa9a8a20dff95aaa433f9c \
  1db1d3e1926d027f9bc480f7e9674d02c3bad4d0a69c49ff662410c2e3362d1a \
  84cebcedf00a160ee307e6a14b561653cfde32ccfad16666302c120b960803f2
part variable_free/test \
  d880c4820ca212b345025b3ef46a6d551ecd1ccdf931dc0d0fe60eafa74024bb \
  f388b6d30c7af8e8e0ca5370f846ea7517cc6c8eb577f173f00faf1f2c5ec75f \
  84cebcedf00a160ee307e6a14b561653cfde32ccfad16666302c120b960803f2
part variable_free/gen \
  230f3e252995cbf2702f864438ca3233d468b12ae2bbb0f96364c552a2416aef \
  1e3df5a8064d365cd403cc5ac2a43fad787348ba5ce7a9ecb090eb4c1ffb0b19 \
  7dc6d6b45a7d3b91462494578a0141fd8a4631e5313dfe926e2849e5674d09fe
echo "data/cogs is complete"
