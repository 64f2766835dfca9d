#!/usr/bin/env bash
# Fetches tiny Shakespeare (Karpathy 2015): 1.1 MB of plays, of https://github.com/karpathy/char-rnn.
set -euo pipefail

usage="Usage: scripts/fetch_tinyshakespeare.sh [FROM]
Puts the text into data/tinyshakespeare/input.txt, where configs/shakespeare.yaml looks for it.
FROM: another place of the file, a URL or a path."

from=https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt
digest=86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed

fail() {
  echo "fetch_tinyshakespeare: $*" >&2
  exit 1
}

for argument in "$@"; do
  case $argument in
    -h | --help) echo "$usage" && exit ;;
    -*) fail "no option '$argument'.
$usage" ;;
    *) from=$argument ;;
  esac
done
[[ $from == *://* || $from == /* ]] || from=$PWD/$from
cd "$(dirname "$0")/.."

directory=data/tinyshakespeare
mkdir -p "$directory"
part=$(mktemp "$directory/.part.XXXXXX")
trap 'rm -f "$part"' EXIT
if [[ $from != *://* ]]; then
  cat -- "$from" >"$part"
elif type -P curl >/dev/null; then
  curl --fail --silent --show-error --location --retry 3 "$from" >"$part"
elif type -P wget >/dev/null; then
  wget --quiet --output-document="$part" "$from" || fail "could not fetch $from"
else
  fail "neither curl nor wget is installed: apt-get install curl ca-certificates"
fi
[[ $(sha256sum <"$part") == "$digest "* ]] || fail "$from is not the text that was expected"
chmod 644 "$part" && mv "$part" "$directory/input.txt"
echo "$directory/input.txt is complete"
